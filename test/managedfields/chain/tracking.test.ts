/** Tests when owners are tracked, since when, and how many of them: skip-non-applied.ts, cap-managers.ts, managed-fields-updater.ts. */
import { describe, expect, it } from "vitest"
import { kubernetesSchema, kubernetesTypeName, kubernetesTypes } from "../../../src/kubernetes/index.js"
import { capManagers } from "../../../src/managedfields/chain/cap-managers.js"
import type { ChainResult, Link, UpdateCall } from "../../../src/managedfields/chain/chain.js"
import { managerInfo } from "../../../src/managedfields/chain/manager-info.js"
import { type ManagedFieldsEntry, withManagedFields } from "../../../src/managedfields/entries/entry.js"
import { decodeManagedFields, encodeManagedFields, nobody } from "../../../src/managedfields/entries/managed.js"
import type { FoundKind, TypeFinder } from "../../../src/managedfields/types/object-types.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { configMap, deployment, entry, fieldManager, managedBy, owners, type Thing, times } from "../notation.js"

describe("before the first apply", () => {
  const untracked = configMap({ x: "1", y: "1" }, { uid: "1", labels: { l: "1" } })

  it("an object that exists without owners is not tracked", () => {
    const { object, changed } = fieldManager().update(untracked, { ...untracked, data: { x: "2" } }, { manager: "u" })
    expect(object).toEqual({ ...untracked, data: { x: "2" } })
    expect(changed).toBe(true)
  })

  it("an object that is not tracked is not validated if its type is missing or has no unions", () => {
    for (const live of [untracked, { ...untracked, kind: "Unknown" }]) {
      const next = { ...live, data: ["fits", "no", "type"] }
      expect(fieldManager({ unions: "extended" }).update(live, next, { manager: "u" }).object).toEqual(next)
    }
  })

  it("an object is tracked from its creation", () => {
    expect(owners(fieldManager().update(undefined, configMap({ x: "1" }), { manager: "u" }).object)).toEqual([
      "u Update v1: .data .data.x",
    ])
  })

  it("existing fields belong to before-first-apply after the first apply", () => {
    const { object } = fieldManager().apply(untracked, configMap({ x: "1", z: "1" }), { manager: "a" })
    expect(object).toMatchObject({ data: { x: "1", y: "1", z: "1" }, metadata: { uid: "1" } })
    expect(owners(object)).toEqual([
      "a Apply v1: .data.x .data.z",
      "before-first-apply Update v1: .data .data.x .data.y .metadata.labels .metadata.labels.l",
    ])
  })

  it("existing fields can be in conflict with the first apply", () => {
    const attempt = fieldManager().tryApply(untracked, configMap({ x: "2" }), { manager: "a" })
    expect(attempt.ok || attempt.error.message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.x',
    )
  })

  it("before-first-apply owns nothing if the apply creates the object", () => {
    expect(owners(fieldManager().apply(undefined, configMap({ x: "1" }), { manager: "a" }).object)).toEqual([
      "a Apply v1: .data.x",
    ])
  })

  it("updates are tracked from the first apply", () => {
    const manager = fieldManager()
    const live = manager.apply(untracked, configMap({ x: "1" }), { manager: "a" }).object
    const { object } = manager.update(live, { ...live, data: { x: "1", y: "2" } }, { manager: "u" })
    expect(owners(object)[2]).toBe("u Update v1: .data.y")
  })

  it("an object that does not fit its type has its own error", () => {
    const live = deployment({ replicas: "x" }, { uid: "1" })
    const attempt = fieldManager().tryApply(live, deployment({ replicas: 1 }), { manager: "a" })
    expect(attempt.ok || attempt.error.message).toContain(
      "failed to create manager for existing fields: failed to convert new object (/web; apps/v1, Kind=Deployment) to smd typed: ",
    )
  })
})

