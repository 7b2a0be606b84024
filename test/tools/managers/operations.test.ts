/** The effect of each operation on entries, and its refusals; laws.slow.test.ts compares the effects with a server. */
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../../src/apiserver/index.js"
import { pathOf } from "../../../src/fieldpath/path.js"
import { kubernetesTypes } from "../../../src/kubernetes/index.js"
import type { ManagedFieldsEntry } from "../../../src/managedfields/index.js"
import {
  dropGoneVersions,
  dropVersion,
  formatPatch,
  kubectlPatch,
  type ManagersChange,
  release,
  toVersion,
  transfer,
  upgrade,
} from "../../../src/tools/managers/index.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { entry } from "../../managedfields/notation.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { schemaErrors } from "../ownership/schema.js"

const types = kubernetesTypes
const data = (...names: string[]) => ({ "f:data": Object.fromEntries(names.map(name => [`f:${name}`, {}])) })

/** A stored ConfigMap with a, b and c in its data. */
function live(...managedFields: ManagedFieldsEntry[]): MapValue {
  const metadata = { name: "web", namespace: "shop", uid: "1", resourceVersion: "7", managedFields }
  return deepFreeze({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata,
    data: { a: "1", b: "2", c: "3" },
  } as object as MapValue) as MapValue
}

/** `manager operation[/subresource] version: paths` for each entry. */
function owners({ managedFields }: ManagersChange): string[] {
  return managedFields.map(({ manager, operation, apiVersion, subresource, fieldsV1 }) => {
    const names = Object.keys(((fieldsV1 as MapValue)["f:data"] ?? {}) as MapValue).map(name => name.slice(2))
    return `${manager} ${operation}${subresource ? `/${subresource}` : ""} ${apiVersion}: ${names.join(" ")}`
  })
}

const paths = (places: readonly { readonly path: string }[]) => places.map(({ path }) => path)
const codes = ({ findings }: ManagersChange) => findings.map(({ code }) => code)

const older = "2024-05-01T12:00:00Z"
const newer = "2024-06-01T12:00:00Z"

