import { describe, expect, it } from "vitest"
import { SchemaError, StructuredMergeError, ValidationError } from "../../src/errors.js"
import { noManagers } from "../../src/fieldpath/managers.js"
import { excludeFilter, includeFilter } from "../../src/fieldpath/matcher.js"
import { ConflictError } from "../../src/merge/conflict.js"
import { Updater, type UpdaterOptions } from "../../src/merge/updater.js"
import { deducedType } from "../../src/typed/deduced.js"
import { compileSchema } from "../../src/typed/type.js"
import type { MapValue, Value } from "../../src/value/value.js"
import { managers, showManagers } from "../fieldpath/managers-notation.js"
import { set } from "../fieldpath/notation.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { thrownBy } from "../support/thrown-by.js"
import {
  atomicList,
  listBy,
  mapOf,
  named,
  number,
  schemaOf,
  setOf,
  struct,
  text,
  thing,
  typed,
  typeOf,
  unchecked,
} from "../typed/notation.js"
import { inheritedKeys, json } from "../value/samples.js"
import { apply, conflictOf, force, type Step, Story, tell, update } from "./notation.js"

type Row = [title: string, steps: Step[], live: Value, managers: Record<string, string>]

const ownership: Row[] = [
  [
    "an applier owns what it applies",
    [apply("a", { s: "x", list: [{ k: "i" }] })],
    { s: "x", list: [{ k: "i" }] },
    { a: "v1! s list[k=i] list[k=i].k" },
  ],
  ["an applier of nothing owns nothing", [apply("a", {})], {}, {}],
  [
    "an updater owns what it changes",
    [apply("a", { s: "x", n: 1 }), update("b", { s: "x", n: 2, b: true })],
    { s: "x", n: 2, b: true },
    { a: "v1! s", b: "v1 b n" },
  ],
  [
    "an updater owns nothing where it changes nothing",
    [apply("a", { s: "x" }), update("b", { s: "x" })],
    { s: "x" },
    { a: "v1! s" },
  ],
  [
    "an updater keeps what it owned",
    [update("b", { s: "x" }), update("b", { s: "x", n: 1 })],
    { s: "x", n: 1 },
    { b: "v1 n s" },
  ],
  [
    "an updater takes what an applier owned",
    [apply("a", { s: "x", n: 1 }), update("b", { s: "y", n: 1 })],
    { s: "y", n: 1 },
    { a: "v1! n", b: "v1 s" },
  ],
  [
    "fields that an update removes have no owner",
    [apply("a", { s: "x", n: 1 }), update("b", { n: 1 })],
    { n: 1 },
    { a: "v1! n" },
  ],
  [
    "an updater loses the fields that it removes",
    [update("b", { s: "x", n: 1 }), update("b", { n: 1 })],
    { n: 1 },
    { b: "v1 n" },
  ],
  [
    "an applier that updates owns its fields by update",
    [apply("a", { s: "x" }), update("a", { s: "x", n: 1 })],
    { s: "x", n: 1 },
    { a: "v1 n s" },
  ],
  [
    "appliers of the same value own it together",
    [apply("a", { s: "x" }), apply("b", { s: "x" })],
    { s: "x" },
    { a: "v1! s", b: "v1! s" },
  ],
  [
    "a number and a bigint are the same value",
    [apply("a", { n: 1 }), apply("b", { n: 1n })],
    { n: 1 },
    { a: "v1! n", b: "v1! n" },
  ],
  [
    "an applier may add to what others own",
    [apply("a", { s: "x" }), apply("b", { n: 1 })],
    { s: "x", n: 1 },
    { a: "v1! s", b: "v1! n" },
  ],
  [
    "an applier may add items to a list",
    [apply("a", { tags: ["x"] }), apply("b", { tags: ["y"] })],
    { tags: ["x", "y"] },
    { a: "v1! tags[=x]", b: "v1! tags[=y]" },
  ],
  [
    "an applier may add to an item of others",
    [apply("a", { list: [{ k: "i" }] }), apply("b", { list: [{ k: "i", v: 1 }] })],
    { list: [{ k: "i", v: 1 }] },
    { a: "v1! list[k=i] list[k=i].k", b: "v1! list[k=i] list[k=i].k list[k=i].v" },
  ],
  [
    "force takes changed fields from others",
    [apply("a", { s: "x", n: 1 }), force("b", { s: "y", n: 1 })],
    { s: "y", n: 1 },
    { a: "v1! n", b: "v1! n s" },
  ],
  [
    "force removes managers that are left with nothing",
    [apply("a", { s: "x" }), force("b", { s: "y" })],
    { s: "y" },
    { b: "v1! s" },
  ],
  [
    "an atomic value is owned as a whole",
    [apply("a", { frozen: { x: "1" } }), force("b", { frozen: { y: "2" } })],
    { frozen: { y: "2" } },
    { b: "v1! frozen" },
  ],
  [
    "a field that an update sets to null belongs to the updater",
    [apply("a", { s: "x" }), update("b", { s: null })],
    { s: null },
    { b: "v1 s" },
  ],
  [
    "an item that an update removes has no owner",
    [apply("a", { list: [{ k: "i", v: 1 }, { k: "j" }] }), update("b", { list: [{ k: "j" }] })],
    { list: [{ k: "j" }] },
    { a: "v1! list[k=j] list[k=j].k" },
  ],
  [
    "an updater that reorders a list owns nothing",
    [apply("a", { tags: ["x", "y"] }), update("b", { tags: ["y", "x"] })],
    { tags: ["y", "x"] },
    { a: "v1! tags[=x] tags[=y]" },
  ],
]

