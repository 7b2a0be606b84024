// Carries out the requests of controllers, without HTTP: through the same admission, merge and storage as the requests of clients.

import { formatJson } from "../json/json.js"
import { storeKey } from "../kinds/resource/resource.js"
import type { ResourceTable } from "../kinds/resource/table.js"
import { objectKindOf } from "../schema/group-version-kind.js"
import { metaText } from "../schema/metadata.js"
import { mapAt, withKeys } from "../value/fields.js"
import type { MapValue, Value } from "../value/value.js"
import { decodeObject } from "../write/decode.js"
import type { WriteOptions } from "../write/options.js"
import { patchedTo } from "../write/patch.js"
import { strictWithoutText } from "../write/strict.js"
import { UnionEvents } from "../write/unions.js"
import type { AdmissionLoader } from "./admission.js"
import type { Contexts } from "./context.js"
import type { ControlledServer } from "./controllers/engine.js"
import type { ControllerRequest } from "./controllers/functions/request.js"
import { Controllers, stagesOf } from "./controllers.js"
import type { HandlerContext } from "./handlers.js"
import { servedKind } from "./objects/header.js"
import type { ApiServerOptions } from "./options.js"
import { patchedObject } from "./patch.js"
import type { ServerTime } from "./reproducible/clock.js"
import { patchTypes } from "./request/body.js"
import { deleteObject } from "./storage/delete.js"
import type { Store } from "./storage/store.js"
import { type ObjectTarget, writeObject } from "./storage/store-write.js"

/** The parts of a server that carry out the requests of controllers. */
interface ServerParts {
  readonly store: Store
  readonly time: ServerTime
  readonly table: ResourceTable
  readonly contexts: Contexts
  readonly admission: AdmissionLoader
}

/** The code of actions, once it is loaded. */
let actions: typeof import("./actions/actions.js") | undefined

/** Loads the code that a binding needs. */
async function loadActions(): Promise<void> {
  actions = await import("./actions/actions.js")
}

/** Returns the controllers of a state; undefined without any. They continue with what `from` has to do. */
export function createControllers(
  parts: ServerParts,
  { controllers, readOnly }: ApiServerOptions,
  from: Controllers | undefined,
  isAsleep: boolean | undefined,
): Controllers | undefined {
  const stages = from?.stages ?? stagesOf(controllers)
  if (stages.length === 0 || readOnly === true) return undefined
  const prepare = async () => void (await Promise.all([parts.admission.loadAll(), loadActions()]))
  return new Controllers({ stages, server: controlledServer(parts), prepare, from, isAsleep })
}

/** Returns a server as its controllers see it. */
function controlledServer({ store, time, table, contexts }: ServerParts): ControlledServer {
  return {
    store,
    time,
    find: (apiVersion, kind, namespace, name) => {
      const resource = table.findKind(apiVersion, kind)
      return resource && store.get(storeKey(resource), resource.namespaced ? namespace : "", name)
    },
    attempt: (request, manager, user) => {
      const context = contexts.create([], new UnionEvents(""))
      const userInfo = user === undefined ? context.userInfo : userInfoOf(user)
      return attemptOf({ ...context, userInfo }, table, request, manager)
    },
  }
}

/** Returns a user with the groups that a cluster gives such users. */
function userInfoOf(username: string): MapValue {
  const [, kind = "", namespace = ""] = /^system:(serviceaccount|node):([^:]*)/.exec(username) ?? []
  const accounts = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`]
  const groups = kind === "serviceaccount" ? accounts : kind === "node" ? ["system:nodes"] : []
  return { username, groups: [...groups, "system:authenticated"] }
}

/** Returns the attempt to carry out a request. It throws a RequestFailure, or a PendingCall if it has to be repeated later. */
function attemptOf(
  context: HandlerContext,
  table: ResourceTable,
  request: ControllerRequest,
  manager: string,
): () => void {
  const { object } = request
  const { apiVersion, kind } = objectKindOf(object)
  const resource = servedKind(table, apiVersion, kind)
  const applies = request.verb === "patch" && request.type === "apply"
  const options: WriteOptions = { manager, dryRun: false, applies, force: applies, fieldValidation: "Ignore" }
  const subresource = ("subresource" in request && request.subresource) || ""
  const [namespace, name] = [metaText(object, "namespace"), metaText(object, "name")]
  const target: ObjectTarget = { endpoint: context.endpoint(resource, subresource), namespace, name }
  const decoded = (value: Value) =>
    decodeObject(context, target.endpoint, { value, strictly: strictWithoutText }, options)
  switch (request.verb) {
    case "create": {
      const created = decoded(object)
      const inside = namespace || (resource.namespaced ? (request.namespace ?? "default") : "")
      return () =>
        void writeObject(context, { ...target, namespace: inside, name: "" }, options, steps => steps.create(created))
    }
    case "update": {
      const updated = decoded(object)
      return () => void writeObject(context, target, options, steps => steps.update(updated))
    }
    case "patch": {
      const { patch, type = resource.custom === undefined ? "strategic" : "merge" } = request
      if (applies) {
        const config = {
          apiVersion,
          kind,
          ...(patch as MapValue),
          metadata: { ...mapAt(patch as MapValue, "metadata"), name },
        }
        return () => void writeObject(context, target, options, steps => steps.apply(config))
      }
      const given = { type: patchTypes[type], text: formatJson(patch), options }
      return () => void writeObject(context, target, options, steps => steps.patch(live => patchedObject(live, given)))
    }
    case "delete": {
      const [uid, resourceVersion] = [metaText(object, "uid"), ""]
      const sent = { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1", preconditions: { uid } }
      const gracePeriodSeconds = request.isForced === true ? 0 : undefined
      const options = {
        dryRun: false,
        gracePeriodSeconds,
        propagation: "Background",
        uid,
        resourceVersion,
        sent,
      } as const
      return () => void deleteObject(context, target, options)
    }
    case "scale": {
      const spec = { replicas: request.replicas }
      const patch = (scale: MapValue) => patchedTo(withKeys(scale, { spec }), scale)
      return () => void writeObject(context, target, options, steps => steps.scale({ patch }))
    }
    case "bind": {
      const route = {
        resource,
        namespace,
        name,
        subresource: resource.subresources.find(each => each.name === "binding"),
      }
      const to = { apiVersion: "v1", kind: "Node", name: request.node }
      const binding = {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { namespace, name, uid: metaText(object, "uid") },
        target: to,
      }
      const perform = actions?.prepareAction(context, route, { value: binding, strictly: strictWithoutText }, options)
      return () => void perform?.()
    }
  }
}
