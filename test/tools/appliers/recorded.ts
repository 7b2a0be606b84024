/** The recordings of tools: test/vectors/appliers.json, which record.ts writes. */
import { join } from "node:path"
import { withMetadata } from "../../../src/schema/metadata.js"
import { own } from "../../../src/value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../../src/value/value.js"
import { projectRoot } from "../../support/entries.js"
import type { StoryTool } from "./stories.js"

export const vectorsFile = join(projectRoot, "test/vectors/appliers.json")

/** A story that a tool has played. */
export interface RecordedStory {
  readonly tool: StoryTool
  readonly name: string
  readonly namespace: string
  /** When the tool applied. */
  readonly time: string
  readonly config: MapValue
  readonly force: boolean
  /** The fields that the Kustomization leaves to others, as JSON pointers. */
  readonly ignore?: readonly string[]
  /** The object before the tool's apply. */
  readonly live?: MapValue
  /** The object after it, without the fields that only a server knows. */
  readonly after?: MapValue
  /** The tool's message, if it failed. */
  readonly error?: string
}

/** Returns the object without the fields that only a server knows, and without the times of its owners. */
export function withoutServerFields(object: MapValue): MapValue {
  const metadata = own(object, "metadata")
  const entries = isMap(metadata ?? null) ? own(metadata as MapValue, "managedFields") : undefined
  const managedFields = entries !== undefined && isList(entries) ? entries.map(withoutTime) : undefined
  const unknown = { resourceVersion: undefined, uid: undefined, creationTimestamp: undefined, generation: undefined }
  return withMetadata(object, { ...unknown, managedFields })
}

function withoutTime(entry: Value): Value {
  const { time: _, ...rest } = entry as Record<string, Value>
  return rest
}
