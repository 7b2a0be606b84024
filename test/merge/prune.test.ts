import { describe, expect, it } from "vitest"
import { StructuredMergeError } from "../../src/errors.js"
import type { VersionedSet } from "../../src/fieldpath/managers.js"
import { prune } from "../../src/merge/prune.js"
import { type Converter, sameInEveryVersion, Versions } from "../../src/merge/versions.js"
import type { TypedValue } from "../../src/typed/typed-value.js"
import type { Value } from "../../src/value/value.js"
import { managers } from "../fieldpath/managers-notation.js"
import { set } from "../fieldpath/notation.js"
import { typed } from "../typed/notation.js"
import { Renaming, typeAt } from "./notation.js"

interface Case {
  readonly merged: TypedValue
  /** The fields that the applier owned before. */
  readonly last?: string
  /** All managers that own something now. */
  readonly owners: Record<string, string>
  readonly version?: string
  readonly converter?: Converter
  /** The fields that the configuration specifies, if pruning may be skipped because of them. */
  readonly applied?: string
}

function pruned({ merged, last, owners, version = "v1", converter = sameInEveryVersion, applied }: Case): TypedValue {
  return prune({
    versions: new Versions(converter),
    merged,
    managers: managers(owners),
    last: last === undefined ? undefined : (managers({ last }).get("last") as VersionedSet),
    apiVersion: version,
    applied: applied === undefined ? null : set(applied),
  })
}

