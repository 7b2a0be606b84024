// Unions in OpenAPI. Kubernetes publishes them as a list on the object; the last revision of its proposal (KEP-1027) puts them on
// the discriminator instead, as a map in the other direction:
//
//   x-kubernetes-unions: [{discriminator: type, fields-to-discriminateBy: {localhostProfile: LocalhostProfile}}]
//   properties: {type: {x-kubernetes-unions: {fieldMembers: {Localhost: {name: localhostProfile}, RuntimeDefault: null}}}}
//
// The first form is generated from Go names, so its value may be one that the discriminator can't have, as here. Such a union
// would refuse good objects and clear good fields; problems.ts finds it by the discriminator's enum, or by a table.
//
// Both forms are read together with the discriminator's `enum`, which lists its values, and with whether it is `required`. The second
// form also marks members that may be absent. Keys of an overlay under `union` add facts that neither form can express (write-unions.ts).
import type { UnionDef, UnionMember } from "../../schema/union.js"
import { repeatedField } from "../../schema/union-problems.js"
import { compareStrings } from "../../value/compare.js"
import { isEmptyMap, own } from "../../value/object.js"
import { formatPointer } from "../../value/pointer.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import type { Conversion } from "../conversion/conversion.js"
import { printTypedArgument } from "../conversion/extensions.js"
import { enumOf, isRequired } from "../conversion/property.js"
import type { SchemaNode } from "../conversion/schema-node.js"
import { type DeclaredForm, leaveOut, mendUnion, repairs, reportUnknownKeys } from "./problems.js"
import { recognizedUnions } from "./validation-unions.js"
import { correctUnion, readList } from "./write-unions.js"

const extension = "x-kubernetes-unions"
/** The keys that have the members in the list form, by field; the last two spellings are older. */
const memberKeys = ["fields-to-discriminateBy", "fields-to-discriminator-value", "fields-discriminated"] as const
const overlayKeys = "and union (other keys of an overlay)"
const listForm: DeclaredForm = {
  keys: ["discriminator", ...memberKeys, "union"],
  meaning: `the list form has discriminator, fields-to-discriminateBy (a map from members to values) ${overlayKeys}`,
}
const discriminatorForm: DeclaredForm = {
  keys: ["fieldMembers", "union"],
  meaning: `the form at a discriminator has fieldMembers ${overlayKeys}`,
}
const memberForm: DeclaredForm = { keys: ["name", "optional"], meaning: "a member has name and optional" }

/**
 * Returns the unions of an object schema as they are published: the list form before the discriminator form. Undefined if it has no unions, or
 * if a problem was reported.
 */
export function unionsOf(conversion: Conversion, node: SchemaNode, depth: number): readonly UnionDef[] | undefined {
  const { unionMode, issues } = conversion
  if (unionMode === "off" || (unionMode === "upstream" && node.unions === undefined)) return undefined
  const fields = isMap(node.properties) ? node.properties : {}
  const reported = issues.length
  const found = listedUnions(conversion, node, depth)
  if (unionMode !== "upstream") addMemberUnions(conversion, node, depth, found)
  if (issues.length === reported) checkOverlap(conversion, found, depth)
  if (issues.length > reported) {
    if (conversion.leavesOutBadUnions) for (const { message } of issues.splice(reported)) leaveOut(conversion, message)
    return undefined
  }
  const kept = found.map(union => mendUnion(conversion, union, fields)).filter(union => union !== undefined)
  if (unionMode === "from-validation") kept.push(...recognizedUnions(conversion, node.schema, found))
  return kept.length === 0 ? undefined : kept.map(union => withDeduce(conversion, union))
}

function withDeduce(conversion: Conversion, union: UnionDef): UnionDef {
  const { deduce } = conversion
  if (union.discriminator === undefined || deduce === "never") return union
  if (deduce !== "always" && !deduce(conversion.typeName, union)) return union
  const { discriminator, ...rest } = union
  return { discriminator, deduceInvalidDiscriminator: true, ...rest }
}

function listedUnions(conversion: Conversion, node: SchemaNode, depth: number): UnionDef[] {
  const unions: UnionDef[] = []
  const { unions: found } = node
  if (found === undefined) return unions
  const list = conversion.unionMode === "upstream" ? conversion.literal(found) : found
  if (!isList(list)) {
    // Go: prints the result of the failed type assertion, not the value found.
    conversion.report(depth, `"${extension}" should be a list, got []interface {}(nil)`)
    return unions
  }
  for (const [index, item] of list.entries()) {
    if (!isMap(item)) {
      conversion.report(
        depth,
        `"${extension}" items should be a map of string to unions, got ${printTypedArgument(item, anyKeys)}`,
      )
      return unions
    }
    const union = listedUnion(conversion, item, node, depth)
    if (union === undefined) return unions
    if (conversion.unionMode !== "upstream") {
      const name = `${extension}[${index}]`
      reportUnknownKeys(conversion, item, listForm, name, [extension, String(index)])
      if (!hasMembers(item)) {
        leaveOut(conversion, `${name}: no members`)
        continue
      }
    }
    unions.push(union)
  }
  return unions
}
const anyKeys = "interface {}"

