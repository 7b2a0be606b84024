// The requests of managers: one record for each kind of request, used in code, in stories and in `toJSON`.
import type { ApplierName, ApplierProfile } from "../../appliers/profile.js"
import type { ResolveRequest } from "../../ownership/resolve.js"

/**
 * Identifies an object: `Deployment/web` or `Deployment/default/web`, with the group if several groups have the kind
 * (`Deployment.apps/web`). In a record, a property that is absent matches anything.
 */
export type ObjectRef =
  | string
  | {
      /** Group and version; the version is ignored. */
      readonly apiVersion?: string | undefined
      /** The kind: `Deployment`. */
      readonly kind?: string | undefined
      /** The namespace; absent and `default` are the same. */
      readonly namespace?: string | undefined
      /** The name. */
      readonly name?: string | undefined
    }

/** Changes a draft (of immer) of the live object, or returns another object. */
export type Recipe<T extends object> = (live: T) => unknown

/** The properties of every request. */
export interface RequestBase {
  /** The time of the request, in RFC 3339; by default the time of the simulation's clock. */
  readonly time?: string | undefined
}

/** The properties of every request of a manager. */
export interface ManagerRequest extends RequestBase {
  /** The name of the manager. */
  readonly manager: string
  /** The subresource that the request writes, such as `status`; "" or absent for the main resource. */
  readonly subresource?: string | undefined
}

/** A server-side apply. Creates the object if it does not exist. */
export interface SimulatedApply extends ManagerRequest {
  /** The configuration. It names its object. */
  readonly apply: object
  /** Whether to take fields from their owners instead of failing. */
  readonly force?: boolean | undefined
  /** The tool that applies, with its own steps before and after: the name of a built-in profile, or a profile. */
  readonly as?: ApplierName | ApplierProfile | undefined
  /** How to resolve conflicts before the configuration is applied, as in `resolve`. Not for the applies of tools. */
  readonly onConflict?: ResolveRequest["onConflict"] | undefined
}

/** A PUT, which replaces the live object. */
export interface SimulatedUpdate extends ManagerRequest {
  /** The new object, or a recipe that changes the live one. */
  readonly update: object | Recipe<never>
  /** The object that a recipe is for. May be absent if the simulation has only one object. */
  readonly object?: ObjectRef | undefined
}

/** A PATCH of the live object. */
export interface SimulatedPatch extends ManagerRequest {
  /** A JSON merge patch (an object), or a JSON patch (a list of operations). */
  readonly patch: object
  /** The object that the patch is for. May be absent if the simulation has only one object. */
  readonly object?: ObjectRef | undefined
}

/** A POST, which creates an object. */
export interface SimulatedCreate extends ManagerRequest {
  /** The new object. */
  readonly create: object
}

/** A DELETE. */
export interface SimulatedDelete extends RequestBase {
  /** The manager that deletes. It has no effect on the result. */
  readonly manager?: string | undefined
  /** The object to delete. */
  readonly delete: ObjectRef
}

/** A switch to another schema, as when a cluster or a definition is upgraded. */
export interface SimulatedSchemaChange extends RequestBase {
  /** The name of one of the simulation's schemas; "" for the schema at the start. */
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

/** The verbs of requests, which are also the keys of their contents, as they stand behind the name of a manager. */
export const verbs = {
  apply: "applies",
  update: "updates",
  patch: "patches",
  create: "creates",
  delete: "deletes",
  changeSchema: "changes the schema",
} as const

/** Returns the verb of the request. */
export function verbOf(request: object): keyof typeof verbs {
  return Object.keys(verbs).find(verb => Object.hasOwn(request, verb)) as keyof typeof verbs
}

/** The options of `Simulation.apply`. */
export type ApplyStepOptions = Pick<SimulatedApply, "as" | "force" | "onConflict" | "subresource" | "time">
/** The options of `Simulation.update` and `Simulation.patch`. */
export type UpdateStepOptions = Pick<SimulatedUpdate, "object" | "subresource" | "time">
/** The options of `Simulation.delete`. */
export type DeleteStepOptions = Pick<SimulatedDelete, "manager" | "time">

/** A request for one object. */
export type ObjectRequest = Exclude<SimulationRequest, SimulatedSchemaChange>

/** Returns the subresource that the request writes; undefined or "" for the object itself. */
export function subresourceOf(request: ObjectRequest): string | undefined {
  return "subresource" in request ? request.subresource : undefined
}
