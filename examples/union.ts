import { parseManifests } from "structured-merge-diff/io"
import { kubernetes } from "structured-merge-diff/kinds"
import { type SimulationRequest, simulate } from "structured-merge-diff/simulator"
import type { UnionPolicyName } from "structured-merge-diff/unions"

const definitions = parseManifests(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: backups.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: backups, kind: Backup}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-unions:
            - discriminator: type
              fields-to-discriminateBy: {bucket: Bucket, volume: Volume}
              union: {cardinality: exactlyOne, deduceInvalidDiscriminator: true}
            properties:
              type: {type: string, enum: [Bucket, Volume]}
              bucket: {type: object, properties: {name: {type: string}}}
              volume: {type: object, properties: {claim: {type: string}}}
              keep: {type: integer}
`)
const types = kubernetes.with(definitions)

function play(unions: UnionPolicyName, ...requests: readonly SimulationRequest[]): string {
  const simulation = simulate({ types, unions })
  const last = requests.map(request => simulation.play(request)).at(-1)
  return last?.error?.message ?? JSON.stringify(last?.after?.spec)
}

const backup = (spec: object) => ({ apiVersion: "example.com/v1", kind: "Backup", metadata: { name: "nightly" }, spec })
const policies = ["off", "v4", "extended", "kep-2022"] as const

const short = { manager: "ops", apply: backup({ bucket: { name: "daily" } }) }
for (const policy of policies) console.log(policy.padEnd(9), play(policy, short))
// off       {"bucket":{"name":"daily"}}
// v4        {"bucket":{"name":"daily"},"type":"Bucket"}
// extended  {"bucket":{"name":"daily"},"type":"Bucket"}
// kep-2022  Backup.example.com "nightly" is invalid: [spec.type: Required value, spec.bucket: Invalid value: "": may only be specified when `type` is "Bucket"]

const bucket = { manager: "ops", apply: backup({ type: "Bucket", bucket: { name: "daily" } }) }
const volume = { manager: "dev", apply: backup({ volume: { claim: "disk" } }) }
for (const policy of policies) console.log(policy.padEnd(9), play(policy, bucket, volume))
// off       {"type":"Bucket","bucket":{"name":"daily"},"volume":{"claim":"disk"}}
// v4        Apply failed with 1 conflict: conflict with "ops": .spec.type
// extended  Apply failed with 1 conflict: conflict with "ops": .spec.type
// kep-2022  Backup.example.com "nightly" is invalid: spec.volume: Invalid value: "": may only be specified when `type` is "Volume"

const edit = { manager: "ui", patch: { spec: { volume: { claim: "disk" } } } }
for (const policy of policies) console.log(policy.padEnd(9), play(policy, bucket, edit))
// off       {"type":"Bucket","bucket":{"name":"daily"},"volume":{"claim":"disk"}}
// v4        Backup.example.com "nightly" is invalid: spec: Invalid value: "": multiple fields set without discriminator change: bucket, volume
// extended  {"type":"Volume","volume":{"claim":"disk"}}
// kep-2022  Backup.example.com "nightly" is invalid: spec.volume: Invalid value: "": may only be specified when `type` is "Volume"

console.log(play("extended", { manager: "ops", apply: backup({ type: "Volume" }) }))
console.log(play("extended", { manager: "ops", apply: backup({ type: "Volume", bucket: { name: "daily" } }) }))
// Backup.example.com "nightly" is invalid: spec.volume: Invalid value: "": must be specified when `type` is "Volume"
// Backup.example.com "nightly" is invalid: spec: Invalid value: "": applied discriminator (Volume) doesn't match applied field (bucket)
