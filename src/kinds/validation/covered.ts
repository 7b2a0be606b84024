// Finds the handwritten problems that declared rules report too. Only such problems are compared with those of rules.
import { originOf } from "../../validation/rules/formats.js"
import type { FieldErrorType } from "../../validation/rules/report.js"
import type { Rule, RuleType } from "../../validation/rules/rules.js"

/** The origins of the errors of rules of level `alpha`, by the path without indexes and keys, and the type: `spec.selector FieldValueRequired`. */
export type CoveredErrors = ReadonlyMap<string, string>

/** Returns the type and the origin of the errors of a rule, and the name of the field next to it if the errors are about that field. */
function errorOf({ tag, value, arg }: Rule): [type: FieldErrorType, origin: string, sibling?: string] | undefined {
  switch (tag) {
    case "required":
      return ["FieldValueRequired", ""]
    case "immutable":
    case "update":
      return ["FieldValueInvalid", tag]
    case "format":
      return ["FieldValueInvalid", originOf(String(value))]
    case "maxBytes":
      return ["FieldValueTooLong", tag]
    case "dependentRequired":
      return ["FieldValueRequired", tag, String(arg)]
    case "dependentForbidden":
      return ["FieldValueForbidden", tag, String(arg)]
    default:
      return undefined
  }
}

/** Returns the errors that the rules of level `alpha` can report about objects of the type. */
export function coveredErrors(types: Readonly<Record<string, RuleType>>, name: string): CoveredErrors {
  const found = new Map<string, string>()
  const add = (rules: readonly Rule[], parent: string, path: string) => {
    for (const { tag, payload } of rules) {
      if (tag !== "alpha" || payload === undefined) continue
      let [rule, place] = [payload, path]
      while (rule.tag === "eachVal" && rule.payload !== undefined) [rule, place] = [rule.payload, `${place}[]`]
      const [type, origin, sibling] = errorOf(rule) ?? []
      if (type !== undefined && origin !== undefined)
        found.set(errorKey(sibling === undefined ? place : below(parent, sibling), type), origin)
    }
  }
  const walk = (text: string, path: string, outer: readonly string[]) => {
    const inner = text.replace(/^(\*|\[\]|map\[[^\]]*\])+/, "")
    const steps = text.slice(0, text.length - inner.length).match(/\[/g)?.length ?? 0
    const place = path + "[]".repeat(steps)
    const type = Object.hasOwn(types, inner) ? types[inner] : undefined
    if (type === undefined || outer.includes(inner)) return
    add(type.rules ?? [], "", place)
    if (type.type !== undefined) walk(type.type, place, [...outer, inner])
    for (const field of type.fields ?? []) {
      const next = below(place, field.embedded === true ? "" : (field.json ?? field.name))
      add(field.rules ?? [], place, next)
      walk(field.type, next, [...outer, inner])
    }
  }
  walk(name, "", [])
  return found
}

/** Returns the key of an error in `CoveredErrors`. */
export function errorKey(path: string, type: string): string {
  return `${path.replace(/\[[^\]]*\]/g, "[]")} ${type}`
}

function below(path: string, name: string): string {
  return path === "" || name === "" ? path + name : `${path}.${name}`
}
