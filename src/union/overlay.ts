// Overlay documents: unions for a schema that has none, or whose unions say less than is known.
//
//   types:
//   - name: io.k8s.api.apps.v1.DeploymentStrategy
//     unions:
//     - {discriminator: type, emptyValues: [Recreate],
//        fields: [{fieldName: rollingUpdate, discriminatorValue: RollingUpdate, optional: true}]}
//
// A schema document can spell only what upstream reads, and not the rest of UnionDef. An overlay is a document of its own, for any
// schema that has the types that it names. The unions that it gives for a type replace all those of the type.
import { type Draft, Immer } from "immer"
import { formatIssues, type Issue, SchemaError, ValidationError } from "../errors.js"
import { fieldElement, indexElement } from "../fieldpath/create-element.js"
import type { PathElement } from "../fieldpath/element.js"
import { requireTypes } from "../schema/check.js"
import { itemMember, memberName } from "../schema/item-member.js"
import { isEmptyRef } from "../schema/resolve.js"
import type { Atom, MapAtom, Schema, StructField, TypeRef } from "../schema/schema.js"
import type { UnionDef, UnionOverlay } from "../schema/union.js"
import { fieldsOf, unionProblems } from "../schema/union-problems.js"
import { checkDocument } from "../typed/parser.js"
import { Issues } from "../typed/walk.js"
import { requireOptions } from "../value/argument.js"
import { maxDepth } from "../value/depth.js"
import { own } from "../value/object.js"
import { isList, isMap, type Value } from "../value/value.js"

/** Options for applying an overlay to a schema. */
export interface OverlayOptions {
  /** Whether types that the schema does not have are an error or ignored; `error` if absent. */
  readonly missingTypes?: "error" | "ignore" | undefined
}

const immer = new Immer({ autoFreeze: false })

/**
 * Returns the overlay that a document describes, in the form that a YAML or JSON reader returns it. An empty document, which is null, gives
 * an overlay without types. Throws a SchemaError with every unknown key, every missing name, and every value that is null or of the wrong
 * kind. `applyUnionOverlay` checks whether the overlay fits a schema.
 */
export function parseUnionOverlay(document: Value): UnionOverlay {
  checkDocument(document, overlaySchema, "overlay", what)
  if (document === null) return { types: [] }
  const issues = new Issues()
  findGaps(issues, document)
  if (issues.count > 0) {
    const cause = new ValidationError(issues.toArray())
    throw new SchemaError(`unable to validate ${what}: ${cause.message}`, { cause })
  }
  return { types: (document as unknown as Partial<UnionOverlay>).types ?? [] }
}
const what = "union overlay"

/** The key that every item of these lists must have. */
const required: ReadonlyMap<string, string> = new Map([
  ["types", "name"],
  ["fields", "fieldName"],
])

/** Adds an issue for every null in the document, and for every item of a list that lacks the key `name`. */
function findGaps(issues: Issues, node: Value, name?: string): void {
  if (node === null) issues.add("must not be null")
  else if (isList(node)) node.forEach((item, i) => findGapsAt(issues, indexElement(i), item, name))
  else if (isMap(node)) {
    if (name !== undefined && own(node, name) === undefined) issues.add(`${name} is missing`)
    for (const key in node) findGapsAt(issues, fieldElement(key), own(node, key) as Value, required.get(key))
  }
}

function findGapsAt(issues: Issues, element: PathElement, value: Value, name: string | undefined): void {
  const before = issues.count
  findGaps(issues, value, name)
  if (issues.count > before) issues.prefix(element, before)
}

/**
 * Returns `schema` with the unions of the overlay. Neither is changed, and types that the overlay does not name are shared. An empty list
 * of unions removes those of the schema. Throws a SchemaError with the type, union and field of every problem: fields that do not exist,
 * unions that overlap, values that select two members, discriminators that are not strings.
 *
 * @example
 * ```ts
 * import { compileSchema, parseSchema, TypedValue } from "structured-merge-diff"
 * import { applyUnionOverlay, normalizeUnionsApply } from "structured-merge-diff/unions"
 *
 * const fields = ["circle", "square"].map(name => ({ name, type: { scalar: "numeric" } }))
 * const schema = parseSchema({
 *   types: [{ name: "shape", map: { fields } }],
 * })
 * const unions = [{ fields: [{ fieldName: "circle" }, { fieldName: "square" }] }]
 * const types = compileSchema(applyUnionOverlay(schema, { types: [{ name: "shape", unions }] }))
 *
 * const type = types.type("shape")
 * const applied = TypedValue.of({ square: 2 }, type)
 * const merged = TypedValue.of({ circle: 1 }, type).merge(applied)
 * console.log(JSON.stringify(normalizeUnionsApply(applied, merged).object.value))
 * // {"square":2}
 * ```
 */
