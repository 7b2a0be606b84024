// Compiles the rules of a structural schema (x-kubernetes-validations) to a tree of the parts of the schema that have rules.

import { listAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { oncePer } from "../../value/once-per.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { isTrue, restOf, schemaAt } from "../structural/schema.js"
import { costOfAll, countOfParts, mostOfExpression, overBudget, type RuleCost } from "./budget.js"
import { estimateCost } from "./estimate.js"
import { baseEnvironment, checkExpression } from "./expression.js"
import type { FieldTypes } from "./has.js"
import { type CelLibrary, celLibrary, type Environment } from "./library.js"
import { readSource, type Source } from "./source.js"
import { type Declared, Types } from "./types.js"

/** A compiled rule. */
export interface Rule {
  /** The rule in the schema. */
  readonly given: MapValue
  readonly usesOldSelf: boolean
  /** Whether it also runs without an old value. Its `oldSelf` is an optional value. */
  readonly optional: boolean
  /** Evaluates the expression. Throws whatever it fails with. */
  readonly run: (values: Values) => unknown
  /** The message expression, if the rule has one. */
  readonly message: ((values: Values) => unknown) | undefined
}

/** The variables of an expression. */
export interface Values {
  readonly self: unknown
  readonly oldSelf?: unknown
}

/** A part of the schema that has rules, or whose parts have rules. */
export interface RuleNode {
  readonly schema: MapValue
  readonly declared: Declared
  readonly rules: readonly Rule[]
  readonly fields: ReadonlyMap<string, RuleNode>
  readonly items: RuleNode | undefined
  readonly rest: RuleNode | undefined
  /** Returns an optional value, which is empty if `value` is undefined. */
  readonly optional: (value: unknown) => unknown
}

/** A rule that is not run, and the reason. */
export interface RuleProblem {
  /** The path in the schema: `.properties[spec].x-kubernetes-validations[0].rule`. */
  readonly path: string
  readonly message: string
  /** The rule in the schema. */
  readonly given: MapValue
  /** Whether a real server runs the rule. */
  readonly isRunByServers: boolean
  /** Whether the rule is valid, but may cost too much. */
  readonly costsTooMuch?: boolean
}

/** The rules of a schema. */
export interface CompiledRules {
  /** Undefined if the schema has no rules. */
  readonly root: RuleNode | undefined
  readonly problems: readonly RuleProblem[]
  /** The estimates for the expressions of the rules. */
  readonly costs: readonly RuleCost[]
}

const compiled = new WeakMap<MapValue, CompiledRules>()

/**
 * Returns the rules of the schema of a custom resource, or of a `part` of one; undefined if the library is not loaded. Compiles each schema
 * once.
 */
export function rulesOf(schema: MapValue, { part = false } = {}): CompiledRules | undefined {
  const library = celLibrary()
  if (library === undefined) return undefined
  let rules = compiled.get(schema)
  if (rules === undefined) compiled.set(schema, (rules = hasRules(schema) ? compile(library, schema, !part) : none))
  return rules
}

const none: CompiledRules = { root: undefined, problems: [], costs: [] }

/** Whether a schema has rules. */
export function hasRules(schema: MapValue): boolean {
  return rulePathsOf(schema).length > 0
}

/** Returns the paths of rules that a server runs but that are not run here: of all rules, if the library is not loaded. */
export function unrunRules(schema: MapValue): readonly string[] {
  const rules = rulesOf(schema)
  return rules === undefined
    ? rulePathsOf(schema)
    : rules.problems.filter(({ isRunByServers }) => isRunByServers).map(({ path }) => path)
}

/** Returns the paths of all rules of a schema, as in a `RuleProblem`. */
const rulePathsOf = oncePer((schema: MapValue): readonly string[] => collectRulePaths(schema, ""))

function collectRulePaths(schema: MapValue, path: string): string[] {
  const inner = (part: Value | undefined, step: string) =>
    part !== undefined && isMap(part) ? collectRulePaths(part, `${path}${step}`) : []
  return [
    ...listAt(schema, "x-kubernetes-validations").map((_, i) => `${path}.x-kubernetes-validations[${i}].rule`),
    ...Object.entries(schemaAt(schema, "properties") ?? {}).flatMap(([name, part]) =>
      inner(part, `.properties[${name}]`),
    ),
    ...inner(schemaAt(schema, "items"), ".items"),
    ...inner(restOf(schema), ".additionalProperties"),
  ]
}

function compile(library: CelLibrary, schema: MapValue, isRoot: boolean): CompiledRules {
  const { environment: base, functions } = baseEnvironment(library)
  const environment = base.clone()
  const types = new Types(environment, base)
  const declared = types.declare(schema, isRoot || undefined)
  if (declared === undefined) return none
  const compiler = new Compiler(environment, base, functions, types.fields)
  const root = compiler.node(schema, declared, "", { apart: undefined, count: 1 })
  return { root, problems: compiler.problems, costs: compiler.costs }
}

/** The place of a part in the schema. */
interface PartPlace {
  /** The path of the outermost list whose items have no old values; undefined outside of such lists. */
  readonly apart: string | undefined
  /** How often the part occurs in an object at most; undefined if nothing limits that. */
  readonly count: number | undefined
}

/** A compiled expression, with its estimated cost. */
interface Expression {
  readonly run: (values: Values) => unknown
  readonly cost: number
}

class Compiler {
  readonly problems: RuleProblem[] = []
  readonly costs: RuleCost[] = []
  private readonly environment: Environment
  private readonly fieldTypes: FieldTypes
  private readonly functions: ReadonlySet<string>
  private readonly optional: (value: unknown) => unknown

  constructor(environment: Environment, base: Environment, functions: ReadonlySet<string>, fieldTypes: FieldTypes) {
    this.environment = environment
    this.functions = functions
    this.fieldTypes = fieldTypes
    const nothing = base.parse("optional.none()")
    const something = base.clone().registerVariable("value", "dyn").parse("optional.of(value)")
    this.optional = value => (value === undefined ? nothing({}) : something({ value }))
  }

  node(schema: MapValue, declared: Declared, path: string, place: PartPlace): RuleNode | undefined {
    const inner = { ...place, count: countOfParts(schema, place.count) }
    const rest = restOf(schema)
    const entry = rest && declared.rest && this.node(rest, declared.rest, `${path}.additionalProperties`, inner)
    const properties = schemaAt(schema, "properties") ?? {}
    const fields = new Map<string, RuleNode>()
    for (const [name, field] of declared.fields) {
      const property = schemaAt(properties, name)
      const node = property && this.node(property, field, `${path}.properties[${name}]`, inner)
      if (node !== undefined) fields.set(name, node)
    }
    const items = schemaAt(schema, "items")
    const isPaired = own(schema, "x-kubernetes-list-type") === "map"
    const inList = isPaired ? inner : { ...inner, apart: place.apart ?? path }
    const item = items && declared.items && this.node(items, declared.items, `${path}.items`, inList)
    const rules = listAt(schema, "x-kubernetes-validations").flatMap((rule, i) => {
      const rulePath = `${path}.x-kubernetes-validations[${i}]`
      return isMap(rule) ? this.rule(rule, declared, rulePath, place) : []
    })
    if (rules.length === 0 && fields.size === 0 && item === undefined && entry === undefined) return undefined
    return { schema, declared, rules, fields, items: item, rest: entry, optional: this.optional }
  }

  private rule(given: MapValue, declared: Declared, path: string, { apart, count }: PartPlace): Rule[] {
    const text = textAt(given, "rule")
    if (text.trim() === "") return []
    const optional = isTrue(given, "optionalOldSelf")
    const environment = this.environment
      .clone()
      .registerVariable("self", declared.type)
      .registerVariable("oldSelf", optional ? `optional<${declared.type}>` : declared.type)
    const source = readSource(text)
    const rule = this.expression(environment, source, given, declared, "bool", `${path}.rule`)
    if (rule !== undefined) this.addCost(costOfAll(rule.cost, count, declared), given, "rule", path)
    const messageText = textAt(given, "messageExpression")
    const message =
      messageText.trim() === "" || rule === undefined
        ? undefined
        : this.expression(environment, readSource(messageText), given, declared, "string", `${path}.messageExpression`)
    if (message !== undefined) this.addCost(message.cost, given, "messageExpression", path)
    const usesOldSelf = source.names.has("oldSelf")
    if (usesOldSelf && apart !== undefined) {
      const where = `oldSelf cannot be used on the uncorrelatable portion of the schema within SCHEMA${apart}`
      this.problems.push({ path: `${path}.rule`, message: where, given, isRunByServers: false })
    }
    if (!usesOldSelf && (own(given, "optionalOldSelf") ?? null) !== null) {
      const why = "may not be set if oldSelf is not used in rule"
      this.problems.push({ path: `${path}.optionalOldSelf`, message: why, given, isRunByServers: false })
    }
    if (rule === undefined) return []
    return [{ given, usesOldSelf, optional, run: rule.run, message: message?.run }]
  }

  private addCost(cost: number, given: MapValue, keyword: string, rulePath: string): void {
    const path = `${rulePath}.${keyword}`
    this.costs.push({ path, cost })
    if (cost <= mostOfExpression) return
    const message = overBudget(`estimated ${keyword} cost`, cost, mostOfExpression)
    this.problems.push({ path, message, given, isRunByServers: false, costsTooMuch: true })
  }

  private expression(
    environment: Environment,
    source: Source,
    given: MapValue,
    declared: Declared,
    type: "bool" | "string",
    path: string,
  ): Expression | undefined {
    const prefix = type === "bool" ? "compilation failed: " : "messageExpression compilation failed: "
    const checked = checkExpression(environment, source, this.functions, this.fieldTypes)
    const problem = (message: string, isRunByServers = false) => {
      this.problems.push({ path, message, given, isRunByServers })
      return undefined
    }
    if ("message" in checked) {
      return problem(checked.isRunByServers ? checked.message : prefix + checked.message, checked.isRunByServers)
    }
    if (checked.type !== type && checked.type !== "dyn") {
      return problem(
        type === "bool" ? "cel expression must evaluate to a bool" : "messageExpression must evaluate to a string",
      )
    }
    return { run: checked.run, cost: estimateCost(checked.ast, declared) }
  }
}
