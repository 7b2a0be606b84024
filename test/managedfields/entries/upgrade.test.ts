import { describe, expect, it } from "vitest"
import { pathOf } from "../../../src/fieldpath/path.js"
import { FieldSet } from "../../../src/fieldpath/set.js"
import type { ManagedFieldsEntry } from "../../../src/managedfields/entries/entry.js"
import {
  findFieldsOwners,
  upgradeManagedFields,
  upgradeManagedFieldsPatch,
} from "../../../src/managedfields/entries/upgrade.js"
import { configMap, entriesOf, entry, managedBy, messageOf } from "../notation.js"

const fields = (...names: string[]) => ({ "f:data": Object.fromEntries(names.map(name => [`f:${name}`, {}])) })
const upgrade = (entries: readonly ManagedFieldsEntry[], csaManagers = ["csa"], subresource?: string) =>
  entriesOf(
    upgradeManagedFields(managedBy(configMap({}), ...entries), {
      csaManagers,
      ssaManager: "ssa",
      ...(subresource !== undefined && { subresource }),
    }),
  )

describe("upgradeManagedFields", () => {
  const time = "2024-05-01T12:00:00Z"

  it.each<[string, ManagedFieldsEntry[], ManagedFieldsEntry[]]>([
    [
      "turns an updater into an applier",
      [entry("csa Update v1", fields("x"), time), entry("u Update v1", fields("y"))],
      [entry("ssa Apply v1", fields("x"), time), entry("u Update v1", fields("y"))],
    ],
    [
      "adds to the applier that is there",
      [entry("ssa Apply v1", fields("a"), time), entry("csa Update v1", fields("x"))],
      [entry("ssa Apply v1", fields("a", "x"), time)],
    ],
    [
      "adds to an applier that comes later",
      [entry("csa Update v1", fields("x")), entry("u Update v1", fields("y")), entry("ssa Apply v1", fields("a"))],
      [entry("u Update v1", fields("y")), entry("ssa Apply v1", fields("a", "x"))],
    ],
    [
      "takes over only what is at the version of the applier",
      [entry("ssa Apply v2", fields("a")), entry("csa Update v1", fields("x")), entry("csa Update v2", fields("y"))],
      [entry("ssa Apply v2", fields("a", "y"))],
    ],
    [
      "lets the first of several updates become the applier",
      [entry("csa Update v2", fields("x")), entry("csa Update v1", fields("y")), entry("csa Update v2", fields("z"))],
      [entry("ssa Apply v2", fields("x", "z"))],
    ],
    [
      "leaves subresources alone",
      [entry("csa Update/status v1", fields("x")), entry("ssa Apply/status v1", fields("y"))],
      [entry("csa Update/status v1", fields("x")), entry("ssa Apply/status v1", fields("y"))],
    ],
    [
      "leaves an applier of the same name alone",
      [entry("csa Apply v1", fields("x")), entry("csa Update v1", fields("y"))],
      [entry("csa Apply v1", fields("x")), entry("ssa Apply v1", fields("y"))],
    ],
    [
      "writes the fields of the applier in their usual form",
      [entry("ssa Apply v1", { "x:y": {}, ...fields("b", "a") })],
      [entry("ssa Apply v1", fields("a", "b"))],
    ],
  ])("%s", (_, before, after) => {
    expect(JSON.stringify(upgrade(before))).toBe(JSON.stringify(after))
  })

  it("upgrades the entries of a subresource", () => {
    expect(
      upgrade([entry("csa Update/status v1", fields("x")), entry("csa Update v1", fields("y"))], ["csa"], "status"),
    ).toEqual([entry("ssa Apply/status v1", fields("x")), entry("csa Update v1", fields("y"))])
  })

  it("upgrades several managers, each once", () => {
    const before = [
      entry("b Update v1", fields("x")),
      entry("a Update v1", fields("y")),
      entry("c Update v1", fields("z")),
    ]
    expect(upgrade(before, ["a", "b", "a"])).toEqual([
      entry("ssa Apply v1", fields("x", "y")),
      entry("c Update v1", fields("z")),
    ])
  })

  it.each([
    ["there is nothing to turn", managedBy(configMap({}), entry("u Update v1", fields("x")))],
    ["there is only the applier", managedBy(configMap({}), entry("ssa Apply v1", fields("x")))],
    ["there are no managedFields", configMap({})],
    ["managedFields are empty", managedBy(configMap({}))],
    ["there is no metadata", {}],
  ])("returns the object itself if %s", (_, object) => {
    const options = { csaManagers: ["csa"], ssaManager: "ssa" }
    expect(upgradeManagedFields(object, options)).toBe(object)
    expect(upgradeManagedFieldsPatch(object, options)).toBeUndefined()
  })

  it("drops managedFields that can't be read, as upstream does", () => {
    const object = configMap({}, { managedFields: [1] })
    expect(upgradeManagedFields(object, { csaManagers: ["csa"], ssaManager: "ssa" })).toEqual(configMap({}))
  })

  it("throws for malformed fields", () => {
    expect(messageOf(() => upgrade([entry("csa Update v1", 1)]))).toContain(
      "failed to convert fields to set: ReadMapCB: ",
    )
    expect(messageOf(() => upgrade([entry("ssa Apply v1", {}), entry("csa Update v1", 1)]))).toContain(
      "failed to convert fields to set: ",
    )
    const { fieldsV1: _, ...bare } = entry("csa Update v1", {})
    expect(messageOf(() => upgrade([bare]))).toContain("failed to convert fields to set: ")
  })
})

