import type { Parity } from "../json/json.js"
import type { TypeFinder } from "../managedfields/types/object-types.js"
import type { UnionPolicy, UnionPolicyName } from "../union/policy.js"
import type { ValidationGates } from "../validation/shadow/shadowed.js"
import type { MapValue } from "../value/value.js"
import type { AdmissionPlugin } from "../write/admission/plugins.js"
import type { WebhookFunction, WebhookTransport } from "../write/admission/webhook-client.js"
import type { AdmissionRequest, ValidationProblem, ValidationRequest } from "../write/admission.js"
import type { StageItem } from "./controllers/stages.js"
import type { FaultRule } from "./faults/rules.js"
import type { TestClock } from "./reproducible/clock.js"

/** Feature gates that the server knows: those of declarative validation, and one for clients that need no owners. */
export interface FeatureGates extends ValidationGates {
  /**
   * Whether clients may ask for answers without managedFields (KEP-5958): `Accept: application/json;drop=metadata.managedFields`. False by
   * default, as in Kubernetes; the header then has no such effect. Other fields to drop are ignored.
   */
  readonly ManagedFieldsOptOut?: boolean | undefined
}

/** Options of a server, all optional. */
export interface ApiServerOptions {
  /** Types of built-in kinds. If absent: the types of the bundled release, with their unions while `unions` is on. */
  readonly types?: TypeFinder | undefined
  /** CustomResourceDefinitions to start with. */
  readonly crds?: readonly object[] | undefined
  /** Objects to start with, loaded as by `load`. */
  readonly objects?: readonly object[] | undefined
  /**
   * The policy for unions in every request that writes: the gate that `setUnions` switches. If absent, the server ignores unions and
   * drops `x-kubernetes-unions` from definitions, as a cluster does.
   */
  readonly unions?: UnionPolicyName | UnionPolicy | undefined
  /**
   * The major release of the Go module whose bytes managedFields get: `v6`, the default, or `v7`, which Kubernetes uses from 1.38 on.
   */
  readonly parity?: Parity | undefined
  /**
   * Sets defaults of built-in objects beyond those that the server knows. Returns the object, or a copy with more fields.
   */
  readonly defaults?: ((object: MapValue) => MapValue) | undefined
  /**
   * Admission: called with each object that a request would store, after the server has computed its owners. Returns the object to
   * store instead. If it throws, the request gets 403 with the message of the error.
   */
  readonly admit?: ((request: AdmissionRequest) => MapValue) | undefined
  /**
   * Validation: called with each object that a request would store, after admission and after the server has reset the fields that the
   * request may not write. Each returned problem becomes a cause of a 422, together with the problems that the server finds.
   */
  readonly validate?: ((request: ValidationRequest) => readonly ValidationProblem[]) | undefined
  /**
   * Functions that answer in place of webhooks, by the names of the webhooks in their configurations. A function gets the AdmissionReview and
   * returns it with a `response`, or returns only the response. If it throws, the webhook could not be called.
   */
  readonly webhooks?: Readonly<Record<string, WebhookFunction>> | undefined
  /** Sends requests to the webhooks that have no function. If absent: the global `fetch`. */
  readonly callWebhook?: WebhookTransport | undefined
  /** The plugins of admission to leave out: `["PodSecurity"]`. */
  readonly disableAdmissionPlugins?: readonly AdmissionPlugin[] | undefined
  /**
   * OpenAPI v3 documents to serve for built-in groups instead of generated ones, by group and version: `{"apis/apps/v1": document}`, where
   * the document is the one that a cluster serves at `/openapi/v3/apis/apps/v1`. Such documents have the descriptions that
   * `kubectl explain` shows. Documents for groups that are not served or that have custom resources are ignored.
   */
  readonly openapi?: Readonly<Record<string, object>> | undefined
  /**
   * Whether Roles, ClusterRoles and their bindings decide what users may do. If absent, everybody may do everything. The
   * first request creates the roles of a new cluster.
   */
  readonly authorization?: "rbac" | undefined
  /**
   * The users of the server: the text of a file of tokens as kube-apiserver reads it, with lines of `token,name,uid,"group1,group2"`. A request
   * without a token comes from `admin`, who may do everything and may act as others with the headers `Impersonate-User`, `Impersonate-Group`
   * and the like.
   */
  readonly tokens?: string | undefined
  /**
   * Feature gates, as kube-apiserver's `--feature-gates` sets them. They are read on each request. For those of declarative validation, the server's
   * handwritten checks of built-in kinds are compared with the rules of level `alpha` of Kubernetes' types, and /metrics counts the mismatches.
   * The server enforces all other rules whatever the gates say, since it has no handwritten checks in their place.
   */
  readonly featureGates?: FeatureGates | undefined
  /** Whether the server refuses every request that would store something, with 403. Dry runs and `load` still work. */
  readonly readOnly?: boolean | undefined
  /**
   * The clock for timestamps, for the ages in a Table, and for timeouts: a TestClock, which stands still until a test advances it, or a function
   * that returns the current time, with the machine's timeouts. If absent: a TestClock if there is a seed, and otherwise the machine's clock.
   */
  readonly clock?: TestClock | (() => Date) | undefined
  /**
   * Makes everything repeatable that the server otherwise chooses by chance or reads from the machine's clock: uids, ends of generated names,
   * and times. Servers with the same seed answer the same requests with the same bytes.
   */
  readonly seed?: number | undefined
  /**
   * Failures to inject into the requests of clients, as data. With an empty list, there are none until `setFaults` or a client sets some: with
   * this option, clients may read and replace the rules at `/structured-merge-diff/faults`.
   */
  readonly faults?: readonly FaultRule[] | undefined
  /**
   * Small controllers that react to changes as those of a cluster do, as stages: `true` for all built-in ones, or a list of stages and names of built-in
   * ones, in which `*` stands for any text and `!` removes: `["*", "!pod-ready", stage]`. They need `@marcbachmann/cel-js`.
   */
  readonly controllers?: boolean | readonly StageItem[] | undefined
  /** How many events the server keeps for watches that begin in the past: 10,000 if absent, and fewer if they need more than 128 MB. */
  readonly history?: number | undefined
}
