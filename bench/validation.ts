// npm run bench -- validation
//
// Times the validation of a Pod by rules and against its schema, in alternating rounds.
import { compileSchema, type MapValue, TypedValue, type Value } from "../src/index.js"
import { kubernetesSchema } from "../src/kubernetes/index.js"
import { compileRules, rulesForSchema } from "../src/validation/index.js"
import { makePod } from "./fixtures/pod.js"
import { podRules } from "./fixtures/pod-rules.js"

const pod = makePod()
const copy = JSON.parse(JSON.stringify(pod)) as MapValue
const type = compileSchema(kubernetesSchema()).type("io.k8s.api.core.v1.Pod")
const { validate } = compileRules(rulesForSchema(kubernetesSchema(), podRules), "io.k8s.api.core.v1.Pod")
const changed: Value = { ...copy, metadata: { ...(copy.metadata as MapValue), labels: { app: "other" } } }
const broken: Value = { ...copy, metadata: { labels: { app: "not a label" } } }
if (validate(pod).length > 0 || validate(broken).length === 0) throw new Error("the rules do not say what they should")

const cases = new Map<string, () => unknown>([
  ["against the schema", () => TypedValue.of(pod, type)],
  ["by rules, created", () => validate(pod)],
  ["by rules, updated in one place", () => validate(changed, pod)],
  ["by rules, updated with an equal Pod", () => validate(copy, pod)],
])

const calls = 2000
const best = new Map<string, number>()
for (let round = 0; round < 40; round++) {
  for (const [name, run] of cases) {
    const start = process.hrtime.bigint()
    for (let i = 0; i < calls; i++) run()
    const microseconds = Number(process.hrtime.bigint() - start) / 1000 / calls
    best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, microseconds))
  }
}
const schema = best.get("against the schema") as number
for (const [name, microseconds] of best) {
  process.stdout.write(`${name}  ${microseconds.toPrecision(3)} µs  ${(microseconds / schema).toFixed(2)}\n`)
}
