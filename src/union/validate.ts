// Validates unions as a server does after a merge, with the messages of Kubernetes' declarative validation.
//
// Unlike normalization, validation changes nothing, looks inside atomic lists and maps, and counts empty lists and empty maps as absent. An
// object that was invalid before in the same way may pass (ratcheting).
import { UnionError } from "../errors.js"
import { fieldElement, indexElement, type PathElement } from "../fieldpath/element.js"
import { formatPath, type Path } from "../fieldpath/path.js"
import { formatJson } from "../json/json.js"
import type { CompiledUnion } from "../schema/compiled-union.js"
import { elementOfItem } from "../typed/list-items.js"
import type { MapShape, Type } from "../typed/type.js"
import { requireSameType, type TypedValue } from "../typed/typed-value.js"
import { requireOptions } from "../value/argument.js"
import { maxDepth, tooDeep } from "../value/depth.js"
import { formatValue } from "../value/format.js"
import { isEmptyMap, own } from "../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../value/value.js"
import { Items } from "./items.js"
import { type ListPlan, type MapPlan, normalizationPlan, type Plan, planOf, type Reach } from "./plan.js"
import { type UnionPolicy, type UnionPolicyName, unionPolicy } from "./policy.js"

/** Options for validating unions. */
export interface UnionValidationOptions {
  /**
   * `dv` checks the members, as Kubernetes does. `kep-2022` also checks the discriminator: that it has one of the union's values, and that
   * it is present if the union must have a member. `dv` if absent.
   */
  readonly style?: "dv" | "kep-2022" | undefined
  /** Adds checks that this policy leaves to validation: unknown values and absent members. The policy also decides about ratcheting. */
  readonly policy?: UnionPolicyName | UnionPolicy | undefined
  /** Skip unions whose members and discriminator are set as before. True by default. */
  readonly ratchet?: boolean | undefined
}

/** The rule that a union violates. */
export type UnionRule =
  | "exactly-one"
  | "at-most-one"
  | "discriminator-mismatch"
  | "selected-absent"
  | "not-in-enum"
  | "discriminator-required"

/** A problem of a union, as an API server reports it. */
export interface UnionFieldError {
  /** The violated rule. */
  readonly rule: UnionRule
  /** The reason that an API server gives in its Status. */
  readonly type: "FieldValueInvalid" | "FieldValueNotSupported" | "FieldValueRequired"
  /** The path of the problem, with list items by key. */
  readonly path: Path
  /** The path of the problem, with list items by position: `spec.volumes[1].nfs`; "" for the root. */
  readonly field: string
  /** The value at the path, as Kubernetes shows it; null if it is missing. */
  readonly badValue: Value
  /** The problem, without the path and the value. */
  readonly detail: string
  /** The check of Kubernetes' declarative validation that finds the problem. */
  readonly origin: "union" | "zeroOrOneOf" | "enum" | "required"
  /** The whole message: `spec.strategy: Invalid value: "{a, b}": must specify exactly one of: …`. */
  readonly message: string
  /** The way to fix the problem, if the detail does not say it. */
  readonly hint?: string
}

/**
 * Returns every problem of the unions of `next`. Problems of a struct precede those inside it, and are in the order in which its unions are
 * declared. The list is empty if all unions are valid. `old` is the object that `next` replaces; undefined for a new object. Throws a
 * SchemaError if the two are not of the same type.
 *
 * @example
 * ```ts
 * import { compileSchema, parseSchema, TypedValue } from "structured-merge-diff"
 * import { applyUnionOverlay, validateUnions } from "structured-merge-diff/unions"
 *
 * const fields = ["circle", "square"].map(name => ({ name, type: { scalar: "numeric" } }))
 * const schema = parseSchema({
 *   types: [{ name: "shape", map: { fields } }],
 * })
 * const unions = [{ fields: [{ fieldName: "circle" }, { fieldName: "square" }] }]
 * const types = compileSchema(applyUnionOverlay(schema, { types: [{ name: "shape", unions }] }))
 *
 * const both = TypedValue.of({ circle: 1, square: 2 }, types.type("shape"))
 * for (const { message } of validateUnions(undefined, both)) console.log(message)
 * // Invalid value: "{circle, square}": must specify at most one of: `circle`, `square`
 * ```
 */
