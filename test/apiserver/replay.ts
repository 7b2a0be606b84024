// Replays recorded stories of a real API server against ours, and counts the differences by cause. Fails if there is an unknown
// difference:
//
//   node scripts/run.mjs dist-test/test/apiserver/replay.js ../shared/apiserver/stories.jsonl.gz [--show N] [--only TEXT]
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { gunzipSync } from "node:zlib"
import { formatGoJson, parseJson } from "../../src/json/json.js"
import type { Value } from "../../src/value/value.js"
import { causeOf } from "./causes.js"
import { isKnown, type Outcome, replay, type Story } from "./replay-story.js"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { show: { type: "string", default: "0" }, only: { type: "string", default: "" } },
})
const [file] = positionals
if (file === undefined) throw new Error("replay.js FILE.jsonl.gz [--show N] [--only TEXT]")
const lines = gunzipSync(readFileSync(file))
  .toString("utf8")
  .split("\n")
  .filter(line => line !== "")
const causes = new Map<string, Outcome[]>()
let passed = 0
let failed = 0
let sameObjects = 0
let unknown = 0
for (const line of lines) {
  const story = parseJson(line) as unknown as Story
  if (!story.name.includes(values.only)) continue
  for (const outcome of await replay(story)) {
    if (outcome.sameObject) sameObjects++
    if (outcome.differs === "") passed++
    else {
      failed++
      if (!isKnown(outcome)) unknown++
      const cause = causeOf(outcome)
      causes.set(cause, [...(causes.get(cause) ?? []), outcome])
    }
  }
}
for (const [cause, found] of [...causes].sort((a, b) => b[1].length - a[1].length)) {
  console.log(`${String(found.length).padStart(5)}  ${cause}`)
  for (const { where, step, status, response } of found.slice(0, Number(values.show))) {
    const brief = (value: Value) => formatGoJson(value).slice(0, 1500)
    console.log(`       ${where} ${step.verb} ${step.path}`)
    console.log(`         sent   ${brief(step.body ?? null)}`)
    console.log(`         server ${step.status} ${brief(step.response)}`)
    console.log(`         ours   ${status} ${brief(response)}`)
  }
}
console.log(`${sameObjects} answers are the same in every value`)
console.log(`${passed} passed, ${failed} failed, ${unknown} of these not known to`)
if (unknown > 0) process.exitCode = 1
