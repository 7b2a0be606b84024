// What the server says of itself, at paths that are no resources: its health, metrics and release, discovery and OpenAPI.
import { formatGoJson } from "../../json/json.js"
import { methodNotAllowed, noSuchResource } from "../../kinds/refusal/failure.js"
import type { Resource } from "../../kinds/resource/resource.js"
import { prometheusType } from "../../value/prometheus.js"
import { type ApiAnswer, respond, text, uncached } from "../answer/response.js"
import type { ServerRequest } from "../request/request.js"
import { aggregatedDiscovery, discovery, versionInfo } from "./discovery.js"
import type { OpenAPIDocuments } from "./openapi.js"
import { openapiV2Protobuf } from "./openapi-v2/protobuf.js"

/** What there is to say. */
export interface About {
  readonly resources: readonly Resource[]
  readonly documents: OpenAPIDocuments
  /** The text of /metrics. */
  readonly metrics: () => string
}

/** Answers a request for a path that is no resource. Throws a RequestFailure if there is nothing, or if it is not a GET. */
export function answerAbout(request: ServerRequest, { resources, documents, metrics }: About): ApiAnswer {
  if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed()
  const { path } = request
  const parts = path.split("/").filter(part => part !== "")
  const [root = ""] = parts
  if (path === "/healthz" || path === "/livez" || path === "/readyz") return text("ok")
  if (path === "/metrics") return text(metrics(), prometheusType)
  if (path === "/version") return respond(200, versionInfo(), undefined, [])
  if (path === "/openapi/v2") return answerOpenAPIv2(request, documents)
  if (path.startsWith("/openapi/v3")) return answerOpenAPI(request, documents, parts.slice(2).join("/"))
  if (root === "api" || root === "apis") return answerDiscovery(request, resources, parts)
  throw noSuchResource()
}

function answerDiscovery(
  { headers }: ServerRequest,
  resources: readonly Resource[],
  parts: readonly string[],
): ApiAnswer {
  const { accept = "", host = "localhost" } = headers
  const wanted =
    parts.length === 1 ? /g=apidiscovery\.k8s\.io;v=(v2beta1|v2);as=APIGroupDiscoveryList/.exec(accept) : null
  if (wanted === null) return respond(200, discovery(resources, parts, host), undefined, [])
  const [, version = "v2"] = wanted
  const type = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`
  const body = formatGoJson(aggregatedDiscovery(resources, parts[0] === "api", version), { sorted: false })
  return { status: 200, headers: { ...uncached, "content-type": type, vary: "Accept" }, body }
}

function answerOpenAPI(request: ServerRequest, documents: OpenAPIDocuments, name: string): ApiAnswer {
  if (name === "") return respond(200, documents.index(), undefined, [])
  const { text, hash } = documents.find(name)
  const asked = request.query.get("hash")
  const headers = {
    // An address with the right hash never changes what it means.
    "cache-control": asked === hash ? "public, immutable" : "no-cache, private",
    etag: `"${hash}"`,
    vary: "Accept",
  }
  if (request.headers["if-none-match"] === `"${hash}"`) return { status: 304, headers, body: "" }
  return { status: 200, headers: { ...headers, "content-type": "application/json" }, body: text }
}

function answerOpenAPIv2({ headers }: ServerRequest, documents: OpenAPIDocuments): ApiAnswer {
  const document = documents.version2()
  if (!(headers.accept ?? "").includes("proto-openapi.spec.v2")) {
    return respond(200, document, undefined, [])
  }
  const type = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
  const body = openapiV2Protobuf(document)
  return { status: 200, headers: { ...uncached, "content-type": type, vary: "Accept" }, body }
}
