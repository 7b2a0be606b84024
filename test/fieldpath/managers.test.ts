import { describe, expect, it } from "vitest"
import { equalManagers, type Managers, managersDifference, noManagers, setOwner } from "../../src/fieldpath/managers.js"
import { pathOf } from "../../src/fieldpath/path.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import { managers, showManagers } from "./managers-notation.js"

describe("setOwner", () => {
  it("removes managers that own nothing", () => {
    const owners = new Map(managers({ a: "v1 x", b: "v1 y" }))
    setOwner(owners, "a", { set: FieldSet.empty, apiVersion: "v1", applied: true })
    setOwner(owners, "b", { set: FieldSet.of([pathOf("z")]), apiVersion: "v1", applied: true })
    expect(showManagers(owners)).toEqual({ b: "v1! z" })
  })
})

describe("equalManagers", () => {
  const rows: [title: string, a: Managers, b: Managers, equal: boolean][] = [
    ["nobody", managers({}), noManagers, true],
    [
      "the same managers in another order",
      managers({ a: "v1 x", b: "v1 y" }),
      managers({ b: "v1 y", a: "v1 x" }),
      true,
    ],
    ["a manager more", managers({ a: "v1 x" }), managers({ a: "v1 x", b: "v1 y" }), false],
    ["another manager", managers({ a: "v1 x" }), managers({ b: "v1 x" }), false],
    ["another set", managers({ a: "v1 x" }), managers({ a: "v1 x.y" }), false],
    ["another version", managers({ a: "v1 x" }), managers({ a: "v2 x" }), false],
    ["applied and updated", managers({ a: "v1 x" }), managers({ a: "v1! x" }), false],
  ]
  it.each(rows)("of %s", (_, a, b, equal) => {
    expect([equalManagers(a, b), equalManagers(b, a)]).toEqual([equal, equal])
  })

  it("needs no look into a state that is compared with itself", () => {
    const some = managers({ a: "v1 x" })
    expect(equalManagers(some, some)).toBe(true)
  })
})

describe("managersDifference", () => {
  type State = Record<string, string>
  const rows: [title: string, a: State, b: State, difference: State][] = [
    ["nothing for equal states", { a: "v1! x" }, { a: "v1! x" }, {}],
    ["whole sets of managers that come and go", { a: "v1! x" }, { b: "v2 y" }, { a: "v1! x", b: "v2 y" }],
    ["what a manager gained and lost, as not applied", { a: "v1! x y" }, { a: "v1! y z" }, { a: "v1 x z" }],
    ["the new set where the version changed", { a: "v1 x y" }, { a: "v2! x" }, { a: "v2! x" }],
    ["not a manager of nothing that comes or goes", { a: "v1" }, { b: "v1" }, {}],
    ["not a change of applied alone", { a: "v1 x" }, { a: "v1! x" }, {}],
  ]
  it.each(rows)("has %s", (_, a, b, difference) => {
    expect(showManagers(managersDifference(managers(a), managers(b)))).toEqual(difference)
  })
})
