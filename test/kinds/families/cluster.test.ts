/** The rules of namespaces, nodes, quotas and leases, with the messages of Kubernetes' validation. */
import { describe, expect, it } from "vitest"
import type { MapValue } from "../../../src/value/value.js"
import { problemsOf } from "../problems.js"

const notNetwork = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"

describe("Namespace", () => {
  it("has finalizers with qualified names, or one of Kubernetes' own", () => {
    const namespace = { spec: { finalizers: ["kubernetes", "example.com/a", "b"] } }
    expect(problemsOf("/Namespace", namespace)).toEqual([
      'spec.finalizers: Invalid value: "b": name is neither a standard finalizer name nor is it fully qualified',
    ])
    expect(problemsOf("/Namespace", namespace, namespace)).toEqual([])
  })
})

describe("Node", () => {
  const node = (spec: MapValue): MapValue => ({ spec })
  const [four, other, six] = ["10.0.0.0/24", "10.0.1.0/24", "fd00::/64"]
  const kept = 'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'
  const oneOfEach = "may specify no more than one CIDR for each IP family"
  it.each<[MapValue | undefined, MapValue, string[]]>([
    [undefined, { podCIDRs: [four, six] }, []],
    [undefined, { podCIDRs: [four, other] }, [`spec.podCIDRs: Invalid value: ["${four}","${other}"]: ${oneOfEach}`]],
    [
      undefined,
      { podCIDRs: [four, six, other] },
      [`spec.podCIDRs: Invalid value: ["${four}","${six}","${other}"]: ${oneOfEach}`],
    ],
    [undefined, { podCIDRs: ["x"] }, [`spec.podCIDRs[0]: Invalid value: "x": ${notNetwork}`]],
    [{}, { podCIDRs: [four] }, []],
    [{ podCIDRs: [four] }, { podCIDRs: [four] }, []],
    [{ podCIDRs: [four] }, { podCIDRs: [other] }, [kept]],
    [{ podCIDRs: [four] }, {}, [kept]],
    [{}, { providerID: "a" }, []],
    [{ providerID: "a" }, { providerID: "a" }, []],
    [
      { providerID: "a" },
      { providerID: "b" },
      ["spec.providerID: Invalid value: null: field cannot be modified once set"],
    ],
    [{ providerID: "a" }, {}, ["spec.providerID: Invalid value: null: field cannot be cleared once set"]],
    [{ externalID: "a" }, { externalID: "a" }, []],
    [{ externalID: "a" }, {}, ["spec.externalID: Forbidden: may not be updated"]],
  ])("from %j to %j", (before, after, problems) => {
    expect(problemsOf("/Node", node(after), before && node(before))).toEqual(problems)
  })

  it("has taints that differ in key or effect", () => {
    const taints = [
      { key: "a", effect: "NoSchedule" },
      { key: "a", effect: "NoExecute" },
      { key: "b", effect: "NoSchedule", value: "x" },
      { key: "a", effect: "NoSchedule", value: "x" },
      { key: "c" },
      { key: "d", effect: "Never" },
    ]
    expect(problemsOf("/Node", node({ taints }))).toEqual([
      'metadata.taints[3]: Duplicate value: {"Key":"a","Value":"x","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
      "metadata.taints[4].effect: Required value",
      'metadata.taints[5].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ])
  })
})

describe("ResourceQuota", () => {
  const selected = (scopeName: string, operator: string, values?: string[]): MapValue => ({
    spec: { scopeSelector: { matchExpressions: [{ scopeName, operator, ...(values && { values }) }] } },
  })
  const place = "spec.scopeSelector.matchExpressions"
  const mustExist =
    "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
  it.each<[MapValue, string[]]>([
    [{ spec: { scopes: ["Terminating", "BestEffort"] } }, []],
    [{ spec: { scopes: ["Some"] } }, ['spec.scopes: Invalid value: ["Some"]: unsupported scope']],
    [
      { spec: { scopes: ["Terminating", "NotTerminating"] } },
      ['spec.scopes: Invalid value: ["Terminating","NotTerminating"]: conflicting scopes'],
    ],
    [
      { spec: { scopes: ["NotBestEffort", "BestEffort"] } },
      ['spec.scopes: Invalid value: ["NotBestEffort","BestEffort"]: conflicting scopes'],
    ],
    [selected("PriorityClass", "In", ["high"]), []],
    [selected("PriorityClass", "Exists"), []],
    [selected("PriorityClass", "DoesNotExist"), []],
    [
      selected("PriorityClass", "In"),
      [
        `${place}.values: Required value: must be at least one value when \`operator\` is 'In' or 'NotIn' for scope selector`,
      ],
    ],
    [
      selected("PriorityClass", "NotIn"),
      [
        `${place}.values: Required value: must be at least one value when \`operator\` is 'In' or 'NotIn' for scope selector`,
      ],
    ],
    [
      selected("PriorityClass", "Exists", ["a"]),
      [
        `${place}.values: Invalid value: ["a"]: must be no value when \`operator\` is 'Exist' or 'DoesNotExist' for scope selector`,
      ],
    ],
    [selected("PriorityClass", "Near"), [`${place}.operator: Invalid value: "Near": not a valid selector operator`]],
    [selected("Some", "Exists"), [`${place}.scopeName: Invalid value: "Some": unsupported scope`]],
    [selected("BestEffort", "In", ["a"]), [`${place}.operator: Invalid value: "In": ${mustExist}`]],
    [selected("BestEffort", "Exists"), []],
  ])("%j", (quota, problems) => {
    expect(problemsOf("/ResourceQuota", quota)).toEqual(problems)
  })
})

describe("Lease", () => {
  it.each<[MapValue, string[]]>([
    [{}, []],
    [{ leaseDurationSeconds: 1, leaseTransitions: 0 }, []],
    [
      { leaseDurationSeconds: 0, leaseTransitions: -1 },
      [
        "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
        "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
      ],
    ],
  ])("%j", (spec, problems) => {
    expect(problemsOf("coordination.k8s.io/Lease", { spec })).toEqual(problems)
  })
})