const pruning: Row[] = [
  [
    "removes fields that an applier leaves out",
    [apply("a", { s: "x", n: 1 }), apply("a", { s: "x" })],
    { s: "x" },
    { a: "v1! s" },
  ],
  [
    "removes items that an applier leaves out",
    [apply("a", { list: [{ k: "i" }, { k: "j" }] }), apply("a", { list: [{ k: "j" }] })],
    { list: [{ k: "j" }] },
    { a: "v1! list[k=j] list[k=j].k" },
  ],
  [
    "removes items of a set",
    [apply("a", { tags: ["x", "y"] }), apply("a", { tags: ["y"] })],
    { tags: ["y"] },
    { a: "v1! tags[=y]" },
  ],
  [
    "removes nested fields",
    [apply("a", { in: { in: { s: "x", n: 1 } } }), apply("a", { in: { in: { n: 1 } } })],
    { in: { in: { n: 1 } } },
    { a: "v1! in.in.n" },
  ],
  ["removes whole structs", [apply("a", { in: { s: "x" }, n: 1 }), apply("a", { n: 1 })], { n: 1 }, { a: "v1! n" }],
  ["leaves null if nothing is left", [apply("a", { s: "x" }), apply("a", {})], null, {}],
  [
    "keeps fields that another applier also owns",
    [apply("a", { s: "x", n: 1 }), apply("b", { s: "x" }), apply("a", { n: 1 })],
    { s: "x", n: 1 },
    { a: "v1! n", b: "v1! s" },
  ],
  [
    "keeps fields that an updater took",
    [apply("a", { s: "x", n: 1 }), update("b", { s: "y", n: 1 }), apply("a", { n: 1 })],
    { s: "y", n: 1 },
    { a: "v1! n", b: "v1 s" },
  ],
  [
    "keeps fields of an updater",
    [update("a", { s: "x", n: 1 }), apply("b", { b: true }), apply("b", {})],
    { s: "x", n: 1 },
    { a: "v1 n s" },
  ],
  [
    "keeps an item in which others own fields",
    [apply("a", { list: [{ k: "i", v: 1 }] }), apply("b", { list: [{ k: "i", tags: ["x"] }] }), apply("a", {})],
    { list: [{ k: "i", tags: ["x"] }] },
    { b: "v1! list[k=i] list[k=i].k list[k=i].tags[=x]" },
  ],
  [
    "keeps keys of a map that others own",
    [apply("a", { map: { x: "1", y: "2" } }), apply("b", { map: { z: "3" } }), apply("a", { map: { y: "2" } })],
    { map: { y: "2", z: "3" } },
    { a: "v1! map.y", b: "v1! map.z" },
  ],
  [
    "keeps fields that nobody applied",
    [update("u", { map: { z: "3" } }), apply("a", { map: { x: "1" } }), apply("a", {})],
    { map: { z: "3" } },
    { u: "v1 map map.z" },
  ],
  [
    "keeps a struct to which an updater added a field",
    [apply("a", { in: { s: "x" } }), update("b", { in: { s: "x", n: 1 } }), apply("a", {})],
    { in: { n: 1 } },
    { b: "v1 in.n" },
  ],
  [
    "does not touch other managers' sets",
    [apply("a", { s: "x", n: 1 }), apply("b", { b: true }), apply("a", {})],
    { b: true },
    { b: "v1! b" },
  ],
  [
    "restores fields that are applied again",
    [apply("a", { s: "x", n: 1 }), apply("a", { n: 1 }), apply("a", { s: "x", n: 1 })],
    { n: 1, s: "x" },
    { a: "v1! n s" },
  ],
  [
    "is not done by updates",
    [update("a", { s: "x" }), update("a", { s: "x" }), apply("a", { n: 1 })],
    { n: 1 },
    { a: "v1! n" },
  ],
]

