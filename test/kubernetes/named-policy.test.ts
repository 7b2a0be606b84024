/** The types of built-in kinds have unions only if a policy for them is named. No other TypeFinder is needed. */
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/index.js"
import { kubernetesSchema, kubernetesTypeName, kubernetesTypes } from "../../src/kubernetes/index.js"
import { extract, FieldManager, type TypeFinder } from "../../src/managedfields/index.js"
import { TypeConverter } from "../../src/openapi/index.js"
import { Applier, sendByFetch } from "../../src/tools/controller/index.js"
import { explain, plan } from "../../src/tools/ownership/index.js"
import { runStory, simulate } from "../../src/tools/simulator/index.js"
import { type UnionPolicyName, unionPolicies } from "../../src/union/index.js"
import type { MapValue } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"

const level = (spec: MapValue) =>
  deepFreeze({
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "PriorityLevelConfiguration",
    metadata: { name: "batch" },
    spec,
  })
const limits = { lendablePercent: 50, limitResponse: { type: "Reject" } }
const limited = level({ limited: limits })
const exempt = level({ exempt: { lendablePercent: 10 } })
const named = Object.keys(unionPolicies).filter(name => name !== "off") as UnionPolicyName[]

/** Finders that users write around the bundled types. */
const finders: Readonly<Record<string, TypeFinder>> = {
  "the bundled one": kubernetesTypes,
  "one that wraps it": { find: (apiVersion, kind) => kubernetesTypes.find(apiVersion, kind) },
  "one that names types alone": {
    find(apiVersion, kind) {
      const typeName = kubernetesTypeName(apiVersion, kind)
      return typeName === undefined ? undefined : { schema: kubernetesSchema(), typeName }
    },
  },
  "a TypeConverter that falls back on it": new TypeConverter([], { fallback: kubernetesTypes.find }),
}

describe.each(Object.entries(finders))("types from %s", (_, types) => {
  it.each([undefined, "off"] as const)("have no unions under %s", unions => {
    const manager = new FieldManager({ types, ...(unions && { unions }) })
    const { object } = manager.apply(undefined, limited, { manager: "p" })
    const { object: both, unions: report } = manager.apply<MapValue>(object, exempt, { manager: "q" })
    expect(both.spec).toMatchObject({ ...limited.spec, ...exempt.spec })
    expect(report).toEqual([])
  })

  it.each(named)("have unions under %s", unions => {
    const manager = new FieldManager({ types, unions, validateUnions: false })
    const { object } = manager.apply<MapValue>(undefined, level({ type: "Limited", ...limited.spec }), { manager: "p" })
    const next = { ...object, spec: { type: "Exempt", exempt: {}, limited: limits } }
    expect(manager.update(object, next, { manager: "u" }).object.spec).toEqual({ type: "Exempt", exempt: {} })
  })

  it("have unions under a policy of one's own, and under that alone", () => {
    const mine = { ...unionPolicies.extended, name: "mine" }
    const specOf = (unions: typeof mine) =>
      new FieldManager({ types, unions }).apply<MapValue>(undefined, limited, { manager: "p" }).object.spec
    expect(specOf(mine)).toMatchObject({ type: "Limited" })
    expect(specOf({ ...mine, enabled: false })).not.toMatchObject({ type: "Limited" })
  })
})

