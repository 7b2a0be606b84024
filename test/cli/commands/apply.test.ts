import { afterEach, describe, expect, it, vi } from "vitest"
import { valueAt } from "../../../src/fieldpath/lookup.js"
import { pathOf } from "../../../src/fieldpath/path.js"
import { parseJson } from "../../../src/json/json.js"
import { TypedValue } from "../../../src/typed/typed-value.js"
import { equalValues } from "../../../src/value/equal.js"
import type { Value } from "../../../src/value/value.js"
import { definitionOf } from "../../support/definition.js"
import { deployment, smd, text } from "../cli.js"

/** The managedFields of a printed object, as `manager operation apiVersion` to fieldsV1. */
function ownersOf(json: string): Record<string, unknown> {
  const object = parseJson(json) as { metadata?: { managedFields?: Record<string, unknown>[] } }
  const entries = object.metadata?.managedFields ?? []
  return Object.fromEntries(
    entries.map(({ manager, operation, apiVersion, fieldsV1 }) => [`${manager} ${operation} ${apiVersion}`, fieldsV1]),
  )
}

async function created(): Promise<string> {
  const { out } = await smd(["apply", "--manager", "web", "web.yaml"], { files: { "web.yaml": deployment(3) } })
  return out
}

const service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {type: ClusterIP, ports: [{port: 80}]}\n"

const someCRD = JSON.stringify(definitionOf("Thing", { group: "x.org" }))

const apply = ["apply", "--manager", "hpa", "--live", "live.yaml"]

afterEach(() => {
  vi.restoreAllMocks()
})

