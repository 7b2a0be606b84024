import type { ConversionOptions, UnionMode } from "../../openapi/options.js"
import { defaultUnionPolicy, type UnionPolicy, type UnionPolicyName, unionPolicies } from "../../union/policy.js"
import type { Arguments, Option } from "./options.js"

export const unionPolicyNames = Object.keys(unionPolicies) as UnionPolicyName[]

/** The union modes for commands that convert documents to a schema. */
export const unionModes = [
  "off",
  "upstream",
  "drop",
  "repair",
  "from-validation",
] as const satisfies readonly UnionMode[]

export const unionOverlayOption: Option = {
  name: "union-overlay",
  value: "FILE",
  help: "unions for types that come without them",
}

export const unionOptions: readonly Option[] = [
  {
    name: "unions",
    value: "POLICY",
    help: `how unions are settled: ${unionPolicyNames.join(", ")}; by default ${defaultUnionPolicy}`,
  },
  {
    name: "deduce",
    value: "WHEN",
    help: "when the discriminator follows the member that is set: always, schema (if the schema says so) or never",
  },
  {
    name: "unions-from-validation",
    help: "take validation (oneOf, CEL) in CRDs and OpenAPI documents as a union where it means exactly that",
  },
  unionOverlayOption,
]

/** The setting of a policy for each value of `--deduce`. */
const deductions = { always: "always", schema: "schema-flag", never: "never" } as const

/**
 * Returns the policy that `--unions` and `--deduce` name; undefined if neither is given. The engine adds unions to built-in types only
 * under a named policy.
 */
export function namedPolicy(args: Arguments): UnionPolicy | undefined {
  const name = args.choice("unions", unionPolicyNames)
  const deduce = args.choice("deduce", ["always", "schema", "never"])
  if (deduce === undefined) return name && unionPolicies[name]
  return { ...unionPolicies[name ?? defaultUnionPolicy], writeDiscriminator: deductions[deduce] }
}

/** Returns the policy that `--unions` and `--deduce` name, or the default policy. */
export function chosenPolicy(args: Arguments): UnionPolicy {
  return namedPolicy(args) ?? unionPolicies[defaultUnionPolicy]
}

/** Whether the options name a policy that settles unions. If so, built-in types have unions too, although an API server ignores them. */
export function asksForUnions(args: Arguments): boolean {
  return namedPolicy(args)?.enabled === true
}

/** Returns the conversion options for the unions of CRDs and OpenAPI documents. */
export function conversionOf(args: Arguments): ConversionOptions {
  if (args.has("unions-from-validation")) return { unionMode: "from-validation" }
  return asksForUnions(args) ? { unionMode: "repair" } : {}
}
