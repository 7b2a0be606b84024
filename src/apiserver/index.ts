// A Kubernetes API server in memory, for tests: server-side apply, watches and custom resources behind a `fetch`.

export { RefusedError } from "../tools/controller/send.js"
export type { MapValue, Value } from "../value/value.js"
export type { AdmissionPlugin } from "../write/admission/plugins.js"
export type {
  WebhookFunction,
  WebhookRequest,
  WebhookResponse,
  WebhookTransport,
} from "../write/admission/webhook-client.js"
export type { AdmissionRequest, ValidationProblem, ValidationRequest } from "../write/admission.js"
export type { ControllerFailure } from "./controllers/engine.js"
export type { Stage, StageAction, StageItem, StageSelector } from "./controllers/stages.js"
export type { InjectedFault } from "./faults/injector.js"
export type { FaultAction, FaultMatch, FaultRule, FaultVerb } from "./faults/rules.js"
export type { ObjectHeader, Stored, StoredMetadata } from "./objects/header.js"
export type {
  ObjectApplyOptions,
  ObjectDeleteOptions,
  ObjectListOptions,
  ObjectPatchOptions,
  ObjectRequestOptions,
  ObjectWriteOptions,
} from "./objects/object-requests.js"
export type { WaitOptions } from "./objects/waits.js"
export type { ApiServerOptions, FeatureGates } from "./options.js"
export { TestClock } from "./reproducible/clock.js"
export type { ApiRequest, BodyReader } from "./request/request.js"
export type { LoggedRequest } from "./request-log.js"
export type { ApiAnswer, WatchLines } from "./response/response.js"
export { ApiServer, createApiServer } from "./server.js"
