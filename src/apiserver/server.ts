// The server: routes requests, runs them, and writes the responses.
//
// A request for objects passes through these files: request/route.ts finds its resource in the table of src/kinds. handlers.ts reads the
// body and the options (request/) and applies patches (strategic-merge/). An Endpoint of src/write converts objects between the version of
// the request and the stored one. store-write.ts and delete.ts change storage/. `Write` of src/write has the steps of a write in the order
// of a real server. response/ encodes objects. non-resource.ts answers all other paths, most of them from discovery/. Every refusal is
// thrown as a RequestFailure, and becomes a Status here.
import { kindReader } from "../kinds/reader.js"
import { methodNotAllowed } from "../kinds/refusal/failure.js"
import type { Resource } from "../kinds/resource/resource.js"
import { ResourceTable } from "../kinds/resource/table.js"
import { loadCel } from "../kinds/rules/library.js"
import type { UnionPolicy, UnionPolicyName } from "../union/policy.js"
import {
  aFunction,
  aListOfObjects,
  aNumber,
  anObject,
  aString,
  aTypeFinder,
  either,
  optional,
  requireArgument,
  requireOptions,
} from "../value/argument.js"
import type { Labels } from "../value/prometheus.js"
import type { MapValue } from "../value/value.js"
import type { Cluster } from "../write/attributes.js"
import { Calls } from "../write/calls.js"
import type { Identity } from "../write/strategy.js"
import { UnionGate } from "../write/union-gate.js"
import { UnionEvents } from "../write/unions.js"
import { AdmissionLoader, clusterOf } from "./admission.js"
import type { AuthorizedRequest, AuthorizedServer } from "./authorization/authorization.js"
import { AuthorizationLoader } from "./authorization.js"
import { ConversionLoader } from "./conversion.js"
import { removeFinalized } from "./delete.js"
import { OpenAPIDocuments } from "./discovery/openapi-v3.js"
import { Endpoints } from "./endpoints.js"
import { type HandlerContext, handle, readObjectBody } from "./handlers.js"
import { Metrics, requestLabels, ValidationEvents } from "./metrics.js"
import { answerNonResource, type NonResourceSources } from "./non-resource.js"
import type { ObjectHeader, Stored } from "./objects/header.js"
import {
  type ObjectApplyOptions,
  type ObjectDeleteOptions,
  type ObjectListOptions,
  type ObjectPatchOptions,
  type ObjectRequestOptions,
  ObjectRequests,
  type ObjectWriteOptions,
} from "./objects/object-requests.js"
import { type Predicate, type WaitOptions, Waits } from "./objects/waits.js"
import type { ApiServerOptions } from "./options.js"
import { applyAsController, loadObject } from "./own-writes.js"
import { type ServerTime, TestClock, timeBy } from "./reproducible/clock.js"
import { RandomValues } from "./reproducible/random.js"
import { booleanParameter } from "./request/options.js"
import { type ApiRequest, readAddress, type ServerRequest } from "./request/request.js"
import { type ResourceRoute, readRoute, verbOf } from "./request/route.js"
import { readSelector } from "./request/selectors.js"
import { type LoggedRequest, RequestLog } from "./request-log.js"
import { fetchWith } from "./response/fetch.js"
import { acceptedForm, type ResponseForm } from "./response/form.js"
import { JsonCache } from "./response/json-cache.js"
import { ObjectEncoder } from "./response/object-encoder.js"
import { respondFailure, toRequestFailure } from "./response/refusal.js"
import { type ApiAnswer, jsonHeaders, respond, warningHeader } from "./response/response.js"
import { answerReview, isReview } from "./reviews.js"
import { ServedKinds } from "./served-kinds.js"
import { EventEncoder } from "./storage/event-encoder.js"
import { Store } from "./storage/store.js"
import { Watch } from "./storage/watch.js"

