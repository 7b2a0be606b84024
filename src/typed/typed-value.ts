// TypedValue: a value and its type, with a method for each operation on them.
//
// Each method calls the file of its operation. The operations walk the compiled type and the value side by side and collect issues; only
// the methods here throw them, all at once.
import { SchemaError, ValidationError } from "../errors.js"
import type { FieldSet } from "../fieldpath/set.js"
import { requireOptions } from "../value/argument.js"
import type { Value } from "../value/value.js"
import { compareTyped } from "./compare.js"
import type { Comparison } from "./comparison.js"
import { mergeValues } from "./merge.js"
import { reconcileFieldSet } from "./reconcile.js"
import { extractItems, removeItems, withKeyFields } from "./remove.js"
import { type Specified, toFieldSet } from "./to-field-set.js"
import type { Type } from "./type.js"
import { validate } from "./validate.js"
import type { Issues } from "./walk.js"

/** How strictly a value is checked. */
export interface ValidationOptions {
  /** Allow items of associative lists to share their keys, as in objects from old clients. */
  readonly allowDuplicates?: boolean | undefined
}

/** The known facts about a value: none, or that it is valid but may have duplicate items, or that it is valid without duplicates. */
type Trust = "none" | "duplicates" | "valid"

/** Options for parts that both values of a `TypedValue.merge` have. */
export interface MergeOptions {
  /** Compare large atomic lists and maps too, and keep this value's if they are equal. */
  readonly keepEqual?: boolean | undefined
}

/** Options for `TypedValue.extractItems`. */
export interface ExtractItemsOptions {
  /** Also extract the keys of the list items on the way: without them, items can't be told apart. */
  readonly appendKeyFields?: boolean | undefined
}

/**
 * A value and its type. Immutable: operations return new typed values, which share every part that did not change. An operation throws a
 * SchemaError if its operands do not have the same type of the same schema, and a ValidationError if it finds that a value does not fit its
 * type.
 */
export class TypedValue {
  /** The type of the value. */
  readonly type: Type
  /** The given value: shared, not copied. It must not change as long as the typed value is in use. */
  readonly value: Value
  private readonly trust: Trust
  /**
   * Whether validation found every union settled; also false if the value was not validated. `union/settled.ts` reads it.
   * @internal
   */
  readonly settledUnions: boolean

  private constructor(value: Value, type: Type, trust: Trust, settledUnions: boolean) {
    this.value = value
    this.type = type
    this.trust = trust
    this.settledUnions = settledUnions
  }

  /**
   * Returns `value`, which is shared, as an instance of `type`. Throws a ValidationError with every problem if it does not fit the type.
   *
   * @example
   * ```ts
   * import { parseTypes, TypedValue } from "structured-merge-diff"
   *
   * const types = parseTypes({
   *   types: [{ name: "counts", map: { elementType: { scalar: "numeric" } } }],
   * })
   *
   * console.log(TypedValue.of({ a: 1 }, types.type("counts")).toFieldSet().toString())
   * // .a
   * ```
   */
  static of(value: Value, type: Type, options?: ValidationOptions): TypedValue {
    if (options !== undefined) requireOptions("options", options)
    const { issues, settled, repeats } = validate(type, value, options?.allowDuplicates === true)
    throwIssues(issues)
    return new TypedValue(value, type, repeats ? "duplicates" : "valid", settled)
  }

  /** Like `of`, but does not validate the value. Operations then throw a ValidationError for the problems that they find. */
  static unvalidated(value: Value, type: Type): TypedValue {
    return new TypedValue(value, type, "none", false)
  }

  /** Throws a ValidationError with every problem of the value, if it has any. */
  validate(options?: ValidationOptions): void {
    if (options !== undefined) requireOptions("options", options)
    throwIssues(validate(this.type, this.value, options?.allowDuplicates === true).issues)
  }

  /** Returns the fields and items that this value specifies: the set that its applier owns. */
  toFieldSet(): FieldSet {
    return this.specified().set
  }

  /**
   * Returns the same set as `toFieldSet`, and further facts that the walk found. The set shares the levels that are the same as in `alike`.
   * @internal
   */
  specified(alike?: FieldSet): Specified {
    const specified = toFieldSet(this.type, this.value, alike)
    throwIssues(specified.issues)
    return specified
  }

  /**
   * Returns this value with everything that `other` specifies. Laws: `a.merge(a)` has the value of `a`, and `a.compare(a.merge(b)).removed`
   * is empty.
   *
   * If both values have an equal part, the result keeps this value's. Large atomic lists and maps are compared only with `keepEqual`; by
   * default they are taken from `other` without a look inside.
   *
   * @example
   * ```ts
   * import { parseTypes, TypedValue } from "structured-merge-diff"
   *
   * const types = parseTypes({
   *   types: [{ name: "counts", map: { elementType: { scalar: "numeric" } } }],
   * })
   *
   * const type = types.type("counts")
   * const merged = TypedValue.of({ a: 1, b: 2 }, type).merge(TypedValue.of({ b: 3, c: 4 }, type))
   * console.log(JSON.stringify(merged.value))
   * // {"a":1,"b":3,"c":4}
   * ```
   */
  merge(other: TypedValue, options?: MergeOptions): TypedValue {
    if (options !== undefined) requireOptions("options", options)
    return this.mergeWith(other, options?.keepEqual === true).merged
  }

