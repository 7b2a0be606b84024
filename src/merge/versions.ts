import {
  hasCode,
  invalidValue,
  ParseError,
  SchemaError,
  StructuredMergeError,
  UnionError,
  ValidationError,
} from "../errors.js"
import type { Managers } from "../fieldpath/managers.js"
import type { TypedValue } from "../typed/typed-value.js"
import { keepLayout } from "../value/layout.js"
import { isStructuredMergeError, type SmdError } from "./conflict.js"

/** Converts objects from one version to another. */
export interface Converter {
  /**
   * Returns `object` in the fields of `apiVersion`, or undefined if that version does not exist (any more): managers of such a version are
   * dropped. Throws a StructuredMergeError if the object can't be converted; any other error reaches the caller of the operation unchanged.
   * Must not change `object`, and must return equal results for equal objects.
   */
  convert(object: TypedValue, apiVersion: string): TypedValue | undefined
}

/** A converter for objects that are the same in every version. */
export const sameInEveryVersion: Converter = { convert: object => object }

/** The conversions during one operation. Each object is converted to each version once. */
export class Versions {
  static {
    keepLayout(new Versions(sameInEveryVersion))
  }

  private readonly converter: Converter
  private known: Map<TypedValue, Map<string, TypedValue | undefined>> | null = null

  constructor(converter: Converter) {
    this.converter = converter
  }

  /**
   * Returns `object` at `apiVersion`; undefined if that version is gone. Managers of such a version own nothing: they are dropped when
   * sets are reconciled or losses are computed, and they affect no pruning.
   */
  find(object: TypedValue, apiVersion: string): TypedValue | undefined {
    if (this.converter === sameInEveryVersion) return object
    this.known ??= new Map()
    let versions = this.known.get(object)
    if (versions === undefined) {
      versions = new Map()
      this.known.set(object, versions)
    }
    if (!versions.has(apiVersion)) versions.set(apiVersion, this.converter.convert(object, apiVersion))
    return versions.get(apiVersion)
  }

  /** Whether `object` is the same object at the version of every manager. False if a conversion fails. */
  allSame(object: TypedValue, managers: Managers): boolean {
    if (this.converter === sameInEveryVersion) return true
    try {
      for (const { apiVersion } of managers.values()) if (this.find(object, apiVersion) !== object) return false
      return true
    } catch (error) {
      if (!hasCode(error)) throw error
      return false
    }
  }

  /** Returns `object` at a version that must exist. */
  get(object: TypedValue, apiVersion: string): TypedValue {
    const found = this.find(object, apiVersion)
    if (found === undefined) throw invalidValue(`no version ${apiVersion} of the object`)
    return found
  }
}

/**
 * Returns the result of `run`. If `run` throws an error of the package, throws the same error with `what` in front of the message and the
 * original as its cause. `what` may be a function, which is called only for an error. Any other error is a bug, most likely in the caller's
 * callback, and is thrown unchanged.
 */
export function during<T>(what: string | (() => string), run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!isStructuredMergeError(error)) throw error
    throw withPrefix(typeof what === "string" ? what : what(), error)
  }
}

function withPrefix(what: string, error: SmdError): SmdError {
  const [message, options] = [`${what}: ${error.message}`, { cause: error }]
  switch (error.code) {
    case "invalid-value":
      return new ValidationError(error.issues, message, options)
    case "union":
      return new UnionError(error.issues, message, options)
    case "invalid-schema":
      return new SchemaError(message, options)
    case "parse":
      return new ParseError(message, options)
    case "bad-request":
      return new StructuredMergeError("bad-request", message, options)
    case "conflict":
      return error
  }
}
