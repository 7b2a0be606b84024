import type { ConversionOptions, UnionMode } from "../../openapi/options.js"
import { defaultUnionPolicy, type UnionPolicyName, unionPolicies } from "../../union/policy.js"
import { type Arguments, type Option, UsageError } from "./options.js"

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
    name: "unions-from-validation",
    help: "what CRDs and OpenAPI documents state as validation (oneOf, CEL) is a union where it means exactly that",
  },
  unionOverlayOption,
]

/** The policy that `--unions` names; undefined if it names none. The engine gives built-in types unions only under a named policy. */
export function namedPolicy(args: Arguments): UnionPolicyName | undefined {
  const choice = args.get("unions")
  const policy = unionPolicyNames.find(name => name === choice)
  if (policy !== choice) throw new UsageError(`--unions is one of ${unionPolicyNames.join(", ")}, not ${choice}`)
  return policy
}

/** The policy that `--unions` names, or the default. */
export function chosenPolicy(args: Arguments): UnionPolicyName {
  return namedPolicy(args) ?? defaultUnionPolicy
}

/** Whether `--unions` asks for a policy. If so, the built-in types have unions too, although an API server ignores them. */
export function asksForUnions(args: Arguments): boolean {
  return (args.get("unions") ?? "off") !== "off"
}

/** What becomes of the unions of CRDs and OpenAPI documents. */
export function conversionOf(args: Arguments): ConversionOptions {
  if (args.has("unions-from-validation")) return { unions: "from-validation" }
  return asksForUnions(args) ? { unions: "repair" } : {}
}
