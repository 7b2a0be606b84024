// The core of a server: one state, and the code that routes requests to it, runs them, and writes the responses. A fork is another core that
// begins with the same state.
//
// A request for objects passes through these files: request/route.ts finds its resource in the table of src/kinds. handlers.ts reads the
// body and the options (request/) and applies patches (strategic-merge/). An Endpoint of src/write converts objects between the version of
// the request and the stored one. storage/store-write.ts and storage/delete.ts change the store. `Write` of src/write has the steps of a write in the order
// of a real server. response/ encodes objects. non-resource.ts answers all other paths, most of them from discovery/. Every refusal is
// thrown as a RequestFailure, and becomes a Status here.
import { kindReader } from "../kinds/reader.js"
import { type Resource, storeKey, unservedVerb } from "../kinds/resource/resource.js"
import { ResourceTable } from "../kinds/resource/table.js"
import { loadCel } from "../kinds/rules/library.js"
import type { UnionPolicy, UnionPolicyName } from "../union/policy.js"
import type { MapValue } from "../value/value.js"
import { UnionGate } from "../write/union-gate.js"
import { UnionEvents } from "../write/unions.js"
import { AdmissionLoader, clusterOf } from "./admission.js"
import type { AuthorizedRequest } from "./authorization/authorization.js"
import { AuthorizationLoader } from "./authorization.js"
import { Contexts } from "./context.js"
import { createControllers } from "./controller-requests.js"
import type { Controllers } from "./controllers.js"
import { ConversionLoader } from "./conversion.js"
import { OpenAPIDocuments } from "./discovery/openapi-v3.js"
import { Endpoints } from "./endpoints.js"
import { EventExpiry, type Expiry, eventsKey } from "./event-expiry.js"
import { ConnectionLost } from "./faults/connection-lost.js"
import type { FaultInjector, FaultyServer } from "./faults/injector.js"
import { Faults } from "./faults.js"
import { handle, readObjectBody } from "./handlers.js"
import { Metrics, requestLabels, ValidationEvents } from "./metrics.js"
import { answerNonResource } from "./non-resource.js"
import { Waits } from "./objects/waits.js"
import type { ApiServerOptions } from "./options.js"
import { authorizedServer, LoadWarnings, loadObject, unloadObject } from "./own-writes.js"
import { type ServerTime, TestClock, timeBy } from "./reproducible/clock.js"
import { RandomValues } from "./reproducible/random.js"
import { booleanParameter } from "./request/options.js"
import { type ApiRequest, readAddress, type ServerRequest } from "./request/request.js"
import { type ResourceRoute, readRoute, verbOf } from "./request/route.js"
import { type LoggedRequest, RequestLog } from "./request-log.js"
import { acceptedForm } from "./response/form.js"
import { JsonCache } from "./response/json-cache.js"
import { ObjectEncoder } from "./response/object-encoder.js"
import { respondFailure, toRequestFailure } from "./response/refusal.js"
import { type ApiAnswer, respond } from "./response/response.js"
import { answerReview, isReview } from "./reviews.js"
import { ServedKinds } from "./served-kinds.js"
import { EventEncoder } from "./storage/event-encoder.js"
import { Store } from "./storage/store.js"
import { Watch } from "./storage/watch.js"
import { Watches } from "./watches.js"

/** The state that a fork takes over. */
interface CoreState {
  readonly store: Store
  readonly table: ResourceTable
  readonly gate: UnionGate
  readonly time: ServerTime
  readonly random: RandomValues
  /** Keeps the JSON of objects, which never change, so forks share it. */
  readonly json: JsonCache
  /** The resourceVersion since which the store has the roles of a new cluster; undefined if it has none. */
  readonly rolesSince: number | undefined
  /** The Events that the clock of a test will end. */
  readonly expiries: readonly Expiry[] | undefined
  readonly loadWarnings: LoadWarnings
  readonly faults: Faults
  readonly controllers: Controllers | undefined
  /** Whether the state is one of the past, with which controllers do nothing at first. */
  readonly isPast?: boolean
}

/** Answers the requests to one state. */
export class ServerCore {
  readonly store: Store
  readonly table: ResourceTable
  readonly time: ServerTime
  readonly waits: Waits
  readonly faults: Faults
  /** Undefined for a server without controllers. */
  readonly controllers: Controllers | undefined
  readonly loadWarnings: LoadWarnings
  private readonly options: ApiServerOptions
  private readonly random: RandomValues
  private readonly documents: OpenAPIDocuments
  private readonly json: JsonCache
  private readonly encoder: ObjectEncoder
  private readonly eventEncoder: EventEncoder
  private readonly metrics = new Metrics()
  private readonly watches: Watches
  private readonly gate: UnionGate
  private readonly servedKinds: ServedKinds
  private readonly log = new RequestLog()
  private readonly endpoints: Endpoints
  private readonly admission: AdmissionLoader
  private readonly authorization: AuthorizationLoader
  private readonly conversions: ConversionLoader
  private readonly expiry: EventExpiry | undefined
  private readonly contexts: Contexts

