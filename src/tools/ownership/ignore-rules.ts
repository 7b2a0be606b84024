// Rules that make GitOps engines ignore fields in conflict, in the format of each engine.

import type { KeyField, PathElement } from "../../fieldpath/element.js"
import { parseFieldsV1Key } from "../../fieldpath/fieldsv1/key.js"
import { writeJson } from "../../json/json.js"
import { pluralOf } from "../../kinds/resource/plural.js"
import { formatPointer } from "../../value/pointer.js"
import { escapePattern } from "../../value/words.js"
import type { ExplainedConflict, Explanation } from "./explain.js"
import type { ObjectName } from "./object-name.js"
import type { Place } from "./place.js"

/** The engine whose format the rules have. */
export type IgnoreFormat = "argocd" | "flux" | "ocm" | "pulumi"

/** The options of `ignoreRules`. */
export interface IgnoreOptions {
  /** For `argocd`: `managers` makes the rule name managers, whose fields are all ignored, rather than the fields in conflict. */
  readonly by?: "fields" | "managers" | undefined
  /** For `ocm`: the resource of the kind, such as `deployments`. If absent, it is guessed from the kind by the usual plural rules. */
  readonly resource?: string | undefined
}

/** An entry of `ignoreDifferences` of an Argo CD Application. */
export interface ArgoRule {
  /** The group of the kind; absent for the core group. */
  readonly group?: string
  /** The kind of the object. */
  readonly kind: string
  /** The name of the object. */
  readonly name: string
  /** The namespace of the object; absent if it has none. */
  readonly namespace?: string
  /** Fields, as JSON pointers (RFC 6901). */
  readonly jsonPointers?: readonly string[]
  /** List items and fields inside them, as jq paths. */
  readonly jqPathExpressions?: readonly string[]
  /** Managers whose fields are all ignored. */
  readonly managedFieldsManagers?: readonly string[]
}

/** The object that a Flux rule is about. Each part is a regular expression, which Flux anchors. */
export interface FluxTarget {
  /** The group of the kind; absent for the core group. */
  readonly group?: string
  /** The kind of the object. */
  readonly kind: string
  /** The name of the object. */
  readonly name: string
  /** The namespace of the object; absent if it has none. */
  readonly namespace?: string
}

/** An ignore rule of Flux. */
export interface FluxRule {
  /** Fields, as JSON pointers (RFC 6901). */
  readonly paths: readonly string[]
  /** The object. */
  readonly target: FluxTarget
}

/** The object that a rule of Open Cluster Management is about. */
export interface OcmResource {
  /** The group of the resource; "" for the core group. */
  readonly group: string
  /** The resource, such as `deployments`. */
  readonly resource: string
  /** The namespace of the object; absent if it has none. */
  readonly namespace?: string
  /** The name of the object. */
  readonly name: string
}

/** Fields that Open Cluster Management ignores. */
export interface OcmFields {
  /** The condition: the object on the managed cluster already has them. */
  readonly condition: "OnSpokePresent"
  /** Fields, as JSONPath. */
  readonly jsonPaths?: readonly string[]
  /** List items and fields inside them, as jq paths. */
  readonly jqPathExpressions?: readonly string[]
}

/** The strategy by which Open Cluster Management writes the object: server-side apply. */
export interface OcmStrategy {
  /** The name of the strategy. */
  readonly type: "ServerSideApply"
  /** The settings of the strategy. */
  readonly serverSideApply: {
    /** The fields to ignore. */
    readonly ignoreFields: readonly OcmFields[]
  }
}

/** An entry of `manifestConfigs` of an Open Cluster Management ManifestWork. */
export interface OcmRule {
  /** The object. */
  readonly resourceIdentifier: OcmResource
  /** The strategy that writes it. */
  readonly updateStrategy: OcmStrategy
}

/** Rules for one object. Plain data throughout. */
export interface IgnoreRules {
  /** Distinguishes the results of this entry point. */
  readonly type: "ignore-rules"
  /** The version of this format, as in `ownership.schema.json`. */
  readonly version: 1
  /** The engine whose format the rules have. */
  readonly format: IgnoreFormat
  /** The place to put the rules, for people. */
  readonly at: string
  /** The rules; empty without conflicts. For `pulumi` they are property paths. */
  readonly rules: readonly (ArgoRule | FluxRule | OcmRule | string)[]
  /** Fields inside lists whose items this format can identify only by index. Their rules break when the lists change. */
  readonly byIndex: readonly Place[]
  /** Fields that have no rule because the object or the configuration doesn't have them. */
  readonly left: readonly Place[]
}

