import { describe, expect, it } from "vitest"
import { ParseError, StructuredMergeError } from "../../src/errors.js"
import { ConflictError } from "../../src/merge/conflict.js"
import { Updater } from "../../src/merge/updater.js"
import { type Converter, during, sameInEveryVersion, Versions } from "../../src/merge/versions.js"
import { compileSchema } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import type { Value } from "../../src/value/value.js"
import { managers, showManagers } from "../fieldpath/managers-notation.js"
import { path } from "../fieldpath/notation.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { schemaOf, struct, text, typed } from "../typed/notation.js"
import { apply, force, Renaming, type Step, Story, typeAt, update } from "./notation.js"

function tell(steps: readonly Step[]): Story["state"] {
  const story = new Story({ converter: new Renaming() }, typeAt)
  for (const step of steps) story.take(step)
  return story.state
}

describe("managers at several versions", () => {
  const rows: [title: string, steps: Step[], live: Value, managers: Record<string, string>][] = [
    [
      "own fields by the names of their versions",
      [apply("a", { old: "x" }, "v1"), apply("b", { new: "x", s: "y" }, "v2")],
      { new: "x", s: "y" },
      { a: "v1! old", b: "v2! new s" },
    ],
    [
      "lose fields that are taken under another name",
      [apply("a", { old: "x", s: "y" }, "v1"), force("b", { new: "z" }, "v2")],
      { new: "z", s: "y" },
      { a: "v1! s", b: "v2! new" },
    ],
    [
      "lose fields to updates under another name",
      [apply("a", { old: "x" }, "v1"), update("b", { new: "z" }, "v2")],
      { new: "z" },
      { b: "v2 new" },
    ],
    [
      "prune what they applied under another name",
      [apply("a", { old: "x", s: "y" }, "v1"), apply("a", { s: "y" }, "v2")],
      { s: "y" },
      { a: "v2! s" },
    ],
    [
      "keep each other's fields from being pruned",
      [apply("a", { old: "x", s: "y" }, "v1"), apply("b", { new: "x" }, "v2"), apply("a", { s: "y" }, "v1")],
      { old: "x", s: "y" },
      { a: "v1! s", b: "v2! new" },
    ],
    [
      "move to the version they use",
      [apply("a", { old: "x" }, "v1"), apply("a", { new: "x" }, "v2")],
      { new: "x" },
      { a: "v2! new" },
    ],
    [
      "move to the version they update",
      [update("a", { old: "x" }, "v1"), update("a", { new: "x", s: "y" }, "v2")],
      { new: "x", s: "y" },
      { a: "v2 old s" },
    ],
    [
      "keep fields that another version does not have",
      [apply("a", { gone: "x", s: "y" }, "v1"), apply("b", { s: "y" }, "v2")],
      { gone: "x", s: "y" },
      { a: "v1! gone s", b: "v2! s" },
    ],
  ]
  it.each(rows)("%s", (_, steps, live, owners) => {
    expect(tell(steps)).toStrictEqual({ live, managers: owners })
  })

  it("are in conflict over a field with two names", () => {
    expect(() => tell([apply("a", { old: "x" }, "v1"), apply("b", { new: "z" }, "v2")])).toThrow(
      'conflict with "a": .old',
    )
  })

  it("of a version that is gone are dropped", () => {
    const story = new Story({ converter: new Renaming() }, typeAt)
    story.take(apply("a", { s: "x" }, "v1"))
    story.managers = managers({ a: "v1! s", b: "v0! s", c: "v9 s" })
    story.take(apply("a", { s: "x", old: "y" }, "v1"))
    expect(story.state.managers).toEqual({ a: "v1! old s" })
    story.managers = managers({ a: "v1! s", b: "v0! s" })
    story.take(update("u", { s: "x", old: "z" }, "v1"))
    expect(story.state.managers).toEqual({ a: "v1! s", u: "v1 old" })
  })
})

