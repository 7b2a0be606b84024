import { describe, expect, it } from "vitest"
import { parseManifests, parseYaml } from "../../../src/io/index.js"
import { kubernetesSchema, kubernetesSchemaWithUnions, kubernetesTypes } from "../../../src/kubernetes/index.js"
import { deducedTypes, FieldManager, type TypeFinder } from "../../../src/managedfields/index.js"
import {
  type Explanation,
  explain,
  type OnConflict,
  type Resolution,
  resolve,
} from "../../../src/tools/ownership/index.js"
import { applyUnionOverlay, type UnionDef, type UnionPolicyName } from "../../../src/union/index.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { entry, managedBy } from "../../managedfields/notation.js"
import { Counted } from "../../support/counted.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { schemaErrors } from "./schema.js"

const head = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } }
const containers = (...list: readonly Value[]): Value => ({ template: { spec: { containers: list } } })

/** The object after these requests: `update` for managers in capitals, else `apply` by force. */
function objectAfter(...requests: readonly (readonly [manager: string, spec: Value])[]): MapValue {
  const manager = new FieldManager({ types: kubernetesTypes })
  let live: MapValue | undefined
  for (const [name, spec] of requests) {
    const object: MapValue = { ...head, spec }
    live =
      name === name.toUpperCase()
        ? manager.update<MapValue>(
            live,
            { ...live, ...object, metadata: live?.metadata ?? head.metadata },
            { manager: name },
          ).object
        : manager.apply<MapValue>(live, object, { manager: name, force: true }).object
  }
  return deepFreeze(live as MapValue)
}

function resolved(
  live: MapValue,
  spec: Value,
  onConflict: OnConflict,
  types: TypeFinder = kubernetesTypes,
  unions?: "v4" | "extended",
): Resolution {
  const config = deepFreeze({ ...head, spec })
  const made = resolve(live, config, { types, manager: "me", onConflict, ...(unions && { unions }) })
  expect(schemaErrors(made)).toBe("")
  return made
}

function explained(live: MapValue, text: string, asked: object = {}): Explanation {
  const [config = {}] = parseManifests(text)
  const made = explain(live, config, {
    types: kubernetesTypes,
    manager: "me",
    source: { text, file: "web.yaml" },
    ...asked,
  })
  expect(schemaErrors(made)).toBe("")
  expect(JSON.parse(JSON.stringify(made))).toEqual(made)
  return made
}

const yaml =
  "# mine\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  paused: true\n  replicas: 3 # three\n"

