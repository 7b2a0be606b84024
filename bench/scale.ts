// npm run bench -- scale [NAME ...] [--reference]
//
// Times operations on inputs of growing size, and writes the cost per item to results/scale.json and a plot of each kind of
// input to results/scale-*.svg. A level line means that the cost is linear in the size. --reference also measures lists on the
// reference, and writes a table of both to README.md.
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { buildReference, root } from "./build.js"
import { calibrate, callOnce, collectGarbage, median, timeCalls } from "./measure.js"
import { type Line, plot } from "./plot.js"
import { replaceTables, table } from "./report.js"
import { type Scale, scales } from "./scales.js"

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: { reference: { type: "boolean", default: false } },
})
const rounds = 3
const nanoseconds = 100e6
const referenceLists = "lists of the reference"

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
if (options.reference) {
  const reference = measureReference()
  const file = `${root}bench/README.md`
  writeFileSync(file, replaceTables(readFileSync(file, "utf8"), growthTable(points, reference), "growth"))
  points.push(...reference)
}
if (positionals.length === 0) {
  writeFileSync(`${root}bench/results/scale.json`, `[\n${points.map(point => JSON.stringify(point)).join(",\n")}\n]\n`)
}

/** Small sizes come first, each with all operations, so that small sizes are timed before there is much garbage. */
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

/** Measures lists on the reference, which takes minutes for long ones. */
function measureReference(): Point[] {
  const lines = execFileSync(buildReference(), ["-growth"], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })
  return lines
    .trim()
    .split("\n")
    .map(line => ({ scale: referenceLists, ...(JSON.parse(line) as Omit<Point, "scale">) }))
}

/** Returns the cost per item of the shortest and the longest lists, and their ratio, for both engines. */
function growthTable(ours: readonly Point[], reference: readonly Point[]): string {
  const sizes = reference.map(({ size }) => size)
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)]
  const operations = [...new Set(reference.map(({ operation }) => operation))]
  const costOf = (all: readonly Point[], scale: string, operation: string, size: number): number =>
    all.find(point => point.scale === scale && point.operation === operation && point.size === size)
      ?.nanosecondsPerItem ?? 0
  const cells = (all: readonly Point[], scale: string, operation: string): string[] => {
    const low = costOf(all, scale, operation, least)
    const high = costOf(all, scale, operation, most)
    return [low.toFixed(0), high.toFixed(0), (high / low).toFixed(1)]
  }
  return table(
    ["operation", `ours, ${least}`, `ours, ${most}`, "growth", `Go, ${least}`, `Go, ${most}`, "growth"],
    operations.map(operation => [
      operation,
      ...cells(ours, "lists", operation),
      ...cells(reference, referenceLists, operation),
    ]),
  )
}

function linesOf(points: readonly Point[]): Line[] {
  const names = [...new Set(points.map(({ operation }) => operation))]
  return names.map(name => ({
    name,
    points: points.filter(point => point.operation === name).map(point => [point.size, point.nanosecondsPerItem]),
  }))
}
