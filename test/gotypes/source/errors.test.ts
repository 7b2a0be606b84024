/** Reports problems of Go source. */
import { describe, expect, it } from "vitest"
import { Findings, formatGoTypesIssue, GoTypesError } from "../../../src/gotypes/source/errors.js"

const issue = (file: string, line: number, message = "m", type = "", field = "") => ({
  file,
  line,
  type,
  field,
  message,
})

it("come file by file, as the files came first, in the order of lines", () => {
  const found = [issue("b", 5), issue("a", 9), issue("b", 2), issue("a", 1), issue("c", 1), issue("b", 2, "n")]
  const { issues, message, code } = new GoTypesError(found)
  expect(issues.map(({ file, line, message: text }) => `${file}${line}${text}`)).toEqual([
    "b2m",
    "b2n",
    "b5m",
    "a1m",
    "a9m",
    "c1m",
  ])
  expect(message).toBe("Go types can't be read: b:2: m\nb:2: n\nb:5: m\na:1: m\na:9: m\nc:1: m")
  expect(code).toBe("invalid-schema")
})

it.each([
  [issue("a.go", 3), "a.go:3: m"],
  [issue("a.go", 3, "m", "T"), "a.go:3: T: m"],
  [issue("a.go", 3, "m", "T", "F"), "a.go:3: T.F: m"],
  [issue("a.go", 3, "m", "", "F"), "a.go:3: F: m"],
])("are one line: %j", (found, expected) => {
  expect(formatGoTypesIssue(found)).toBe(expected)
})

describe("findings", () => {
  const place = { file: "a.go", line: 1, type: "T", field: "F" }

  it("keep each problem once, errors apart from warnings", () => {
    const findings = new Findings()
    findings.error(place, "a")
    findings.warn(place, "b")
    findings.error(place, "a")
    findings.warn(place, "b")
    findings.error({ ...place, line: 2 }, "a")
    expect(findings.errors).toEqual([
      { ...place, message: "a" },
      { ...place, line: 2, message: "a" },
    ])
    expect(findings.warnings).toEqual([{ ...place, message: "b" }])
  })

  it("are of places alone, whatever else has a place", () => {
    const findings = new Findings()
    findings.warn({ ...place, more: 1 } as typeof place, "a")
    expect(findings.warnings).toEqual([{ ...place, message: "a" }])
  })
})