/** An API server in memory, created with `createApiServer`. */
export class ApiServer {
  private readonly options: ApiServerOptions
  private readonly store: Store
  private readonly table: ResourceTable
  private readonly time: ServerTime
  private readonly now: () => Date
  private readonly random: RandomValues
  private readonly documents: OpenAPIDocuments
  private readonly watches = new Map<Watch, Labels>()
  private readonly encoder: ObjectEncoder
  private readonly eventEncoder: EventEncoder
  private readonly metrics = new Metrics()
  private readonly gate: UnionGate
  private readonly servedKinds: ServedKinds
  private readonly log = new RequestLog()
  private readonly endpoints: Endpoints
  private readonly admission: AdmissionLoader
  private readonly authorization: AuthorizationLoader
  private readonly conversions: ConversionLoader
  private readonly objects: ObjectRequests
  private readonly waits: Waits

  /** @internal */
  constructor(options: ApiServerOptions) {
    this.options = options
    const { clock: given = options.seed === undefined ? undefined : new TestClock() } = options
    this.time = timeBy(given)
    this.now = () => this.time.now()
    this.random = new RandomValues(options.seed)
    const json = new JsonCache()
    this.encoder = new ObjectEncoder(json, this.now)
    this.eventEncoder = new EventEncoder(json)
    this.store = new Store(options.history)
    this.gate = new UnionGate(options.unions)
    this.table = new ResourceTable(this.gate.types(options.types), kindReader)
    const { store, table, gate, now: clock } = this
    const newUid = () => this.random.uid()
    const statusEndpoint = (resource: Resource) => this.endpoints.of(resource, "status")
    this.servedKinds = new ServedKinds({ store, table, gate, clock, statusEndpoint })
    const roles = options.authorization && (() => this.authorization.roles)
    const endpointOf = (resource: Resource) => this.endpoints.of(resource)
    const cluster = clusterOf(store, table, endpointOf, roles)
    this.admission = new AdmissionLoader(store, cluster, options, newUid)
    this.conversions = new ConversionLoader(cluster, options, newUid)
    this.endpoints = new Endpoints(options, clock, gate, this.conversions)
    this.authorization = new AuthorizationLoader(this.authorizedServer(cluster), store)
    this.objects = new ObjectRequests({ table, answer: request => this.answer(request) })
    this.waits = new Waits({ store, table, time: this.time, endpointOf })
    this.answer = this.answer.bind(this)
    this.fetch = this.fetch.bind(this)
    for (const name of ["default", "kube-node-lease", "kube-public", "kube-system"]) {
      this.loadObject({ apiVersion: "v1", kind: "Namespace", metadata: { name } })
    }
    this.load(options.crds ?? [])
    this.load(options.objects ?? [])
    if (options.readOnly === true) this.store.makeReadOnly()
    this.documents = new OpenAPIDocuments(this.table, options.openapi ?? {}, this.gate)
  }

  /**
   * The answered requests, oldest first: the last 10,000 to 20,000, or fewer if their paths and user agents have more than 64 million
   * characters. A watch is listed as soon as it begins.
   */
  get requests(): readonly LoggedRequest[] {
    return this.log.requests
  }

  /**
   * Answers a request given as plain data with plain data, which is faster than `fetch`. Every failure becomes a Status; rejects with a
   * TypeError only if the method or the path is not a string. Bound to the server, so it can be passed as a function.
   */
  async answer(request: ApiRequest): Promise<ApiAnswer> {
    requireOptions("request", request, { method: aString, path: aString })
    const read = readAddress(request)
    const audit = new Map<string, string>()
    const answer = await this.answerRead(read, audit)
    const { method, path, search, headers } = read
    const logged = { method, path: path + search, userAgent: headers["user-agent"] ?? "", status: answer.status }
    this.log.add(audit.size === 0 ? logged : { ...logged, audit: Object.fromEntries(audit) })
    return answer
  }

  /**
   * Answers a web Request as `answer` does. It reads the method, path, query, headers and body; the signal of the Request ends a watch.
   * Bound to the server, so it can be passed as a function.
   */
  fetch(request: Request): Promise<Response> {
    return fetchWith(this.answer, request)
  }

  /**
   * The clock that a test advances: the one of the option `clock`, or the one that a server with a seed has. Throws a TypeError for a server
   * with another clock.
   */
  get clock(): TestClock {
    if (this.time instanceof TestClock) return this.time
    throw new TypeError("the server has no TestClock: create it with the option clock or seed")
  }