describe("transfer", () => {
  it.each<[string, ManagedFieldsEntry[], Omit<Parameters<typeof transfer>[1], "types">, string[]]>([
    ["renames an applier", [entry("a Apply v1", data("a", "b"))], { from: "a", to: "z" }, ["z Apply v1: a b"]],
    [
      "unites with what the other has applied",
      [entry("a Apply v1", data("a", "b")), entry("z Apply v1", data("b", "c"))],
      { from: "a", to: "z" },
      ["z Apply v1: a b c"],
    ],
    ["makes updates an apply", [entry("a Update v1", data("a"))], { from: "a", to: "a" }, ["a Apply v1: a"]],
    [
      "or an update",
      [entry("a Apply v1", data("a"))],
      { from: "a", to: "z", toOperation: "Update" },
      ["z Update v1: a"],
    ],
    [
      "takes from several",
      [entry("a Apply v1", data("a")), entry("b Update v1", data("b")), entry("c Update v1", data("c"))],
      { from: ["a", "b"], to: "z" },
      ["z Apply v1: a b", "c Update v1: c"],
    ],
    [
      "takes only what is asked for",
      [entry("a Apply v1", data("a", "b"))],
      { from: "a", to: "z", paths: [".data.b"] },
      ["a Apply v1: a", "z Apply v1: b"],
    ],
    [
      "takes what is asked for as texts and as paths",
      [entry("a Apply v1", data("a", "b", "c"))],
      { from: "a", to: "z", paths: [".data.c", pathOf("data", "b")] },
      ["a Apply v1: a", "z Apply v1: b c"],
    ],
    [
      "takes only from entries of an operation",
      [entry("a Apply v1", data("a")), entry("a Update v1", data("b"))],
      { from: "a", to: "z", operation: "Update" },
      ["a Apply v1: a", "z Apply v1: b"],
    ],
    [
      "keeps subresources apart",
      [entry("a Update v1", data("a")), entry("a Update/status v1", data("b"))],
      { from: "a", to: "z" },
      ["z Apply v1: a", "z Apply/status v1: b"],
    ],
    [
      "takes only from one subresource",
      [entry("a Update v1", data("a")), entry("a Update/status v1", data("b"))],
      { from: "a", to: "z", subresource: "status" },
      ["z Apply/status v1: b", "a Update v1: a"],
    ],
    [
      "has nothing to do where nobody has the name",
      [entry("a Apply v1", data("a"))],
      { from: "b", to: "z" },
      ["a Apply v1: a"],
    ],
    [
      "has nothing to do from a manager to itself",
      [entry("a Apply v1", data("a"))],
      { from: "a", to: "a" },
      ["a Apply v1: a"],
    ],
  ])("%s", (_, entries, options, expected) => {
    const object = live(...entries)
    const made = transfer(object, { types, ...options })
    expect(owners(made)).toEqual(expected)
    expect(schemaErrors(made)).toBe("")
    if (made.outcome === "unchanged") expect([made.object, made.patch]).toEqual([object, []])
  })

  it("keeps the time of an existing applier, or else takes the latest time of the moved entries", () => {
    const times = (...entries: ManagedFieldsEntry[]) =>
      transfer(live(...entries), { types, from: ["a", "b"], to: "z" }).managedFields.map(({ time }) => time)
    const [a, b] = [entry("a Apply v1", data("a"), newer), entry("b Update v1", data("b"), older)]
    expect(times(a)).toEqual([newer])
    expect(times(a, b)).toEqual([newer])
    expect(times(a, entry("b Apply v1", data("b")))).toEqual([newer])
    expect(times(b, { ...a, operation: "Update" }, a)).toEqual([newer])
    expect(times(a, b, entry("z Apply v1", data("c"), older))).toEqual([older])
    expect(times(a, b, entry("z Apply v1", data("c")))).toEqual([undefined])
  })

  it("reads a text that stands for two paths as the one that needs no quotes", () => {
    const object = live(entry("a Apply v1", { "f:data": { "f:a": { "f:b": {} }, "f:a.b": {} } }))
    for (const [path, step] of [
      [".data.a.b", "f:b"],
      ['.data["a.b"]', "f:a.b"],
    ] as const) {
      const { ownership } = transfer(object, { types, from: "a", to: "z", paths: [path] })
      expect(ownership.flatMap(({ gained }) => gained.map(({ steps }) => steps.at(-1)))).toEqual([step])
    }
  })

  it("finds names with dots, by text or as a path", () => {
    const labels = { "f:metadata": { "f:labels": { ".": {}, "f:example.com/a.b": {}, "f:c": {} } } }
    const object = live(entry("a Apply v1", labels))
    for (const path of [".metadata.labels.example.com/a.b", pathOf("metadata", "labels", "example.com/a.b")]) {
      const { ownership } = transfer(object, { types, from: "a", to: "z", paths: [path] })
      expect(ownership.flatMap(({ gained }) => paths(gained))).toEqual([".metadata.labels.example.com/a.b"])
    }
  })

  it("reports that the old applier would own the field again, and that the new one would remove it without applying it", () => {
    const object = live(entry("a Apply v1", data("a", "b")), entry("z Apply v1", data("c")))
    const { ownership, next, orphaned } = transfer(object, { types, from: "a", to: "z" })
    expect(
      ownership.map(({ owner, gained, lost, keeps }) => [owner.manager, paths(gained), paths(lost), keeps]),
    ).toEqual([
      ["z", [".data.a", ".data.b"], [], 3],
      ["a", [], [".data.a", ".data.b"], 0],
    ])
    expect(orphaned).toEqual([])
    expect(next.map(({ manager, basis, outcome, gains }) => [manager, basis, outcome, paths(gains)])).toEqual([
      ["z", "applied", "change", []],
      ["a", "applied", "change", [".data.a", ".data.b"]],
    ])
    expect(next[0]?.changes.map(({ path, action }) => [path, action])).toEqual([
      [".data.a", "remove"],
      [".data.b", "remove"],
    ])
  })

  it("refuses to mix versions, unless the options choose one", () => {
    const object = live(entry("a Update v0", data("a")), entry("z Apply v1", data("c")))
    expect(() => transfer(object, { types, from: "a", to: "z" })).toThrow(
      'fields of different versions can\'t be in one entry: "z" (Apply, v1) at v1 and "a" (Update, v0) at v0',
    )
    expect(owners(transfer(object, { types, from: "a", to: "z", toVersion: "v1" }))).toEqual(["z Apply v1: a c"])
    expect(() => transfer(object, { types, from: ["a", "z"], to: "z" })).toThrow(
      'can\'t be in one entry: "z" (Apply, v1) at v1 and "a" (Update, v0) at v0',
    )
    const none = transfer(object, { types, from: "a", to: "z", apiVersion: "v1" })
    expect([none.outcome, owners(none)]).toEqual(["unchanged", ["a Update v0: a", "z Apply v1: c"]])
  })

  it("throws for a manager without a name and for a malformed path", () => {
    expect(() => transfer(live(), { from: "a", to: "" })).toThrow(RangeError)
    expect(() => transfer(live(), { from: "a", to: "b", paths: ["data"] })).toThrow("data")
  })
})

