/**
 * Compares the predictions of `plan` with the answers of a kube-apiserver in all stories of a recording. Fails if a prediction is wrong
 * without a known reason:
 *
 *   npm run replay -- plan ../shared/apiserver/stories.jsonl.gz ../shared/apiserver/trace.jsonl.gz
 */
import { recordedStories } from "../../support/api-server-stories.js"
import { tally } from "./api-server.js"

const [stories, calls] = process.argv.slice(2)
if (stories === undefined || calls === undefined) throw new Error("replay plan STORIES.jsonl.gz TRACE.jsonl.gz")
const { counts, wrong } = tally(recordedStories(stories, calls))
for (const [counted, count] of Object.entries(counts).sort(([, a], [, b]) => b - a)) {
  console.log(`${String(count).padStart(5)}  ${counted}`)
}
for (const problem of wrong) console.log(problem)
const requests = Object.values(counts).reduce((sum, count) => sum + count, 0)
console.log(`${requests} requests that apply, ${wrong.length} predicted wrong for no known reason`)
if (wrong.length > 0) process.exitCode = 1
