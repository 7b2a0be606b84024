import type { ConversionOptions, UnionMode } from "../../openapi/conversion/options.js"
import { objectKindOf } from "../../schema/group-version-kind.js"
import type { Type } from "../../typed/type.js"
import { defaultUnionPolicy, type UnionPolicy, type UnionPolicyName, unionPolicies } from "../../union/policy.js"
import { seesUnions } from "../../union/validate.js"
import { printable } from "../terminal/layout.js"
import type { Document } from "./document.js"
import type { Input } from "./input.js"
import { choice, flag, grouped, option, type ValuesOf } from "./options.js"

const unionPolicyNames = Object.keys(unionPolicies) as UnionPolicyName[]

/** The union modes for commands that convert documents to a schema. */
const unionModes = ["off", "upstream", "drop", "repair", "from-validation"] as const satisfies readonly UnionMode[]

export const unionModeOption = {
  ...choice(unionModes, `how to treat unions: ${unionModes.join(", ")}`),
  value: "MODE",
}
export const unionOverlayOption = {
  ...option("FILE", "unions for types that come without them"),
  group: "Unions" as const,
}

/** `--unions`; `byDefault` says in the help what happens without it. */
export function unionPolicyOption(byDefault: string) {
  const help = `how unions are settled: ${unionPolicyNames.join(", ")}; ${byDefault}`
  return { ...choice(unionPolicyNames, help), value: "POLICY" }
}

/** The setting of a policy for each value of `--deduce`. */
const deductions = { always: "always", schema: "schema-flag", never: "never" } as const

export const unionOptions = grouped("Unions", {
  unions: unionPolicyOption(`by default ${defaultUnionPolicy}`),
  deduce: {
    ...choice(
      Object.keys(deductions) as (keyof typeof deductions)[],
      "when the discriminator follows the member that is set: always, schema (if the schema says so) or never",
    ),
    value: "WHEN",
  },
  unionsFromValidation: flag(
    "take validation (oneOf, CEL) in CRDs and OpenAPI documents as a union where it means exactly that",
  ),
  unionOverlay: unionOverlayOption,
})

/** The options about unions, for commands that may lack some of them. */
export type UnionValues = Partial<ValuesOf<typeof unionOptions>>

/**
 * Returns the policy that `--unions` and `--deduce` name; undefined if neither is given. The engine adds unions to built-in types only
 * under a named policy.
 */
function namedPolicy({ unions: name, deduce }: UnionValues): UnionPolicy | undefined {
  if (deduce === undefined) return name && unionPolicies[name]
  return { ...unionPolicies[name ?? defaultUnionPolicy], writeDiscriminator: deductions[deduce] }
}

/**
 * Returns a function that returns the policy for an object with this type: the policy that the options name. Without a named policy, a run
 * that reads a cluster ignores unions, as the cluster does, and reports the first object that has any.
 */
export function policyFor(
  args: UnionValues,
  input: Input,
): (document: Document, type: Type) => UnionPolicy | undefined {
  const named = namedPolicy(args)
  if (named !== undefined || input.cluster === undefined) return () => named
  let isReported = false
  return (document, type) => {
    if (!isReported && seesUnions(unionPolicies[defaultUnionPolicy], type, true)) {
      isReported = true
      const { kind } = objectKindOf(document.value)
      const note = `unions of ${kind} have no effect, as in a cluster; to settle them, name a policy with --unions`
      input.remark(`${printable(`${document.at([])}: ${note}`)}\n`)
    }
    return unionPolicies.off
  }
}

/** Returns the policy that `--unions` and `--deduce` name, or the default policy. */
export function chosenPolicy(args: UnionValues): UnionPolicy {
  return namedPolicy(args) ?? unionPolicies[defaultUnionPolicy]
}

/** Whether the options name a policy that settles unions. If so, built-in types have unions too, although an API server ignores them. */
export function asksForUnions(args: UnionValues): boolean {
  return namedPolicy(args)?.enabled === true
}

/** Returns the conversion options for the unions of CRDs and OpenAPI documents. */
export function conversionOf(args: UnionValues): ConversionOptions {
  if (args.unionsFromValidation) return { unionMode: "from-validation" }
  return asksForUnions(args) ? { unionMode: "repair" } : {}
}
