// Loads the plugins of admission before the first write, and the library for expressions before the first policy.

import type { Resource } from "../kinds/resource/resource.js"
import type { ResourceTable } from "../kinds/resource/table.js"
import { loadCel } from "../kinds/rules/library.js"
import type { AdmissionPlugins, Cluster } from "../write/attributes.js"
import type { RoleAuthorizer } from "./authorization/rbac.js"
import type { ApiServerOptions } from "./options.js"
import type { Store } from "./storage/store.js"

const group = "admissionregistration.k8s.io"
/** The resources whose objects have expressions. */
const withExpressions = [
  "validatingadmissionpolicies",
  "mutatingadmissionpolicies",
  "validatingwebhookconfigurations",
  "mutatingwebhookconfigurations",
].map(plural => `${group}/${plural}`)

/** Returns the objects and kinds of a server. */
export function clusterOf(
  store: Store,
  table: ResourceTable,
  endpointOf: Cluster["endpointOf"],
  roles: (() => RoleAuthorizer | undefined) | undefined,
): Cluster {
  return {
    authorize: roles && ((user, question) => roles()?.answer(user, question) ?? { allowed: true, reason: "" }),
    list: (key, namespace) => store.list(key, namespace),
    get: (key, namespace, name) => store.get(key, namespace, name),
    findKind: (apiVersion, kind) => table.findKind(apiVersion, kind),
    endpointOf,
  }
}

/** The code of the plugins, once it is loaded. */
let createPlugins: typeof import("../write/admission/plugins.js")["createPlugins"] | undefined

/** The plugins of a server, once they are loaded. */
export class AdmissionLoader {
  private created: AdmissionPlugins | undefined
  private readonly store: Store
  private readonly cluster: Cluster
  private readonly options: ApiServerOptions
  private readonly newUid: () => string

  constructor(store: Store, cluster: Cluster, options: ApiServerOptions, newUid: () => string) {
    this.store = store
    this.newUid = newUid
    this.options = options
    this.cluster = cluster
  }

  /** The plugins; undefined until the first write of a program loads their code. */
  get plugins(): AdmissionPlugins | undefined {
    if (this.created !== undefined || createPlugins === undefined) return this.created
    const { webhooks = {}, callWebhook, disableAdmissionPlugins } = this.options
    const client = { functions: webhooks, transport: callWebhook, newUid: this.newUid }
    return (this.created = createPlugins(this.cluster, client, disableAdmissionPlugins))
  }

  /** Loads the code that a write to the resource may need. */
  async load(resource: Resource): Promise<void> {
    const usesExpressions = resource.group === group || withExpressions.some(key => this.store.list(key).length > 0)
    if (usesExpressions) await loadCel()
    if (createPlugins === undefined) ({ createPlugins } = await import("../write/admission/plugins.js"))
  }

  /** Loads the code that any write may need. */
  async loadAll(): Promise<void> {
    await loadCel()
    if (createPlugins === undefined) ({ createPlugins } = await import("../write/admission/plugins.js"))
  }
}
