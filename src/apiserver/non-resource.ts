// Answers requests for paths other than resources: health, metrics, version, discovery and OpenAPI.
import { formatGoJson } from "../json/json.js"
import { methodNotAllowed, PageNotFound, type RequestFailure } from "../kinds/refusal/failure.js"
import type { Resource } from "../kinds/resource/resource.js"
import { prometheusType } from "../value/prometheus.js"
import { aggregatedDiscovery, discovery, versionInfo } from "./discovery/discovery.js"
import { encodeOpenAPIv2 } from "./discovery/openapi-v2/protobuf.js"
import type { OpenAPIDocuments } from "./discovery/openapi-v3.js"
import type { ServerRequest } from "./request/request.js"
import { findForm, noRepresentation, notAcceptable } from "./response/form.js"
import { type ApiAnswer, respond, respondText, uncached } from "./response/response.js"

/** The parts of the server that these answers need. */
export interface NonResourceSources {
  readonly resources: readonly Resource[]
  readonly documents: OpenAPIDocuments
  /** Returns the text of /metrics. */
  readonly formatMetrics: () => string
}

/**
 * Answers a request for a path other than a resource. Throws a RequestFailure for an unknown path, and for a method that the path does not have.
 */
export function answerNonResource(
  request: ServerRequest,
  { resources, documents, formatMetrics }: NonResourceSources,
): ApiAnswer {
  const parts = request.path.split("/").filter(part => part !== "")
  const [root = "", second = "", third] = parts
  const path = `/${parts.join("/")}`
  // Some handlers answer every method alike.
  if (path === "/healthz" || path === "/livez" || path === "/readyz") return respondText("ok")
  if (path === "/openapi/v2") return answerOpenAPIv2(request, documents)
  if (path.startsWith("/openapi/v3")) return answerOpenAPIv3(request, documents, parts.slice(2).join("/"))
  if (root === "apis") {
    if (second !== "" && !resources.some(({ group }) => group === second)) throw new PageNotFound()
    if (third === undefined) return answerDiscovery(request, resources, parts, notAcceptable)
  }
  if (!["api", "apis", "metrics", "version"].includes(root)) throw new PageNotFound()
  if (root.startsWith("api")) return answerDiscovery(request, resources, parts, () => noRepresentation())
  if (request.method !== "GET") throw methodNotAllowed()
  if (path === "/metrics") return respondText(formatMetrics(), prometheusType)
  if (path === "/version") return respond(200, versionInfo(), undefined, [])
  throw new PageNotFound()
}

function answerDiscovery(
  { headers, method }: ServerRequest,
  resources: readonly Resource[],
  parts: readonly string[],
  refusal: (accept: string) => RequestFailure,
): ApiAnswer {
  const { accept = "", host = "localhost" } = headers
  const aggregated =
    parts.length === 1 ? /g=apidiscovery\.k8s\.io;v=(v2beta1|v2);as=APIGroupDiscoveryList/.exec(accept) : null
  if (aggregated === null) {
    const found = discovery(resources, parts, host)
    if (method !== "GET" && (parts.length === 3 || parts[0] === "api")) throw methodNotAllowed()
    const form = findForm(accept, false)
    if (form === undefined && !accept.includes("protobuf")) throw refusal(accept)
    return respond(200, found, form, [])
  }
  const [, version = "v2"] = aggregated
  const type = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`
  const body = formatGoJson(aggregatedDiscovery(resources, parts[0] === "api", version), { sorted: false })
  return { status: 200, headers: { ...uncached, "content-type": type, vary: "Accept" }, body }
}

function answerOpenAPIv3(request: ServerRequest, documents: OpenAPIDocuments, name: string): ApiAnswer {
  // A server does not say that the index is JSON.
  if (name === "") return respondText(formatGoJson(documents.index(), { sorted: false }))
  const { text, hash } = documents.find(name)
  const requestedHash = request.query.get("hash")
  const headers = {
    // The document at an address with the right hash never changes.
    "cache-control": requestedHash === hash ? "public, immutable" : "no-cache, private",
    etag: `"${hash}"`,
    vary: "Accept",
  }
  if (request.headers["if-none-match"] === `"${hash}"`) return { status: 304, headers, body: "" }
  return { status: 200, headers: { ...headers, "content-type": "application/json" }, body: text }
}

function answerOpenAPIv2({ headers }: ServerRequest, documents: OpenAPIDocuments): ApiAnswer {
  const document = documents.toVersion2()
  if (!(headers.accept ?? "").includes("proto-openapi.spec.v2")) {
    return respond(200, document, undefined, [])
  }
  const type = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
  const body = encodeOpenAPIv2(document)
  return { status: 200, headers: { ...uncached, "content-type": type, vary: "Accept" }, body }
}
