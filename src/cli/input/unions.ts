import type { ConversionOptions, UnionMode } from "../../openapi/options.js"
import { defaultUnionPolicy, type UnionPolicy, type UnionPolicyName, unionPolicies } from "../../union/policy.js"
import type { Arguments, Option } from "./options.js"

export const unionPolicyNames = Object.keys(unionPolicies) as UnionPolicyName[]

/** What may become of the unions of documents whose types are read for themselves. */
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
    help: `how unions are settled: ${unionPolicyNames.join(", ")}; ${defaultUnionPolicy} if not given`,
  },
  {
    name: "deduce",
    value: "WHEN",
    help: "when the discriminator follows the member that is set: always, schema (if the schema says so) or never",
  },
  {
    name: "unions-from-validation",
    help: "what CRDs and OpenAPI documents state as validation (oneOf, CEL) is a union where it means exactly that",
  },
  unionOverlayOption,
]

/** Each value of `--deduce` with the answer of a policy that it stands for. */
const deductions = { always: "always", schema: "schema-flag", never: "never" } as const

/**
 * The policy that `--unions` and `--deduce` name; undefined if neither is given. The engine gives built-in types unions only under a
 * named policy.
 */
export function namedPolicy(args: Arguments): UnionPolicy | undefined {
  const name = args.choice("unions", unionPolicyNames)
  const deduce = args.choice("deduce", ["always", "schema", "never"])
  if (deduce === undefined) return name && unionPolicies[name]
  return { ...unionPolicies[name ?? defaultUnionPolicy], writeDiscriminator: deductions[deduce] }
}

/** The policy that `--unions` and `--deduce` name, or the default. */
export function chosenPolicy(args: Arguments): UnionPolicy {
  return namedPolicy(args) ?? unionPolicies[defaultUnionPolicy]
}

/** Whether a policy is named that settles unions. If so, the built-in types have unions too, although an API server ignores them. */
export function asksForUnions(args: Arguments): boolean {
  return namedPolicy(args)?.enabled === true
}

/** What becomes of the unions of CRDs and OpenAPI documents. */
export function conversionOf(args: Arguments): ConversionOptions {
  if (args.has("unions-from-validation")) return { unionMode: "from-validation" }
  return asksForUnions(args) ? { unionMode: "repair" } : {}
}