  /**
   * Applies an object with server-side apply, and returns the object in the response. It has the type of the configuration, so a field that
   * only the server sets needs a type such as `V1Deployment`. This and the other requests about objects are answered as by `answer`; each
   * rejects with a RefusedError, which has the Status, if the server refuses it, with a SchemaError for a kind that the server does not serve,
   * and with a TypeError for an object without kind or name.
   */
  apply<T extends object>(object: T, options: ObjectApplyOptions): Promise<Stored<T>> {
    return this.objects.apply(object, options) as Promise<Stored<T>>
  }

  /** Creates an object, which may have a `generateName` in place of a name. */
  create<T extends object>(object: T, options: ObjectWriteOptions = {}): Promise<Stored<T>> {
    return this.objects.create(object, options) as Promise<Stored<T>>
  }

  /** Replaces an object. */
  update<T extends object>(object: T, options: ObjectWriteOptions = {}): Promise<Stored<T>> {
    return this.objects.update(object, options) as Promise<Stored<T>>
  }

  /** Patches the object that has this kind and name. */
  patch<T extends ObjectHeader>(object: T, patch: object, options: ObjectPatchOptions = {}): Promise<Stored<T>> {
    return this.objects.patch(object, patch, options) as Promise<Stored<T>>
  }

  /** Sets the replicas of an object through its subresource `scale`, as an autoscaler does, and returns the Scale. */
  scale(object: ObjectHeader, replicas: number, options: ObjectWriteOptions = {}): Promise<Stored> {
    return this.objects.scale(object, replicas, options) as Promise<Stored>
  }

  /** Returns the object that has this kind and name: `get<V1Deployment>({ apiVersion: "apps/v1", kind: "Deployment", metadata })`. */
  get<T extends ObjectHeader>(object: T, options: ObjectRequestOptions = {}): Promise<Stored<T>> {
    return this.objects.get(object, options) as Promise<Stored<T>>
  }

  /** Returns the objects of a kind, each with apiVersion and kind: `list<V1Deployment>({ apiVersion: "apps/v1", kind: "Deployment" })`. */
  list<T extends ObjectHeader>(kind: T, options: ObjectListOptions = {}): Promise<Stored<T>[]> {
    return this.objects.list(kind, options) as Promise<Stored<T>[]>
  }

  /** Deletes the object that has this kind and name. Returns the object if something holds it, and else what a server returns: a Status. */
  delete(object: ObjectHeader, options: ObjectDeleteOptions = {}): Promise<object> {
    return this.objects.delete(object, options)
  }

  /**
   * Waits until the object that has this kind and name meets a predicate, and returns it; without a predicate, until it exists. Without a
   * name, waits for any object of the kind, in the namespace if there is one. It follows the events of the store, so no state is missed.
   */
  waitFor<T extends ObjectHeader>(
    object: T,
    predicate?: (object: Stored<T>) => boolean,
    options?: WaitOptions,
  ): Promise<Stored<T>>
  /** Waits for an object of any kind that meets a predicate. */
  waitFor(predicate: (object: Stored) => boolean, options?: WaitOptions): Promise<Stored>
  async waitFor(
    given: ObjectHeader | ((object: Stored) => boolean),
    second: WaitOptions | ((object: never) => boolean) = {},
    third: WaitOptions = {},
  ): Promise<object> {
    if (typeof given === "function") return this.waits.forAny(given as Predicate, second as WaitOptions)
    requireArgument("predicate", second, either(aFunction, anObject))
    return this.waits.for(given, typeof second === "function" ? (second as Predicate) : () => true, third)
  }

  /** Waits until the object that has this kind and name is gone, or without a name, all objects of the kind. */
  async waitForDeletion(object: ObjectHeader, options: WaitOptions = {}): Promise<void> {
    await this.waits.forDeletion(object, options)
  }

  /**
   * Stores objects without calling the hooks `admit` and `validate`. An object with a uid, as `snapshot` and `kubectl get` return it,
   * keeps its metadata: owners, generation, and the resourceVersion unless the server has a later state of the same object. An object
   * without a uid is created, or updated if it exists, by the manager `load`. An object of a namespaced kind without a namespace goes to
   * `default`. Definitions and namespaces must come before the objects that need them. Throws a SchemaError for an object of a kind that
   * is not served.
   */
  load(objects: readonly object[]): void {
    requireArgument("objects", objects, aListOfObjects)
    this.store.writeAnyway(() => {
      for (const object of objects) this.loadObject(object as MapValue)
    })
  }

