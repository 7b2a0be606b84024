// Compiles the parts that validating and mutating policies share: variables and match conditions. Keeps the problems of all expressions.

import type { Problem } from "../../kinds/refusal/failure.js"
import type { CelLibrary } from "../../kinds/rules/library.js"
import { mapsAt, textAt } from "../../value/fields.js"
import type { MapValue } from "../../value/value.js"
import { type Compiled, compileConditions, Expressions } from "./expressions.js"
import { expressionProblem, paramKindOf, specOf } from "./policies.js"

/** A policy that is being compiled. */
export class PolicyCompilation {
  readonly expressions: Expressions
  readonly conditions: readonly Compiled[]
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

  /** The problems of all expressions, and what they need that is missing here. */
  get outcome(): { readonly problems: readonly Problem[]; readonly lacks: readonly string[] } {
    const given = this.found.filter(([, each]) => each.given.trim() !== "")
    return {
      problems: given.flatMap(([path, compiled]) => expressionProblem(path, compiled)),
      lacks: this.found.flatMap(([, { lacks }]) => lacks ?? []),
    }
  }
}
