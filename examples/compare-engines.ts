import type { MapValue, Schema } from "structured-merge-diff"
import type { Manifest } from "structured-merge-diff/io"
import { kubernetesSchema, kubernetesSchemaWithUnions, kubernetesTypeName } from "structured-merge-diff/kubernetes"
import { FieldManager, type FieldManagerOptions } from "structured-merge-diff/managedfields"

interface Engine {
  readonly name: string
  /** Throws if the engine refuses the configuration. */
  apply(live: Manifest | undefined, config: Manifest, manager: string): Manifest
}

function serverSideApply(name: string, schema: Schema, options: Omit<FieldManagerOptions, "types"> = {}): Engine {
  const find = (apiVersion: string, kind: string) => {
    const typeName = kubernetesTypeName(apiVersion, kind)
    return typeName === undefined ? undefined : { schema, typeName }
  }
  const fields = new FieldManager({ ...options, types: { find } })
  return { name, apply: (live, config, manager) => fields.apply(live, config, { manager }).object }
}

const mergePatch: Engine = { name: "merge patch", apply: (live, config) => patch(live ?? config, config) }

function patch<T extends MapValue>(target: T, changes: MapValue): T {
  const result: Record<string, unknown> = { ...target }
  for (const [key, value] of Object.entries(changes)) {
    const before = target[key]
    if (value === null) delete result[key]
    else result[key] = isObject(value) && isObject(before) ? patch(before, value) : value
  }
  return result as T
}

function isObject(value: unknown): value is MapValue {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

const engines = [
  mergePatch,
  serverSideApply("API server", kubernetesSchema()),
  serverSideApply("with unions", kubernetesSchemaWithUnions(), { unions: "extended" }),
]

type Story = readonly (readonly [manager: string, spec: MapValue])[]

function runStory(story: Story): void {
  for (const engine of engines) {
    let live: Manifest | undefined
    let refusal: string | undefined
    for (const [manager, spec] of story) {
      try {
        live = engine.apply(
          live,
          { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "shop" }, spec },
          manager,
        )
      } catch (error) {
        refusal = `${manager} is refused: ${error instanceof Error ? error.message.replaceAll("\n", "") : error}`
      }
    }
    console.log(`${engine.name.padEnd(11)} ${refusal ?? JSON.stringify(live?.spec)}`)
  }
}

runStory([
  ["web", { replicas: 3, paused: true }],
  ["web", { replicas: 3 }],
])
// merge patch {"replicas":3,"paused":true}
// API server  {"replicas":3}
// with unions {"replicas":3}

runStory([
  ["web", { template: { spec: { containers: [{ name: "web" }] } } }],
  ["mesh", { template: { spec: { containers: [{ name: "proxy" }] } } }],
])
// merge patch {"template":{"spec":{"containers":[{"name":"proxy"}]}}}
// API server  {"template":{"spec":{"containers":[{"name":"web"},{"name":"proxy"}]}}}
// with unions {"template":{"spec":{"containers":[{"name":"web"},{"name":"proxy"}]}}}

runStory([
  ["web", { strategy: { rollingUpdate: { maxSurge: 1 } } }],
  ["ops", { strategy: { type: "Recreate" } }],
])
// merge patch {"strategy":{"rollingUpdate":{"maxSurge":1},"type":"Recreate"}}
// API server  {"strategy":{"rollingUpdate":{"maxSurge":1},"type":"Recreate"}}
// with unions ops is refused: Apply failed with 1 conflict: conflict with "web": .spec.strategy.type
