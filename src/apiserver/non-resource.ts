// Answers requests for paths other than resources: health, metrics, version, discovery and OpenAPI.
import { formatGoJson } from "../json/json.js"
import { methodNotAllowed, PageNotFound, type RequestFailure } from "../kinds/refusal/failure.js"
import type { Resource } from "../kinds/resource/resource.js"
import { prometheusType } from "../value/prometheus.js"
import type { MapValue } from "../value/value.js"
import { aggregatedDiscovery, discovery, versionInfo } from "./discovery/discovery.js"
import { encodeOpenAPIv2 } from "./discovery/openapi-v2/protobuf.js"
import type { OpenAPIDocuments } from "./discovery/openapi-v3.js"
import type { ServerRequest } from "./request/request.js"
import { accepts, findForm, noRepresentation, notAcceptable, wholeOnly } from "./response/form.js"
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
  const isApi = root === "api" || root === "apis"
  if (isApi) return answerDiscovery(request, resources, parts, () => noRepresentation())
  const { headers, method } = request
  const document = documentAt(path, headers.host ?? "localhost")
  if (document === undefined && path !== "/metrics") throw new PageNotFound()
  if (method !== "GET") throw methodNotAllowed()
  if (document === undefined) return respondText(formatMetrics(), prometheusType)
  const { type = "application/json", value } = document
  if (!accepts(headers.accept, type)) throw noRepresentation([type])
  const answer = respond(200, value, undefined, [])
  return { ...answer, headers: { ...answer.headers, "content-type": type } }
}

/** Returns the document at a path that has one in a single form. The server signs no tokens, so it has no keys. */
function documentAt(path: string, host: string): { readonly value: MapValue; readonly type?: string } | undefined {
  const keys = "/openid/v1/jwks"
  if (path === "/version") return { value: versionInfo() }
  if (path === keys) return { value: { keys: [] }, type: "application/jwk-set+json" }
  if (path !== "/.well-known/openid-configuration") return undefined
  return {
    value: {
      issuer: "https://kubernetes.default.svc",
      jwks_uri: `https://${host}${keys}`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
    },
  }
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
    const form = findForm(accept, wholeOnly)
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
