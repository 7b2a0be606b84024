/** A case ready to run. */
export interface Runnable {
  /** The operation. `i` counts the calls, for cases that go through several operands. Returns the result, so that it is used. */
  run(i: number): unknown
  /** What the operation results in, as JSON text: the same text as the Go peer gives. */
  answer(): string
}