describe("fields that trade their names between versions", () => {
  const types = compileSchema(schemaOf({ v1: struct({ a: text, c: text }), v2: struct({ b: text, a: text }) }))
  const inV2: Record<string, string> = { a: "b", c: "a" }
  const inV1: Record<string, string> = { b: "a", a: "c" }
  const converter: Converter = {
    convert(object, version) {
      if (object.type.name === version) return object
      const names = version === "v2" ? inV2 : inV1
      const renamed = Object.entries(object.value ?? {}).map(([key, value]) => [names[key] ?? key, value])
      const value = object.value === null ? null : deepFreeze(Object.fromEntries(renamed))
      return TypedValue.of(value, types.type(version))
    },
  }
  function tellTrading(steps: readonly Step[]): Story["state"] {
    const story = new Story({ converter }, version => types.type(version))
    for (const step of steps) story.take(step)
    return story.state
  }

  const rows: [title: string, steps: Step[], live: Value, managers: Record<string, string>][] = [
    [
      "are pruned, though the new configuration has a field of the old name",
      [apply("m", { a: "1" }, "v1"), apply("m", { a: "9" }, "v2")],
      { a: "9" },
      { m: "v2! a" },
    ],
    [
      "are pruned in the other direction",
      [apply("m", { a: "1" }, "v2"), apply("m", { a: "9" }, "v1")],
      { a: "9" },
      { m: "v1! a" },
    ],
    [
      "stay if others own them",
      [apply("m", { a: "1" }, "v1"), apply("o", { b: "1" }, "v2"), apply("m", { a: "9" }, "v2")],
      { b: "1", a: "9" },
      { m: "v2! a", o: "v2! b" },
    ],
    [
      "stay if they are applied by both names",
      [apply("m", { a: "1" }, "v1"), apply("m", { a: "9", b: "1" }, "v2")],
      { b: "1", a: "9" },
      { m: "v2! a b" },
    ],
  ]
  it.each(rows)("%s", (_, steps, live, owners) => {
    expect(tellTrading(steps)).toStrictEqual({ live, managers: owners })
  })
})

describe("an object that is the same at another version", () => {
  /** v1's `s` is v2's `u`. Objects with neither are the same in both. */
  const converter: Converter = {
    convert(object, version) {
      const [from, to] = version === "v2" ? ["s", "u"] : ["u", "s"]
      const { [from]: renamed, ...rest } = (object.value ?? {}) as Record<string, Value>
      return renamed === undefined ? object : typed({ ...rest, [to]: renamed })
    },
  }
  const updater = new Updater({ converter })
  const request = { manager: "a", apiVersion: "v1", managers: managers({ b: "v2! n u" }) }

  it("is compared with a new object that differs at that version", () => {
    const apply = () => updater.apply(typed({ n: 1 }), typed({ s: "x" }), request)
    expect(apply).toThrow(new ConflictError([{ manager: "b", path: path("u") }]))
  })

  it("is compared with an old object that differs at that version", () => {
    const updated = updater.update(typed({ n: 1, s: "x" }), typed({ n: 1 }), request)
    expect(showManagers(updated.managers)).toEqual({ b: "v2! n" })
  })
})

describe("a version that can't hold what is applied", () => {
  // Like an API server's custom resources: only the version differs, so a field that a version lacks can't be converted.
  const reading: Converter = { convert: (object, version) => TypedValue.of(object.value, typeAt(version)) }

  it.each<[title: string, steps: Step[], message: string]>([
    [
      "that the applier used last",
      [apply("m", { s: "x" }, "v2"), apply("m", { s: "x", old: "y" }, "v1")],
      "failed to prune fields: failed to convert merged object to last applied version: .old: field not declared in schema",
    ],
    [
      "that another owner uses",
      [apply("m", { s: "x" }, "v1"), apply("o", { gone: "x" }, "v2"), apply("m", { s: "x", old: "y" }, "v1")],
      "failed to prune fields: failed add back owned items: " +
        "failed to convert merged object at version v2: .old: field not declared in schema",
    ],
  ])("ends the apply: %s", (_, steps, message) => {
    const story = new Story({ converter: reading }, typeAt)
    for (const step of steps.slice(0, -1)) story.take(step)
    const before = story.state
    expect(() => story.take(steps.at(-1) as Step)).toThrow(message)
    expect(story.state).toEqual(before)
  })
})

describe("a version that can't hold the new object", () => {
  it("is dropped with its managers", () => {
    const converter: Converter = {
      convert: (object, version) =>
        version === "v2" && object.value !== null && "n" in (object.value as object) ? undefined : object,
    }
    const story = new Story({ converter })
    story.take(apply("a", { s: "x" }, "v2"))
    story.take(apply("b", { n: 1 }, "v1"))
    expect(story.state).toEqual({ live: { s: "x", n: 1 }, managers: { b: "v1! n" } })
  })
})

