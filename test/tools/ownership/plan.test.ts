import { describe, expect, it } from "vitest"
import { StructuredMergeError } from "../../../src/errors.js"
import { kubernetes } from "../../../src/kinds/kubernetes.js"
import { kubernetesTypes } from "../../../src/kubernetes/index.js"
import { changeApiVersion, deducedTypes, FieldManager, type TypeFinder } from "../../../src/managedfields/index.js"
import { TypeConverter } from "../../../src/openapi/index.js"
import {
  explain,
  type OwnershipRequest,
  type Plan,
  type PlannedChange,
  plan,
} from "../../../src/tools/ownership/index.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import {
  clockFrom,
  configMap,
  deployment,
  entry,
  fieldManager,
  managedBy,
  messageOf,
} from "../../managedfields/notation.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { definitionOf } from "../../support/definition.js"
import { schemaErrors } from "./schema.js"

type Asked = Partial<OwnershipRequest> & { readonly manager: string }

function planOf(live: object | undefined, config: object, asked: Asked): Plan {
  const made = plan(live, config, { types: kubernetesTypes, clock: clockFrom(), ...asked })
  expect(schemaErrors(made)).toBe("")
  return made
}

const marks = { add: "+", change: "~", remove: "-", stay: "=" }

/** `~ .spec.replicas 7 -> 3 configured !hpa`: the marker, both values, the reason, the other owners; `!` means that they contest it. */
function line({ action, path, from, to, because, owners, contested, counterpart }: PlannedChange): string {
  const values = [from, to].filter(value => value !== undefined).map(value => JSON.stringify(value))
  const others = owners.map(({ manager }) => `${contested === true ? "!" : ""}${manager}`)
  return [
    marks[action],
    path,
    values.join(" -> "),
    because,
    ...others,
    ...(counterpart ? [`(${counterpart})`] : []),
  ].join(" ")
}

/** The object after these forced applies, each as `manager: config`. */
function applied(...applies: readonly (readonly [manager: string, config: object])[]): MapValue {
  const fm = fieldManager()
  let live: MapValue | undefined
  for (const [manager, config] of applies) live = fm.apply<MapValue>(live, config, { manager, force: true }).object
  return deepFreeze(live as MapValue)
}

const withEnv = (...env: readonly Value[]) =>
  deployment({ template: { spec: { containers: [{ name: "web", image: "w:1", env }] } } })
const ports = (...list: readonly Value[]) =>
  deepFreeze({ apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { ports: list } })

