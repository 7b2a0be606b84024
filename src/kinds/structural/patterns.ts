// Go's regular expressions (RE2) in definitions and rules. The package re2js always matches in time proportional to the length of the text times
// the size of the compiled expression. JavaScript's own engine needs exponential time for `(a+)+$`.
import { RE2JS } from "re2js"

/**
 * The steps that the patterns of a request may still take. A match takes as many steps as the text has characters, times the number of
 * instructions of the compiled expression.
 */
export interface RegexBudget {
  left: number
}

const mostSteps = 100_000_000
/** The steps for compiling one instruction. */
const compiling = 200
/** The greatest number of instructions. Go allows 3 million, which take seconds to compile here. */
const mostInstructions = 20_000
/**
 * Limits of the cache: the number of expressions, their length, and the steps after which it is emptied. Its tables grow with each match.
 */
const mostKept = 1000
const longestKept = 10_000
const mostStepsKept = 10_000_000

const kept = new Map<string, RE2JS | string>()
let stepsKept = 0

/** Returns the budget for the patterns of one definition or one object: about three seconds at worst. */
export function newRegexBudget(): RegexBudget {
  return { left: mostSteps }
}

/**
 * Returns why Go refuses the pattern, in its words: "missing closing ): `(a`"; undefined if Go accepts it. Also refuses a pattern if too few
 * steps are left to compile it.
 */
export function patternProblem(pattern: string, budget: RegexBudget): string | undefined {
  const compiled = compiledPattern(pattern, budget)
  return typeof compiled === "object" ? undefined : (compiled ?? "expressions too large together")
}

/**
 * Whether a part of the text matches the pattern; undefined if too few steps are left to tell. An invalid pattern matches every text, since
 * definitions with such a pattern are refused.
 */
export function matchesPattern(pattern: string, text: string, budget: RegexBudget): boolean | undefined {
  const compiled = compiledPattern(pattern, budget)
  if (typeof compiled === "string") return true
  return compiled !== undefined && spend(compiled, text.length, budget) ? compiled.test(text) : undefined
}

/**
 * Returns the first `most` parts of the text that match the pattern; undefined if too few steps are left to find them. Throws a RangeError for
 * an invalid pattern.
 */
export function matchesOf(pattern: string, text: string, most: number, budget: RegexBudget): string[] | undefined {
  const compiled = compiledPattern(pattern, budget)
  if (typeof compiled === "string") throw new RangeError(`error parsing regexp: ${compiled}`)
  if (compiled === undefined || !spend(compiled, text.length, budget)) return undefined
  const matches: string[] = []
  const matcher = compiled.matcher(text)
  let end = -1
  while (matches.length < most && matcher.find()) {
    // Go: an empty match right after another match does not count.
    if (matcher.start() !== matcher.end() || matcher.start() !== end) matches.push(matcher.group() ?? "")
    end = matcher.end()
    // The search for the next match may read the whole rest of the text.
    if (!spend(compiled, text.length - end, budget)) return undefined
  }
  return matches
}

/** Takes the steps for matching a text. Returns false if too few are left. */
function spend(compiled: RE2JS, characters: number, budget: RegexBudget): boolean {
  const needed = (characters + 1) * compiled.programSize()
  if (needed > budget.left) return false
  budget.left -= needed
  stepsKept += needed
  if (stepsKept > mostStepsKept) forget()
  return true
}

function forget(): void {
  kept.clear()
  stepsKept = 0
}

/** Returns the compiled expression, or the problem of the pattern; undefined if too few steps are left to compile it. */
function compiledPattern(pattern: string, budget: RegexBudget): RE2JS | string | undefined {
  const known = kept.get(pattern)
  if (known !== undefined) return known
  const size = sizeOf(pattern)
  if (size > mostInstructions) return "expression too large"
  const needed = (pattern.length + size) * compiling
  if (needed > budget.left) return undefined
  budget.left -= needed
  const compiled = compile(pattern)
  if (kept.size >= mostKept) forget()
  if (pattern.length <= longestKept) kept.set(pattern, compiled)
  return compiled
}

function compile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    const { message } = error as Error
    // Go appends the rest of the expression, which is empty in this case.
    const rest = message.endsWith("at end of expression") ? ": ``" : ""
    return message.replace(/^error parsing regexp: /, "") + rest
  }
}

const token = /\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]?|\{(\d+)(?:,(\d*))?\}|[\s\S]/g

/** Estimates the number of instructions of a pattern without compiling it. Compiling writes out repetitions. */
function sizeOf(pattern: string): number {
  const open: number[] = []
  let sum = 0
  let last = 0
  for (const [text, least, most] of pattern.matchAll(token)) {
    if (text === "(") {
      open.push(sum)
      sum = 0
      last = 0
    } else if (text === ")") {
      last = sum + 2
      sum = last + (open.pop() ?? 0)
    } else if (least !== undefined) {
      const added = last * (Math.max(Number(least), Number(most ?? 0), 1) - 1)
      sum += added
      last += added
    } else sum += last = 1
  }
  return open.reduce((total, size) => total + size, sum)
}
