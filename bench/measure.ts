import { GCProfiler } from "node:v8"
import type { Runnable } from "./cases/runnable.js"

let calls = 0
/** Keeps results from being optimized away. */
let sink: unknown

/** Returns the nanoseconds that this many calls take. The count of calls continues from earlier measurements. */
export function timeCalls(runnable: Runnable, iterations: number): number {
  const start = process.hrtime.bigint()
  for (let n = 0; n < iterations; n++) sink = runnable.run(calls++)
  const end = process.hrtime.bigint()
  return Number(end - start)
}

export function callOnce(runnable: Runnable): unknown {
  sink = runnable.run(calls++)
  return sink
}

/** Returns the bytes that this many calls allocate, freed or not. Few bytes are inexact, since V8 hands out memory in pages. */
export function countBytes(runnable: Runnable, iterations: number): number {
  collectGarbage()
  const profiler = new GCProfiler()
  profiler.start()
  let before = process.memoryUsage().heapUsed
  for (let n = 0; n < iterations; n++) sink = runnable.run(calls++)
  const end = process.memoryUsage().heapUsed
  // The heap only grows between collections. The decrease at a collection does not count.
  let bytes = 0
  for (const { beforeGC, afterGC } of profiler.stop().statistics) {
    bytes += beforeGC.heapStatistics.usedHeapSize - before
    before = afterGC.heapStatistics.usedHeapSize
  }
  return bytes + end - before
}

/** Returns the size of all live objects. */
export function retainedBytes(): number {
  sink = undefined
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** Collects garbage; needs node's --expose-gc. */
export function collectGarbage(): void {
  if (globalThis.gc === undefined) throw new Error("run node with --expose-gc")
  globalThis.gc()
  globalThis.gc()
}

/** Finds the number of calls that take about this long, by making more and more calls, which also warms up. */
export async function calibrate(
  time: (calls: number) => number | Promise<number>,
  nanoseconds: number,
): Promise<number> {
  let calls = 1
  for (;;) {
    const taken = await time(calls)
    const enough = (calls * nanoseconds) / (taken + 1)
    if (taken >= nanoseconds / 2) return Math.max(1, Math.round(enough))
    calls = Math.ceil(Math.min(calls * 10, enough * 1.1))
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2
}

export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
}
