import { invalidValue, SchemaError } from "../../errors.js"
import {
  formatApiVersion,
  formatKind,
  type GroupVersionKind,
  kindOf,
  type ObjectKind,
} from "../../schema/group-version-kind.js"
import type { Schema } from "../../schema/schema.js"
import { withOfferedUnions } from "../../schema/unions-on-request.js"
import { deducedName } from "../../schema/untyped.js"
import { deducedSchema } from "../../typed/deduced.js"
import { compileSchema, type Type } from "../../typed/type.js"
import { TypedValue, type ValidationOptions } from "../../typed/typed-value.js"
import { type UnionPolicy, type UnionPolicyName, unionPolicy } from "../../union/policy.js"
import { own, put } from "../../value/object.js"
import { Table } from "../../value/table.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"

/** The source of the types of objects. A `TypeConverter` of the openapi entry is one. */
export interface TypeFinder {
  /**
   * Returns the type of a kind; undefined if it has none. Must return the same schema object every time, since schemas are compiled once
   * for each object.
   */
  find(apiVersion: string, kind: string): FoundKind | undefined
}

/** The facts that a TypeFinder returns about a kind. */
export interface FoundKind {
  /** The schema that has the type. It is compiled once for each schema object, and must not change. */
  readonly schema: Schema
  /** The name of the type in the schema. */
  readonly typeName: string
  /**
   * The object that replaces the live one before an object exists: creating it, and its first apply, start from here. By default this is an
   * object with only apiVersion and kind, as for custom resources. An API server starts built-in kinds from the zero value of a Go struct,
   * such as `{spec: {containers: null}, status: {}}`; `kubernetesTypes` has these. It must fit the type; apiVersion and kind may be left
   * out.
   */
  readonly emptyObject?: MapValue | undefined
}

/** Types for objects without a schema: every kind has the deduced type, whose maps are granular and whose lists are atomic. */
export const deducedTypes: TypeFinder = {
  find: () => ({ schema: deducedSchema, typeName: deducedName }),
}

/**
 * Returns the types that a request works with. If the user named a policy that settles unions, types get the unions that are offered for
 * their schema, as built-in kinds have them; `policy` is undefined if the user named none.
 */
export function typesUnder(types: TypeFinder, policy: UnionPolicyName | UnionPolicy | undefined): TypeFinder {
  if (policy === undefined || !unionPolicy(policy).enabled) return types
  return {
    find(apiVersion, kind) {
      const found = types.find(apiVersion, kind)
      return found && { ...found, schema: withOfferedUnions(found.schema) }
    },
  }
}

/** Thrown if a kind has no type: its version does not exist (any more). */
export class NoTypeError extends SchemaError {
  /** @internal */
  constructor(kind: GroupVersionKind) {
    super(`no corresponding type for ${formatKind(kind)}`)
  }
}

/** Turns objects into typed values. Looks each kind up once, unless there are a great many kinds. */
export class ObjectTypes {
  private readonly finder: TypeFinder
  private readonly known = new Table<string, Type>()

  constructor(finder: TypeFinder) {
    this.finder = finder
  }

  /** Returns the object as an instance of the type that its apiVersion and kind name. Throws a NoTypeError or a ValidationError. */
  toTyped(object: Value, options?: ValidationOptions): TypedValue {
    if (!isMap(object)) throw invalidValue("failed to convert value to an object")
    return TypedValue.of(object, this.typeOf(object), options)
  }

  /** Returns the object that stands for one of this kind before it exists. Nothing in it is shared, so the caller may change it. */
  emptyObject({ apiVersion, kind }: ObjectKind): MapValue {
    const empty: Record<string, Value> = { apiVersion, kind }
    const given = this.finder.find(apiVersion, kind)?.emptyObject ?? {}
    for (const key in given) {
      if (key !== "apiVersion" && key !== "kind") put(empty, key, copyOf(own(given, key) as Value))
    }
    return empty
  }

  /** Whether the type of this kind was found before and is still cached. */
  isKnown(kind: GroupVersionKind): boolean {
    return this.known.get(formatKind(kind)) !== undefined
  }

  /** Returns the type of this kind; undefined if it has none. */
  find(kind: GroupVersionKind): Type | undefined {
    const id = formatKind(kind)
    const known = this.known.get(id)
    if (known !== undefined) return known
    const found = this.finder.find(formatApiVersion(kind), kind.kind)
    return found && this.known.add(id, compileSchema(found.schema).type(found.typeName))
  }

  /** Returns the type that the apiVersion and kind of the object name. Throws a NoTypeError if they have none. */
  typeOf(object: MapValue): Type {
    const kind = kindOf(object)
    const type = this.find(kind)
    if (type === undefined) throw new NoTypeError(kind)
    return type
  }
}

function copyOf(value: Value): Value {
  if (isList(value)) return value.map(copyOf)
  if (!isMap(value)) return value
  const copy: Record<string, Value> = {}
  for (const key in value) put(copy, key, copyOf(own(value, key) as Value))
  return copy
}
