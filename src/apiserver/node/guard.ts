// Keeps web pages out. The server has no authentication, and a browser on this machine sends requests for any page that it shows.
//
// A page elsewhere may write to the server, since a browser asks nobody before it sends a simple POST; but it says in Origin which page
// it is. And a page may have its own name lead to this machine (DNS rebinding): then it may read too, but Host is that name.
import { isIP } from "node:net"
import { RequestFailure } from "../../kinds/refusal/failure.js"
import { quoteGo } from "../../value/quote.js"
import type { ApiAnswer } from "../answer/response.js"
import type { ServerRequest } from "../request/request.js"

/** The refusal of a request; `undefined` if it may be answered. Throws a TypeError for a Host that can't be read. */
export type Guard = (headers: ServerRequest["headers"]) => RequestFailure | undefined

/** The answer to a message whose Host, target or method no Request can have. */
export const malformed: ApiAnswer = {
  status: 400,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: "400 Bad Request",
}

/** Refuses requests that a web page may have sent. `names` are hosts that clients may ask for. */
export function guardFor(names: readonly string[]): Guard {
  const allowed = new Set(names.map(name => name.toLowerCase()))
  // A client asks for one host, and nearly all requests of a server are for the same.
  let known: { readonly text: string; readonly host: string } | undefined
  return ({ host: text = "localhost", origin }) => {
    if (known?.text !== text) {
      const { hostname, host } = addressOf(text)
      if (!isOurs(hostname, allowed)) {
        const remedy =
          "ask for an address or for localhost, or allow the name (hosts of listen, --allow-host of smd serve)"
        return forbidden(`the host ${quoteGo(hostname)} is not known to be this server: ${remedy}`)
      }
      known = { text, host }
    }
    if (origin !== undefined && hostOf(origin) !== known.host) {
      return forbidden(`the request comes from a web page of another origin: ${quoteGo(origin)}`)
    }
    return undefined
  }
}

function addressOf(host: string): URL {
  if (/[/?#@\\]/.test(host)) throw new TypeError(`not a host: ${host}`)
  return new URL(`http://${host}`)
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
