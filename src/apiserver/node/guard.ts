// Refuses requests from web pages. The server has no authentication, and a browser on this machine sends requests for every page it shows.
//
// A foreign page can write to the server, since browsers send a simple POST without a preflight; but its Origin header names the page.
// A page can also make its own host name resolve to this machine (DNS rebinding), and then read from the server; but its Host header has
// that name.
import { isIP } from "node:net"
import { RequestFailure } from "../../kinds/refusal/failure.js"
import { quoteGo } from "../../value/quote.js"
import type { ServerRequest } from "../request/request.js"
import type { ApiAnswer } from "../response/response.js"

/** Returns the refusal of a request; undefined if the request is allowed. Throws a TypeError for a malformed Host header. */
export type Guard = (headers: ServerRequest["headers"]) => RequestFailure | undefined

/** The response to a message whose Host, target or method a web Request can't have. */
export const malformed: ApiAnswer = {
  status: 400,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: "400 Bad Request",
}

/** Returns a guard that refuses requests which a web page may have sent. Clients may use `names` as hosts. */
export function guardFor(names: readonly string[]): Guard {
  const allowed = new Set(names.map(name => name.toLowerCase()))
  // Nearly all clients send the same Host. Parsing it takes longer than finding an object.
  let usual = { text: "localhost", url: parseHost("localhost") }
  return ({ host: text = "localhost", origin }) => {
    if (text !== usual.text) usual = { text, url: parseHost(text) }
    const { hostname, host } = usual.url
    if (!isTrusted(hostname, allowed)) {
      const remedy =
        "use an address or localhost, or allow the name (option hosts of listen, --allow-host of smd serve)"
      return forbidden(`the host ${quoteGo(hostname)} is not known to be this server: ${remedy}`)
    }
    if (origin !== undefined && originHost(origin) !== host) {
      return forbidden(`the request comes from a web page of another origin: ${quoteGo(origin)}`)
    }
    return undefined
  }
}

function parseHost(host: string): URL {
  if (/[/?#@\\]/.test(host)) throw new TypeError(`not a host: ${host}`)
  return new URL(`http://${host}`)
}

/** Whether the host is allowed, or is an address or a localhost name, which DNS rebinding can't use. */
function isTrusted(hostname: string, names: ReadonlySet<string>): boolean {
  const address = hostname.replace(/^\[|\]$/g, "")
  return isIP(address) !== 0 || hostname === "localhost" || hostname.endsWith(".localhost") || names.has(hostname)
}

function originHost(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}

function forbidden(message: string): RequestFailure {
  return new RequestFailure(403, message, "Forbidden", {})
}