describe("smd apply", () => {
  it("checks each document against its type once, and again only to find the places of problems", async () => {
    const of = vi.spyOn(TypedValue, "of")
    const checks = (replicas: Value) => {
      return of.mock.calls.filter(([value]) =>
        equalValues(valueAt(value, pathOf("spec", "replicas")) ?? null, replicas),
      )
    }
    const live = await created()
    of.mockClear()
    await smd([...apply, "--force", "web.yaml"], { files: { "live.yaml": live, "web.yaml": deployment(5) } })
    expect([checks(3).length, checks(5).length]).toEqual([1, 1])

    of.mockClear()
    const broken = deployment(5).replace("replicas: 5", "replicas: five")
    const { status } = await smd([...apply, "web.yaml"], { files: { "live.yaml": live, "web.yaml": broken } })
    expect([status, checks("five").length]).toEqual([2, 2])
  })

  it("reports the problems of all documents at once", async () => {
    const files = { "web.yaml": deployment(3).replace("replicas: 3", "replicas: three"), "pod.yaml": "kind: Pod\n" }
    const { err } = await smd(["apply", "--manager", "a", "web.yaml", "pod.yaml"], { files })
    expect(err).toContain('.spec.replicas: must be a number, not the text "three"')
    expect(err).toContain("pod.yaml:1:1: apiVersion is missing")
  })

  it("creates an object that its manager owns, except for its identity", async () => {
    const args = ["apply", "--manager", "web", "web.yaml", "--output", "json"]
    const { status, out, err } = await smd(args, { files: { "web.yaml": deployment(3) } })
    expect([status, err]).toEqual([0, ""])
    expect(ownersOf(out)).toEqual({
      "web Apply apps/v1": {
        "f:metadata": { "f:labels": { "f:app": {} } },
        "f:spec": {
          "f:replicas": {},
          "f:selector": {},
          "f:template": {
            "f:metadata": { "f:labels": { "f:app": {} } },
            "f:spec": {
              "f:containers": {
                'k:{"name":"web"}': {
                  ".": {},
                  "f:image": {},
                  "f:name": {},
                  "f:ports": { 'k:{"containerPort":8080,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} } },
                },
              },
            },
          },
        },
      },
    })
  })

  it("starts from the empty object of a built-in kind, wherever its type comes from", async () => {
    const files = { "a.yaml": service, "crd.yaml": someCRD }
    const spec = { type: "ClusterIP", sessionAffinity: "None" }
    for (const flags of [[], ["--crd", "crd.yaml"], ["--type", "io.k8s.api.core.v1.Service"]]) {
      const { out } = await smd(["apply", "--manager", "m", "--output", "json", ...flags, "a.yaml"], { files })
      expect(parseJson(out)).toMatchObject({ spec, status: { loadBalancer: {} } })
    }
  })

  it("starts from nothing, and with fewer checks, if the type is of another release", async () => {
    const gvk = { group: "", version: "v1", kind: "Service" }
    const type = { type: "string" }
    const properties = { apiVersion: type, kind: type, metadata: { type: "object" }, spec: { type: "object" } }
    const schemas = { Service: { type: "object", properties, "x-kubernetes-group-version-kind": [gvk] } }
    const files = {
      "a.yaml": service,
      "old.json": JSON.stringify({ openapi: "3.0.0", components: { schemas } }),
    }
    const args = ["apply", "--manager", "m", "--output", "json", "--openapi", "old.json", "a.yaml"]
    const { status, out } = await smd(args, { files })
    expect(status).toBe(0)
    expect(Object.keys(parseJson(out) as object)).toEqual(["apiVersion", "kind", "metadata", "spec"])
  })

  it("shows field, owner and both values of each conflict, and applies nothing", async () => {
    const files = { "live.yaml": await created(), "config.yaml": deployment(5, "web:2.0") }
    const { status, out, err } = await smd([...apply, "config.yaml"], { files })
    expect(status).toBe(1)
    expect(out).toBe("")
    expect(err).toBe(text`
      error: Apply failed with 2 conflicts: conflicts with "web":
      - .spec.replicas
      - .spec.template.spec.containers[name="web"].image

        .spec.replicas
          owned by    web (Apply)
          live        3
          configured  5

        .spec.template.spec.containers[name="web"].image
          owned by    web (Apply)
          live        "web:1.0"
          configured  "web:2.0"

      Please review the fields above--they currently have other managers. Here
      are the ways you can resolve this warning:
      * If you intend to manage all of these fields, please re-run the apply
        command with the \`--force-conflicts\` flag.
      * If you do not intend to manage all of the fields, please edit your
        manifest to remove references to the fields that should keep their
        current managers.
      * You may co-own fields by updating your manifest to match the existing
        value; in this case, you'll become the manager if the other manager(s)
        stop managing the field (remove it from their configuration).
      See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts
    `)
  })

  it("prints conflicts as JSON with -o json", async () => {
    const files = { "live.yaml": await created(), "config.yaml": deployment(5) }
    const { status, out } = await smd([...apply, "config.yaml", "--output", "json"], { files })
    expect(status).toBe(1)
    const owners = [{ manager: "web", operation: "Apply" }]
    expect(parseJson(out)).toEqual({ conflicts: [{ field: ".spec.replicas", owners, live: 3, configured: 5 }] })
  })

  it("names all owners of a field, subresources included, and a value that is absent", async () => {
    const entry = (manager: string, rest: object): object => ({
      manager,
      operation: "Update",
      apiVersion: "apps/v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:paused": {} } },
      ...rest,
    })
    const managedFields = [entry("kcm", {}), entry("hpa", { subresource: "scale" })]
    const live = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "shop", managedFields }, spec: {} }
    const config = deployment(5).replace("  selector:", "  paused: true\n  selector:")
    const files = { "live.json": JSON.stringify(live), "config.yaml": config }
    const { err } = await smd(["apply", "--manager", "web", "--live", "live.json", "config.yaml"], { files })
    expect(err).toContain("owned by    kcm (Update, apps/v1)\n")
    expect(err).toContain("owned by    hpa (Update, apps/v1, subresource scale)\n")
    expect(err).toContain("live        (absent)\n")
  })

  it("shows refusals at their places, with the conflicts of other objects, and applies nothing", async () => {
    const files = {
      "live.yaml": await created(),
      "web.yaml": deployment(5),
      "bad.yaml": service.replace("port: 80", "port: 80, protocol: ICMP"),
    }
    const bad = await smd([...apply, "bad.yaml", "web.yaml", "-o", "json"], { files })
    const message = 'Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"'
    expect([bad.status, ...bad.err.split("\n", 2)]).toEqual([
      1,
      `bad.yaml:4:44: .spec.ports[0].protocol: ${message}`,
      "deployment.apps/shop",
    ])
    expect(parseJson(bad.out)).toEqual({
      refusals: [
        {
          file: "bad.yaml",
          line: 4,
          column: 44,
          path: ".spec.ports[0].protocol",
          message,
          reason: "FieldValueNotSupported",
        },
      ],
      conflicts: [expect.objectContaining({ object: "deployment.apps/shop", field: ".spec.replicas" })],
    })
  })

  it("warns about a live object that no server can have stored", async () => {
    const live = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {type: ClusterIP}\n"
    const config = live.replace("spec:", "  #\nspec:").replace("{name: web}", "{name: web, labels: {a: b}}")
    const files = { "live.yaml": live, "web.yaml": config }
    const { status, err } = await smd(["apply", "--manager", "a", "--live", "live.yaml", "web.yaml"], { files })
    expect([status, err]).toEqual([0, expect.stringContaining("web.yaml:1:1: warning: No server has stored the live")])
  })

  it("takes the fields with --force", async () => {
    const files = { "live.yaml": await created(), "config.yaml": deployment(5) }
    const { status, out } = await smd([...apply, "--force", "config.yaml", "--output", "json"], { files })
    expect(status).toBe(0)
    const owners = ownersOf(out)
    expect(Object.keys(owners)).toEqual(["hpa Apply apps/v1", "web Apply apps/v1"])
    expect(JSON.stringify(owners["hpa Apply apps/v1"])).toContain("f:replicas")
    expect(JSON.stringify(owners["web Apply apps/v1"])).not.toContain("f:replicas")
    expect(parseJson(out)).toMatchObject({ spec: { replicas: 5 } })
  })

  it("prunes fields that the manager has left out", async () => {
    const config = deployment(3).replace("  labels: {app: shop}\n", "")
    const files = { "live.yaml": await created(), "config.yaml": config }
    const args = ["apply", "--manager", "web", "--live", "live.yaml", "config.yaml", "--output", "json"]
    const { out } = await smd(args, { files })
    const { metadata } = parseJson(out) as { metadata: object }
    expect(Object.keys(metadata)).toEqual(["name", "managedFields", "generation"])
  })

  it("gives the fields of a live object without owners to before-first-apply", async () => {
    const files = { "live.yaml": deployment(3), "config.yaml": deployment(5) }
    const { status, err } = await smd([...apply, "config.yaml"], { files })
    expect(status).toBe(1)
    expect(err).toContain("owned by    before-first-apply (Update, apps/v1)")
  })

  it("keeps existing times, and writes the current one after a change", async () => {
    const timed = (await created()).replace(/^( *)fieldsType:/m, "$1time: 1999-01-01T00:00:00Z\n$&")
    const again = (config: string) =>
      smd(["apply", "--manager", "web", "--live", "live.yaml", "config.yaml"], {
        files: { "live.yaml": timed, "config.yaml": config },
      })
    expect((await again(deployment(3))).out).toContain("1999-01-01T00:00:00Z")
    expect((await again(deployment(4))).out).toContain("2001-02-03T04:05:06Z")
    expect(await created()).not.toContain("time:")
  })

  it("reads the live object from standard input", async () => {
    const files = { "-": await created(), "config.yaml": deployment(3) }
    const { status } = await smd(["apply", "--manager", "ci", "--live", "-", "config.yaml"], { files })
    expect(status).toBe(0)
  })

  it("applies objects of a custom schema, without apiVersion and metadata", async () => {
    const schema = text`
      types:
      - name: cluster
        map:
          fields:
          - {name: size, type: {scalar: numeric}}
          - {name: zones, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}
    `
    const run = (manager: string, config: string, live?: string) =>
      smd(
        [
          "apply",
          "--schema",
          "s.yaml",
          "--manager",
          manager,
          ...(live === undefined ? [] : ["--live", "l.yaml"]),
          "c.yaml",
        ],
        {
          files: { "s.yaml": schema, "c.yaml": config, "l.yaml": live ?? "" },
        },
      )
    const { out } = await run("a", "size: 1\nzones: [east]\n")
    const { out: second } = await run("b", "zones: [west]\n", out)
    expect(second).toMatch(/size: 1\nzones:\n *- east\n *- west\n/)
    const { status, err } = await run("b", "size: 2\n", second)
    expect(status).toBe(1)
    expect(err).toContain("owned by    a (Apply)")
  })

  describe("with unions", () => {
    const schema = text`
      types:
      - name: cluster
        map:
          fields:
          - {name: kind, type: {scalar: string}}
          - {name: disk, type: {map: {elementType: {scalar: untyped}}}}
          - {name: memory, type: {map: {elementType: {scalar: untyped}}}}
          unions:
          - discriminator: kind
            deduceInvalidDiscriminator: true
            fields:
            - {fieldName: disk, discriminatorValue: Disk}
            - {fieldName: memory, discriminatorValue: Memory}
    `
    const run = (manager: string, config: string, live?: string, ...more: string[]) => {
      const options = ["--schema", "s.yaml", ...(live === undefined ? [] : ["--live", "l.yaml"]), ...more]
      const files = { "s.yaml": schema, "c.yaml": config, "l.yaml": live ?? "" }
      return smd(["apply", ...options, "--manager", manager, "c.yaml"], { files })
    }
    const onDisk = "disk: {size: 1}\n"
    const inMemory = "memory: {size: 2}\n"

    it("reports how they are settled", async () => {
      const { out: live, err: first } = await run("a", onDisk)
      expect(live).toContain("kind: Disk\n")
      expect(first).toBe('union .: kind none -> "Disk" (implied by disk)\n')
      const { out, err } = await run("b", inMemory, live, "--force")
      expect(out).toContain("kind: Memory\n")
      expect(out).not.toMatch(/^disk:/m)
      expect(err).toBe('union .: kind "Disk" -> "Memory" (implied by memory); removed disk (owned by "a")\n')
    })

    it("says which member implied a conflict", async () => {
      const { out: live } = await run("a", onDisk)
      const { status, err } = await run("b", inMemory, live)
      expect(status).toBe(1)
      expect(err).toContain(
        text`
        .kind
          owned by  a (Apply)
          live      "Disk"
          becomes   "Memory"
          because   implied by .memory (union policy extended)
      `
          .replaceAll(/^/gm, "  ")
          .trimEnd(),
      )
      const { out } = await run("b", inMemory, live, "--output", "json")
      const { conflicts } = parseJson(out) as { conflicts: object[] }
      expect(conflicts).toEqual([
        {
          field: ".kind",
          owners: [{ manager: "a", operation: "Apply" }],
          live: "Disk",
          becomes: "Memory",
          because: "implied by .memory (union policy extended)",
        },
      ])
    })

    it("writes discriminators as --deduce says", async () => {
      const { out: live } = await run("a", onDisk)
      const { err } = await run("b", inMemory, live, "--deduce", "never")
      expect(err).toContain("cleared by .memory (union policy extended)")
      expect((await run("b", inMemory, live, "--unions", "v4", "--deduce", "never")).err).toBe(
        'union .: removed disk (owned by "a")\n',
      )
      expect((await run("b", inMemory, live, "--deduce", "schema")).err).toContain("implied by .memory")
      expect((await run("b", inMemory, live, "--deduce", "now")).err).toContain(
        "--deduce must be always, schema or never, not now",
      )
    })

    it("does not settle them if they are off", async () => {
      const { out: live } = await run("a", onDisk, undefined, "--unions", "off")
      expect(live).not.toContain("kind")
      const { out, err } = await run("b", inMemory, live, "--unions", "off")
      expect(out).toMatch(/^disk:/m)
      expect(err).toBe("")
    })

    it("settles those of the built-in types", async () => {
      const strategy = (lines: string) => deployment(3).replace("  selector:", `  strategy: ${lines}\n  selector:`)
      const rolling = strategy("{type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}")
      const recreate = strategy("{type: Recreate}")
      const { out: live } = await smd(["apply", "--manager", "web", "c.yaml"], { files: { "c.yaml": rolling } })
      const files = { "live.yaml": live, "c.yaml": recreate }
      const args = ["apply", "--live", "live.yaml", "c.yaml", "--manager"]

      const plain = await smd([...args, "ops", "--force"], { files })
      const forbidden = "Forbidden: may not be specified when strategy `type` is 'Recreate'"
      expect(plain).toEqual({ status: 1, out: "", err: `c.yaml:8:3: .spec.strategy.rollingUpdate: ${forbidden}\n` })

      const refused = await smd([...args, "ops", "--unions", "extended"], { files })
      expect([refused.status, refused.out]).toEqual([1, ""])
      expect(refused.err).toContain(text`
        .spec.strategy.type
            owned by    web (Apply)
            live        "RollingUpdate"
            configured  "Recreate"
      `)

      const settled = await smd([...args, "ops", "--unions", "extended", "--force"], { files })
      expect([settled.status, settled.err]).toEqual([
        0,
        'union .spec.strategy: type "RollingUpdate" -> "Recreate"; removed rollingUpdate (owned by "web")\n',
      ])
      expect(settled.out).toMatch(/strategy:\n *type: Recreate\n *replicas:/)
      expect(settled.out).not.toContain("rollingUpdate")

      const own = await smd([...args, "web", "--unions", "extended"], { files })
      expect([own.status, own.err]).toEqual([0, settled.err])
      const types = ["--type", "io.k8s.api.apps.v1.Deployment"]
      expect(await smd([...args, "web", "--unions", "extended", ...types], { files })).toEqual(own)
    })

    it("settles those of an overlay", async () => {
      const bare = schema.replace(/ {4}unions:[\s\S]*/, "")
      const overlay = text`
        types:
        - name: cluster
          unions:
          - discriminator: kind
            deduceInvalidDiscriminator: true
            fields: [{fieldName: disk, discriminatorValue: Disk}, {fieldName: memory, discriminatorValue: Memory}]
      `
      const args = ["apply", "--schema", "s.yaml", "--manager", "a", "c.yaml", "--union-overlay", "u.yaml"]
      const files = { "s.yaml": bare, "c.yaml": onDisk, "u.yaml": overlay }
      expect((await smd(args, { files })).out).toContain("kind: Disk\n")
      const faults = [
        [overlay.replace("cluster", "clusters"), "u.yaml:2:3: there is no type clusters; did you mean cluster?\n"],
        [overlay.replace("memory", "memmory"), /^u\.yaml:1:1: .*memmory/],
        ["types: 3", /^u\.yaml:1:1: unable to validate union overlay/],
      ] as const
      for (const [document, message] of faults) {
        const { status, err } = await smd(args, { files: { ...files, "u.yaml": document } })
        expect(status).toBe(2)
        expect(err).toMatch(message)
      }
    })

    it("refuses an unknown policy", async () => {
      const { status, err } = await run("a", onDisk, undefined, "--unions", "v5")
      expect(status).toBe(2)
      expect(err).toContain("--unions must be off, v4, kep-2019, kep-2022-draft, kep-2022 or extended, not v5\n")
    })
  })

  it.each([
    [["apply", "web.yaml"], "smd apply: --manager is required"],
    [["apply", "--manager", "web"], "smd apply: CONFIG is missing"],
    [["apply", "--manager", "--force", "web.yaml"], "smd apply: --manager needs a value: NAME"],
    [["apply", "--force=yes", "--manager", "web", "web.yaml"], "smd apply: --force must be true or false, not yes"],
    [["apply", "--manager", "web", "--manager", "x", "web.yaml"], "smd apply: --manager is given twice"],
    [["apply", "--frob", "web.yaml"], "smd apply: unknown option --frob"],
    [
      ["apply", "--manager", "web", "--output", "xml", "web.yaml"],
      "smd apply: --output must be yaml, json or name, not xml",
    ],
  ])("refuses the command line %j", async (args, message) => {
    const { status, err } = await smd(args, { files: { "web.yaml": deployment(3) } })
    expect(status).toBe(2)
    expect(err).toBe(`${message}\nsmd apply --help shows how to use it.\n`)
  })

  const managedFields = (entry: string): string =>
    `${deployment(3)}`.replace("  labels:", `  managedFields: ${entry}\n  labels:`)
  it.each([
    ["no list", "3", "c.yaml:5:3: .metadata.managedFields: expected a list"],
    ["an entry that is not a map", "[3]", "c.yaml:5:19: .metadata.managedFields[0]: expected a map"],
    [
      "an unknown operation",
      "[{manager: a, operation: Patch}]",
      "c.yaml:5:19: .metadata.managedFields[0]: operation must be `Apply` or `Update`",
    ],
    [
      "a manager that is not text",
      "[{operation: Apply, apiVersion: v1, fieldsType: FieldsV1, manager: 3}]",
      "c.yaml:5:19: .metadata.managedFields[0]: expected a map with manager",
    ],
    [
      "faulty fields",
      "[{operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {x: {}}}]",
      "c.yaml:5:19: .metadata.managedFields[0]: parsing key as path element",
    ],
  ])("refuses managedFields with %s", async (_, entry, message) => {
    const files = { "c.yaml": managedFields(entry), "web.yaml": deployment(3) }
    const { status, err } = await smd(["apply", "--manager", "web", "--live", "c.yaml", "web.yaml"], { files })
    expect(status).toBe(2)
    expect(err).toContain(message)
  })

  it("refuses a configuration that has managedFields", async () => {
    const { status, err } = await smd([...apply, "live.yaml"], { files: { "live.yaml": await created() } })
    expect(status).toBe(2)
    expect(err).toContain(".metadata.managedFields: must not be in a configuration")
  })

  it.each([
    ["name", "name: shop", "name: shed", ".metadata.name: is shed, but the live object's is shop (live.yaml:"],
    [
      "kind",
      "kind: Deployment",
      "kind: StatefulSet",
      ".kind: is StatefulSet, but the live object's is Deployment (live.yaml:",
    ],
  ])("refuses a configuration of another %s", async (_, from, to, message) => {
    const files = { "live.yaml": await created(), "config.yaml": deployment(3).replace(from, to) }
    const { status, err } = await smd([...apply, "config.yaml"], { files })
    expect(status).toBe(2)
    expect(err).toContain(message)
  })

  it("refuses a configuration that is not a map", async () => {
    const args = ["apply", "--manager", "web", "--schema", "s.yaml", "c.yaml"]
    const files = { "s.yaml": "types: [{name: t, scalar: string}]", "c.yaml": "just text" }
    const { status, err } = await smd(args, { files })
    expect([status, err]).toEqual([2, "c.yaml:1:1: a configuration must be a map\n"])
  })
})
