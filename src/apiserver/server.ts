// The test API server, as programs use it: it answers requests, builds the requests of tests, and forks its state. core.ts has the state.

import type { UnionPolicy, UnionPolicyName } from "../union/policy.js"
import {
  aFunction,
  aListOfObjects,
  aNumber,
  anObject,
  aString,
  aTypeFinder,
  type Expected,
  either,
  optional,
  requireArgument,
  requireOptions,
} from "../value/argument.js"
import type { MapValue } from "../value/value.js"
import type { ControllerFailure } from "./controllers/engine.js"
import { ServerCore } from "./core.js"
import type { InjectedFault } from "./faults/injector.js"
import type { FaultRule } from "./faults/rules.js"
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
import type { Predicate, WaitOptions } from "./objects/waits.js"
import type { ApiServerOptions } from "./options.js"
import { TestClock } from "./reproducible/clock.js"
import type { ApiRequest } from "./request/request.js"
import type { LoggedRequest } from "./request-log.js"
import { fetchWith } from "./response/fetch.js"
import type { ApiAnswer } from "./response/response.js"

/** An API server in memory, created with `createApiServer`. */
export class ApiServer {
  private readonly options: ApiServerOptions
  private core: ServerCore
  /** The state to which `reset` returns. */
  private readonly initial: ServerCore
  private readonly objects: ObjectRequests

  /** @internal */
  constructor(options: ApiServerOptions, core: ServerCore = new ServerCore(options)) {
    this.options = options
    this.core = core
    this.initial = core.fork()
    this.start()
    this.answer = this.answer.bind(this)
    this.fetch = this.fetch.bind(this)
    this.objects = new ObjectRequests(
      () => this.core.table,
      request => this.core.answer(request, true),
    )
  }

  /**
   * The answered requests, oldest first: the last 10,000 to 20,000, or fewer if their paths and user agents have more than 64 million
   * characters. A watch is listed as soon as it begins.
   */
  get requests(): readonly LoggedRequest[] {
    return this.core.requests
  }

  /**
   * The last 1,000 warnings about objects that were loaded, by the options or by `load`, oldest first: those that a client which creates the
   * object gets as `Warning` headers, each after the kind and the name of the object. An example is a union of a definition that is left out.
   */
  get loadWarnings(): readonly string[] {
    return this.core.loadWarnings.list
  }

  /**
   * Answers a request given as plain data with plain data, which is faster than `fetch`. Every failure becomes a Status; rejects with a
   * TypeError only if the method or the path is not a string, or if a fault breaks the connection. Bound to the server, so it can be passed as a function.
   */
  async answer(request: ApiRequest): Promise<ApiAnswer> {
    requireOptions("request", request, { method: aString, path: aString })
    return this.core.answer(request)
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
    const { time } = this.core
    if (time instanceof TestClock) return time
    throw new TypeError("the server has no TestClock: create it with the option clock or seed")
  }

  /**
   * Applies an object with server-side apply, and returns the object in the response. It has the type of the configuration, so a field that
   * only the server sets needs a type such as `V1Deployment`. This and the other requests about objects are answered as by `answer`. Each
   * rejects with a RefusedError, which has the Status, if the server refuses it. Each rejects with a SchemaError for a kind that the server
   * does not serve, and with a TypeError for an object without kind or name.
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
  get<T extends ObjectHeader>(object: T, options?: ObjectRequestOptions): Promise<Stored<T>>
  /** The same for a type that requires more than a name. */
  get<T extends object>(object: ObjectHeader, options?: ObjectRequestOptions): Promise<Stored<T>>
  get(object: ObjectHeader, options: ObjectRequestOptions = {}): Promise<object> {
    return this.objects.get(object, options)
  }