describe("explain", () => {
  it("shows both values, the owners, the fields that they keep, and the place in the text", () => {
    const [conflict] = explained(objectAfter(["HPA", { replicas: 7 }]), yaml).conflicts
    expect(conflict).toMatchObject({
      path: ".spec.replicas",
      live: 7,
      configured: 3,
      owners: [{ manager: "HPA", operation: "Update", fields: 1, keeps: 0 }],
      source: {
        file: "web.yaml",
        line: 8,
        column: 3,
        value: { start: { line: 8, column: 13 }, end: { line: 8, column: 14 } },
      },
    })
  })

  it("leaves a field to its owner, except for the parts that only the applier owns", () => {
    const manager = new FieldManager({ types: deducedTypes })
    const thing = { apiVersion: "example.org/v1", kind: "Thing", metadata: { name: "a" } }
    const mine = manager.apply(undefined, { ...thing, spec: { mine: 1, items: [] } }, { manager: "me" }).object
    const live = manager.apply<MapValue>(mine, { ...thing, spec: { theirs: {} } }, { manager: "you" }).object
    const config = deepFreeze({ ...thing, spec: [1] })
    const request = { types: deducedTypes, manager: "me" }
    const [conflict] = explain(live, config, request).conflicts
    expect(conflict?.ways.relinquish).toEqual({
      applicability: "safe",
      reason: "you alone would decide; what only you own in it stays",
      patch: [{ op: "replace", path: "/spec", value: { mine: 1, items: [] } }],
    })
    const made = resolve(live, config, { ...request, onConflict: "relinquish" })
    expect([made.outcome, made.relinquished.map(({ path }) => path)]).toEqual(["resolved", [".spec"]])
    expect(manager.apply<MapValue>(live, made.config, { manager: "me" }).object.spec).toEqual(live.spec)
  })

  it("does not offer to share fields that would stay in conflict", () => {
    const manager = new FieldManager({ types: kubernetesTypes })
    const finalizers = (...list: readonly string[]): MapValue => ({
      ...head,
      metadata: { name: "web", finalizers: list },
    })
    // Any apply removes a duplicate item.
    const live = manager.update<MapValue>(undefined, finalizers("a", "b", "a"), { manager: "EDIT" }).object
    const request = { types: kubernetesTypes, manager: "me" }
    const { conflicts } = explain(live, finalizers("a", "b"), request)
    expect(conflicts.map(({ path, ways }) => [path, ways.share])).toEqual([
      ['.metadata.finalizers[="a"]', { applicability: "impossible", reason: "the apply would still conflict over it" }],
    ])
    const { outcome, shared, relinquished } = resolve(live, finalizers("a", "b"), { ...request, onConflict: "share" })
    expect([outcome, shared, relinquished.map(({ path }) => path)]).toEqual([
      "resolved",
      [],
      ['.metadata.finalizers[="a"]'],
    ])
  })

  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" } }
  const numbered = (count: number) => Array.from({ length: count }, (_, i) => `n${i}`)
  const keysOfMap = (count: number, value: string): MapValue => ({
    ...map,
    data: Object.fromEntries(numbered(count).map(name => [name, value])),
  })
  const itemsOfList = (count: number, value: string): MapValue => ({
    ...head,
    spec: containers({ name: "web", env: numbered(count).map(name => ({ name, value })) }),
  })
  it.each<[string, (count: number, value: string) => MapValue, boolean]>([
    ["keys of a map", keysOfMap, false],
    ["keys of a map, in a text", keysOfMap, true],
    ["items of a list", itemsOfList, false],
    ["items of a list, in a text", itemsOfList, true],
  ])("tries all ways out in a few applies: %s", (_, configOf, hasText) => {
    const [few, many] = [100, 400].map(count => {
      const manager = new FieldManager({ types: kubernetesTypes })
      const { object } = manager.apply<MapValue>(undefined, configOf(count, "theirs"), { manager: "you" })
      const config = configOf(count, "mine")
      const text = JSON.stringify(config, null, 1)
      const [live, counted] = [new Counted(object), new Counted(config)]
      let applies = 0
      const clock = () => {
        applies++
        return new Date(0)
      }
      const request = { types: kubernetesTypes, clock, manager: "me", ...(hasText && { source: { text } }) }
      const { conflicts } = explain(live.value, counted.value, request)
      expect(conflicts.map(({ ways }) => ways.share.applicability)).toEqual(Array(count).fill("safe"))
      if (hasText) expect(conflicts.every(({ ways }) => ways.relinquish.source?.edits !== undefined)).toBe(true)
      return { applies, reads: live.reads + counted.reads }
    })
    expect(many?.applies).toBe(few?.applies)
    expect((many?.reads ?? 0) / (few?.reads ?? 1)).toBeLessThan(4 * 1.5)
  })

  it("expects conflicts of owners that apply, and new writes of owners that update", () => {
    const live = objectAfter(["AUTOSCALER", { replicas: 7 }], ["capacity", { replicas: 7 }])
    const [conflict] = explained(live, yaml).conflicts
    expect(conflict?.ways.overwrite.applicability).toBe("unsure")
    expect(conflict?.ways.overwrite.reason).toMatch(
      /; capacity would be in conflict with you next time, and AUTOSCALER may write it again$/,
    )
    expect(conflict?.ways.share).toMatchObject({
      applicability: "unsure",
      reason:
        "you would own it together with AUTOSCALER and capacity, but be in conflict again once AUTOSCALER writes another value",
    })
    // The engine agrees: an update takes the shared field from both appliers, whose next applies are in conflict.
    const manager = new FieldManager({ types: kubernetesTypes })
    const config = { ...head, spec: { replicas: 7 } }
    const shared = manager.apply<MapValue>(live, config, { manager: "me" }).object
    const scaled = { ...shared, spec: { replicas: 9 } }
    const next = manager.update<MapValue>(shared, scaled, { manager: "AUTOSCALER" }).object
    for (const name of ["me", "capacity"])
      expect(() => manager.apply(next, config, { manager: name })).toThrow('conflict with "AUTOSCALER"')
  })

  it("has three ways out, each tried, with edits of the text", () => {
    const live = objectAfter(["HPA", { replicas: 7 }])
    const ways = explained(live, yaml).conflicts[0]?.ways
    expect(ways?.relinquish).toMatchObject({
      applicability: "safe",
      patch: [{ op: "remove", path: "/spec/replicas" }],
      source: { edits: [{ text: "", range: { start: { line: 8, column: 1 }, end: { line: 9, column: 1 } } }] },
    })
    expect(ways?.share).toMatchObject({
      applicability: "unsure",
      patch: [{ op: "replace", path: "/spec/replicas", value: 7 }],
      source: { edits: [{ text: "7" }] },
    })
    expect(ways?.overwrite).toEqual({
      applicability: "unsure",
      reason: "HPA loses its only field; HPA may write it again",
    })
  })

  it("reports that the text can't be edited", () => {
    const live = objectAfter(["HPA", { replicas: 7 }])
    const shared = `x: &n 3\n---\n${yaml.replace("replicas: 3", "replicas: &n 3\n  revisionHistoryLimit: *n")}`
    const [config = {}] = parseManifests(shared.slice(shared.indexOf("---")))
    const { conflicts } = explain(live, config, {
      types: kubernetesTypes,
      manager: "me",
      source: { text: shared.slice(shared.indexOf("#")) },
    })
    expect(conflicts[0]?.ways.relinquish.source).toEqual({ impossible: expect.stringContaining("share") })
  })

  it("finds the object in a text without its kind, but not one of another kind", () => {
    const live = objectAfter(["HPA", { replicas: 7 }])
    const [config = {}] = parseManifests(yaml)
    const editsIn = (text: string) =>
      explain(live, config, { types: kubernetesTypes, manager: "me", source: { text } }).conflicts[0]?.ways.share.source
    const missing = { impossible: "the text does not contain the object" }
    expect(editsIn(yaml.replace(/apiVersion.*\nkind.*\n/, ""))).toMatchObject({ edits: [{ text: "7" }] })
    expect(editsIn(yaml.replace(/apiVersion.*\n/, ""))).toEqual(missing)
    expect(editsIn(yaml.replace("Deployment", "StatefulSet"))).toEqual(missing)
    expect(editsIn(yaml.replace("name: web", "name: web\n  namespace: other"))).toMatchObject({ edits: [{}] })
    const elsewhere = { ...config, metadata: { name: "web", namespace: "mine" } }
    const request = { types: kubernetesTypes, manager: "me", onConflict: "share" as const }
    const text = yaml.replace("name: web", "name: web\n  namespace: other")
    expect(resolve(live, elsewhere, { ...request, source: { text } }).source).toEqual(missing)
  })

  it("has no place in the text if the text was not passed", () => {
    const [config = {}] = parseManifests(yaml)
    const { conflicts } = explain(objectAfter(["HPA", { replicas: 7 }]), config, {
      types: kubernetesTypes,
      manager: "me",
    })
    expect(Object.keys(conflicts[0] ?? {})).not.toContain("source")
  })

  it("does not offer to share a field that is gone but still owned", () => {
    const live = objectAfter(["HPA", { minReadySeconds: 7, paused: true }])
    const [conflict] = explained(
      { ...live, spec: { paused: true } },
      yaml.replace("replicas", "minReadySeconds"),
    ).conflicts
    expect(conflict?.path).toBe(".spec.minReadySeconds")
    expect(conflict?.ways.share).toEqual({
      applicability: "impossible",
      reason: "the object has nothing there to agree with",
    })
  })

  it("counts the fields of an object without owners", () => {
    const live = { ...head, spec: { replicas: 7, paused: true } }
    const [conflict] = explained(live, yaml).conflicts
    expect(conflict?.owners).toMatchObject([{ manager: "before-first-apply", fields: 13, keeps: 12 }])
    expect(conflict?.ways.overwrite.reason).toBe("before-first-apply keeps 12 of its 13 fields")
  })

  it("has no conflicts if there are none", () => {
    expect(explained(objectAfter(["HPA", { replicas: 3 }]), yaml).conflicts).toEqual([])
  })

  it("names the line that caused a change by a union", () => {
    const live = objectAfter(["ops", { strategy: { type: "Recreate" } }])
    const text =
      "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  strategy:\n    rollingUpdate:\n      maxSurge: 1\n"
    const [conflict] = explained(live, text, { types: kubernetesTypes, unions: "v4" }).conflicts
    expect(conflict?.path).toBe(".spec.strategy.type")
    expect(conflict?.union).toMatchObject({ effect: "implied", because: { path: ".spec.strategy.rollingUpdate" } })
    expect(conflict?.source?.line).toBe(7)
    expect(conflict?.ways.share.applicability).toBe("impossible")
    expect(conflict?.ways.relinquish.patch).toEqual([{ op: "remove", path: "/spec" }])
  })

  it("removes a member together with its discriminator, even if nothing else is configured", () => {
    const live = objectAfter(["OPS", { strategy: { type: "Recreate" } }])
    const text =
      "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  strategy:\n    type: RollingUpdate\n    rollingUpdate:\n      maxSurge: 1\n"
    const [conflict] = explained(live, text, { types: kubernetesTypes, unions: "extended" }).conflicts
    expect(conflict?.path).toBe(".spec.strategy.type")
    expect(conflict?.ways.relinquish).toMatchObject({
      applicability: "unsure",
      reason: "OPS alone would decide; .spec.strategy.rollingUpdate would go too",
      patch: [{ op: "remove", path: "/spec" }],
    })
  })

  it("names the members that force clears along with a discriminator, also with one that is configured", () => {
    const live = objectAfter(["ops", { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } }])
    const text =
      "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  strategy:\n    type: Recreate\n"
    const overwrite = (unions: UnionPolicyName) => {
      const { conflicts } = explained(live, text, { types: kubernetesTypes, unions })
      return conflicts.map(({ path, union, ways }) => ({ path, union, ...ways.overwrite }))
    }
    const member = ".spec.strategy.rollingUpdate"
    expect(overwrite("extended")).toEqual([
      {
        path: ".spec.strategy.type",
        union: undefined,
        applicability: "unsure",
        reason: `ops loses all of its 2 fields; a union clears ${member}; ops would be in conflict with you next time`,
        clears: [{ path: member, steps: ["f:spec", "f:strategy", "f:rollingUpdate"] }],
      },
    ])
    expect(overwrite("off")[0]).not.toHaveProperty("clears")
  })

  it("names the member that clears another one, in an item that it names by its key", () => {
    const volume = (source: object): Value => ({ template: { spec: { volumes: [{ name: "cache", ...source }] } } })
    const live = objectAfter(["me", volume({ emptyDir: {} })], ["OPS", volume({ emptyDir: { sizeLimit: "1Gi" } })])
    const text = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      volumes:
      - name: cache
        nfs: {server: a, path: /b}
`
    const [conflict] = explained(live, text, { types: kubernetesTypes, unions: "extended" }).conflicts
    const item = '.spec.template.spec.volumes[name="cache"]'
    expect(conflict?.path).toBe(`${item}.emptyDir.sizeLimit`)
    expect(conflict?.union).toMatchObject({ effect: "cleared", because: { path: `${item}.nfs` } })
    expect(conflict?.source?.line).toBe(9)
    expect(conflict?.ways.relinquish.reason).toContain(`${item}.nfs would go too`)
  })
})

describe("resolve", () => {
  it("removes maps and lists that relinquishing leaves empty", () => {
    const live = objectAfter(["CI", containers({ name: "web", resources: { requests: { cpu: "2" } } })])
    const { config, relinquished } = resolved(
      live,
      { replicas: 1, ...(containers({ name: "web", image: "w", resources: { requests: { cpu: "1" } } }) as object) },
      "relinquish",
    )
    expect(config.spec).toEqual({ replicas: 1, ...(containers({ name: "web", image: "w" }) as object) })
    expect(relinquished.map(({ path }) => path)).toEqual([
      '.spec.template.spec.containers[name="web"].resources.requests.cpu',
    ])
  })

  it("keeps an item with only its keys if the object would lose it otherwise", () => {
    const mine = objectAfter(
      ["me", containers({ name: "web", image: "old" })],
      ["CI", containers({ name: "web", image: "new" })],
    )
    expect(resolved(mine, containers({ name: "web", image: "mine" }), "relinquish").config.spec).toEqual(
      containers({ name: "web" }),
    )
    const others = objectAfter(["CI", containers({ name: "web", image: "new" })])
    expect(resolved(others, containers({ name: "web", image: "mine" }), "relinquish").config).toEqual(head)
  })

  it("keeps an item whose key nobody else owns if others own fields in it", () => {
    const web = 'k:{"name":"web"}'
    const owning = (fields: MapValue) => ({
      "f:spec": { "f:template": { "f:spec": { "f:containers": { [web]: fields } } } },
    })
    const live = managedBy(
      { ...head, spec: containers({ name: "web", image: "new" }) },
      entry("me Apply apps/v1", owning({ ".": {}, "f:name": {} })),
      entry("ops Apply apps/v1", owning({ ".": {} })),
      entry("CI Update apps/v1", owning({ "f:image": {} })),
    )
    const { config } = resolved(live, containers({ name: "web", image: "mine" }), "relinquish")
    expect(config.spec).toEqual(containers({ name: "web" }))
    const manager = new FieldManager({ types: kubernetesTypes })
    expect(manager.apply(live, config, { manager: "me" }).object).toMatchObject({ spec: live.spec })
    expect(manager.apply(live, head, { manager: "me" }).object).not.toMatchObject({ spec: live.spec })
  })

  it("keeps an empty map if the object would lose the fields of others otherwise", () => {
    const types = deducedTypes
    const manager = new FieldManager({ types })
    const thing = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" } }
    const mine = manager.apply<MapValue>(undefined, { ...thing, box: {} }, { manager: "me" }).object
    const live = manager.update<MapValue>(mine, { ...mine, box: { color: "red" } }, { manager: "OPS" }).object
    const { config } = resolve(
      live,
      { ...thing, box: { color: "blue" } },
      { types, manager: "me", onConflict: "relinquish" },
    )
    expect(config).toEqual({ ...thing, box: {} })
    expect(manager.apply(live, config, { manager: "me" }).object).toMatchObject({ box: { color: "red" } })
  })

  it("relinquishes an atomic list as a whole", () => {
    const live = objectAfter(["ops", { template: { spec: { tolerations: [{ key: "a" }] } } }])
    const { config } = resolved(
      live,
      { replicas: 1, template: { spec: { tolerations: [{ key: "b" }, { key: "c" }] } } },
      "relinquish",
    )
    expect(config.spec).toEqual({ replicas: 1 })
  })

  it("relinquishes the member of a union with its discriminator", () => {
    const live = objectAfter(["ops", { strategy: { type: "Recreate" } }])
    const spec = { replicas: 1, strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } }
    const typeName = "io.k8s.api.apps.v1.Deployment"
    const withUnions: TypeFinder = { find: () => ({ schema: kubernetesSchemaWithUnions(), typeName }) }
    for (const [types, unions] of [[withUnions], [kubernetesTypes, "v4"]] as const) {
      const { config, outcome } = resolved(live, spec, "relinquish", types, unions)
      expect([outcome, config.spec]).toEqual(["resolved", { replicas: 1 }])
    }
  })

  it("leaves other unions of the same struct alone", () => {
    const union = (...fields: readonly string[]): UnionDef => ({ fields: fields.map(fieldName => ({ fieldName })) })
    const unions = [union("replicas", "minReadySeconds"), union("paused", "revisionHistoryLimit")]
    const name = "io.k8s.api.apps.v1.DeploymentSpec"
    const schema = applyUnionOverlay(kubernetesSchema(), { types: [{ name, unions }] })
    const types: TypeFinder = { find: () => ({ schema, typeName: "io.k8s.api.apps.v1.Deployment" }) }
    const made = resolved(
      objectAfter(["ops", { replicas: 7 }]),
      { minReadySeconds: 5, paused: true },
      "relinquish",
      types,
      "extended",
    )
    expect([made.outcome, made.config.spec]).toEqual(["resolved", { paused: true }])
  })

  // Different managers own the discriminator and the member, so each of the two is a conflict.
  const twoOwners = (spec: MapValue) =>
    objectAfter(
      ["ops", { ...spec, strategy: { rollingUpdate: { maxSurge: 1 } } }],
      ["dev", { strategy: { type: "RollingUpdate" } }],
    )

  it("does not report as shared a field that went with another one", () => {
    const live = twoOwners({})
    const spec = { paused: true, strategy: { type: "Recreate" } }
    const made = resolved(live, spec, "share", kubernetesTypes, "extended")
    expect(made.config.spec).toEqual({ paused: true })
    expect(made.shared).toEqual([])
    expect(made.relinquished.map(({ path }) => path)).toEqual([
      ".spec.strategy.rollingUpdate.maxSurge",
      ".spec.strategy.type",
    ])
  })

  it("does not report as overwritten a field that went with another one", () => {
    const live = twoOwners({ replicas: 7 })
    const spec = { replicas: 3, strategy: { type: "Recreate" } }
    const choose: OnConflict[] = []
    const made = resolve(live, deepFreeze({ ...head, spec }), {
      types: kubernetesTypes,
      unions: "extended",
      manager: "me",
      onConflict: ({ path }) => {
        choose.push(path === ".spec.strategy.rollingUpdate.maxSurge" ? "relinquish" : "overwrite")
        return choose[choose.length - 1] as OnConflict
      },
    })
    expect(choose.toSorted()).toEqual(["overwrite", "overwrite", "relinquish"])
    expect([made.outcome, made.force, made.config.spec]).toEqual(["resolved", true, { replicas: 3 }])
    expect(made.overwritten.map(({ path }) => path)).toEqual([".spec.replicas"])
    expect(made.relinquished.map(({ path }) => path)).toEqual([
      ".spec.strategy.rollingUpdate.maxSurge",
      ".spec.strategy.type",
    ])
  })

  it("adopts it, overwrites it, or leaves it", () => {
    const live = objectAfter(["HPA", { replicas: 7 }])
    expect(resolved(live, { replicas: 3 }, "share")).toMatchObject({ config: { spec: { replicas: 7 } }, force: false })
    expect(resolved(live, { replicas: 3 }, "overwrite")).toMatchObject({
      config: { spec: { replicas: 3 } },
      force: true,
      patch: [],
    })
    expect(resolved(live, { replicas: 3 }, "fail")).toMatchObject({
      outcome: "conflict",
      failed: [{ path: ".spec.replicas" }],
    })
  })

  describe("leaves to its owner, instead of sharing it,", () => {
    const owned = (...list: readonly Value[]) => {
      const web = 'k:{"name":"web"}'
      const env = { 'k:{"name":"A"}': { ".": {}, "f:name": {}, "f:value": {} } }
      const fields = { "f:containers": { [web]: { ".": {}, "f:name": {}, "f:env": env } } }
      const object = { ...head, spec: containers(...list) }
      return managedBy(object, entry("x Update apps/v1", { "f:spec": { "f:template": { "f:spec": fields } } }))
    }
    const env = ["1", "2"].map(value => ({ name: "A", value }))
    const item = '.spec.template.spec.containers[name="web"]'

    it("a field that nobody may apply", () => {
      const live = owned({ name: "web", env }, { name: "web" })
      const configured = { name: "web", image: "web:1" }
      const made = resolved(live, { ...(containers(configured) as MapValue), paused: true }, "share")
      expect([made.outcome, made.config.spec, made.shared, made.failed]).toEqual(["resolved", { paused: true }, [], []])
      expect(made.relinquished).toContainEqual(expect.objectContaining({ path: item, configured }))
    })

    it("a field that stays in conflict; and reports the configured choice", () => {
      const configured = { name: "A", value: "3" }
      const made = resolved(owned({ name: "web", env }), containers({ name: "web", env: [configured] }), "share")
      expect([made.outcome, made.shared, made.failed]).toEqual(["resolved", [], []])
      expect(made.relinquished[0]).toMatchObject({ path: `${item}.env[name="A"]`, configured })
    })
  })

  it("reports that a live object without managedFields has none", () => {
    const live = { ...head, metadata: { name: "web", resourceVersion: "7" }, spec: { replicas: 7 } }
    const { findings } = resolved(live, { replicas: 3 }, "overwrite")
    expect(findings.map(({ code }) => code)).toContain("managed-fields-missing")
  })

  it.each<[owners: string, more: MapValue, left: MapValue]>([
    ["of its applier alone", {}, { paused: true, strategy: { type: "RollingUpdate" } }],
    ["of others too", { type: "RollingUpdate" }, { paused: true }],
  ])("cuts the discriminator of a member that becomes empty, but not one %s", (_, more, left) => {
    const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } }
    const live = objectAfter(
      ["me", { strategy: { type: "RollingUpdate" } }],
      ["ops", { strategy: { ...more, rollingUpdate: { maxSurge: 2 } } }],
    )
    const made = resolved(live, { paused: true, strategy }, "relinquish", kubernetesTypes, "extended")
    expect([made.outcome, made.config.spec]).toEqual(["resolved", left])
  })

  it("calls a function for each conflict", () => {
    const live = objectAfter(["HPA", { replicas: 7, paused: true, minReadySeconds: 1 }])
    const made = resolve(
      live,
      { ...head, spec: { replicas: 3, paused: false, minReadySeconds: 2 } },
      {
        types: kubernetesTypes,
        manager: "me",
        onConflict: ({ path, ways }) => {
          expect(ways.relinquish.applicability).toBe("safe")
          return path === ".spec.replicas" ? "relinquish" : path === ".spec.paused" ? "share" : "overwrite"
        },
      },
    )
    expect(made).toMatchObject({
      outcome: "resolved",
      force: true,
      config: { spec: { paused: true, minReadySeconds: 2 } },
    })
    expect(made.overwritten.map(({ path }) => path)).toEqual([".spec.minReadySeconds"])
  })

  it("edits the text of a List, and keeps comments", () => {
    const live = objectAfter(["HPA", { replicas: 7 }])
    const text = `kind: List\napiVersion: v1\nitems:\n# first\n- ${yaml.slice(7).trimEnd().replaceAll("\n", "\n  ")}\n`
    const [config = {}] = parseManifests(text)
    const { source } = resolve(live, config, {
      types: kubernetesTypes,
      manager: "me",
      onConflict: "relinquish",
      source: { text },
    })
    expect(source?.text).toBe(text.replace("    replicas: 3 # three\n", ""))
    expect(parseYaml(source?.text ?? "")).toMatchObject({ items: [{ spec: { paused: true } }] })
  })
})
