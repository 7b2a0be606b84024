/** Returns the error that `run` throws. Fails if it throws nothing. */
export function thrownBy(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error("nothing was thrown")
}
