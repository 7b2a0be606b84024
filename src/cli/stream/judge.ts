// The interface of commands that work on streams.
import type { Value } from "../../value/value.js"
import type { Document } from "../input/document.js"
import type { Input } from "../input/input.js"
import type { Arguments } from "../input/options.js"

/** The result of a command for one object. */
export interface Judgement {
  /** Plain data. Methods and other values without a JSON form are left out. */
  readonly result: object
  /** The exit status that the command would have for this object alone. */
  readonly status: number
}

/** A command that works on streams: each object has its own result. */
export interface StreamedCommand {
  /** The key of the result in a record. */
  readonly result: string
  /** Whether `--from audit` is available, which takes the stored objects from the events of an audit log. */
  readonly readsAudit?: boolean
  /** Returns the object that a value of the stream is about; without this function it is the value itself. */
  readonly subjectOf?: (value: Value) => Value | undefined
  /** Returns the operands that name streams; without this function all operands do. */
  readonly streamsOf?: (args: Arguments) => readonly string[]
  /**
   * Reads the input that the options name, and returns a function that judges an object. The function throws an InputError or a
   * StructuredMergeError for an object that it can't judge. `now` is the time of all results.
   */
  prepare(args: Arguments, input: Input, now: Date): Promise<(document: Document) => Judgement>
}

/** The command that reads a stream, and its arguments. */
export interface StreamTask {
  readonly command: string
  readonly argv: readonly string[]
  readonly now: Date
}