describe("the empty object of a kind", () => {
  const nameless: Thing = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: {} }
  const role = (rules: Value, metadata: MapValue = {}): Thing =>
    deepFreeze({ ...nameless, metadata: { name: "r", ...metadata }, rules })
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }]

  it("stands for the object before its creation, so its fields are not owned by the creator", () => {
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers: [{ name: "app" }] } }
    const { object } = fieldManager().update(undefined, deepFreeze(pod), { manager: "u" })
    expect(owners(object)).toEqual(['u Update v1: .spec.containers[name="app"] .spec.containers[name="app"].name'])
    expect(object.spec).toBe(pod.spec)
  })

  it("has its apiVersion and kind from the request", () => {
    const emptyObject = { apiVersion: "v0", kind: "Pod", data: { y: "" } }
    const found = { ...kubernetesTypes.find("v1", "ConfigMap"), emptyObject }
    const types = { find: () => found as FoundKind }
    const { object } = fieldManager({ types }).apply(undefined, configMap({ x: "1" }), { manager: "a" })
    expect(object).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", data: { x: "1", y: "" } })
  })

  it("has the kind that the FieldManager is for", () => {
    const manager = fieldManager({ kind: { apiVersion: "v1", kind: "ReplicationController" } })
    const next = { apiVersion: "v1", kind: "ReplicationController", metadata: { name: "c" }, status: { replicas: 0 } }
    expect(owners(manager.update(undefined, next, { manager: "u" }).object)).toEqual([])
  })

  it("does not belong to before-first-apply", () => {
    const attempt = fieldManager().tryApply(role(null, { uid: "1" }), role(rules), { manager: "a" })
    expect(attempt.ok && owners(attempt.object)).toEqual(["a Apply rbac.authorization.k8s.io/v1: .rules"])
    const taken = fieldManager().tryApply(role([], { uid: "1" }), role(rules), { manager: "a" })
    expect(taken.ok || taken.error.message).toContain('conflict with "before-first-apply"')
  })

  it("is empty if the finder has none, so all fields are owned", () => {
    const typeName = kubernetesTypeName(nameless.apiVersion, nameless.kind) ?? ""
    const types: TypeFinder = { find: () => ({ schema: kubernetesSchema(), typeName }) }
    const attempt = fieldManager({ types }).tryApply(role(null, { uid: "1" }), role(rules), { manager: "a" })
    expect(attempt.ok || attempt.error.message).toContain('conflict with "before-first-apply"')
  })

  it("is copied into the new object, which may be changed", () => {
    const empty = deepFreeze({ ...kubernetesTypes.find("apps/v1", "Deployment")?.emptyObject })
    const { object } = fieldManager().apply(undefined, deployment({}), { manager: "a" })
    const { status, spec } = object as unknown as {
      status: { replicas?: number }
      spec: { strategy: { type?: string } }
    }
    status.replicas = 1
    spec.strategy.type = "Recreate"
    expect(kubernetesTypes.find("apps/v1", "Deployment")?.emptyObject).toEqual(empty)
    expect(fieldManager().apply(undefined, deployment({}), { manager: "a" }).object).toMatchObject({
      status: {},
      spec: { strategy: {} },
    })
  })
})

describe("the times of managers", () => {
  it("are the times of the last changes", () => {
    const manager = fieldManager()
    let live = manager.apply(undefined, configMap({ x: "1" }), { manager: "a" }).object
    live = manager.update(live, { ...live, data: { x: "1", y: "1" } }, { manager: "u" }).object
    expect(times(live)).toEqual(["a Apply 12:00", "u Update 12:01"])
    live = manager.apply(live, configMap({ x: "2" }), { manager: "a" }).object
    expect(times(live)).toEqual(["a Apply 12:02", "u Update 12:01"])
  })

  it("stay if another manager takes fields away", () => {
    const manager = fieldManager()
    let live = manager.apply(undefined, configMap({ x: "1", y: "1" }), { manager: "a" }).object
    live = manager.apply(live, configMap({ x: "2" }), { manager: "b", force: true }).object
    expect(times(live)).toEqual(["a Apply 12:00", "b Apply 12:01"])
  })

  it("are written in whole seconds, UTC", () => {
    const clock = () => new Date("2024-05-01T12:00:00.999+02:00")
    const { object } = fieldManager({ clock }).apply(undefined, configMap({ x: "1" }), { manager: "a" })
    expect(object).toMatchObject({ metadata: { managedFields: [{ time: "2024-05-01T10:00:00Z" }] } })
  })
})

/** Updates an object as each of these managers, which adds a key of its own name. */
function updatesBy(names: readonly string[]): object {
  const manager = fieldManager()
  let live: object = configMap({})
  let data = {}
  for (const name of names) {
    data = { ...data, [name]: "1" }
    live = manager.update(live, { ...live, data }, { manager: name }).object
  }
  return live
}

describe("the cap on managers of updates", () => {
  const names = Array.from({ length: 14 }, (_, i) => `m${i}`)

  it("keeps ten", () => {
    expect(owners(updatesBy(names.slice(0, 10)))).toHaveLength(10)
  })

  it("merges the two oldest into ancient-changes when there is an eleventh", () => {
    const live = updatesBy(names.slice(0, 11))
    expect(owners(live)).toHaveLength(10)
    expect(owners(live)[0]).toBe("ancient-changes Update v1: .data.m0 .data.m1")
    expect(times(live)[0]).toBe("ancient-changes Update 12:01")
  })

  it("merges one more for each further manager", () => {
    const live = updatesBy(names)
    expect(owners(live)).toHaveLength(10)
    expect(owners(live)[0]).toBe("ancient-changes Update v1: .data.m0 .data.m1 .data.m2 .data.m3 .data.m4")
    expect(owners(live)[1]).toBe("m5 Update v1: .data.m5")
  })

  it("does not count appliers", () => {
    const manager = fieldManager()
    let live: Thing | undefined
    for (const name of names) live = manager.apply(live, configMap({ [name]: "1" }), { manager: name }).object
    expect(owners(live ?? {})).toHaveLength(names.length)
  })
})