describe("upgradeManagedFieldsPatch", () => {
  const options = { csaManagers: new Set(["csa"]), ssaManager: "ssa" }

  it("replaces managedFields, and the resourceVersion with the same value", () => {
    const object = managedBy(configMap({}, { resourceVersion: "7" }), entry("csa Update v1", fields("x")))
    expect(upgradeManagedFieldsPatch(object, options)).toEqual([
      { op: "replace", path: "/metadata/managedFields", value: [entry("ssa Apply v1", fields("x"))] },
      { op: "replace", path: "/metadata/resourceVersion", value: "7" },
    ])
  })

  it("has an empty resourceVersion if the object has none", () => {
    const object = managedBy(configMap({}), entry("csa Update v1", fields("x")))
    expect(upgradeManagedFieldsPatch(object, options)?.[1]?.value).toBe("")
  })
})

describe("findFieldsOwners", () => {
  const entries = [
    entry("a Update v1", fields("x", "y")),
    entry("b Update/status v2", { "f:data": { ".": {}, "f:x": {} } }),
    entry("c Apply v1", fields("x")),
    entry("d Update v1", { "f:data": { "f:x": 1 } }),
    entry("e Update v1", fields("z")),
  ]
  const { fieldsV1: _, ...bare } = entry("f Update v1", {})
  const set = (...names: string[]) => FieldSet.of(names.map(name => pathOf("data", name)))

  it.each<["Apply" | "Update", FieldSet, string]>([
    ["Update", set("x"), "a b"],
    ["Apply", set("x"), "c"],
    ["Update", set("x", "y"), "a"],
    ["Update", set("w"), ""],
    ["Update", FieldSet.of([pathOf("data")]), "b"],
    ["Update", FieldSet.empty, "a b e"],
  ])("%s of %s: %s", (operation, wanted, names) => {
    const object = managedBy(configMap({}), ...entries, bare)
    for (const given of [object, [...entries, bare]]) {
      expect(
        findFieldsOwners(given, operation, wanted)
          .map(({ manager }) => manager)
          .join(" "),
      ).toBe(names)
    }
  })

  it("finds nobody without managedFields", () => {
    expect(findFieldsOwners(configMap({}), "Update", FieldSet.empty)).toEqual([])
  })
})