describe("the outcome", () => {
  const live = applied(["me", configMap({ a: "1" })])

  it("is to create if there is no object", () => {
    const made = planOf(undefined, configMap({ a: "1" }), { manager: "me" })
    expect(made).toMatchObject({
      type: "plan",
      version: 1,
      outcome: "create",
      manager: "me",
      force: false,
      findings: [],
    })
    expect(made.target).toEqual({ apiVersion: "v1", kind: "ConfigMap", name: "web" })
    expect(made.changes.map(line)).toEqual(['+ .data {"a":"1"} configured'])
    expect(made.ownership).toMatchObject([
      { owner: { manager: "me", operation: "Apply" }, gained: [{ path: ".data.a" }], lost: [], keeps: 1 },
    ])
    expect(made.object).toEqual(live)
  })

  it("is unchanged if nothing changes", () => {
    const made = planOf(live, configMap({ a: "1" }), { manager: "me" })
    expect(made).toMatchObject({ outcome: "unchanged", changes: [], ownership: [], conflicts: [], taken: [] })
    expect(made.object).toBe(live)
  })

  it("is a change if only owners change", () => {
    const made = planOf(live, configMap({ a: "1" }), { manager: "you" })
    expect(made).toMatchObject({ outcome: "change", changes: [] })
    expect(made.ownership.map(({ owner, gained }) => [owner.manager, gained.length])).toEqual([["you", 1]])
  })

  it("is a conflict if others own a field that would change, and the object stays", () => {
    const scaled = managedBy(
      deployment({ replicas: 7 }),
      entry("hpa Update/scale apps/v1", { "f:spec": { "f:replicas": {} } }, "2024-05-01T11:00:00Z"),
    )
    const hpa = {
      manager: "hpa",
      operation: "Update",
      apiVersion: "apps/v1",
      subresource: "scale",
      time: "2024-05-01T11:00:00Z",
    }
    const made = planOf(scaled, deployment({ replicas: 3 }), { manager: "me" })
    expect(made.outcome).toBe("conflict")
    expect(made.object).toBe(scaled)
    expect(made.changes.map(line)).toEqual(["~ .spec.replicas 7 -> 3 configured !hpa"])
    expect(made.conflicts).toEqual([
      {
        path: ".spec.replicas",
        steps: ["f:spec", "f:replicas"],
        manager: '{"manager":"hpa","operation":"Update","apiVersion":"apps/v1","subresource":"scale"}',
        owner: hpa,
        live: 7,
        configured: 3,
      },
    ])
    expect(made.taken).toEqual([
      { owner: hpa, fields: [{ path: ".spec.replicas", steps: ["f:spec", "f:replicas"] }], keeps: 0 },
    ])
    expect(made.status).toMatchObject({
      code: 409,
      message:
        'Apply failed with 1 conflict: conflict with "hpa" with subresource "scale" using apps/v1: .spec.replicas',
    })

    const forced = planOf(scaled, deployment({ replicas: 3 }), { manager: "me", force: true })
    expect(forced).toMatchObject({ outcome: "change", conflicts: [], taken: made.taken, changes: made.changes })
    expect(forced.status).toBeUndefined()
    expect(forced.object).toEqual(made.forced)
    expect(forced.ownership.map(({ owner, gained, lost }) => [owner.manager, gained.length, lost.length])).toEqual([
      ["me", 1, 0],
      ["hpa", 0, 1],
    ])
  })

  it("is a conflict if not even force helps, and a refusal of a forced apply", () => {
    const defaults = (): never => {
      throw new StructuredMergeError("invalid-value", "no defaults")
    }
    const asked = { manager: "you", defaults }
    const made = planOf(live, configMap({ a: "2" }), asked)
    expect(made).toMatchObject({ outcome: "conflict", changes: [], findings: [{ code: "force-refused" }] })
    expect(made.forced).toBeUndefined()
    const forced = planOf(live, configMap({ a: "2" }), { ...asked, force: true })
    expect(forced).toMatchObject({ outcome: "refused", refusal: { step: "merge", message: "no defaults" } })
  })

  it("comes with a note that it depends on unions, which a cluster ignores, unless a policy is named", () => {
    const string = { type: "string" }
    const union = { discriminator: "type", "fields-to-discriminateBy": { a: "A", b: "B" } }
    const properties = { type: string, a: string, b: string, note: string }
    const spec = { type: "object", properties, "x-kubernetes-unions": [union] }
    const types = new TypeConverter([{ document: definitionOf("Shape", { schema: { properties: { spec } } }) }])
    const shape = (spec: MapValue): MapValue => ({
      apiVersion: "example.com/v1",
      kind: "Shape",
      metadata: { name: "s" },
      spec,
    })
    const shaped = new FieldManager({ types, clock: clockFrom() }).apply(undefined, shape({ a: "x" }), {
      manager: "p",
    }).object
    const codes = (spec: MapValue, asked: Asked) =>
      planOf(shaped, shape(spec), { types, ...asked }).findings.map(({ code }) => code)
    const only = "types-only"
    expect(codes({ b: "x" }, { manager: "q" })).toEqual([only, "unions-settled"])
    expect(codes({ b: "x" }, { manager: "p" })).toEqual([only, "unions-settled"])
    expect(codes({ b: "x" }, { manager: "q", force: true })).toEqual([only, "unions-settled"])
    expect(codes({ type: "B" }, { manager: "q" })).toEqual(["force-refused", only, "unions-settled"])
    expect(codes({ note: "n" }, { manager: "q" })).toEqual([only])
    for (const unions of ["off", "extended"] as const) {
      expect(codes({ b: "x" }, { manager: "q", unions })).toEqual([only])
    }
  })

  it("comes with a note if only the type of the kind is known, unless the request asks for types only", () => {
    const gadget = { apiVersion: "example.com/v1", kind: "Gadget", metadata: { name: "g" }, spec: { size: 1 } }
    const definition = definitionOf("Gadget", { schema: { properties: { spec: { type: "object" } } } })
    const codes = (types: TypeFinder, config: object = gadget) =>
      planOf(undefined, config, { types, manager: "me" }).findings.map(({ code }) => code)
    for (const types of [new TypeConverter([{ document: definition }]), deducedTypes]) {
      expect(codes(types)).toEqual(["types-only"])
      expect(explain(undefined, gadget, { types, manager: "me" }).findings).toMatchObject([{ code: "types-only" }])
    }
    expect(codes(kubernetes.with([definition]))).toEqual([])
    expect(codes(kubernetes.with([definition]).typesOnly())).toEqual([])
    for (const types of [kubernetesTypes, kubernetes, kubernetes.typesOnly()]) {
      expect(codes(types, configMap({}))).toEqual([])
    }
    expect(codes(kubernetes)).toEqual(["not-served"])
  })

  it("is an error if the request is wrong", () => {
    expect(messageOf(() => planOf(undefined, configMap({}), { manager: "" }))).toContain("fieldManager: Required value")
    expect(messageOf(() => planOf(undefined, [], { manager: "me" }))).toBe("expected an object, got a list")
    expect(() => planOf({ apiVersion: "v1", kind: "Nothing" }, configMap({}), { manager: "me" })).toThrow(TypeError)
    const other = { ...configMap({}), metadata: { name: "other" } }
    expect(() => planOf(configMap({}), other, { manager: "me" })).toThrow(
      /^the live object is v1 ConfigMap ".*", and the configuration is about v1 ConfigMap "other"$/,
    )
  })

  it("is a refusal if a value does not fit its type", () => {
    const made = planOf(undefined, deployment({ replicas: "x" }), { manager: "me" })
    expect(made).toMatchObject({ outcome: "refused", refusal: { step: "merge" }, status: { code: 500 } })
    expect(made.status?.message).toContain(".spec.replicas")
    const sparse = { ...configMap({}), data: [undefined, "a"] as unknown as Value }
    expect(planOf(undefined, sparse, { manager: "me" }).status?.message).toMatch(
      /\.data: expected map, got .*undefined/,
    )
  })
})