const conflicts: [title: string, steps: Step[], message: string][] = [
  ["a changed field of an applier", [apply("a", { s: "x" }), apply("b", { s: "y" })], 'conflict with "a": .s'],
  ["a changed field of an updater", [update("a", { s: "x" }), apply("b", { s: "y" })], 'conflict with "a": .s'],
  ["several fields", [apply("a", { s: "x", n: 1 }), apply("b", { s: "y", n: 2 })], 'conflicts with "a":\n- .n\n- .s'],
  [
    "several managers, sorted",
    [apply("c", { s: "x" }), apply("a", { n: 1 }), apply("b", { s: "y", n: 2 })],
    'conflicts with "a":\n- .n\nconflicts with "c":\n- .s',
  ],
  [
    "a field of two managers",
    [apply("a", { s: "x" }), apply("c", { s: "x" }), apply("b", { s: "y" })],
    'conflicts with "a":\n- .s\nconflicts with "c":\n- .s',
  ],
  [
    "a field of an item",
    [apply("a", { list: [{ k: "i", v: 1 }] }), apply("b", { list: [{ k: "i", v: 2 }] })],
    'conflict with "a": .list[k="i"].v',
  ],
  ["an atomic value", [apply("a", { args: ["x"] }), apply("b", { args: ["x", "y"] })], 'conflict with "a": .args'],
  [
    "an atomic value that is emptied",
    [apply("a", { frozen: { x: "1" } }), apply("b", { frozen: {} })],
    'conflict with "a": .frozen',
  ],
  ["a field set to null", [apply("a", { s: "x" }), apply("b", { s: null })], 'conflict with "a": .s'],
  ["a name that needs quotes", [apply('"a"\n', { s: "x" }), apply("b", { s: "y" })], 'conflict with "\\"a\\"\\n": .s'],
  ["not one's own field", [apply("a", { s: "x" }), apply("a", { s: "y" })], "none"],
  ["not a field nobody owns", [apply("a", { s: "x" }), apply("a", {}), apply("b", { s: "y" })], "none"],
  ["not the same value", [apply("a", { s: "x", args: ["x"] }), apply("b", { s: "x", args: ["x"] })], "none"],
  [
    "not what is merely left out",
    [apply("a", { s: "x", list: [{ k: "i", v: 1 }] }), apply("b", { list: [{ k: "i" }] })],
    "none",
  ],
  ["not an empty map over one with keys", [apply("a", { map: { x: "1" } }), apply("b", { map: {} })], "none"],
]

describe("ownership:", () => {
  it.each(ownership)("%s", (_, steps, live, owners) => {
    expect(tell(steps)).toStrictEqual({ live, managers: owners })
  })
})

describe("pruning", () => {
  it.each(pruning)("%s", (_, steps, live, owners) => {
    expect(tell(steps)).toStrictEqual({ live, managers: owners })
  })
})

describe("null applied over a map", () => {
  it("removes a map without other owners, if null was applied before and something in it is empty", () => {
    // As upstream: an empty list is not a member of the remaining set.
    const request = { manager: "a", apiVersion: "v1", managers: managers({ a: "v1! in n" }) }
    const live = typed({ n: 1, in: { s: "x", tags: [] } })
    const { object } = new Updater().apply(live, typed({ n: 1, in: null }), request)
    expect(object.value).toStrictEqual({ n: 1 })
  })
})

