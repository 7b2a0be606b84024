// A simulation: objects, the managers that write them, and what came of it, forward and back.
//
// world.ts plays one request, step.ts tells the outcome, and history.ts has all steps and states.
import { formatTime } from "../../managedfields/entries/time.js"
import { managerOptions, objectOf } from "../../managedfields/request.js"
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { metaText } from "../../requests/metadata.js"
import { aListOfObjects, anObject, optional, requireArgument, requireOptions } from "../../value/argument.js"
import type { MapValue } from "../../value/value.js"
import { nameOf, type ObjectName } from "../ownership/object-name.js"
import type { OwnershipChange } from "../ownership/transfers.js"
import { Controller, type Reconcile, type Settled, type SettleOptions } from "./controller.js"
import { type FieldChange, fieldChanges, ownerChanges } from "./difference.js"
import { History } from "./history.js"
import { kept } from "./kept.js"
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
import { type Played, Step } from "./step.js"
import { type SimulationSchema, World } from "./world.js"

/** The options of a simulation. Only `types` is required. */
export interface SimulationOptions extends SimulationSchema {
  /** The objects at the start, with managedFields if somebody owns something. They are copied. */
  readonly objects?: readonly object[] | undefined
  /** Schemas by name, for `changeSchema`. */
  readonly schemas?: Readonly<Record<string, SimulationSchema>> | undefined
  /**
   * The time of a step, which has this number. By default the first is at 2026-01-01T00:01:00Z and each is a minute after the one
   * before.
   */
  readonly clock?: ((step: number) => Date) | undefined
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

/** Changes a request before it is played. `now` holds until then. */
type Change = (request: SimulationRequest, now: Snapshot, types: TypeFinder) => SimulationRequest

/** Hears what a controller has read, by keys with undefined for all objects, and the steps that it asked for then. */
type Watch = (read: ReadonlySet<string | undefined>, steps: readonly Step[]) => void

/** Managers played against each other. Made by `simulate`. */
export class Simulation {
  readonly #clock: SimulationOptions["clock"]
  readonly #worlds: Map<string, World>
  readonly #history: History
  /** Above the resourceVersions of the objects at the start. */
  readonly #firstVersion: number
  #controllers: readonly Controller[] = []
  #isPlaying = false
  #isReconciling = false

  /** @internal */
  constructor(clock: SimulationOptions["clock"], history: History, worlds: ReadonlyMap<string, World>) {
    this.#clock = clock
    this.#history = history
    this.#worlds = new Map(worlds)
    const versions = [...history.start.values()].map(object => Number(metaText(object, "resourceVersion")))
    this.#firstVersion = Math.max(0, ...versions.filter(Number.isSafeInteger))
  }

  /** Server-side apply. Creates the object if there is none. */
  apply(manager: string, config: object, options: ApplyStepOptions = {}): Step {
    return this.play({ ...options, manager, apply: config })
  }

