// Requests on typed values: a schema, one or two objects of it, and often a set derived from them.
import { type Json, yamlSafeJsonText } from "./json.js"
import type { Random } from "./random.js"
import type { Layer, Request } from "./requests.js"
import { changedSchema } from "./schema-changes.js"
import { brokenSchemaText, randomSchema, Schema, type TypeRef, UNTYPED } from "./schemas.js"
import { editedSet, randomPath, type SetNode, setOfPaths, spellSet } from "./sets.js"
import { pathsOf, ValueMaker } from "./values.js"
import { yamlText } from "./yaml.js"

export const typedRequests: Layer = {
  parseSchema: { weight: 5, make: parseSchema },
  validate: { weight: 25, make: random => oneValue(random, "validate", 0.06) },
  parse: { weight: 15, make: random => oneValue(random, "parse", 0.03) },
  toFieldSet: { weight: 25, make: random => oneValue(random, "toFieldSet", 0.01) },
  merge: { weight: 50, make: random => twoValues(random, "merge") },
  compare: { weight: 50, make: random => twoValues(random, "compare") },
  removeItems: { weight: 35, make: random => valueAndSet(random, "removeItems") },
  extractItems: { weight: 35, make: random => valueAndSet(random, "extractItems") },
  reconcileFieldSetWithSchema: { weight: 35, make: reconcile },
  ensureNamedFieldsAreMembers: { weight: 15, make: ensureNamedFields },
}

/** A schema with the reference to the objects' type, and the members of the request that name both. */
interface Subject {
  readonly schema: Schema
  readonly ref: TypeRef
  readonly fields: { [field: string]: Json }
}

function randomSubject(random: Random): Subject {
  if (random.chance(0.1)) {
    const ref = { namedType: "__untyped_deduced_" }
    return { schema: DEDUCED, ref, fields: { deduced: true } }
  }
  const schema = randomSchema(random, { root: "root" })
  if (random.chance(0.06)) {
    const ref: TypeRef = random.chance(0.5)
      ? { list: { elementType: { namedType: "root" }, elementRelationship: "atomic" } }
      : { namedType: "root", elementRelationship: random.pick(["atomic", "separable"]) }
    const inline = ref as unknown as Json
    return {
      schema,
      ref,
      fields: { schema: schema.text(), typeRef: random.chance(0.5) ? inline : yamlSafeJsonText(inline) },
    }
  }
  const type = random.chance(0.1) ? random.pick(schema.types).name : "root"
  return { schema, ref: { namedType: type }, fields: { schema: schema.text(), type } }
}
const DEDUCED = new Schema(UNTYPED)

function makerOf(random: Random, subject: Subject, mistakes: number): ValueMaker {
  return new ValueMaker(random, subject.schema, { mistakes, duplicates: random.chance(0.3) ? 0.25 : 0.01 })
}

// Writes an operand as JSON, or as YAML with the same value.
function operand(random: Random, name: string, value: Json): { [field: string]: Json } {
  return random.chance(0.08) ? { [`${name}YAML`]: yamlText(random, value) } : { [name]: value }
}

function parseSchema(random: Random): Request {
  const schema = randomSchema(random, { root: "root", unions: 0.3 })
  return { op: "parseSchema", schema: random.chance(0.5) ? brokenSchemaText(random, schema) : schema.text() }
}

function oneValue(random: Random, op: string, mistakes: number): Request {
  const subject = randomSubject(random)
  const value = makerOf(random, subject, random.chance(0.5) ? mistakes : 0).value(subject.ref)
  return { op, ...subject.fields, ...operand(random, "value", value), ...flags(random, "allowDuplicates", 0.4) }
}

function twoValues(random: Random, op: string): Request {
  const subject = randomSubject(random)
  const maker = makerOf(random, subject, random.chance(0.1) ? 0.03 : 0)
  const lhs = maker.value(subject.ref)
  const rhs = random.chance(0.85) ? maker.edit(subject.ref, lhs) : maker.value(subject.ref)
  return {
    op,
    ...subject.fields,
    ...operand(random, "lhs", lhs),
    ...operand(random, "rhs", rhs),
    ...flags(random, "allowDuplicates", 0.3),
    ...flags(random, "lhsAllowDuplicates", 0.3),
    ...flags(random, "rhsAllowDuplicates", 0.2),
    ...flags(random, "unvalidated", 0.02),
  }
}

function valueAndSet(random: Random, op: string): Request {
  const subject = randomSubject(random)
  const value = makerOf(random, subject, random.chance(0.1) ? 0.03 : 0).value(subject.ref)
  const appendKeyFields = op === "extractItems" ? flags(random, "appendKeyFields", 0.5) : {}
  return {
    op,
    ...subject.fields,
    ...operand(random, "value", value),
    set: spellSet(random, setWithin(random, subject.schema, subject.ref, value)),
    ...appendKeyFields,
    ...flags(random, "allowDuplicates", 0.4),
  }
}

// The set was written with a different schema than the value's.
function reconcile(random: Random): Request {
  const subject = randomSubject(random)
  const maker = makerOf(random, subject, 0)
  const value = maker.value(subject.ref)
  const before = random.chance(0.85) ? changedSchema(random, subject.schema) : subject.schema
  const owned = random.chance(0.7) ? value : maker.edit(subject.ref, value)
  return {
    op: "reconcileFieldSetWithSchema",
    ...subject.fields,
    ...operand(random, "value", value),
    set: spellSet(random, setWithin(random, before, subject.ref, owned)),
    ...flags(random, "allowDuplicates", 0.4),
  }
}

function ensureNamedFields(random: Random): Request {
  const subject = randomSubject(random)
  const value = makerOf(random, subject, 0).value(subject.ref)
  const set = setWithin(random, subject.schema, subject.ref, value)
  return { op: "ensureNamedFieldsAreMembers", ...subject.fields, set: spellSet(random, set) }
}

/** Returns some of the value's paths, and sometimes a path that it lacks. */
export function setWithin(random: Random, schema: Schema, ref: TypeRef, value: Json): SetNode {
  const share = random.pick([0.15, 0.4, 0.7, 1])
  const paths = pathsOf(schema, ref, value).filter(() => random.chance(share))
  if (random.chance(0.2)) paths.push(randomPath(random, 3))
  if (paths.length > 0 && random.chance(0.15)) paths.push([...random.pick(paths), ...randomPath(random, 1)])
  const set = setOfPaths(paths)
  return random.chance(0.15) ? editedSet(random, set) : set
}

function flags(random: Random, name: string, share: number): { [field: string]: Json } {
  return random.chance(share) ? { [name]: true } : {}
}
