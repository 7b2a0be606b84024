// Regular expressions of Go (RE2) in definitions and rules. The package re2js matches them in time that grows with the text times the
// size of the compiled expression, whatever the two are: JavaScript's own engine needs exponential time for `(a+)+$`.
import { RE2JS } from "re2js"

/**
 * The work that a request may still cause. Matching a text takes as many steps as the text has characters, times the instructions of the
 * compiled expression.
 */
export interface Steps {
  left: number
}

const mostSteps = 100_000_000
/** How many steps it takes to compile one instruction. */
const compiling = 200
/** The instructions of the largest expression. Go allows 3 million, which take seconds to compile here. */
const mostInstructions = 20_000
/** How many expressions are kept, how long they may be, and how many steps they may take before all go: their tables grow as they match. */
const mostKept = 1000
const longestKept = 10_000
const mostStepsKept = 10_000_000

const kept = new Map<string, RE2JS | string>()
let stepsKept = 0

/** The steps for the patterns of one definition, or of one object: about three seconds at worst. */
export function newSteps(): Steps {
  return { left: mostSteps }
}

/**
 * Why Go refuses the pattern, in its words: "missing closing ): `(a`"; undefined if Go takes it. A pattern that there are not enough
 * steps left to compile is refused too.
 */
export function patternProblem(pattern: string, steps: Steps): string | undefined {
  const compiled = compiledPattern(pattern, steps)
  return typeof compiled === "object" ? undefined : (compiled ?? "expressions too large together")
}

/**
 * Whether a part of the text matches the pattern; undefined if there are not enough steps left to tell. An invalid
 * pattern matches every text: definitions that have one are refused.
 */
export function matchesPattern(pattern: string, text: string, steps: Steps): boolean | undefined {
  const compiled = compiledPattern(pattern, steps)
  if (typeof compiled === "string") return true
  return compiled !== undefined && spend(compiled, text.length, steps) ? compiled.test(text) : undefined
}

/**
 * The parts of the text that match the pattern, at most as many as `most`; undefined if there are not enough steps left to find them.
 * Throws a RangeError for an invalid pattern.
 */
export function matchesOf(pattern: string, text: string, most: number, steps: Steps): string[] | undefined {
  const compiled = compiledPattern(pattern, steps)
  if (typeof compiled === "string") throw new RangeError(`error parsing regexp: ${compiled}`)
  if (compiled === undefined || !spend(compiled, text.length, steps)) return undefined
  const found: string[] = []
  const matcher = compiled.matcher(text)
  let end = -1
  while (found.length < most && matcher.find()) {
    // Go: an empty match right behind another match does not count.
    if (matcher.start() !== matcher.end() || matcher.start() !== end) found.push(matcher.group() ?? "")
    end = matcher.end()
    // To find the next match may take a look at all that follows.
    if (!spend(compiled, text.length - end, steps)) return undefined
  }
  return found
}

/** Takes the steps for a text of so many characters. Returns false if there are not enough. */
function spend(compiled: RE2JS, characters: number, steps: Steps): boolean {
  const needed = (characters + 1) * compiled.programSize()
  if (needed > steps.left) return false
  steps.left -= needed
  stepsKept += needed
  if (stepsKept > mostStepsKept) forget()
  return true
}

function forget(): void {
  kept.clear()
  stepsKept = 0
}

/** The compiled expression, or what is wrong with the pattern; undefined if there are not enough steps left to compile it. */
function compiledPattern(pattern: string, steps: Steps): RE2JS | string | undefined {
  const known = kept.get(pattern)
  if (known !== undefined) return known
  const size = sizeOf(pattern)
  if (size > mostInstructions) return "expression too large"
  const needed = (pattern.length + size) * compiling
  if (needed > steps.left) return undefined
  steps.left -= needed
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
    // Go shows the rest of the expression, which is empty here.
    const rest = message.endsWith("at end of expression") ? ": ``" : ""
    return message.replace(/^error parsing regexp: /, "") + rest
  }
}

const token = /\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]?|\{(\d+)(?:,(\d*))?\}|[\s\S]/g

/** About how many instructions the pattern is compiled to, without compiling it: repetitions are written out. */
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
