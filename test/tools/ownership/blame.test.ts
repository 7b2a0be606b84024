import { describe, expect, it } from "vitest"
import { pathOf } from "../../../src/fieldpath/path.js"
import { kubernetesTypes } from "../../../src/kubernetes/index.js"
import { defaultedKeys, objectType } from "../../../src/tools/ownership/fields.js"
import { type BlamedField, blame } from "../../../src/tools/ownership/index.js"
import type { Type } from "../../../src/typed/type.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { configMap, deployment, entry, fieldManager, managedBy, messageOf } from "../../managedfields/notation.js"
import { nestedMap } from "../../value/samples.js"

const pod = (spec: MapValue, metadata: MapValue = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", ...metadata },
  spec,
})

/** `path: owner owner`, with a dash if nobody owns the path. */
function line({ path, owners, gone }: BlamedField): string {
  return `${path}: ${owners.map(({ manager }) => manager).join(" ") || "-"}${gone === true ? " (gone)" : ""}`
}

/** Two containers of two appliers, one co-owned; nobody owns the values that a server filled in. */
const containers = managedBy(
  pod({
    containers: [
      { name: "proxy", image: "p:1", args: ["--a", "--b"], terminationMessagePath: "/dev/log" },
      { name: "web", image: "w:1", ports: [{ containerPort: 80, protocol: "TCP" }, { containerPort: 81 }] },
    ],
  }),
  entry("web-team Apply v1", {
    "f:spec": {
      "f:containers": {
        'k:{"name":"web"}': {
          ".": {},
          "f:name": {},
          "f:image": {},
          "f:ports": { 'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} } },
        },
      },
    },
  }),
  entry("mesh Apply v1", {
    "f:spec": {
      "f:containers": {
        'k:{"name":"proxy"}': { ".": {}, "f:name": {}, "f:image": {}, "f:args": {} },
        'k:{"name":"web"}': { ".": {}, "f:name": {} },
      },
    },
  }),
)

describe("blame", () => {
  // https://github.com/knight42/kubectl-blame/issues/20: that tool finds items by their index.
  it("finds the owners of items of keyed lists by their keys, whatever the order of keys in entries", () => {
    const expected = [
      '.spec.containers[name="proxy"]: mesh',
      '.spec.containers[name="proxy"].args: mesh',
      '.spec.containers[name="proxy"].image: mesh',
      '.spec.containers[name="proxy"].name: mesh',
      '.spec.containers[name="proxy"].terminationMessagePath: -',
      '.spec.containers[name="web"]: web-team mesh',
      '.spec.containers[name="web"].image: web-team',
      '.spec.containers[name="web"].name: web-team mesh',
      '.spec.containers[name="web"].ports[containerPort=80,protocol="TCP"]: web-team',
      '.spec.containers[name="web"].ports[containerPort=80,protocol="TCP"].containerPort: web-team',
      '.spec.containers[name="web"].ports[containerPort=80,protocol="TCP"].protocol: -',
    ]
    const typed = blame(containers, { types: kubernetesTypes }).fields.map(line)
    expect(typed).toEqual([
      ...expected,
      '.spec.containers[name="web"].ports[containerPort=81,protocol="TCP"]: -',
      '.spec.containers[name="web"].ports[containerPort=81,protocol="TCP"].containerPort: -',
    ])
    // Without a type, the default of the protocol is unknown.
    expect(blame(containers).fields.map(line)).toEqual([
      ...expected,
      '.spec.containers[name="web"].ports[containerPort=81]: -',
      '.spec.containers[name="web"].ports[containerPort=81].containerPort: -',
    ])
  })

  it("recognizes an item that leaves a key to its default, if the type is known", () => {
    const port = (protocol: string) => `k:{"containerPort":81,"protocol":"${protocol}"}`
    const object = managedBy(
      pod({ containers: [{ name: "web", ports: [{ containerPort: 81, hostPort: 8081 }] }] }),
      entry("one Apply v1", {
        "f:spec": {
          "f:containers": {
            'k:{"name":"web"}': {
              "f:ports": { [port("TCP")]: { "f:hostPort": {} }, [port("UDP")]: { "f:hostPort": {} } },
            },
          },
        },
      }),
    )
    const pathTo = (protocol: string) =>
      `.spec.containers[name="web"].ports[containerPort=81,protocol="${protocol}"].hostPort`
    const [tcp, udp] = [pathTo("TCP"), pathTo("UDP")]
    const typed = blame(object, { types: kubernetesTypes })
    expect([line(typed.at(tcp)), line(typed.at(udp))]).toEqual([`${tcp}: one`, `${udp}: one (gone)`])
    const type = objectType(kubernetesTypes, object) as Type
    const keysAt = (port: MapValue) => {
      const path = pathOf("spec", "containers", { name: "web" }, "ports", port, "hostPort")
      return defaultedKeys(type, path).map(({ name, step }) => `${name} at ${step}`)
    }
    expect(keysAt({ containerPort: 81, protocol: "TCP" })).toEqual(["protocol at 4"])
    expect(keysAt({ containerPort: 81, protocol: "UDP" })).toEqual([])
    expect(keysAt({ containerPort: 81 })).toEqual([])
    const untyped = blame(object)
    expect([line(untyped.at(tcp)), line(untyped.at(udp))]).toEqual([`${tcp}: one`, `${udp}: one`])
  })

  it.each([kubernetesTypes, undefined])("finds the owners of items of sets, and nobody's", types => {
    const object = managedBy(
      { apiVersion: "v1", kind: "Pod", metadata: { name: "web", finalizers: ["a/x", "b/y", "c/z"] } },
      entry("one Apply v1", { "f:metadata": { "f:finalizers": { 'v:"a/x"': {}, 'v:"b/y"': {} } } }),
      entry("two Update v1", { "f:metadata": { "f:finalizers": { ".": {}, 'v:"b/y"': {} } } }),
    )
    const found = blame(object, types === undefined ? {} : { types })
    expect(found.fields.map(line)).toEqual([
      ".metadata.finalizers: two",
      '.metadata.finalizers[="a/x"]: one',
      '.metadata.finalizers[="b/y"]: one two',
      '.metadata.finalizers[="c/z"]: -',
    ])
    expect(found.unowned().map(({ steps }) => steps)).toEqual([["f:metadata", "f:finalizers", 'v:"c/z"']])
  })

  it("finds the owners of items without keys by their index, whether equal items are one object or not", () => {
    const item = { a: 1, b: 1 }
    for (const args of [
      [item, item],
      [item, { ...item }],
    ]) {
      const object = managedBy(
        { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "web" }, args },
        entry("one Apply example.com/v1", {
          "f:args": { "i:0": { ".": {}, "f:a": {} }, "i:1": { ".": {}, "f:b": {} } },
        }),
      )
      expect(blame(object).fields.map(line)).toEqual([
        ".args[0]: one",
        ".args[0].a: one",
        ".args[0].b: -",
        ".args[1]: one",
        ".args[1].a: -",
        ".args[1].b: one",
      ])
    }
  })

  it("shows the owners of an atomic list for the fields inside it", () => {
    const found = blame(containers, { types: kubernetesTypes })
    const args = found.at('.spec.containers[name="proxy"].args')
    expect(args.value).toBe((containers.spec as { containers: { args: Value }[] }).containers[0]?.args)
    expect(args).toMatchObject({ owners: [{ manager: "mesh", operation: "Apply", apiVersion: "v1" }] })
    expect(found.at('.spec.containers[name="proxy"].args[1]')).toEqual({
      path: '.spec.containers[name="proxy"].args[1]',
      steps: ["f:spec", "f:containers", 'k:{"name":"proxy"}', "f:args", "i:1"],
      owners: [],
      value: "--b",
      within: args,
    })
    expect(found.at(".spec.containers").within).toBeUndefined()
  })

  it("has the operation, the subresource and the time of an owner", () => {
    const object = managedBy(
      deployment({ replicas: 7 }),
      entry("hpa Update/scale apps/v1", { "f:spec": { "f:replicas": {} } }, "2024-05-01T12:00:00Z"),
    )
    const hpa = {
      manager: "hpa",
      operation: "Update",
      subresource: "scale",
      apiVersion: "apps/v1",
      time: "2024-05-01T12:00:00Z",
    }
    expect(blame(object).at(pathOf("spec", "replicas")).owners).toEqual([hpa])
    expect(blame(object).byManager()).toEqual([
      { owner: hpa, fields: [{ path: ".spec.replicas", steps: ["f:spec", "f:replicas"] }] },
    ])
  })

  it("reads paths as it prints them, including names with dots and brackets", () => {
    const labels = { "app.kubernetes.io/name": "web", "a[b": "c" }
    const { object } = fieldManager().apply(undefined, configMap({ "a.b": "1", a: "2" }, { labels }), { manager: "x" })
    const found = blame(object)
    for (const field of found.fields) expect(found.at(field.path)).toEqual(field)
    expect(found.at('.metadata.labels["app.kubernetes.io/name"]').owners).toHaveLength(1)
    expect(messageOf(() => found.at("spec"))).toContain("expected")
  })

  it("distinguishes fields that upstream prints alike", () => {
    const owned = { "f:l": { "v:[]": {}, "v:[{}]": {}, "v:{}": {} }, "f:m": { "f:a": { "f:b": {} }, "f:a.b": {} } }
    const object = { apiVersion: "v1", kind: "Thing", metadata: {}, l: [[], [{}]], m: { a: { b: 1 }, "a.b": 2 } }
    const found = blame(
      managedBy(object, entry("one Apply v1", owned), entry("two Apply v1", { "f:m": { "f:a.b": {} } })),
    )
    expect(found.fields.map(line)).toEqual([
      ".l[=[]]: one",
      ".l[=[{}]]: one",
      ".l[={}]: one (gone)",
      ".m.a.b: one",
      '.m["a.b"]: one two',
    ])
    for (const field of found.fields) expect(found.at(field.path)).toEqual(field)
    expect(found.byManager()[1]?.fields.map(({ path }) => path)).toEqual(['.m["a.b"]'])
    // A name with a dot needs no quotes if the object has nothing at the path that the same text spells.
    expect(blame(configMap({ "a.b": "1" })).fields.map(({ path }) => path)).toContain(".data.a.b")
  })

  it("shows owners at another version, and fields that are gone", () => {
    const old = entry("old Update v1beta1", { "f:data": { "f:b": {} } })
    const found = blame(managedBy(configMap({ a: "1" }), old, entry("new Apply v1", { "f:data": { "f:a": {} } })))
    expect(found.ownersAtOtherVersions).toEqual([{ manager: "old", operation: "Update", apiVersion: "v1beta1" }])
    expect(found.fields.map(line)).toEqual([".data.a: new", ".data.b: old (gone)"])
  })

  it("reports a stored object without owners", () => {
    const found = blame(configMap({ a: "1" }, { resourceVersion: "7" }))
    expect(found.findings).toMatchObject([{ code: "managed-fields-missing" }])
    expect(found.findings[0]?.message).toContain("--show-managed-fields")
    expect(found.unowned().map(line)).toEqual([".data.a: -"])
    expect(blame(configMap({ a: "1" })).findings).toEqual([])
  })

  it("does not report missing managedFields if the object has nothing to own, or an empty list", () => {
    const metadata = { name: "default", resourceVersion: "7", uid: "u", creationTimestamp: "2001-02-03T04:05:06Z" }
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata }
    expect(blame(account).findings).toEqual([])
    expect(blame({ ...account, metadata: { ...metadata, labels: { a: "b" } } }).findings).toHaveLength(1)
    expect(blame(configMap({ a: "1" }, { resourceVersion: "7", managedFields: [] })).findings).toEqual([])
  })

  it("reports entries that can't be read, and shows the other entries if the engine reads them", () => {
    const good = entry("ci Apply v1", { "f:data": { "f:a": {} } }) as MapValue
    const rows: [string, Value, string, string][] = [
      ["no list", "x", "-", "metadata.managedFields of the object is not a list"],
      ["no map", [good, 1], "-", "metadata.managedFields[1] is not an entry"],
      ["no time", [{ ...good, time: "yesterday" }], "-", "metadata.managedFields[0] is not an entry"],
      [
        "no set",
        [{ ...good, manager: "old", fieldsV1: [1] }, good],
        "ci",
        'managedFields[0], of manager "old", can\'t be read',
      ],
      [
        "no key",
        [good, { ...good, manager: "b", fieldsV1: { 'k:{"a"': {} } }],
        "ci",
        'managedFields[1], of manager "b"',
      ],
      ["no operation", [{ ...good, operation: "Patch" }], "ci", "operation must be `Apply` or `Update`. An apply"],
    ]
    for (const [name, managedFields, owner, message] of rows) {
      const found = blame(configMap({ a: "1" }, { resourceVersion: "7", managedFields }))
      expect([name, ...found.fields.map(line)]).toEqual([name, `.data.a: ${owner}`])
      expect(found.findings).toMatchObject([{ code: "managed-fields-unreadable" }])
      expect(found.findings[0]?.message).toContain(message)
    }
  })

  it("treats an entry without fieldsV1 as one that owns nothing, as an apply does", () => {
    const { fieldsV1: _, ...bare } = entry("x Apply v1", {})
    const found = blame(managedBy(configMap({ a: "1" }), bare))
    expect(found.fields.map(line)).toEqual([".data.a: -"])
  })

  it("refuses objects that nest too deep", () => {
    expect(() => blame({ spec: nestedMap(1_001) })).toThrow(/^\.spec.*nests deeper than 1000 levels/)
    expect(blame({ spec: nestedMap(900) }).unowned()).toHaveLength(1)
  })

  it("refuses values that are not objects", () => {
    expect(messageOf(() => blame([]))).toBe("expected an object, got a list")
    const pods = { apiVersion: "v1", kind: "PodList", metadata: { resourceVersion: "7" }, items: [{}, {}] }
    expect(messageOf(() => blame(pods))).toBe("expected one object, got a list, PodList; pass its items one by one")
    const allowed = { apiVersion: "example.com/v1", kind: "AllowList", items: ["b"] }
    for (const metadata of [{ name: "a" }, { generateName: "a-" }])
      expect(blame({ ...allowed, metadata }).fields).not.toEqual([])
    expect(blame({ ...allowed, spec: { a: 1 } }).fields).toHaveLength(2)
  })

  it("is plain data", () => {
    const found = blame(containers)
    const { type, version, target, fields, ownersAtOtherVersions, findings } = found
    expect(JSON.parse(JSON.stringify(found))).toEqual({
      type,
      version,
      target,
      fields,
      ownersAtOtherVersions,
      findings,
    })
    expect(target).toEqual({ apiVersion: "v1", kind: "Pod", name: "web" })
  })
})

describe("a long list", () => {
  it.each([undefined, kubernetesTypes])("costs each item as much as a short one", types => {
    const readsOfFirst = (length: number): number => {
      let reads = 0
      const first = {
        get name() {
          reads++
          return "E0"
        },
      }
      const others = Array.from({ length: length - 1 }, (_, i) => ({ name: `E${i + 1}` }))
      const env = [first, ...others]
      const owned = Object.fromEntries(env.map(({ name }) => [`k:{"name":"${name}"}`, { ".": {}, "f:name": {} }]))
      const fields = { "f:spec": { "f:containers": { 'k:{"name":"web"}': { "f:env": owned } } } }
      blame(managedBy(pod({ containers: [{ name: "web", env }] }), entry("web-team Apply v1", fields)), { types })
      return reads
    }
    expect(readsOfFirst(400)).toBe(readsOfFirst(40))
  })
})
