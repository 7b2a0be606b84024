// Rules that make GitOps engines leave fields in conflict alone, in the form of each engine.
import type { KeyField, PathElement } from "../fieldpath/element.js"
import { parseFieldsV1Key } from "../fieldpath/fieldsv1/key.js"
import { writeJson } from "../json/json.js"
import type { ExplainedConflict, Explanation } from "./explain.js"
import type { ObjectName } from "./object-name.js"
import type { Place } from "./place.js"

/** Whose form the rules have. */
export type IgnoreFormat = "argocd" | "flux" | "ocm" | "pulumi"

/** What `ignoreRules` may be told. */
export interface IgnoreOptions {
  /** For `argocd`: name the managers whose fields are to be left alone, all they own, instead of the fields in conflict. */
  readonly by?: "fields" | "managers" | undefined
  /** For `ocm`: the resource of the kind, such as `deployments`. Guessed from the kind if absent, by the usual rules of plurals. */
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
  /** Items of lists and what is in them, as paths of jq. */
  readonly jqPathExpressions?: readonly string[]
  /** Managers whose fields are left alone, all of them. */
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

/** Fields that Open Cluster Management leaves alone. */
export interface OcmFields {
  /** When: where the object on the managed cluster has them already. */
  readonly condition: "OnSpokePresent"
  /** Fields, as JSON paths. */
  readonly jsonPaths?: readonly string[]
  /** Items of lists and what is in them, as paths of jq. */
  readonly jqPathExpressions?: readonly string[]
}

/** How Open Cluster Management writes the object: by server-side apply. */
export interface OcmStrategy {
  /** The name of the strategy. */
  readonly type: "ServerSideApply"
  /** What the strategy does. */
  readonly serverSideApply: {
    /** The fields that it leaves alone. */
    readonly ignoreFields: readonly OcmFields[]
  }
}

/** An entry of `manifestConfigs` of an Open Cluster Management ManifestWork. */
export interface OcmRule {
  /** The object. */
  readonly resourceIdentifier: OcmResource
  /** How it is written. */
  readonly updateStrategy: OcmStrategy
}

/** Rules for one object. Plain data throughout. */
export interface IgnoreRules {
  /** Tells the results of this entry apart. */
  readonly type: "ignore-rules"
  /** The version of this format: the one of `ownership.schema.json`. */
  readonly version: 1
  /** Whose form the rules have. */
  readonly format: IgnoreFormat
  /** Where the rules belong, for people. */
  readonly at: string
  /** The rules; empty where there is no conflict. Of `pulumi`, property paths. */
  readonly rules: readonly (ArgoRule | FluxRule | OcmRule | string)[]
  /** Fields inside lists whose items the format can tell apart by index alone: the rules fail when the lists change. */
  readonly byIndex: readonly Place[]
  /** Fields for which there is no rule, as the object, or the configuration, does not have them. */
  readonly left: readonly Place[]
}

/**
 * Rules that make an engine leave the conflicts of an explanation alone: for `argocd` the `ignoreDifferences` of an Application,
 * for `flux` the ignore rules of a Kustomization or HelmRelease, for `ocm` the `manifestConfigs` of a ManifestWork, for `pulumi`
 * `ignoreChanges`. Items of lists are named by their keys. Where the format knows indexes alone, `byIndex` says for which fields.
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
  const made = conflicts.length === 0 ? { rules: [] } : rulesOf(explanation, format, options)
  const indexed = format === "flux" || format === "pulumi"
  const pointer = pointerFor(format)
  const hasRule = (conflict: ExplainedConflict): boolean => !indexed || pointer(conflict) !== undefined
  return {
    type: "ignore-rules",
    version: 1,
    format,
    at: places[format],
    rules: target.kind === "" ? [] : made.rules,
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

/** What a format with indexes finds a field by: Flux in the object, Pulumi in the configuration. */
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
  return path
    .map(element => `/${element.kind === "field" ? element.name.replaceAll("~", "~0").replaceAll("/", "~1") : ""}`)
    .join("")
}

/**
 * `.spec.containers[] | select(.name == "web") | .image`, which jq can delete. Where a key stands at its default, as the protocol
 * of ports does, items without it count too: `(.protocol // "TCP") == "TCP"`.
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

// https://fluxcd.io/flux/components/helm/helmreleases/#ignore-rules and, since there are rules for Kustomizations,
// https://fluxcd.io/blog/2026/08/ignore-rules-drift-detection: JSON pointers alone.
function fluxTarget(target: ObjectName): FluxRule["target"] {
  const { kind, name, namespace } = target
  const group = groupOf(target)
  const exactly = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
  return {
    ...(group !== "" && { group: exactly(group) }),
    kind: exactly(kind),
    name: exactly(name),
    ...(namespace !== undefined && { namespace: exactly(namespace) }),
  }
}

// https://open-cluster-management.io/docs/concepts/work-distribution/manifestwork/: the fields of a JSONPath are removed by the
// name after its last dot, and its filters compare one key; all else is for jqPathExpressions, which later versions have.
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

/** The path as Kubernetes' JSONPath, undefined where that can't say it, or not so that the field can be removed. */
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

/** Whether a filter can compare with it: a quote in it would end the text. */
function isPlain(key: KeyField | undefined): boolean {
  return typeof key?.value === "number" || (typeof key?.value === "string" && !/["'\\]/.test(key.value))
}

/** The resource of a kind as API machinery guesses it. */
function pluralOf(kind: string): string {
  const name = kind.toLowerCase()
  if (name.endsWith("s")) return name === "endpoints" ? name : `${name}es`
  return name.endsWith("y") && !/[aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`
}

// https://www.pulumi.com/docs/reference/property-paths/: a number in brackets is an index, and in quotes a backslash is one unless
// a quote follows it. The pointer has the index of each item of the path.
function propertyPath(path: readonly PathElement[], pointer: string): string {
  const indexes = pointer.slice(1).split("/")
  return path.reduce((text, element, i) => {
    if (element.kind !== "field") return `${text}[${indexes[i]}]`
    const { name } = element
    if (!/^[A-Za-z_][\w-]*$/.test(name)) return `${text}["${name.replaceAll('"', '\\"')}"]`
    return text === "" ? name : `${text}.${name}`
  }, "")
}
