// The expressions of policies and of the conditions of webhooks, and the variables that they see.

import { mapsAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { oncePer } from "../../value/once-per.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../value/value.js"
import { CostMeter, TooExpensive } from "../rules/cost.js"
import { baseEnvironment, checkExpression } from "../rules/expression.js"
import type { FieldTypes } from "../rules/has.js"
import type { CelLibrary, Environment } from "../rules/library.js"
import { readSource } from "../rules/source.js"
import { wordsOf } from "../rules/validate.js"
import { authorizerType, registerAuthorizer } from "./authorizer.js"
import { registerStructs, withStructCalls } from "./struct-literals.js"

/** The greatest cost of all expressions of a policy for one object. */
export const mostOfPolicy = 10_000_000
const mostOfConditions = mostOfPolicy / 4

const texts = (names: string) => Object.fromEntries(names.split(" ").map(name => [name, "string"]))

/** The types that a server declares. Expressions that name other fields are refused. */
const requestTypes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "kubernetes.GroupVersionKind": texts("group version kind"),
  "kubernetes.GroupVersionResource": texts("group version resource"),
  "kubernetes.UserInfo": {
    ...texts("username uid"),
    groups: "list<string>",
    extra: "map<string, list<string>>",
  },
  "kubernetes.AdmissionRequest": {
    ...texts("subResource requestSubResource name namespace operation"),
    kind: "kubernetes.GroupVersionKind",
    resource: "kubernetes.GroupVersionResource",
    requestKind: "kubernetes.GroupVersionKind",
    requestResource: "kubernetes.GroupVersionResource",
    userInfo: "kubernetes.UserInfo",
    dryRun: "bool",
    options: "dyn",
  },
}

const classes = new Map(Object.keys(requestTypes).map(name => [name, class extends Map<string, unknown> {}]))

/** Returns a value as expressions see it. Whole numbers are integers. */
export function celValue(value: Value): unknown {
  if (typeof value === "object" && value !== null) return celParts(value)
  return typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value
}

const celParts = oncePer((value: ListValue | MapValue): object =>
  isList(value) ? value.map(celValue) : new Map(Object.entries(value).map(([key, inner]) => [key, celValue(inner)])),
)

/** Returns a value of a declared type. Fields that the type lacks are left out. */
function typedValue(type: string, value: Value): unknown {
  const fields = requestTypes[type]
  const TypedMap = classes.get(type)
  if (fields === undefined || TypedMap === undefined || !isMap(value)) return celValue(value)
  const out = new TypedMap()
  for (const [name, fieldType] of Object.entries(fields)) {
    const inner = own(value, name)
    if (inner !== undefined) out.set(name, typedValue(fieldType, inner))
  }
  return out
}

/** The environment with the types of requests, and the variables that every expression has. */
const requestEnvironment = oncePer((library: CelLibrary) => {
  const { environment: base, functions } = baseEnvironment(library)
  const environment = base.clone()
  for (const [type, fields] of Object.entries(requestTypes)) {
    environment.registerType(type, { ctor: classes.get(type) as new () => unknown, fields })
  }
  for (const name of ["object", "oldObject", "namespaceObject"]) environment.registerVariable(name, "dyn")
  environment.registerVariable("request", "kubernetes.AdmissionRequest")
  const added = [...registerStructs(environment), ...registerAuthorizer(environment)]
  return { environment, functions: new Set([...functions, ...added]) }
})

/** The values of the variables for one request. Absent values are null. */
export interface Scope {
  readonly object: Value
  readonly oldObject: Value
  readonly request: MapValue
  readonly namespaceObject: Value
  readonly params: Value
  /** The value of `authorizer`; undefined if the server has no authorization. */
  readonly authorizer: object | undefined
}

/** The value of an expression, or the reason why it has none. */
export type EvaluationResult = { readonly value: unknown } | { readonly error: string }

/** Thrown if the expressions of a policy cost too much together. */
export class OutOfBudget extends Error {
  constructor() {
    super("validation failed due to running out of cost budget, no further validation rules will be run")
  }
}

/** A compiled expression. */
export interface Compiled {
  readonly given: string
  /** The problem, if the expression can't be evaluated. */
  readonly problem: string | undefined
  /** The function that only a real server has, if the expression needs one. */
  readonly lacks: string | undefined
  /** The type of the value. */
  readonly type: string
  readonly run: (values: object) => unknown
}

/** Where the values of `variables` come from: each is evaluated when an expression asks for it first. */
type Variables = new (values: object) => Map<string, unknown>

/** The expressions of one policy or webhook, with the variables that they share. */
export class Expressions {
  private readonly library: CelLibrary
  private readonly hasParams: boolean
  private readonly hasAuthorizer: boolean
  private readonly variables = new Map<string, Compiled>()
  private readonly variablesClass: Variables

  constructor(library: CelLibrary, hasParams: boolean, hasAuthorizer: boolean) {
    this.library = library
    this.hasParams = hasParams
    this.hasAuthorizer = hasAuthorizer
    const { variables } = this
    this.variablesClass = class extends Map<string, unknown> {
      private readonly scope: object

      constructor(values: object) {
        super()
        this.scope = values
      }

      override get(name: string): unknown {
        const variable = variables.get(name)
        if (variable !== undefined && !super.has(name)) super.set(name, evaluateVariable(name, variable, this.scope))
        return super.get(name)
      }

      override has(name: string): boolean {
        return variables.has(name)
      }
    }
  }

  /** Adds a variable, which the following expressions can use. */
  addVariable(name: string, text: string): Compiled {
    const compiled = this.compile(text)
    this.variables.set(name, compiled)
    return compiled
  }

