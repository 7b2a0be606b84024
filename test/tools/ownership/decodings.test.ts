/** How often managedFields are decoded to answer one question. */
import { describe, expect, it } from "vitest"
import { formatPlans } from "../../../src/cli/output/plan.js"
import { styleFor } from "../../../src/cli/terminal/style.js"
import type { Terminal } from "../../../src/cli/terminal/terminal.js"
import { kubernetes } from "../../../src/kinds/kubernetes.js"
import { FieldManager } from "../../../src/managedfields/field-manager.js"
import { transfer } from "../../../src/tools/managers/operations.js"
import { blame } from "../../../src/tools/ownership/blame.js"
import { explain } from "../../../src/tools/ownership/explain.js"
import { plan } from "../../../src/tools/ownership/plan.js"
import { resolve } from "../../../src/tools/ownership/resolve.js"
import type { MapValue } from "../../../src/value/value.js"

const web = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web", namespace: "shop" } }
const settings = (colors: MapValue) => ({ ...web, data: colors })

const terminal = { style: styleFor({}, {}), columns: 80 } as Terminal

/** An object with an entry for each of four managers. */
const stored = ["a", "b", "c", "d"].reduce<MapValue | undefined>((object, name) => {
  const manager = new FieldManager({ types: kubernetes })
  return manager.apply<MapValue>(object, settings({ [name]: "1", [`${name}2`]: "1" }), { manager: name }).object
}, undefined) as MapValue

const request = { types: kubernetes, manager: "a" }
const contested = settings({ a: "1", b: "2", c: "2", d: "2" })

/** The object, whose entries count how often their fields are decoded. */
function counting(object: MapValue, count: () => void): MapValue {
  const metadata = object.metadata as MapValue
  const counted = (fields: object) =>
    new Proxy(fields, {
      ownKeys: target => {
        if (new Error().stack?.includes("fieldsv1/") === true) count()
        return Reflect.ownKeys(target)
      },
    })
  const managedFields = (metadata.managedFields as readonly MapValue[]).map(entry => ({
    ...entry,
    fieldsV1: counted(entry.fieldsV1 as MapValue) as MapValue,
  }))
  return { ...object, metadata: { ...metadata, managedFields } }
}

describe("each entry of a live object is decoded once", () => {
  const questions: readonly (readonly [string, (live: MapValue) => unknown])[] = [
    ["plan, unchanged", live => plan(live, settings({ a: "1", a2: "1" }), request)],
    ["plan, changed", live => plan(live, settings({ a: "2" }), request)],
    ["plan, in conflict", live => plan(live, contested, request)],
    ["plan, in conflict, printed", live => formatPlans([plan(live, contested, request)], terminal)],
    ["explain", live => explain(live, contested, request)],
    ["resolve", live => resolve(live, contested, { ...request, onConflict: "relinquish" })],
    ["resolve, decided one by one", live => resolve(live, contested, { ...request, onConflict: () => "share" })],
    ["blame", live => blame(live, { types: kubernetes })],
    ["transfer", live => transfer(live, { types: kubernetes, from: "b", to: "a" })],
  ]
  for (const [name, answer] of questions) {
    it(name, () => {
      let decodings = 0
      answer(counting(stored, () => decodings++))
      expect(decodings).toBe(4)
    })
  }
})