describe("Versions", () => {
  it("converts each object to each version once", () => {
    const renaming = new Renaming()
    const versions = new Versions(renaming)
    const object = typed({ old: "x" }, typeAt("v1"))
    const converted = versions.find(object, "v2")
    expect(converted?.value).toEqual({ new: "x" })
    expect(versions.find(object, "v2")).toBe(converted)
    expect(versions.find(object, "v9")).toBeUndefined()
    expect(versions.find(object, "v9")).toBeUndefined()
    expect(renaming.conversions).toBe(1)
  })

  it("returns the object itself if it is the same in every version", () => {
    const object = typed({})
    const versions = new Versions(sameInEveryVersion)
    expect([versions.find(object, "any"), versions.get(object, "any")]).toEqual([object, object])
    expect(sameInEveryVersion.convert(object, "any")).toBe(object)
    expect(versions.allSame(object, managers({ a: "v1 s", b: "v2 s" }))).toBe(true)
  })

  it("knows whether an object is the same at the versions of all managers", () => {
    const object = typed({ s: "x" }, typeAt("v1"))
    const versions = new Versions(new Renaming())
    expect(versions.allSame(object, managers({ a: "v1 s" }))).toBe(true)
    expect(versions.allSame(object, managers({ a: "v1 s", b: "v2 s" }))).toBe(false)
    expect(versions.allSame(object, managers({ a: "v9 s" }))).toBe(false)
  })

  it("treats an object that can't be converted as different", () => {
    const unable: Converter = {
      convert(object, version) {
        if (version === "v1") return object
        throw new StructuredMergeError("invalid-value", "can't")
      },
    }
    const object = typed({ s: "x" }, typeAt("v1"))
    expect(new Versions(unable).allSame(object, managers({ a: "v1 s" }))).toBe(true)
    expect(new Versions(unable).allSame(object, managers({ a: "v1 s", b: "v2 s" }))).toBe(false)
  })

  it("passes on bugs of a converter", () => {
    const broken: Converter = {
      convert() {
        throw new TypeError("bug")
      },
    }
    const versions = new Versions(broken)
    expect(() => versions.allSame(typed({}), managers({ a: "v1 s" }))).toThrow(new TypeError("bug"))
  })

  it("throws for a missing version that must exist", () => {
    expect(() => new Versions(new Renaming()).get(typed({}, typeAt("v1")), "v9")).toThrow("no version v9 of the object")
  })
})

describe("a conversion that fails", () => {
  const unable = new StructuredMergeError("invalid-value", "can't")
  const failing = (at: string): Converter => ({
    convert: (object, version) => {
      if (version === at) throw unable
      return object
    },
  })

  it.each<[title: string, at: string, owners: Record<string, string>]>([
    ["of the live object", "v2", { b: "v2! s" }],
    ["to the version applied last", "v3", { a: "v3! s n" }],
  ])("ends the operation without changing the managers: %s", (_, at, state) => {
    const owners = managers(state)
    const updater = new Updater({ converter: failing(at) })
    const request = { manager: "a", apiVersion: "v1", managers: owners }
    expect(() => updater.apply(typed({ s: "x", n: 1 }), typed({ s: "y" }), request)).toThrow(StructuredMergeError)
    expect(() => updater.update(typed({ s: "x", n: 1 }), typed({ s: "y" }), request)).toThrow(StructuredMergeError)
    expect(owners).toEqual(managers(state))
  })
})

describe("during", () => {
  it("returns the result", () => {
    expect(during("failed", () => 1)).toBe(1)
  })

  it.each([
    ["an error of the package keeps its code", new ParseError("bad"), "parse", "failed: bad"],
    [
      "an error of another copy of the package keeps its code",
      Object.assign(new Error("bad"), { code: "union" }),
      "union",
      "failed: bad",
    ],
  ])("puts the activity in front of the message: %s", (_, thrown, code, message) => {
    const run = () => {
      throw thrown
    }
    try {
      during("failed", run)
    } catch (error) {
      expect(error).toBeInstanceOf(StructuredMergeError)
      expect(error).toMatchObject({ code, message, cause: thrown })
      return
    }
    expect.unreachable()
  })

  it.each([new TypeError("a bug"), Object.assign(new Error("x"), { code: "ENOENT" }), "no error at all"])(
    "passes on other errors: %s",
    thrown => {
      let caught: unknown
      try {
        during("failed", () => {
          throw thrown
        })
      } catch (error) {
        caught = error
      }
      expect(caught).toBe(thrown)
    },
  )
})
