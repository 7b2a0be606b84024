import type {
  ManagerRequest,
  SimulatedApply,
  SimulatedCreate,
  SimulatedDelete,
  SimulatedPatch,
  SimulatedSchemaChange,
  SimulatedUpdate,
  SimulationRequest,
} from "./request.js"
import type { Snapshot } from "./snapshot.js"
import type { Step } from "./step.js"

/** A request that a controller asks for. Its manager is the controller's name unless it names another. */
export type ControllerRequest =
  | ({
      /** The name of the manager; the controller's if absent. */
      readonly manager?: ManagerRequest["manager"] | undefined
    } & (
      | Omit<SimulatedApply, "manager">
      | Omit<SimulatedUpdate, "manager">
      | Omit<SimulatedPatch, "manager">
      | Omit<SimulatedCreate, "manager">
    ))
  | SimulatedDelete
  | SimulatedSchemaChange

/** Looks at all objects and says what it wants of them: a request, several, or nothing. */
export type Reconcile = (now: Snapshot) => ControllerRequest | readonly ControllerRequest[] | undefined

/** A controller of a simulation, and of its forks. */
export class Controller {
  readonly name: string
  private readonly reconcile: Reconcile
  /** How many calls of `reconcile` are under way. */
  private depth = 0

  constructor(name: string, reconcile: Reconcile) {
    this.name = name
    this.reconcile = reconcile
  }

  /** The requests that it asks for. To find them it may play a fork, which asks it again; but not without end. */
  requests(now: Snapshot): SimulationRequest[] {
    if (this.depth === maxNested) {
      const what = `controller ${JSON.stringify(this.name)} plays the controllers of a fork each time it is asked`
      throw new TypeError(`${what}, which asks it again: play the fork without it`)
    }
    this.depth++
    try {
      return requestsOf(this.name, this.reconcile(now))
    } finally {
      this.depth--
    }
  }
}

const maxNested = 16

/** How long controllers are played. */
export interface SettleOptions {
  /** How many rounds are played at most; 100 if absent. */
  readonly rounds?: number | undefined
}

/** The result of `settle`. */
export interface Settled {
  /** Whether nothing moves any more. */
  readonly settled: boolean
  /** How many rounds were played; the last of them changed nothing if it is settled. */
  readonly rounds: number
  /** All steps that were played, those that changed nothing too. */
  readonly steps: readonly Step[]
}

/** The requests that a controller of this name asks for. */
export function requestsOf(name: string, asked: ReturnType<Reconcile>): SimulationRequest[] {
  if (asked === undefined) return []
  const all: readonly ControllerRequest[] = Array.isArray(asked) ? asked : [asked as ControllerRequest]
  return all.map(
    request =>
      ("changeSchema" in request ? request : { ...request, manager: request.manager ?? name }) as SimulationRequest,
  )
}
