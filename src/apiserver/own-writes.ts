// Writes without a request: objects that are loaded, and objects that the server writes itself.

import { type Resource, storeKey } from "../kinds/resource/resource.js"
import type { ResourceTable } from "../kinds/resource/table.js"
import { objectKindOf } from "../schema/group-version-kind.js"
import { metaText, withMetadata } from "../schema/metadata.js"
import { oncePer } from "../value/once-per.js"
import type { MapValue } from "../value/value.js"
import { requireNamespace } from "../write/admission/namespace-lifecycle.js"
import type { Cluster } from "../write/attributes.js"
import { decodeObject } from "../write/decode.js"
import type { WriteOptions } from "../write/options.js"
import { strictWithoutText } from "../write/strict.js"
import type { AuthorizedServer } from "./authorization/authorization.js"
import type { HandlerContext } from "./handlers.js"
import { servedKind } from "./objects/header.js"
import type { ApiServerOptions } from "./options.js"
import { writeObject } from "./storage/store-write.js"

const leniently: WriteOptions = {
  manager: "load",
  dryRun: false,
  applies: false,
  force: false,
  fieldValidation: "Ignore",
}

/**
 * Stores an object: as it is if it has a uid, and else as the manager `manager` would create or replace it, without admission. Throws a
 * SchemaError if its kind is not served.
 */
export function loadObject(context: HandlerContext, table: ResourceTable, input: MapValue, manager = "load"): void {
  const { apiVersion, kind } = objectKindOf(input)
  const resource = servedKind(table, apiVersion, kind)
  const needsNamespace = resource.namespaced && metaText(input, "namespace") === ""
  const object = needsNamespace ? withMetadata(input, { namespace: "default" }) : input
  const key = storeKey(resource)
  const endpoint = context.endpointOf(resource.compilingCheck === undefined ? resource : uncompiled(resource))
  if (metaText(object, "uid") === "") {
    const options = { ...leniently, manager }
    const { admit: _, validate: __, ignoredUnions: ___, plugins: ____, ...lenient } = context
    const namespace = metaText(object, "namespace")
    const name = metaText(object, "name")
    if (resource.namespaced) requireNamespace((...place) => context.store.get(...place), resource, namespace, name)
    const unversioned = withMetadata(object, { resourceVersion: undefined })
    const exists = context.store.get(key, namespace, name) !== undefined
    const decoded = decodeObject(context, endpoint, { value: unversioned, strictly: strictWithoutText }, options)
    const target = { endpoint, namespace, name: exists ? name : "" }
    writeObject(lenient, target, options, steps => (exists ? steps.update(decoded) : steps.create(decoded)))
    return
  }
  const stored = endpoint.toStorage(object)
  context.store.restore(key, context.updateServedKinds(resource, stored, undefined) ?? stored)
}

/** How many warnings about loaded objects are kept. */
const maxWarnings = 1_000

/** The warnings about loaded objects, which no response has. */
export class LoadWarnings {
  /** The oldest warning first. */
  readonly list: string[]

  constructor(list: readonly string[] = []) {
    this.list = [...list]
  }

  fork(): LoadWarnings {
    return new LoadWarnings(this.list)
  }

  add(object: MapValue, warnings: readonly string[]): void {
    for (const warning of warnings)
      this.list.push(`${objectKindOf(object).kind} ${metaText(object, "name")}: ${warning}`)
    this.list.splice(0, this.list.length - maxWarnings)
  }
}

/** Removes an object that is stored, without finalizers, admission or garbage collection. Its deletion has this resourceVersion if it is the newest. */
export function unloadObject(
  context: HandlerContext,
  table: ResourceTable,
  object: MapValue,
  version: number | undefined,
): void {
  const { apiVersion, kind } = objectKindOf(object)
  const resource = servedKind(table, apiVersion, kind)
  const key = storeKey(resource)
  const live = context.store.get(key, metaText(object, "namespace"), metaText(object, "name"))
  if (live === undefined) return
  context.store.remove(key, context.endpointOf(resource).toStorage(object), version)
  context.updateServedKinds(resource, undefined, live)
}

// A cluster may have stored definitions and policies that the compiler of today's release would refuse.
const uncompiled = oncePer(({ compilingCheck: _, ...resource }: Resource): Resource => resource)

/** The parts of a server that its authorization needs. */
interface AuthorizedParts {
  readonly cluster: Cluster
  readonly clock: () => Date
  readonly table: ResourceTable
  readonly context: () => HandlerContext
}

/** Returns a server as its authorization sees it. */
export function authorizedServer(
  { cluster, clock, table, context }: AuthorizedParts,
  { authorization, tokens }: ApiServerOptions,
): AuthorizedServer {
  // A read-only server has roles, too.
  const anyway = (write: (own: HandlerContext) => void) => {
    const own = context()
    own.store.writeAnyway(() => write(own))
  }
  const applyRules = (name: string, rules: readonly MapValue[]) => {
    const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name }, rules }
    anyway(own => applyAsController(own, table, "clusterrole-aggregation-controller", role))
  }
  const create = (object: MapValue) => anyway(own => loadObject(own, table, object, "kube-apiserver"))
  return { cluster, clock, isOn: authorization === "rbac", tokens, create, applyRules }
}

/** Applies a configuration to an object without a namespace, as a controller of a cluster does. */
function applyAsController(context: HandlerContext, table: ResourceTable, manager: string, config: MapValue): void {
  const { apiVersion, kind } = objectKindOf(config)
  const resource = table.findKind(apiVersion, kind)
  if (resource === undefined) return
  const target = { endpoint: context.endpointOf(resource), namespace: "", name: metaText(config, "name") }
  writeObject(
    { ...context, plugins: undefined },
    target,
    { ...leniently, manager, applies: true, force: true },
    steps => steps.apply(config),
  )
}
