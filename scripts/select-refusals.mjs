// Selects refused objects of built-in kinds, and definitions whose rules cost too much, from recorded random requests, for test/vectors/refusals.json.gz:
//
//   node scripts/select-refusals.mjs RECORDED.jsonl.gz DIFFERENCES.jsonl
//
// The first file has the requests and a real server's answers, the second what the test API server answers otherwise. The recording is kept next
// to the repository. At most five refusals of a kind are selected, each for another reason.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { root } from "./install.mjs"

const [recorded, differences] = process.argv.slice(2)
const lines = text =>
  text
    .trim()
    .split("\n")
    .map(line => JSON.parse(line))
const differing = new Set(lines(readFileSync(differences, "utf8")).map(({ id, i }) => `${id}:${i}`))
const seen = new Map()
const selected = []
for (const { id, kind, steps, answers } of lines(gunzipSync(readFileSync(recorded)).toString())) {
  for (const [i, { op, path, body }] of steps.entries()) {
    const answer = answers[i]
    if (answer?.status !== 422 || body?.$raw !== undefined) continue
    const text = JSON.stringify([path, body, answer.body?.message])
    // Definitions have vectors of their own, except for the estimated costs of their rules.
    const isCostly = /estimated (rule|messageExpression) cost/.test(text)
    const isDefinition = text.includes("customresourcedefinitions")
    if (isDefinition ? !isCostly || op !== "crd-create" : op !== "create-invalid") continue
    // Names that the recording replaced, or that the server makes up.
    if (differing.has(`${id}:${i}`) || /\b(UID|CIP|TIME|NP)\b|selfType/.test(text)) continue
    const reason = kind + answer.body.message.replace(/^[^:]*: /, "").replace(/"[^"]*"/g, "_")
    if (seen.has(reason) || seen.get(kind) === 5 || text.length > (isCostly ? 5000 : 3000)) continue
    seen.set(reason, 1).set(kind, (seen.get(kind) ?? 0) + 1)
    const [ownPath, ownBody, message] = JSON.parse(text.replaceAll("diff2", "team"))
    selected.push({ path: ownPath, body: ownBody, message })
  }
}
selected.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
const text = `[\n${selected.map(refusal => JSON.stringify(refusal)).join(",\n")}\n]\n`
writeFileSync(join(root, "test/vectors/refusals.json.gz"), gzipSync(text, { level: 9 }))
