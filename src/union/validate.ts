// Validates the unions of an object as a server does after a merge; check-union.ts checks each union.
//
// Unlike normalization, validation changes nothing, looks inside atomic lists and maps, and counts empty lists and empty maps as absent. An
// object that was invalid before in the same way may pass (ratcheting).
import { formatIssues, UnionError } from "../errors.js"
import { fieldElement, indexElement } from "../fieldpath/create-element.js"
import type { PathElement } from "../fieldpath/element.js"
import { formatPath } from "../fieldpath/path.js"
import { formatJson } from "../json/json.js"
import { elementOfItem } from "../typed/list-items.js"
import type { Type } from "../typed/type.js"
import { requireSameType, type TypedValue } from "../typed/typed-value.js"
import { requireOptions } from "../value/argument.js"
import { maxDepth, tooDeep } from "../value/depth.js"
import { own } from "../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../value/value.js"
import { bodyOf, checkUnion, type UnionFieldError, type UnionValidationOptions, Validation } from "./check-union.js"
import { Items } from "./items.js"
import { type ListPlan, type MapPlan, normalizationPlan, type Plan, planOf, type Reach } from "./plan.js"
import type { UnionPolicy } from "./policy.js"

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
  const validation = new Validation(options)
  // An object with nothing left in it is null here. It counts as `{}`, since a union of its root may require a member.
  const value = next.value === null && isMap(old?.value) ? {} : next.value
  if (plan !== null) visit(validation, plan, old?.value, value, 0)
  return validation.errors
}

/** Thrown if the result of an apply or update has invalid unions. `issues` has the same problems by path, with list items by key. */
export class UnionValidationError extends UnionError {
  /** Every problem, in the order of `validateUnions`. Never empty. */
  readonly errors: readonly UnionFieldError[]

  constructor(errors: readonly UnionFieldError[]) {
    super(
      errors.map(error => ({ path: formatPath(error.path), message: bodyOf(error) })),
      formatIssues(errors.map(({ message }) => ({ path: "", message }))),
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

/** Enters everything: unlike a merge, a server also looks into atomic lists and maps. */
const whole: Reach = { plans: new WeakMap(), enters: () => true }

function visit(
  validation: Validation,
  plan: Plan,
  old: Value | undefined,
  next: Value | undefined,
  depth: number,
): void {
  if (depth > maxDepth) throw tooDeep()
  if (validation.ratchet && old === next) return
  if (isMap(next)) {
    if (plan.map !== null) visitMap(validation, plan.map, isMap(old) ? old : null, next, depth)
  } else if (isList(next) && plan.list !== null) visitList(validation, plan.list, isList(old) ? old : null, next, depth)
}

function visitMap(validation: Validation, plan: MapPlan, old: MapValue | null, next: MapValue, depth: number): void {
  for (const union of plan.unions) checkUnion(validation, plan.shape, union, old, next)
  for (const [name, below] of plan.fields) {
    const child = own(next, name)
    if (child === undefined) continue
    const before = old === null ? undefined : own(old, name)
    visitChild(validation, below, fieldElement(name), `.${name}`, before, child, depth)
  }
  if (plan.rest === null) return
  for (const key in next) {
    if (plan.shape.fields.has(key)) continue
    const before = old === null ? undefined : own(old, key)
    visitChild(validation, plan.rest, fieldElement(key), `[${key}]`, before, next[key] as Value, depth)
  }
}

function visitList(
  validation: Validation,
  plan: ListPlan,
  old: ListValue | null,
  next: ListValue,
  depth: number,
): void {
  const { shape } = plan
  const keyed = shape.associative && !shape.atomic
  const before = keyed ? new Items(shape, old) : null
  // Items of other lists have no keys, so only equal items count as the same.
  const equal = keyed || old === null || !validation.ratchet ? null : new EqualItems(old)
  for (let i = 0; i < next.length; i++) {
    const item = next[i] as Value
    const element = (keyed ? elementOfItem(shape, item) : null) ?? indexElement(i)
    const same = (before ?? equal)?.find(item)
    visitChild(validation, plan.item, element, `[${i}]`, same, item, depth)
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
  validation: Validation,
  plan: Plan,
  element: PathElement,
  step: string,
  old: Value | undefined,
  next: Value,
  depth: number,
): void {
  validation.path.push(element)
  validation.steps.push(step)
  visit(validation, plan, old, next, depth + 1)
  validation.path.pop()
  validation.steps.pop()
}
