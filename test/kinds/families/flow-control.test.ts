/** The rules of flowcontrol.apiserver.k8s.io, with the messages of Kubernetes' validation. */
import { describe, expect, it } from "vitest"
import type { MapValue } from "../../../src/value/value.js"
import { problemsOf } from "../problems.js"

const group = "flowcontrol.apiserver.k8s.io"

describe("PriorityLevelConfiguration", () => {
  const queue = (queuing: MapValue): MapValue => ({ limitResponse: { type: "Queue", queuing } })
  const level = (type: string, fields: MapValue, name = type === "Exempt" ? "exempt" : "a"): MapValue => {
    return { metadata: { name }, spec: { type, [type === "Exempt" ? "exempt" : "limited"]: fields } }
  }
  const good = { queueLengthLimit: 50, queues: 64, handSize: 8 }
  const percent = "must be between 0 and 100, inclusive"
  it.each<[MapValue, string[]]>([
    [level("Limited", queue(good)), []],
    [level("Exempt", { nominalConcurrencyShares: 0, lendablePercent: 100 }), []],
    [
      level("Exempt", { nominalConcurrencyShares: -1, lendablePercent: 101 }),
      [
        "spec.exempt.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer",
        `spec.exempt.lendablePercent: Invalid value: 101: ${percent}`,
      ],
    ],
    [
      level("Limited", { nominalConcurrencyShares: -1, lendablePercent: -1, borrowingLimitPercent: -1 }),
      [
        "spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer",
        `spec.limited.lendablePercent: Invalid value: -1: ${percent}`,
        "spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer",
      ],
    ],
    // The response of a level that is exempt does not count.
    [level("Exempt", queue({ ...good, handSize: 65 })), []],
    [
      level("Limited", {}, "exempt"),
      ["spec.type: Invalid value: \"Limited\": must be 'Exempt' if and only if `name` is 'exempt'"],
    ],
    [
      level("Exempt", {}, "a"),
      ["spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'"],
    ],
    [
      level("Other", { nominalConcurrencyShares: -1 }),
      ['spec.type: Unsupported value: "Other": supported values: "Exempt", "Limited"'],
    ],
  ])("%j", (object, problems) => {
    expect(problemsOf(`${group}/PriorityLevelConfiguration`, object)).toEqual(problems)
  })

  it.each<[MapValue, string[]]>([
    [{ queueLengthLimit: 0 }, ["queueLengthLimit: Invalid value: 0: must be positive"]],
    [
      { queues: 0 },
      [
        "queues: Invalid value: 0: must be positive",
        "handSize: Invalid value: 8: should not be greater than queues (0)",
      ],
    ],
    [{ queues: 10_000_000, handSize: 2 }, []],
    [{ queues: 10_000_001, handSize: 2 }, ["queues: Invalid value: 10000001: must not be greater than 10000000"]],
    [{ handSize: 0 }, ["handSize: Invalid value: 0: must be positive"]],
    [{ handSize: 65 }, ["handSize: Invalid value: 65: should not be greater than queues (64)"]],
    [{ handSize: 10 }, []],
    [
      { handSize: 11 },
      [
        "handSize: Invalid value: 11: required entropy bits of deckSize 64 and handSize 11 should not be greater than 60",
      ],
    ],
  ])("may have queues like %j", (changed, problems) => {
    const found = problemsOf(`${group}/PriorityLevelConfiguration`, level("Limited", queue({ ...good, ...changed })))
    expect(found).toEqual(problems.map(problem => `spec.limited.limitResponse.queuing.${problem}`))
  })
})