describe("a conflict is", () => {
  it.each(conflicts)("%s", (_, steps, message) => {
    expect(conflictOf(steps)).toBe(message)
  })

  it.each(conflicts)("never met by force: %s", (_, steps) => {
    const last = steps[steps.length - 1] as Step
    expect(conflictOf([...steps.slice(0, -1), { ...last, op: "force" }])).toBe("none")
  })

  it.each(conflicts)("never met by an update: %s", (_, steps) => {
    const last = steps[steps.length - 1] as Step
    expect(conflictOf([...steps.slice(0, -1), { ...last, op: "update" }])).toBe("none")
  })
})

describe("applying again", () => {
  // {} over a null that pruning left is a change, once.
  const stable = [...ownership, ...pruning].filter(([, , live]) => live !== null)

  it.each(stable)("the last configuration changes nothing and returns the live object: %s", (_, steps) => {
    const last = steps[steps.length - 1] as Step
    if (last.op === "update") return expect(tell([...steps, last])).toStrictEqual(tell(steps))
    const story = new Story()
    for (const step of steps) story.take(step)
    const before = story.state
    const { live } = story
    const { object, changed } = story.take(last)
    expect([object === live, changed]).toEqual([true, false])
    return expect(story.state).toStrictEqual(before)
  })
})

describe("whether anything changed", () => {
  const first = { s: "x", tags: ["a", "b"], in: { n: 1 } }
  it.each<[title: string, next: Step, changed: boolean]>([
    ["nothing", apply("b", { s: "x" }), false],
    ["a value", force("b", { s: "y" }), true],
    ["the order of a list", apply("a", { ...first, tags: ["b", "a"] }), true],
    ["the way a number is written", apply("b", { in: { n: 1n } }), false],
    ["nothing, by an update", update("b", first), false],
    ["the order of keys, by an update", update("b", { tags: ["a", "b"], in: { n: 1 }, s: "x" }), false],
    ["the order of a list, by an update", update("b", { ...first, tags: ["b", "a"] }), true],
    ["a value, by an update", update("b", { ...first, s: "y" }), true],
  ])("is reported for %s", (_, next, changed) => {
    const story = new Story()
    story.take(apply("a", first))
    const { live } = story
    const result = story.take(next)
    expect(result.changed).toBe(changed)
    if (next.op !== "update") expect(result.object === live).toBe(!changed)
  })

  it("is not determined with returnInputOnNoop", () => {
    const story = new Story({ returnInputOnNoop: true })
    story.take(apply("a", first))
    expect(story.take(apply("a", structuredClone(first))).changed).toBe(false)
    const { live } = story
    const reduced = story.take(apply("b", { in: { n: 1n } }))
    expect([reduced.changed, reduced.object === live, reduced.object.value]).toEqual([
      true,
      false,
      { ...first, in: { n: 1n } },
    ])
  })
})

describe("sharing", () => {
  it("includes all unchanged parts of the live object", () => {
    const story = new Story()
    const value = { s: "x", in: { n: 1 }, list: [{ k: "i" }, { k: "j" }], map: { a: "1" } }
    story.take(apply("a", value))
    expect(story.live.value).toBe(value)
    story.take(apply("b", { map: { b: "2" } }))
    const live = story.live.value as typeof value
    expect([live.in === value.in, live.list === value.list, live.map === value.map]).toEqual([true, true, false])
    story.take(apply("a", { ...value, list: [{ k: "j" }] }))
    const pruned = story.live.value as typeof value
    expect([pruned.in === value.in, pruned.list[0] === value.list[1], pruned.map === live.map]).toEqual([
      true,
      true,
      true,
    ])
  })

  it("includes the new object of an update, and the sets of managers that lost nothing", () => {
    const story = new Story()
    story.take(apply("a", { s: "x" }))
    const before = story.managers.get("a")
    const next = { s: "x", n: 1 }
    story.take(update("b", next))
    expect(story.live.value).toBe(next)
    expect(story.managers.get("a")).toBe(before)
    story.take(update("b", { s: "x" }))
    expect(story.managers.get("a")).toBe(before)
  })
})