function listedUnion(
  conversion: Conversion,
  item: MapValue,
  { properties, schema }: SchemaNode,
  depth: number,
): UnionDef | undefined {
  const discriminator = own(item, "discriminator")
  if (discriminator !== undefined && typeof discriminator !== "string") {
    conversion.report(depth, `"discriminator" must be a string, got: ${printTypedArgument(discriminator, anyKeys)}`)
    return undefined
  }
  const key =
    conversion.unionMode === "upstream" ? memberKeys[0] : memberKeys.find(name => own(item, name) !== undefined)
  const members = own(item, key ?? memberKeys[0])
  if (members !== undefined && !isMap(members)) {
    conversion.report(depth, `"${key}" must be a map[string]string, got: ${printTypedArgument(members, anyKeys)}`)
    return undefined
  }
  const fields = members === undefined ? [] : listedMembers(conversion, members, key ?? memberKeys[0], depth)
  if (fields === undefined) return undefined
  if (conversion.unionMode === "upstream") return makeUnion(discriminator, fields)
  const listed = readList(discriminator, members ?? {})
  const property = discriminator !== undefined && isMap(properties) ? own(properties, discriminator) : undefined
  const required = discriminator !== undefined && isRequired(schema, discriminator)
  const read = withLimits(listed, enumOf(property, conversion.definitions), required, repairs.get(conversion.typeName))
  const union = correctUnion(read, own(item, "union"))
  if (typeof union === "string") conversion.report(depth, `"${extension}": ${union}`)
  return typeof union === "string" ? undefined : union
}

function listedMembers(
  conversion: Conversion,
  members: MapValue,
  key: string,
  depth: number,
): UnionMember[] | undefined {
  const fields: UnionMember[] = []
  const values = new Set<string>()
  for (const fieldName of Object.keys(members).sort(compareStrings)) {
    const value = own(members, fieldName) as Value // `fieldName` is a key of `members`
    if (typeof value !== "string") {
      conversion.report(
        depth,
        `"${key}"/${fieldName}: value must be a string, got: ${printTypedArgument(value, anyKeys)}`,
      )
      return undefined
    }
    if (values.has(value)) {
      conversion.report(depth, `Multiple fields have the same discriminated name: ${value}`)
      return undefined
    }
    values.add(value)
    fields.push({ fieldName, discriminatorValue: value })
  }
  return fields
}

function makeUnion(discriminator: string | undefined, fields: readonly UnionMember[]): UnionDef {
  return { ...(discriminator === undefined ? {} : { discriminator }), ...(fields.length === 0 ? {} : { fields }) }
}

/** Adds the unions that discriminators declare. If a union is also in the list, both declarations must agree. */
function addMemberUnions(
  conversion: Conversion,
  { properties, schema }: SchemaNode,
  depth: number,
  found: UnionDef[],
): void {
  if (!isMap(properties)) return
  reportMisplaced(conversion, properties)
  for (const discriminator of discriminatorsOf(properties)) {
    const property = own(properties, discriminator) as MapValue // `discriminatorsOf` returns only properties with a declaration
    const declaration = own(property, extension) as MapValue
    const declared = memberUnion(conversion, discriminator, declaration, depth)
    if (declared === undefined) return
    const limits = limitsOf(declared, enumOf(property, conversion.definitions), isRequired(schema, discriminator))
    const union = correctUnion({ ...declared, ...limits }, own(declaration, "union"))
    if (typeof union === "string") {
      conversion.report(depth, `"${extension}" of property ${discriminator}: ${union}`)
      return
    }
    const name = `${extension} of property ${discriminator}`
    reportUnknownKeysOf(conversion, discriminator, declaration, name)
    const at = found.findIndex(listed => listed.discriminator === discriminator)
    if (!hasMembers(declaration)) leaveOut(conversion, `${name}: no members`)
    else if (at < 0) found.push(union)
    else if (sameMembers(found[at]?.fields ?? [], union.fields ?? [])) found[at] = union
    else {
      conversion.report(
        depth,
        `"${extension}" of the object and of its property ${discriminator} disagree; keep one of them`,
      )
    }
  }
}

function reportUnknownKeysOf(conversion: Conversion, discriminator: string, declaration: MapValue, name: string): void {
  const steps = ["properties", discriminator, extension]
  reportUnknownKeys(conversion, declaration, discriminatorForm, name, steps)
  const members = own(declaration, "fieldMembers") as MapValue // `memberUnion` has read it
  for (const value of Object.keys(members)) {
    const member = own(members, value) ?? null
    if (isMap(member)) {
      reportUnknownKeys(conversion, member, memberForm, `${name}, value ${value}`, [...steps, "fieldMembers", value])
    }
  }
}

/** Whether the declaration has members, or something in `union` that may be in their place. */
function hasMembers(declaration: MapValue): boolean {
  return [...memberKeys, "fieldMembers", "union"].some(key => {
    const found = own(declaration, key) ?? null
    return isMap(found) && !isEmptyMap(found)
  })
}