  /** Begins with a state, or else with the namespaces of a new cluster, and the definitions and objects of the options. */
  constructor(options: ApiServerOptions, state?: CoreState) {
    this.options = options
    this.time = state?.time ?? timeBy(options)
    this.random = state?.random ?? new RandomValues(options.seed)
    this.store = state?.store ?? new Store(options.history)
    this.gate = state?.gate ?? new UnionGate(options.unions)
    this.table = state?.table ?? new ResourceTable(this.gate.types(options.types), kindReader)
    this.json = state?.json ?? new JsonCache()
    this.loadWarnings = state?.loadWarnings ?? new LoadWarnings()
    const { store, table, gate, time, json } = this
    const clock = () => time.now()
    const newUid = () => this.random.uid()
    this.encoder = new ObjectEncoder(json, clock)
    this.eventEncoder = new EventEncoder(json)
    const endpointOf = (resource: Resource) => this.endpoints.of(resource)
    const statusEndpoint = (resource: Resource) => this.endpoints.of(resource, "status")
    this.servedKinds = new ServedKinds({ store, table, gate, clock, statusEndpoint })
    const roles = options.authorization && (() => this.authorization.roles)
    const cluster = clusterOf(store, table, endpointOf, roles)
    this.admission = new AdmissionLoader(store, cluster, options, newUid)
    this.conversions = new ConversionLoader(cluster, options, newUid)
    this.endpoints = new Endpoints(options, clock, gate, this.conversions)
    const { random, admission, servedKinds, endpoints } = this
    this.contexts = new Contexts({ store, table, time, random, options, admission, gate, servedKinds, endpoints })
    const authorized = authorizedServer({ cluster, clock, table, context: () => this.contexts.create() }, options)
    this.authorization = new AuthorizationLoader(authorized, store, state?.rolesSince)
    this.documents = new OpenAPIDocuments(table, options.openapi ?? {}, gate)
    this.waits = new Waits({ store, table, time, endpointOf })
    const seconds = () => this.seconds()
    const { eventEncoder: encoder, metrics } = this
    this.watches = new Watches({ store, time, endpoints, encoder, metrics, seconds })
    this.expiry = time instanceof TestClock ? new EventExpiry(store, time, state?.expiries) : undefined
    this.faults = new Faults(this.faultyServer, options.faults, state?.faults)
    if (state === undefined) this.begin()
    const parts = { store, time, table, contexts: this.contexts, admission }
    this.controllers = createControllers(parts, options, state?.controllers, state?.isPast)
  }

  private begin(): void {
    const { crds = [], objects = [], readOnly } = this.options
    for (const name of ["default", "kube-node-lease", "kube-public", "kube-system"]) {
      this.loadObject({ apiVersion: "v1", kind: "Namespace", metadata: { name } })
    }
    this.load(crds)
    this.load(objects)
    if (readOnly === true) this.store.makeReadOnly()
  }

  /**
   * Returns a core with the same state, except for parts that are given, and at the same time if a test advances it. Later requests to one
   * core do not change the other.
   */
  fork(parts: Partial<CoreState> = {}): ServerCore {
    const { store, table, gate, time, random, json, authorization, expiry, faults, controllers } = this
    return new ServerCore(this.options, {
      store: store.fork(),
      table: table.fork(),
      gate: gate.fork(),
      time: time instanceof TestClock ? new TestClock(time.now()) : time,
      random: random.fork(),
      json,
      rolesSince: authorization.rolesSince,
      expiries: expiry?.pending,
      loadWarnings: this.loadWarnings.fork(),
      faults,
      controllers,
      ...parts,
    })
  }

  /** Returns a fork with the objects that this core had at an earlier resourceVersion. Throws a RangeError if the store has forgotten it. */
  at(resourceVersion: number): ServerCore {
    const store = this.store.fork()
    store.rewind(resourceVersion)
    const { rolesSince = resourceVersion + 1 } = this.authorization
    const roles = { rolesSince: rolesSince <= resourceVersion ? rolesSince : undefined }
    const past = this.fork({ store, isPast: true, ...roles })
    past.servedKinds.goBack(this.store)
    return past
  }

  get requests(): readonly LoggedRequest[] {
    return this.log.requests
  }