describe("a change because", () => {
  it("it is no longer applied; fields of others stay", () => {
    const [log, old] = [
      { name: "LOG", value: "1" },
      { name: "OLD", value: "1" },
    ]
    const live = applied(["me", withEnv(log, old)], ["ci", withEnv(log)])
    expect(planOf(live, withEnv(), { manager: "me" }).changes.map(line)).toEqual([
      '= .spec.template.spec.containers[name="web"].env[name="LOG"] {"name":"LOG","value":"1"} -> {"name":"LOG","value":"1"} owned-by-others ci',
      '- .spec.template.spec.containers[name="web"].env[name="OLD"] {"name":"OLD","value":"1"} no-longer-applied',
    ])
  })

  it("the key of an item changed", () => {
    const http = { name: "http", port: 80, protocol: "TCP" }
    const dns = { name: "dns", port: 53, protocol: "UDP" }
    const live = applied(["me", ports(http, dns)])
    expect(planOf(live, ports({ ...http, port: 8080 }), { manager: "me" }).changes.map(line)).toEqual([
      '- .spec.ports[port=53,protocol="UDP"] {"name":"dns","port":53,"protocol":"UDP","targetPort":53} no-longer-applied',
      '- .spec.ports[port=80,protocol="TCP"] {"name":"http","port":80,"protocol":"TCP","targetPort":80} list-key-changed (.spec.ports[port=8080,protocol="TCP"])',
      '+ .spec.ports[port=8080,protocol="TCP"] {"name":"http","port":8080,"protocol":"TCP","targetPort":8080} list-key-changed (.spec.ports[port=80,protocol="TCP"])',
    ])
    // Items with nothing but keys: one that goes and one that comes count as the same item; two do not.
    const bare = (...numbers: number[]) => {
      const ports = numbers.map(containerPort => ({ containerPort, protocol: "TCP" }))
      return deployment({ template: { spec: { containers: [{ name: "web", ports }] } } })
    }
    const because = (from: MapValue, to: object) =>
      planOf(from, to, { manager: "me" }).changes.map(({ because }) => because)
    expect(because(applied(["me", bare(1)]), bare(2))).toEqual(["list-key-changed", "list-key-changed"])
    expect(because(applied(["me", bare(1)]), bare(2, 3))).toEqual(["no-longer-applied", "configured", "configured"])
    expect(because(applied(["me", ports(http)]), ports(dns))).toEqual(["configured", "no-longer-applied"])
  })

  it("an atomic list is replaced whole", () => {
    const args = (...list: string[]) =>
      deployment({ template: { spec: { containers: [{ name: "web", args: list }] } } })
    const live = applied(["me", args("a", "b")])
    expect(planOf(live, args("a"), { manager: "you" }).changes.map(line)).toEqual([
      '~ .spec.template.spec.containers[name="web"].args ["a","b"] -> ["a"] atomic !me',
    ])
  })

  it("a repeated item is there only once", () => {
    const env = [{ name: "A", value: "1" }, { name: "B" }, { name: "A", value: "2" }]
    const live = fieldManager().update<MapValue>(undefined, withEnv(...env), { manager: "old" }).object
    const path = '.spec.template.spec.containers[name="web"].env[name="A"]'
    for (const value of ["1", "3"]) {
      expect(planOf(live, withEnv({ name: "A", value }), { manager: "me" }).changes.map(line)).toEqual([
        `~ ${path} [{"name":"A","value":"1"},{"name":"A","value":"2"}] -> {"name":"A","value":"${value}"} duplicates !old`,
      ])
    }
    expect(planOf(live, withEnv({ name: "B" }), { manager: "me" }).changes).toEqual([])
  })

  it("a repeated value of a set is there only once", () => {
    const pod = (finalizers: readonly string[]) => configMap({}, { finalizers })
    const live = fieldManager().update<MapValue>(undefined, pod(["a", "b", "a"]), { manager: "old" }).object
    expect(planOf(live, pod(["a"]), { manager: "me", force: true }).changes.map(line)).toEqual([
      '~ .metadata.finalizers[="a"] ["a","a"] -> "a" duplicates !old',
    ])
  })

  it("the order of a list changed", () => {
    const live = applied(["me", withEnv({ name: "A", value: "1" }, { name: "B", value: "1" })])
    const made = planOf(live, withEnv({ name: "B", value: "1" }, { name: "A", value: "1" }), { manager: "me" })
    expect(made.outcome).toBe("change")
    expect(made.changes.map(({ path, because }) => `${path} ${because}`)).toEqual([
      '.spec.template.spec.containers[name="web"].env order',
    ])
  })

  it("the order of a list changed, which is not a conflict even if an item is one", () => {
    const live = applied(["ops", withEnv({ name: "A", value: "1" }, { name: "B", value: "1" })])
    const made = planOf(live, withEnv({ name: "B", value: "2" }, { name: "A", value: "1" }), { manager: "me" })
    expect(made.outcome).toBe("conflict")
    expect(made.changes.map(({ path, because, contested = false }) => `${path} ${because} ${contested}`)).toEqual([
      '.spec.template.spec.containers[name="web"].env order false',
      '.spec.template.spec.containers[name="web"].env[name="B"].value configured true',
    ])
  })

  it("a default filled it in on the way to storage", () => {
    const defaults = (object: MapValue): MapValue => ({ ...object, immutable: true })
    const prepare = (object: MapValue): MapValue => ({ ...object, immutable: false })
    const made = planOf(undefined, configMap({ a: "1" }), { manager: "me", defaults })
    expect(made.changes.map(line)).toEqual(['+ .data {"a":"1"} configured', "+ .immutable true defaulted"])
    expect(planOf(undefined, configMap({ a: "1" }), { manager: "me", defaults, prepare }).changes.map(line)).toEqual([
      '+ .data {"a":"1"} configured',
      "+ .immutable false defaulted",
    ])
  })

  it("a member of a union replaced another", () => {
    const rolling = deployment({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } })
    const live = managedBy(
      rolling,
      entry("me Apply apps/v1", { "f:spec": { "f:strategy": { "f:type": {} } } }),
      entry("ops Update apps/v1", { "f:spec": { "f:strategy": { "f:rollingUpdate": { "f:maxSurge": {} } } } }),
    )
    const asked = { manager: "me", types: kubernetesTypes, unions: "extended" } as const
    const made = planOf(live, deployment({ strategy: { type: "Recreate" } }), asked)
    expect(made.outcome).toBe("conflict")
    expect(made.changes.map(line)).toEqual([
      '- .spec.strategy.rollingUpdate {"maxSurge":1,"maxUnavailable":"25%"} union !ops',
      '~ .spec.strategy.type "RollingUpdate" -> "Recreate" configured',
    ])
    const cleared = {
      effect: "cleared",
      member: "rollingUpdate",
      struct: ".spec.strategy",
      policy: "extended",
      text: '.spec.strategy: type "RollingUpdate" -> "Recreate"; removed rollingUpdate',
    }
    expect(made.changes[0]?.union).toEqual(cleared)
    expect(made.conflicts.map(({ path, union }) => [path, union])).toEqual([
      [".spec.strategy.rollingUpdate.maxSurge", cleared],
    ])

    const back = planOf(
      applied(["me", deployment({ strategy: { type: "Recreate" } })]),
      deployment({ strategy: { rollingUpdate: { maxSurge: 1 } } }),
      asked,
    )
    expect(back.changes.map(line)).toEqual([
      '+ .spec.strategy.rollingUpdate {"maxSurge":1,"maxUnavailable":"25%"} configured',
      '~ .spec.strategy.type "Recreate" -> "RollingUpdate" union',
    ])
  })

  it("kubectl updates its annotation", () => {
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "{}" }
    const live = managedBy(
      configMap({ a: "1" }, { annotations }),
      entry("kubectl Apply v1", { "f:data": { "f:a": {} } }),
    )
    expect(planOf(live, configMap({ a: "2" }), { manager: "kubectl" }).changes.map(change => change.because)).toEqual([
      "configured",
      "last-applied",
    ])
  })

  it("it was applied, even the annotation of client-side apply", () => {
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "{}" }
    const live = applied(["me", configMap({ a: "1" }, { annotations })])
    expect(planOf(live, configMap({ a: "1" }), { manager: "me" }).changes.map(line)).toEqual([
      expect.stringMatching(/^- \.metadata\.annotations .* no-longer-applied$/),
    ])
  })
})

