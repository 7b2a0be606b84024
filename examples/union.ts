import {
  compileSchema,
  noManagers,
  parseSchema,
  TypedValue,
  type UnionPolicyName,
  Updater,
  type Value,
} from "structured-merge-diff"
import { parseYaml } from "structured-merge-diff/io"
import { applyUnionOverlay, parseUnionOverlay } from "structured-merge-diff/unions"

const schema = parseSchema(
  parseYaml(`
types:
- name: Backup
  map:
    fields:
    - {name: type, type: {scalar: string}}
    - {name: bucket, type: {namedType: Target}}
    - {name: volume, type: {namedType: Target}}
- name: Target
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: path, type: {scalar: string}}
`),
)

const overlay = parseUnionOverlay(
  parseYaml(`
types:
- name: Backup
  unions:
  - discriminator: type
    deduceInvalidDiscriminator: true
    cardinality: exactlyOne
    fields:
    - {fieldName: bucket, discriminatorValue: Bucket}
    - {fieldName: volume, discriminatorValue: Volume}
`),
)

const backup = compileSchema(applyUnionOverlay(schema, overlay)).type("Backup")

type Step = readonly [manager: string, config: Value]

function runStory(unions: UnionPolicyName, ...steps: readonly Step[]): string {
  const updater = new Updater({ unions })
  let state = { object: TypedValue.of({}, backup), managers: noManagers }
  try {
    for (const [manager, config] of steps) {
      const { object, managers } = state
      state = updater.apply(object, TypedValue.of(config, backup), { manager, managers, apiVersion: "v1" })
    }
    return JSON.stringify(state.object.value)
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(/\s+/g, " ") : String(error)
  }
}

const policies = ["off", "v4", "extended", "kep-2022"] as const
const bucket: Step = ["ops", { bucket: { name: "daily" } }]
for (const policy of policies) console.log(policy.padEnd(9), runStory(policy, bucket))
// off       {"bucket":{"name":"daily"}}
// v4        {"bucket":{"name":"daily"},"type":"Bucket"}
// extended  {"bucket":{"name":"daily"},"type":"Bucket"}
// kep-2022  errors: type: Required value bucket: Invalid value: "": may only be specified when `type` is "Bucket"

const fullBucket: Step = ["ops", { type: "Bucket", bucket: { name: "daily" } }]
const volume: Step = ["dev", { volume: { name: "disk" } }]
for (const policy of policies) console.log(policy.padEnd(9), runStory(policy, fullBucket, volume))
// off       {"type":"Bucket","bucket":{"name":"daily"},"volume":{"name":"disk"}}
// v4        conflict with "ops": .type
// extended  conflict with "ops": .type
// kep-2022  volume: Invalid value: "": may only be specified when `type` is "Volume"

console.log(runStory("extended", ["ops", { type: "Volume" }]))
console.log(runStory("extended", ["ops", { type: "Volume", bucket: { name: "daily" } }]))
// volume: Invalid value: "": must be specified when `type` is "Volume"
// applied discriminator (Volume) doesn't match applied field (bucket)