describe("release", () => {
  const object = live(entry("a Apply v1", data("a", "b")), entry("u Update v1", data("b")))

  it("takes nothing from managers that are not named", () => {
    expect(() => release(object, { types, paths: [".data.b"] })).toThrow(
      '"a" (Apply, v1) owns .data.b; "u" (Update, v1) owns .data.b: name the managers that may lose it, or all',
    )
    expect(release(object, { types, paths: [".data.c"] }).outcome).toBe("unchanged")
  })

  it("lists five of the fields that a manager would lose", () => {
    const many = live(entry("a Apply v1", data("a", "b", "c", "d", "e", "f", "g")))
    expect(() => release(many, { types })).toThrow(
      expect.objectContaining({
        code: "bad-request",
        message: expect.stringContaining(".data.d, .data.e and 2 more: name the managers that may lose it"),
      }),
    )
  })

  it("takes fields from one manager, or from all", () => {
    expect(owners(release(object, { types, paths: [".data.b"], managers: "u" }))).toEqual(["a Apply v1: a b"])
    const made = release(object, { types, paths: [".data.b"], managers: { all: true } })
    expect([owners(made), paths(made.orphaned)]).toEqual([["a Apply v1: a"], [".data.b"]])
  })

  it("takes everything without a path, and reports the effect of fields without an owner", () => {
    const made = release(object, { types, managers: ["a", "u"] })
    expect([made.managedFields, codes(made)]).toEqual([[], ["nobody-left"]])
    expect(made.object.metadata).not.toHaveProperty("managedFields")
    expect(made.patch[1]).toEqual({ op: "replace", path: "/metadata/managedFields", value: [{}] })
    expect(made.next.map(({ manager, outcome }) => [manager, outcome])).toEqual([["a", "change"]])
  })
})

