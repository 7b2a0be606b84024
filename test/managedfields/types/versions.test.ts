import { describe, expect, it } from "vitest"
import { StructuredMergeError } from "../../../src/errors.js"
import { statusOf } from "../../../src/managedfields/chain/status.js"
import { deducedTypes, type TypeFinder } from "../../../src/managedfields/types/object-types.js"
import { changeApiVersion, type ObjectConverter } from "../../../src/managedfields/types/version-converter.js"
import type { MapValue } from "../../../src/value/value.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { entry, fieldManager, managedBy, messageOf, owners, type Thing } from "../notation.js"

/** Widgets of any version. They are untyped, but their versions are known. */
function widgetTypes(...versions: string[]): TypeFinder {
  return {
    find: (apiVersion, kind) => (versions.includes(apiVersion) ? deducedTypes.find(apiVersion, kind) : undefined),
  }
}

function widget(version: string, spec: MapValue): Thing {
  return deepFreeze({ apiVersion: `g/${version}`, kind: "Widget", metadata: { name: "w" }, spec })
}

/** Version v1 calls `size` what the other versions call `amount`. */
function renaming(log: string[] = []): ObjectConverter {
  return {
    convert(object, apiVersion) {
      log.push(`${object.apiVersion} to ${apiVersion}`)
      if (!["g/v1", "g/v2", "g/hub"].includes(apiVersion)) return undefined
      const { size, amount, ...rest } = (object.spec ?? {}) as MapValue
      const value = size ?? amount
      const named = value === undefined ? {} : { [apiVersion === "g/v1" ? "size" : "amount"]: value }
      return { ...object, apiVersion, spec: { ...rest, ...named } }
    },
  }
}

const types = widgetTypes("g/v1", "g/v2", "g/hub")

describe("managers at another version", () => {
  it("fail the request if their version is not a version", () => {
    const live = managedBy(widget("v1", { size: 1 }), entry("a Update g/v1/x", { "f:spec": { "f:size": {} } }))
    const run = () =>
      fieldManager({ types, converter: renaming() }).update(live, widget("v1", { size: 2 }), { manager: "b" })
    expect(messageOf(run)).toBe(
      "failed to update ManagedFields (/w; g/v1, Kind=Widget): unexpected GroupVersion string: g/v1/x",
    )
  })

  it("have conflicts at the paths of their version", () => {
    const manager = fieldManager({ types, converter: renaming() })
    const live = manager.apply(undefined, widget("v1", { size: 1 }), { manager: "a" }).object
    const attempt = manager.tryApply(live, widget("v2", { amount: 2 }), { manager: "b" })
    expect(attempt.ok || attempt.error.message).toBe('Apply failed with 1 conflict: conflict with "a": .spec.size')
  })

  it("keep their fields at their version", () => {
    const manager = fieldManager({ types, converter: renaming() })
    let live = manager.apply(undefined, widget("v1", { size: 1 }), { manager: "a" }).object
    live = manager.apply(live, widget("v2", { amount: 1, color: "red" }), { manager: "b" }).object
    expect(live).toMatchObject({ apiVersion: "g/v2", spec: { amount: 1, color: "red" } })
    expect(owners(live)).toEqual(["a Apply g/v1: .spec .spec.size", "b Apply g/v2: .spec .spec.amount .spec.color"])
  })

  it("prune by the fields of the version that they applied before", () => {
    const manager = fieldManager({ types, converter: renaming() })
    const live = manager.apply(undefined, widget("v1", { size: 1, color: "red" }), { manager: "a" }).object
    const { object } = manager.apply(live, widget("v2", { color: "red" }), { manager: "a" })
    expect(object).toMatchObject({ spec: { color: "red" } })
    expect(owners(object)).toEqual(["a Apply g/v2: .spec .spec.color"])
  })

  it("fail the apply if pruning removes the whole object", () => {
    const everything = { "f:apiVersion": {}, "f:kind": {}, "f:metadata": {} }
    const config = { apiVersion: "g/v1", kind: "Widget" }
    const live = managedBy({ ...config, metadata: {} }, entry("a Apply g/v1", everything))
    expect(messageOf(() => fieldManager({ types }).apply(live, config, { manager: "a" }))).toBe(
      "failed to prune fields: failed add back owned items: failed to convert pruned object at version g/v1: failed to convert value to unstructured for type <nil>",
    )
  })

  it("are separate updaters", () => {
    const manager = fieldManager({ types, converter: renaming() })
    let live = manager.update(undefined, widget("v1", { size: 1 }), { manager: "u" }).object
    live = manager.update(live, widget("v2", { amount: 1, color: "red" }), { manager: "u" }).object
    expect(owners(live)).toEqual(["u Update g/v1: .spec .spec.size", "u Update g/v2: .spec.color"])
  })
})

