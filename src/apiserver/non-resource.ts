// Answers requests for paths other than resources: health, metrics, version, discovery and OpenAPI.
import { formatGoJson } from "../json/json.js"
import { methodNotAllowed, noSuchResource } from "../kinds/refusal/failure.js"
import type { Resource } from "../kinds/resource/resource.js"
import { prometheusType } from "../value/prometheus.js"
import { aggregatedDiscovery, discovery, versionInfo } from "./discovery/discovery.js"
import { encodeOpenAPIv2 } from "./discovery/openapi-v2/protobuf.js"
import type { OpenAPIDocuments } from "./discovery/openapi-v3.js"
import type { ServerRequest } from "./request/request.js"
import { type ApiAnswer, respond, respondText, uncached } from "./response/response.js"

/** The parts of the server that these answers need. */
export interface NonResourceSources {
  readonly resources: readonly Resource[]
  readonly documents: OpenAPIDocuments
  /** Returns the text of /metrics. */
  readonly formatMetrics: () => string
}

/**
 * Answers a request for a path other than a resource. Throws a RequestFailure for an unknown path, and for methods other than GET and HEAD.
 */
export function answerNonResource(
  request: ServerRequest,
  { resources, documents, formatMetrics }: NonResourceSources,
): ApiAnswer {
  if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed()
  const { path } = request
  const parts = path.split("/").filter(part => part !== "")
  const [root = ""] = parts
  if (path === "/healthz" || path === "/livez" || path === "/readyz") return respondText("ok")
  if (path === "/metrics") return respondText(formatMetrics(), prometheusType)
  if (path === "/version") return respond(200, versionInfo(), undefined, [])
  if (path === "/openapi/v2") return answerOpenAPIv2(request, documents)
  if (path.startsWith("/openapi/v3")) return answerOpenAPIv3(request, documents, parts.slice(2).join("/"))
  if (root === "api" || root === "apis") return answerDiscovery(request, resources, parts)
  throw noSuchResource()
}

function answerDiscovery(
  { headers }: ServerRequest,
  resources: readonly Resource[],
  parts: readonly string[],
): ApiAnswer {
  const { accept = "", host = "localhost" } = headers
  const aggregated =
    parts.length === 1 ? /g=apidiscovery\.k8s\.io;v=(v2beta1|v2);as=APIGroupDiscoveryList/.exec(accept) : null
  if (aggregated === null) return respond(200, discovery(resources, parts, host), undefined, [])
  const [, version = "v2"] = aggregated
  const type = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`
  const body = formatGoJson(aggregatedDiscovery(resources, parts[0] === "api", version), { sorted: false })
  return { status: 200, headers: { ...uncached, "content-type": type, vary: "Accept" }, body }
}

function answerOpenAPIv3(request: ServerRequest, documents: OpenAPIDocuments, name: string): ApiAnswer {
  if (name === "") return respond(200, documents.index(), undefined, [])
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
