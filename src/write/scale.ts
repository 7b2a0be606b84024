// The scale subresource: a Scale that stands for the replicas of a workload. A write to the Scale changes the workload.

import type { PathElement } from "../fieldpath/element.js"
import { valueAt } from "../fieldpath/lookup.js"
import { parsePath } from "../fieldpath/parse-path.js"
import { type Path, pathOf } from "../fieldpath/path.js"
import { labelSelectorText } from "../kinds/kind/label-selector.js"
import { kindsOf } from "../kinds/kinds.js"
import { conflict, invalid, RequestFailure } from "../kinds/refusal/failure.js"
import { type Resource, subjectOf } from "../kinds/resource/resource.js"
import { kubernetesTypes } from "../kubernetes/types.js"
import { type ManagedFieldsEntry, readManagedFields, withManagedFields } from "../managedfields/entries/entry.js"
import { ScaleHandler } from "../managedfields/subresources/scale-handler.js"
import { metadataOf, metaText, withMetadata } from "../schema/metadata.js"
import { unionPolicy } from "../union/policy.js"
import type { UnionChange } from "../union/report.js"
import { mapAt, textAt, withKeys } from "../value/fields.js"
import { own } from "../value/object.js"
import { oncePer } from "../value/once-per.js"
import type { MapValue, Value } from "../value/value.js"
import { Endpoint } from "./endpoint.js"
import type { WriteOptions } from "./options.js"
import { mergePatch } from "./patches/merge-patch.js"
import type { Target } from "./target.js"

/** The paths of the values that make up the Scale of a resource. No path leads through a list. */
interface ScalePaths {
  readonly replicas: Path
  readonly statusReplicas: Path
  readonly selector: Path | undefined
}

function scalePaths({ custom }: Resource): ScalePaths {
  const builtIn = {
    replicas: pathOf("spec", "replicas"),
    statusReplicas: pathOf("status", "replicas"),
    selector: pathOf("spec", "selector"),
  }
  if (custom === undefined) return builtIn
  const scale = mapAt(mapAt(custom.version, "subresources"), "scale")
  const selector = textAt(scale, "labelSelectorPath")
  return {
    replicas: parsePath(textAt(scale, "specReplicasPath")),
    statusReplicas: parsePath(textAt(scale, "statusReplicasPath")),
    selector: selector === "" ? undefined : parsePath(selector),
  }
}

/** Returns the Scale of an object that is read. Throws a RequestFailure with 500 for a custom resource without replicas. */
export function readScale(resource: Resource, object: MapValue): MapValue {
  const replicas = valueAt(object, scalePaths(resource).replicas) ?? null
  if (resource.custom !== undefined && replicas === null) {
    const { specReplicasPath } = mapAt(mapAt(resource.custom.version, "subresources"), "scale")
    const why = `the spec replicas field "${specReplicasPath}" does not exist`
    const details = { causes: [{ message: why }] }
    throw new RequestFailure(500, `Internal error occurred: ${why}`, "InternalError", details)
  }
  return scaleOf(resource, object)
}

/** Returns the Scale of an object. */
export function scaleOf(resource: Resource, object: MapValue): MapValue {
  const paths = scalePaths(resource)
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadataOf(object)
  const metadata = withKeys({}, { name, namespace, uid, resourceVersion, creationTimestamp })
  const replicas = valueAt(object, paths.replicas) ?? 0
  const selector = labelSelectorText(paths.selector === undefined ? null : (valueAt(object, paths.selector) ?? null))
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata,
    // Go leaves zero out.
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: valueAt(object, paths.statusReplicas) ?? 0, ...(selector !== "" && { selector }) },
  }
}

const scaleKind = { apiVersion: "autoscaling/v1", kind: "Scale" } as const

/** Returns the endpoint that reads the Scales of an endpoint's objects, and determines their owners. */
export const scaleEndpoint = oncePer(({ clock, parity }: Endpoint): Endpoint => {
  const resource = kindsOf(kubernetesTypes).resource(scaleKind) as Resource
  return new Endpoint(resource, "scale", { clock, parity, unions: unionPolicy("off") })
})

/** Returns the Scale of an object at the version of the endpoint, with the managedFields that a server uses for requests to the Scale. */
export function managedScale(endpoint: Endpoint, object: MapValue): MapValue {
  return new ScaledObject({ endpoint, name: metaText(object, "name") }, object).scale
}