/**
 * Returns rules that make an engine ignore the conflicts of an explanation. For `argocd` they are the `ignoreDifferences` of an
 * Application, for `flux` the ignore rules of a Kustomization or HelmRelease, for `ocm` the `manifestConfigs` of a ManifestWork, and for
 * `pulumi` `ignoreChanges`. Rules identify list items by their keys. Some formats know only indexes; `byIndex` lists the fields to which
 * this applies.
 *
 * @example
 * ```ts
 * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
 * import { FieldManager } from "structured-merge-diff/managedfields"
 * import { explain, ignoreRules } from "structured-merge-diff/ownership"
 *
 * const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } }
 * const manager = new FieldManager({ types: kubernetesTypes })
 * const live = manager.update(undefined, { ...web, spec: { replicas: 7 } }, { manager: "autoscaler" }).object
 *
 * const explanation = explain(live, { ...web, spec: { replicas: 3 } }, { types: kubernetesTypes, manager: "argocd-controller" })
 * console.log(JSON.stringify(ignoreRules(explanation, "argocd").rules))
 * // [{"group":"apps","kind":"Deployment","name":"web","jsonPointers":["/spec/replicas"]}]
 * ```
 */
export function ignoreRules(explanation: Explanation, format: IgnoreFormat, options: IgnoreOptions = {}): IgnoreRules {
  const { conflicts, target } = explanation
  const rules = conflicts.length === 0 ? { rules: [] } : rulesOf(explanation, format, options)
  const indexed = format === "flux" || format === "pulumi"
  const pointer = pointerFor(format)
  const hasRule = (conflict: ExplainedConflict): boolean => !indexed || pointer(conflict) !== undefined
  return {
    type: "ignore-rules",
    version: 1,
    format,
    at: places[format],
    rules: target.kind === "" ? [] : rules.rules,
    byIndex: conflicts.filter(conflict => hasRule(conflict) && isByIndex(conflict, indexed)).map(placeIn),
    left: conflicts.filter(conflict => !hasRule(conflict)).map(placeIn),
  }
}

const places: Readonly<Record<IgnoreFormat, string>> = {
  argocd: "spec.ignoreDifferences of an Application",
  flux: "spec.ignore of a Kustomization, or spec.driftDetection.ignore of a HelmRelease",
  ocm: "spec.manifestConfigs of a ManifestWork",
  pulumi: "ignoreChanges of a resource",
}

function rulesOf(
  { target, conflicts }: Explanation,
  format: IgnoreFormat,
  options: IgnoreOptions,
): Pick<IgnoreRules, "rules"> {
  switch (format) {
    case "argocd":
      return { rules: [argoRule(target, conflicts, options)] }
    case "flux": {
      const paths = conflicts.flatMap(({ livePointer }) => livePointer ?? [])
      return { rules: paths.length === 0 ? [] : [{ paths, target: fluxTarget(target) }] }
    }
    case "ocm":
      return { rules: [ocmRule(target, conflicts, options)] }
    case "pulumi":
      return {
        rules: conflicts.flatMap(({ steps, configuredPointer }) =>
          configuredPointer ? propertyPath(elementsOf(steps), configuredPointer) : [],
        ),
      }
  }
}

/** Returns the pointer by which a format with indexes finds a field: in the live object for Flux, in the configuration for Pulumi. */
function pointerFor(format: IgnoreFormat): (conflict: ExplainedConflict) => string | undefined {
  return format === "pulumi" ? ({ configuredPointer }) => configuredPointer : ({ livePointer }) => livePointer
}

function placeIn({ path, steps }: ExplainedConflict): Place {
  return { path, steps }
}

function isByIndex({ steps }: ExplainedConflict, indexed: boolean): boolean {
  return elementsOf(steps).some(({ kind }) => kind === "index" || (indexed && kind !== "field"))
}

function elementsOf(steps: readonly string[]): PathElement[] {
  return steps.flatMap(step => parseFieldsV1Key(step) ?? [])
}

function groupOf({ apiVersion }: ObjectName): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] as string) : ""
}

// https://argo-cd.readthedocs.io/en/stable/user-guide/diffing/#application-level-configuration
function argoRule(target: ObjectName, conflicts: readonly ExplainedConflict[], { by }: IgnoreOptions): ArgoRule {
  const { kind, name, namespace } = target
  const group = groupOf(target)
  const rule = { ...(group !== "" && { group }), kind, name, ...(namespace !== undefined && { namespace }) }
  if (by === "managers") {
    const owners = conflicts.flatMap(conflict => conflict.owners.map(({ manager }) => manager))
    return { ...rule, managedFieldsManagers: [...new Set(owners)] }
  }
  const isByPointer = ({ steps }: ExplainedConflict): boolean => isFieldsOnly(elementsOf(steps))
  const jsonPointers = conflicts.filter(isByPointer).map(({ steps }) => pointerOf(elementsOf(steps)))
  const jqPathExpressions = conflicts.filter(conflict => !isByPointer(conflict)).map(jqPath)
  return {
    ...rule,
    ...(jsonPointers.length > 0 && { jsonPointers }),
    ...(jqPathExpressions.length > 0 && { jqPathExpressions }),
  }
}

function isFieldsOnly(path: readonly PathElement[]): boolean {
  return path.every(({ kind }) => kind === "field")
}

function pointerOf(path: readonly PathElement[]): string {
  return formatPointer(path.map(element => (element.kind === "field" ? element.name : "")))
}

