// The object of a tool that configurations belong to, read from its document: an Application, a Kustomization or a HelmRelease.
import { StructuredMergeError } from "../../errors.js"
import { kindOf } from "../../schema/group-version-kind.js"
import { metaText } from "../../schema/metadata.js"
import { anObject, requireArgument } from "../../value/argument.js"
import { listAt, mapAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { listAnd } from "../../value/words.js"
import type { ApplierName } from "./profile.js"

/** The object of the tool that a configuration belongs to: a release of Helm, an Application of Argo CD, a Kustomization of Flux. */
export interface ApplierOrigin {
  /** Its name. */
  readonly name: string
  /** Its namespace; for Helm that of the release. The configuration's namespace if absent. */
  readonly namespace?: string | undefined
  /** The name of Helm's release, if it is not `name`. */
  readonly release?: string | undefined
  /** The namespace that the tool gives to objects, and that of Helm's release, if it is not `namespace`. */
  readonly targetNamespace?: string | undefined
  /** Whether objects in other namespaces move to the target namespace too. */
  readonly movesObjects?: boolean | undefined
  /** Fields that the tool leaves to others. */
  readonly ignores?: readonly IgnoredFields[] | undefined
  /** Whether the tool deletes objects whose immutable fields change, and creates them again. */
  readonly recreates?: boolean | undefined
}

/** Fields of some objects that a tool leaves to others. Absent properties select every object. */
export interface IgnoredFields {
  /** The group of the objects; `*` stands for any text. */
  readonly group?: string | undefined
  /** The kind of the objects; `*` stands for any text. */
  readonly kind?: string | undefined
  /** The name of the object. */
  readonly name?: string | undefined
  /** The namespace of the object. */
  readonly namespace?: string | undefined
  /** The fields, as JSON pointers. */
  readonly pointers: readonly string[]
}

/** The content of a tool's document. */
export interface OriginDocument {
  /** The profile of its tool. */
  readonly as: ApplierName
  /** The origin of its objects. */
  readonly origin: ApplierOrigin
  /** Settings that change what the tool does, and that no profile knows. */
  readonly notes: readonly string[]
}

/**
 * Reads the document of an Application (Argo CD), a Kustomization or a HelmRelease (Flux). Throws a StructuredMergeError for any other
 * object. The configurations are not read: give those that the tool has rendered.
 */
export function readOrigin(document: object): OriginDocument {
  requireArgument("document", document, anObject)
  const object = document as MapValue
  const { group, kind } = kindOf(object)
  const reader = Object.hasOwn(readers, kind) ? readers[kind] : undefined
  const name = metaText(object, "name")
  if (reader === undefined || reader.group !== group || name === "") {
    const known = Object.entries(readers).map(([kind, { group }]) => `${kind} of ${group}`)
    throw new StructuredMergeError("bad-request", `an origin is an object with a name: ${listAnd(known)}`)
  }
  const namespace = metaText(object, "namespace")
  return reader.read(mapAt(object, "spec"), { name, ...(namespace !== "" && { namespace }) })
}

interface Reader {
  readonly group: string
  read(spec: MapValue, name: Pick<ApplierOrigin, "name" | "namespace">): OriginDocument
}

const readers: Readonly<Record<string, Reader>> = {
  Application: { group: "argoproj.io", read: application },
  Kustomization: { group: "kustomize.toolkit.fluxcd.io", read: kustomization },
  HelmRelease: { group: "helm.toolkit.fluxcd.io", read: helmRelease },
}

function application(spec: MapValue, { name, namespace }: Pick<ApplierOrigin, "name" | "namespace">): OriginDocument {
  const options = listAt(mapAt(spec, "syncPolicy"), "syncOptions")
  const rules = listAt(spec, "ignoreDifferences").filter(isMap)
  const respects = options.includes("RespectIgnoreDifferences=true")
  const ignores = rules.map(rule => ({ group: "", ...selected(rule), pointers: textsAt(rule, "jsonPointers") }))
  const unknown = ["jqPathExpressions", "managedFieldsManagers"].filter(key =>
    rules.some(rule => listAt(rule, key).length > 0),
  )
  return {
    as: "argocd",
    origin: {
      name,
      namespace,
      ...target(textAt(mapAt(spec, "destination"), "namespace")),
      ...(respects && ignores.length > 0 && { ignores }),
    },
    notes: [
      ...(options.includes("ServerSideApply=true")
        ? []
        : [
            "syncOptions lacks ServerSideApply=true, so Argo CD applies client-side: the plan is about the time after you set it",
          ]),
      ...(options.includes("Replace=true")
        ? ["with Replace=true, Argo CD replaces objects and does not apply them"]
        : []),
      ...(rules.length > 0 && !respects
        ? [
            "without RespectIgnoreDifferences=true, ignoreDifferences hides differences, and Argo CD applies the fields anyway",
          ]
        : []),
      ...(respects && unknown.length > 0 ? [`ignoreDifferences has ${listAnd(unknown)}, which are not followed`] : []),
    ],
  }
}

function kustomization(spec: MapValue, { name, namespace }: Pick<ApplierOrigin, "name" | "namespace">): OriginDocument {
  const rules = listAt(spec, "ignore").filter(isMap)
  const ignores = rules.flatMap(rule => {
    const where = mapAt(rule, "target")
    const isKnown = Object.entries(where).every(([key, value]) => selectors.includes(key) && isPlain(value))
    return isKnown ? [{ ...selected(where), pointers: textsAt(rule, "paths") }] : []
  })
  const builds = ["patches", "images", "components", "postBuild", "namePrefix", "nameSuffix", "commonMetadata"]
  const unbuilt = builds.filter(key => own(spec, key) !== undefined)
  return {
    as: "flux",
    origin: {
      name,
      namespace,
      ...target(textAt(spec, "targetNamespace")),
      ...(textAt(spec, "targetNamespace") !== "" && { movesObjects: true }),
      ...(ignores.length > 0 && { ignores }),
      ...(own(spec, "force") === true && { recreates: true }),
    },
    notes: [
      ...(unbuilt.length > 0
        ? [`${listAnd(unbuilt)} of the Kustomization are not followed: use the output of flux build kustomization`]
        : []),
      ...(ignores.length < rules.length
        ? ["rules of ignore that select by labels, versions or expressions are not followed"]
        : []),
    ],
  }
}

const selectors: readonly string[] = ["group", "kind", "name", "namespace"]

/** Whether the text stands for itself. Flux takes selectors for regular expressions. */
function isPlain(value: Value): boolean {
  return typeof value === "string" && /^[\w.-]*$/.test(value)
}

function helmRelease(spec: MapValue, { name, namespace }: Pick<ApplierOrigin, "name" | "namespace">): OriginDocument {
  const upgrade = mapAt(spec, "upgrade")
  const where = textAt(spec, "targetNamespace")
  const release = textAt(spec, "releaseName") || (where === "" ? name : `${where}-${name}`)
  const mode = textAt(upgrade, "serverSideApply")
  return {
    as: "flux-helm",
    origin: { name, namespace, ...(release !== name && { release }), ...target(where) },
    notes: [
      ...(mode === "enabled"
        ? []
        : [
            `spec.upgrade.serverSideApply is ${mode || "auto"}, so Flux keeps client-side apply for releases that were installed with it: ` +
              "the plan is about enabled",
          ]),
      ...(listAt(spec, "postRenderers").length > 0 ? ["postRenderers are not followed: give their output"] : []),
    ],
  }
}

function target(namespace: string): Pick<ApplierOrigin, "targetNamespace"> {
  return namespace === "" ? {} : { targetNamespace: namespace }
}

/** Returns the parts of a rule that select objects. */
function selected(rule: MapValue): Omit<IgnoredFields, "pointers"> {
  const found: Record<string, string> = {}
  for (const key of selectors) {
    const text = textAt(rule, key)
    if (text !== "") found[key] = text
  }
  return found
}

function textsAt(map: MapValue, key: string): string[] {
  return listAt(map, key).filter(value => typeof value === "string")
}
