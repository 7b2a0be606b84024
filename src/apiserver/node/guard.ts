// Keeps web pages out. The server has no authentication, and a browser on this machine sends requests for any page that it shows.
//
// A page elsewhere may write to the server, since a browser asks nobody before it sends a simple POST; but it says in Origin which page
// it is. And a page may have its own name lead to this machine (DNS rebinding): then it may read too, but Host is that name.
import { isIP } from "node:net"
import { RequestFailure } from "../../requests/failure.js"
import { quoteGo } from "../../value/quote.js"
import { respond } from "../answer/response.js"

/** Answers a request. */
export type Fetch = (request: Request) => Promise<Response>

/** As `fetch`, but requests are refused that a web page may have sent. `names` are hosts that clients may ask for. */
export function guarded(fetch: Fetch, names: readonly string[]): Fetch {
  const allowed = new Set(names.map(name => name.toLowerCase()))
  return async request => {
    const failure = refusalOf(request, allowed)
    return failure === undefined ? fetch(request) : respond(failure.code, failure.status, undefined, [])
  }
}

function refusalOf(request: Request, names: ReadonlySet<string>): RequestFailure | undefined {
  const { hostname, host } = new URL(request.url)
  if (!isOurs(hostname, names)) {
    const remedy = "ask for an address or for localhost, or allow the name (hosts of listen, --allow-host of smd serve)"
    return forbidden(`the host ${quoteGo(hostname)} is not known to be this server: ${remedy}`)
  }
  const origin = request.headers.get("origin")
  if (origin !== null && hostOf(origin) !== host) {
    return forbidden(`the request comes from a web page of another origin: ${quoteGo(origin)}`)
  }
  return undefined
}

/** Whether the name can't be one that a web page had lead here. Nobody but the owner of an address has a page there. */
function isOurs(hostname: string, names: ReadonlySet<string>): boolean {
  const address = hostname.replace(/^\[|\]$/g, "")
  return isIP(address) !== 0 || hostname === "localhost" || hostname.endsWith(".localhost") || names.has(hostname)
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}

function forbidden(message: string): RequestFailure {
  return new RequestFailure(403, message, "Forbidden", {})
}
