import { describe, expect, it } from "vitest"
import { type KindCheck, problemsBy } from "../../../src/kinds/validation/validate.js"

const checkName: KindCheck = (object, before) => {
  object.at("name").required()
  if (before !== undefined) object.at("name").immutable(before.at("name"))
  object.at("name").required()
}

describe("problemsBy", () => {
  it("returns each problem once", () => {
    const found = problemsBy({ "": checkName }, "", { name: "a" }, { name: "b" })
    expect(found.map(({ field, reason }) => `${field} ${reason}`)).toEqual([
      "name FieldValueRequired",
      "name FieldValueInvalid",
    ])
  })

  it.each(["", "status", "constructor", "__proto__"])("finds nothing where the kind has no check: %j", subresource => {
    expect(problemsBy({ resize: checkName }, subresource, {}, undefined)).toEqual([])
  })
})
