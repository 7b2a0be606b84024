// Loads authorization with the first request that needs it: one to a server with roles or tokens, or one that acts as another user.

import type { AuthorizedRequest, AuthorizedServer, Authorization as Loaded } from "./authorization/authorization.js"
import type { ServerRequest } from "./request/request.js"
import type { Store } from "./storage/store.js"

/** Finds the users of requests, and refuses what they may not do. */
export class AuthorizationLoader {
  private readonly server: AuthorizedServer
  private readonly store: Store
  private loading: Promise<Loaded> | undefined
  private loaded: Loaded | undefined
  /** The resourceVersion since which the store has the roles of a new cluster. Undefined until the first request. */
  rolesSince: number | undefined

  constructor(server: AuthorizedServer, store: Store, rolesSince: number | undefined) {
    this.server = server
    this.store = store
    this.rolesSince = rolesSince
  }

  /** Returns the request with its user; undefined if it is one of the administrator, who may do everything. Throws a RequestFailure. */
  async admit(request: ServerRequest): Promise<AuthorizedRequest | undefined> {
    const { isOn, tokens } = this.server
    if (!isOn && tokens === undefined && !actsAsOther(request.headers)) return undefined
    this.loading ??= this.load()
    return (await this.loading).admit(request)
  }

  /** The roles by which expressions decide; undefined if authorization is off. */
  get roles() {
    return this.loaded?.roles
  }

  /** Brings aggregated roles up to date after a request. */
  settle(): void {
    this.loaded?.aggregate()
  }

  private async load(): Promise<Loaded> {
    const { Authorization } = await import("./authorization/authorization.js")
    const loaded = new Authorization(this.server, this.rolesSince === undefined)
    this.rolesSince ??= this.store.resourceVersion
    this.store.listen(event => loaded.observe(event))
    this.loaded = loaded
    return loaded
  }
}

function actsAsOther(headers: ServerRequest["headers"]): boolean {
  return Object.keys(headers).some(name => name.startsWith("impersonate-"))
}