/** Adds a diagnostic for each property that has the list form without being an object, so nothing reads it. */
function reportMisplaced(conversion: Conversion, properties: MapValue): void {
  for (const name in properties) {
    const property = own(properties, name) ?? null
    if (!isMap(property) || !isList(own(property, extension) ?? null) || own(property, "type") === "object") continue
    const path = conversion.pointer() + formatPointer(["properties", name, extension])
    const message = `${extension} of property ${name}: a list belongs on the object that has the members; left out`
    conversion.warn("wrong-union", message, path)
  }
}

function discriminatorsOf(properties: MapValue): string[] {
  const names: string[] = []
  for (const name in properties) {
    const property = properties[name]
    if (isMap(property) && isMap(own(property, extension))) names.push(name)
  }
  return names.sort(compareStrings)
}

function memberUnion(
  conversion: Conversion,
  discriminator: string,
  declaration: MapValue,
  depth: number,
): UnionDef | undefined {
  const bad = (what: string) => {
    conversion.report(depth, `"${extension}" of property ${discriminator}: ${what}`)
    return undefined
  }
  const members = own(declaration, "fieldMembers")
  if (!isMap(members)) return bad('"fieldMembers" must be a map from values to {name, optional} or null')
  return readMembers(discriminator, members, bad)
}

/** Returns the union that a map from values to fields declares. For a malformed map, returns the result of `bad`. */
export function readMembers<T>(discriminator: string, members: MapValue, bad: (what: string) => T): UnionDef | T {
  const fields: UnionMember[] = []
  const emptyValues: string[] = []
  for (const discriminatorValue of Object.keys(members)) {
    const member = own(members, discriminatorValue) as Value // `discriminatorValue` is a key of `members`
    // This value selects no field.
    if (member === null || (isMap(member) && isEmptyMap(member))) {
      emptyValues.push(discriminatorValue)
      continue
    }
    const name = isMap(member) ? own(member, "name") : undefined
    if (typeof name !== "string" || name === "") return bad(`value ${discriminatorValue} needs the name of its field`)
    const optional = isMap(member) ? own(member, "optional") : undefined
    if (optional !== undefined && typeof optional !== "boolean") {
      return bad(`optional of value ${discriminatorValue} must be true or false`)
    }
    fields.push({ fieldName: name, discriminatorValue, ...(optional === true && { optional }) })
  }
  const named = emptyValues.filter(value => value !== "").sort(compareStrings)
  return {
    ...makeUnion(
      discriminator,
      fields.sort((a, b) => compareStrings(a.fieldName, b.fieldName)),
    ),
    ...(named.length > 0 && { emptyValues: named }),
    ...(named.length < emptyValues.length && { noneValue: "" }),
  }
}

/**
 * Returns the values that the discriminator may have, and whether a member is required. Without an enum, the values are those of the union.
 * A required discriminator must select a member, unless one of its values stands for no member.
 */
export function limitsOf(
  { fields = [], emptyValues = [], noneValue }: UnionDef,
  listed: readonly Value[] | undefined,
  required: boolean,
): Pick<UnionDef, "values" | "cardinality" | "discriminatorRequired"> {
  const declared = [...fields.map(({ discriminatorValue = "" }) => discriminatorValue), ...emptyValues]
  if (noneValue !== undefined) declared.push(noneValue)
  const values = listed === undefined ? declared : listed.filter(value => typeof value === "string")
  if (!required) return { values }
  return values.includes("") ? { values, discriminatorRequired: true } : { values, cardinality: "exactlyOne" }
}

/**
 * Returns the union of a list form with the constraints of its discriminator. Values of the enum that belong to no member select nothing.
 * `right` has the right values of members whose published values are wrong.
 */
export function withLimits(
  union: UnionDef,
  listed: readonly Value[] | undefined,
  required: boolean,
  right?: ReadonlyMap<string, string>,
): UnionDef {
  // The form does not list values without a member, so without an enum the discriminator may have any value.
  if (listed === undefined) return required ? { ...union, cardinality: "exactlyOne" } : union
  const selecting = (union.fields ?? []).map(({ fieldName, discriminatorValue }) => {
    return right?.get(fieldName) ?? discriminatorValue
  })
  const others = listed.filter(value => typeof value === "string").filter(value => !selecting.includes(value))
  const emptyValues = others.filter(value => value !== "").sort(compareStrings)
  return {
    ...union,
    ...(emptyValues.length > 0 && { emptyValues }),
    ...(others.includes("") && { noneValue: "" }),
    ...limitsOf(union, listed, required),
  }
}

function sameMembers(a: readonly UnionMember[], b: readonly UnionMember[]): boolean {
  const same = (x: UnionMember, y: UnionMember | undefined) =>
    x.fieldName === y?.fieldName && x.discriminatorValue === y.discriminatorValue
  return a.length === b.length && a.every((field, index) => same(field, b[index]))
}

function checkOverlap(conversion: Conversion, unions: readonly UnionDef[], depth: number): void {
  const repeated = repeatedField(unions)
  if (repeated !== undefined) conversion.report(depth, `${repeated} field appears multiple times in unions`)
}
