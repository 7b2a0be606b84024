// What managers ask of objects: one record for each kind of request, as code, stories and histories spell it.
import type { ResolveRequest } from "../ownership/resolve.js"

/**
 * Which object: `Deployment/web`, `Deployment/default/web`, with the group if several have the kind (`Deployment.apps/web`). As a
 * record, what is left out may be anything.
 */
export type ObjectRef =
  | string
  | {
      /** Group and version; the version does not count. */
      readonly apiVersion?: string | undefined
      /** The kind: `Deployment`. */
      readonly kind?: string | undefined
      /** The namespace; absent and `default` are the same. */
      readonly namespace?: string | undefined
      /** The name. */
      readonly name?: string | undefined
    }

/** Changes the live object, of which it gets a draft of immer, or returns another object. */
export type Recipe<T extends object> = (live: T) => unknown

/** What every request may say. */
export interface RequestBase {
  /** When it is made, in RFC 3339; the time of the simulation's clock if absent. */
  readonly time?: string | undefined
}

/** What every request of a manager may say. */
export interface ManagerRequest extends RequestBase {
  /** The name of the manager. */
  readonly manager: string
  /** The subresource through which it is made, such as `status`; "" or absent for the main resource. */
  readonly subresource?: string | undefined
}

/** Server-side apply. Creates the object if there is none. */
export interface SimulatedApply extends ManagerRequest {
  /** The configuration. It says which object it is for. */
  readonly apply: object
  /** Take fields that others own. */
  readonly force?: boolean | undefined
  /** What to do about conflicts before the configuration is applied, as in `resolve`. */
  readonly onConflict?: ResolveRequest["onConflict"] | undefined
}

/** A PUT: another object in place of the live one. */
export interface SimulatedUpdate extends ManagerRequest {
  /** The object, or a recipe that makes it of the live one. */
  readonly update: object | Recipe<never>
  /** Which object a recipe is for; absent where there is one only. */
  readonly object?: ObjectRef | undefined
}

/** A PATCH of the live object. */
export interface SimulatedPatch extends ManagerRequest {
  /** A JSON merge patch, or a list of operations: a JSON patch. */
  readonly patch: object
  /** Which object it is for; absent where there is one only. */
  readonly object?: ObjectRef | undefined
}

/** A POST of an object that is not there yet. */
export interface SimulatedCreate extends ManagerRequest {
  /** The object. */
  readonly create: object
}

/** A DELETE. */
export interface SimulatedDelete extends RequestBase {
  /** Who deletes; nothing depends on it. */
  readonly manager?: string | undefined
  /** Which object. */
  readonly delete: ObjectRef
}

/** From here on the types are others, as when a cluster or a definition is upgraded. */
export interface SimulatedSchemaChange extends RequestBase {
  /** The name of the schema, among those that the simulation was given; "" for the one it began with. */
  readonly changeSchema: string
}

/** One request. */
export type SimulationRequest =
  | SimulatedApply
  | SimulatedUpdate
  | SimulatedPatch
  | SimulatedCreate
  | SimulatedDelete
  | SimulatedSchemaChange

/** The options of `Simulation.apply`. */
export type ApplyStepOptions = Pick<SimulatedApply, "force" | "onConflict" | "subresource" | "time">
/** The options of `Simulation.update` and `Simulation.patch`. */
export type UpdateStepOptions = Pick<SimulatedUpdate, "object" | "subresource" | "time">
/** The options of `Simulation.delete`. */
export type DeleteStepOptions = Pick<SimulatedDelete, "manager" | "time">