  /** Returns the objects of a kind, each with apiVersion and kind: `list<V1Deployment>({ apiVersion: "apps/v1", kind: "Deployment" })`. */
  list<T extends ObjectHeader>(kind: T, options?: ObjectListOptions): Promise<Stored<T>[]>
  /** The same for a type that requires more than a kind. */
  list<T extends object>(kind: ObjectHeader, options?: ObjectListOptions): Promise<Stored<T>[]>
  list(kind: ObjectHeader, options: ObjectListOptions = {}): Promise<object[]> {
    return this.objects.list(kind, options)
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
  /** The same for a type that requires more than a name. */
  waitFor<T extends object>(
    object: ObjectHeader,
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
    if (typeof given === "function") return this.core.waits.forAny(given as Predicate, second as WaitOptions)
    requireArgument("predicate", second, either(aFunction, anObject))
    return this.core.waits.for(given, typeof second === "function" ? (second as Predicate) : () => true, third)
  }

  /** Waits until the object that has this kind and name is gone, or without a name, all objects of the kind. */
  async waitForDeletion(object: ObjectHeader, options: WaitOptions = {}): Promise<void> {
    await this.core.waits.forDeletion(object, options)
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
    this.core.load(objects)
  }

  /**
   * @internal Removes an object, as `load` stores one: without a request. `version` is the resourceVersion of its deletion.
   */
  unload(object: object, version?: number): void {
    this.core.unload(object as MapValue, version)
  }

  /** @internal */
  get tokens(): string | undefined {
    return this.options.tokens
  }

  /** The resourceVersion of the last write. `snapshot()` changes only when this does. */
  get resourceVersion(): string {
    return String(this.core.store.resourceVersion)
  }

  /** Returns every object at its storage version, sorted by resource, namespace and name. */
  snapshot(): MapValue[] {
    return this.core.store.all().map(({ object }) => object)
  }

  /** Forgets the events up to this resourceVersion: a watch that would begin before it gets 410 Expired. */
  compact(resourceVersion: number | string): void {
    this.core.store.compact(Number(resourceVersion))
  }

  /**
   * Sets the policy for unions from the next request on. Stored objects do not change. Throws a RangeError for an unknown policy name.
   */
  setUnions(policy: UnionPolicyName | UnionPolicy): void {
    this.core.setUnions(policy)
  }

  /**
   * Replaces the rules of faults, from the next request on: `setFaults([])` ends them all. They hit the requests of `answer`, `fetch` and the
   * port; those that this server's own methods send, such as `get` and `apply`, are spared. Throws a StructuredMergeError that names the path
   * of each problem.
   */
  setFaults(rules: readonly FaultRule[]): void {
    requireArgument("rules", rules, aListOfObjects)
    this.core.faults.set(rules)
  }

  /** The last 10,000 faults that were injected, oldest first. */
  get injectedFaults(): readonly InjectedFault[] {
    return this.core.faults.log
  }

  /** The last 1,000 requests of controllers that were refused, oldest first. */
  get controllerFailures(): readonly ControllerFailure[] {
    return this.core.controllers?.failures ?? []
  }

  /**
   * Returns a server with the same state: objects, history, definitions, users, union policy and faults, the time of a TestClock, and the next
   * values of the seed. Requests to one of the two don't change the other. Its log of requests and its metrics are empty, and it has no watches. Takes
   * less than a millisecond however many objects there are, because the two servers share them until one of them changes.
   */
  fork(): ApiServer {
    return new ApiServer(this.options, this.core.fork())
  }

  /**
   * Returns a fork with the objects as they were at an earlier resourceVersion. Its clock and its seed are those of now. Throws a RangeError if
   * there was no such state, or if the server no longer has the events since.
   */
  at(resourceVersion: number | string): ApiServer {
    return new ApiServer(this.options, this.core.at(Number(resourceVersion)))
  }

  /**
   * Returns to the state in which the server was created, and ends all watches and waits. The log of requests becomes empty. A TestClock returns
   * to its time then.
   */
  reset(): void {
    this.close()
    const { time } = this.core
    if (time instanceof TestClock) time.set(this.initial.time.now())
    this.core = this.initial.fork({ time })
    this.start()
  }

  /** Starts the controllers. The first request waits until they are there, and rejects if they can't start. */
  private start(): void {
    this.core.controllers?.start()?.catch(() => {})
  }

  /** @internal Resolves when the controllers run. Rejects with a StructuredMergeError for stages whose expressions are not right. */
  async ready(): Promise<void> {
    await this.core.controllers?.start()
  }

  /** Ends all watches and waits, the latencies and restarts of faults, and the delays of controllers. */
  close(): void {
    this.core.close()
  }
}

const aBooleanOrList: Expected = {
  name: "true, false or a list",
  fits: value => typeof value === "boolean" || Array.isArray(value),
}

/** Returns an API server in memory with the namespaces of a new cluster, and the definitions and objects of the options. */
export function createApiServer(options: ApiServerOptions = {}): ApiServer {
  requireOptions("options", options, {
    types: optional(aTypeFinder),
    crds: optional(aListOfObjects),
    objects: optional(aListOfObjects),
    history: optional(aNumber),
    faults: optional(aListOfObjects),
    controllers: optional(aBooleanOrList),
  })
  return new ApiServer(options)
}
