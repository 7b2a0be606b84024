// Conversion between the versions of an object: the caller's converter, made fit for the engine.
import { ParseError, StructuredMergeError } from "../../errors.js"
import type { Converter } from "../../merge/versions.js"
import { formatApiVersion, isApiVersion, kindOf, parseKind, textAt } from "../../schema/group-version-kind.js"
import type { TypedValue } from "../../typed/typed-value.js"
import { goTypeName } from "../../value/format.js"
import { keepLayout } from "../../value/layout.js"
import { put } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { NoTypeError, type ObjectTypes, type TypeFinder } from "./object-types.js"

/** Turns objects of one version into another. */
export interface ObjectConverter {
  /**
   * `object` at `apiVersion`, another one than its own, or undefined where there is no such version (any more): managers of it
   * are dropped. Throws a StructuredMergeError where the object can't be converted. Must not change `object`.
   */
  convert(object: MapValue, apiVersion: string): MapValue | undefined
}

/** The version that conversions go by way of, as the storage version of a custom resource; a function may choose by where from. */
export type Hub = string | ((fromApiVersion: string) => string)

/** What to do about versions that do not exist. */
export interface ChangeApiVersionOptions {
  /** Drops managers of versions that there are not (any more), as for built-in kinds, instead of refusing the request. */
  readonly dropMissing?: boolean
}

/**
 * A converter for kinds whose versions differ in nothing but the apiVersion, as many custom resources do. A version exists
 * where `types` has the kind. From and to other versions it throws, as that of an API server does: as long as a manager has an
 * entry of a version that its definition has lost, the object can't be applied to.
 */
export function changeApiVersion(types: TypeFinder, options: ChangeApiVersionOptions = {}): ObjectConverter {
  const { dropMissing = false } = options
  return {
    convert(object, apiVersion) {
      const gvk = kindOf(object)
      if (types.find(apiVersion, gvk.kind) === undefined) {
        if (dropMissing) return undefined
        throw invalidVersion("to", apiVersion)
      }
      const from = formatApiVersion(gvk)
      if (!dropMissing && types.find(from, gvk.kind) === undefined) throw invalidVersion("from", from)
      const converted: Record<string, Value> = { ...object }
      put(converted, "apiVersion", apiVersion)
      return converted
    },
  }
}

function invalidVersion(direction: "from" | "to", apiVersion: string): StructuredMergeError {
  return new StructuredMergeError(
    "invalid-value",
    `request to convert CR ${direction} an invalid group/version: ${apiVersion}`,
  )
}

/** Upstream's stand-in for a converter: every version of an object is the object. */
const unchanged: ObjectConverter = { convert: object => object }

/** Converts objects, and typed values for the engine. Made for one operation. */
export class VersionConverter implements Converter {
  static {
    keepLayout(new VersionConverter({} as ObjectTypes, new Set()))
  }

  /** The versions that were asked for and do not exist. */
  readonly missing: Set<string>
  private readonly types: ObjectTypes
  private readonly converter: ObjectConverter
  private readonly hub: Hub | undefined

  constructor(types: ObjectTypes, missing: Set<string>, converter: ObjectConverter = unchanged, hub?: Hub) {
    this.types = types
    this.missing = missing
    this.converter = converter
    this.hub = hub
  }

  /** The object at the version. Throws a NoTypeError where there is no such version. */
  toVersion(object: MapValue, apiVersion: string): MapValue {
    if (isAt(object, apiVersion)) return object
    const converted = this.converter.convert(object, apiVersion)
    if (converted === undefined) throw new NoTypeError({ ...parseKind(apiVersion, ""), kind: textAt(object, "kind") })
    return converted
  }

  /** Throws a ParseError for what is no version, which is another fault than a version that does not exist. */
  convert(object: TypedValue, apiVersion: string): TypedValue | undefined {
    const { value } = object
    if (!isApiVersion(apiVersion)) throw new ParseError(`unexpected GroupVersion string: ${apiVersion}`)
    // Pruning may have left nothing of the object.
    if (!isMap(value)) throw notAnObject(value)
    if (isAt(value, apiVersion)) return object
    try {
      return this.types.toTyped(this.convertByHub(value, apiVersion))
    } catch (error) {
      if (!(error instanceof NoTypeError)) throw error
      this.missing.add(apiVersion)
      return undefined
    }
  }

  private convertByHub(object: MapValue, apiVersion: string): MapValue {
    if (this.hub === undefined) return this.toVersion(object, apiVersion)
    const from = formatApiVersion(kindOf(object))
    const hub = typeof this.hub === "string" ? this.hub : this.hub(from)
    return this.toVersion(this.toVersion(object, hub), apiVersion)
  }
}

function notAnObject(value: Value): StructuredMergeError {
  return new StructuredMergeError(
    "invalid-value",
    `failed to convert value to unstructured for type ${goTypeName(value)}`,
  )
}

function isAt(object: MapValue, apiVersion: string): boolean {
  const { group, version } = parseKind(apiVersion, "")
  const own = kindOf(object)
  return own.group === group && own.version === version
}
