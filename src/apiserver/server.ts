// The server: takes requests, sends them where they belong, and writes the answers.
//
// The way of a request: request/route.ts reads the path, and kinds/ knows what is served. What is no resource is answered by
// about/. handlers.ts has the verbs: it reads the body and the options (request/), and makes patches (patch/). An Endpoint reads
// objects at one version (shape/, defaults/, custom/), and owns them. write.ts and remove.ts change what storage/ keeps, in the
// order of a real server: admission.ts has the hooks, strategy.ts what a request can't write, and validation/ (built-in kinds),
// custom/ and rules/ (custom resources) what is refused. answer/ has the forms of answers. Refusals are RequestFailures all the way,
// and become a Status here.
import { hasCode, SchemaError } from "../errors.js"
import { established, isDefinition } from "../kinds/custom/definitions.js"
import { kindReader } from "../kinds/reader.js"
import { badRequest, methodNotAllowed, RequestFailure } from "../kinds/refusal/failure.js"
import { requireServable } from "../kinds/resource/custom.js"
import type { Resource } from "../kinds/resource/resource.js"
import { storeKey } from "../kinds/resource/resource.js"
import { ResourceTable } from "../kinds/resource/table.js"
import { loadCel } from "../kinds/rules/library.js"
import { lastingFacts } from "../managedfields/chain/object-facts.js"
import type { TypeFinder } from "../managedfields/types/object-types.js"
import { objectKindOf } from "../schema/group-version-kind.js"
import { metaText, withMetadata } from "../schema/metadata.js"
import type { UnionPolicy, UnionPolicyName } from "../union/policy.js"
import {
  aListOfObjects,
  aNumber,
  aString,
  optional,
  requireArgument,
  requireOptions,
  types,
} from "../value/argument.js"
import type { Labels } from "../value/prometheus.js"
import type { MapValue } from "../value/value.js"
import type { AdmissionRequest, ValidationProblem, ValidationRequest } from "../write/admission.js"
import { decodeObject } from "../write/decode.js"
import { Endpoint } from "../write/endpoint.js"
import { strictWithoutText } from "../write/strict.js"
import { UnionEvents, UnionGate } from "../write/unions.js"
import { type About, answerAbout } from "./about/about.js"
import { Metrics, requestLabels } from "./about/metrics.js"
import { OpenAPIDocuments } from "./about/openapi.js"
import { type Form, formOf, inForm } from "./answer/media.js"
import { type ApiAnswer, respond, uncached } from "./answer/response.js"
import { ObjectTexts } from "./answer/texts.js"
import { fetchBy } from "./answer/web.js"
import { bodyOf, type Handling, handle } from "./handlers.js"
import { release } from "./remove.js"
import { booleanOf } from "./request/options.js"
import { type ApiRequest, readAddress, type ServerRequest } from "./request/request.js"
import { type ResourceRoute, routeOf, verbOf } from "./request/route.js"
import { selectorOf } from "./request/selectors.js"
import { isReview, review } from "./reviews.js"
import { Lister } from "./storage/list.js"
import { Store } from "./storage/store.js"
import { EventLines, Watch } from "./storage/watch.js"
import { write } from "./write.js"

/** How a server is made. Nothing is required. */
export interface ApiServerOptions {
  /** Types of built-in kinds; those of the bundled release if absent, with their unions while `unions` is on. */
  readonly types?: TypeFinder | undefined
  /** CustomResourceDefinitions that are there from the beginning. */
  readonly crds?: readonly object[] | undefined
  /** Objects that are there from the beginning, as `load` takes them. */
  readonly objects?: readonly object[] | undefined
  /**
   * What is done about unions in every request that writes: the gate that `setUnions` switches. If absent, unions mean nothing, and
   * definitions lose `x-kubernetes-unions`, as in a cluster.
   */
  readonly unions?: UnionPolicyName | UnionPolicy | undefined
  /**
   * Fills in defaults of built-in objects beyond those that the server knows. Returns the object, or a copy with more fields.
   */
  readonly defaults?: ((object: MapValue) => MapValue) | undefined
  /**
   * Admission: called with each object that a request wants to store, after its owners were worked out. Returns what is stored
   * in its place. What it throws refuses the request: with 403 and the message of the error.
   */
  readonly admit?: ((request: AdmissionRequest) => MapValue) | undefined
  /**
   * Validation: called with each object that a request wants to store, after admission and after what the request may not write was
   * reset. Every problem that it returns becomes a cause of the 422 that refuses the request, beside those that the server finds.
   */
  readonly validate?: ((request: ValidationRequest) => readonly ValidationProblem[]) | undefined
  /**
   * Documents of OpenAPI v3 that are served for built-in groups in the place of those that the server makes, by group and version:
   * `{"apis/apps/v1": document}`, the document as `/openapi/v3/apis/apps/v1` of a cluster gives it. They have descriptions, which
   * `kubectl explain` shows. Those of groups that are not served, or that have custom resources, are not used.
   */
  readonly openapi?: Readonly<Record<string, object>> | undefined
  /** Whether every request that would store something is refused, with 403. Dry runs, and `load`, work all the same. */
  readonly readOnly?: boolean | undefined
  /** The time for timestamps, and for the ages in a Table; the clock of the machine if absent. */
  readonly clock?: (() => Date) | undefined
  /** How many events are kept for watches that begin in the past; 10,000 if absent. Fewer are kept where they need more than 128 MB. */
  readonly history?: number | undefined
}

