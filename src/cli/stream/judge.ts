// The interface of commands that work on streams.
import type { ClusterDocument } from "../../tools/cluster/documents.js"
import type { Value } from "../../value/value.js"
import type { Document } from "../input/document.js"
import type { Input } from "../input/input.js"
import type { Operands } from "../input/options.js"
import type { AuditReader, StreamValues } from "./options.js"

/** The result of a command for one object. */
export interface Judgement {
  /** Plain data. Methods and other values without a JSON form are left out. */
  readonly result: object
  /** The exit status that the command would have for this object alone. */
  readonly status: number
}

/** A command that works on streams: each object has its own result. */
export interface StreamedCommand<V = StreamValues> extends AuditReader {
  /** The key of the result in a record. */
  readonly result: string
  /** Returns the object that a value of the stream is about; without this function it is the value itself. */
  readonly subjectOf?: (value: Value) => Value | undefined
  /** Returns the summary that the arguments ask for; undefined if each object has a record. */
  summaryOf?(args: Operands & V): Promise<StreamSummary | undefined>
  /** Returns the operands that name streams; without this function all operands do. */
  streamsOf?(args: Operands & V): readonly string[]
  /**
   * Reads the input that the options name, and returns a function that judges an object. The function throws an InputError or a
   * StructuredMergeError for an object that it can't judge. `now` is the time of all results.
   */
  prepare(args: Operands & V, input: Input, now: Date): Promise<(document: Document) => Judgement>
}

/** Sums up the results of all objects. The output then has its records instead of those of the objects. */
export interface StreamSummary {
  /** Adds the result of an object, as JSON has it. */
  add(result: unknown): void
  /** Returns the records to write after the last object. */
  records(): readonly object[]
  /** Returns a remark about the whole stream, if there is one. */
  note(): string | undefined
}

/** The command that reads a stream, and its arguments. */
export interface StreamTask {
  readonly command: string
  readonly argv: readonly string[]
  readonly now: Date
  /** The types of the cluster that the run reads; absent without a cluster. Workers don't connect to it. */
  readonly clusterDocuments?: readonly ClusterDocument[]
}