export function validateUnions(
  old: TypedValue | undefined,
  next: TypedValue,
  options: UnionValidationOptions = {},
): UnionFieldError[] {
  requireOptions("options", options)
  if (old !== undefined) requireSameType(old, next)
  const plan = planOf(next.type, whole)
  const walk = new Validation(options)
  // An object with nothing left in it is null here. It counts as `{}`, since a union of its root may require a member.
  const value = next.value === null && isMap(old?.value) ? {} : next.value
  if (plan !== null) visit(walk, plan, old?.value, value, 0)
  return walk.errors
}

/** Thrown if the result of an apply or update has invalid unions. `issues` has the same problems by path, with list items by key. */
export class UnionValidationError extends UnionError {
  /** Every problem, in the order of `validateUnions`. Never empty. */
  readonly errors: readonly UnionFieldError[]

  constructor(errors: readonly UnionFieldError[]) {
    const lines = errors.map(({ message }) => message)
    super(
      errors.map(error => ({ path: formatPath(error.path), message: bodyOf(error) })),
      lines.length === 1 ? lines.join() : ["errors:", ...lines].join("\n  "),
    )
    this.errors = errors
  }
}

/**
 * Throws a UnionValidationError if the policy refuses the problems that `validateUnions` finds in `next`, the result of a request to `old`.
 * `old` is undefined if the request creates the object.
 */
export function requireValidUnions(policy: UnionPolicy, old: TypedValue | undefined, next: TypedValue): void {
  if (policy.invalidResult === "accept") return
  const errors = validateUnions(old, next, { policy })
  if (errors.length > 0) throw new UnionValidationError(errors)
}

/** Whether an apply or update has to look at unions in values of this type: to settle them or, if it `validates`, to validate them. */
export function seesUnions(policy: UnionPolicy, type: Type, validates: boolean): boolean {
  if (!validates) return normalizationPlan(policy, type) !== null
  return policy.enabled && planOf(type, whole) !== null
}

/** Returns the message of an error without the path: `Invalid value: "": must be specified when …`. */
export function bodyOf({ type, badValue, detail }: Pick<UnionFieldError, "type" | "badValue" | "detail">): string {
  const value = type === "FieldValueRequired" ? "" : `: ${formatValue(badValue)}`
  return `${kinds[type]}${value}${detail === "" ? "" : `: ${detail}`}`
}

/** Enters everything: unlike a merge, a server also looks into atomic lists and maps. */
const whole: Reach = { plans: new WeakMap(), enters: () => true }

class Validation {
  readonly errors: UnionFieldError[] = []
  readonly path: PathElement[] = []
  /** The steps of the path with list items by position. */
  readonly steps: string[] = []
  readonly ratchet: boolean
  readonly checksValue: boolean
  readonly checksSelected: boolean

  constructor({ style, policy: choice, ratchet }: UnionValidationOptions) {
    const policy = choice === undefined ? undefined : unionPolicy(choice)
    this.ratchet = ratchet ?? (policy === undefined || policy.legacyMultiple === "ratchet")
    this.checksValue = style === undefined ? policy?.unknownValue === "error" : style === "kep-2022"
    this.checksSelected = style !== undefined || policy?.selectedAbsent !== "accept"
  }

  report(
    rule: UnionRule,
    type: UnionFieldError["type"],
    member: string | undefined,
    badValue: Value,
    detail: string,
    origin: UnionFieldError["origin"],
    hint?: string,
  ): void {
    const path = member === undefined ? this.path.slice() : [...this.path, fieldElement(member)]
    const steps = member === undefined ? this.steps : [...this.steps, `.${member}`]
    const field = steps.join("").replace(/^\./, "")
    const body = bodyOf({ type, badValue, detail })
    const message = field === "" ? body : `${field}: ${body}`
    this.errors.push({
      rule,
      type,
      path,
      field,
      badValue,
      detail,
      origin,
      message,
      ...(hint !== undefined && { hint }),
    })
  }
}

const kinds = {
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueRequired: "Required value",
} as const

