// The differential fuzzer. It makes random requests of the conformance protocol, sends the same lines to this project's
// driver and to the reference's oracle, and reports where the answers differ: seed, case, and the request shrunk to what
// the difference needs. Case I of a seed depends on nothing but seed, layer and I.
//
//   requests.ts, layers.ts     the kinds of requests; set-, typed-, union- and kubernetes-requests.ts and stories.ts make them
//   schemas.ts, values.ts,     random schemas, objects of them, field sets, YAML
//   sets.ts, yaml.ts, …
//   plot.ts                    the steps of managers, for stories.ts and version-stories.ts
//   process.ts, compare.ts,    running both programs, comparing their answers, finding a smaller request with the same difference
//   shrink.ts

import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { Comparison, type Finding, parsed } from "./compare.js"
import { type Json, jsonText } from "./json.js"
import { layers } from "./layers.js"
import { type Options, parseOptions, usage } from "./options.js"
import { type Answerer, startAnswerer } from "./process.js"
import { buildOracle, projectRoot } from "./programs.js"
import { Random } from "./random.js"
import { type Layer, type Request, randomRequest } from "./requests.js"
import { shrink } from "./shrink.js"
import { Survey } from "./survey.js"

const BATCH = 200

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  let options: Options | null
  try {
    options = parseOptions(args, Date.now())
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    return 2
  }
  if (options === null) {
    process.stdout.write(usage)
    return 0
  }
  const layer = Object.hasOwn(layers, options.layer) ? layers[options.layer] : undefined
  if (layer === undefined) {
    process.stderr.write(`no such layer: ${options.layer}; there are ${Object.keys(layers).join(", ")}\n`)
    return 2
  }
  if (options.write !== undefined) return await writeRequests(options, layer, options.write)
  return options.survey ? await survey(options, layer) : await compareAnswers(options, layer)
}

/** Returns case `number` of the run. It depends only on seed, layer and number. */
function requestOf(options: Options, layer: Layer, number: number): Request {
  return randomRequest(new Random(options.seed, options.layer, number), layer, options.only)
}

function requestText(request: Request): string {
  return jsonText(request as unknown as Json)
}

async function writeRequests(options: Options, layer: Layer, file: string): Promise<number> {
  const out = createWriteStream(file)
  for (let i = 0; i < options.cases; i++) {
    const number = options.first + i
    const name = JSON.stringify(`fuzz/${options.layer}-${options.seed}-${number}`)
    const full = !out.write(`{"name":${name},"request":${requestText(requestOf(options, layer, number))}}\n`)
    if (full) await once(out, "drain")
  }
  out.end()
  await once(out, "close")
  process.stdout.write(`fuzz: ${options.cases} requests written, ${options.seed} seed\n`)
  return 0
}

async function survey(options: Options, layer: Layer): Promise<number> {
  const reference = startReference(options, projectRoot())
  const counts = new Survey()
  await eachBatch(options, layer, async (_, requests) => {
    const answers = await reference.ask(requests.map(requestText))
    answers.forEach((answer, i) => {
      counts.add((requests[i] as Request).op, parsed(answer))
    })
    return true
  })
  reference.close()
  process.stdout.write(counts.text())
  return 0
}

async function compareAnswers(options: Options, layer: Layer): Promise<number> {
  const started = performance.now()
  const root = projectRoot()
  const reference = startReference(options, root)
  const ours = startAnswerer(options.ours ?? driverFor(options.reference), root)
  const comparison = new Comparison(ours, reference, { words: options.words })
  let asked = 0
  let differences = 0
  await eachBatch(options, layer, async (first, requests) => {
    const findings = await comparison.findings(requests.map(requestText))
    asked += requests.length
    for (const [i, finding] of findings.entries()) {
      if (finding === null || differences >= options.show) continue
      differences++
      await report(options, comparison, first + i, requests[i] as Request, finding)
    }
    return differences < options.show
  })
  ours.close()
  reference.close()
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const noun = differences === 1 ? "difference" : "differences"
  process.stdout.write(`fuzz: ${asked} cases, ${options.seed} seed, ${differences} ${noun} (${seconds} s)\n`)
  return differences === 0 ? 0 : 1
}

function startReference(options: Options, root: string): Answerer {
  const { reference } = options
  return startAnswerer(reference === "v6" || reference === "v7" ? buildOracle(root, reference) : reference, root)
}

/** Returns the command of this project's program that writes the bytes of the reference. */
function driverFor(reference: string): string {
  return reference === "v7" ? "npm run --silent conformance -- --parity v7" : "npm run --silent conformance"
}

// Makes the next batch while the programs still work on this one. `visit` returns whether to go on.
async function eachBatch(
  options: Options,
  layer: Layer,
  visit: (first: number, requests: Request[]) => Promise<boolean>,
): Promise<void> {
  const end = options.first + options.cases
  const stop = performance.now() + options.seconds * 1000
  let running: Promise<boolean> = Promise.resolve(true)
  for (let first = options.first; first < end && performance.now() < stop; first += BATCH) {
    const requests: Request[] = []
    for (let number = first; number < Math.min(first + BATCH, end); number++) {
      requests.push(requestOf(options, layer, number))
    }
    if (!(await running)) return
    running = visit(first, requests)
  }
  await running
}

async function report(
  options: Options,
  comparison: Comparison,
  number: number,
  request: Request,
  finding: Finding,
): Promise<void> {
  const { kind } = finding.difference
  let smallest = finding
  const firstOf = async (lines: readonly string[]): Promise<number> => {
    const found = await comparison.findings(lines)
    const at = found.findIndex(other => other?.difference.kind === kind)
    if (at >= 0) smallest = found[at] as Finding
    return at
  }
  // Every crash restarts the program, so requests are tried one at a time, up to the first that crashes.
  const firstCrash = async (lines: readonly string[]): Promise<number> => {
    for (const [at, line] of lines.entries()) if ((await firstOf([line])) === 0) return at
    return -1
  }
  const stillDiffers = kind === "panic" ? firstCrash : firstOf
  if (options.shrink) await shrink(request, stillDiffers)
  const only = options.only === undefined ? "" : ` --only ${options.only}`
  process.stdout.write(
    [
      `case ${number} (${request.op}): ${smallest.difference.why}`,
      `  request:   ${smallest.line}`,
      `  ours:      ${smallest.ours}`,
      `  reference: ${smallest.reference}`,
      `  again:     npm run fuzz -- --layer ${options.layer} --seed ${options.seed}${only} --case ${number}`,
      "",
    ].join("\n"),
  )
}
