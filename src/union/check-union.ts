// Checks one union of one struct or list, with the messages of Kubernetes' declarative validation.

import { fieldElement } from "../fieldpath/create-element.js"
import type { PathElement } from "../fieldpath/element.js"
import type { Path } from "../fieldpath/path.js"
import type { CompiledUnion } from "../schema/compiled-union.js"
import type { MapShape } from "../typed/type.js"
import { formatValue } from "../value/format.js"
import { isEmptyMap, own } from "../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"
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

/** Returns the message of an error without the path: `Invalid value: "": must be specified when …`. */
export function bodyOf({ type, badValue, detail }: Pick<UnionFieldError, "type" | "badValue" | "detail">): string {
  const value = type === "FieldValueRequired" ? "" : `: ${formatValue(badValue)}`
  return `${titles[type]}${value}${detail === "" ? "" : `: ${detail}`}`
}

/** Collects the errors of a validation. Keeps the path of the value that is being validated. */
export class Validation {
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

  /** Reports a problem of a field of the union's struct, or of the struct itself. */
  report({ field, ...problem }: Problem): void {
    const path = field === undefined ? this.path.slice() : [...this.path, fieldElement(field)]
    const steps = field === undefined ? this.steps : [...this.steps, `.${field}`]
    const place = steps.join("").replace(/^\./, "")
    const kind = kindsOfRules[problem.rule]
    const body = bodyOf({ ...problem, ...kind })
    const message = place === "" ? body : `${place}: ${body}`
    this.errors.push({ ...problem, ...kind, path, field: place, message })
  }
}

interface Problem extends Pick<UnionFieldError, "rule" | "badValue" | "detail" | "hint"> {
  readonly field?: string | undefined
}

const kindsOfRules = {
  "exactly-one": { type: "FieldValueInvalid", origin: "union" },
  "at-most-one": { type: "FieldValueInvalid", origin: "zeroOrOneOf" },
  "discriminator-mismatch": { type: "FieldValueInvalid", origin: "union" },
  "selected-absent": { type: "FieldValueInvalid", origin: "union" },
  "not-in-enum": { type: "FieldValueNotSupported", origin: "enum" },
  "discriminator-required": { type: "FieldValueRequired", origin: "required" },
} as const satisfies Record<UnionRule, Pick<UnionFieldError, "type" | "origin">>

const titles = {
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueRequired: "Required value",
} as const

/** Reports what is wrong with a union of `next`. If ratcheting is on, a union whose members and selection are as in `old` passes. */
export function checkUnion(
  validation: Validation,
  shape: MapShape,
  union: CompiledUnion,
  old: MapValue | null,
  next: MapValue,
): void {
  const set = specifiedIn(shape, union, next)
  if (validation.ratchet && old !== null) {
    const before = specifiedIn(shape, union, old)
    const sameMembers = before.length === set.length && before.every((member, i) => member === set[i])
    if (sameMembers && sameSelection(validation, union, old, next)) return
  }
  if (union.discriminator === undefined) checkMembers(validation, union, set)
  else checkSelection(validation, union, union.discriminator, set, old, next)
}

/** Whether both maps select the same member. An empty discriminator differs from an absent one only if it is checked against the values. */
function sameSelection(validation: Validation, union: CompiledUnion, old: MapValue, next: MapValue): boolean {
  if (union.selectedIn(old) !== union.selectedIn(next)) return false
  if (!validation.checksValue || legalValuesOf(union) === undefined) return true
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

function checkMembers(validation: Validation, union: CompiledUnion, set: readonly string[]): void {
  const names = union.members.map(member => `\`${specifiedName(union, member)}\``).join(", ")
  // Errors about items are reported for their list.
  const field = union.items === null ? undefined : union.def.fields?.[0]?.fieldName
  if (set.length > 1) {
    const badValue = `{${set.map(member => specifiedName(union, member)).join(", ")}}`
    const rule = union.required ? "exactly-one" : "at-most-one"
    const count = union.required ? "exactly" : "at most"
    validation.report({ rule, field, badValue, detail: `must specify ${count} one of: ${names}` })
  } else if (set.length === 0 && union.required) {
    validation.report({ rule: "exactly-one", field, badValue: "", detail: `must specify one of: ${names}` })
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
  validation: Validation,
  union: CompiledUnion,
  discriminator: string,
  set: readonly string[],
  old: MapValue | null,
  next: MapValue,
): void {
  const selected = union.selectedIn(next)
  if (validation.checksValue) checkValue(validation, union, discriminator, next)
  const unchanged = old !== null && union.selectedIn(old) === selected
  for (const member of union.members) {
    const value = union.valueOf(member)
    const given = set.includes(member)
    const chosen = selected !== "" && value === selected
    if (given === chosen) continue
    const when = `specified when \`${discriminator}\` is ${formatValue(value)}`
    if (given) {
      validation.report({
        rule: "discriminator-mismatch",
        field: member,
        badValue: "",
        detail: `may only be ${when}`,
        ...(unchanged && { hint: `change ${discriminator} to ${formatValue(value)} to select ${member}` }),
      })
    } else if (validation.checksSelected && !isOptional(union, member)) {
      validation.report({ rule: "selected-absent", field: member, badValue: "", detail: `must be ${when}` })
    }
  }
  // Even if the selected member need not be set, one member must be.
  if (!validation.checksSelected && set.length === 0 && !mayBeEmpty(union, selected))
    checkMembers(validation, union, set)
}

/** Whether the discriminator selects nothing, or a member that may be absent. */
function mayBeEmpty(union: CompiledUnion, selected: string): boolean {
  if (union.def.emptyValues?.includes(selected) === true) return true
  const member = union.memberOf(selected)
  return member !== undefined && isOptional(union, member)
}

/** Checks the value of the discriminator. */
function checkValue(validation: Validation, union: CompiledUnion, discriminator: string, next: MapValue): void {
  const value = union.rawSelection(next)
  const legalValues = legalValuesOf(union)
  if (typeof value === "string" && legalValues !== undefined && !legalValues.includes(value)) {
    const detail = `supported values: ${legalValues.map(legal => formatValue(legal)).join(", ")}`
    validation.report({ rule: "not-in-enum", field: discriminator, badValue: value, detail })
  } else if (
    union.required ? union.selectedIn(next) === "" : union.def.discriminatorRequired && (value ?? null) === null
  ) {
    validation.report({ rule: "discriminator-required", field: discriminator, badValue: "", detail: "" })
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
