// What is wrong with a CustomResourceDefinition, in an API server's words.
import { textAt } from "../../schema/group-version-kind.js"
import { equalValues } from "../../value/equal.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { listAt, mapAt, metaText } from "../metadata.js"
import { hasRules, type RuleProblem, rulesOf } from "../rules/compile.js"
import { celPackage } from "../rules/library.js"
import { expectedName } from "./definitions.js"
import { type FieldError, fieldError } from "./field-error.js"

/** What is found in a definition: what it is refused for, and what its author should know. */
export interface DefinitionFindings {
  readonly errors: readonly FieldError[]
  readonly warnings: readonly string[]
}

/** The findings in a definition with its defaults. Rules are looked at where the library that runs them was loaded. */
export function checkDefinition(definition: MapValue): DefinitionFindings {
  const errors: FieldError[] = [...nameErrors(definition)]
  const warnings: string[] = []
  for (const { path, schema } of schemasOf(definition)) {
    const rules = rulesOf(schema)
    if (rules === undefined) {
      if (hasRules(schema)) {
        warnings.push(
          `${path}: the rules (x-kubernetes-validations) are not run: install ${celPackage} to have them run`,
        )
      }
      continue
    }
    for (const problem of rules.problems) {
      if (problem.isOurs) warnings.push(notRun(path, problem))
      else errors.push(ruleError(path, problem))
    }
  }
  return { errors, warnings }
}

function nameErrors(definition: MapValue): readonly FieldError[] {
  const name = metaText(definition, "name")
  if (name === "" || name === expectedName(definition)) return []
  return [fieldError("FieldValueInvalid", "metadata.name", name, `must be spec.names.plural+"."+spec.group`)]
}

function notRun(path: string, problem: RuleProblem): string {
  return `${path}${problem.path}: this rule is not run: ${problem.message}, which this test API server does not have`
}

/** The schemas of a definition, where errors say that they are: one that all versions share is told of once. */
export function schemasOf(definition: MapValue): readonly { readonly path: string; readonly schema: MapValue }[] {
  const versions = listAt(mapAt(definition, "spec"), "versions").filter(isMap)
  const schemas = versions.map(version => mapAt(mapAt(version, "schema"), "openAPIV3Schema"))
  const [first, ...others] = schemas
  if (first !== undefined && others.every(schema => equalValues(schema, first))) {
    return [{ path: "spec.validation.openAPIV3Schema", schema: first }]
  }
  return schemas.map((schema, i) => ({ path: `spec.versions[${i}].schema.openAPIV3Schema`, schema }))
}

function ruleError(path: string, problem: RuleProblem): FieldError {
  return fieldError(
    "FieldValueInvalid",
    path + problem.path,
    shownRule(problem),
    problem.message.replace("SCHEMA", path),
  )
}

/** The rule as Go prints its struct; for the use of oldSelf only its text. */
function shownRule({ given, message }: RuleProblem): Value {
  if (message.startsWith("oldSelf ")) return textAt(given, "rule")
  return {
    Rule: textAt(given, "rule"),
    Message: textAt(given, "message"),
    MessageExpression: textAt(given, "messageExpression"),
    Reason: given.reason ?? null,
    FieldPath: textAt(given, "fieldPath"),
    OptionalOldSelf: given.optionalOldSelf ?? null,
  }
}