describe("dropGoneVersions and dropVersion", () => {
  const gone = ["v1beta1"]

  it("drop fields that their manager also owns by another entry, and fields that are gone", () => {
    const object = live(entry("a Update v1beta1", data("a")), entry("a Apply v1", data("a", "b")))
    expect(owners(dropGoneVersions(object, { gone }))).toEqual(["a Apply v1: a b"])
    expect(owners(dropVersion(object, { apiVersion: "v1beta1" }))).toEqual(["a Apply v1: a b"])
  })

  it("refuse to drop fields that a manager owns only at the version, until it is named", () => {
    const object = live(entry("a Apply v1", data("a")), entry("b Update v1beta1", data("a", "c")))
    const message = '"b" (Update, v1beta1) owns .data.a, .data.c: name the managers that may lose it, or all'
    expect(() => dropGoneVersions(object, { gone })).toThrow(message)
    expect(() => dropVersion(object, { apiVersion: "v1beta1", managers: "a" })).toThrow(message)
    const made = dropVersion(object, { apiVersion: "v1beta1", managers: "b" })
    expect([owners(made), paths(made.orphaned)]).toEqual([["a Apply v1: a"], [".data.c"]])
    expect(owners(dropGoneVersions(object, { gone, managers: { all: true } }))).toEqual(["a Apply v1: a"])
  })

  it("accept a version by its last part, or whole", () => {
    const object = live(entry("a Apply v1", data("a")), entry("b Update x/v1beta1", data("a")))
    const without = (apiVersion: string) => owners(dropVersion(object, { apiVersion, managers: { all: true } })).length
    expect([without("v1beta1"), without("x/v1beta1"), without("y/v1beta1"), without("1beta1")]).toEqual([1, 1, 2, 2])
  })

  it("find the gone versions with the types", () => {
    const object = live(entry("a Apply v1", data("a")), entry("b Update v9", data("a")))
    expect(owners(dropGoneVersions(object, { types, managers: "b" }))).toEqual(["a Apply v1: a"])
    expect(() => dropGoneVersions(object, {})).toThrow("the existing versions of ConfigMap are unknown")
    const unknown = { ...object, kind: "Widget" }
    expect(() => dropGoneVersions(unknown, { types })).toThrow("the existing versions of Widget are unknown")
  })
})

describe("toVersion", () => {
  it("keeps the time of a moved entry, and the latest of united ones", () => {
    const times = (...entries: ManagedFieldsEntry[]) =>
      toVersion(live(...entries), { apiVersion: "v1", managers: { all: true } }).managedFields.map(({ time }) => time)
    const moved = entry("a Update v2", data("a"), newer)
    expect(times(moved)).toEqual([newer])
    expect(times(moved, entry("a Update v1", data("b"), older))).toEqual([newer])
    expect(times(moved, entry("a Update v1", data("b")))).toEqual([newer])
  })

  it("changes the version of named managers, which keep their fields", () => {
    const object = live(
      entry("a Apply v0", data("a")),
      entry("b Update v0", data("b")),
      entry("b Update v1", data("c"), newer),
      entry("c Update/status v0", data("a")),
      entry("d Apply v0", data("b")),
    )
    const made = toVersion(object, { apiVersion: "v1", managers: ["a", "b", "c"] })
    expect(owners(made)).toEqual(["a Apply v1: a", "d Apply v0: b", "c Update/status v1: a", "b Update v1: b c"])
    expect([made.orphaned, made.operation, schemaErrors(made)]).toEqual([[], "to-version", ""])
    const all = toVersion(object, { apiVersion: "v1", managers: { all: true }, operation: "Apply" })
    expect(owners(all).filter(owner => owner.includes(" v1:"))).toEqual([
      "a Apply v1: a",
      "d Apply v1: b",
      "b Update v1: c",
    ])
    const again = toVersion(all.object, { apiVersion: "v1", managers: ["a", "d"] })
    expect([again.outcome, again.patch]).toEqual(["unchanged", []])
  })
})

