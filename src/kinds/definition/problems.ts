// What is wrong with a CustomResourceDefinition, in an API server's words.
//
// `parts` finds what versions have each or share, `spec` and `conversion` look at all but the schemas. Of a schema, `structural`
// says whether it is structural, `defaults` whether its defaults fit, `schema` which keywords don't, and its rules are compiled.
// `go-structs` prints what messages show.

import { mapAt, textAt, withKeys } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { withDefaultNames } from "../custom/definitions.js"
import { type FieldError, fieldError } from "../refusal/field-error.js"
import { asksWebhook } from "../resource/custom.js"
import { hasRules, type RuleProblem, rulesOf } from "../rules/compile.js"
import { celPackage } from "../rules/library.js"
import { newSteps, type Steps } from "../structural/patterns.js"
import { Field } from "../validation/field.js"
import { defaultErrors } from "./defaults.js"
import { goRule } from "./go-structs.js"
import { hasStatus, partsOf, says, schemaOfPart, versionsOf } from "./parts.js"
import { keywordErrors, rootErrors } from "./schema.js"
import { headErrors, tailErrors } from "./spec.js"
import { someSchema, structuralErrors } from "./structural.js"

/** What is found in a definition: what it is refused for, and what its author should know. */
export interface DefinitionFindings {
  readonly errors: readonly FieldError[]
  readonly warnings: readonly string[]
}

/**
 * The findings in a new definition, or in one that takes the place of `old`. The expressions of rules are looked at where the
 * library that runs them was loaded.
 */
export function checkDefinition(given: MapValue, old?: MapValue): DefinitionFindings {
  const spec = mapAt(given, "spec")
  const definition = withKeys(given, { spec: withKeys(spec, { names: withDefaultNames(mapAt(spec, "names")) }) })
  const errors: FieldError[] = []
  const warnings: string[] = []
  headErrors(definition, old, errors)
  const schemas = partsOf(definition, "schema")
  const steps = newSteps()
  if (spec.preserveUnknownFields === true && schemas.some(part => hasDefaults(schemaOfPart(part)))) {
    const detail = "must be false in order to use defaults in the schema"
    errors.push(fieldError("FieldValueInvalid", "spec.preserveUnknownFields", true, detail))
  }
  for (const part of schemas) {
    const schema = schemaOfPart(part)
    if (schema === undefined) continue
    const path = `${part.path}.openAPIV3Schema`
    errors.push(...schemaErrors(schema, path, hasStatus(definition, part.version), steps, warnings))
  }
  tailErrors(definition, old, errors)
  if (asksWebhook(definition) && versionsOf(definition).length > 1) {
    warnings.push(
      "spec.conversion: the webhook is not called: objects are served only at the version at which they are stored",
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
  steps: Steps,
  warnings: string[],
): readonly FieldError[] {
  const errors: FieldError[] = []
  const root = new Field(schema, path, errors)
  rootErrors(root, hasStatus)
  const before = errors.length
  const unreadable = someSchema(schema, isUnreadable)
  if (!unreadable) {
    errors.push(...structuralErrors(schema, path, steps))
    if (errors.length === before) defaultErrors(root, errors)
  }
  const isStructural = !unreadable && errors.length === before
  const ofKeywords: FieldError[] = []
  keywordErrors(new Field(schema, path, ofKeywords))
  errors.push(...ofKeywords)
  if (isStructural) errors.push(...ruleErrors(schema, path, ofKeywords, warnings))
  if (errors.length === 0 && unreadable) {
    errors.push(fieldError("FieldValueInvalid", path, "", "OpenAPIV3Schema 'schema' is not supported"))
  }
  return errors
}

/** Whether the schema has a keyword because of which nothing more is said of its structure. */
function isUnreadable(schema: MapValue): boolean {
  const keywords = ["id", "$schema", "$ref", "patternProperties", "dependencies", "definitions"]
  const isThere = keywords.some(keyword => says(schema, keyword)) || (own(schema, "additionalItems") ?? null) !== null
  const items = own(schema, "items") ?? {}
  return isThere || !isMap(items) || own(schema, "x-kubernetes-preserve-unknown-fields") === false
}

/** The problems of expressions, but for those of parts of the schema that have others. */
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
  for (const problem of rules.problems) {
    const owner = path + problem.path.slice(0, problem.path.lastIndexOf(".x-kubernetes-validations"))
    if (problem.isOurs) warnings.push(notRun(path, problem))
    else if (!others.some(({ field }) => field.startsWith(`${owner}.`))) errors.push(ruleError(path, problem))
  }
  return errors
}

function notRun(path: string, problem: RuleProblem): string {
  return `${path}${problem.path}: this rule is not run: ${problem.message}, which this package does not have`
}

function ruleError(path: string, problem: RuleProblem): FieldError {
  const detail = problem.message.replace("SCHEMA", path)
  return fieldError("FieldValueInvalid", path + problem.path, shownRule(problem), detail, true)
}

/** The rule as Go prints its struct; only the text for the use of oldSelf, and only the flag for one that has no use. */
function shownRule({ path, given, message }: RuleProblem): Value {
  if (path.endsWith(".optionalOldSelf")) return own(given, "optionalOldSelf") ?? null
  return message.startsWith("oldSelf ") ? textAt(given, "rule") : goRule(given)
}
