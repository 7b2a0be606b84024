// The rules of a structural schema (x-kubernetes-validations), compiled: a tree of the parts of the schema that have any.

import { countCharacters } from "../../value/bytes.js"
import { listAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { listAnd } from "../../value/words.js"
import { isTrue, restOf, schemaAt } from "../structural/schema.js"
import { count } from "./cost.js"
import { foreignFunctions, kubernetesEnvironment, missingFunctions } from "./functions.js"
import { type CelLibrary, celLibrary, type Environment } from "./library.js"
import { mostCharacters, readSource, type Source, withWrittenNames } from "./source.js"
import { type Declared, Types } from "./types.js"

/** A rule that can be run. */
export interface Rule {
  /** As the schema has it. */
  readonly given: MapValue
  readonly usesOldSelf: boolean
  /** Whether it runs where there is no old value, and sees an optional one. */
  readonly optional: boolean
  /** What the expression gives for the values. Throws what it fails with. */
  readonly run: (values: Values) => unknown
  /** The message expression; undefined if there is none. */
  readonly message: ((values: Values) => unknown) | undefined
}

/** The variables of an expression. */
export interface Values {
  readonly self: unknown
  readonly oldSelf?: unknown
}

/** A part of the schema with rules, or with parts that have some. */
export interface RuleNode {
  readonly schema: MapValue
  readonly declared: Declared
  readonly rules: readonly Rule[]
  readonly fields: ReadonlyMap<string, RuleNode>
  readonly items: RuleNode | undefined
  readonly rest: RuleNode | undefined
  /** The optional with a value in it, or without. */
  readonly optional: (value: unknown) => unknown
}

/** A rule that is not run, and why. */
export interface RuleProblem {
  /** Where: `.properties[spec].x-kubernetes-validations[0].rule`. */
  readonly path: string
  readonly message: string
  /** The rule as the schema has it. */
  readonly given: MapValue
  /** Whether a real server runs the rule. */
  readonly isOurs: boolean
}

/** The rules of a schema. */
export interface CompiledRules {
  /** Undefined if there are none. */
  readonly root: RuleNode | undefined
  readonly problems: readonly RuleProblem[]
}

const compiled = new WeakMap<MapValue, CompiledRules>()

/**
 * The rules of a schema, of a custom resource or of a `part` of one; undefined where the library is not there. Compiled once for
 * each schema.
 */
export function rulesOf(schema: MapValue, { part = false } = {}): CompiledRules | undefined {
  const library = celLibrary()
  if (library === undefined) return undefined
  let found = compiled.get(schema)
  if (found === undefined) compiled.set(schema, (found = hasRules(schema) ? compile(library, schema, !part) : none))
  return found
}

const none: CompiledRules = { root: undefined, problems: [] }

/** Whether a schema has rules. */
export function hasRules(schema: MapValue): boolean {
  return placesOf(schema).length > 0
}

/** The places of the rules that a server runs and that are not run here: of all if the library is not there. */
export function unrunRules(schema: MapValue): readonly string[] {
  const rules = rulesOf(schema)
  return rules === undefined ? placesOf(schema) : rules.problems.filter(({ isOurs }) => isOurs).map(({ path }) => path)
}

const places = new WeakMap<MapValue, readonly string[]>()

/** The places of all rules of a schema, as in a `RuleProblem`. */
function placesOf(schema: MapValue): readonly string[] {
  let found = places.get(schema)
  if (found === undefined) places.set(schema, (found = collectPlaces(schema, "")))
  return found
}

function collectPlaces(schema: MapValue, path: string): string[] {
  const inner = (part: Value | undefined, step: string) =>
    part !== undefined && isMap(part) ? collectPlaces(part, `${path}${step}`) : []
  return [
    ...listAt(schema, "x-kubernetes-validations").map((_, i) => `${path}.x-kubernetes-validations[${i}].rule`),
    ...Object.entries(schemaAt(schema, "properties") ?? {}).flatMap(([name, part]) =>
      inner(part, `.properties[${name}]`),
    ),
    ...inner(schemaAt(schema, "items"), ".items"),
    ...inner(restOf(schema), ".additionalProperties"),
  ]
}

const environments = new WeakMap<CelLibrary, Environment>()

function compile(library: CelLibrary, schema: MapValue, isRoot: boolean): CompiledRules {
  let base = environments.get(library)
  if (base === undefined) environments.set(library, (base = kubernetesEnvironment(library)))
  const environment = base.clone()
  const declared = new Types(environment, base).declare(schema, isRoot || undefined)
  if (declared === undefined) return none
  const compiler = new Compiler(environment, base)
  const root = compiler.node(schema, declared, "", undefined)
  return { root, problems: compiler.problems }
}

class Compiler {
  readonly problems: RuleProblem[] = []
  private readonly environment: Environment
  private readonly known: ReadonlySet<string>
  private readonly optional: (value: unknown) => unknown

  constructor(environment: Environment, base: Environment) {
    this.environment = environment
    const { functions } = base.getDefinitions()
    this.known = new Set([...functions.map(({ name }) => name).filter(name => !foreignFunctions.has(name)), "matches"])
    const nothing = base.parse("optional.none()")
    const something = base.clone().registerVariable("value", "dyn").parse("optional.of(value)")
    this.optional = value => (value === undefined ? nothing({}) : something({ value }))
  }

  /** `apart` is the path of the part of the schema from which on old values are not found. */
  node(schema: MapValue, declared: Declared, path: string, apart: string | undefined): RuleNode | undefined {
    const rules = listAt(schema, "x-kubernetes-validations").flatMap((rule, i) => {
      const place = `${path}.x-kubernetes-validations[${i}]`
      return isMap(rule) ? this.rule(rule, declared, place, apart) : []
    })
    const properties = schemaAt(schema, "properties") ?? {}
    const fields = new Map<string, RuleNode>()
    for (const [name, inner] of declared.fields) {
      const property = schemaAt(properties, name)
      const node = property && this.node(property, inner, `${path}.properties[${name}]`, apart)
      if (node !== undefined) fields.set(name, node)
    }
    const items = schemaAt(schema, "items")
    const isPaired = own(schema, "x-kubernetes-list-type") === "map"
    const listApart = isPaired ? apart : (apart ?? path)
    const item = items && declared.items && this.node(items, declared.items, `${path}.items`, listApart)
    const rest = restOf(schema)
    const entry = rest && declared.rest && this.node(rest, declared.rest, `${path}.additionalProperties`, apart)
    if (rules.length === 0 && fields.size === 0 && item === undefined && entry === undefined) return undefined
    return { schema, declared, rules, fields, items: item, rest: entry, optional: this.optional }
  }

  private rule(given: MapValue, declared: Declared, path: string, apart: string | undefined): Rule[] {
    const text = textAt(given, "rule")
    if (text.trim() === "") return []
    const optional = isTrue(given, "optionalOldSelf")
    const environment = this.environment
      .clone()
      .registerVariable("self", declared.type)
      .registerVariable("oldSelf", optional ? `optional<${declared.type}>` : declared.type)
    const source = readSource(text)
    const run = this.expression(environment, source, given, "bool", `${path}.rule`)
    const messageText = textAt(given, "messageExpression")
    const message =
      messageText.trim() === ""
        ? undefined
        : this.expression(environment, readSource(messageText), given, "string", `${path}.messageExpression`)
    if (source.usesOldSelf && apart !== undefined) {
      const where = `oldSelf cannot be used on the uncorrelatable portion of the schema within SCHEMA${apart}`
      this.problems.push({ path: `${path}.rule`, message: where, given, isOurs: false })
    }
    if (!source.usesOldSelf && (own(given, "optionalOldSelf") ?? null) !== null) {
      const why = "may not be set if oldSelf is not used in rule"
      this.problems.push({ path: `${path}.optionalOldSelf`, message: why, given, isOurs: false })
    }
    return run === undefined ? [] : [{ given, usesOldSelf: source.usesOldSelf, optional, run, message }]
  }

  private expression(
    environment: Environment,
    { text, calls }: Source,
    given: MapValue,
    type: "bool" | "string",
    path: string,
  ): ((values: Values) => unknown) | undefined {
    const prefix = type === "bool" ? "compilation failed: " : "messageExpression compilation failed: "
    const problem = (message: string, isOurs = false) => {
      this.problems.push({ path, message, given, isOurs })
      return undefined
    }
    if (text.length > mostCharacters) {
      const size = countCharacters(text)
      if (size > mostCharacters) {
        return problem(`${prefix}expression code point size exceeds limit: size: ${size}, limit ${mostCharacters}`)
      }
    }
    const missing = [...calls].filter(name => !this.known.has(name))
    const unknown = missing.filter(name => !missingFunctions.has(name))
    if (unknown.length > 0) return problem(`${prefix}undeclared reference to '${unknown[0]}'`)
    if (missing.length > 0) return problem(`it calls ${listAnd(missing)}`, true)
    try {
      const parsed = environment.parse(text)
      const checked = parsed.check()
      if (!checked.valid) {
        const { summary } = checked.error as unknown as { summary: string }
        const lacks = macroOfTwo(text)
        return lacks === undefined ? problem(prefix + withWrittenNames(summary)) : problem(`it calls ${lacks}`, true)
      }
      if (checked.type === type || checked.type === "dyn") {
        count(parsed.ast)
        return values => parsed({ ...values })
      }
      return problem(
        type === "bool" ? "cel expression must evaluate to a bool" : "messageExpression must evaluate to a string",
      )
    } catch (error) {
      const { summary } = error as { summary?: string }
      return problem(prefix + withWrittenNames(summary ?? (error instanceof Error ? error.message : String(error))))
    }
  }
}

/** The macro that is called with two variables, which the library does not have; undefined if none is. */
function macroOfTwo(text: string): string | undefined {
  const [, name] = /\.(all|exists|existsOne|exists_one)\(\s*\w+\s*,\s*\w+\s*,/.exec(text) ?? []
  return name === undefined ? undefined : `${name} with two variables`
}
