// A Kubernetes API server in memory, for tests: server-side apply, watches and custom resources behind a `fetch`.
export type { MapValue, Value } from "../value/value.js"
export type { AdmissionRequest, ValidationProblem, ValidationRequest } from "../write/admission.js"
export type { ApiAnswer, WatchLines } from "./answer/response.js"
export type { ApiRequest, BodyReader } from "./request/request.js"
export { ApiServer, type ApiServerOptions, createApiServer, type LoggedRequest } from "./server.js"
