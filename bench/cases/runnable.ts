/** A case ready to run. */
export interface Runnable {
  /** The operation. `i` counts the calls, for cases with several operands. Returns the result, so that it is used. */
  run(i: number): unknown
  /** Returns the result of the operation as JSON text, which equals the text of the Go peer. */
  answer(): string
}
