// planAll: the effect of applying a set of configurations, in the way of `kubectl apply --server-side -f folder/ --prune`.
import { builtInKindOf } from "../../kinds/families/registry.js"
import { Kinds } from "../../kinds/kinds.js"
import { sharedGroup } from "../../kubernetes/scope.js"
import { objectOf } from "../../managedfields/request.js"
import { isApiVersion, nameInGroup, objectKindOf, parseKind } from "../../schema/group-version-kind.js"
import { metadataOf, metaText, withMetadata } from "../../schema/metadata.js"
import { itemsOf } from "../../schema/object-list.js"
import { aListOfObjects, anObject, aString, optional, requireArgument, requireOptions } from "../../value/argument.js"
import { mapAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"
import { type ObjectName, objectName } from "./object-name.js"
import { type Owner, readShares } from "./owners.js"
import { type Plan, type PlanRequest, plan } from "./plan.js"

/** The request of `planAll`. It applies to all configurations. */
export interface PlanAllRequest extends Omit<PlanRequest, "types" | "kind" | "converter" | "hub"> {
  /** The kinds that the server has. Definitions among the configurations add theirs. */
  readonly types: Kinds
  /** The namespace of configurations and live objects that have none and whose kind is namespaced; `default` if absent. */
  readonly namespace?: string | undefined
  /** Reports live objects that are no longer configured. If absent, none are reported. */
  readonly prune?: Prune | undefined
}

/** The live objects that belong to the set. */
export interface Prune {
  /** The manager that applied them, if it is not the one that applies now. */
  readonly manager?: string | undefined
  /** The labels that they have, each with this value. If absent, every object that the manager applied belongs to the set. */
  readonly selector?: Readonly<Record<string, string>> | undefined
}

/** A live object that its manager applied and that is no longer configured. */
export interface LeftObject {
  /** The object. */
  readonly target: ObjectName
  /** Its uid, for the precondition of a deletion; absent if it has none. */
  readonly uid?: string
  /** The other owners of fields in it. */
  readonly owners: readonly Owner[]
}

/** The plan for one of the configurations. */
export interface PlannedConfiguration extends Plan {
  /** The configuration, with its namespace. */
  readonly config: MapValue
  /** Its live object; absent if there is none. */
  readonly live?: MapValue
}

/** The effect of applying several configurations. Plain data. */
export interface PlanAll {
  /**
   * A plan for each configuration, in the order in which to apply them: definitions, namespaces, service accounts and other prerequisites
   * come first. Configurations of the same rank keep their order.
   */
  readonly plans: readonly PlannedConfiguration[]
  /** The live objects that are no longer configured; empty without `prune`. */
  readonly left: readonly LeftObject[]
}

/**
 * Plans the effect of applying the configurations to the live objects. Lists count as their items. A configuration is matched with its live
 * object by group, kind, namespace and name, whatever the version. Live objects without a configuration don't change, and undefined among
 * the live objects is ignored. All plans know the definitions among the configurations. With `admission`, each plan also sees the live
 * objects and the results of the plans before it, so a policy among the configurations counts for those after it. A configuration of an unknown
 * kind gets a refused plan with the finding `not-served`.
 *
 * Throws a TypeError if two configurations are the same object, or two live objects that differ in their uid, a SchemaError for a
 * definition that can't be served, and whatever `plan` throws. Of two live objects with the same uid, the first counts.
 *
 * @example
 * ```ts
 * import { kubernetes } from "structured-merge-diff/kinds"
 * import { planAll } from "structured-merge-diff/ownership"
 *
 * const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace: "shop" }, data: { a: "1" } }
 * const shop = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } }
 * const { plans } = planAll([settings, shop], [], { types: kubernetes, manager: "gitops" })
 * for (const { target, outcome } of plans) console.log(target.kind, outcome)
 * // Namespace create
 * // ConfigMap create
 * ```
 */
export function planAll(
  configs: readonly object[],
  live: readonly (object | undefined)[],
  request: PlanAllRequest,
): PlanAll {
  requireArgument("configs", configs, aListOfObjects)
  requireArgument("live", live, aListOfLive)
  requireOptions("request", request, { types: kinds })
  if (request.prune !== undefined) requirePrune(request.prune)
  const { namespace = "default", prune, admission, ...rest } = request
  const given = objectsIn(configs)
  const definitions = given.filter(config => builtInKindOf(config)?.definesKinds === true)
  const types = definitions.length === 0 ? request.types : request.types.with(definitions)
  const placed = given.map(config => inNamespace(config, types, namespace))
  const configured = byKey(placed, types, "configurations")
  const present = objectsIn(live.filter(object => object !== undefined))
  const placedLive = present.map(object => inNamespace(object, types, namespace))
  const there = byKey(placedLive, types, "live objects")
  const ordered = placed.toSorted((a, b) => rankOf(a) - rankOf(b))
  const stored = new Map(there)
  const options = { ...rest, types, ...(admission && { admission: admission.with(() => stored.values()) }) }
  const planNext = (config: MapValue): PlannedConfiguration => {
    const key = keyOf(config, types)
    const live = there.get(key)
    const planned = plan(live, config, options)
    if (planned.status === undefined) stored.set(key, planned.object)
    return { ...planned, config, ...(live && { live }) }
  }
  return {
    plans: ordered.map(planNext),
    left: prune === undefined ? [] : leftOf(there, configured, request.manager, prune),
  }
}

const aListOfLive = {
  name: "a list of objects",
  fits: (value: unknown) => Array.isArray(value) && value.every(optional(anObject).fits),
  item: optional(anObject),
}

const kinds = {
  name: "kinds, such as kubernetes of structured-merge-diff/kinds",
  fits: (value: unknown) => value instanceof Kinds,
}

/** Throws a TypeError for an unknown key or a label without a value too: a wrong selector would select objects of others. */
function requirePrune(prune: Prune): void {
  requireOptions("request.prune", prune, { manager: optional(aString), selector: optional(anObject) })
  const unknown = Object.keys(prune).find(key => key !== "manager" && key !== "selector")
  if (unknown !== undefined)
    throw new TypeError(`request.prune.${unknown}: unknown key; there are manager and selector`)
  for (const [label, value] of Object.entries(prune.selector ?? {}))
    requireArgument(`request.prune.selector.${label}`, value, aString)
}

/** Kinds that others depend on, in the order in which they are applied. Unlisted kinds take the place of "". */
const ranks: ReadonlyMap<string, number> = new Map(
  [
    "CustomResourceDefinition",
    "Namespace",
    "PriorityClass",
    "StorageClass",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "ServiceAccount",
    "Secret",
    "ConfigMap",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "ClusterRole",
    "ClusterRoleBinding",
    "Role",
    "RoleBinding",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "",
    "APIService",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
  ].map((kind, rank) => [kind, rank]),
)

function rankOf(config: MapValue): number {
  return ranks.get(textAt(config, "kind")) ?? (ranks.get("") as number)
}

/** Returns the objects, and the items in place of a list. Throws a BadRequestError for an item that is no object. */
function objectsIn(given: readonly object[]): MapValue[] {
  return given.flatMap(each => itemsOf(objectOf(each))).map(objectOf)
}

function inNamespace(config: MapValue, types: Kinds, namespace: string): MapValue {
  const { namespaced } = types.resource(objectKindOf(config)) ?? { namespaced: false }
  return namespaced && metaText(config, "namespace") === "" ? withMetadata(config, { namespace }) : config
}

/** Returns the objects by their keys. Throws a TypeError if two have the same key, unless their uid says that they are one. */
function byKey(objects: readonly MapValue[], types: Kinds, what: string): Map<string, MapValue> {
  const found = new Map<string, MapValue>()
  for (const object of objects) {
    const key = keyOf(object, types)
    const known = found.get(key)
    const uid = metaText(object, "uid")
    if (known === undefined) found.set(key, object)
    else if (uid === "" || metaText(known, "uid") !== uid) throw new TypeError(`two ${what} are ${key}`)
  }
  return found
}

/** Returns the group, kind, namespace and name. Cluster-scoped kinds have no namespace in their key. */
function keyOf(object: MapValue, types: Kinds): string {
  const { apiVersion, kind, namespace = "", name } = objectName(object)
  const group = isApiVersion(apiVersion) ? sharedGroup(parseKind(apiVersion, kind)) : apiVersion
  const isClusterScoped = types.resource({ apiVersion, kind })?.namespaced === false
  return `${nameInGroup(kind, group)} ${isClusterScoped || namespace === "" ? name : `${namespace}/${name}`}`
}

/** Returns the live objects that the manager applied, that the selector selects, and that have no configuration. */
function leftOf(
  live: ReadonlyMap<string, MapValue>,
  configured: ReadonlyMap<string, MapValue>,
  applying: string,
  { manager = applying, selector = {} }: Prune,
): LeftObject[] {
  const left: LeftObject[] = []
  for (const [key, object] of live) {
    const labels = mapAt(metadataOf(object), "labels")
    if (configured.has(key) || !Object.keys(selector).every(name => own(labels, name) === selector[name])) continue
    const owners = readShares(object).map(({ owner }) => owner)
    const isApplied = (owner: Owner): boolean => owner.operation === "Apply" && owner.manager === manager
    if (!owners.some(isApplied)) continue
    const uid = metaText(object, "uid")
    left.push({
      target: objectName(object),
      ...(uid !== "" && { uid }),
      owners: owners.filter(owner => !isApplied(owner)),
    })
  }
  return left
}
