// A controller of a simulation, and the rounds in which all controllers of one simulation play.
import type { TypeFinder } from "../../../managedfields/types/object-types.js"
import type {
  ManagerRequest,
  SimulatedApply,
  SimulatedCreate,
  SimulatedPatch,
  SimulatedUpdate,
  SimulationRequest,
} from "./request.js"
import type { OnRead, Snapshot } from "./snapshot.js"
import type { Step } from "./step.js"

/** A request of a controller. Its manager is the controller's name unless the request names another. */
export type ControllerRequest =
  | ({
      /** The name of the manager; by default the controller's name. */
      readonly manager?: ManagerRequest["manager"] | undefined
    } & (
      | Omit<SimulatedApply, "manager">
      | Omit<SimulatedUpdate, "manager">
      | Omit<SimulatedPatch, "manager">
      | Omit<SimulatedCreate, "manager">
    ))
  | Exclude<SimulationRequest, ManagerRequest>

/** Reads the objects and returns one request, several, or none. */
export type Reconcile = (now: Snapshot) => ControllerRequest | readonly ControllerRequest[] | undefined

/** A controller of a simulation, and of its forks. */
export class Controller {
  readonly name: string
  private readonly reconcile: Reconcile
  /** The number of active calls of `reconcile`. */
  private depth = 0

  constructor(name: string, reconcile: Reconcile) {
    this.name = name
    this.reconcile = reconcile
  }

  /** Returns the requests of the controller. `reconcile` may play a fork, which calls it again, up to `maxNested` times. */
  requests(now: Snapshot): SimulationRequest[] {
    if (this.depth === maxNested) {
      const cause = `controller ${JSON.stringify(this.name)} plays a fork that calls this controller again`
      throw new TypeError(`${cause}, without end: play the fork without it`)
    }
    this.depth++
    try {
      return namedRequests(this.name, this.reconcile(now))
    } finally {
      this.depth--
    }
  }
}

const maxNested = 16

/** Replaces a request before it is played. `now` is valid only during the call. */
export type ReplaceRequest = (request: SimulationRequest, now: Snapshot, types: TypeFinder) => SimulationRequest

/** Receives the keys of the objects that a controller has read (undefined: all objects), and the steps of its requests. */
export type OnReconcile = (read: ReadonlySet<string | undefined>, steps: readonly Step[]) => void

/** The controllers of one simulation. */
export class Controllers {
  private readonly all: Controller[]
  private isReconciling = false

  constructor(all: readonly Controller[] = []) {
    this.all = [...all]
  }

  add(controller: Controller): void {
    this.all.push(controller)
  }

  /** Returns the same controllers for a copy of the simulation. */
  copy(): Controllers {
    return new Controllers(this.all)
  }

  /**
   * Plays the requests of each controller once, in the order in which the controllers were added. `now` returns the state that a controller
   * reads, and `play` plays one request.
   */
  playRound(
    now: (onRead: OnRead) => Snapshot,
    play: (request: SimulationRequest) => Step,
    onReconcile?: OnReconcile,
  ): Step[] {
    if (this.isReconciling) {
      throw new TypeError("a controller called settle on its own simulation: return requests from reconcile instead")
    }
    this.isReconciling = true
    try {
      return this.all.flatMap(controller => {
        const read = new Set<string | undefined>()
        const steps = controller.requests(now(key => read.add(key))).map(play)
        onReconcile?.(read, steps)
        return steps
      })
    } finally {
      this.isReconciling = false
    }
  }
}

/** The limits of `settle` and `contend`. */
export interface SettleOptions {
  /** The maximum number of rounds; 100 by default. */
  readonly rounds?: number | undefined
}

/** The result of `settle`. */
export interface SettleResult {
  /** Whether the last round changed nothing. */
  readonly settled: boolean
  /** The number of rounds that were played. */
  readonly rounds: number
  /** All steps that were played, including steps that changed nothing. */
  readonly steps: readonly Step[]
}

/** Returns the result of `reconcile` as a list, with the controller's name as the manager of requests that name none. */
export function namedRequests(name: string, result: ReturnType<Reconcile>): SimulationRequest[] {
  if (result === undefined) return []
  const all: readonly ControllerRequest[] = Array.isArray(result) ? result : [result as ControllerRequest]
  return all.map(
    request =>
      ("changeSchema" in request ? request : { ...request, manager: request.manager ?? name }) as SimulationRequest,
  )
}
