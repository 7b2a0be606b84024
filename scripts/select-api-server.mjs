// Selects the recorded API server stories that test/managedfields/api-server.test.ts and test/apiserver/replay.test.ts replay:
//
//   node scripts/select-api-server.mjs FOLDER
//
// FOLDER has stories recorded from a real kube-apiserver. These recordings are kept next to the repository, not in it.
//
// The script writes test/vectors/api-server.json.gz, a list of stories: the HTTP steps, and in `calls` the inputs and outputs of the server's
// FieldManagers in each step. A story is selected if it shows a new fact: a kind with a verb, an operation of a FieldManager on a
// kind and subresource, a change of a CRD, an answer, or an error (see `facts`).
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { root } from "./install.mjs"

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error("node scripts/select-api-server.mjs FOLDER")

const mostBytes = 400_000

const calls = new Map(read("trace.jsonl.gz").map(({ name, steps }) => [name, steps]))
const stories = read("stories.jsonl.gz").map(story => ({
  ...story,
  // The test does not need these members.
  steps: story.steps.map(({ date, warnings, note, ...step }) => step),
  calls: calls.get(story.name),
}))
const selected = select(stories)
const text = `[${selected.map(story => JSON.stringify(story)).join(",\n")}]`
const data = gzipSync(text, { level: 9 })
if (data.length > mostBytes) throw new Error(`${data.length} bytes are more than ${mostBytes}`)
writeFileSync(join(root, "test/vectors/api-server.json.gz"), data)
const steps = selected.reduce((sum, story) => sum + story.steps.length, 0)
console.log(`${selected.length} of ${stories.length} stories, ${steps} steps, ${data.length} bytes`)

function read(file) {
  const lines = gunzipSync(readFileSync(join(folder, file)))
    .toString("utf8")
    .split("\n")
  return lines.filter(line => line !== "").map(line => JSON.parse(line))
}

/** Selects greedily: the next story is the one with the most new facts for its length. */
function select(all) {
  const left = new Map(all.map(story => [story, facts(story)]))
  const lengths = new Map(all.map(story => [story, JSON.stringify(story).length]))
  const taken = new Set()
  for (;;) {
    let best
    let most = 0
    for (const [story, found] of left) {
      const fresh = [...found].filter(fact => !taken.has(fact)).length
      const worth = fresh / lengths.get(story)
      if (worth > most) [best, most] = [story, worth]
    }
    if (best === undefined) break
    for (const fact of left.get(best)) taken.add(fact)
    left.delete(best)
  }
  return all.filter(story => !left.has(story))
}

/** Returns the facts that a story shows, as texts. Stories that show the same fact give the same text. */
function facts(story) {
  const found = new Set()
  const custom = story.crds.length > 0
  const kindOf = kind => (custom ? "custom" : kind)
  found.add(story.object.kind)
  found.add(`${story.object.apiVersion} ${kindOf(story.object.kind)}`)
  let crd = story.crds[0]
  for (const step of story.steps) {
    const { verb, subresource = "", status, contentType } = step
    if (verb === "crd-update") {
      found.add(`crd-update ${JSON.stringify(versionsOf(crd))} ${JSON.stringify(versionsOf(step.body))}`)
      crd = step.body
      continue
    }
    found.add(`${verb} ${subresource} of ${kindOf(story.object.kind)}`)
    found.add(`${verb} ${subresource} ${contentType} ${step.force ?? ""} ${step.dryRun ?? ""} ${typeof step.body}`)
    if (status >= 400) found.add(`${verb} ${status} ${step.response?.reason} ${plain(step.response?.message)}`)
  }
  for (const call of story.calls.flat()) {
    if (call.op === "crd-update") continue
    const isNew = call.live?.metadata?.name === undefined
    found.add(`${call.op} ${call.subresource} ${kindOf(call.kind)} ${isNew} ${call.force ?? call.reset}`)
    found.add(`${call.op} ${call.merged === undefined} ${call.live?.metadata?.managedFields?.length ?? 0}`)
    if (call.error !== undefined) found.add(`${call.op} ${call.status?.reason} ${plain(call.error)}`)
  }
  return found
}

function versionsOf(crd) {
  const { versions, conversion } = crd.spec
  return [conversion?.strategy, ...versions.map(({ name, served, storage }) => `${name} ${served} ${storage}`)]
}

/** Returns a message without the names, paths, values and numbers that differ between stories. */
function plain(message = "") {
  return message
    .split("\n")[0]
    .replaceAll(/"[^"]*"/g, "Q")
    .replaceAll(/\S*[./[\]]\S*/g, "P")
    .replaceAll(/\b[\w-]*\d[\w-]*\b/g, "N")
}
