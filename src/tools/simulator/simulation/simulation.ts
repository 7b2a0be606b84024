// A simulation: objects, the requests that managers make, and the steps that result, with undo and redo.
//
// world.ts plays one request, step.ts holds its result, and history.ts holds all steps and states.
import { formatTime } from "../../../managedfields/entries/time.js"
import { managerOptions, objectOf } from "../../../managedfields/request.js"
import type { TypeFinder } from "../../../managedfields/types/object-types.js"
import { metaText } from "../../../schema/metadata.js"
import {
  aFunction,
  aListOfObjects,
  anObject,
  aString,
  optional,
  requireArgument,
  requireOptions,
} from "../../../value/argument.js"
import type { MapValue } from "../../../value/value.js"
import type { ObjectName } from "../../ownership/object-name.js"
import {
  Controller,
  Controllers,
  type OnReconcile,
  type Reconcile,
  type ReplaceRequest,
  type SettleOptions,
  type SettleResult,
} from "./controller.js"
import { type ObjectDifference, objectDifferences } from "./difference.js"
import { frozenCopy } from "./frozen-copy.js"
import { History } from "./history.js"
import { keyOfObject, type Objects } from "./objects.js"
import type {
  ApplyStepOptions,
  DeleteStepOptions,
  ObjectRef,
  Recipe,
  SimulationRequest,
  UpdateStepOptions,
} from "./request.js"
import type { Snapshot } from "./snapshot.js"
import { Step, type StepData } from "./step.js"
import { type SimulationSchema, World } from "./world.js"

/** The options of a simulation. Only `types` is required. */
export interface SimulationOptions extends SimulationSchema {
  /** The objects at the start, with managedFields if they have owners. The simulation copies them. */
  readonly objects?: readonly object[] | undefined
  /** Schemas by name, for `changeSchema`. */
  readonly schemas?: Readonly<Record<string, SimulationSchema>> | undefined
  /**
   * Returns the time of the step with this number, counted from 1. By default the first step is at 2026-01-01T00:01:00Z and each
   * following step is one minute later.
   */
  readonly clock?: ((step: number) => Date) | undefined
}

/** A simulation as plain data: the objects at the start, and the requests. */
export interface SimulationData {
  /** Distinguishes this record from other results of this entry. */
  readonly type: "simulation"
  /** The version of this format. */
  readonly version: 1
  /** The objects at the start. */
  readonly objects: readonly MapValue[]
  /** All requests, with their times. */
  readonly requests: readonly SimulationRequest[]
}

/** Objects that several managers write, with the history of their requests. `simulate` creates one. */
export class Simulation {
  private readonly clock: SimulationOptions["clock"]
  private readonly worlds: Map<string, World>
  private readonly history: History
  /** The highest resourceVersion of the objects at the start; 0 if they have none. */
  private readonly startVersion: number
  private readonly controllers: Controllers
  private isPlaying = false

  /** @internal */
  constructor(
    clock: SimulationOptions["clock"],
    history: History,
    worlds: ReadonlyMap<string, World>,
    controllers: Controllers,
  ) {
    this.clock = clock
    this.history = history
    this.worlds = new Map(worlds)
    this.controllers = controllers
    const versions = [...history.start.values()].map(object => Number(metaText(object, "resourceVersion")))
    this.startVersion = Math.max(0, ...versions.filter(Number.isSafeInteger))
  }

  /** Applies a configuration (server-side apply). Creates the object if it does not exist. */
  apply(manager: string, config: object, options: ApplyStepOptions = {}): Step {
    return this.play({ ...options, manager, apply: config })
  }

  /** Sends a PUT of a changed live object: `recipe` changes a draft of the live object, or returns another object. */
  update<T extends object>(manager: string, recipe: Recipe<T>, options?: UpdateStepOptions): Step
  /**
   * Sends a PUT: `next` replaces the live object. If `next` has a resourceVersion, it must be the live object's. If it has none, it is
   * treated as if it had the live object's.
   */
  update(manager: string, next: object, options?: Omit<UpdateStepOptions, "object">): Step
  update(manager: string, update: object, options: UpdateStepOptions = {}): Step {
    return this.play({ ...options, manager, update })
  }

