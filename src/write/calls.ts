// Calls of webhooks from code that cannot wait. A request that needs an answer which is not there yet stops with a PendingCall. Once the answer
// has arrived, the request is computed again from its start, and finds the answer.

/** Thrown if a request must wait for a webhook. */
export class PendingCall extends Error {
  /** Fulfilled when the answer has arrived, or when it is certain that none will. */
  readonly arrival: Promise<void>

  constructor(arrival: Promise<void>) {
    super(
      "the request waits for a webhook, which only the API server of this package can do: give a function that returns at once",
    )
    this.arrival = arrival
  }
}

type Answer = { readonly value: unknown } | { readonly error: unknown }

/** The answers that one request has received. */
export class Calls {
  private readonly answers = new Map<string, Answer>()

  /** Returns what `ask` returns or promises. `key` tells apart the questions of the request. Throws a PendingCall if the answer is not there yet. */
  ask<T>(key: string, ask: () => T | Promise<T>): T {
    const known = this.answers.get(key)
    if (known !== undefined) {
      if ("error" in known) throw known.error
      return known.value as T
    }
    const note = (answer: Answer) => void this.answers.set(key, answer)
    const value = ask()
    if (!(value instanceof Promise)) {
      note({ value })
      return value
    }
    throw new PendingCall(
      value.then(
        result => note({ value: result }),
        (error: unknown) => note({ error }),
      ),
    )
  }
}

/** Returns the result of `work`, which is repeated after each answer that it waits for. `restart` undoes the notes of the attempt before. */
export async function waitingForCalls<T>(work: () => T, restart: () => void): Promise<T> {
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof PendingCall)) throw error
      await error.arrival
      restart()
    }
  }
}