/** A request that was answered. */
export interface LoggedRequest {
  /** The HTTP method. */
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** The header of that name; "" where the request has none. */
  readonly userAgent: string
  /** The HTTP status of the answer. */
  readonly status: number
}

/** How many of the last requests are kept at least, unless they have more characters together: an address may have a million. */
const keptRequests = 10_000
const keptCharacters = 64 * 1024 * 1024

function charactersOf({ path, userAgent }: LoggedRequest): number {
  return path.length + userAgent.length
}

/** An API server in memory. Make one with `createApiServer`. */
export class ApiServer {
  private readonly options: ApiServerOptions
  private readonly store: Store
  private readonly table: ResourceTable
  private readonly lister: Lister
  private readonly clock: () => Date
  private readonly documents: OpenAPIDocuments
  private readonly watches = new Map<Watch, Labels>()
  private readonly texts = new ObjectTexts()
  private readonly lines = new EventLines(this.texts)
  private readonly metrics = new Metrics()
  private readonly gate: UnionGate
  private readonly log: LoggedRequest[] = []
  private logCharacters = 0
  private endpoints = new WeakMap<Resource, Map<string, Endpoint>>()

  /** @internal */
  constructor(options: ApiServerOptions) {
    this.options = options
    this.clock = options.clock ?? (() => new Date())
    this.store = new Store(options.history)
    this.gate = new UnionGate(options.unions)
    this.table = new ResourceTable(this.gate.types(options.types), kindReader)
    this.lister = new Lister(this.store)
    this.answer = this.answer.bind(this)
    this.fetch = this.fetch.bind(this)
    for (const name of ["default", "kube-node-lease", "kube-public", "kube-system"]) {
      this.loadOne({ apiVersion: "v1", kind: "Namespace", metadata: { name } })
    }
    this.load(options.crds ?? [])
    this.load(options.objects ?? [])
    this.documents = new OpenAPIDocuments(this.table, options.openapi ?? {}, this.gate)
  }

  /**
   * The requests that were answered, the oldest first: at least the last 10,000, unless their addresses have more than 64 million
   * characters, and at most twice as many. Watches are there from their beginning.
   */
  get requests(): readonly LoggedRequest[] {
    return this.log
  }

  /**
   * Answers a request that is plain data, with plain data: the fastest way for a program that has no web Request. Whatever goes wrong
   * becomes a Status; rejects with a TypeError only if the method or the path is no text. Bound, so that it can be handed on as a function.
   */
  async answer(request: ApiRequest): Promise<ApiAnswer> {
    requireOptions("request", request, { method: aString, path: aString })
    const read = readAddress(request)
    const answer = await this.answerRead(read)
    const { method, path, search, headers } = read
    this.note({ method, path: path + search, userAgent: headers["user-agent"] ?? "", status: answer.status })
    return answer
  }

  /**
   * As `answer`, for a web Request: its method, path, query, headers and body count, and its signal ends a watch. Bound, so that it can be
   * handed on as a function.
   */
  fetch(request: Request): Promise<Response> {
    return fetchBy(this.answer, request)
  }

  private note(request: LoggedRequest): void {
    this.log.push(request)
    this.logCharacters += charactersOf(request)
    // Dropped by halves, so that a request costs the same however many are kept.
    if (this.log.length <= keptRequests * 2 && this.logCharacters <= keptCharacters) return
    for (const old of this.log.splice(0, Math.floor(this.log.length / 2))) this.logCharacters -= charactersOf(old)
  }