  /** @internal */
  get tokens(): string | undefined {
    return this.options.tokens
  }

  /** The resourceVersion of the last write. `snapshot()` changes only when this does. */
  get resourceVersion(): string {
    return String(this.store.resourceVersion)
  }

  /** Returns every object at its storage version, sorted by resource, namespace and name. */
  snapshot(): MapValue[] {
    return this.store.all().map(({ object }) => object)
  }

  /** Forgets the events up to this resourceVersion: a watch that would begin before it gets 410 Expired. */
  compact(resourceVersion: number | string): void {
    this.store.compact(Number(resourceVersion))
  }

  /**
   * Sets the policy for unions from the next request on. Stored objects do not change. Throws a RangeError for an unknown policy name.
   */
  setUnions(policy: UnionPolicyName | UnionPolicy): void {
    this.gate.set(policy)
    this.endpoints.clear()
  }

  /** Ends all watches. */
  close(): void {
    this.waits.close()
    for (const watch of [...this.watches.keys()]) watch.close()
  }

  private async answerRead(request: ServerRequest, audit: Map<string, string>): Promise<ApiAnswer> {
    const began = this.seconds()
    const warnings: string[] = []
    const unions = new UnionEvents(this.gate.policy.name)
    let route: ResourceRoute | undefined
    let answer: ApiAnswer
    try {
      const authorized = await this.authorization.admit(request)
      route = readRoute(request.path, this.table)
      if (route !== undefined) answer = await this.answerResource(request, route, warnings, unions, audit, authorized)
      else answer = answerNonResource(request, this.nonResourceSources)
    } catch (error) {
      answer = respondFailure(toRequestFailure(error), warnings, request.headers.accept)
    }
    const labels = requestLabels(request, route)
    this.metrics.count(labels, answer.status, unions)
    if (!(answer.body instanceof Watch)) this.metrics.observe(labels, this.seconds() - began)
    return answer
  }

  private async answerResource(
    request: ServerRequest,
    route: ResourceRoute,
    warnings: string[],
    unions: UnionEvents,
    audit: Map<string, string>,
    authorized: AuthorizedRequest | undefined,
  ): Promise<ApiAnswer> {
    const { query } = request
    if (route.resource.deprecation !== undefined) warnings.push(route.resource.deprecation)
    const watches = booleanParameter(query, "watch") === true
    const verb = verbOf(request.method, route, watches)
    const verbs = route.subresource?.verbs ?? route.resource.verbs
    if (verb === undefined || !verbs.includes(verb)) throw methodNotAllowed()
    // Whatever is behind a proxy chooses the media type.
    const accept = route.subresource?.name === "proxy" ? undefined : request.headers.accept
    const drops = this.options.featureGates?.ManagedFieldsOptOut === true
    const form = acceptedForm(accept, route, verb, drops)
    await this.conversions.prepare(route, verb)
    if (verb === "watch") return this.watch(request, route, form)
    if (isReview(route.resource)) {
      const { value } = await readObjectBody(request, route)
      return respond(201, answerReview(route.resource, value, authorized), form, warnings)
    }
    // The library that compiles CEL is loaded with the first definition or policy.
    if (route.resource.builtIn?.compilesExpressions || route.resource.custom !== undefined) await loadCel()
    if (!["get", "list"].includes(verb)) await this.admission.load(route.resource)
    const validation = new ValidationEvents()
    const context = this.context(warnings, unions, { audit, authorized, validation })
    const handled = handle(context, request, route, verb)
    const response = await handled.finally(() => validation.addTo(this.metrics.validation))
    this.authorization.settle()
    const includeObject = query.get("includeObject") ?? ""
    return this.encoder.encode(response, { resource: route.resource, verb, form, includeObject }, warnings)
  }

  /** The time by the clock of the options, in seconds; otherwise by a clock that only moves forward. */
  private seconds(): number {
    return (
      (this.options.clock !== undefined || this.options.seed !== undefined
        ? this.time.now().getTime()
        : performance.now()) / 1000
    )
  }

