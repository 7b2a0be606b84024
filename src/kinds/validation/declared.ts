// The validation that Kubernetes declares for its own kinds in markers of Go types. The rules are in declared-data.ts.
import { compileRules } from "../../validation/compile.js"
import { fieldErrorMessage, type Validator } from "../../validation/rules/report.js"
import type { RuleType } from "../../validation/rules/rules.js"
import type { MapValue } from "../../value/value.js"
import type { FieldError } from "../refusal/field-error.js"
import { declaredData } from "./declared-data.js"

/** The feature gates that rules depend on, with their values in the recorded release. */
const options: Readonly<Record<string, boolean>> = {
  DRAPartitionableDevicesType: false,
  HPAScaleToZero: true,
  InPlacePodVerticalScalingSchedulerPreemption: false,
  WorkloadWithJob: false,
}

type Types = Readonly<Record<string, RuleType>>

let documents: Readonly<Record<string, Types>> | undefined
const validators = new Map<string, Validator | undefined>()

/** A version of a kind. */
interface Version {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** Returns the problems that the declared rules find in an object of the version, which replaces `before`. */
export function declaredProblems(
  of: Version,
  subresource: string,
  object: MapValue,
  before: MapValue | undefined,
): FieldError[] {
  const id = `${of.group}/${of.version}/${of.kind}/${subresource}`
  if (!validators.has(id)) validators.set(id, validatorOf(of, subresource))
  const errors = validators.get(id)?.validate(object, before, { options, subresource }) ?? []
  return errors.map(error => ({ reason: error.type, field: error.field, message: fieldErrorMessage(error) }))
}

/** Returns undefined if nothing is declared for the subresource. */
function validatorOf({ group, version, kind }: Version, subresource: string): Validator | undefined {
  documents ??= JSON.parse(declaredData) as Readonly<Record<string, Types>>
  const [shortGroup] = (group || "core").split(".")
  const types = documents[`${shortGroup}/${version}`]
  if (types === undefined || !Object.hasOwn(types, kind)) return undefined
  const path = `/${subresource}`
  const isServed = (types[kind]?.rules ?? []).some(({ tag, value }) => tag === "supportsSubresource" && value === path)
  return subresource === "" || isServed ? compileRules({ types }, kind) : undefined
}
