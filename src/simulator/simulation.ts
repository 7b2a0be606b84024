// A simulation: objects, the managers that write them, and what came of it, forward and back.
//
// world.ts plays one request, step.ts tells what came of it. A step keeps the object as it was before and after, which share all that
// did not change; so going forward or back is to put the one or the other in its place, and every hundred steps all objects are noted.
import { formatTime } from "../managedfields/entries/time.js"
import { objectOf } from "../managedfields/request.js"
import type { TypeFinder } from "../managedfields/types/object-types.js"
import { nameOf, type ObjectName } from "../ownership/object-name.js"
import type { OwnershipChange } from "../ownership/transfers.js"
import { metaText } from "../requests/metadata.js"
import type { MapValue } from "../value/value.js"
import { type Controller, type Reconcile, requestsOf, type Settled, type SettleOptions } from "./controller.js"
import { type FieldChange, fieldChanges, ownerChanges } from "./difference.js"
import { keyOfObject, type Objects, sortedKeys } from "./objects.js"
import type {
  ApplyStepOptions,
  DeleteStepOptions,
  ObjectRef,
  Recipe,
  SimulationRequest,
  UpdateStepOptions,
} from "./request.js"
import { Snapshot } from "./snapshot.js"
import { Step } from "./step.js"
import { type SimulationSchema, World } from "./world.js"

/** What a simulation is told. Only `types` is required. */
export interface SimulationOptions extends SimulationSchema {
  /** What is there at the start, with managedFields if somebody owns something. */
  readonly objects?: readonly object[]
  /** Schemas by name, for `changeSchema`. */
  readonly schemas?: Readonly<Record<string, SimulationSchema>>
  /**
   * The time of a step, which has this number. By default the first is at 2026-01-01T00:01:00Z and each is a minute after the one
   * before.
   */
  readonly clock?: (step: number) => Date
}

/** What differs between two moments in one object. */
export interface ObjectDifference {
  /** Which object. */
  readonly target: ObjectName
  /** Whether it came, went, or is there at both. */
  readonly outcome: "created" | "changed" | "deleted"
  /** The fields that differ. */
  readonly changes: readonly FieldChange[]
  /** Who owns other fields. */
  readonly ownership: readonly OwnershipChange[]
}

/** A simulation as plain data: what was there, and what was asked for. */
export interface SimulationData {
  /** Tells the results of this entry apart. */
  readonly type: "simulation"
  /** The version of this format. */
  readonly version: 1
  /** What was there at the start. */
  readonly objects: readonly MapValue[]
  /** All requests, with their times. */
  readonly requests: readonly SimulationRequest[]
}

const checkpointEvery = 100

/** Managers played against each other. Made by `simulate`. */
export class Simulation {
  readonly #options: SimulationOptions
  readonly #worlds: Map<string, World>
  readonly #start: Objects
  /** Above the resourceVersions of the objects at the start. */
  readonly #firstVersion: number
  #objects: Map<string, MapValue>
  #schema = ""
  #schemaAtStart = ""
  #controllers: Controller[] = []
  /** All steps, those that were undone at the end. */
  #history: Step[] = []
  /** The schema after each step. */
  #schemas: string[] = []
  /** How many of the steps count. */
  #length = 0
  /** The objects after every hundredth step. */
  #checkpoints: Objects[]

