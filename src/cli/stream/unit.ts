// The values of a stream, still as bytes.
import type { ListHead } from "./list-head.js"

/**
 * The reason for a missing value: the bytes are not JSON (`broken`), there are too many of them, they do not begin like an object, or
 * the rest of a List can't be split.
 */
export type UnitProblem = "broken" | "too-large" | "no-object" | "broken-list"

/** A value of the stream, still as bytes. */
export interface Unit {
  readonly file: string
  /** The line in which it begins, counted from 1. */
  readonly line: number
  /** The offsets of its bytes in the batch. */
  readonly start: number
  readonly end: number
  /** The List that it comes from; absent for other values. */
  readonly list?: ListHead
  /** Set if the bytes are a line, which may hold several values. */
  readonly isLine?: true
  readonly problem?: UnitProblem
}

/** Values that are passed on together. */
export interface Batch {
  readonly bytes: Uint8Array
  readonly units: readonly Unit[]
}

/** The largest object in bytes. An API server accepts three million. */
export const maxValue = 16 * 2 ** 20