describe("upgrade", () => {
  const csa = "kubectl-client-side-apply"
  const annotation = { "f:annotations": { "f:kubectl.kubernetes.io/last-applied-configuration": {} } }
  const applied = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data: { a: "0" } }
  function object(...entries: ManagedFieldsEntry[]): MapValue {
    const { metadata, ...rest } = live(...entries)
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(applied) }
    return { ...rest, metadata: { ...(metadata as MapValue), annotations } }
  }

  it("takes the fields of the owners of the annotation, as kubectl does, and plans by its content", () => {
    const mine = object(
      entry("helm Update v1", { ...data("a", "b"), "f:metadata": annotation }),
      entry("x Update v1", data("a")),
    )
    const made = upgrade(mine, { types })
    expect(owners(made)).toEqual(["kubectl Apply v1: a b", "x Update v1: a"])
    expect(made.patch.map(({ op, path }) => [op, path])).toEqual([
      ["replace", "/metadata/managedFields"],
      ["replace", "/metadata/resourceVersion"],
    ])
    const [next] = made.next
    expect([next?.basis, next?.outcome, paths(next?.conflicts ?? [])]).toEqual([
      "last-applied",
      "conflict",
      [".data.a"],
    ])
    expect(next?.changes.map(({ path, action }) => [path, action])).toContainEqual([".data.b", "remove"])
    expect(schemaErrors(made)).toBe("")
  })

  it("removes no defaults that the upgraded manager owned, as they come back", async () => {
    const config: MapValue = {
      ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "default" } },
      spec: {
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "web:1" }] } },
      },
    }
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(config) }
    const path = "/apis/apps/v1/namespaces/default/deployments"
    const { fetch } = createApiServer()
    const send = async (method: string, query: string, body: MapValue, type = "application/json") => {
      const init = { method, body: JSON.stringify(body), headers: { "content-type": type } }
      return (await (await fetch(new Request(`http://test${path}${query}`, init))).json()) as MapValue
    }
    const sent = { ...config, metadata: { ...(config.metadata as MapValue), annotations } }
    const stored = await send("POST", `?fieldManager=${csa}`, sent)
    expect(JSON.stringify(stored.metadata)).toContain('"f:progressDeadlineSeconds":{}')

    const made = upgrade(stored, { types })
    const [next] = made.next
    expect(next).toMatchObject({ manager: "kubectl", basis: "last-applied", outcome: "change", conflicts: [] })
    // Then nobody owns the defaults, and they stay.
    const changed = next?.changes.filter(({ action }) => action !== "stay") ?? []
    expect(changed.map(({ path, action }) => `${action} ${path}`)).toEqual(["remove .metadata.annotations"])

    await send("PATCH", "/web", made.patch as unknown as MapValue, "application/json-patch+json")
    const after = await send("PATCH", "/web?fieldManager=kubectl", config, "application/apply-patch+yaml")
    expect([after.spec, (after.metadata as MapValue).annotations]).toEqual([stored.spec, undefined])
  })

  it("refuses to lose fields at other versions, unless their manager is named", () => {
    const mine = object(
      entry("kubectl Apply v1", data("a")),
      entry(`${csa} Update v0`, { ...data("b"), "f:metadata": annotation }),
    )
    expect(() => upgrade(mine, { types })).toThrow(`"${csa}" (Update, v0) owns`)
    expect(owners(upgrade(mine, { types, csaManagers: csa }))).toEqual(["kubectl Apply v1: a"])
  })

  it("can guard its patch by a test too", () => {
    const mine = object(entry(`${csa} Update v1`, data("a")))
    expect(upgrade(mine, { csaManagers: csa, guard: "test" }).patch[0]).toEqual({
      ...{ op: "test", path: "/metadata/resourceVersion", value: "7" },
    })
  })
})

describe("the knowledge about an object", () => {
  it("without types, leaves out the next applies, and orders the entries as a server does", () => {
    const made = transfer(live(entry("b Update v1", data("b")), entry("a Apply v1", data("a"))), { from: "b", to: "z" })
    expect([owners(made), made.next, codes(made)]).toEqual([["a Apply v1: a", "z Apply v1: b"], [], ["no-type"]])
  })

  it("with types that lack the kind, leaves out the next applies too", () => {
    const widget = { ...live(entry("a Apply v1", data("a"))), apiVersion: "example.com/v1", kind: "Widget" }
    const made = transfer(widget, { types, from: "a", to: "z" })
    expect([owners(made), made.next, codes(made)]).toEqual([["z Apply v1: a"], [], ["no-type"]])
  })

  it.each(Object.entries({ transfer, release, dropGoneVersions, dropVersion, toVersion, upgrade }))(
    "needs the options of %s",
    (_, operation) => {
      expect(() => operation(live(), null as never)).toThrow("options: expected an object, got null")
    },
  )

  it("cannot distinguish an object without a resourceVersion from a later state", () => {
    const { metadata, ...rest } = live(entry("a Apply v1", data("a")))
    const { resourceVersion: _, ...others } = metadata as MapValue
    const made = transfer({ ...rest, metadata: others }, { types, from: "a", to: "b" })
    expect([made.patch.map(({ path }) => path), codes(made)]).toEqual([
      ["/metadata/managedFields"],
      ["no-resource-version"],
    ])
  })

  it("includes that managedFields are missing", () => {
    const { metadata, ...rest } = live()
    const { managedFields: _, ...others } = metadata as MapValue
    const made = transfer({ ...rest, metadata: others }, { types, from: "a", to: "b" })
    expect([made.outcome, codes(made)]).toEqual(["unchanged", ["managed-fields-missing"]])
  })
})