  /** Sends a PATCH: a JSON merge patch (an object), or a JSON patch (a list of operations). */
  patch(manager: string, patch: object, options: UpdateStepOptions = {}): Step {
    return this.play({ ...options, manager, patch })
  }

  /** Sends a POST that creates an object. */
  create(manager: string, object: object, options: Omit<UpdateStepOptions, "object"> = {}): Step {
    return this.play({ ...options, manager, create: object })
  }

  /** Sends a DELETE. */
  delete(object: ObjectRef, options: DeleteStepOptions = {}): Step {
    return this.play({ ...options, delete: object })
  }

  /** Switches to the schema with this name for the following requests. `schema` adds or replaces the schema of that name first. */
  changeSchema(name: string, schema?: SimulationSchema): Step {
    if (schema !== undefined) this.worlds.set(name, new World(schema))
    return this.play({ changeSchema: name })
  }

  /**
   * Plays one request and returns its step. A refused request is a step too: its `outcome` says so. Discards steps that were undone.
   * Throws, without adding a step, if the input is not a valid request: a TypeError if it does not identify an object, and a RangeError for an
   * unknown schema or an invalid time. Also throws a StructuredMergeError for values that contain themselves or nest too deeply. Errors
   * that recipes and other functions throw pass through.
   */
  play(request: SimulationRequest): Step {
    requireArgument("request", request, anObject)
    this.checkIdle()
    const index = this.length + 1
    const time = request.time === undefined ? this.timeOf(index) : new Date(request.time)
    if (Number.isNaN(time.getTime())) throw new RangeError(`${request.time} is not a time`)
    const schema = "changeSchema" in request ? request.changeSchema : this.history.schema
    const world = this.worlds.get(schema)
    if (world === undefined) throw new RangeError(`there is no schema ${JSON.stringify(schema)}`)
    const resourceVersion = String(this.startVersion + index)
    this.isPlaying = true
    let played: StepData
    try {
      played = world.play(this.history.objects, request, { time, resourceVersion }, () => this.earlierObjects())
    } finally {
      this.isPlaying = false
    }
    const step = new Step(index, formatTime(time), played)
    this.history.push(step, schema)
    return step
  }

  /** The steps in order, without steps that were undone. */
  get steps(): readonly Step[] {
    return this.history.steps
  }

  /** The number of steps, without steps that were undone. */
  get length(): number {
    return this.history.length
  }

  /** The types of the current schema. */
  get types(): TypeFinder {
    return (this.worlds.get(this.history.schema) as World).schema.types
  }

  /** All current objects, sorted by kind, namespace and name. */
  get objects(): readonly MapValue[] {
    return this.now().objects
  }

  /** Returns the current object that the reference identifies; see `Snapshot.get`. */
  get(object?: ObjectRef): MapValue | undefined {
    return this.now().get(object)
  }

  /** Returns the current state: all objects, the schema and the number of steps. */
  now(): Snapshot {
    return this.history.now()
  }

  /** Returns the state after the step with this number; 0 is the start. Throws a RangeError if the step does not exist. */
  at(step: number): Snapshot {
    this.check(step)
    return this.history.at(step)
  }

  /** Goes back `steps` steps, by default one. Returns false and changes nothing if there are fewer. */
  undo(steps = 1): boolean {
    return this.move(this.length - steps)
  }

  /** Restores `steps` steps that were undone, by default one. Returns false and changes nothing if there are fewer. */
  redo(steps = 1): boolean {
    return this.move(this.length + steps)
  }

  /**
   * Adds a controller: a function that reads the objects and returns requests. Its requests may depend only on the objects that it reads.
   * The manager of each request is `name`, unless the request names another manager. `settle` and `contend` call the controller.
   */
  controller(name: string, reconcile: Reconcile): this {
    requireArgument("name", name, aString)
    requireArgument("reconcile", reconcile, aFunction)
    this.controllers.add(new Controller(name, reconcile))
    return this
  }