/** An object whose Scale a request writes. */
export class ScaledObject {
  /** The Scale before the request, with its managedFields. */
  readonly scale: MapValue
  /** The endpoint of the object itself. */
  private readonly endpoint: Endpoint
  private readonly live: MapValue
  private readonly name: string
  private readonly replicas: Path
  private readonly handler: ScaleHandler
  private readonly owners: readonly ManagedFieldsEntry[]

  constructor({ endpoint, name }: Pick<Target, "endpoint" | "name">, live: MapValue) {
    const { resource } = endpoint
    this.endpoint = endpoint
    this.live = live
    this.name = name
    this.replicas = scalePaths(resource).replicas
    const paths = new Map(resource.versions.map(version => [version, this.replicas]))
    this.handler = new ScaleHandler(readManagedFields(live) ?? [], resource.apiVersion, paths, endpoint)
    this.owners = this.handler.toSubresource()
    this.scale = withManagedFields(scaleOf(resource, live), this.owners)
  }

  /** Merges the Scale after a request into the object, and determines the owners of the replicas. `applies` says that the request was an apply. */
  merge(scale: MapValue, options: Pick<WriteOptions, "manager" | "force">, applies: boolean): MergedScale {
    const { endpoint, live, name, replicas } = this
    const { resource, settles } = endpoint
    if (applies && this.owners.length === 0 && resource.custom !== undefined) throw unownedScale()
    checkScale(resource, name, scale, live)
    const next = withReplicas(live, replicas, scale, this.handler)
    return settles ? withUnions(endpoint, live, next, options, applies && replicas) : { object: next, unions: [] }
  }
}

interface MergedScale {
  readonly object: MapValue
  readonly unions: readonly UnionChange[]
}

/**
 * Settles the unions that have the replicas as a member, as if the request had updated the object itself. If `applied` is the path of the
 * replicas, settles them as if the request had applied the replicas.
 */
function withUnions(
  { manager }: Endpoint,
  live: MapValue,
  next: MapValue,
  { manager: name, force }: Pick<WriteOptions, "manager" | "force">,
  applied: Path | false,
): MergedScale {
  const { apiVersion, kind } = live
  const who = { manager: name, subresource: "scale" }
  const result =
    applied === false
      ? manager.updateLeniently(live, next, who)
      : manager.apply(live, { apiVersion, kind, ...nested(applied, valueAt(next, applied) ?? 0) }, { ...who, force })
  // If no union is affected, the owners are those of the Scale.
  const { object, unions } = result
  if (unions.length === 0) return { object: next, unions }
  return { object: withMetadata(object, { resourceVersion: metaText(next, "resourceVersion") }), unions }
}

// An API server tracks the owners of existing fields before a first apply. It can't do that for the Scale of a custom resource, which it
// takes for the custom resource itself.
function unownedScale(): RequestFailure {
  const why = "request to convert CR to an invalid group/version: autoscaling/v1"
  const live = "failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version"
  return new RequestFailure(500, `failed to create manager for existing fields: ${live}: ${why}`)
}

/** Throws a RequestFailure for negative replicas of a built-in kind. Those of a custom resource are validated with it. */
export function validateScale({ endpoint, name }: Target, scale: MapValue): void {
  const replicas = own(mapAt(scale, "spec"), "replicas")
  if (endpoint.resource.custom !== undefined || typeof replicas !== "number" || replicas >= 0) return
  const message = `Invalid value: ${replicas}: must be greater than or equal to 0`
  const problem = { reason: "FieldValueInvalid", field: "spec.replicas", message }
  throw invalid({ group: "autoscaling", name: "Scale" }, name, [problem])
}

function checkScale(resource: Resource, name: string, scale: MapValue, live: MapValue): void {
  const uid = metaText(scale, "uid")
  if (uid !== "" && uid !== metaText(live, "uid")) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metaText(live, "uid")}`
    throw conflict(subjectOf(resource), name, why)
  }
}

function withReplicas(live: MapValue, path: Path, scale: MapValue, handler: ScaleHandler): MapValue {
  const next = mergePatch(live, nested(path, own(mapAt(scale, "spec"), "replicas") ?? 0))
  const versioned = withMetadata(next, {
    resourceVersion: metaText(scale, "resourceVersion") || metaText(live, "resourceVersion"),
  })
  return withManagedFields(versioned, handler.toParent(readManagedFields(scale) ?? []))
}

/** Returns an object with only this value at the path. */
function nested(path: Path, value: Value): MapValue {
  return path.reduceRight<Value>((inner, element) => ({ [fieldName(element)]: inner }), value) as MapValue
}

/** The name of a field on the path to the replicas, which has no list items. */
function fieldName(element: PathElement): string {
  return element.kind === "field" ? element.name : ""
}