  /** A PUT of an object that is made of the live one: `recipe` changes a draft of it, or returns another object. */
  update<T extends object>(manager: string, recipe: Recipe<T>, options?: UpdateStepOptions): Step
  /** A PUT: `next` takes the place of the live object. A resourceVersion has to be the live one's; without one, the live one's is meant. */
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
   * Plays one request, and returns the step that it makes. A request that an API server refuses is a step too, as its `outcome` says. Steps
   * that were undone are forgotten. Throws, and makes no step, if the request can't be one: a TypeError if nothing says which object is
   * meant, a RangeError for a schema that is not known or a time that can't be read, a StructuredMergeError for values that contain
   * themselves or nest too deeply, and whatever recipes and other functions throw.
   */
  play(request: SimulationRequest): Step {
    requireArgument("request", request, anObject)
    this.#checkIdle()
    const index = this.length + 1
    const time = request.time === undefined ? this.#timeOf(index) : new Date(request.time)
    if (Number.isNaN(time.getTime())) throw new RangeError(`${request.time} is not a time`)
    const schema = "changeSchema" in request ? request.changeSchema : this.#history.schema
    const world = this.#worlds.get(schema)
    if (world === undefined) throw new RangeError(`there is no schema ${JSON.stringify(schema)}`)
    const resourceVersion = String(this.#firstVersion + index)
    this.#isPlaying = true
    let played: Played
    try {
      played = world.play(this.#history.objects, request, { time, resourceVersion }, () => this.#asked())
    } finally {
      this.#isPlaying = false
    }
    const step = new Step(index, formatTime(time), played)
    this.#history.push(step, schema)
    return step
  }

  /** The steps that count, in their order. */
  get steps(): readonly Step[] {
    return this.#history.steps
  }

  /** How many steps count. */
  get length(): number {
    return this.#history.length
  }

  /** The types as they are now. */
  get types(): TypeFinder {
    return (this.#worlds.get(this.#history.schema) as World).schema.types
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
    return new Snapshot(this.length, this.#history.schema, this.#history.snapshot())
  }

  /** Everything as it was after the step with this number; 0 is the start. Throws a RangeError where there is no such step. */
  at(step: number): Snapshot {
    this.#check(step)
    return new Snapshot(step, this.#history.schemaAt(step), this.#history.objectsAt(step))
  }

  /** Goes back a step, or as many as are asked for. Returns whether there were that many. */
  undo(steps = 1): boolean {
    return this.#move(this.length - steps)
  }

  /** Goes forward again over steps that were undone. Returns whether there were that many. */
  redo(steps = 1): boolean {
    return this.#move(this.length + steps)
  }

  /**
   * Adds a controller: a function that looks at all objects and says what it wants of them. It has to decide by what it sees alone. Its
   * requests are those of the manager of this name, unless they name another. `settle` and `contend` call it.
   */
  controller(name: string, reconcile: Reconcile): this {
    this.#controllers = [...this.#controllers, new Controller(name, reconcile)]
    return this
  }

  /**
   * Calls all controllers, one after the other in the order in which they were added, round by round until a round changes nothing or there
   * were as many as are allowed; 100 if that is not said.
   */
  settle(options: SettleOptions = {}): Settled {
    requireOptions("options", options)
    const { rounds = 100 } = options
    const steps: Step[] = []
    for (let round = 1; round <= rounds; round++) {
      const made = this.playRound()
      for (const step of made) steps.push(step)
      if (!made.some(({ before, after }) => before !== after)) return { settled: true, rounds: round, steps }
    }
    return { settled: false, rounds, steps }
  }

  /** @internal */
  playRound(change: Change = request => request, watch?: Watch): Step[] {
    if (this.#isReconciling) {
      throw new TypeError("settle was called while a controller is being asked: return requests from reconcile instead")
    }
    this.#isReconciling = true
    try {
      return this.#controllers.flatMap(controller => {
        const read = new Set<string | undefined>()
        const now = new Snapshot(this.length, this.#history.schema, this.#history.snapshot(), key => read.add(key))
        const steps = controller.requests(now).map(request => {
          // It is looked at before the next step only, so nothing has to be copied for it.
          const current = new Snapshot(this.length, this.#history.schema, this.#history.objects)
          return this.play(change(request, current, this.types))
        })
        watch?.(read, steps)
        return steps
      })
    } finally {
      this.#isReconciling = false
    }
  }

  /** @internal */
  restarted(): Simulation {
    return this.#on(new History(this.#history.snapshot(), this.#history.schema))
  }

  /** A simulation that goes on from here on its own. It has the same history; steps that were undone are not in it. */
  fork(): Simulation {
    return this.#on(this.#history.fork())
  }

  #on(history: History): Simulation {
    const simulation = new Simulation(this.#clock, history, this.#worlds)
    simulation.#controllers = this.#controllers
    return simulation
  }

  /** What differs between the moments after two steps, object by object; what does not is left out. */
  diff(from: number, to: number): ObjectDifference[] {
    this.#check(from)
    this.#check(to)
    const [old, now] = [this.#history.objectsAt(from), this.#history.objectsAt(to)]
    const { types } = (this.#worlds.get(this.#history.schemaAt(to)) as World).schema
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
    return { type: "simulation", version: 1, objects: [...this.#history.start.values()], requests }
  }

  /** Throws where a recipe or another function of a request changes the simulation in the middle of that request. */
  #checkIdle(): void {
    if (this.#isPlaying)
      throw new TypeError("a function of a request can't change the simulation that plays the request")
  }

  /** The objects of all steps that count. */
  #asked(): Map<string, ObjectName> {
    return new Map(this.steps.flatMap(({ key, target }) => (key && target ? [[key, target]] : [])))
  }

  #timeOf(index: number): Date {
    return this.#clock?.(index) ?? new Date(Date.UTC(2026, 0, 1, 0, index))
  }

  #move(to: number): boolean {
    this.#checkIdle()
    return this.#history.move(to)
  }

  #check(step: number): void {
    if (Number.isInteger(step) && step >= 0 && step <= this.length) return
    throw new RangeError(`there is no step ${step}: there are ${this.length}`)
  }
}

function startOf({ objects = [] }: SimulationOptions, world: World): Objects {
  return new Map(objects.map(object => [keyOfObject(objectOf(object)), world.read(kept(objectOf(object)))]))
}

function worldsOf({ schemas = {}, ...schema }: SimulationOptions): Map<string, World> {
  const worlds = Object.entries(schemas).map(([name, later]) => [name, new World(later)] as const)
  return new Map([["", new World(schema)], ...worlds])
}

/**
 * Plays field managers against each other as an API server would: each request is merged, owned or refused by the engine, and told as a
 * step. Objects and configurations that are given are never changed, and copied. Objects that are returned are frozen.
 *
 * @example
 * ```ts
 * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
 * import { simulate } from "structured-merge-diff/simulator"
 *
 * const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } }
 * const simulation = simulate({ types: kubernetesTypes, objects: [web] })
 * simulation.apply("gitops", { ...web, spec: { replicas: 3 } }, { force: true })
 * simulation.patch("autoscaler", { spec: { replicas: 7 } }, { subresource: "scale" })
 *
 * const { outcome, error } = simulation.apply("gitops", { ...web, spec: { replicas: 4 } })
 * console.log(`${outcome}: ${error?.message}`)
 * // conflict: Apply failed with 1 conflict: conflict with "autoscaler" with subresource "scale" using apps/v1: .spec.replicas
 * ```
 */
export function simulate(options: SimulationOptions): Simulation {
  requireOptions("options", options, {
    ...managerOptions,
    objects: optional(aListOfObjects),
    schemas: optional(anObject),
  })
  const worlds = worldsOf(options)
  const start = startOf(options, worlds.get("") as World)
  return new Simulation(options.clock, new History(start, ""), worlds)
}

/**
 * Plays again what `toJSON` gave: all objects, owners, times and steps are the same. `options` are those of the simulation, with every
 * schema that it changed to; the objects and the times are those of the data.
 */
export function fromJSON(data: SimulationData, options: Omit<SimulationOptions, "objects">): Simulation {
  const simulation = simulate({ ...options, objects: data.objects })
  for (const request of data.requests) simulation.play(request)
  return simulation
}