describe("FlowSchema", () => {
  const user = { kind: "User", user: { name: "a" } }
  const resources = { verbs: ["get"], apiGroups: [""], resources: ["pods"], namespaces: ["a"] }
  const rule = { subjects: [user], resourceRules: [resources] }
  const schema = (spec: MapValue, name = "a"): MapValue => ({
    metadata: { name },
    spec: { matchingPrecedence: 2, priorityLevelConfiguration: { name: "l" }, rules: [rule], ...spec },
  })
  const methods = 'supported values: "ByNamespace", "ByUser"'
  it.each<[MapValue, string[]]>([
    [schema({}), []],
    [schema({ matchingPrecedence: 0 }), ["matchingPrecedence: Invalid value: 0: must be a positive value"]],
    [schema({ matchingPrecedence: 10_000 }), []],
    [
      schema({ matchingPrecedence: 10_001 }),
      ["matchingPrecedence: Invalid value: 10001: must not be greater than 10000"],
    ],
    [
      schema({ matchingPrecedence: 1 }),
      ["matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
    ],
    [schema({ matchingPrecedence: 1 }, "exempt"), []],
    [schema({ distinguisherMethod: { type: "ByUser" } }), []],
    [
      schema({ distinguisherMethod: { type: "ByIP" } }),
      [`distinguisherMethod.type: Unsupported value: {"Type":"ByIP"}: ${methods}`],
    ],
    [
      schema({ priorityLevelConfiguration: {} }),
      ["priorityLevelConfiguration.name: Required value: must reference a priority level"],
    ],
  ])("%j", (object, problems) => {
    expect(problemsOf(`${group}/FlowSchema`, object)).toEqual(problems.map(problem => `spec.${problem}`))
  })

  const verbs =
    'supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"'
  const toNamespace =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
  const url = (nonResourceURLs: string[]): MapValue => ({
    subjects: [user],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs }],
  })
  const urls = "nonResourceRules[0].nonResourceURLs"
  it.each<[MapValue, string[]]>([
    [
      {},
      [
        "subjects: Required value: subjects must contain at least one value",
        ": Required value: at least one of resourceRules and nonResourceRules has to be non-empty",
      ],
    ],
    [
      { ...rule, subjects: [{ kind: "User" }] },
      ["subjects[0].user: Required value: user is required when subject kind is 'User'"],
    ],
    [{ ...rule, subjects: [{ kind: "User", user: {} }] }, ["subjects[0].user.name: Required value"]],
    [
      { ...rule, subjects: [{ ...user, group: { name: "g" }, serviceAccount: {} }] },
      [
        "subjects[0].serviceAccount: Forbidden: serviceAccount is forbidden when subject kind is not 'ServiceAccount'",
        "subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'",
      ],
    ],
    [
      { ...rule, subjects: [{ kind: "Robot" }] },
      ['subjects[0].kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"'],
    ],
    [{ ...rule, subjects: [{ kind: "ServiceAccount", serviceAccount: { name: "*", namespace: "a" } }] }, []],
    [
      { ...rule, subjects: [{ kind: "ServiceAccount", serviceAccount: { name: "a" } }] },
      ["subjects[0].serviceAccount.namespace: Required value: must specify namespace for service account"],
    ],
    [
      { ...rule, resourceRules: [{ ...resources, verbs: [] }] },
      ["resourceRules[0].verbs: Required value: verbs must contain at least one value"],
    ],
    [{ ...rule, resourceRules: [{ ...resources, verbs: ["*"] }] }, []],
    [
      { ...rule, resourceRules: [{ ...resources, verbs: ["*", "get"] }] },
      ['resourceRules[0].verbs: Invalid value: ["*","get"]: if \'*\' is present, must not specify other verbs'],
    ],
    [
      { ...rule, resourceRules: [{ ...resources, verbs: ["get", "eat"] }] },
      [`resourceRules[0].verbs: Unsupported value: ["get","eat"]: ${verbs}`],
    ],
    [
      { ...rule, resourceRules: [{ verbs: ["get"] }] },
      [
        "resourceRules[0].apiGroups: Required value: resource rules must supply at least one api group",
        "resourceRules[0].resources: Required value: resource rules must supply at least one resource",
        "resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace",
      ],
    ],
    [{ ...rule, resourceRules: [{ ...resources, namespaces: [], clusterScope: true }] }, []],
    [
      { ...rule, resourceRules: [{ ...resources, namespaces: ["A"], clusterScope: true }] },
      [
        `resourceRules[0].namespaces[0]: Invalid value: "A": each member of this list must be '*' or a DNS-1123 label; ${toNamespace}`,
      ],
    ],
    [
      url(["/a", "/a/*", "*"]),
      [`${urls}: Invalid value: ["/a","/a/*","*"]: if '*' is present, must not specify other non-resource URLs`],
    ],
    [url([]), [`${urls}: Required value: nonResourceURLs must contain at least one value`]],
    [url(["/a", "/a/*", "/*"]), []],
    [
      url(["", "a", "/a b", "/a//b", "/a*", "/*/*"]),
      [
        `${urls}[0]: Invalid value: "": must not be empty`,
        `${urls}[1]: Invalid value: "a": must start with slash`,
        `${urls}[2]: Invalid value: "/a b": must not contain white-space`,
        `${urls}[3]: Invalid value: "/a//b": must not contain double slash`,
        `${urls}[4]: Invalid value: "/a*": wildcard can only do suffix matching`,
        `${urls}[5]: Invalid value: "/*/*": wildcard can only do suffix matching`,
      ],
    ],
  ])("may have the rule %j", (each, problems) => {
    const found = problemsOf(`${group}/FlowSchema`, schema({ rules: [each] }))
    expect(found).toEqual(problems.map(problem => `spec.rules[0]${problem.startsWith(":") ? "" : "."}${problem}`))
  })
})
