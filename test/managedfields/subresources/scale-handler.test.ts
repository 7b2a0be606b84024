import { describe, expect, it } from "vitest"
import { pathOf } from "../../../src/fieldpath/path.js"
import type { ManagedFieldsEntry } from "../../../src/managedfields/entries/entry.js"
import { type ReplicasPaths, ScaleHandler } from "../../../src/managedfields/subresources/scale-handler.js"
import { entry, messageOf } from "../notation.js"

const paths: ReplicasPaths = new Map([
  ["apps/v1", pathOf("spec", "replicas")],
  ["g/v1", pathOf("spec", "deep", "count")],
  ["g/v2", null],
])
const replicas = { "f:spec": { "f:replicas": {} } }
const count = { "f:spec": { "f:deep": { "f:count": {} } } }
const color = { "f:spec": { "f:color": {} } }
const both = { "f:spec": { "f:color": {}, "f:replicas": {} } }
const time = "2024-05-01T12:00:00Z"

describe("to the subresource", () => {
  it.each<[string, ManagedFieldsEntry[], ManagedFieldsEntry[]]>([
    ["nobody", [], []],
    ["an applier", [entry("a Apply apps/v1", both, time)], [entry("a Apply autoscaling/v1", replicas, time)]],
    ["an updater", [entry("a Update apps/v1", replicas, time)], [entry("a Update autoscaling/v1", replicas, time)]],
    ["a manager of another path", [entry("a Apply g/v1", count)], [entry("a Apply autoscaling/v1", replicas)]],
    [
      "a manager of the subresource",
      [entry("a Update/scale apps/v1", replicas)],
      [entry("a Update/scale autoscaling/v1", replicas)],
    ],
    ["who owns other fields", [entry("a Apply apps/v1", color), entry("b Apply g/v1", replicas)], []],
    ["who is at a version without a path", [entry("a Apply g/v2", replicas), entry("b Apply g/v3", replicas)], []],
  ])("%s", (_, entries, expected) => {
    expect(new ScaleHandler(entries, "apps/v1", paths).toSubresource()).toEqual(expected)
  })
})

describe("back to the main resource", () => {
  it.each<[string, ManagedFieldsEntry[], ManagedFieldsEntry[], ManagedFieldsEntry[]]>([
    [
      "what nobody took stays",
      [entry("a Apply apps/v1", both, time), entry("b Update apps/v1", color)],
      [entry("a Apply autoscaling/v1", replicas, "2030-01-01T00:00:00Z")],
      [entry("a Apply apps/v1", both, time), entry("b Update apps/v1", color)],
    ],
    [
      "who is new gets the replicas, without a time, and others lose them",
      [entry("a Apply apps/v1", both, time)],
      [entry("s Update/scale autoscaling/v1", replicas, time)],
      [entry("a Apply apps/v1", color, time), entry("s Update/scale apps/v1", replicas)],
    ],
    [
      "who owned nothing else is gone",
      [entry("a Apply apps/v1", replicas, time)],
      [entry("s Apply/scale autoscaling/v1", replicas)],
      [entry("s Apply/scale apps/v1", replicas)],
    ],
    [
      "who lost them in the subresource loses them",
      [entry("a Apply apps/v1", both)],
      [],
      [entry("a Apply apps/v1", color)],
    ],
    ["who does not own the replicas there gets nothing", [], [entry("s Apply/scale autoscaling/v1", color)], []],
    [
      "versions without a path stay, unknown ones go",
      [entry("a Apply g/v2", replicas), entry("b Apply g/v3", replicas)],
      [],
      [entry("a Apply g/v2", replicas)],
    ],
  ])("%s", (_, entries, scale, expected) => {
    expect(new ScaleHandler(entries, "apps/v1", paths).toParent(scale)).toEqual(expected)
  })

  it("uses the path of the version of the main resource", () => {
    const scale = [entry("s Update/scale autoscaling/v1", replicas)]
    expect(new ScaleHandler([], "g/v1", paths).toParent(scale)).toEqual([entry("s Update/scale g/v1", count)])
  })

  it("ignores versions without a path", () => {
    const scale = [entry("s Update/scale autoscaling/v1", replicas)]
    expect(new ScaleHandler([], "g/v2", paths).toParent(scale)).toEqual([entry("s Update/scale g/v2", {})])
  })

  it("restores appliers unchanged, and updaters at the version of the main resource without a time", () => {
    const entries = [
      entry("a Apply apps/v1", both, time),
      entry("b Update g/v1", count, time),
      entry("c Update apps/v1", color),
    ]
    const handler = new ScaleHandler(entries, "apps/v1", paths)
    expect(handler.toParent(handler.toSubresource())).toEqual([
      entries[0],
      entry("b Update apps/v1", replicas),
      entries[2],
    ])
  })
})

it("refuses malformed entries", () => {
  const broken = [{ operation: "Patch" }]
  const message = "operation must be `Apply` or `Update`"
  expect(messageOf(() => new ScaleHandler(broken, "apps/v1", paths).toSubresource())).toBe(message)
  expect(messageOf(() => new ScaleHandler(broken, "apps/v1", paths).toParent([]))).toBe(message)
  expect(messageOf(() => new ScaleHandler([], "apps/v1", paths).toParent(broken))).toBe(message)
})
