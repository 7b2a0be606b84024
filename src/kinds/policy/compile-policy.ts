// Compiles the expressions of the policies of admission, and keeps their problems.

import { mapAt, mapsAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue } from "../../value/value.js"
import { specOf } from "../kind/spec-and-status.js"
import type { Problem } from "../refusal/failure.js"
import { fieldError } from "../refusal/field-error.js"
import type { CelLibrary } from "../rules/library.js"
import { type Compiled, compileConditions, Expressions } from "./expressions.js"

/** The parts that validating and mutating policies share. */
interface CompiledPolicy {
  readonly expressions: Expressions
  readonly conditions: readonly Compiled[]
  /** The problems of all expressions. */
  readonly problems: readonly Problem[]
  /** The features that the expressions need and this package lacks, though a real server may have them. */
  readonly lacks: readonly string[]
}

/** A validation of a policy. */
export interface CompiledValidation {
  readonly given: MapValue
  readonly expression: Compiled
  readonly message: Compiled | undefined
}

export interface CompiledValidatingPolicy extends CompiledPolicy {
  readonly validations: readonly CompiledValidation[]
  readonly annotations: readonly { readonly key: string; readonly value: Compiled }[]
}

export interface CompiledMutatingPolicy extends CompiledPolicy {
  readonly mutations: readonly { readonly isPatch: boolean; readonly expression: Compiled }[]
}

/** Compiles a ValidatingAdmissionPolicy. */
export function compileValidatingPolicy(
  library: CelLibrary,
  policy: MapValue,
  hasAuthorizer: boolean,
): CompiledValidatingPolicy {
  const spec = specOf(policy)
  const compilation = new PolicyCompilation(library, policy, hasAuthorizer)
  const { expressions } = compilation
  const validations = mapsAt(spec, "validations").map((given, i) => {
    const path = `spec.validations[${i}]`
    const expression = expressions.compile(textAt(given, "expression"), ["bool"])
    const message = textAt(given, "messageExpression")
    return {
      given,
      expression: compilation.note(`${path}.expression`, expression),
      message:
        message.trim() === ""
          ? undefined
          : compilation.note(`${path}.messageExpression`, expressions.compileMessage(message)),
    }
  })
  const annotations = mapsAt(spec, "auditAnnotations").map((given, i) => {
    const value = expressions.compile(textAt(given, "valueExpression").trim(), ["string", "null"])
    return {
      key: textAt(given, "key"),
      value: compilation.note(`spec.auditAnnotations[${i}].valueExpression`, value),
    }
  })
  return { ...compilation.outcome, validations, annotations }
}

/** Compiles a MutatingAdmissionPolicy. */
export function compileMutatingPolicy(
  library: CelLibrary,
  policy: MapValue,
  hasAuthorizer: boolean,
): CompiledMutatingPolicy {
  const compilation = new PolicyCompilation(library, policy, hasAuthorizer)
  const mutations = mapsAt(specOf(policy), "mutations").map((mutation, i) => {
    const isPatch = textAt(mutation, "patchType") === "JSONPatch"
    const [key, type] = isPatch ? ["jsonPatch", "list<JSONPatch>"] : ["applyConfiguration", "Object"]
    const text = textAt(mapAt(mutation, key), "expression").trim()
    const expression = compilation.expressions.compileMutation(text, type)
    return { isPatch, expression: compilation.note(`spec.mutations[${i}].${key}.expression`, expression) }
  })
  return { ...compilation.outcome, mutations }
}

/** A policy that is being compiled. */
class PolicyCompilation {
  readonly expressions: Expressions
  private readonly conditions: readonly Compiled[]
  private readonly found: [path: string, compiled: Compiled][] = []

  constructor(library: CelLibrary, policy: MapValue, hasAuthorizer: boolean) {
    const spec = specOf(policy)
    this.expressions = new Expressions(library, paramKindOf(policy) !== undefined, hasAuthorizer)
    compileConditions(this.expressions, spec).forEach((each, i) =>
      this.note(`spec.matchConditions[${i}].expression`, each),
    )
    mapsAt(spec, "variables").forEach((each, i) => {
      const variable = this.expressions.addVariable(textAt(each, "name"), textAt(each, "expression"))
      this.note(`spec.variables[${i}].expression`, variable)
    })
    // Conditions may use variables, but a server checks them without.
    this.conditions = compileConditions(this.expressions, spec)
  }

  /** Keeps the problem of an expression. Returns the expression. */
  note(path: string, compiled: Compiled): Compiled {
    this.found.push([path, compiled])
    return compiled
  }

  get outcome(): CompiledPolicy {
    const { expressions, conditions, found } = this
    return {
      expressions,
      conditions,
      problems: found.flatMap(([path, compiled]) => expressionProblem(path, compiled)),
      lacks: found.flatMap(([, { lacks }]) => lacks ?? []),
    }
  }
}

/** Returns the problem of an expression at `path`, if a server has it too. An empty expression has another problem. */
export function expressionProblem(path: string, { given, problem, lacks }: Compiled): Problem[] {
  if (problem === undefined || lacks !== undefined || given.trim() === "") return []
  return [fieldError("FieldValueInvalid", path, given, problem)]
}

/** Returns the kind of a policy's parameters; undefined if it has none. */
export function paramKindOf(policy: MapValue): { readonly apiVersion: string; readonly kind: string } | undefined {
  const param = own(specOf(policy), "paramKind")
  return isMap(param) ? { apiVersion: textAt(param, "apiVersion"), kind: textAt(param, "kind") } : undefined
}