function visit(walk: Validation, plan: Plan, old: Value | undefined, next: Value | undefined, depth: number): void {
  if (depth > maxDepth) throw tooDeep()
  if (walk.ratchet && old === next) return
  if (isMap(next)) {
    if (plan.map !== null) visitMap(walk, plan.map, isMap(old) ? old : null, next, depth)
  } else if (isList(next) && plan.list !== null) visitList(walk, plan.list, isList(old) ? old : null, next, depth)
}

function visitMap(walk: Validation, plan: MapPlan, old: MapValue | null, next: MapValue, depth: number): void {
  for (const union of plan.unions) checkUnion(walk, plan.shape, union, old, next)
  for (const [name, below] of plan.fields) {
    const child = own(next, name)
    if (child === undefined) continue
    const before = old === null ? undefined : own(old, name)
    visitChild(walk, below, fieldElement(name), `.${name}`, before, child, depth)
  }
  if (plan.rest === null) return
  for (const key in next) {
    if (plan.shape.fields.has(key)) continue
    const before = old === null ? undefined : own(old, key)
    visitChild(walk, plan.rest, fieldElement(key), `[${key}]`, before, next[key] as Value, depth)
  }
}

function visitList(walk: Validation, plan: ListPlan, old: ListValue | null, next: ListValue, depth: number): void {
  const { shape } = plan
  const keyed = shape.associative && !shape.atomic
  const before = keyed ? new Items(shape, old) : null
  // Items of other lists have no keys, so only equal items count as the same.
  const equal = keyed || old === null || !walk.ratchet ? null : new EqualItems(old)
  for (let i = 0; i < next.length; i++) {
    const item = next[i] as Value
    const element = (keyed ? elementOfItem(shape, item) : null) ?? indexElement(i)
    const same = (before ?? equal)?.find(item)
    visitChild(walk, plan.item, element, `[${i}]`, same, item, depth)
  }
}

/** Finds the items of a list by their value. */
class EqualItems {
  private readonly list: ListValue
  private byText: Map<string, Value> | null = null

  constructor(list: ListValue) {
    this.list = list
  }

  find(item: Value): Value | undefined {
    this.byText ??= new Map(this.list.map(known => [formatJson(known), known]))
    return this.byText.get(formatJson(item))
  }
}

function visitChild(
  walk: Validation,
  plan: Plan,
  element: PathElement,
  step: string,
  old: Value | undefined,
  next: Value,
  depth: number,
): void {
  walk.path.push(element)
  walk.steps.push(step)
  visit(walk, plan, old, next, depth + 1)
  walk.path.pop()
  walk.steps.pop()
}

function checkUnion(
  walk: Validation,
  shape: MapShape,
  union: CompiledUnion,
  old: MapValue | null,
  next: MapValue,
): void {
  const set = specifiedIn(shape, union, next)
  if (walk.ratchet && old !== null) {
    const before = specifiedIn(shape, union, old)
    const sameMembers = before.length === set.length && before.every((member, i) => member === set[i])
    if (sameMembers && sameSelection(walk, union, old, next)) return
  }
  if (union.discriminator === undefined) checkMembers(walk, union, set)
  else checkSelection(walk, union, union.discriminator, set, old, next)
}

/** Whether both maps select the same member. An empty discriminator differs from an absent one only if it is checked against the values. */
function sameSelection(walk: Validation, union: CompiledUnion, old: MapValue, next: MapValue): boolean {
  if (union.selectedIn(old) !== union.selectedIn(next)) return false
  if (!walk.checksValue || legalValuesOf(union) === undefined) return true
  return (union.rawSelection(old) === "") === (union.rawSelection(next) === "")
}

/** Returns the members that a server considers set. */
function specifiedIn(shape: MapShape, union: CompiledUnion, map: MapValue): readonly string[] {
  if (union.items !== null) return union.setIn(map)
  return union.setIn(map).filter(member => {
    const value = own(map, member)
    if (union.def.fields?.find(({ fieldName }) => fieldName === member)?.emptyIsSet === true) return true
    if (isList(value)) return value.length > 0
    if (!isMap(value) || !isEmptyMap(value)) return true
    // An empty struct counts as set, an empty map does not.
    const type = (shape.fields.get(member)?.type ?? shape.rest).map
    return type === null || type.fields.size > 0 || type.rest.empty
  })
}

