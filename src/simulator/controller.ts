import type {
  ApplyRequest,
  CreateRequest,
  DeleteRequest,
  ManagerRequest,
  PatchRequest,
  SchemaRequest,
  SimulationRequest,
  UpdateRequest,
} from "./request.js"
import type { Snapshot } from "./snapshot.js"
import type { Step } from "./step.js"

/** What a controller asks for: a request, whose manager is the controller's name unless it names another. */
export type ControllerRequest =
  | (Partial<Pick<ManagerRequest, "manager">> &
      (
        | Omit<ApplyRequest, "manager">
        | Omit<UpdateRequest, "manager">
        | Omit<PatchRequest, "manager">
        | Omit<CreateRequest, "manager">
      ))
  | DeleteRequest
  | SchemaRequest

/** Looks at all objects and says what it wants of them: a request, several, or nothing. */
export type Reconcile = (now: Snapshot) => ControllerRequest | readonly ControllerRequest[] | undefined

/** A controller of a simulation. */
export interface Controller {
  readonly name: string
  readonly reconcile: Reconcile
}

/** How long controllers are played. */
export interface SettleOptions {
  /** How many rounds are played at most; 100 if absent. */
  readonly rounds?: number
}

/** What `settle` came to. */
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
  return all.map(request => ("changeSchema" in request ? request : { manager: name, ...request }) as SimulationRequest)
}
