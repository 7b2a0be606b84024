// Checks the expressions in the configuration of admission: those of policies, and the match conditions of webhooks. A server compiles them before
// it stores such an object. They are checked only if the library that runs them was loaded.

import { equalValues } from "../../value/equal.js"
import { mapsAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import type { MapValue, Value } from "../../value/value.js"
import { specOf } from "../kind/spec-and-status.js"
import type { Problem } from "../refusal/failure.js"
import type { CompilingCheck } from "../resource/resource.js"
import { type CelLibrary, celLibrary } from "../rules/library.js"
import { compileMutatingPolicy, compileValidatingPolicy, expressionProblem } from "./compile-policy.js"
import { compileConditions, Expressions } from "./expressions.js"

// A real server always has an authorizer, so that its expressions may use one.
const hasAuthorizer = true

export const checkValidatingExpressions: CompilingCheck = (policy, old) =>
  findings(library => policyProblems(compileValidatingPolicy(library, policy, hasAuthorizer), policy, old))

export const checkMutatingExpressions: CompilingCheck = (policy, old) =>
  findings(library => policyProblems(compileMutatingPolicy(library, policy, hasAuthorizer), policy, old))

/** Checks the match conditions of the webhooks of a configuration. */
export const checkWebhookExpressions: CompilingCheck = (configuration, old) =>
  findings(library => {
    const conditionsOf = (each: MapValue) => mapsAt(each, "webhooks").map(hook => own(hook, "matchConditions") ?? null)
    if (old !== undefined && equalValues(conditionsOf(configuration), conditionsOf(old))) return []
    return mapsAt(configuration, "webhooks").flatMap((hook, at) =>
      compileConditions(new Expressions(library, false, hasAuthorizer), hook).flatMap((condition, i) =>
        expressionProblem(`webhooks[${at}].matchConditions[${i}].expression`, condition),
      ),
    )
  })

function findings(problemsBy: (library: CelLibrary) => readonly Problem[]): ReturnType<CompilingCheck> {
  const library = celLibrary()
  return { errors: library === undefined ? [] : problemsBy(library), warnings: [] }
}

/** Returns the problems of a policy that replaces `old`. A server doesn't check match conditions again that stay the same. */
function policyProblems(
  { problems }: { readonly problems: readonly Problem[] },
  policy: MapValue,
  old: MapValue | undefined,
): readonly Problem[] {
  const sees = (each: MapValue): Value => [
    own(specOf(each), "matchConditions") ?? null,
    own(specOf(each), "paramKind") ?? null,
  ]
  if (old === undefined || !equalValues(sees(policy), sees(old))) return problems
  return problems.filter(({ field }) => field?.startsWith("spec.matchConditions[") !== true)
}
