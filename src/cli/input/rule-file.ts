// Checks rule documents in files, and finds the positions of everything that does not belong in them.
import { anyOf, record, type Shape, shapeProblems } from "../../value/shape.js"
import { type Document, InputError } from "./document.js"

const text = anyOf("text")
const scalar = anyOf("scalar")

const rule = record(
  {
    tag: text,
    arg: scalar,
    args: { is: "map", of: scalar },
    value: scalar,
    get payload(): Shape {
      return rule
    },
  },
  ["tag"],
)
const rules: Shape = { is: "list", of: rule }
const constant = record({ name: text, value: text, rules }, ["name", "value"])
const fieldKeys = { name: text, json: text, type: text, default: anyOf("value"), rules }

function documentOf(field: Shape, typeKeys: Readonly<Record<string, Shape>>): Shape {
  const type = record({
    fields: { is: "list", of: field },
    rules,
    constants: { is: "list", of: constant },
    ...typeKeys,
  })
  return record({ package: text, types: { is: "map", of: type } }, ["types"])
}

const shapes = {
  /** Rules for the types of a schema: a RuleOverlay. */
  overlay: documentOf(record(fieldKeys, ["json"]), {}),
  /** Types as Go declares them, and their rules: a RuleDocument. */
  types: documentOf(record({ ...fieldKeys, embedded: anyOf("flag"), omitempty: anyOf("flag") }, ["name", "type"]), {
    type: text,
  }),
}

/** Throws an InputError with everything in the document that does not belong in rules of this form. */
export function requireRules(document: Document, form: keyof typeof shapes): void {
  const problems = shapeProblems(document.value, shapes[form])
  if (problems.length === 0) return
  throw new InputError(problems.map(({ steps, message }) => `${document.at(steps)}: ${message}`))
}
