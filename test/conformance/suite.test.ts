/**
 * The conformance suite is up to date, and in step with the rules of docs/semantics.md.
 *
 * After a change of vectors or rules: npx vitest run test/conformance/suite.test.ts -u
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, it } from "vitest"
import { formatJson, parseJson } from "../../src/json/json.js"
import { own } from "../../src/value/object.js"
import { isMap } from "../../src/value/value.js"
import { difference, type ParsedMap, parseExact } from "../support/answers.js"
import { projectRoot } from "../support/entries.js"
import { answerRequest } from "./answer.js"
import { type Answer, Request } from "./request.js"
import { failure } from "./story.js"
import { casesOf, type Level, levels, presentCaseFiles, readRules, suiteFiles } from "./suite.js"
import { namedRules } from "./suite-rules.js"

const rules = readRules()
const cases = (Object.keys(levels) as Level[]).flatMap(level => casesOf(level, rules))
const files = suiteFiles()

/** Our answer to the request of a case. */
function answerTo(text: string): ParsedMap {
  const one = parseJson(text)
  let answer: Answer
  try {
    answer = answerRequest(new Request((isMap(one) ? own(one, "request") : undefined) ?? null))
  } catch (error) {
    answer = failure(error)
  }
  return parseExact(formatJson(answer)) as ParsedMap
}

describe("the conformance suite", () => {
  it.each([...files.keys()])("has an up-to-date %s", async path => {
    await expect(files.get(path)).toMatchFileSnapshot(join(projectRoot, "conformance", path))
  })

  it("has no other cases", () => {
    expect(presentCaseFiles().toSorted()).toEqual(
      [...files.keys()].filter(path => path.startsWith("cases/")).toSorted(),
    )
  })

  it("has a name of its own for each case", () => {
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length)
  })

  it("fits its schema", () => {
    const schema: { properties: { level: { enum: string[] } } } = JSON.parse(
      readFileSync(join(projectRoot, "conformance", "case.schema.json"), "utf8"),
    )
    const validate = new Ajv2020({ strict: true, strictRequired: false }).compile(schema)
    expect(cases.filter(({ text }) => !validate(JSON.parse(text))).map(({ id }) => id)).toEqual([])
    expect(schema.properties.level.enum).toEqual(Object.keys(levels))
  })

  it("is passed by this package", () => {
    // http.slow.test.ts plays the stories of the level http.
    const failed = cases.filter(({ id, text }) => {
      if (id.startsWith("http/")) return false
      const { expect: wanted, accept = [] } = parseExact(text) as { expect: ParsedMap; accept?: readonly ParsedMap[] }
      const got = answerTo(text)
      return [wanted, ...accept].every(right => difference(right, got) !== null)
    })
    expect(failed.map(({ id }) => id)).toEqual([])
  })

  it("has less than 3.5 MB", () => {
    expect([...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0)).toBeLessThan(3_500_000)
  })
})

describe("the rules", () => {
  it("have numbers in order", () => {
    const numbers = new Map<string, number>()
    for (const { id } of rules) {
      const letter = id.slice(0, 1)
      const next = (numbers.get(letter) ?? 0) + 1
      numbers.set(letter, next)
      expect(id).toBe(`${letter}${next}`)
    }
    expect(rules.length).toBeGreaterThan(60)
  })

  it("name cases that exist", () => {
    const known = new Set(cases.map(({ id }) => id))
    const unknown = rules.flatMap(({ id, cases: names }) =>
      names.filter(name => !known.has(name)).map(name => `${id}: ${name}`),
    )
    expect(unknown).toEqual([])
  })

  it("are all that the tables name", () => {
    const known = new Set(rules.map(({ id }) => id))
    expect(namedRules.filter(id => !known.has(id))).toEqual([])
  })

  it("have at least one case each", () => {
    expect(rules.filter(({ cases: names }) => names.length === 0).map(({ id }) => id)).toEqual([])
  })

  it("cover every case", () => {
    expect(cases.filter(({ rules: exercised }) => exercised.length === 0).map(({ id }) => id)).toEqual([])
  })
})
