// The properties of the element, and the details of its events.
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import type { BlamedField } from "../ownership/blame.js"
import type { ExplainedConflict } from "../ownership/explain.js"

/** The properties of an owners view. Every one can be set at any time. */
export interface OwnersViewProperties {
  /** The live object, with its managedFields; undefined if there is none. */
  object: object | undefined
  /** Finds the types of objects: `kubernetesTypes`, or kinds with definitions. Needed for a configuration. */
  types: TypeFinder | undefined
  /** A configuration as YAML. The view shows what applying it would change, or its conflicts with their ways out. */
  configuration: string | undefined
  /** The manager that would apply the configuration: `kubectl` if it is not set. Also an attribute. */
  manager: string
  /** Whether the apply would be forced. */
  force: boolean
}

/** The detail of the event `smd-select`: the user has selected a line. */
export interface SelectedLine {
  /** The fields that begin on the line, with their owners. */
  readonly fields: readonly BlamedField[]
}

/**
 * The detail of the event `smd-way`: the user has chosen a way out of a conflict. Unless the event is cancelled, the view then shows the
 * effect of the new configuration, or of the forced apply.
 */
export interface ChosenWay {
  /** The way. */
  readonly way: "relinquish" | "share" | "overwrite"
  /** The conflict. */
  readonly conflict: ExplainedConflict
  /** The configuration after the way; absent for `overwrite`, and if edits of the text can't be the way. */
  readonly configuration?: string
}
