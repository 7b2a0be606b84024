// Checks one expression in CEL against the variables and types of an environment, with an API server's words for its problems.

import { countCharacters } from "../../value/bytes.js"
import { oncePer } from "../../value/once-per.js"
import { listAnd } from "../../value/words.js"
import { count } from "./cost.js"
import { foreignFunctions, kubernetesEnvironment, missingFunctions } from "./functions.js"
import { celErrors, type FieldTypes, hasProblems } from "./has.js"
import type { CelLibrary, Environment } from "./library.js"
import { mostCharacters, type Source, withWrittenNames } from "./source.js"

/** An expression that can be evaluated. Its costs are counted. */
export interface CheckedExpression {
  readonly ast: unknown
  /** The type of its value; `dyn` if only the evaluation shows it. */
  readonly type: string
  /** Evaluates the expression with the values of its variables. Throws whatever it fails with. */
  readonly run: (values: object) => unknown
}

/** The reason why an expression can't be evaluated. */
export interface ExpressionProblem {
  readonly message: string
  /** Whether a real server evaluates the expression. */
  readonly isRunByServers: boolean
}

/** Kubernetes' environment and the names of the functions in it. */
export interface BaseEnvironment {
  readonly environment: Environment
  readonly functions: ReadonlySet<string>
}

/** Returns the environment with Kubernetes' functions, without variables. */
export const baseEnvironment = oncePer((library: CelLibrary): BaseEnvironment => {
  const environment = kubernetesEnvironment(library)
  const { functions } = environment.getDefinitions()
  const names = functions.map(({ name }) => name).filter(name => !foreignFunctions.has(name))
  return { environment, functions: new Set([...names, "matches"]) }
})

/** The properties of the library's errors that are used here. */
interface Failure {
  readonly summary?: string
  readonly code?: string
  readonly range?: { readonly start: number }
}

/** Checks an expression. `functions` are the names of all functions in the environment. */
export function checkExpression(
  environment: Environment,
  { text, calls }: Source,
  functions: ReadonlySet<string>,
  fieldTypes: FieldTypes,
): CheckedExpression | ExpressionProblem {
  const problem = (message: string, isRunByServers = false): ExpressionProblem => ({ message, isRunByServers })
  if (text.length > mostCharacters) {
    const size = countCharacters(text)
    if (size > mostCharacters) {
      return problem(`expression code point size exceeds limit: size: ${size}, limit ${mostCharacters}`)
    }
  }
  const missing = [...calls].filter(name => !functions.has(name))
  const unknown = missing.filter(name => !missingFunctions.has(name))
  if (unknown.length > 0) {
    const located = unknown.map(name => {
      const [call] = new RegExp(`\\b${name}\\s*(?=\\()`).exec(text) ?? [""]
      return { at: text.indexOf(`${call}(`) + call.length, message: undeclared(name) }
    })
    return problem(celErrors(text, located))
  }
  if (missing.length > 0) return problem(`it calls ${listAnd(missing)}`, true)
  try {
    const parsed = environment.parse(text)
    const checked = parsed.check()
    if (!checked.valid) return typeProblem(text, checked.error as unknown as Failure)
    const undeclaredFields = hasProblems(parsed.ast, fieldTypes)
    if (undeclaredFields.length > 0) return problem(celErrors(text, undeclaredFields))
    count(parsed.ast)
    return { ast: parsed.ast, type: String(checked.type), run: values => parsed({ ...values }) }
  } catch (error) {
    const { summary } = error as Failure
    return problem(withWrittenNames(summary ?? (error instanceof Error ? error.message : String(error))))
  }
}

function undeclared(name: string): string {
  return `undeclared reference to '${name}' (in container '')`
}

function typeProblem(text: string, { summary = "", code, range }: Failure): ExpressionProblem {
  const located = (at: number, message: string) => ({
    message: celErrors(text, [{ at, message }]),
    isRunByServers: false,
  })
  const [, field] = (code === "no_such_key" && /^No such key: (.*)$/.exec(summary)) || []
  if (field !== undefined && range !== undefined) {
    return located(text.lastIndexOf(".", range.start), `undefined field '${field}'`)
  }
  const lacks = macroOfTwo(text)
  if (lacks !== undefined) return { message: `it calls ${lacks}`, isRunByServers: true }
  const [, variable] = (code === "unknown_variable" && /^Unknown variable: (.*)$/.exec(summary)) || []
  if (variable !== undefined && range !== undefined) return located(range.start, undeclared(variable))
  return { message: withWrittenNames(summary), isRunByServers: false }
}

/** Returns the macro that is called with two variables, which the library lacks; otherwise undefined. */
function macroOfTwo(text: string): string | undefined {
  const [, name] = /\.(all|exists|existsOne|exists_one)\(\s*\w+\s*,\s*\w+\s*,/.exec(text) ?? []
  return name === undefined ? undefined : `${name} with two variables`
}