describe("an object at another version", () => {
  it("is converted to the version of the manager, or of the request", () => {
    const kind = { apiVersion: "g/v2", kind: "Widget" }
    for (const manager of [
      fieldManager({ types, converter: renaming() }),
      fieldManager({ types, converter: renaming(), kind }),
    ]) {
      const { object } = manager.apply(widget("v1", { size: 1 }), widget("v2", { color: "red" }), { manager: "a" })
      expect(object).toMatchObject({ apiVersion: "g/v2", spec: { amount: 1, color: "red" } })
    }
  })

  it("is stored by an update as it was given, but tracked at the version of the manager", () => {
    const manager = fieldManager({ types, converter: renaming(), kind: { apiVersion: "g/v2", kind: "Widget" } })
    const { object } = manager.update(undefined, widget("v1", { size: 1 }), { manager: "u" })
    expect(object).toMatchObject(widget("v1", { size: 1 }))
    expect(owners(object)).toEqual(["u Update g/v2: .spec .spec.amount"])
  })
})

describe("conversions", () => {
  it("are direct without a hub", () => {
    const log: string[] = []
    const manager = fieldManager({ types, converter: renaming(log) })
    const live = manager.apply(undefined, widget("v1", { size: 1 }), { manager: "a" }).object
    log.length = 0
    manager.apply(live, widget("v2", { color: "red" }), { manager: "b" })
    expect(new Set(log)).toEqual(new Set(["g/v1 to g/v2", "g/v2 to g/v1"]))
  })

  it.each([
    ["one hub", "g/hub"],
    ["a hub for each version", (from: string) => (from === "g/v2" ? "g/hub" : from)],
  ])("use %s", (_, hub) => {
    const log: string[] = []
    const manager = fieldManager({ types, converter: renaming(log), hub })
    const live = manager.apply(undefined, widget("v1", { size: 1 }), { manager: "a" }).object
    log.length = 0
    manager.apply(live, widget("v2", { color: "red" }), { manager: "b" })
    expect(log).toContain("g/v2 to g/hub")
    expect(log).toContain("g/hub to g/v1")
    expect(log).not.toContain("g/v2 to g/v1")
  })

  it("that fail have an error with the object and the version", () => {
    const converter: ObjectConverter = {
      convert(object, apiVersion) {
        if (apiVersion === "g/v1") throw new StructuredMergeError("invalid-value", "out of order")
        return object
      },
    }
    const manager = fieldManager({ types, converter })
    const live = managedBy(widget("v2", { amount: 1 }), entry("u Update g/v1", { "f:spec": { "f:size": {} } }))
    expect(messageOf(() => manager.update(live, widget("v1", { size: 1 }), { manager: "u" }))).toBe(
      "failed to convert live object (/w; g/v2, Kind=Widget) to proper version: out of order",
    )
    const fixed = fieldManager({ types, converter, kind: { apiVersion: "g/v1", kind: "Widget" } })
    expect(messageOf(() => fixed.update(undefined, widget("v2", { amount: 1 }), { manager: "u" }))).toBe(
      "failed to convert new object (/w; g/v2, Kind=Widget) to proper version (g/v1): out of order",
    )
    expect(messageOf(() => manager.apply(live, widget("v2", { amount: 2 }), { manager: "a" }))).toBe("out of order")
  })

  it("to missing versions have an error with the kind", () => {
    const fixed = fieldManager({ types, converter: renaming(), kind: { apiVersion: "g/v9", kind: "Widget" } })
    expect(messageOf(() => fixed.update(undefined, widget("v2", { amount: 1 }), { manager: "u" }))).toBe(
      "failed to convert new object (/w; g/v2, Kind=Widget) to proper version (g/v9): " +
        "no corresponding type for g/v9, Kind=Widget",
    )
  })

  it("return the object itself without a converter", () => {
    const manager = fieldManager({ types: deducedTypes })
    const live = managedBy(widget("v2", { amount: 1 }), entry("u Update g/v1", { "f:spec": { "f:amount": {} } }))
    const attempt = manager.tryApply(live, widget("v2", { amount: 2 }), { manager: "a" })
    expect(attempt.ok || attempt.error.message).toBe(
      'Apply failed with 1 conflict: conflict with "u" using g/v1: .spec.amount',
    )
  })
})

