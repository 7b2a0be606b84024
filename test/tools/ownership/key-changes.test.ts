/** Items that disappear and reappear under another key: the pairs are those of an exhaustive search, in at most as many steps as items. */
import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { keyElement } from "../../../src/fieldpath/create-element.js"
import { type Path, pathOf } from "../../../src/fieldpath/path.js"
import { kubernetesTypes } from "../../../src/kubernetes/types.js"
import { FieldManager } from "../../../src/managedfields/field-manager.js"
import { pairKeyChanges } from "../../../src/tools/ownership/key-changes.js"
import { plan } from "../../../src/tools/ownership/plan.js"
import type { Row } from "../../../src/tools/ownership/planned-change.js"
import { equalValues } from "../../../src/value/equal.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { runs } from "../../support/budget.js"
import { Counted } from "../../support/counted.js"

interface Lists {
  readonly gone: readonly MapValue[]
  readonly come: readonly MapValue[]
}

/** The items with their keys, as rows from two lists in turn, so that the rows of a list are never together. */
function rowsOf({ gone, come }: Lists): { readonly rows: Row[]; readonly values: ReadonlyMap<Path, MapValue> } {
  const values = new Map<Path, MapValue>()
  const row = (item: MapValue, key: string, isGone: boolean): Row => {
    const path = [...pathOf("spec", key.length % 2 === 0 ? "ports" : "env"), keyElement({ name: key })]
    values.set(path, { name: key, ...item })
    return { path, action: isGone ? "remove" : "add", because: isGone ? "no-longer-applied" : "configured" }
  }
  const rows = [
    ...gone.map((item, i) => row(item, `old${"x".repeat(i % 2)}${i}`, true)),
    ...come.map((item, i) => row(item, `new${"x".repeat(i % 2)}${i}`, false)),
  ]
  return { rows, values }
}

/** The pairs, each by the paths of both items. */
function pairsOf(rows: readonly Row[]): (readonly [Path, Path | undefined])[] {
  return rows
    .filter(({ because }) => because === "list-key-changed")
    .map(({ path, counterpart }) => [path, counterpart])
}

/** Tries all pairs of each list, the most similar first. */
function bruteForce({ rows, values }: ReturnType<typeof rowsOf>): (readonly [Path, Path | undefined])[] {
  const listOf = ({ path }: Row) => JSON.stringify(path.slice(0, -1))
  const [gone, come] = ["remove", "add"].map(action => rows.filter(row => row.action === action)) as [Row[], Row[]]
  const likeness = (a: MapValue, b: MapValue) =>
    Object.entries(a).filter(([name, value]) => name !== "name" && name in b && equalValues(value, b[name] as Value))
      .length
  const isKey = (value: MapValue) => Object.keys(value).join() === "name"
  const pairs = gone.flatMap(a =>
    come
      .filter(b => listOf(a) === listOf(b))
      .map(b => ({ a, b, like: likeness(values.get(a.path) as MapValue, values.get(b.path) as MapValue) })),
  )
  const found = new Map<Row, Row>()
  for (const { a, b, like } of pairs.toSorted((x, y) => y.like - x.like)) {
    const isOnly =
      pairs.filter(pair => listOf(pair.a) === listOf(a)).length === 1 &&
      [a, b].every(({ path }) => isKey(values.get(path) as MapValue))
    if ((like > 0 || isOnly) && !found.has(a) && !found.has(b)) found.set(a, b).set(b, a)
  }
  return rows.filter(row => found.has(row)).map(row => [row.path, found.get(row)?.path])
}

describe("items that seem to be the same", () => {
  it("are the pairs of an exhaustive search", () => {
    const value = fc.constantFrom<Value>(1, 1n, 2, "a", null, [1], { x: 1 }, { x: 1n })
    const item = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), value, { noNullPrototype: true })
    const items = fc.array(item, { maxLength: 12 })
    fc.assert(
      fc.property(items, items, (gone, come) => {
        const given = rowsOf({ gone, come })
        const expected = bruteForce(given)
        pairKeyChanges(given.rows, path => [given.values.get(path), given.values.get(path)])
        expect(pairsOf(given.rows)).toEqual(expected)
      }),
      runs(500),
    )
  })

  it.each<[string, (i: number, n: number) => MapValue]>([
    ["all of the same value", () => ({ value: "same" })],
    ["each of its own value", i => ({ value: `v${i}` })],
    ["some values, and one that all have", (i, n) => ({ value: `v${i % Math.sqrt(n)}`, policy: "Always" })],
    ["a value of their own and one that all have", i => ({ value: `v${i}`, policy: "Always", kind: `k${i % 3}` })],
    ["half of them alike", i => (i % 2 === 0 ? { a: 1, b: i } : { a: 2, b: 0 })],
    ["nothing but keys", () => ({})],
    ["alike in no field", i => ({ [`field${i}`]: 1 })],
  ])("are found in as many steps as there are items: %s", (_, itemOf) => {
    const has = vi.spyOn(Set.prototype, "has")
    const steps = [100, 400].map(count => {
      const items = Array.from({ length: count }, (_, i) => itemOf(i, count))
      const { rows, values } = rowsOf({ gone: items, come: items.toReversed() })
      const counted = new Counted({ items: [...values.values()] })
      const proxies = new Map([...values.keys()].map((path, i) => [path, counted.value.items[i]]))
      has.mockClear()
      pairKeyChanges(rows, path => [proxies.get(path), proxies.get(path)])
      return counted.reads + has.mock.calls.length
    })
    has.mockRestore()
    // Sorting needs a few more steps.
    expect((steps[1] as number) / (steps[0] as number)).toBeLessThan(4 * 1.5)
  })

  it("are found by a plan in as many steps as there are items", () => {
    const manager = new FieldManager({ types: kubernetesTypes })
    const deployment = (env: readonly MapValue[]): MapValue => ({
      ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } },
      spec: { template: { spec: { containers: [{ name: "web", env }] } } },
    })
    const reads = [50, 200].map(count => {
      const env = (prefix: string) =>
        Array.from({ length: count }, (_, i) => ({ name: `${prefix}${i}`, value: `v${i % 7}` }))
      const { object } = manager.apply(undefined, deployment(env("OLD_")), { manager: "me" })
      const [live, config] = [new Counted(object), new Counted(deployment(env("NEW_")))]
      const { changes } = plan(live.value, config.value, { types: kubernetesTypes, manager: "me" })
      expect(changes.filter(({ because }) => because === "list-key-changed")).toHaveLength(2 * count)
      return live.reads + config.reads
    })
    expect((reads[1] as number) / (reads[0] as number)).toBeLessThan(4 * 1.5)
  })
})