describe("items that share their keys", () => {
  const twice = {
    list: [
      { k: "i", v: 1 },
      { k: "i", v: 2 },
    ],
  }

  it("are created by updates and owned as one", () => {
    expect(tell([update("u", twice)]).managers).toEqual({ u: "v1 list list[k=i]" })
    expect(tell([apply("a", { list: [{ k: "i", v: 1 }] }), update("u", twice)]).managers).toEqual({ u: "v1 list[k=i]" })
  })

  it("stay if others apply something else", () => {
    const { live, managers: owners } = tell([update("u", twice), apply("a", { s: "x" })])
    expect([live, owners]).toEqual([
      { ...twice, s: "x" },
      { u: "v1 list list[k=i]", a: "v1! s" },
    ])
  })

  it("conflict with one that is applied", () => {
    expect(conflictOf([update("u", twice), apply("a", { list: [{ k: "i", v: 1 }] })])).toBe(
      'conflict with "u": .list[k="i"]',
    )
    expect(tell([update("u", twice), force("a", { list: [{ k: "i", v: 1 }] })])).toEqual({
      live: { list: [{ k: "i", v: 1 }] },
      managers: { a: "v1! list[k=i] list[k=i].k list[k=i].v", u: "v1 list" },
    })
  })

  it("can't be applied", () => {
    expect(() => tell([apply("a", twice)])).toThrow(ValidationError)
  })
})

describe("integers beyond the safe range", () => {
  it("keep their digits in objects and owners", () => {
    const big = 2n ** 60n + 1n
    const { live, managers: owners } = tell([apply("a", { n: big, nums: [big] })])
    expect(live).toStrictEqual({ n: big, nums: [big] })
    expect(owners).toEqual({ a: "v1! n nums[=1152921504606846977]" })
    expect(conflictOf([apply("a", { n: big }), apply("b", { n: big - 1n })])).toBe('conflict with "a": .n')
  })
})

describe("keys that every object inherits", () => {
  it.each(inheritedKeys)("are owned, pruned and fought over like others: %s", key => {
    const strings = typeOf(mapOf(text))
    const story = new Story({}, () => strings)
    story.take(apply("a", json(`{"${key}": "1", "x": "1"}`)))
    expect(story.state.managers).toEqual({ a: `v1! ${[key, "x"].sort().join(" ")}` })
    expect(() => story.take(apply("b", json(`{"${key}": "2"}`)))).toThrow(`conflict with "a": .${key}`)
    story.take(apply("a", { x: "1" }))
    expect(Object.keys(story.live.value as MapValue)).toEqual(["x"])
  })

  it("name managers", () => {
    expect(tell([apply("__proto__", { s: "x" }), apply("constructor", { n: 1 })]).live).toEqual({ s: "x", n: 1 })
    expect(conflictOf([apply("__proto__", { s: "x" }), apply("b", { s: "y" })])).toBe('conflict with "__proto__": .s')
  })
})

describe("ignored fields", () => {
  const ignored: UpdaterOptions = { ignoredFields: new Map([["v1", set("s in")]]) }
  const rows: [title: string, steps: Step[], live: Value, managers: Record<string, string>][] = [
    ["are not owned by appliers", [apply("a", { s: "x", n: 1 })], { s: "x", n: 1 }, { a: "v1! n" }],
    ["are not owned by updaters", [update("a", { in: { s: "x" }, n: 1 })], { in: { s: "x" }, n: 1 }, { a: "v1 n" }],
    ["are never in conflict", [apply("a", { s: "x" }), apply("b", { s: "y" })], { s: "y" }, {}],
    ["are not pruned", [apply("a", { s: "x", n: 1 }), apply("a", { n: 1 })], { s: "x", n: 1 }, { a: "v1! n" }],
    ["count at their version only", [apply("a", { s: "x" }, "v2")], { s: "x" }, { a: "v2! s" }],
  ]
  it.each(rows)("%s", (_, steps, live, owners) => {
    expect(tell(steps, ignored)).toStrictEqual({ live, managers: owners })
  })

  it.each(rows)("given as a filter %s", (_, steps, live, owners) => {
    const options = { ignoreFilters: new Map([["v1", excludeFilter(set("s in"))]]) }
    expect(tell(steps, options)).toStrictEqual({ live, managers: owners })
  })

  it("may be all but some", () => {
    const options = { ignoreFilters: new Map([["v1", includeFilter(["n"], ["in", "s"])]]) }
    expect(tell([apply("a", { s: "x", n: 1, in: { s: "y", n: 2 } })], options).managers).toEqual({ a: "v1! n in.s" })
  })

  it("can't be given in both ways", () => {
    expect(() => new Updater({ ignoredFields: new Map(), ignoreFilters: new Map() })).toThrow(
      new TypeError("IgnoreFilter and IgnoreFilter may not both be set"),
    )
  })
})