describe("capManagers", () => {
  const fields = (...names: string[]) => ({ "f:data": Object.fromEntries(names.map(name => [`f:${name}`, {}])) })
  const at = (minute: number) => `2024-05-01T12:${String(minute).padStart(2, "0")}:00Z`

  /** Returns the entries after a cap of this many managers. */
  function cap(limit: number, ...entries: ManagedFieldsEntry[]): string[] {
    const outcome: ChainResult = { object: {}, managed: decodeManagedFields(entries), unions: [] }
    const inner: Link = { apply: () => outcome, update: () => outcome }
    const call = { live: {}, next: {}, managed: nobody, manager: "u" }
    const { managed } = capManagers(inner, limit).update(call)
    const object = withManagedFields({}, encodeManagedFields(managed))
    return owners(object).map((line, i) => `${line} ${times(object)[i]?.split(" ")[2]}`)
  }

  it("merges managers version by version, the oldest first", () => {
    const capped = cap(
      3,
      entry("a Update v1", fields("a"), at(1)),
      entry("b Update v2", fields("b"), at(2)),
      entry("c Update v1", fields("c"), at(3)),
      entry("d Update v2", fields("d"), at(4)),
      entry("e Update v1", fields("e"), at(5)),
    )
    expect(capped).toEqual([
      "ancient-changes Update v1: .data.a .data.c 12:03",
      "ancient-changes Update v2: .data.b .data.d 12:04",
      "e Update v1: .data.e 12:05",
    ])
  })

  it("keeps the oldest of a version until there is a second", () => {
    const capped = cap(
      2,
      entry("a Update v2", fields("a"), at(1)),
      entry("b Update v1", fields("b"), at(2)),
      entry("c Update v1", fields("c"), at(3)),
    )
    expect(capped).toEqual(["a Update v2: .data.a 12:01", "ancient-changes Update v1: .data.b .data.c 12:03"])
  })

  it("keeps at least one manager per version", () => {
    const three = ["v1", "v2", "v3"].map((version, i) => entry(`a Update ${version}`, fields(version), at(i)))
    expect(cap(1, ...three)).toHaveLength(3)
  })

  it("orders managers by name if their times are equal or missing", () => {
    const capped = cap(
      2,
      entry("c Update v1", fields("c")),
      entry("b Update v1", fields("b")),
      entry("a Update v1", fields("a"), at(1)),
    )
    expect(capped).toEqual(["ancient-changes Update v1: .data.b .data.c -", "a Update v1: .data.a 12:01"])
  })

  it("adds to an existing bucket", () => {
    const capped = cap(
      2,
      entry("ancient-changes Update v1", fields("x"), at(1)),
      entry("b Update v1", fields("b"), at(2)),
      entry("c Update v1", fields("c"), at(3)),
    )
    expect(capped).toEqual(["ancient-changes Update v1: .data.b .data.x 12:02", "c Update v1: .data.c 12:03"])
  })

  it("loses a bucket that is younger than another manager, like upstream", () => {
    const capped = cap(
      1,
      entry("a Update v1", fields("a"), at(1)),
      entry("ancient-changes Update v1", fields("x"), at(2)),
    )
    expect(capped).toEqual(["a Update v1: .data.a 12:01"])
  })

  it("merges the managers of subresources with all others", () => {
    const capped = cap(1, entry("a Update/status v1", fields("a"), at(1)), entry("b Update v1", fields("b"), at(2)))
    expect(capped).toEqual(["ancient-changes Update v1: .data.a .data.b 12:02"])
  })
})

describe("managerInfo", () => {
  it("replaces names by identifiers", () => {
    const seen: string[] = []
    const note = ({ manager, managed }: UpdateCall): ChainResult => {
      seen.push(manager)
      return { object: null, managed, unions: [] }
    }
    const link = managerInfo({ apply: note, update: note }, "apps/v1", "status")
    const call = { live: {}, next: {}, managed: nobody, manager: "a" }
    link.apply({ ...call, force: false })
    link.update({ ...call, manager: "" })
    expect(seen).toEqual([
      '{"manager":"a","operation":"Apply","subresource":"status"}',
      '{"manager":"unknown","operation":"Update","apiVersion":"apps/v1","subresource":"status"}',
    ])
  })
})

describe("managedFields of the live object", () => {
  it("stay in an apply that changes nothing else", () => {
    const live = managedBy(
      configMap({ x: "1" }),
      entry("a Apply v1", { "f:data": { "f:x": {} } }, "2024-01-01T00:00:00Z"),
    )
    expect(fieldManager().apply(live, configMap({ x: "1" }), { manager: "a" }).object).toBe(live)
  })

  it("stay in updates that change nothing, by any manager", () => {
    const manager = fieldManager()
    const live = manager.apply(undefined, deployment({ replicas: 1, paused: false }), { manager: "a" }).object
    for (const next of [live, { ...live, metadata: { name: "web" } }]) {
      for (const name of ["a", "u"]) expect(manager.update(live, next, { manager: name }).object).toEqual(live)
    }
  })
})
