// Records test/vectors: sends requests to the reference and writes its answers, one `{name, request, expect, accept?}` per line.
//
//   npm run vectors                 record all
//   npm run vectors -- merge.json   record these request files again
//   npm run vectors -- v7-bytes.json   record from v7 of the reference, as all files named v7-…
//   npm run vectors -- kubernetes-documents   record the documents of Kubernetes' types again
//   npm run vectors -- real-crds    record the definitions of published custom resources again
//   npm run vectors -- protobuf     record bodies in protobuf again
//   npm run vectors -- shadow       record errors of handwritten and declarative validation again
//
// Handwritten requests are in requests/*.json (request-file.ts describes their notation). The fuzzer's generators make the others
// from a fixed seed. If the reference's answers differ from run to run (it walks maps in a random order), `expect` holds one of
// them and `accept` the others.
import { execFileSync } from "node:child_process"
import { readdirSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { gzipSync } from "node:zlib"
import { type Json, type JsonMap, jsonText } from "../fuzz/json.js"
import { layers } from "../fuzz/layers.js"
import { type Answerer, startAnswerer } from "../fuzz/process.js"
import { buildOracle, projectRoot, type Reference } from "../fuzz/programs.js"
import { Random } from "../fuzz/random.js"
import { randomRequest } from "../fuzz/requests.js"
import { difference, type ParsedMap, parseExact } from "../support/answers.js"
import { recordKubernetesDocuments } from "./kubernetes-documents.js"
import { recordRealCRDs } from "./real-crds.js"
import { type NamedRequest, readRequests } from "./request-file.js"

/** The number of requests that the fuzzer's generators make for each layer. */
const generated: Readonly<Record<string, number>> = { core: 1500, unions: 600, kubernetes: 400, apiserver: 400 }
const seed = "vectors"
/** The OpenAPI documents of a release. They have no requests. */
const documents = "kubernetes-documents"
/** Definitions of custom resources from other projects, in their own form. */
const customResources = "real-crds"

/** Objects in protobuf and in JSON, written by a separate Go program. */
const protobuf = "protobuf"

/** Random errors of handwritten and declarative validation, written by a separate Go program. */
const shadow = "shadow"

/** How often each request is sent, which is often enough to notice a random order. */
const attempts = 48

/** The JSON text of an error that lists several problems. */
const COLLECTED = /"(?:[^"\\]|\\.)*errors:\\n(?:[^"\\]|\\.)*"/g

const root = projectRoot()
const folder = join(root, "test", "vectors")
/** The releases of the reference, each compiled and started for the first request. */
const oracles = new Map<Reference, Answerer>()
try {
  await recordAll(process.argv.slice(2))
} finally {
  for (const oracle of oracles.values()) oracle.close()
}

function reference(release: Reference = "v6"): Answerer {
  const known = oracles.get(release)
  if (known !== undefined) return known
  const oracle = startAnswerer(buildOracle(root, release), root)
  oracles.set(release, oracle)
  return oracle
}

async function recordAll(wanted: readonly string[]): Promise<void> {
  const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name)
  const files = readdirSync(join(folder, "requests")).filter(name => name.endsWith(".json"))
  for (const file of files.filter(isWanted)) {
    const name = basename(file, ".json")
    const requests = readRequests(join(folder, "requests", file), name)
    writeFileSync(join(folder, `${name}.jsonl`), await record(reference(name.startsWith("v7-") ? "v7" : "v6"), requests))
    process.stdout.write(`${name}: ${requests.length}\n`)
  }
  for (const layer of Object.keys(generated).filter(isWanted)) {
    const requests = generate(layer)
    writeFileSync(join(folder, `random-${layer}.jsonl.gz`), gzipSync(await record(reference(), requests), { level: 9 }))
    process.stdout.write(`random-${layer}: ${requests.length}\n`)
  }
  if (isWanted(documents)) {
    writeFileSync(join(folder, `${documents}.json.gz`), recordKubernetesDocuments())
    process.stdout.write(`${documents}\n`)
  }
  if (isWanted(customResources)) {
    writeFileSync(join(folder, `${customResources}.json.gz`), await recordRealCRDs(reference()))
    process.stdout.write(`${customResources}\n`)
  }
  if (isWanted(protobuf)) {
    writeFileSync(join(folder, `${protobuf}.json.gz`), gzipSync(recordProtobuf(), { level: 9 }))
    process.stdout.write(`${protobuf}\n`)
  }
  if (isWanted(shadow)) {
    writeFileSync(join(folder, `${shadow}.json.gz`), gzipSync(recordShadow(), { level: 9 }))
    process.stdout.write(`${shadow}\n`)
  }
}

/** Returns some random objects of every served kind. */
function recordProtobuf(): string {
  const lines = run("oracle", "./cmd/protobuf-fields", "-vectors", "270", "-seed", "1")
  return `[${lines.trim().split("\n").join(",\n")}]`
}

/** Returns cases with the feature gates of the release in use, then cases with the gates of 1.33 to 1.35. */
function recordShadow(): string {
  const takeover = ["-modfile", "takeover.mod", "-tags", "takeover", "."]
  return run("oracle/shadow", ".", "-cases", "1200", "-seed", "1") + run("oracle/shadow", ...takeover, "-cases", "800", "-seed", "2")
}

/** Runs a Go program in a folder and returns its output. */
function run(folder: string, ...args: readonly string[]): string {
  return execFileSync("go", ["run", ...args], { cwd: join(root, folder), encoding: "utf8", maxBuffer: 1 << 26 })
}

function generate(layer: string): NamedRequest[] {
  const generators = layers[layer]
  if (generators === undefined) throw new RangeError(`no such layer: ${layer}`)
  return Array.from({ length: generated[layer] ?? 0 }, (_, i) => ({
    name: `random-${layer}/${i}`,
    request: randomRequest(new Random(seed, layer, i), generators) as unknown as JsonMap,
  }))
}

/** Returns the lines of a vector file. */
async function record(answerer: Answerer, requests: readonly NamedRequest[]): Promise<string> {
  const texts = requests.map(({ request }) => jsonText(request))
  const runs: string[][] = []
  for (let i = 0; i < attempts; i++) runs.push(await answerer.ask(texts))
  const lines = requests.map(({ name }, i) => {
    const [expect, ...accept] = distinct(runs.map(run => settled(run[i] ?? "")))
    const variants = accept.length > 0 ? `,"accept":[${accept.join(",")}]` : ""
    return `{"name":${jsonText(name)},"request":${texts[i]},"expect":${expect}${variants}}\n`
  })
  return lines.join("")
}

/** Returns the answers without repetitions, in an order that does not depend on which came first. */
function distinct(answers: readonly string[]): string[] {
  const found: string[] = []
  for (const answer of [...new Set(answers)].sort()) {
    const isKnown = found.some(known => difference(parsed(known), parsed(answer), { words: true }) === null)
    if (!isKnown) found.push(answer)
  }
  return found
}

function parsed(answer: string): ParsedMap {
  return parseExact(answer) as ParsedMap
}

/** Sorts the lines of every collected error in the answer: their order is random. */
function settled(answer: string): string {
  return answer.replace(COLLECTED, text => {
    const [first, ...lines] = (JSON.parse(text) as string).split("\n")
    return jsonText([first, ...lines.sort()].join("\n") as Json)
  })
}