describe("a schema that changed between two calls", () => {
  const granular = compileSchema(
    schemaOf({ t: struct({ m: struct({ x: text, y: text }), l: setOf(text), n: number }) }),
  ).type("t")
  const atomic = compileSchema(
    schemaOf({ t: struct({ m: struct({ x: text, y: text }, "atomic"), l: atomicList(text), n: number }) }),
  ).type("t")

  function retold(from: typeof granular, to: typeof granular, before: Step[], after: Step[]): Story["state"] {
    const first = new Story({}, () => from)
    for (const step of before) first.take(step)
    const second = new Story({}, () => to)
    second.live = typed(first.live.value, to)
    second.managers = first.managers
    for (const step of after) second.take(step)
    return second.state
  }

  it("makes the owners of a part own the whole value if it is atomic now", () => {
    const before = [apply("a", { m: { x: "1" }, l: ["a"] }), apply("b", { m: { y: "2" }, n: 1 })]
    expect(retold(granular, atomic, before, [update("u", { m: { x: "1", y: "2" }, l: ["a"], n: 2 })])).toEqual({
      live: { m: { x: "1", y: "2" }, l: ["a"], n: 2 },
      managers: { a: "v1! l m", b: "v1! m", u: "v1 n" },
    })
  })

  it("makes changes of a value that is atomic now conflict with each owner", () => {
    const before = [apply("a", { m: { x: "1" } }), apply("b", { m: { y: "2" } })]
    expect(() => retold(granular, atomic, before, [apply("c", { m: { x: "9" } })])).toThrow(
      'conflicts with "a":\n- .m\nconflicts with "b":\n- .m',
    )
  })

  it("keeps the sets if an atomic value becomes granular", () => {
    const before = [apply("a", { m: { x: "1", y: "2" } })]
    expect(retold(atomic, granular, before, [apply("b", { m: { x: "1" } })]).managers).toEqual({
      a: "v1! m",
      b: "v1! m.x",
    })
  })

  it("keeps owned fields that the schema no longer declares", () => {
    const less = compileSchema(schemaOf({ t: struct({ n: number }) })).type("t")
    const story = new Story({}, () => less)
    story.live = typed({ n: 1 }, less)
    story.managers = managers({ a: "v1! n m.x" })
    story.take(apply("b", { n: 1 }))
    expect(story.state.managers).toEqual({ a: "v1! n m.x", b: "v1! n" })
  })
})

describe("objects without a schema", () => {
  it("have granular maps and atomic lists", () => {
    const story = new Story({}, deducedType)
    story.take(apply("a", { spec: { x: 1, l: [1, { y: 2 }] } }))
    story.take(apply("b", { spec: { z: 1 } }))
    expect(story.state).toEqual({
      live: { spec: { x: 1, l: [1, { y: 2 }], z: 1 } },
      managers: { a: "v1! spec spec.l spec.x", b: "v1! spec spec.z" },
    })
    expect(() => story.take(apply("b", { spec: { z: 1, l: [] } }))).toThrow('conflict with "a": .spec.l')
  })
})

