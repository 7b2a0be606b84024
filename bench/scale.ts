// npm run bench:scale [-- NAME ...]
//
// Times operations on inputs of growing size, and writes the cost per item to results/scale.json and a plot of each kind of
// input to results/scale-*.svg. A line that stays level is linear in the size.
import { writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { root } from "./build.js"
import { calibrate, callOnce, collectGarbage, median, timeCalls } from "./measure.js"
import { type Line, plot } from "./plot.js"
import { type Scale, scales } from "./scales.js"

const { positionals } = parseArgs({ allowPositionals: true })
const rounds = 3
const nanoseconds = 100e6

interface Point {
  readonly scale: string
  readonly operation: string
  readonly size: number
  readonly nanosecondsPerItem: number
}

const points: Point[] = []
for (const scale of scales) {
  if (!positionals.every(part => scale.name.includes(part))) continue
  points.push(...(await measure(scale)))
  const lines = linesOf(points.filter(point => point.scale === scale.name))
  writeFileSync(`${root}bench/results/scale-${scale.name}.svg`, plot(scale.title, scale.item, lines))
}
if (positionals.length === 0) {
  writeFileSync(`${root}bench/results/scale.json`, `[\n${points.map(point => JSON.stringify(point)).join(",\n")}\n]\n`)
}

/** Small sizes first, and each with all operations, so that no large garbage lies about when a small size is timed. */
async function measure({ name, sizes, prepare }: Scale): Promise<Point[]> {
  const out: Point[] = []
  for (const size of sizes) {
    const operations = prepare(size)
    for (const [operation, run] of Object.entries(operations)) {
      const runnable = { run, answer: () => "" }
      callOnce(runnable)
      collectGarbage()
      const calls = await calibrate(n => timeCalls(runnable, n), nanoseconds)
      const times = Array.from({ length: rounds }, () => timeCalls(runnable, calls) / calls)
      const nanosecondsPerItem = Number((median(times) / size).toPrecision(4))
      out.push({ scale: name, operation, size, nanosecondsPerItem })
      process.stdout.write(`${name} ${size} ${operation}: ${nanosecondsPerItem} ns per item\n`)
    }
  }
  return out
}

function linesOf(points: readonly Point[]): Line[] {
  const names = [...new Set(points.map(({ operation }) => operation))]
  return names.map(name => ({
    name,
    points: points.filter(point => point.operation === name).map(point => [point.size, point.nanosecondsPerItem]),
  }))
}
