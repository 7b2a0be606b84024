// Reads the keywords of JSON Schema that state which fields of an object may be set together: oneOf, anyOf, allOf, not and required, and
// enum for the text of a field.
import { isEmptyMap, own } from "../../../value/object.js"
import { isList, isMap, type Value } from "../../../value/value.js"
import { type Condition, Unreadable } from "./condition.js"

export type Junctor = "allOf" | "anyOf" | "oneOf" | "not"

/** Returns the condition that a junctor of a schema states. Throws Unreadable if it states anything else about the object. */
export function readJunctor(junctor: Junctor, value: Value): Condition {
  if (junctor === "not") return { kind: "not", part: readClause(value) }
  if (!isList(value)) throw new Unreadable(`${junctor} is not a list`)
  const parts = value.map(readClause)
  if (junctor === "allOf") return { kind: "and", parts }
  if (junctor === "anyOf") return { kind: "or", parts }
  const one: Condition = { kind: "literal", value: 1 }
  return { kind: "compare", operator: "==", left: { kind: "count", parts }, right: one }
}

/** Returns the condition of a schema inside a junctor. */
function readClause(clause: Value): Condition {
  if (!isMap(clause)) throw new Unreadable("a clause is not a schema")
  const parts: Condition[] = []
  for (const key in clause) {
    const value = own(clause, key) as Value // `key` is a key of `clause`
    switch (key) {
      case "required":
        parts.push(...readRequired(value))
        break
      case "properties":
        parts.push(...readProperties(value))
        break
      case "allOf":
      case "anyOf":
      case "oneOf":
      case "not":
        parts.push(readJunctor(key, value))
        break
      case "type":
      case "description":
      case "title":
        break
      default:
        throw new Unreadable(`a clause has \`${key}\``)
    }
  }
  return parts.length === 1 ? (parts[0] as Condition) : { kind: "and", parts }
}

function readRequired(value: Value): Condition[] {
  if (!isList(value)) throw new Unreadable("`required` is not a list")
  return value.map(field => {
    if (typeof field !== "string") throw new Unreadable("`required` has an item that is not a string")
    return { kind: "has", field }
  })
}

function readProperties(value: Value): Condition[] {
  if (!isMap(value)) throw new Unreadable("`properties` is not an object")
  return Object.keys(value).flatMap(field => {
    const schema = own(value, field) as Value // `field` is a key of `value`
    return isMap(schema) && isEmptyMap(schema) ? [] : readProperty(field, schema) // {} restricts nothing
  })
}

/** Returns the condition that a clause states about a field, if the field is set. */
function readProperty(field: string, schema: Value): Condition {
  const values = isMap(schema) ? own(schema, "enum") : undefined
  const other = isMap(schema) ? Object.keys(schema).find(key => key !== "enum") : undefined
  if (!isList(values) || other !== undefined) {
    const inner = other === "properties" || other === "required"
    throw new Unreadable(inner ? `a clause looks inside ${field}` : `a clause restricts ${field} by \`${other ?? ""}\``)
  }
  const left: Condition = { kind: "text", field }
  const parts = values.map((text): Condition => {
    if (typeof text !== "string") throw new Unreadable(`a clause compares ${field} with something other than a string`)
    return { kind: "compare", operator: "==", left, right: { kind: "literal", value: text } }
  })
  return { kind: "or", parts: [{ kind: "not", part: { kind: "has", field } }, ...parts] }
}

/** Whether the keyword states which fields are set, as a union would. */
export function mentionsFields(value: Value): boolean {
  if (isList(value)) return value.some(mentionsFields)
  if (!isMap(value)) return false
  if (isList(own(value, "required"))) return true
  return (["allOf", "anyOf", "oneOf", "not"] as const).some(key => mentionsFields(own(value, key) ?? null))
}
