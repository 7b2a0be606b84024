import { describe, expect, it } from "vitest"
import { anyElement, excludeFilter, includeFilter, type Pattern } from "../../src/fieldpath/matcher.js"
import { path, set, show } from "./notation.js"

/** A pattern in the notation for paths, with `*` for any element. */
function pattern(text: string): Pattern {
  return path(text).map(element => (element.kind === "field" && element.name === "*" ? anyElement : element))
}

const all = set("meta meta.name spec spec.a spec.a.image spec.b.image spec.b.image.tag l[k=1] l[k=1].x l[k=2].x status")

describe("excludeFilter", () => {
  it.each([
    ["nothing", "", show(all)],
    ["a member with everything below it", "spec", "meta status meta.name l[k=1] l[k=1].x l[k=2].x"],
    [
      "a step on the way to members, with everything below it",
      "l",
      "meta spec status meta.name spec.a spec.a.image spec.b.image spec.b.image.tag",
    ],
    [
      "fields below a member",
      "spec.a.image meta.name",
      "meta spec status spec.a spec.b.image spec.b.image.tag l[k=1] l[k=1].x l[k=2].x",
    ],
    ["nothing if the set does not have it", "other.thing", show(all)],
  ])("drops %s", (_, excluded, kept) => {
    expect(show(excludeFilter(set(excluded)).filter(all))).toBe(show(set(kept)))
  })

  it("returns the set itself if it drops nothing", () => {
    expect(excludeFilter(set("other")).filter(all)).toBe(all)
  })
})

describe("includeFilter", () => {
  const rows: [title: string, patterns: string[], kept: string][] = [
    ["keeps everything without patterns", [], show(all)],
    ["keeps everything below a pattern", ["meta"], "meta meta.name"],
    ["keeps members on the way to a match", ["spec.a"], "spec spec.a spec.a.image"],
    ["keeps members on the way even if nothing matches", ["spec.q"], "spec"],
    ["drops steps on the way that are not members", ["l[k=3]"], ""],
    ["matches any element with a wildcard", ["spec.*.image"], "spec spec.a spec.a.image spec.b.image spec.b.image.tag"],
    ["matches items of lists with a wildcard", ["l.*.x"], "l[k=1] l[k=1].x l[k=2].x"],
    ["matches an item by its keys", ["l[k=2]"], "l[k=2].x"],
    ["matches everything with one wildcard", ["*"], show(all)],
    ["joins patterns", ["meta.name", "l[k=2].x"], "meta meta.name l[k=2].x"],
    [
      "joins many patterns",
      ["meta.name", "spec.a", "status", "l[k=2]"],
      "meta spec status meta.name spec.a spec.a.image l[k=2].x",
    ],
    [
      "joins patterns with a common beginning",
      ["spec.a.image", "spec.b"],
      "spec spec.a spec.a.image spec.b.image spec.b.image.tag",
    ],
    ["uses the shorter of two patterns", ["spec.b.image.tag", "spec.b"], "spec spec.b.image spec.b.image.tag"],
    [
      "uses the shorter of two patterns in either order",
      ["spec.b", "spec.b.image.tag"],
      "spec spec.b.image spec.b.image.tag",
    ],
    ["ignores elements that the set does not have", ["q.r.s"], ""],
  ]
  it.each(rows)("%s", (_, patterns, kept) => {
    expect(show(includeFilter(...patterns.map(pattern)).filter(all))).toBe(show(set(kept)))
  })

  it("returns the set itself if it keeps everything", () => {
    expect(includeFilter().filter(all)).toBe(all)
  })

  it("accepts names, keys and indexes as steps, like a path", () => {
    const some = set("l[k=1].x l[k=2].x i[0] i[1]")
    expect(show(includeFilter(["l", { k: 1 }], ["i", 1]).filter(some))).toBe("i[1] l[k=1].x")
  })

  it("prefers the wildcard to a name that also matches", () => {
    const some = set("a.x a.y b.x b.y")
    expect(show(includeFilter(["a", "y"], [anyElement, "x"]).filter(some))).toBe("a.x b.x")
  })

  it("uses only the first of several patterns with a wildcard at the same step", () => {
    const some = set("a.x a.y")
    for (const [first, second] of [
      ["x", "y"],
      ["y", "x"],
    ] as const) {
      const filter = includeFilter([anyElement, first], [anyElement, second])
      expect(show(filter.filter(some))).toBe(`a.${first}`)
    }
  })
})