  /**
   * Stores objects as they are, without admission and validation by the hooks. An object with a uid, as `snapshot` and `kubectl get`
   * give it, keeps its metadata: owners, generation, and the resourceVersion unless a later state of the same object is there. Other
   * objects get what a server writes into metadata; what is there already is changed to them. An object without a namespace goes to
   * `default`. Definitions and namespaces have to come before what needs them. Throws a SchemaError for an object of a kind that is not served.
   */
  load(objects: readonly object[]): void {
    requireArgument("objects", objects, aListOfObjects)
    this.store.readOnly = false
    try {
      for (const object of objects) this.loadOne(object as MapValue)
    } finally {
      this.store.readOnly = this.options.readOnly === true
    }
  }

  /** The resourceVersion of the last write: as long as it is the same, so is `snapshot()`. */
  get resourceVersion(): string {
    return String(this.store.resourceVersion)
  }

  /** Every object at the version at which it is stored, sorted by resource, namespace and name. */
  snapshot(): MapValue[] {
    return this.store.all().map(({ object }) => object)
  }

  /** Forgets what happened up to this resourceVersion: watches that would begin before it are answered 410 Expired. */
  compact(resourceVersion: number | string): void {
    this.store.compact(Number(resourceVersion))
  }

  /**
   * Switches what is done about unions from the next request on. What is stored stays as it is, and can be read. Throws a RangeError
   * for the name of a policy that does not exist.
   */
  setUnions(policy: UnionPolicyName | UnionPolicy): void {
    this.gate.set(policy)
    this.endpoints = new WeakMap()
  }

  /** Ends all watches. */
  close(): void {
    for (const watch of [...this.watches.keys()]) watch.close()
  }

  private async answerRead(request: ServerRequest): Promise<ApiAnswer> {
    const warnings: string[] = []
    const unions = new UnionEvents(this.gate.policy.name)
    let route: ResourceRoute | undefined
    let answer: ApiAnswer
    try {
      route = routeOf(request.path, this.table)
      if (route !== undefined) answer = await this.answerResource(request, route, warnings, unions)
      else answer = answerAbout(request, this.about)
    } catch (error) {
      answer = refused(refusalOf(error), warnings)
    }
    this.metrics.count(requestLabels(request, route), answer.status, unions)
    return answer
  }

  private async answerResource(
    request: ServerRequest,
    route: ResourceRoute,
    warnings: string[],
    unions: UnionEvents,
  ): Promise<ApiAnswer> {
    const { query } = request
    const watches = booleanOf(query, "watch") === true
    const verb = verbOf(request.method, route, watches)
    const verbs = route.subresource?.verbs ?? route.resource.verbs
    if (verb === undefined || !verbs.includes(verb)) throw methodNotAllowed()
    requireServable(route.resource)
    const form = formOf(request.headers.accept)
    if (verb === "watch") return this.watch(request, route, form)
    if (isReview(route.resource))
      return respond(201, review(route.resource, (await bodyOf(request, route)).value), form, warnings)
    // Rules of definitions are run by a library that is loaded with the first definition.
    if (route.resource.builtIn?.definesKinds === true || route.resource.custom !== undefined) await loadCel()
    const context = this.context(warnings, unions)
    const { code, object } = await handle(context, request, route, verb)
    if (form.kind === "object" && object.kind !== "Status") {
      const isList = verb === "list" || verb === "deletecollection"
      return respond(code, object, form, warnings, all => (isList ? this.texts.ofList(all) : this.texts.of(all)))
    }
    const shown = inForm(form, route.resource, object, query.get("includeObject") ?? "", this.clock)
    return respond(code, shown, form, warnings)
  }

  private get about(): About {
    const metrics = () => this.metrics.text(this.store, this.watches.values())
    return { resources: this.table.all, documents: this.documents, metrics }
  }

  private watch(request: ServerRequest, route: ResourceRoute, form: Form): ApiAnswer {
    const { query } = request
    const { resource, namespace, name } = route
    const watch: Watch = new Watch(
      this.store,
      {
        endpoint: this.endpoint(resource, ""),
        namespace,
        query,
        selects: selectorOf(query, resource, name),
        form,
        lines: this.lines,
        clock: this.clock,
      },
      () => this.watches.delete(watch),
    )
    this.watches.set(watch, requestLabels(request, route))
    return { status: 200, headers: { ...uncached, "content-type": "application/json" }, body: watch }
  }