describe("errors", () => {
  const request = { manager: "a", apiVersion: "v1", managers: noManagers }
  const updater = new Updater()
  const live = typed({ s: "x" })

  it("of a config of another type say what failed, and keep the cause", () => {
    const run = () => updater.apply(live, typed([], thing.schema.type("items")), request)
    expect(run).toThrow("failed to merge config: expected objects of the same type, but got thing and items")
    expect(thrownBy(run)).toMatchObject({ code: "invalid-schema", cause: expect.any(SchemaError) })
  })

  it("of an object of another type say what failed", () => {
    expect(() => updater.update(live, typed({}, deducedType()), request)).toThrow(
      "failed to compare objects: expected objects with types from the same schema",
    )
  })

  it("of an unvalidated config have its issues as their cause", () => {
    const run = () => updater.apply(live, unchecked({ tags: ["a", "a"] }), request)
    expect(run).toThrow('failed to merge config: .tags: duplicate entries for key [="a"]')
    expect(thrownBy(run)).toMatchObject({ code: "invalid-value", cause: expect.any(ValidationError) })
  })

  it("of a missing type are SchemaErrors", () => {
    const missing = typeOf(struct({ a: named("missing") }))
    const run = () =>
      updater.update(unchecked({}, missing), unchecked({}, missing), {
        ...request,
        managers: managers({ b: "v1 a.x" }),
      })
    expect(run).toThrow(SchemaError)
  })

  it("leave the managers and the object unchanged", () => {
    const owners = managers({ b: "v1! s n" })
    const object = deepFreeze({ s: "x", n: 1 })
    expect(() => updater.apply(typed(object), typed({ s: "y", b: true }), { ...request, managers: owners })).toThrow(
      ConflictError,
    )
    expect(showManagers(owners)).toEqual({ b: "v1! n s" })
    expect(object).toEqual({ s: "x", n: 1 })
  })

  it("have a stack that leads to the caller, even for conflicts", () => {
    const conflict = thrownBy(() =>
      updater.apply(live, typed({ s: "y" }), { ...request, managers: managers({ b: "v1! s" }) }),
    )
    expect(conflict).toBeInstanceOf(ConflictError)
    expect((conflict as Error).stack).toContain("updater.test.ts")
  })

  it("have one base class", () => {
    expect(thrownBy(() => updater.apply(live, unchecked({ q: 1 }), request))).toBeInstanceOf(StructuredMergeError)
  })
})

describe("pruning of lists within lists", () => {
  const nested = typeOf(named("list"), { list: listBy(["k"], struct({ k: text, v: number, in: named("list") })) })

  it("removes fields without owners at every depth", () => {
    const story = new Story({}, () => nested)
    story.take(apply("a", [{ k: "i", v: 1, in: [{ k: "x", v: 1 }, { k: "y" }] }, { k: "j" }]))
    story.take(apply("b", [{ k: "i", in: [{ k: "x" }] }]))
    story.take(apply("a", [{ k: "j" }]))
    expect(story.state).toEqual({
      live: [{ k: "i", in: [{ k: "x" }] }, { k: "j" }],
      managers: { a: "v1! [k=j] [k=j].k", b: "v1! [k=i] [k=i].k [k=i].in[k=x] [k=i].in[k=x].k" },
    })
  })
})

describe("an item that is applied empty, since its keys have defaults", () => {
  const item = struct({ k: text, v: number }, "separable", { k: "i" })
  const type = typeOf(struct({ list: listBy(["k"], item), n: number }))
  const applied = (config: Value, fields: string) => {
    const before = managers({ a: fields })
    const request = { manager: "a", apiVersion: "v1", managers: before }
    const live = typed({ list: [{ v: 1 }], n: 1 }, type)
    return new Updater().apply(live, typed(config, type), request).object.value
  }

  it("is removed with the fields that nobody owns, as upstream does", () => {
    expect(applied({ list: [{}], n: 2 }, "v1! list[k=i] n")).toEqual({ list: null, n: 2 })
    expect(applied({ list: [{}] }, "v1! list[k=i] n")).toEqual({ list: null })
  })

  it("stays if it is new to the applier", () => {
    expect(applied({ list: [{}], n: 2 }, "v1! n")).toEqual({ list: [{ v: 1 }], n: 2 })
  })
})

describe("an empty map that is applied over one with content", () => {
  it.each<[title: string, content: Value, left: Value]>([
    ["keeps the content", { s: "x", in: { n: 1 } }, { in: { s: "x", in: { n: 1 } }, n: 2 }],
    ["goes with an empty list, as upstream does", { s: "x", tags: [] }, { n: 2 }],
    ["goes with an empty list further down", { s: "x", in: { list: [] } }, { n: 2 }],
    ["keeps an empty atomic list", { s: "x", args: [] }, { in: { s: "x", args: [] }, n: 2 }],
  ])("%s", (_, content, left) => {
    const request = { manager: "a", apiVersion: "v1", managers: managers({ a: "v1! in n" }) }
    expect(new Updater().apply(typed({ in: content, n: 1 }), typed({ in: {}, n: 2 }), request).object.value).toEqual(
      left,
    )
  })
})