/**
 * Returns a jq path such as `.spec.containers[] | select(.name == "web") | .image`, which jq can delete. If a key has its default value, as
 * the protocol of a port may, the path also selects items that omit the key: `(.protocol // "TCP") == "TCP"`.
 */
function jqPath({ steps, defaultedKeys = [] }: ExplainedConflict): string {
  const parts: string[] = []
  let at = ""
  for (const [step, element] of elementsOf(steps).entries()) {
    const isDefault = (name: string) => defaultedKeys.some(key => key.step === step && key.name === name)
    switch (element.kind) {
      case "field":
        at += jqField(element.name, at === "")
        break
      case "index":
        at += `${at === "" ? "." : ""}[${element.index}]`
        break
      default:
        parts.push(
          `${at === "" ? "." : at}[]`,
          `select(${element.kind === "key" ? jqKeys(element.fields, isDefault) : `. == ${writeJson(element.value)}`})`,
        )
        at = ""
    }
  }
  return [...parts, ...(at === "" ? [] : [at])].join(" | ")
}

function jqKeys(keys: readonly KeyField[], isDefault: (name: string) => boolean): string {
  const tests = keys.map(({ name, value }) => {
    const [field, text] = [jqField(name, true), writeJson(value)]
    return `${isDefault(name) ? `(${field} // ${text})` : field} == ${text}`
  })
  return tests.join(" and ")
}

function jqField(name: string, first: boolean): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `${first ? "." : ""}[${writeJson(name)}]`
}

// https://fluxcd.io/flux/components/helm/helmreleases/#ignore-rules and, for the rules of Kustomizations,
// https://fluxcd.io/blog/2026/08/ignore-rules-drift-detection. Both know only JSON pointers.
function fluxTarget(target: ObjectName): FluxRule["target"] {
  const { kind, name, namespace } = target
  const group = groupOf(target)
  return {
    ...(group !== "" && { group: escapePattern(group) }),
    kind: escapePattern(kind),
    name: escapePattern(name),
    ...(namespace !== undefined && { namespace: escapePattern(namespace) }),
  }
}

// https://open-cluster-management.io/docs/concepts/work-distribution/manifestwork/: it removes the fields of a JSONPath by the name after
// the last dot, and a filter compares one key. Everything else needs jqPathExpressions, which later versions support.
function ocmRule(target: ObjectName, conflicts: readonly ExplainedConflict[], options: IgnoreOptions): OcmRule {
  const { kind, name, namespace } = target
  const jsonPaths = conflicts.flatMap(conflict => jsonPath(conflict) ?? [])
  const jqPathExpressions = conflicts.filter(conflict => jsonPath(conflict) === undefined).map(jqPath)
  const ignored = {
    condition: "OnSpokePresent" as const,
    ...(jsonPaths.length > 0 && { jsonPaths }),
    ...(jqPathExpressions.length > 0 && { jqPathExpressions }),
  }
  return {
    resourceIdentifier: {
      group: groupOf(target),
      resource: options.resource ?? pluralOf(kind),
      ...(namespace !== undefined && { namespace }),
      name,
    },
    updateStrategy: { type: "ServerSideApply", serverSideApply: { ignoreFields: [ignored] } },
  }
}

/**
 * Returns the path as a Kubernetes JSONPath; undefined if that can't express the path, or not in a form by which the field can be removed.
 */
function jsonPath({ steps, defaultedKeys }: ExplainedConflict): string | undefined {
  if (defaultedKeys !== undefined) return undefined
  const path = elementsOf(steps)
  let text = ""
  for (const element of path) {
    if (element.kind === "field" && /^[\w-]+$/.test(element.name)) text += `.${element.name}`
    else if (element.kind === "index") text += `[${element.index}]`
    else if (
      element.kind === "key" &&
      element.count === 1 &&
      /^\w+$/.test(element.name) &&
      isPlain(element.fields[0])
    ) {
      text += `[?(@.${element.name}==${writeJson(element.value ?? null)})]`
    } else return undefined
  }
  return path[path.length - 1]?.kind === "field" ? text : undefined
}

/** Whether a filter can compare with the key's value. A quote in the value would end the text. */
function isPlain(key: KeyField | undefined): boolean {
  return typeof key?.value === "number" || (typeof key?.value === "string" && !/["'\\]/.test(key.value))
}

// https://www.pulumi.com/docs/reference/property-paths/: a number in brackets is an index. Inside quotes a backslash stands for itself
// unless a quote follows it. The pointer contains the index of each item on the path.
function propertyPath(path: readonly PathElement[], pointer: string): string {
  const indexes = pointer.slice(1).split("/")
  return path.reduce((text, element, i) => {
    if (element.kind !== "field") return `${text}[${indexes[i]}]`
    const { name } = element
    if (!/^[A-Za-z_][\w-]*$/.test(name)) return `${text}["${name.replaceAll('"', '\\"')}"]`
    return text === "" ? name : `${text}.${name}`
  }, "")
}