function checkMembers(walk: Validation, union: CompiledUnion, set: readonly string[]): void {
  const names = union.members.map(member => `\`${specifiedName(union, member)}\``).join(", ")
  // Errors about items are reported for their list.
  const place = union.items === null ? undefined : union.def.fields?.[0]?.fieldName
  if (set.length > 1) {
    const given = `{${set.map(member => specifiedName(union, member)).join(", ")}}`
    const [rule, words, origin] = union.required
      ? (["exactly-one", "exactly", "union"] as const)
      : (["at-most-one", "at most", "zeroOrOneOf"] as const)
    walk.report(rule, "FieldValueInvalid", place, given, `must specify ${words} one of: ${names}`, origin)
  } else if (set.length === 0 && union.required) {
    walk.report("exactly-one", "FieldValueInvalid", place, "", `must specify one of: ${names}`, "union")
  }
}

/** Returns the name of a member in Kubernetes' validation, which spells the keys of items in its own way. */
function specifiedName({ items }: CompiledUnion, member: string): string {
  const found = items?.get(member)
  if (found === undefined) return member
  const keys = Object.entries(found.item).map(([name, value]) => `${formatValue(name)}: ${formatValue(value)}`)
  return `${found.list}[{${keys.join(", ")}}]`
}

function checkSelection(
  walk: Validation,
  union: CompiledUnion,
  discriminator: string,
  set: readonly string[],
  old: MapValue | null,
  next: MapValue,
): void {
  const selected = union.selectedIn(next)
  if (walk.checksValue) checkValue(walk, union, discriminator, next)
  const unchanged = old !== null && union.selectedIn(old) === selected
  for (const member of union.members) {
    const value = union.valueOf(member)
    const given = set.includes(member)
    const chosen = selected !== "" && value === selected
    if (given === chosen) continue
    const when = `specified when \`${discriminator}\` is ${formatValue(value)}`
    if (given) {
      const hint = unchanged ? `change ${discriminator} to ${formatValue(value)} to select ${member}` : undefined
      walk.report("discriminator-mismatch", "FieldValueInvalid", member, "", `may only be ${when}`, "union", hint)
    } else if (walk.checksSelected && !isOptional(union, member)) {
      walk.report("selected-absent", "FieldValueInvalid", member, "", `must be ${when}`, "union")
    }
  }
  // Even if the selected member need not be set, one member must be.
  if (!walk.checksSelected && set.length === 0 && !mayBeEmpty(union, selected)) checkMembers(walk, union, set)
}

/** Whether the discriminator selects nothing, or a member that may be absent. */
function mayBeEmpty(union: CompiledUnion, selected: string): boolean {
  if (union.def.emptyValues?.includes(selected) === true) return true
  const member = union.memberOf(selected)
  return member !== undefined && isOptional(union, member)
}

/** Checks the value of the discriminator. */
function checkValue(walk: Validation, union: CompiledUnion, discriminator: string, next: MapValue): void {
  const value = union.rawSelection(next)
  const legalValues = legalValuesOf(union)
  if (typeof value === "string" && legalValues !== undefined && !legalValues.includes(value)) {
    const supported = `supported values: ${legalValues.map(legal => formatValue(legal)).join(", ")}`
    walk.report("not-in-enum", "FieldValueNotSupported", discriminator, value, supported, "enum")
  } else if (
    union.required ? union.selectedIn(next) === "" : union.def.discriminatorRequired && (value ?? null) === null
  ) {
    walk.report("discriminator-required", "FieldValueRequired", discriminator, "", "", "required")
  }
}

/** Returns the values that the discriminator may have; undefined if they are not known. */
function legalValuesOf(union: CompiledUnion): readonly string[] | undefined {
  const { values, emptyValues, noneValue } = union.def
  if (values !== undefined) return values
  if (emptyValues === undefined && noneValue === undefined) return undefined
  return [
    ...union.members.map(member => union.valueOf(member)),
    ...(emptyValues ?? []),
    ...(noneValue === undefined ? [] : [noneValue]),
  ]
}

function isOptional({ def }: CompiledUnion, member: string): boolean {
  return def.fields?.findLast(({ fieldName }) => fieldName === member)?.optional === true
}
