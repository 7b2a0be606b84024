import { type UnionPolicyName, unionPolicies } from "../../union/policy.js"
import { type Arguments, type Option, UsageError } from "./options.js"

const policyNames = Object.keys(unionPolicies) as UnionPolicyName[]

export const unionsOption: Option = {
  name: "unions",
  value: "POLICY",
  help: `how unions are settled: ${policyNames.join(", ")}`,
}

/** What `--unions` says; without it `v4` for a schema of one's own, and for Kubernetes' types what an API server does: nothing. */
export function chosenPolicy(args: Arguments): UnionPolicyName {
  return policyNamed(args.get("unions") ?? (args.get("schema") === undefined ? "off" : "v4"))
}

/** What `--unions` says; `off` without it. */
export function askedPolicy(args: Arguments): UnionPolicyName {
  return policyNamed(args.get("unions") ?? "off")
}

function policyNamed(choice: string): UnionPolicyName {
  const policy = policyNames.find(name => name === choice)
  if (policy === undefined) throw new UsageError(`--unions is one of ${policyNames.join(", ")}, not ${choice}`)
  return policy
}