export function applyUnionOverlay(schema: Schema, overlay: UnionOverlay | Value, options: OverlayOptions = {}): Schema {
  requireTypes(schema)
  requireOptions("options", options)
  const { types } = parseUnionOverlay(overlay as Value)
  const issues: Issue[] = []
  const result = immer.produce(schema, draft => {
    for (const { name, at = [], unions } of types) {
      const type = draft.types[schema.types.findIndex(candidate => candidate.name === name)]
      const path = [name, ...at].join(".")
      if (type === undefined) {
        if (options.missingTypes !== "ignore") issues.push({ path, message: "the schema has no such type" })
        continue
      }
      const map = structAt(type, at)
      if (typeof map === "string") issues.push({ path, message: map })
      else {
        const problems = checkUnions(schema, map, unions ?? [])
        for (const message of problems) issues.push({ path, message })
        if (problems.length === 0) map.unions = (unions ?? []) as Draft<UnionDef>[]
      }
    }
  })
  if (issues.length > 0) throw new SchemaError(`union overlay does not fit the schema: ${formatIssues(issues)}`)
  return result
}

/** Returns the struct at `at`, for editing, or the reason why there is no such struct. */
function structAt(type: Draft<Atom>, at: readonly string[]): Draft<MapAtom> | string {
  if (at.length > maxDepth) return `schemas nest at most ${maxDepth} levels`
  let atom = type
  for (const step of at) {
    const ref: Draft<TypeRef> | undefined =
      step === "*"
        ? (atom.list?.elementType ?? atom.map?.elementType)
        : atom.map?.fields?.find(field => field.name === step)?.type
    if (ref === undefined) return `there is nothing at ${step}`
    if (typeof ref.namedType === "string") return `${step} has a type of its own, ${ref.namedType}: name that one`
    atom = ref
  }
  return atom.map ?? "only a struct has unions"
}

/** The problems of a struct's unions. */
function checkUnions(schema: Schema, map: MapAtom, unions: readonly UnionDef[]): string[] {
  const problems: string[] = []
  const seen = new Map<string, string>()
  const definitions = new Map<string, TypeRef>(schema.types.map(type => [type.name, type]))
  unions.forEach((union, index) => {
    const label = `union ${union.name ?? union.discriminator ?? `#${index + 1}`}`
    const report = (message: string) => problems.push(`${label}: ${message}`)
    for (const message of unionProblems(union)) report(message)
    for (const member of union.fields ?? []) {
      const found = member.item === undefined ? undefined : itemMember(definitions, map, member)
      if (typeof found === "string") report(found)
    }
    const items = new Set((union.fields ?? []).filter(({ item }) => item !== undefined).map(memberName))
    for (const name of fieldsOf(union)) {
      const other = seen.get(name)
      if (other !== undefined) report(`field ${name} is already in ${other === label ? "it" : other}`)
      seen.set(name, label)
      if (items.has(name)) continue
      const field = map.fields?.find(candidate => candidate.name === name)
      if (field === undefined && isEmptyRef(map.elementType ?? {})) report(`the type has no field ${name}`)
      if (name === union.discriminator && !isString(schema, field, map)) {
        report(`discriminator ${name} is not a string`)
      }
    }
  })
  return problems
}

/** Whether the field may hold a string. True for a field that does not exist, since that is reported elsewhere. */
function isString(schema: Schema, field: StructField | undefined, map: MapAtom): boolean {
  const ref = field?.type ?? map.elementType ?? {}
  const atom: Atom | undefined =
    typeof ref.namedType === "string" ? schema.types.find(type => type.name === ref.namedType) : ref
  const scalar = atom?.scalar
  return scalar === "string" || scalar === "untyped" || (field === undefined && isEmptyRef(map.elementType ?? {}))
}

const string: TypeRef = { scalar: "string" }
const boolean: TypeRef = { scalar: "boolean" }

function list(elementType: TypeRef): TypeRef {
  return { list: { elementType, elementRelationship: "atomic" } }
}

function struct(types: Record<string, TypeRef>): MapAtom {
  return { fields: Object.entries(types).map(([name, type]) => ({ name, type })) }
}

/** The schema of overlay documents. */
const overlaySchema: Schema = {
  types: [
    { name: "overlay", map: struct({ types: list({ namedType: "type" }) }) },
    { name: "type", map: struct({ name: string, at: list(string), unions: list({ namedType: "union" }) }) },
    {
      name: "union",
      map: struct({
        name: string,
        discriminator: string,
        deduceInvalidDiscriminator: boolean,
        discriminatorRequired: boolean,
        fields: list({ namedType: "member" }),
        emptyValues: list(string),
        noneValue: string,
        values: list(string),
        cardinality: string,
      }),
    },
    {
      name: "member",
      map: struct({
        fieldName: string,
        item: { map: { elementType: { scalar: "untyped" } } },
        discriminatorValue: string,
        optional: boolean,
        zeroIsUnset: boolean,
        emptyIsSet: boolean,
      }),
    },
  ],
}
