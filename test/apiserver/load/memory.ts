// The memory of the server of a load test, over time.
import { median } from "../../../bench/measure.js"

/** How many events the server keeps, or up to twice as many: few enough that it matters little to the heap how many there are. */
export const history = 2_000

/** Megabytes that are in use after a garbage collection. */
export interface Sample {
  readonly second: number
  readonly heap: number
  /** Of the whole process. */
  readonly resident: number
}

/** How much the heap may grow from the second to the last third of the samples. */
export const mostGrowth = 0.1

/** How much the heap has grown between the second third of the samples and the last: 0.1 for a tenth. The first third is warm-up. */
export function growthOf(samples: readonly Sample[]): number {
  const third = Math.floor(samples.length / 3)
  const heapOf = (from: number, to?: number) => median(samples.slice(from, to).map(({ heap }) => heap))
  return third === 0 ? 0 : heapOf(2 * third) / heapOf(third, 2 * third) - 1
}
