// npm run bench -- compare [NAME ...] [--rounds=N --milliseconds=N --maps=any --fresh --answers]
//
// Times every case on this engine and on v6 and v7 of the reference, in turns, and writes results/compare.json and the tables of README.md.
// With a NAME only the cases whose names contain it run, and the tables are printed but not written. README.md explains the
// options.
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { answersFile, buildReference, root, writePlan } from "./build.js"
import { calibrate, geometricMean, median } from "./measure.js"
import { groupOf, makePlan } from "./plan.js"
import { Peer } from "./protocol.js"
import { type ComparedCase, formatTables, replaceTables } from "./report.js"

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    milliseconds: { type: "string", default: "100" },
    maps: { type: "string", default: "string" },
    fresh: { type: "boolean", default: false },
    answers: { type: "boolean", default: false },
  },
})
const rounds = Number(options.rounds)
const nanoseconds = Number(options.milliseconds) * 1e6

/** The time of the calls whose bytes are counted: enough calls to make the size of pages irrelevant. */
const bytesTime = 20e6

const freshCalls = 201

const plan = makePlan()
const planFile = writePlan(plan)
const names = plan.cases.map(({ name }) => name).filter(name => positionals.every(part => name.includes(part)))
const ours = new Peer("this engine", process.execPath, [
  "--expose-gc",
  fileURLToPath(new URL("./worker.js", import.meta.url)),
])
const theirs = new Peer("the reference", buildReference(), [`-maps=${options.maps}`, planFile])
const theirsOfV7 =
  options.answers || options.fresh
    ? undefined
    : new Peer("v7 of the reference", buildReference("v7"), [`-maps=${options.maps}`, planFile])
try {
  if (options.answers) await recordAnswers()
  else if (options.fresh) await compareFresh()
  else report(await inTurn(compare))
} finally {
  ours.stop()
  theirs.stop()
  theirsOfV7?.stop()
}

async function inTurn<T>(run: (name: string) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (const name of names) {
    results.push(await run(name))
    process.stderr.write(`${results.length}/${names.length} ${name}\n`)
  }
  return results
}

function report(results: readonly ComparedCase[]): void {
  const means = Object.fromEntries(groupsOf(results).map(group => [group, meansOf(results, group)]))
  const tables = formatTables(results, means)
  process.stdout.write(`${tables}\n`)
  if (positionals.length > 0) return
  const geometricMeans = Object.entries(means).map(([group, ratio]) => ({ name: `geometric mean of ${group}`, ratio }))
  const lines = [...results, ...geometricMeans].map(entry => JSON.stringify(entry))
  writeFileSync(`${root}bench/results/compare.json`, `[\n${lines.join(",\n")}\n]\n`)
  const readme = `${root}bench/README.md`
  writeFileSync(readme, replaceTables(readFileSync(readme, "utf8"), tables, "results"))
}

/** Writes the answers of the reference, with which `npm run bench` compares. */
async function recordAnswers(): Promise<void> {
  const hashes = await inTurn(async name => [name, await theirs.hash(name)] as const)
  writeFileSync(answersFile, `${JSON.stringify(Object.fromEntries(hashes), null, 1)}\n`)
}

/** Prints the times of calls on new objects, to show how much time repeated use of the same objects saves. */
async function compareFresh(): Promise<void> {
  for (const name of names.filter(name => groupOf(name) !== "FieldSet")) {
    for (const peer of [ours, theirs])
      await calibrate(async calls => (await peer.time(name, calls)).clock, 2 * nanoseconds)
    const oursPerCall = await ours.fresh(name, freshCalls)
    const goPerCall = await theirs.fresh(name, freshCalls)
    const times = `${round(oursPerCall / 1000)} µs, Go ${round(goPerCall / 1000)} µs`
    process.stdout.write(`${name}: ${times}, ratio ${round(goPerCall / oursPerCall)}\n`)
  }
}

async function compare(name: string): Promise<ComparedCase> {
  const peers = [ours, theirs, theirsOfV7 as Peer]
  const hashes = new Set<string>()
  for (const peer of peers) hashes.add(await peer.hash(name))
  if (hashes.size > 1) throw new Error(`the programs disagree on ${name}`)
  const sides = []
  for (const peer of peers) {
    const clock = async (calls: number) => (await peer.time(name, calls)).clock
    await calibrate(clock, 2 * nanoseconds)
    const calls = await calibrate(clock, nanoseconds)
    sides.push({ peer, calls, clock: [] as number[], cpu: [] as number[] })
  }
  for (let round = 0; round < rounds; round++) {
    for (const { peer, calls, clock, cpu } of sides) {
      const time = await peer.time(name, calls)
      clock.push(time.clock / calls)
      cpu.push(time.cpu / calls)
    }
  }
  const [oursPerCall, goPerCall, v7PerCall] = sides.map(({ clock }) => median(clock)) as [number, number, number]
  const [oursCpu, goCpu] = sides.map(({ cpu }) => median(cpu)) as [number, number]
  const bytes = async (peer: Peer, perCall: number) => {
    const calls = Math.max(1, Math.round(bytesTime / perCall))
    return Math.round((await peer.bytes(name, calls)) / calls)
  }
  return {
    name,
    ours_us: round(oursPerCall / 1000),
    go_us: round(goPerCall / 1000),
    ratio: round(goPerCall / oursPerCall),
    cpu_ratio: round(goCpu / oursCpu),
    ours_bytes: await bytes(ours, oursPerCall),
    go_bytes: await bytes(theirs, goPerCall),
    v7_ratio: round(v7PerCall / oursPerCall),
    v7_bytes: await bytes(theirsOfV7 as Peer, v7PerCall),
  }
}

function groupsOf(results: readonly ComparedCase[]): string[] {
  return [...new Set(results.map(({ name }) => groupOf(name)))]
}

function meansOf(results: readonly ComparedCase[], group: string): number {
  return round(geometricMean(results.filter(({ name }) => groupOf(name) === group).map(({ ratio }) => ratio)))
}

/** Rounds to four significant digits. */
function round(value: number): number {
  return Number(value.toPrecision(4))
}