describe("prune", () => {
  const rows: [title: string, merged: Value, last: string, owners: Record<string, string>, left: Value][] = [
    ["removes fields that have no owner left", { s: "x", n: 1 }, "v1! s n", { a: "v1! n" }, { n: 1 }],
    ["keeps fields of other managers", { s: "x", n: 1 }, "v1! s n", { b: "v1 s", a: "v1! n" }, { s: "x", n: 1 }],
    ["keeps fields that were not applied", { s: "x", n: 1, b: true }, "v1! s", { a: "v1! n" }, { n: 1, b: true }],
    [
      "removes an item with all its fields",
      { list: [{ k: "i", v: 1 }, { k: "j" }] },
      "v1! list[k=i] list[k=i].k list[k=i].v list[k=j] list[k=j].k",
      { a: "v1! list[k=j] list[k=j].k" },
      { list: [{ k: "j" }] },
    ],
    [
      "keeps an item of other managers, with their fields in it",
      { list: [{ k: "i", v: 1, tags: ["x"] }] },
      "v1! list[k=i] list[k=i].k list[k=i].v list[k=i].tags[=x]",
      { b: "v1! list[k=i] list[k=i].k list[k=i].v" },
      { list: [{ k: "i", v: 1 }] },
    ],
    [
      "removes an item if others own only fields in it, as upstream does",
      { list: [{ k: "i", v: 1 }], n: 1 },
      "v1! list[k=i] list[k=i].k",
      { b: "v1 list[k=i].v" },
      { list: null, n: 1 },
    ],
    [
      "removes the last item of a list, and the list with it",
      { list: [{ k: "i" }], n: 1 },
      "v1! list[k=i] list[k=i].k",
      { a: "v1! n" },
      { n: 1 },
    ],
    ["removes everything", { s: "x" }, "v1! s", {}, null],
  ]
  it.each(rows)("%s", (_, merged, last, owners, left) => {
    expect(pruned({ merged: typed(merged), last, owners }).value).toStrictEqual(left)
  })

  it.each<[title: string, last: string | undefined]>([
    ["for the first apply", undefined],
    ["if nothing was applied before", "v1!"],
    ["if the object does not have the applied fields", "v1! b in.s"],
  ])("returns the object itself %s", (_, last) => {
    const merged = typed({ s: "x", n: 1 })
    const given = last === undefined ? { merged, owners: {} } : { merged, last, owners: {} }
    expect(pruned(given)).toBe(merged)
  })

  describe("across versions", () => {
    const converter = new Renaming()
    const merged = typed({ new: "x", s: "y" }, typeAt("v2"))

    it("uses the names of the version applied last, and returns the object at the requested version", () => {
      const left = pruned({ merged, last: "v1! old s", owners: { a: "v2! s" }, version: "v2", converter })
      expect([left.value, left.type]).toEqual([{ s: "y" }, typeAt("v2")])
    })

    it("keeps fields that others own under another name", () => {
      const owners = { a: "v2! s", b: "v3 new" }
      expect(pruned({ merged, last: "v1! old s", owners, version: "v2", converter }).value).toEqual({
        new: "x",
        s: "y",
      })
    })

    it("uses the last version's names even if the configuration has fields with the same names", () => {
      // v1's `old` did not become v2's `old`.
      const owners = { a: "v2! s old" }
      const left = pruned({ merged, last: "v1! old s", owners, version: "v2", converter, applied: "s old" })
      expect(left.value).toEqual({ s: "y" })
    })

    it("converts nothing if there is only one version, and the configuration covers the applied fields", () => {
      const owners = { a: "v2! new s", b: "v2 s" }
      const counting = new Renaming()
      const given = { merged, last: "v2! new", owners, version: "v2", converter: counting, applied: "new s" }
      expect(pruned(given)).toBe(merged)
      expect(counting.conversions).toBe(0)
    })

    it("throws if the conversion to an owner's version fails, even if there is nothing to remove", () => {
      const unable: Converter = {
        convert(object, version) {
          if (version === "v3") throw new StructuredMergeError("invalid-value", "can't")
          return object
        },
      }
      const given = { merged, last: "v2! b", owners: { a: "v2! s", b: "v3 s" }, version: "v2", converter: unable }
      expect(() => pruned(given)).toThrow(
        "failed add back owned items: failed to convert merged object at version v3: can't",
      )
    })

    it.each([[{ a: "v3 s", b: "v1 s", c: "v2! s" }], [{ c: "v1 s", b: "v3 s", a: "v2! s" }]])(
      "converts to the versions of %j in the order of their names",
      owners => {
        const failing: Converter = {
          convert(object, version) {
            const isPruned = !Object.hasOwn(object.value as object, "new")
            if (version !== "v2" && isPruned) throw new StructuredMergeError("invalid-value", "can't")
            return converter.convert(object, version)
          },
        }
        expect(() => pruned({ merged, last: "v2! new", owners, version: "v2", converter: failing })).toThrow(
          "failed to convert pruned object at version v1: can't",
        )
      },
    )

    it("prunes nothing if the version applied last is gone", () => {
      expect(pruned({ merged, last: "v0! old", owners: {}, version: "v2", converter })).toBe(merged)
    })

    it("ignores owners whose version is gone", () => {
      const owners = { a: "v2! s", b: "v0 new" }
      expect(pruned({ merged, last: "v2! new s", owners, version: "v2", converter }).value).toEqual({ s: "y" })
      const more = { a: "v2! s", b: "v0 new", c: "v1 old" }
      expect(pruned({ merged, last: "v2! new s", owners: more, version: "v2", converter }).value).toEqual(merged.value)
    })

    describe("if v3 exists only for objects with `s`", () => {
      const needy: Converter = {
        convert: (object, version) =>
          version === "v3" && !Object.hasOwn((object.value ?? {}) as object, "s") ? undefined : object,
      }
      const whole = typed({ s: "x", n: 1 })

      it("ignores owners at v3 once `s` is removed", () => {
        expect(pruned({ merged: whole, last: "v1! s n", owners: { b: "v3 n" }, converter: needy }).value).toBe(null)
      })

      it("prunes nothing if the rest does not exist at the version applied last", () => {
        expect(pruned({ merged: whole, last: "v3! s", owners: {}, converter: needy })).toBe(whole)
      })

      it("throws if the conversion of the rest fails", () => {
        const failing: Converter = {
          convert(object, version) {
            const found = needy.convert(object, version)
            if (found === undefined) throw new StructuredMergeError("invalid-value", "can't")
            return found
          },
        }
        expect(() => pruned({ merged: whole, last: "v3! s", owners: {}, converter: failing })).toThrow(
          "failed add back dangling items: failed to convert pruned object to last applied version: can't",
        )
      })
    })

    it("throws if the requested version is gone", () => {
      expect(() => pruned({ merged, last: "v1! s", owners: {}, version: "v0", converter })).toThrow("no version v0")
    })
  })
})
