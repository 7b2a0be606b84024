import { describe, expect, it } from "vitest"
import { deducedType } from "../../src/typed/deduced.js"
import { withNamedFields } from "../../src/typed/named-fields.js"
import { element, set, show } from "../fieldpath/notation.js"
import { mapOf, named, struct, text, thing, typeOf } from "./notation.js"

describe("withNamedFields", () => {
  it.each([
    ["nothing to nothing", "", ""],
    ["the structs on the way", "in.in.s", "in in.in in.in.s"],
    ["the list, but not the item", "list[k=a].v", "list list[k=a].v"],
    ["the lists in items", "list[k=a].list[k=b].v", "list list[k=a].list list[k=a].list[k=b].v"],
    ["the set", "tags[=a]", "tags tags[=a]"],
    ["the map, but not its keys", "maps.a.x", "maps maps.a.x"],
    ["nothing to what is declared nowhere", "q.r.s", "q.r.s"],
    ["nothing below what is declared nowhere", "q.in.s", "q.in.s"],
    ["nothing to items that go by index", "args[0]", "args args[0]"],
    ["nothing to an item that a struct can't have, whatever its key is called", "[in=a].s", "[in=a].s"],
  ])("adds %s", (_, before, after) => {
    const added = withNamedFields(thing, set(before))
    expect(show(added)).toBe(show(set(after)))
    expect(added.equals(set(after))).toBe(true)
  })

  it.each(["", "s n", "s in in.s", "list list[k=a].v list[k=b]", "q.r.s"])(
    "gives the same set where nothing is to add: %j",
    text => {
      const given = set(text)
      expect(withNamedFields(thing, given)).toBe(given)
    },
  )

  it("shares unchanged parts", () => {
    const given = set("in.s list list[k=a].v maps maps.a.x")
    const added = withNamedFields(thing, given)
    for (const name of ["in", "list", "maps"]) {
      expect(added.withPrefix(element(name))).toBe(given.withPrefix(element(name)))
    }
  })

  it("declares nothing without a schema", () => {
    const given = set("a.b.c")
    expect(withNamedFields(deducedType(), given)).toBe(given)
    expect(withNamedFields(typeOf(mapOf(text)), given)).toBe(given)
    expect(withNamedFields(typeOf(named("missing")), given)).toBe(given)
  })

  it("follows recursive types", () => {
    const type = typeOf(named("node"), { node: struct({ next: named("node") }) })
    expect(show(withNamedFields(type, set("next.next.next")))).toBe("next next.next next.next.next")
  })
})