  private get nonResourceSources(): NonResourceSources {
    const formatMetrics = () => this.metrics.format(this.store, this.watches.values())
    return { resources: this.table.all, documents: this.documents, formatMetrics }
  }

  private watch(request: ServerRequest, route: ResourceRoute, form: ResponseForm): ApiAnswer {
    const { query } = request
    const { resource, namespace, name } = route
    const began = this.seconds()
    const labels = requestLabels(request, route)
    const watch: Watch = new Watch(
      this.store,
      {
        endpoint: this.endpoints.of(resource),
        namespace,
        query,
        selects: readSelector(query, resource, name),
        form,
        encoder: this.eventEncoder,
        time: this.time,
      },
      () => {
        this.watches.delete(watch)
        this.metrics.observe(labels, this.seconds() - began)
      },
    )
    this.watches.set(watch, labels)
    return { status: 200, headers: { ...jsonHeaders, ...warningHeader([resource.deprecation ?? ""]) }, body: watch }
  }

  private loadObject(input: MapValue, manager?: string): void {
    loadObject(this.context([], new UnionEvents("")), this.table, input, manager)
  }

  private authorizedServer(cluster: Cluster): AuthorizedServer {
    const { authorization, tokens } = this.options
    const applyRules = (name: string, rules: readonly MapValue[]) => {
      const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name }, rules }
      const context = this.context([], new UnionEvents(""))
      applyAsController(context, this.table, "clusterrole-aggregation-controller", role)
    }
    const create = (object: MapValue) => this.loadObject(object, "kube-apiserver")
    return { cluster, isOn: authorization === "rbac", tokens, create, applyRules }
  }

  private context(warnings: string[], unions: UnionEvents, notes: RequestNotes = {}): HandlerContext {
    const { audit = new Map<string, string>(), authorized, validation = new ValidationEvents() } = notes
    const { admit, validate, featureGates = {} } = this.options
    const before = warnings.length
    let identity: Identity | undefined
    let suffix: string | undefined
    const context: HandlerContext = {
      store: this.store,
      clock: this.now,
      // A request that waits for webhooks is computed several times, with the same result.
      identity: () => (identity ??= { uid: this.random.uid(), now: this.now() }),
      nameSuffix: () => (suffix ??= this.random.suffix()),
      calls: new Calls(),
      restart: () => {
        warnings.length = before
        unions.counts.clear()
        audit.clear()
        validation.clear()
      },
      shadow: { gates: featureGates, metrics: validation },
      ...(admit !== undefined && { admit }),
      ...(validate !== undefined && { validate }),
      warn: message => warnings.push(message),
      audit: (key, value) => audit.set(key, value),
      plugins: this.admission.plugins,
      userInfo: authorized?.userInfo,
      confirmGrants: authorized?.confirmGrants.bind(authorized),
      requireCreate: () => authorized?.check("create"),
      unions,
      noteRead: (definition, unknown) => this.gate.noteRead(definition, unknown),
      ignoredUnions: (endpoint, object) => this.gate.ignoredUnions(endpoint, object),
      updateServedKinds: (resource, next, live) => this.servedKinds.update(resource, next, live, warnings),
      endpoint: (resource, subresource) => this.endpoints.of(resource, subresource),
      endpointOf: resource => this.endpoints.of(resource),
      resources: () => this.table.all.filter(resource => resource.apiVersion === resource.storageVersion),
      removeFinalized: (endpoint, object) => removeFinalized(context, endpoint, object),
    }
    return context
  }
}

/** The parts of one request that its context needs. */
interface RequestNotes {
  readonly audit?: Map<string, string>
  readonly authorized?: AuthorizedRequest | undefined
  readonly validation?: ValidationEvents
}

/** Returns an API server in memory with the namespaces of a new cluster, and the definitions and objects of the options. */
export function createApiServer(options: ApiServerOptions = {}): ApiServer {
  requireOptions("options", options, {
    types: optional(aTypeFinder),
    crds: optional(aListOfObjects),
    objects: optional(aListOfObjects),
    history: optional(aNumber),
  })
  return new ApiServer(options)
}
