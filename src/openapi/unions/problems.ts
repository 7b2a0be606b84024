// The problems of declared unions that can be read: unknown keys, unions without members, and fields or values that can't be right.
import type { UnionDef } from "../../schema/union.js"
import { own } from "../../value/object.js"
import { formatPointer } from "../../value/pointer.js"
import type { MapValue } from "../../value/value.js"
import type { Conversion } from "../conversion/conversion.js"
import { enumOf } from "../conversion/property.js"

/** The form of a declaration, for messages. */
export interface DeclaredForm {
  /** Its keys. */
  readonly keys: readonly string[]
  /** Its keys and their meaning, in the words of messages. */
  readonly meaning: string
}

/**
 * Adds a diagnostic for each key that the form does not have; a key that readers ignore silently is usually one of an overlay, or misspelled.
 * `steps` lead from the struct to the declaration, and `name` names it.
 */
export function reportUnknownKeys(
  conversion: Conversion,
  declaration: MapValue,
  form: DeclaredForm,
  name: string,
  steps: readonly string[],
): void {
  for (const key of Object.keys(declaration)) {
    if (form.keys.includes(key)) continue
    const path = conversion.pointer() + formatPointer([...steps, key])
    conversion.warn("unknown-union-key", `${name}: unknown key ${key}; ${form.meaning}`, path)
  }
}

/** The right values of unions that Kubernetes publishes with wrong ones: by type, then by field. */
export const repairs: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  ["io.k8s.api.core.v1.SeccompProfile", new Map([["localhostProfile", "Localhost"]])],
  ["io.k8s.api.core.v1.AppArmorProfile", new Map([["localhostProfile", "Localhost"]])],
  ...["v1", "v1beta1", "v1beta2", "v1beta3"].map(
    version => [`io.k8s.api.flowcontrol.${version}.LimitResponse`, new Map([["queuing", "Queue"]])] as const,
  ),
])

/** Returns the union, or what the mode turns a wrong union into. */
export function mendUnion(conversion: Conversion, union: UnionDef, properties: MapValue): UnionDef | undefined {
  const right = repairs.get(conversion.typeName)
  const problem = absentField(union, properties) ?? wrongValue(union, right, properties, conversion.definitions)
  if (problem === undefined) return union
  if (conversion.unionMode === "upstream") {
    conversion.warn(
      "wrong-union",
      `union of ${conversion.typeName}: ${problem}; kept as published, see the option unions`,
    )
    return union
  }
  const { fields = [] } = union
  if (conversion.unionMode !== "drop" && right !== undefined && fields.every(({ fieldName }) => right.has(fieldName))) {
    conversion.warn("wrong-union", `union of ${conversion.typeName}: ${problem}; repaired`)
    const repaired = fields.map(field => ({ ...field, discriminatorValue: right.get(field.fieldName) as string }))
    return { ...union, fields: repaired }
  }
  leaveOut(conversion, `union of ${conversion.typeName}: ${problem}`)
  return undefined
}

export function leaveOut(conversion: Conversion, problem: string): void {
  conversion.warn("wrong-union", `${problem}; left out`)
}

function absentField(union: UnionDef, properties: MapValue): string | undefined {
  const { discriminator, fields = [] } = union
  const names = fields.map(({ fieldName }) => fieldName)
  const all = discriminator === undefined ? names : [discriminator, ...names]
  const absent = all.find(name => own(properties, name) === undefined)
  return absent === undefined ? undefined : `there is no field ${absent}`
}

function wrongValue(
  { discriminator, fields = [], emptyValues = [] }: UnionDef,
  right: ReadonlyMap<string, string> | undefined,
  properties: MapValue,
  definitions: MapValue,
): string | undefined {
  if (discriminator === undefined) return undefined
  const values = enumOf(own(properties, discriminator), definitions)
  for (const { fieldName, discriminatorValue } of fields) {
    const expected = right?.get(fieldName)
    if (expected !== undefined && expected !== discriminatorValue) {
      return `${fieldName} is selected by ${expected}, not by ${discriminatorValue}`
    }
    if (values !== undefined && !values.includes(discriminatorValue as string)) {
      return `${fieldName} is selected by ${discriminatorValue}, which ${discriminator} can't be (${values.join(", ")})`
    }
  }
  const illegal = values === undefined ? undefined : emptyValues.find(value => !values.includes(value))
  if (illegal !== undefined)
    return `${illegal} selects nothing, and ${discriminator} can't be it (${values?.join(", ")})`
  return undefined
}