describe("managers of a version that no longer exists", () => {
  const old = entry("u Update/status g/v0", { "f:spec": { "f:amount": {} } })
  const live = managedBy(widget("v2", { amount: 1 }), old, entry("b Apply g/v2", { "f:spec": { "f:color": {} } }))
  const lost = [{ manager: "u", operation: "Update", apiVersion: "g/v0", subresource: "status" }]

  it("are dropped by an apply, and reported", () => {
    const { object, dropped } = fieldManager({ types, converter: renaming() }).apply(
      live,
      widget("v2", { amount: 2 }),
      { manager: "a" },
    )
    expect(owners(object)).toEqual(["b Apply g/v2: .spec.color", "a Apply g/v2: .spec .spec.amount"])
    expect(dropped).toEqual(lost)
  })

  it("are dropped by an update, and reported", () => {
    const { object, dropped, changed } = fieldManager({ types, converter: renaming() }).update(live, live, {
      manager: "u",
    })
    expect(owners(object)).toEqual(["b Apply g/v2: .spec.color"])
    expect(dropped).toEqual(lost)
    expect(changed).toBe(true)
  })

  it("are dropped even if only their type is missing", () => {
    const converter = changeApiVersion(deducedTypes)
    expect(
      fieldManager({ types, converter }).apply(live, widget("v2", { amount: 2 }), { manager: "a" }).dropped,
    ).toEqual(lost)
  })

  it("are not reported if there are none", () => {
    expect(
      fieldManager({ types, converter: renaming() }).update(undefined, widget("v1", {}), { manager: "u" }).dropped,
    ).toEqual([])
  })

  it("leave nothing to prune", () => {
    const before = managedBy(widget("v2", { amount: 1 }), entry("a Apply g/v0", { "f:spec": { "f:amount": {} } }))
    const { object, dropped } = fieldManager({ types, converter: renaming() }).apply(
      before,
      widget("v2", { color: "red" }),
      { manager: "a" },
    )
    expect(object).toMatchObject({ spec: { amount: 1, color: "red" } })
    expect(owners(object)).toEqual(["a Apply g/v2: .spec .spec.color"])
    expect(dropped).toEqual([])
  })
})

describe("changeApiVersion", () => {
  it("changes only the version", () => {
    const { convert } = changeApiVersion(types)
    const object = widget("v1", { size: 1 }) as MapValue
    expect(convert(object, "g/v2")).toEqual(widget("v2", { size: 1 }))
  })

  it("refuses missing versions in both directions", () => {
    const { convert } = changeApiVersion(types)
    const gone = "request to convert CR"
    expect(messageOf(() => convert(widget("v1", {}), "g/v3"))).toBe(`${gone} to an invalid group/version: g/v3`)
    expect(messageOf(() => convert(widget("v0", {}), "g/v1"))).toBe(`${gone} from an invalid group/version: g/v0`)
    expect(messageOf(() => convert(widget("v0", {}), "g/v3"))).toBe(`${gone} to an invalid group/version: g/v3`)
  })

  it("returns undefined for them on request", () => {
    const { convert } = changeApiVersion(types, { dropMissing: true })
    expect(convert(widget("v1", {}), "g/v3")).toBeUndefined()
    expect(convert(widget("v0", {}), "g/v1")).toEqual(widget("v1", {}))
  })

  describe("with an owner of a version that was removed from its definition", () => {
    const gone = "request to convert CR to an invalid group/version: g/v0"
    const entries = [entry("old Apply g/v0", { "f:spec": { "f:size": {} } })]
    const live = managedBy(widget("v1", { size: 1 }), ...entries)
    const { metadata, ...rest } = live
    const manager = fieldManager({ types, converter: changeApiVersion(types) })

    it("refuses an apply with 500", () => {
      const attempt = manager.tryApply(live, widget("v1", { color: "red" }), { manager: "a" })
      expect(attempt.ok || statusOf(attempt.error)).toMatchObject({ code: 500, message: gone })
    })

    it("keeps managedFields unchanged in updates until they are reset", () => {
      const next = { ...rest, metadata, spec: { size: 2 } }
      const { object, error } = manager.updateLeniently(live, next, { manager: "u" })
      expect(error?.message).toBe(`failed to update ManagedFields (/w; g/v1, Kind=Widget): ${gone}`)
      expect(object).toEqual({ ...next, metadata: { name: "w", managedFields: entries } })

      const reset = managedBy(next, {})
      const after = manager.updateLeniently(live, reset, { manager: "u" })
      expect([after.error, owners(after.object)]).toEqual([undefined, ["u Update g/v1: .spec.size"]])
      expect(manager.tryApply(after.object, widget("v1", { color: "red" }), { manager: "a" }).ok).toBe(true)
    })

    it("drops the owner on request", () => {
      const dropping = fieldManager({ types, converter: changeApiVersion(types, { dropMissing: true }) })
      const { object, dropped } = dropping.apply(live, widget("v1", { color: "red" }), { manager: "a" })
      expect(owners(object)).toEqual(["a Apply g/v1: .spec .spec.color"])
      expect(dropped).toEqual([{ manager: "old", operation: "Apply", apiVersion: "g/v0" }])
    })
  })
})
