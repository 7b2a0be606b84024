// Checks CustomResourceDefinitions, with an API server's words for their problems.
//
// `parts.ts` finds the parts that versions have or share. `spec.ts` and `conversion.ts` check everything except the schemas. For each schema,
// `structural.ts` checks whether it is structural, `defaults.ts` its defaults, and `schema.ts` its keywords; then its rules are compiled.
// `go-structs.ts` prints the values in messages.

import { mapAt, textAt, withKeys } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { withDefaultNames } from "../custom/definitions.js"
import { type FieldError, fieldError } from "../refusal/field-error.js"
import { asksWebhook } from "../resource/custom.js"
import { totalProblems } from "../rules/budget.js"
import { hasRules, type RuleProblem, rulesOf } from "../rules/compile.js"
import { celPackage } from "../rules/library.js"
import { newRegexBudget, type RegexBudget } from "../structural/patterns.js"
import { Field } from "../validation/field.js"
import { checkDefaults } from "./defaults.js"
import { goRule } from "./go-structs.js"
import { hasKeyword, hasStatus, partsOf, schemaOfPart, versionsOf } from "./parts.js"
import { checkKeywords, checkRoot } from "./schema.js"
import { checkHead, checkTail } from "./spec.js"
import { someSchema, structuralErrors } from "./structural.js"

/** The problems of a definition: errors, for which it is refused, and warnings for its author. */
export interface DefinitionFindings {
  readonly errors: readonly FieldError[]
  readonly warnings: readonly string[]
}

/**
 * Checks a new definition, or one that replaces `old`. The expressions of rules are checked only if the library that runs them was loaded.
 */
export function checkDefinition(original: MapValue, old?: MapValue): DefinitionFindings {
  const spec = mapAt(original, "spec")
  const definition = withKeys(original, { spec: withKeys(spec, { names: withDefaultNames(mapAt(spec, "names")) }) })
  const errors: FieldError[] = []
  const warnings: string[] = []
  checkHead(definition, old, errors)
  const schemas = partsOf(definition, "schema")
  const budget = newRegexBudget()
  if (spec.preserveUnknownFields === true && schemas.some(part => hasDefaults(schemaOfPart(part)))) {
    const detail = "must be false in order to use defaults in the schema"
    errors.push(fieldError("FieldValueInvalid", "spec.preserveUnknownFields", true, detail))
  }
  for (const part of schemas) {
    const schema = schemaOfPart(part)
    if (schema === undefined) continue
    const path = `${part.path}.openAPIV3Schema`
    errors.push(...schemaErrors(schema, path, hasStatus(definition, part.version), budget, warnings))
  }
  checkTail(definition, old, errors)
  if (asksWebhook(definition) && versionsOf(definition).length > 1) {
    warnings.push(
      "spec.conversion: only the test API server calls the webhook, and not for watches: everything else needs the stored version",
    )
  }
  return { errors, warnings }
}

function hasDefaults(schema: MapValue | undefined): boolean {
  return schema !== undefined && someSchema(schema, part => (own(part, "default") ?? null) !== null)
}

function schemaErrors(
  schema: MapValue,
  path: string,
  hasStatus: boolean,
  budget: RegexBudget,
  warnings: string[],
): readonly FieldError[] {
  const errors: FieldError[] = []
  const root = new Field(schema, path, errors)
  checkRoot(root, hasStatus)
  const before = errors.length
  const unreadable = someSchema(schema, isUnreadable)
  if (!unreadable) {
    errors.push(...structuralErrors(schema, path, budget))
    if (errors.length === before) checkDefaults(root, errors)
  }
  const isStructural = !unreadable && errors.length === before
  const ofKeywords: FieldError[] = []
  checkKeywords(new Field(schema, path, ofKeywords))
  errors.push(...ofKeywords)
  if (isStructural) errors.push(...ruleErrors(schema, path, ofKeywords, warnings))
  if (errors.length === 0 && unreadable) {
    errors.push(fieldError("FieldValueInvalid", path, "", "OpenAPIV3Schema 'schema' is not supported"))
  }
  return errors
}

/** Whether the schema has a keyword that prevents further checks of its structure. */
function isUnreadable(schema: MapValue): boolean {
  const keywords = ["id", "$schema", "$ref", "patternProperties", "dependencies", "definitions"]
  const isThere =
    keywords.some(keyword => hasKeyword(schema, keyword)) || (own(schema, "additionalItems") ?? null) !== null
  const items = own(schema, "items") ?? {}
  return isThere || !isMap(items) || own(schema, "x-kubernetes-preserve-unknown-fields") === false
}

/** Returns the problems of expressions, except in parts of the schema that have other problems. */
function ruleErrors(
  schema: MapValue,
  path: string,
  others: readonly FieldError[],
  warnings: string[],
): readonly FieldError[] {
  const rules = rulesOf(schema)
  if (rules === undefined) {
    if (hasRules(schema)) {
      warnings.push(`${path}: the rules (x-kubernetes-validations) are not run: install ${celPackage} to have them run`)
    }
    return []
  }
  const errors: FieldError[] = []
  const isChecked = (rule: string) => {
    const owner = path + rule.slice(0, rule.lastIndexOf(".x-kubernetes-validations"))
    return !others.some(({ field }) => field.startsWith(`${owner}.`))
  }
  for (const problem of rules.problems) {
    if (problem.isRunByServers) warnings.push(notRun(path, problem))
    else if (isChecked(problem.path)) errors.push(ruleError(path, problem))
  }
  for (const { path: part, message } of totalProblems(rules.costs.filter(cost => isChecked(cost.path))))
    errors.push(fieldError("FieldValueForbidden", path + part, undefined, message))
  return errors
}

function notRun(path: string, problem: RuleProblem): string {
  return `${path}${problem.path}: this rule is not run: ${problem.message}, which this package does not have`
}

function ruleError(path: string, problem: RuleProblem): FieldError {
  if (problem.costsTooMuch === true)
    return fieldError("FieldValueForbidden", path + problem.path, undefined, problem.message)
  const detail = problem.message.replace("SCHEMA", path)
  return fieldError("FieldValueInvalid", path + problem.path, ruleInMessage(problem), detail, true)
}

/** Returns the part of a rule that the message shows: its struct, or only its text or its flag if the problem is about oldSelf. */
function ruleInMessage({ path, given, message }: RuleProblem): Value {
  if (path.endsWith(".optionalOldSelf")) return own(given, "optionalOldSelf") ?? null
  return message.startsWith("oldSelf ") ? textAt(given, "rule") : goRule(given)
}