it("leaves a schema alone that was made of the bundled one, with unions of its own", () => {
  const text = { scalar: "string" } as const
  const metadata = { namedType: "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }
  const fields = Object.entries({ apiVersion: text, kind: text, metadata, a: text, b: text })
  const map = {
    fields: fields.map(([name, type]) => ({ name, type })),
    unions: [{ fields: [{ fieldName: "a" }, { fieldName: "b" }] }],
  }
  const schema = { types: [...kubernetesSchema().types, { name: "own", map }] }
  const manager = new FieldManager({ types: { find: () => ({ schema, typeName: "own" }) }, unions: "extended" })
  const own = (member: string): MapValue => ({ apiVersion: "v1", kind: "Own", [member]: "x" })
  const { object } = manager.update(undefined, own("a"), { manager: "u" })
  const { object: next } = manager.apply<MapValue>(object, own("b"), { manager: "q", force: true })
  expect([next.a, next.b]).toEqual([undefined, "x"])
})

describe("a named policy gives built-in kinds their unions in", () => {
  const setup = { types: kubernetesTypes, unions: "extended" } as const
  const clock = () => new Date(0)
  const live = new FieldManager({ ...setup, clock }).apply<MapValue>(undefined, limited, { manager: "p" }).object
  const asked = { ...setup, clock, manager: "q" }
  const inConflict = [".spec.type"]

  it("extract", () => {
    expect(live.spec).toEqual({ type: "Limited", limited: limits })
    expect(extract(live, { ...setup, manager: "p" })?.spec).toEqual(limited.spec)
    expect(new FieldManager(setup).extract(live, { manager: "p" })?.spec).toEqual(limited.spec)
    expect(extract(live, { types: kubernetesTypes, manager: "p" })?.spec).toEqual(live.spec)
  })

  it("plan", () => {
    const { outcome, conflicts } = plan(live, exempt, asked)
    expect([outcome, conflicts.map(({ path }) => path).sort()]).toEqual(["conflict", inConflict])
    expect(plan(live, exempt, { ...asked, unions: "off" }).outcome).toBe("refused")
  })

  it("explain, whose ways out leave a discriminator along with its member", () => {
    const given = level({ type: "Exempt", ...exempt.spec })
    const conflict = explain(live, given, asked).conflicts.find(({ path }) => path === ".spec.type")
    expect(conflict?.ways.relinquish.patch).toEqual([{ op: "remove", path: "/spec" }])
  })

  it("simulate", () => {
    // Only the level with this name may be exempt.
    const metadata = { name: "exempt" }
    const simulation = simulate({
      ...setup,
      objects: [{ ...live, metadata: { ...(live.metadata as MapValue), ...metadata } }],
    })
    const { conflicts } = simulation.apply("q", { ...exempt, metadata })
    expect(conflicts.map(({ path }) => path).sort()).toEqual(inConflict)
    expect(
      simulation.apply("q", { ...exempt, metadata }, { force: true }).unions.map(({ cleared }) => cleared),
    ).toMatchObject([[{ field: "limited" }]])
  })

  it("runStory", () => {
    const first = level({ type: "Limited", limited: limits })
    const steps = [first, exempt].map((apply, i) => ({ manager: "pq".charAt(i), apply }))
    const outcomes = (unions?: "extended") =>
      runStory({ title: "t", steps, ...(unions && { unions }) }, { types: kubernetesTypes }).steps.map(
        ({ step }) => step.outcome,
      )
    expect([outcomes("extended"), outcomes()]).toEqual([
      ["created", "conflict"],
      ["created", "error"],
    ])
  })

  it("an Applier, which sends what a server that settles unions would change", async () => {
    const server = createApiServer({ unions: "off", types: kubernetesTypes, clock })
    const send = sendByFetch("http://test", { fetch: server.fetch })
    const reasonOf = async (unions: "off" | "extended") => {
      const applier = new Applier({ manager: "p", types: kubernetesTypes, unions, send, clock, recheckAfter: Infinity })
      const { object: before } = await applier.apply(undefined, level({ type: "Limited", ...limited.spec }))
      server.setUnions(unions)
      // The configuration leaves the discriminator to the server. Without unions the applier loses it, with unions it keeps it.
      const { reason, object } = await applier.apply(before, limited)
      return [reason, (await applier.apply(object, limited)).reason]
    }
    await expect(reasonOf("off")).rejects.toThrow("spec.type: Required value")
    expect(await reasonOf("extended")).toEqual(["unchanged", "unchanged"])
  })
})
