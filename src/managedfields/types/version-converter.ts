// Converts between the versions of an object: adapts the caller's converter to the engine.
import { invalidValue, ParseError, type ValidationError } from "../../errors.js"
import type { Converter } from "../../merge/versions.js"
import { formatApiVersion, isApiVersion, kindOf, parseKind } from "../../schema/group-version-kind.js"
import type { TypedValue } from "../../typed/typed-value.js"
import { requireOptions } from "../../value/argument.js"
import { textAt } from "../../value/fields.js"
import { goTypeName } from "../../value/format.js"
import { put } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { NoTypeError, type ObjectTypes, type TypeFinder } from "./object-types.js"

/** Converts objects from one version to another. */
export interface ObjectConverter {
  /**
   * Returns `object` at `apiVersion`, which differs from its own version, or undefined if that version does not exist (any more): managers
   * of that version are dropped. Throws a StructuredMergeError if the object can't be converted. Must not change `object`.
   */
  convert(object: MapValue, apiVersion: string): MapValue | undefined
}

/**
 * The version through which objects are converted, such as the storage version of a custom resource. A function may choose it by the
 * object's version.
 */
export type Hub = string | ((fromApiVersion: string) => string)

/** Options for `changeApiVersion`. */
export interface ChangeApiVersionOptions {
  /** Drop managers of versions that do not exist (any more), as for built-in kinds, instead of refusing the request. */
  readonly dropMissing?: boolean | undefined
}

/**
 * Returns a converter for kinds whose versions differ only in the apiVersion, as those of many custom resources do. A version exists if
 * `types` has the kind in it. The converter throws for other versions, as an API server's does: as long as a manager has an entry for a
 * version that was removed from the definition, nobody can apply to the object.
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
  private readonly absent = new Set<string>()
  private readonly types: ObjectTypes
  private readonly converter: ObjectConverter
  private readonly hub: Hub | undefined

  constructor(types: ObjectTypes, converter: ObjectConverter = sameInEveryVersion, hub?: Hub) {
    this.types = types
    this.converter = converter
    this.hub = hub
  }

  /** The versions without a type for which `convert` returned undefined. */
  get missing(): ReadonlySet<string> {
    return this.absent
  }

  /** Returns the object at the version. Throws a NoTypeError if the version does not exist. */
  toVersion(object: MapValue, apiVersion: string): MapValue {
    if (isAt(object, apiVersion)) return object
    const converted = this.converter.convert(object, apiVersion)
    if (converted === undefined) throw new NoTypeError({ ...parseKind(apiVersion, ""), kind: textAt(object, "kind") })
    return converted
  }

  /** Like `Converter.convert`. A text that is not a version does not count as a missing version: it throws a ParseError. */
  convert(object: TypedValue, apiVersion: string): TypedValue | undefined {
    const { value } = object
    if (!isApiVersion(apiVersion)) throw new ParseError(`unexpected GroupVersion string: ${apiVersion}`)
    // The value is null if pruning removed everything.
    if (!isMap(value)) throw notAnObject(value)
    if (isAt(value, apiVersion)) return object
    try {
      return this.types.toTyped(this.convertByHub(value, apiVersion))
    } catch (error) {
      if (!(error instanceof NoTypeError)) throw error
      this.absent.add(apiVersion)
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
  if (textAt(object, "apiVersion") === apiVersion) return true
  const { group, version } = parseKind(apiVersion, "")
  const own = kindOf(object)
  return own.group === group && own.version === version
}