describe("a doubtful plan", () => {
  it("is for a stored object without managedFields", () => {
    const live = configMap({ a: "1" }, { resourceVersion: "7" })
    const made = planOf(live, configMap({ a: "2" }), { manager: "me" })
    expect(made.findings.map(({ code }) => code)).toEqual(["managed-fields-missing"])
    expect(made.conflicts.map(({ owner }) => owner.manager)).toEqual(["before-first-apply"])
  })
})

describe("versions", () => {
  it("names the owners that are dropped with a version that is gone", () => {
    const live = managedBy(
      configMap({ a: "1" }),
      entry("old Update v0", { "f:data": { "f:a": {} } }),
      entry("me Apply v1", { "f:data": { "f:a": {} } }),
    )
    const converter = changeApiVersion(kubernetesTypes, { dropMissing: true })
    const made = planOf(live, configMap({ a: "2" }), { manager: "me", converter })
    expect(made.dropped).toEqual([{ manager: "old", operation: "Update", apiVersion: "v0" }])
    expect(made.ownership.map(({ owner, keeps }) => [owner.manager, keeps])).toEqual([["old", 0]])
  })
})

it("has plain data, equal to the results of FieldManager", () => {
  const live = applied(["me", configMap({ a: "1", b: "2" })])
  const request = { types: kubernetesTypes, manager: "you", force: true, clock: () => new Date(0) }
  const made = plan(live, configMap({ a: "2" }), request)
  expect(JSON.parse(JSON.stringify(made))).toEqual(made)
  expect(made.object).toEqual(new FieldManager(request).apply(live, configMap({ a: "2" }), request).object)
})

it("accepts an entry without fieldsV1, as FieldManager does", () => {
  const { fieldsV1: _, ...bare } = entry("ops Apply v1", {})
  const made = planOf(managedBy(configMap({ a: "1" }), bare), configMap({ a: "2" }), { manager: "me" })
  expect([made.outcome, made.changes.map(line)]).toEqual(["change", ['~ .data.a "1" -> "2" configured']])
})

describe("the published schema", () => {
  it("refuses anything that is not a result", () => {
    const made = planOf(undefined, configMap({ a: "1" }), { manager: "me" })
    expect(schemaErrors({ ...made, more: 1 })).toContain("unevaluated")
    expect(schemaErrors({ ...made, outcome: "conflict" })).toContain("status")
    expect(schemaErrors({ ...made, changes: [{ ...made.changes[0], because: "bored" }] })).toContain(
      "/changes/0/because",
    )
  })
})