  /** Compiles an expression whose value is an object or a list of operations, which it writes as values of named types. */
  compileMutation(text: string, type: string): Compiled {
    return { ...this.compile(withStructCalls(text), [type]), given: text }
  }

  /** Compiles an expression for a message, which does not see the authorizer. */
  compileMessage(text: string): Compiled {
    return this.compile(text, ["string"], false)
  }

  /** Compiles an expression. `types` are the types that its value may have; any if absent. */
  compile(text: string, types?: readonly string[], seesAuthorizer = true): Compiled {
    const { environment: base, functions } = requestEnvironment(this.library)
    const fields = Object.fromEntries([...this.variables].map(([name, { type }]) => [name, fieldTypeOf(type)]))
    const fieldTypes: FieldTypes = new Map(Object.entries({ ...requestTypes, [variablesType]: fields }))
    const environment: Environment = base.clone()
    environment.registerType(variablesType, { ctor: this.variablesClass, fields })
    environment.registerVariable("variables", variablesType)
    if (this.hasParams) environment.registerVariable("params", "dyn")
    if (this.hasAuthorizer && seesAuthorizer) environment.registerVariable("authorizer", authorizerType)
    const source = readSource(text)
    const checked = checkExpression(environment, source, functions, fieldTypes)
    if ("message" in checked) {
      const { message, isRunByServers } = checked
      const lacksAuthorizer = seesAuthorizer && source.names.has("authorizer") && !this.hasAuthorizer
      const lacks = lacksAuthorizer ? "it uses `authorizer`" : isRunByServers ? message : undefined
      return { given: text, problem: `compilation failed: ${message}`, lacks, type: "dyn", run: notRun }
    }
    const { op } = checked.ast as { readonly op: string }
    // The library finds the type of fewer expressions than a server. A field of an object has no type in a server either.
    const isUntyped = checked.type === "dyn" && ![".", "[]", "id"].includes(op)
    const fits = types === undefined || isUntyped || types.includes(checked.type)
    const problem = fits ? undefined : `must evaluate to ${oneOf(types)} but got ${goType(checked.type)}`
    return { given: text, problem, lacks: undefined, type: checked.type, run: checked.run }
  }

  /** Returns the values of the variables for one request. */
  values(scope: Scope): object {
    const values: Record<string, unknown> = {
      object: celValue(scope.object),
      oldObject: celValue(scope.oldObject),
      namespaceObject: celValue(scope.namespaceObject),
      request: typedValue("kubernetes.AdmissionRequest", scope.request),
      ...(this.hasParams && { params: celValue(scope.params) }),
      ...(this.hasAuthorizer && { authorizer: scope.authorizer }),
    }
    values.variables = new this.variablesClass(values)
    return values
  }
}

const variablesType = "kubernetes.variables"

function notRun(): never {
  throw new TypeError("an expression that was not compiled can't be evaluated")
}

function evaluateVariable(name: string, { problem, run }: Compiled, values: object): unknown {
  const failed = (why: string) => new RangeError(`composited variable "${name}" fails to ${why}`)
  if (problem !== undefined) throw failed(`compile: ${problem}`)
  try {
    return run(values)
  } catch (error) {
    throw error instanceof TooExpensive ? error : failed(`evaluate: ${wordsOf(error)}`)
  }
}

/** Types that values of variables keep. Expressions check others when they are evaluated. */
const kept = new Set(["bool", "int", "double", "string"])

function fieldTypeOf(type: string): string {
  return kept.has(type) ? type : "dyn"
}

function goType(type: string): string {
  const inner = type === "list" ? "list<dyn>" : type === "map" ? "map<dyn, dyn>" : type
  return inner
    .replaceAll("<", "(")
    .replaceAll(">", ")")
    .replace(/^null$/, "null_type")
}

function oneOf(types: readonly string[]): string {
  return types.length === 1 ? types.map(goType).join() : `one of [${types.map(goType).join(" ")}]`
}

/** Evaluates expressions until they cost too much together. */
export class Evaluation {
  private readonly meter = new CostMeter()
  private readonly values: object
  private left: number

  constructor(values: object, most: number) {
    this.values = values
    this.left = most
  }

  /** Evaluates an expression. Throws an OutOfBudget if the expressions so far cost too much. */
  run({ given, problem, run }: Compiled): EvaluationResult {
    if (problem !== undefined) return { error: `compilation error: ${problem}` }
    const { value, error, cost } = this.meter.run(() => run(this.values))
    this.left -= Number.isFinite(cost) ? cost : 0
    if (this.left < 0) throw new OutOfBudget()
    return error === undefined ? { value } : { error: `expression '${given}' resulted in error: ${wordsOf(error)}` }
  }
}

/** Compiles the match conditions of a policy or a webhook. */
export function compileConditions(expressions: Expressions, given: MapValue): readonly Compiled[] {
  return mapsAt(given, "matchConditions").map(each => expressions.compile(textAt(each, "expression"), ["bool"]))
}

/** Whether all conditions hold. Returns the error if one fails and none is false. */
export function conditionsHold(conditions: readonly Compiled[], values: object): boolean | { readonly error: string } {
  const evaluation = new Evaluation(values, mostOfConditions)
  const errors: string[] = []
  try {
    for (const condition of conditions) {
      const outcome = evaluation.run(condition)
      if ("error" in outcome) errors.push(outcome.error)
      else if (outcome.value === false) return false
    }
  } catch (error) {
    if (error instanceof OutOfBudget) return { error: error.message }
    throw error
  }
  if (errors.length === 0) return true
  return { error: errors.length === 1 ? errors.join() : `[${errors.join(", ")}]` }
}
