// Samples of the memory of the server under load.
import { median } from "../../../bench/measure.js"

/** The server keeps this many events, or up to twice as many: too few to matter for the size of the heap. */
export const history = 2_000

/** Megabytes in use after a garbage collection. */
export interface Sample {
  readonly second: number
  readonly heap: number
  /** The memory of the whole process. */
  readonly resident: number
}

/** The maximal growth of the heap from the second to the last third of the samples. */
export const mostGrowth = 0.1

/** Returns the growth of the heap from the second to the last third of the samples: 0.1 for 10 %. The first third is warm-up. */
export function growthOf(samples: readonly Sample[]): number {
  const third = Math.floor(samples.length / 3)
  const heapOf = (from: number, to?: number) => median(samples.slice(from, to).map(({ heap }) => heap))
  return third === 0 ? 0 : heapOf(2 * third) / heapOf(third, 2 * third) - 1
}