  /** Answers a request, and injects faults unless it is one of the test. Rejects with a ConnectionLost if a fault breaks the connection. */
  async answer(request: ApiRequest, isOfTest = false): Promise<ApiAnswer> {
    const read = readAddress(request)
    const audit = new Map<string, string>()
    const faults = isOfTest ? undefined : this.faults.load()
    try {
      const starting = this.controllers?.start()
      if (starting !== undefined) await starting
      const answer = await this.answerRead(read, audit, faults && (await faults))
      const running = this.controllers?.run()
      if (running !== undefined) await running
      this.log.add(read, answer.status, audit)
      return answer
    } catch (error) {
      this.log.add(read, 0, audit)
      throw error
    }
  }

  load(objects: readonly object[]): void {
    this.store.writeAnyway(() => {
      for (const object of objects) this.loadObject(object as MapValue)
    })
    void this.controllers?.run()
  }

  unload(object: MapValue, version: number | undefined): void {
    this.store.writeAnyway(() => unloadObject(this.contexts.create(), this.table, object, version))
  }

  setUnions(policy: UnionPolicyName | UnionPolicy): void {
    this.gate.set(policy)
    this.endpoints.clear()
  }

  /** Ends all watches, waits, latencies and restarts. */
  close(): void {
    this.waits.close()
    this.controllers?.close()
    this.expiry?.close()
    this.faults.close()
    this.watches.close()
  }

  private async answerRead(
    request: ServerRequest,
    audit: Map<string, string>,
    faults?: FaultInjector,
  ): Promise<ApiAnswer> {
    const began = this.seconds()
    const warnings: string[] = []
    const unions = new UnionEvents(this.gate.policy.name)
    let route: ResourceRoute | undefined
    let answer: ApiAnswer
    try {
      if (this.faults.isFor(request)) return respond(200, await this.faults.answer(request), undefined, [])
      faults?.checkUp(request)
      const authorized = await this.authorization.admit(request)
      const target = (route = readRoute(request.path, this.table, message => warnings.push(message)))
      if (target !== undefined) {
        const handle = () => this.answerResource(request, target, warnings, unions, audit, authorized)
        answer = await (faults?.answer({ request, route: target, user: authorized?.user.username }, handle) ?? handle())
      } else {
        if (request.path.startsWith("/openapi/")) await this.documents.load()
        answer = answerNonResource(request, {
          resources: this.table.all,
          documents: this.documents,
          formatMetrics: () => this.metrics.format(this.store, this.watches.labels),
        })
      }
    } catch (error) {
      if (error instanceof ConnectionLost) throw error
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
    const watches = booleanParameter(query, "watch") === true
    const verb = verbOf(request.method, route, watches)
    const verbs = route.subresource?.verbs ?? route.resource.verbs
    if (verb === undefined || !verbs.includes(verb)) throw unservedVerb(route)
    // Whatever is behind a proxy chooses the media type.
    const accept = route.subresource?.name === "proxy" ? undefined : request.headers.accept
    const drops = this.options.featureGates?.ManagedFieldsOptOut === true
    const form = acceptedForm(accept, route, verb, drops)
    await this.conversions.prepare(route, verb)
    if (verb === "watch") return this.watches.answer(request, route, form)
    if (isReview(route.resource)) {
      const { value } = await readObjectBody(request, route)
      return respond(201, answerReview(route.resource, value, authorized), form, warnings)
    }
    // The library that compiles CEL is loaded with the first definition or policy.
    if (route.resource.builtIn?.compilesExpressions || route.resource.custom !== undefined) await loadCel()
    if (!["get", "list"].includes(verb)) await this.admission.load(route.resource)
    const validation = new ValidationEvents()
    const context = this.contexts.create(warnings, unions, { audit, authorized, validation })
    const handled = handle(context, request, route, verb)
    const response = await handled.finally(() => validation.addTo(this.metrics.validation))
    this.authorization.settle()
    const writes = verb === "create" || verb === "update" || verb === "patch"
    if (writes && storeKey(route.resource) === eventsKey) this.expiry?.note(response.object)
    const includeObject = query.get("includeObject") ?? ""
    return this.encoder.encode(response, { resource: route.resource, verb, form, includeObject }, warnings)
  }

  /** The time by the clock of the options, in seconds; otherwise by a clock that only moves forward. */
  private seconds(): number {
    const { clock, seed } = this.options
    return (clock === undefined && seed === undefined ? performance.now() : this.time.now().getTime()) / 1000
  }

  private get faultyServer(): FaultyServer {
    return {
      seed: this.options.seed,
      time: this.time,
      encoder: this.eventEncoder,
      endWatches: () => this.watches.close(),
      answer: request => this.answerRead(request, new Map()),
      answerFrom: (writesAgo, request) => {
        const version = this.store.resourceVersion - writesAgo
        return version > this.store.compacted ? this.at(version).answerRead(request, new Map()) : undefined
      },
    }
  }

  private loadObject(input: MapValue): void {
    const warnings: string[] = []
    loadObject(this.contexts.create(warnings), this.table, input)
    this.loadWarnings.add(input, warnings)
  }
}
