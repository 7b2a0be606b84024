// The problems of malformed keys and field sets, in the words of v7 of the reference. Go prints "unable to" instead of "cannot" in some
// processes.
import { ParseError } from "../../errors.js"
import { bytesOf, decodeText } from "../../json/reader.js"
import { ProblemV7, RepeatedNameV7, TokensV7 } from "../../json/v7/tokens.js"
import { unquote } from "../../json/v7/words.js"

/** Returns the problem of the bytes of a value; undefined if v7 reads them. */
export function valueProblem(bytes: string, unique = true): string | undefined {
  const tokens = new TokensV7(bytes, unique)
  try {
    do readItem(tokens)
    while (tokens.depth > 0)
    tokens.expectEnd()
    return undefined
  } catch (problem) {
    // v7 reads a value with a repeated name again, in another way.
    if (problem instanceof RepeatedNameV7) return valueProblem(bytes, false)
    if (problem instanceof ProblemV7) return problem.message
    throw problem
  }
}

// Takes a scalar, a name, or the start or end of a list or map.
function readItem(tokens: TokensV7): void {
  const next = tokens.peek()
  if (tokens.needsName || /^[[{]/.test(next) || (next === "]" && tokens.isInList)) tokens.readToken()
  else if (tokens.readValue() === "0" && !Number.isFinite(Number(tokens.last))) tokens.refuseNumber()
}

/** Returns the problem of the text after `k:`. */
export function keyProblem(text: string): string | undefined {
  return unmarshalProblem(text, "value.FieldList", tokens => {
    if (!openMap(tokens)) return
    while (readToken(tokens) !== "}") {
      parsing(() => {
        tokens.readValue()
        const problem = valueProblem(tokens.last)
        if (problem !== undefined) throw new ProblemV7(problem)
      })
    }
  })
}

/** Returns the problem of the text of a field set. `readKey` reads a key, and returns undefined for an unknown kind. */
export function setProblem(text: string, readKey: (key: string) => unknown): string | undefined {
  return unmarshalProblem(text, "fieldpath.setContentsV1", tokens => {
    let levels = openMap(tokens) ? 1 : 0
    while (levels > 0) {
      // The problem of a set names the sets around it.
      let around = levels - 1
      try {
        if (readToken(tokens) === "}") levels--
        else if (isUnknown(decodeText(unquote(tokens.last)), readKey)) parsing(() => tokens.skipValue())
        else {
          around++
          if (openMap(tokens)) levels++
        }
      } catch (problem) {
        throw addedTo("parsing value as set: ".repeat(around), problem)
      }
    }
  })
}

function isUnknown(key: string, readKey: (key: string) => unknown): boolean {
  if (key === ".") return true
  try {
    return readKey(key) === undefined
  } catch (error) {
    throw error instanceof ParseError ? new ProblemV7(`parsing key as path element: ${error.message}`) : error
  }
}

/** Takes the start of a map. Returns false for null. */
function openMap(tokens: TokensV7): boolean {
  const kind = readToken(tokens)
  if (kind !== "{" && kind !== "n") throw new ProblemV7("expected object")
  return kind === "{"
}

function readToken(tokens: TokensV7): string {
  return parsing(() => tokens.readToken())
}

function parsing<T>(read: () => T): T {
  try {
    return read()
  } catch (problem) {
    throw addedTo("parsing JSON: ", problem)
  }
}

function addedTo(words: string, problem: unknown): unknown {
  return problem instanceof ProblemV7 ? new ProblemV7(words + problem.message) : problem
}

/** Returns the problem of a text that is read into a Go type. */
function unmarshalProblem(text: string, type: string, read: (tokens: TokensV7) => void): string | undefined {
  const tokens = new TokensV7(bytesOf(text), false)
  let isReading = false
  try {
    if (tokens.isAtEnd()) tokens.readToken()
    isReading = true
    read(tokens)
    isReading = false
    tokens.expectEnd()
    return undefined
  } catch (problem) {
    if (!(problem instanceof ProblemV7)) throw problem
    return isReading ? `json: cannot unmarshal into Go ${type}${tokens.place()}: ${problem.message}` : problem.message
  }
}
