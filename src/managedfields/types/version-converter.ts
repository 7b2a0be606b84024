// Conversion between the versions of an object: adapts the caller's converter to the engine.
import { invalidValue, ParseError, type ValidationError } from "../../errors.js"
import type { Converter } from "../../merge/versions.js"
import { formatApiVersion, isApiVersion, kindOf, parseKind, textAt } from "../../schema/group-version-kind.js"
import type { TypedValue } from "../../typed/typed-value.js"
import { requireOptions } from "../../value/argument.js"
import { goTypeName } from "../../value/format.js"
import { keepLayout } from "../../value/layout.js"
import { put } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { NoTypeError, type ObjectTypes, type TypeFinder } from "./object-types.js"

/** Converts objects from one version to another. */
export interface ObjectConverter {
  /**
   * Returns `object` at `apiVersion`, which is not its own, or undefined if there is no such version (any more): managers of that
   * version are dropped. Throws a StructuredMergeError if the object can't be converted. Must not change `object`.
   */
  convert(object: MapValue, apiVersion: string): MapValue | undefined
}

/**
 * The version by way of which objects are converted, such as the storage version of a custom resource. A function may choose it
 * by the version that the object has.
 */
export type Hub = string | ((fromApiVersion: string) => string)

/** What `changeApiVersion` does about versions that do not exist. */
export interface ChangeApiVersionOptions {
  /** Drop managers of versions that do not exist (any more), as for built-in kinds, instead of refusing the request. */
  readonly dropMissing?: boolean | undefined
}

/**
 * A converter for kinds whose versions differ in nothing but the apiVersion, as those of many custom resources do. A version
 * exists if `types` has the kind in it. The converter throws for other versions, as that of an API server does: while a manager
 * has an entry of a version that the definition has lost, nobody can apply to the object.
 */
export function changeApiVersion(types: TypeFinder, options: ChangeApiVersionOptions = {}): ObjectConverter {
  requireOptions("options", options)
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

function invalidVersion(direction: "from" | "to", apiVersion: string): ValidationError {
  return invalidValue(`request to convert CR ${direction} an invalid group/version: ${apiVersion}`)
}

/** Upstream's stand-in for a converter: an object is the same in every version. */
export const sameInEveryVersion: ObjectConverter = { convert: object => object }

/** Converts plain objects, and typed values for the engine. Made for one operation. */
export class VersionConverter implements Converter {
  static {
    keepLayout(new VersionConverter({} as ObjectTypes, new Set()))
  }

  /** The versions that were asked for and do not exist. */
  readonly missing: Set<string>
  private readonly types: ObjectTypes
  private readonly converter: ObjectConverter
  private readonly hub: Hub | undefined

  constructor(types: ObjectTypes, missing: Set<string>, converter: ObjectConverter = sameInEveryVersion, hub?: Hub) {
    this.types = types
    this.missing = missing
    this.converter = converter
    this.hub = hub
  }

  /** The object at the version. Throws a NoTypeError if there is no such version. */
  toVersion(object: MapValue, apiVersion: string): MapValue {
    if (isAt(object, apiVersion)) return object
    const converted = this.converter.convert(object, apiVersion)
    if (converted === undefined) throw new NoTypeError({ ...parseKind(apiVersion, ""), kind: textAt(object, "kind") })
    return converted
  }

  /** As `Converter.convert`. Text that is not a version is not taken for a missing version: it throws a ParseError. */
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

function notAnObject(value: Value): ValidationError {
  return invalidValue(`failed to convert value to unstructured for type ${goTypeName(value)}`)
}

function isAt(object: MapValue, apiVersion: string): boolean {
  const { group, version } = parseKind(apiVersion, "")
  const own = kindOf(object)
  return own.group === group && own.version === version
}
