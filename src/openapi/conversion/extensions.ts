// The common parts of both OpenAPI formats: primitive types, extensions of lists and maps, and kinds.
import type { Atom, ElementRelationship, Scalar, TypeDef } from "../../schema/schema.js"
import { isUntypedName, untypedTypes } from "../../schema/untyped.js"
import { type GoMapKeys, goPrint, goSyntax } from "../../value/format.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import type { Conversion } from "./conversion.js"
import type { KindEntry } from "./options.js"
import { sortTypes } from "./order.js"
import type { SchemaNode } from "./schema-node.js"

export const quantityName = "io.k8s.apimachinery.pkg.api.resource.Quantity"
export const rawExtensionName = "io.k8s.apimachinery.pkg.runtime.RawExtension"

/**
 * Returns the types in the order of a schema: sorted by name, then the two types that every schema has.
 *
 * If the document defines one of those two itself, its definition is dropped: upstream's lookup finds the last type of a name.
 */
export function finishTypes(conversion: Conversion, types: readonly TypeDef[]): TypeDef[] {
  const finished: TypeDef[] = []
  for (const type of types) {
    const { name } = type
    if (!isUntypedName(name)) finished.push(type)
    else
      conversion.warn(
        "reserved-name",
        `the name ${name} is taken by a type of every schema; the definition is not used`,
        "",
      )
  }
  sortTypes(finished)
  finished.push(...untypedTypes)
  return finished
}

const scalars = {
  numeric: { scalar: "numeric" },
  boolean: { scalar: "boolean" },
  string: { scalar: "string" },
  untyped: { scalar: "untyped" },
} satisfies Readonly<Record<Scalar, Atom>>

/** Returns the type of a primitive. All schemas share one object for each scalar, since most fields have these types. */
export function scalarAtom(type: string, format: string): Atom {
  if (type === "integer" || type === "number") return scalars.numeric
  if (type === "boolean") return scalars.boolean
  return type === "string" && (format === "" || format === "byte") ? scalars.string : scalars.untyped
}

export interface ListRelationship {
  readonly elementRelationship: ElementRelationship
  readonly keys: readonly string[]
}
const atomicList: ListRelationship = { elementRelationship: "atomic", keys: [] }
const setList: ListRelationship = { elementRelationship: "associative", keys: [] }

/** Returns how the list is owned: by `x-kubernetes-list-type`, else by the older patch strategy, else atomic. */
export function listRelationship(
  conversion: Conversion,
  { schema }: SchemaNode,
  depth: number,
  keys: GoMapKeys,
): ListRelationship {
  const type = schema["x-kubernetes-list-type"]
  if (type !== undefined) {
    if (type === "atomic") return atomicList
    if (type === "set") return setList
    if (type === "map") return keyedList(conversion, schema, depth, keys)
    conversion.report(depth, `unknown list type ${goPrint(type)}`)
    return atomicList
  }
  const strategy = schema["x-kubernetes-patch-strategy"]
  if (strategy === undefined || strategy === "retainKeys") return atomicList
  if (strategy !== "merge" && strategy !== "merge,retainKeys") {
    conversion.report(depth, `unknown patch strategy ${goPrint(strategy)}`)
    return atomicList
  }
  const mergeKey = schema["x-kubernetes-patch-merge-key"]
  if (mergeKey === undefined) return setList
  const key = conversion.literal(mergeKey)
  if (typeof key === "string") return { elementRelationship: "associative", keys: [key] }
  conversion.report(depth, `uninterpreted merge key: ${printTypedArgument(key, keys)}`)
  return setList
}

function keyedList(conversion: Conversion, schema: MapValue, depth: number, spelling: GoMapKeys): ListRelationship {
  const found = schema["x-kubernetes-list-map-keys"]
  if (found === undefined) {
    conversion.report(depth, "missing map keys")
    return setList
  }
  const keys = conversion.literal(found)
  if (isList(keys)) {
    return { elementRelationship: "associative", keys: keys.filter(key => typeof key === "string") }
  }
  conversion.report(depth, `uninterpreted map keys: ${printTypedArgument(keys, spelling)}`)
  return setList
}

/** Like `goSyntax`, for the argument of a print call, where null is printed without a type. */
export function printTypedArgument(value: Value, keys: GoMapKeys): string {
  return value === null ? "<nil>" : goSyntax(value, keys)
}

/** Returns the relationship that `x-kubernetes-map-type` declares; undefined if it is absent. */
export function mapRelationship(
  conversion: Conversion,
  node: SchemaNode,
  depth: number,
): ElementRelationship | undefined {
  const type = node.mapType
  if (type === undefined) return undefined
  if (type === "atomic") return "atomic"
  if (type === "granular") return "separable"
  conversion.report(depth, `unknown map type ${goPrint(type)}`)
  return undefined
}

/** Returns the kinds that a definition declares. Like upstream, ignores entries that are not three strings or have no kind. */
export function kindsOf(typeName: string, definition: Value): readonly KindEntry[] {
  const list = isMap(definition) ? definition["x-kubernetes-group-version-kind"] : undefined
  if (!isList(list)) return noKinds
  const kinds: KindEntry[] = []
  for (const entry of list) {
    if (!isMap(entry)) continue
    const { group, version, kind } = entry
    if (typeof group !== "string" || typeof version !== "string" || typeof kind !== "string" || kind === "") continue
    kinds.push({ group, version, kind, typeName })
  }
  return kinds
}

const noKinds: readonly KindEntry[] = []
