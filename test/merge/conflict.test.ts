import { describe, expect, expectTypeOf, it } from "vitest"
import {
  type ErrorCode,
  ParseError,
  type SchemaError,
  StructuredMergeError,
  type UnionError,
  type ValidationError,
} from "../../src/errors.js"
import { type Conflict, ConflictError, isStructuredMergeError, type SmdError } from "../../src/merge/conflict.js"
import { path, show } from "../fieldpath/notation.js"

/** Conflicts as text: `a:s a:in.n b:s`. */
function conflicts(text: string): Conflict[] {
  return text.split(" ").map(each => {
    const [manager = "", where = ""] = each.split(":")
    return Object.freeze({ manager, path: path(where) })
  })
}

describe("ConflictError", () => {
  it.each([
    ["a:s", 'conflict with "a": .s'],
    ["a:list[k=x].v", 'conflict with "a": .list[k="x"].v'],
    ["a:s a:n", 'conflicts with "a":\n- .s\n- .n'],
    ["b:s a:s", 'conflicts with "a":\n- .s\nconflicts with "b":\n- .s'],
    ["b:s a:n b:n", 'conflicts with "a":\n- .n\nconflicts with "b":\n- .s\n- .n'],
    ["\u{1f600}:s \uffff:s", 'conflicts with "\\uffff":\n- .s\nconflicts with "\u{1f600}":\n- .s'],
  ])("has a message for %s", (given, message) => {
    expect(new ConflictError(conflicts(given)).message).toBe(message)
  })

  it("sorts its conflicts by manager, and keeps the order for each manager", () => {
    const given = Object.freeze(conflicts("b:z c:s a:n b:a"))
    const error = new ConflictError(given)
    expect(error.conflicts).toEqual([given[2], given[0], given[3], given[1]])
  })

  it("returns the fields in conflict, of all owners", () => {
    expect(show(new ConflictError(conflicts("b:s a:s a:in.n")).toFieldSet())).toBe("s in.n")
  })

  it("is an error of the package", () => {
    const error = new ConflictError(conflicts("a:s"))
    expect(error).toBeInstanceOf(StructuredMergeError)
    expect([error.name, error.code]).toEqual(["ConflictError", "conflict"])
  })
})

describe("isStructuredMergeError", () => {
  it("recognizes errors about data of any copy of the package, and no others", () => {
    const copied = Object.assign(new Error("expected a number"), { code: "invalid-value" })
    const others = [new TypeError("options: expected an object"), { code: "conflict" }, "conflict", null, undefined]
    expect([new ConflictError(conflicts("a:s")), new ParseError("x"), copied].map(isStructuredMergeError)).toEqual([
      true,
      true,
      true,
    ])
    expect(others.map(isStructuredMergeError)).toEqual([false, false, false, false, false])
  })

  it("returns a union type that the code narrows", () => {
    const classOf = (error: SmdError) => {
      switch (error.code) {
        case "conflict":
          expectTypeOf(error).toEqualTypeOf<ConflictError>()
          return error.conflicts.length
        case "invalid-value":
          expectTypeOf(error).toEqualTypeOf<ValidationError>()
          return error.issues.length
        case "union":
          expectTypeOf(error).toEqualTypeOf<UnionError>()
          return error.issues.length
        case "invalid-schema":
          expectTypeOf(error).toEqualTypeOf<SchemaError>()
          return 0
        case "parse":
          expectTypeOf(error).toEqualTypeOf<ParseError>()
          return 0
        case "bad-request":
          expectTypeOf(error).toEqualTypeOf<StructuredMergeError<"bad-request">>()
          return 0
      }
    }
    expectTypeOf<SmdError["code"]>().toEqualTypeOf<ErrorCode>()
    expect(classOf(new ConflictError(conflicts("a:s b:s")))).toBe(2)
  })
})