  private loadOne(given: MapValue): void {
    const { apiVersion, kind } = objectKindOf(given)
    const resource = this.table.findKind(apiVersion, kind)
    if (resource === undefined) {
      throw new SchemaError(`no resource serves ${apiVersion} ${kind}: its CustomResourceDefinition is not there`)
    }
    const placed = resource.namespaced && metaText(given, "namespace") === ""
    const object = placed ? withMetadata(given, { namespace: "default" }) : given
    const key = storeKey(resource)
    const context = this.context([], new UnionEvents(""))
    const endpoint = this.endpoint(resource, "")
    if (metaText(object, "uid") === "") {
      const options = {
        manager: "load",
        dryRun: false,
        applies: false,
        force: false,
        fieldValidation: "Ignore",
      } as const
      const { admit: _, validate: __, ignoredUnions: ___, ...rest } = context
      // Clusters still have definitions that older servers stored, and that nobody may create any more.
      const unguarded = resource.builtIn?.definesKinds ? { ...rest, excuse: () => [] } : rest
      const namespace = metaText(object, "namespace")
      const name = metaText(object, "name")
      const unversioned = withMetadata(object, { resourceVersion: undefined })
      const isThere = this.store.get(key, namespace, name) !== undefined
      const read = decodeObject(context, endpoint, { value: unversioned, strictly: strictWithoutText }, options)
      const place = { endpoint, namespace, name: isThere ? name : "" }
      write(unguarded, place, options, steps => (isThere ? steps.update(read) : steps.create(read)))
      return
    }
    const stored = endpoint.toStorage(object)
    this.store.restore(key, context.storing(resource, stored, undefined) ?? stored)
  }

  private endpoint(resource: Resource, subresource: string): Endpoint {
    let found = this.endpoints.get(resource)
    if (found === undefined) this.endpoints.set(resource, (found = new Map()))
    let endpoint = found.get(subresource)
    if (endpoint === undefined) {
      const { clock, options } = this
      const defaults = resource.custom === undefined ? options.defaults : undefined
      endpoint = new Endpoint(resource, subresource, { defaults, unions: this.gate.policy, clock, facts: lastingFacts })
      found.set(subresource, endpoint)
    }
    return endpoint
  }

  private context(warnings: string[], unions: UnionEvents): Handling {
    const { admit, validate } = this.options
    const handling: Handling = {
      store: this.store,
      clock: this.clock,
      identity: () => ({ uid: crypto.randomUUID(), now: this.clock() }),
      ...(admit !== undefined && { admit }),
      ...(validate !== undefined && { validate }),
      warn: message => warnings.push(message),
      unions,
      noteRead: (definition, unknown) => this.gate.noteRead(definition, unknown),
      ignoredUnions: (endpoint, object) => this.gate.ignoredUnions(endpoint, object),
      storing: (resource, object, before) => this.storing(resource, object, before, warnings),
      lister: this.lister,
      endpoint: (resource, subresource) => this.endpoint(resource, subresource),
      endpointOf: resource => this.endpoint(resource, ""),
      resources: () => this.table.all.filter(resource => resource.apiVersion === resource.storageVersion),
      release: (endpoint, object) => release(handling, endpoint, object),
    }
    return handling
  }

  /** Definitions change what is served. */
  private storing(
    resource: Resource,
    object: MapValue | undefined,
    before: MapValue | undefined,
    warnings: string[],
  ): MapValue | undefined {
    if (resource.builtIn?.definesKinds !== true) return object
    const changed = object ?? before
    if (changed !== undefined) this.store.requireWritable(storeKey(resource), changed)
    if (object !== undefined && isDefinition(object)) {
      const next = established(object, this.clock())
      this.table.define(next)
      warnings.push(...this.gate.problemsOf(next))
      return next
    }
    if (before !== undefined) {
      for (const gone of this.table.remove(metaText(before, "name"))) {
        for (const each of this.store.list(storeKey(gone))) this.store.remove(storeKey(gone), each)
      }
    }
    return object
  }
}

/** An API server in memory, with nothing in it but the namespaces of a new cluster and what the options name. */
export function createApiServer(options: ApiServerOptions = {}): ApiServer {
  requireOptions("options", options, {
    types: optional(types),
    crds: optional(aListOfObjects),
    objects: optional(aListOfObjects),
    history: optional(aNumber),
  })
  return new ApiServer(options)
}

/** The answer that refuses a request. */
function refused({ code, status }: RequestFailure, warnings: readonly string[]): ApiAnswer {
  try {
    return respond(code, status, undefined, warnings)
  } catch {
    // A text can't be as long as what is said of the request.
    const why = "this test API server can't say all that is wrong with the request: it is too much"
    return respond(code, new RequestFailure(code, why).status, undefined, [])
  }
}

/** The refusal that an error becomes. */
function refusalOf(error: unknown): RequestFailure {
  if (error instanceof RequestFailure) return error
  if (hasCode(error)) return badRequest(error.message)
  const message = error instanceof Error ? error.message : String(error)
  return new RequestFailure(500, `Internal error occurred: ${message}`, "InternalError", { causes: [{ message }] })
}
