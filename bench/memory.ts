// npm run bench -- memory [NAME ...]
//
// Measures the bytes that parsed field sets keep and that operations allocate. Prints them and writes them to results/memory.json.
import { writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { formatFieldsV1, parseFieldsV1 } from "../src/index.js"
import { root } from "./build.js"
import { prepare } from "./cases/case.js"
import { freshObject } from "./cases/objects.js"
import { callOnce, countBytes, retainedBytes } from "./measure.js"
import { makePlan } from "./plan.js"

/** The memory of the set that one text of FieldsV1 becomes. */
interface Retained {
  readonly name: string
  readonly paths: number
  readonly textBytes: number
  /** The bytes of a set whose names occur in no other set, so that it shares no path elements. */
  readonly unsharedBytes: number
  /** The bytes of a set whose path elements already exist. */
  readonly retainedBytes: number
}

interface Allocated {
  readonly name: string
  readonly heapBytesPerOp: number
}

const copies = 100
const calls = 300

const { positionals } = parseArgs({ allowPositionals: true })
const plan = makePlan()
const isChosen = (name: string) => positionals.every(part => name.includes(part))

const sets = ["Pod", "Node", "Endpoints", "PrometheusCRD", "LargeCR"].filter(isChosen).map(measureSet)
const operations = plan.cases.filter(({ kind, name }) => (kind === "story" || kind === "single") && isChosen(name))
const allocated = operations.map(({ name }) => measureOperation(name))
if (positionals.length === 0) {
  const lines = [...sets, ...allocated].map(entry => JSON.stringify(entry))
  writeFileSync(`${root}bench/results/memory.json`, `[\n${lines.join(",\n")}\n]\n`)
}

function measureSet(object: string): Retained {
  const text = formatFieldsV1(freshObject(plan, object).toFieldSet())
  const paths = parseFieldsV1(text).size
  const unshared = retained(i => text.replaceAll('"f:', `"f:${object}-${i}-`))
  const result = {
    name: `retained/${object}`,
    paths,
    textBytes: text.length,
    unsharedBytes: unshared,
    retainedBytes: retained(() => text),
  }
  const perPath = (result.retainedBytes / paths).toFixed(0)
  print(`${result.name}: ${paths} paths, ${text.length} B of text, ${result.retainedBytes} B (${perPath} B a path),`)
  print(` ${unshared} B where no path elements are shared\n`)
  return result
}

/** Returns the average bytes that the set of a text keeps. */
function retained(textOf: (i: number) => string): number {
  const texts = Array.from({ length: copies }, (_, i) => Buffer.from(textOf(i)))
  const before = retainedBytes()
  const sets = texts.map(text => parseFieldsV1(text.toString()))
  return Math.round((retainedBytes() - before) / sets.length)
}

function measureOperation(name: string): Allocated {
  const what = plan.cases.find(found => found.name === name)
  if (what === undefined) throw new Error(`no case ${name}`)
  const runnable = prepare(plan, what)
  // Optimized code allocates less than interpreted code does.
  for (let i = 0; i < calls; i++) callOnce(runnable)
  const result = { name, heapBytesPerOp: Math.round(countBytes(runnable, calls) / calls) }
  print(`${name}: ${result.heapBytesPerOp} B\n`)
  return result
}

function print(text: string): void {
  process.stdout.write(text)
}
