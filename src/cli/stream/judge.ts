// What a command has to say for itself to work on streams.
import type { Value } from "../../value/value.js"
import type { Document } from "../input/document.js"
import type { Input } from "../input/input.js"
import type { Arguments } from "../input/options.js"

/** What a command says of one object. */
export interface Judgement {
  /** Plain data; what has no JSON in it, such as methods, is left out. */
  readonly result: object
  /** The exit status that the command would have for this object alone. */
  readonly status: number
}

/** A command that works on streams: it says something of each object by itself. */
export interface StreamedCommand {
  /** The key of the result in a record. */
  readonly result: string
  /** Whether there is `--from audit`: events of an audit log stand for the objects that they say were stored. */
  readonly readsAudit?: boolean
  /** The object that a value of the stream is about; the value itself if absent. */
  readonly subjectOf?: (value: Value) => Value | undefined
  /** The operands that name streams; all of them if absent. */
  readonly streamsOf?: (args: Arguments) => readonly string[]
  /**
   * Reads what the options name, and returns what says something of an object. That throws an InputError or a StructuredMergeError
   * for an object of which nothing can be said. `now` is the time of all that is said.
   */
  prepare(args: Arguments, input: Input, now: Date): Promise<(document: Document) => Judgement>
}

/** What a stream is read for: the name of the command, and its arguments. */
export interface StreamTask {
  readonly command: string
  readonly argv: readonly string[]
  readonly now: Date
}