  /**
   * Returns the result of `merge`, and whether `other` may have a null or an empty map for a part that has an empty list in it.
   * @internal
   */
  mergeWith(
    other: TypedValue,
    keepEqual: boolean,
  ): { readonly merged: TypedValue; readonly emptyMeetsEmptyList: boolean } {
    requireSameType(this, other)
    const trusted = this.trust !== "none" && other.trust === "valid" && !this.type.schema.hasUnfitLists
    const distinct = trusted && this.trust === "valid"
    const { value, issues, emptyMeetsEmptyList } = mergeValues(this.type, this.value, other.value, {
      trusted,
      distinct,
      keepEqual,
    })
    throwIssues(issues)
    const trust = other.trust === "valid" ? this.trust : "none"
    return { merged: this.withValue(value, trust), emptyMeetsEmptyList: emptyMeetsEmptyList || !trusted }
  }

  /**
   * Returns the fields of `other` that differ from this value: modified, added and removed.
   *
   * @example
   * ```ts
   * import { parseTypes, TypedValue } from "structured-merge-diff"
   *
   * const types = parseTypes({
   *   types: [{ name: "counts", map: { elementType: { scalar: "numeric" } } }],
   * })
   *
   * const type = types.type("counts")
   * const { modified, added, removed } = TypedValue.of({ a: 1, b: 2 }, type).compare(TypedValue.of({ b: 3, c: 4 }, type))
   * console.log(`modified ${modified}, added ${added}, removed ${removed}`)
   * // modified .b, added .c, removed .a
   * ```
   */
  compare(other: TypedValue): Comparison {
    requireSameType(this, other)
    const trusted = this.trust !== "none" && other.trust !== "none" && !this.type.schema.hasUnfitLists
    const distinct = trusted && this.trust === "valid" && other.trust === "valid"
    const { comparison, issues } = compareTyped(this.type, this.value, other.value, trusted, distinct)
    throwIssues(issues)
    return comparison
  }

  /** Returns this value without the members of `items`. Lists and maps that lose their last child become null. */
  removeItems(items: FieldSet): TypedValue {
    const { value, sound } = removeItems(this.type, this.value, items)
    return this.withEdits(value, sound)
  }

  /**
   * Returns the part of this value that `items` names, with the lists and maps that lead there; null if that is nothing. With
   * `appendKeyFields`, also the keys of the list items on the way.
   */
  extractItems(items: FieldSet, options?: ExtractItemsOptions): TypedValue {
    if (options !== undefined) requireOptions("options", options)
    const wanted = options?.appendKeyFields === true ? this.addKeyFields(items) : items
    const value = extractItems(this.type, this.value, wanted)
    return this.withEdits(value, value === this.value) // items may have lost their keys
  }

  private addKeyFields(items: FieldSet): FieldSet {
    const { set, issues } = toFieldSet(this.type, this.value)
    return issues.count > 0 ? items : withKeyFields(items, set)
  }

  /**
   * Whether an associative list in this value may have several items with the same key.
   * @internal
   */
  get mayRepeatItems(): boolean {
    return this.trust !== "valid"
  }

  /**
   * Whether the value is known to be valid.
   * @internal
   */
  get isValidated(): boolean {
    return this.trust !== "none"
  }

  /**
   * Returns this value after edits inside it. `sound` promises that it is still as valid as before, so that it need not be validated again.
   * @internal
   */
  withEdits(value: Value, sound: boolean): TypedValue {
    return this.withValue(value, sound ? this.trust : "none")
  }

  private withValue(value: Value, trust: Trust): TypedValue {
    const same = value === this.value
    return same && trust === this.trust ? this : new TypedValue(value, this.type, trust, same && this.settledUnions)
  }
}

/**
 * Returns `set` brought in line with `type`, which may have changed since the set was written, or null if nothing has to change. If a value
 * is now atomic, every owner of a part of it owns it as a whole. Throws a SchemaError if a type on the way is missing or malformed.
 */
export function reconcileFieldSetWithSchema(set: FieldSet, type: Type): FieldSet | null {
  const { set: reconciled, issues } = reconcileFieldSet(type, set)
  if (issues.count > 0) {
    const cause = new ValidationError(issues.toArray())
    throw new SchemaError(`errors reconciling field set with schema: ${cause.message}`, { cause })
  }
  return reconciled
}

/** Throws a SchemaError unless both values have the same type of the same schema. */
export function requireSameType(a: TypedValue, b: TypedValue): void {
  if (a.type === b.type) return
  if (a.type.schema !== b.type.schema) throw new SchemaError("expected objects with types from the same schema")
  throw new SchemaError(`expected objects of the same type, but got ${typeLabel(a.type)} and ${typeLabel(b.type)}`)
}

function typeLabel(type: Type): string {
  return type.name === "" ? "an inlined type" : type.name
}

function throwIssues(issues: Issues): void {
  if (issues.count > 0) throw new ValidationError(issues.toArray())
}