describe("the patch as text", () => {
  it("has Go's order of keys", () => {
    const sorted = {
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: data("a"),
      manager: "a",
      operation: "Apply",
    } as const
    const { patch } = transfer(live(sorted as ManagedFieldsEntry, entry("b Apply v1", data("b"))), {
      types,
      from: "b",
      to: "<b>",
    })
    expect(formatPatch(patch)).toBe(
      '[{"op":"test","path":"/metadata/resourceVersion","value":"7"},{"op":"replace","path":"/metadata/managedFields","value":' +
        '[{"manager":"\\u003cb\\u003e","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:b":{}}}},' +
        '{"manager":"a","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:a":{}}}}]}]',
    )
  })

  const patch = [{ op: "replace", path: "/metadata/managedFields", value: "x" }] as const
  const target = { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name: "web" }
  const sent = `'[{"op":"replace","path":"/metadata/managedFields","value":"x"}]'`

  it.each<[string, Partial<typeof target>, string]>([
    [
      "names group, kind, name and namespace",
      {},
      `kubectl patch deployment.apps/web --namespace=shop --type=json -p ${sent}`,
    ],
    [
      "leaves a core group out",
      { apiVersion: "v1", kind: "Pod" },
      `kubectl patch pod/web --namespace=shop --type=json -p ${sent}`,
    ],
    [
      "quotes what a shell would read",
      { name: "a;$(rm -rf ~)`b`" },
      `kubectl patch 'deployment.apps/a;$(rm -rf ~)\`b\`' --namespace=shop --type=json -p ${sent}`,
    ],
    [
      "quotes quotes",
      { name: "it's" },
      `kubectl patch 'deployment.apps/it'\\''s' --namespace=shop --type=json -p ${sent}`,
    ],
  ])("%s", (_, parts, command) => expect(kubectlPatch({ target: { ...target, ...parts }, patch })).toBe(command))

  it("names no namespace for a cluster-scoped object", () => {
    const namespace = { apiVersion: "v1", kind: "Namespace", name: "shop" }
    expect(kubectlPatch({ target: namespace, patch })).toBe(`kubectl patch namespace/shop --type=json -p ${sent}`)
  })

  it("has no command for an empty patch, and refuses names that no object can have", () => {
    expect(kubectlPatch({ target, patch: [] })).toBe("")
    for (const parts of [
      { name: "" },
      { name: "a/b" },
      { name: "a\nb" },
      { name: ".." },
      { name: "\u202e" },
      { namespace: "\x1b[2J" },
      { kind: "-o" },
      { kind: "A b" },
    ]) {
      expect(() => kubectlPatch({ target: { ...target, ...parts }, patch })).toThrow("no object can have the")
    }
  })

  it("comes out of a shell unchanged", async () => {
    const { execFileSync } = await import("node:child_process")
    const value: Value = `' " \\ $HOME \`id\` !x * ; & | < > \u{1f600}`
    const hostile = [{ op: "replace", path: "/metadata/managedFields", value }] as const
    const command = kubectlPatch({ target: { ...target, name: "a'b\"c$d" }, patch: hostile })
    const out = execFileSync("sh", ["-c", `kubectl() { printf '%s\\n' "$@"; }; ${command}`], { encoding: "utf8" })
    expect(out.split("\n")).toEqual([
      ...["patch", "deployment.apps/a'b\"c$d", "--namespace=shop", "--type=json", "-p", formatPatch(hostile), ""],
    ])
  })
})