  /**
   * Calls all controllers in rounds, in the order in which they were added, until a round changes nothing or `rounds` rounds (by default
   * 100) have been played.
   */
  settle(options: SettleOptions = {}): SettleResult {
    requireOptions("options", options)
    const { rounds = 100 } = options
    const steps: Step[] = []
    for (let round = 1; round <= rounds; round++) {
      const stepsOfRound = this.playRound()
      for (const step of stepsOfRound) steps.push(step)
      if (!stepsOfRound.some(({ before, after }) => before !== after)) return { settled: true, rounds: round, steps }
    }
    return { settled: false, rounds, steps }
  }

  /** @internal */
  playRound(replace: ReplaceRequest = request => request, onReconcile?: OnReconcile): Step[] {
    const play = (request: SimulationRequest) => this.play(replace(request, this.history.peek(), this.types))
    return this.controllers.playRound(onRead => this.history.now(onRead), play, onReconcile)
  }

  /** @internal */
  restarted(): Simulation {
    return this.on(new History(this.history.sharedObjects(), this.history.schema))
  }

  /** Returns an independent simulation with the same history, without steps that were undone. */
  fork(): Simulation {
    return this.on(this.history.fork())
  }

  private on(history: History): Simulation {
    return new Simulation(this.clock, history, this.worlds, this.controllers.copy())
  }

  /** Returns the differences between the states after two steps, for each object that differs. */
  diff(from: number, to: number): ObjectDifference[] {
    this.check(from)
    this.check(to)
    const { types } = (this.worlds.get(this.history.schemaAt(to)) as World).schema
    return objectDifferences(types, this.history.objectsAt(from), this.history.objectsAt(to))
  }

  /**
   * Returns the objects at the start and all requests as plain data, without requests that were undone; `fromJSON` plays them again. A
   * recipe becomes the JSON patch of its changes. The data may contain bigints: use `writeJson` of `structured-merge-diff/io` to make text.
   */
  toJSON(): SimulationData {
    const requests = this.steps.map(({ request, time }) => ({ ...request, time }))
    return { type: "simulation", version: 1, objects: [...this.history.start.values()], requests }
  }

  /** Throws if a recipe or another function of a request tries to change the simulation that is playing the request. */
  private checkIdle(): void {
    if (this.isPlaying)
      throw new TypeError("a function of a request can't change the simulation that plays the request")
  }

  /** The names of the objects of all steps, by key. Some of the objects may be deleted. */
  private earlierObjects(): Map<string, ObjectName> {
    return new Map(this.steps.flatMap(({ key, target }) => (key && target ? [[key, target]] : [])))
  }

  private timeOf(index: number): Date {
    return this.clock?.(index) ?? new Date(Date.UTC(2026, 0, 1, 0, index))
  }

  private move(to: number): boolean {
    this.checkIdle()
    return this.history.move(to)
  }

  private check(step: number): void {
    if (Number.isInteger(step) && step >= 0 && step <= this.length) return
    throw new RangeError(`there is no step ${step}: there are ${this.length}`)
  }
}

function startOf({ objects = [] }: SimulationOptions, world: World): Objects {
  return new Map(objects.map(object => [keyOfObject(objectOf(object)), world.stored(frozenCopy(objectOf(object)))]))
}

function worldsOf({ schemas = {}, ...schema }: SimulationOptions): Map<string, World> {
  const worlds = Object.entries(schemas).map(([name, later]) => [name, new World(later)] as const)
  return new Map([["", new World(schema)], ...worlds])
}

/**
 * Creates a simulation, which computes requests of several field managers as an API server would. Each request becomes a step with its
 * result. The simulation copies the objects and configurations that it is given and does not change them. The objects that it returns are
 * frozen.
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
  return new Simulation(options.clock, new History(start, ""), worlds, new Controllers())
}

/**
 * Plays the data of `toJSON` again. All objects, owners, times and steps are the same. `options` must be the options of the simulation and
 * contain every schema that it changed to. The objects and times come from the data.
 */
export function fromJSON(data: SimulationData, options: Omit<SimulationOptions, "objects">): Simulation {
  const simulation = simulate({ ...options, objects: data.objects })
  for (const request of data.requests) simulation.play(request)
  return simulation
}
