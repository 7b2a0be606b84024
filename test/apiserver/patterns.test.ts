/** Go's regular expressions: the matches of Go 1.26's regexp, and the limits on their cost. */
import { describe, expect, it } from "vitest"
import { matchesOf, matchesPattern, newRegexBudget, patternProblem } from "../../src/kinds/structural/patterns.js"

const found = (pattern: string, text: string) => matchesOf(pattern, text, Number.POSITIVE_INFINITY, newRegexBudget())

describe("patternProblem", () => {
  it.each([
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
    "^(?i:a|b)(?:c)(?P<d>e)(?<f>g)$",
    "a{2,}?b{,3}\\Q**\\E\\x{1F600}\\pL[[:alpha:]\\]a-]",
    "[]a]|[^]a]|x{1000}",
    "[[:^alpha:]]",
    "",
  ])("finds no problem in %s", pattern => {
    expect(patternProblem(pattern, newRegexBudget())).toBeUndefined()
  })

  it.each([
    ["(a", "missing closing ): `(a`"],
    ["a)", "unexpected ): `a)`"],
    ["[a", "missing closing ]: `[a`"],
    ["[z-a]", "invalid character class range: `z-a`"],
    ["a**", "invalid nested repetition operator: `**`"],
    ["*a", "missing argument to repetition operator: `*`"],
    ["a{1001}", "invalid repeat count: `{1001}`"],
    ["a{2,1}", "invalid repeat count: `{2,1}`"],
    ["(?=a)", "invalid or unsupported Perl syntax: `(?=`"],
    ["(?P<a b>c)", "invalid named capture: `(?P<a b>`"],
    ["\\1", "invalid escape sequence: `\\1`"],
    ["\\p{Nonsense}", "invalid character class range: `\\p{Nonsense}`"],
    ["a\\", "trailing backslash at end of expression: ``"],
    ["a{1000}".repeat(3000), "expression too large"],
  ])("says what is wrong with %s", (pattern, problem) => {
    expect(patternProblem(pattern, newRegexBudget())).toBe(problem)
  })
})

describe("matchesPattern", () => {
  it.each([
    ["b", "abc", true],
    ["^b", "abc", false],
    ["^a.c$", "a\nc", false],
    ["(?s)^a.c$", "a\nc", true],
    ["(?m)^c$", "a\nc", true],
    ["(?i)^k$", "\u212a", true],
    ["^\\w+$", "é", false],
    ["^\\pL+$", "é", true],
    ["^.$", "😀", true],
    ["^\\s$", "\v", false],
    ["^[[:space:]]$", "\v", true],
    ["\\Aa\\z", "a", true],
    ["^\\Qa.b\\E$", "a.b", true],
    ["(", "anything", true],
  ])("finds whether %s matches %j", (pattern, text, matches) => {
    expect(matchesPattern(pattern, text, newRegexBudget())).toBe(matches)
  })
})

describe("matchesOf", () => {
  it.each([
    ["a|ab", "abab", ["a", "a"]],
    ["b*", "abba", ["", "bb", ""]],
    ["[-a]?", "ab", ["a", ""]],
    ["\\d+", "a1b22", ["1", "22"]],
    ["x", "abc", []],
  ])("finds the matches of %s in %s", (pattern, text, parts) => {
    expect(found(pattern, text)).toEqual(parts)
  })

  it("finds no more than the requested number", () => {
    expect(matchesOf("\\d", "123", 2, newRegexBudget())).toEqual(["1", "2"])
  })

  it("throws for text that is not a pattern", () => {
    expect(() => found("a**", "a")).toThrow("error parsing regexp: invalid nested repetition operator: `**`")
  })
})

describe("steps", () => {
  it.each(["(a+)+$", "^(a|a)*$", "(.*)(.*)(.*)(.*)[^a!]$", "(([a-z])+.)+[A-Z]([a-z])+$"])(
    "are as many as the text has characters, times a few, for %s",
    pattern => {
      matchesPattern(pattern, "", newRegexBudget())
      for (const length of [34, 340_000]) {
        const budget = newRegexBudget()
        const { left } = budget
        expect(matchesPattern(pattern, `${"a".repeat(length)}!`, budget)).toBe(false)
        expect(left - budget.left).toBeLessThan(length * 50)
      }
    },
  )

  it("are taken for each of many matches", () => {
    const budget = { left: 10_000 }
    expect(matchesOf("a", "a".repeat(1000), Number.POSITIVE_INFINITY, budget)).toBeUndefined()
  })

  it("run out after too many characters, and for expressions that are too large together", () => {
    expect(matchesPattern("[ab]{900}c", "ab".repeat(1_000_000), newRegexBudget())).toBeUndefined()
    expect(matchesOf("[ab]{900}c", "ab".repeat(1_000_000), 1, newRegexBudget())).toBeUndefined()
    const budget = newRegexBudget()
    const problems = Array.from({ length: 2000 }, (_, i) => patternProblem(`[ab]{999}${i}`, budget))
    expect(problems[0]).toBeUndefined()
    expect(problems.at(-1)).toBe("expressions too large together")
    expect(problems.filter(problem => problem === undefined).length).toBeLessThan(1000)
  })
})