  /** @internal */
  constructor(options: SimulationOptions) {
    const { objects = [], schemas = {} } = options
    this.#options = options
    this.#worlds = new Map([["", new World(options)]])
    for (const name in schemas) this.#worlds.set(name, new World(schemas[name] as SimulationSchema))
    this.#objects = new Map(objects.map(object => [keyOfObject(objectOf(object)), objectOf(object)]))
    this.#start = new Map(this.#objects)
    this.#checkpoints = [this.#start]
    const versions = [...this.#start.values()].map(object => Number(metaText(object, "resourceVersion")))
    this.#firstVersion = Math.max(0, ...versions.filter(Number.isSafeInteger))
  }

  /** Server-side apply. Creates the object if there is none. */
  apply(manager: string, config: object, options: ApplyStepOptions = {}): Step {
    return this.play({ ...options, manager, apply: config })
  }

  /** A PUT of an object that is made of the live one: `recipe` changes a draft of it, or returns another object. */
  update<T extends object>(manager: string, recipe: Recipe<T>, options?: UpdateStepOptions): Step
  /** A PUT: `next` takes the place of the live object. If it has a resourceVersion, that has to be the live one's. */
  update(manager: string, next: object, options?: Omit<UpdateStepOptions, "object">): Step
  update(manager: string, update: object, options: UpdateStepOptions = {}): Step {
    return this.play({ ...options, manager, update })
  }

  /** A PATCH: a JSON merge patch, or a list of operations, a JSON patch. */
  patch(manager: string, patch: object, options: UpdateStepOptions = {}): Step {
    return this.play({ ...options, manager, patch })
  }

  /** A POST of an object that is not there yet. */
  create(manager: string, object: object, options: Omit<UpdateStepOptions, "object"> = {}): Step {
    return this.play({ ...options, manager, create: object })
  }

  /** A DELETE. */
  delete(object: ObjectRef, options: DeleteStepOptions = {}): Step {
    return this.play({ ...options, delete: object })
  }

  /** From here on the types are those of the schema that has this name; a new one if it is given. */
  changeSchema(name: string, schema?: SimulationSchema): Step {
    if (schema !== undefined) this.#worlds.set(name, new World(schema))
    return this.play({ changeSchema: name })
  }

  /**
   * Plays one request, and returns what came of it. What an API server refuses is a step too: its `outcome` says so. Steps that were
   * undone are forgotten. Throws a TypeError where it is not said which object is meant, a RangeError for a schema that is not known or a
   * time that is none, and what recipes and other functions throw; then there is no step.
   */
  play(request: SimulationRequest): Step {
    const index = this.#length + 1
    const time = request.time === undefined ? this.#timeOf(index) : new Date(request.time)
    if (Number.isNaN(time.getTime())) throw new RangeError(`${request.time} is not a time`)
    const schema = "changeSchema" in request ? request.changeSchema : this.#schema
    const world = this.#worlds.get(schema)
    if (world === undefined) throw new RangeError(`there is no schema ${JSON.stringify(schema)}`)
    const resourceVersion = String(this.#firstVersion + index)
    const played = world.play(this.#objects, request, { time, resourceVersion })
    const step = new Step(index, formatTime(time), request, played)
    this.#forget()
    this.#history.push(step)
    this.#schemas.push(schema)
    this.#forward(step)
    return step
  }

  /** The steps that count, in their order. */
  get steps(): readonly Step[] {
    return this.#history.slice(0, this.#length)
  }

  /** How many steps count. */
  get length(): number {
    return this.#length
  }

  /** The types as they are now. */
  get types(): TypeFinder {
    return (this.#worlds.get(this.#schema) as World).schema.types
  }

  /** All objects as they are now, sorted by kind, namespace and name. */
  get objects(): readonly MapValue[] {
    return this.now().objects
  }

  /** The object that is meant as it is now; see `Snapshot.get`. */
  get(object?: ObjectRef): MapValue | undefined {
    return this.now().get(object)
  }

  /** Everything as it is now. */
  now(): Snapshot {
    return new Snapshot(this.#length, this.#schema, new Map(this.#objects))
  }

  /** Everything as it was after the step with this number; 0 is the start. Throws a RangeError where there is no such step. */
  at(step: number): Snapshot {
    this.#check(step)
    return new Snapshot(step, this.#schemaAt(step), this.#objectsAt(step))
  }

  /** Goes back a step, or as many as are asked for. Returns whether there were that many. */
  undo(steps = 1): boolean {
    return this.#move(this.#length - steps)
  }

  /** Goes forward again over steps that were undone. Returns whether there were that many. */
  redo(steps = 1): boolean {
    return this.#move(this.#length + steps)
  }

  /**
   * Adds a controller: a function that looks at all objects and says what it wants of them. It has to decide by what it sees alone. Its
   * requests are those of the manager of this name, unless they name another. `settle` and `contend` call it.
   */
  controller(name: string, reconcile: Reconcile): this {
    this.#controllers.push({ name, reconcile })
    return this
  }

  /**
   * Calls all controllers, one after the other in the order in which they were added, round by round until a round changes nothing or there
   * were as many as are allowed; 100 if that is not said.
   */
  settle(options: SettleOptions = {}): Settled {
    const { rounds = 100 } = options
    const steps: Step[] = []
    for (let round = 1; round <= rounds; round++) {
      const made = this.playRound()
      steps.push(...made)
      if (!made.some(({ before, after }) => before !== after)) return { settled: true, rounds: round, steps }
    }
    return { settled: false, rounds, steps }
  }

  /** @internal */
  playRound(
    change: (request: SimulationRequest, now: Snapshot, types: TypeFinder) => SimulationRequest = request => request,
  ): Step[] {
    const steps: Step[] = []
    for (const { name, reconcile } of this.#controllers) {
      for (const request of requestsOf(name, reconcile(this.now())))
        steps.push(this.play(change(request, this.now(), this.types)))
    }
    return steps
  }

  /** @internal */
  restarted(): Simulation {
    const simulation = new Simulation({ ...this.#options, objects: this.objects })
    for (const [name, world] of this.#worlds) simulation.#worlds.set(name, world)
    simulation.#schema = this.#schema
    simulation.#schemaAtStart = this.#schema
    simulation.#controllers = [...this.#controllers]
    return simulation
  }

  /** A simulation that goes on from here on its own. It has the same history; steps that were undone are not in it. */
  fork(): Simulation {
    const fork = new Simulation({ ...this.#options, objects: [...this.#start.values()] })
    for (const [name, world] of this.#worlds) fork.#worlds.set(name, world)
    fork.#schemaAtStart = this.#schemaAtStart
    fork.#controllers = [...this.#controllers]
    fork.#history = this.#history.slice(0, this.#length)
    fork.#schemas = this.#schemas.slice(0, this.#length)
    fork.#length = this.#length
    fork.#schema = this.#schema
    fork.#objects = new Map(this.#objects)
    fork.#checkpoints = this.#checkpoints.slice(0, Math.floor(this.#length / checkpointEvery) + 1)
    return fork
  }

  /** What differs between the moments after two steps, object by object; what does not is left out. */
  diff(from: number, to: number): ObjectDifference[] {
    this.#check(from)
    this.#check(to)
    const [old, now] = [this.#objectsAt(from), this.#objectsAt(to)]
    const { types } = (this.#worlds.get(this.#schemaAt(to)) as World).schema
    return sortedKeys(new Map([...old, ...now])).flatMap(key => {
      const [before, after] = [old.get(key), now.get(key)]
      if (before === after) return []
      const changes = fieldChanges(types, before, after)
      const ownership = ownerChanges(before, after)
      if (before !== undefined && after !== undefined && changes.length + ownership.length === 0) return []
      const outcome = before === undefined ? "created" : after === undefined ? "deleted" : "changed"
      return [{ target: nameOf((after ?? before) as MapValue), outcome, changes, ownership } as const]
    })
  }

  /**
   * What was there at the start and all requests that count, as plain data: `fromJSON` plays them again. Recipes are the JSON patches that
   * they came to. Text of it is for `writeJson` of `structured-merge-diff/io`, as there may be bigints.
   */
  toJSON(): SimulationData {
    const requests = this.steps.map(({ request, time }) => ({ ...request, time }))
    return { type: "simulation", version: 1, objects: [...this.#start.values()], requests }
  }

  #timeOf(index: number): Date {
    return this.#options.clock?.(index) ?? new Date(Date.UTC(2026, 0, 1, 0, index))
  }

  #forget(): void {
    this.#history.length = this.#length
    this.#schemas.length = this.#length
    this.#checkpoints.length = Math.floor(this.#length / checkpointEvery) + 1
  }

  #forward({ after, key }: Step): void {
    if (key !== undefined) put(this.#objects, key, after)
    this.#length++
    this.#schema = this.#schemaAt(this.#length)
    if (this.#length % checkpointEvery === 0) this.#checkpoints[this.#length / checkpointEvery] = new Map(this.#objects)
  }

  #move(to: number): boolean {
    if (!(to >= 0 && to <= this.#history.length)) return false
    this.#objects = this.#objectsAt(to)
    this.#length = to
    this.#schema = this.#schemaAt(to)
    return true
  }

  #check(step: number): void {
    if (Number.isInteger(step) && step >= 0 && step <= this.#length) return
    throw new RangeError(`there is no step ${step}: there are ${this.#length}`)
  }

  #schemaAt(step: number): string {
    return step === 0 ? this.#schemaAtStart : (this.#schemas[step - 1] ?? "")
  }

  #objectsAt(step: number): Map<string, MapValue> {
    const checkpoint = Math.min(Math.floor(step / checkpointEvery), this.#checkpoints.length - 1)
    const objects = new Map(this.#checkpoints[checkpoint])
    for (const { key, after } of this.#history.slice(checkpoint * checkpointEvery, step)) {
      if (key !== undefined) put(objects, key, after)
    }
    return objects
  }
}

function put(objects: Map<string, MapValue>, key: string, object: MapValue | undefined): void {
  if (object === undefined) objects.delete(key)
  else objects.set(key, object)
}

/**
 * Plays field managers against each other as an API server would: each request is merged, owned or refused by the engine, and told as a
 * step. Objects and configurations that are given are never changed.
 *
 * @example
 * ```ts
 * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
 * import { simulate } from "structured-merge-diff/simulator"
 *
 * const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } }
 * const simulation = simulate({ types: kubernetesTypes })
 * simulation.apply("gitops", { ...web, spec: { replicas: 3 } })
 * simulation.patch("autoscaler", { spec: { replicas: 7 } }, { subresource: "scale" })
 *
 * const { outcome, error } = simulation.apply("gitops", { ...web, spec: { replicas: 4 } })
 * console.log(`${outcome}: ${error?.message}`)
 * // conflict: Apply failed with 1 conflict: conflict with "autoscaler" with subresource "scale" using apps/v1: .spec.replicas
 * ```
 */
export function simulate(options: SimulationOptions): Simulation {
  return new Simulation(options)
}

/**
 * Plays again what `toJSON` gave: all objects, owners, times and steps are the same. `options` are those of the simulation, with every
 * schema that it changed to; the objects and the times are those of the data.
 */
export function fromJSON(data: SimulationData, options: Omit<SimulationOptions, "objects">): Simulation {
  const simulation = new Simulation({ ...options, objects: data.objects })
  for (const request of data.requests) simulation.play(request)
  return simulation
}
