import { describe, expect, it } from "vitest"
import { parseYaml } from "../../../src/io/yaml.js"
import { parseJson } from "../../../src/json/json.js"
import type { MapValue } from "../../../src/value/value.js"
import { definitionOf } from "../../support/definition.js"
import { deployment, smd, text } from "../cli.js"
import { ports, replicas, variables } from "../stories.js"

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "backups.example.com" },
  spec: { group: "example.com", scope: "Namespaced", names: { kind: "Backup", plural: "backups" } },
}

const plan = ["plan", "--manager", "web-team", "--live", "live.json", "web.yaml"]

describe("smd plan", () => {
  it("prints the library's result for programs, and exits with 1 for a conflict", async () => {
    const { status, out } = await smd([...plan, "-o", "json"], { files: replicas })
    expect(status).toBe(1)
    const [result] = parseJson(out) as [object]
    expect(result).toMatchObject({
      type: "plan",
      outcome: "conflict",
      target: { kind: "Deployment", name: "shop" },
      conflicts: [{ path: ".spec.replicas", live: 7, configured: 3 }],
      status: { code: 409 },
    })
    const yaml = await smd([...plan, "-o", "yaml"], { files: replicas })
    expect(parseYaml(yaml.out)).toEqual(result)
  })

  it("names the field that has none of several forms, which a server names only in its message", async () => {
    const oneOf = [{ required: ["a"] }, { required: ["b"] }]
    const properties = { a: { type: "string" }, b: { type: "string" } }
    const schema = { type: "object", properties: { spec: { type: "object", properties, oneOf } } }
    const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }]
    const crd = JSON.stringify({ ...definition, spec: { ...definition.spec, versions } })
    const config = "apiVersion: example.com/v1\nkind: Backup\nmetadata: {name: b}\nspec: {a: u, b: v}\n"
    const planned = async (...more: string[]) => {
      return await smd(["plan", "--manager", "m", "crd.json", "b.yaml", ...more], {
        files: { "crd.json": crd, "b.yaml": config },
      })
    }
    const why =
      'spec: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives'
    const { status, out } = await planned()
    expect([status, out.replace(/\s+/g, " ")]).toEqual([1, expect.stringContaining(`b.yaml:4: ${why}`)])
    expect((await planned("-o", "github")).out).toContain(`::error file=b.yaml,line=4,col=1,title=Refused::${why}\n`)
  })

  it("names the expression of a policy that does not compile, as apply, update and validate do", async () => {
    const policy = (expression: string) => text`
      apiVersion: admissionregistration.k8s.io/v1
      kind: ValidatingAdmissionPolicy
      metadata: {name: p}
      spec:
        matchConstraints:
          resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
        validations:
        - expression: ${expression}
    `
    const broken = policy("object.spec.nodeName ==")
    const files = {
      "p.yaml": broken,
      "p.json": JSON.stringify(parseYaml(broken)),
      "live.yaml": policy("object != null"),
      "pairs.json": JSON.stringify({ config: parseYaml(broken) }),
    }
    for (const [command, file] of [
      ["plan --manager m p.yaml", "p.yaml:8"],
      ["apply --manager m p.yaml", "p.yaml:8"],
      ["update --manager m live.yaml p.yaml", "p.yaml:8"],
      ["validate p.yaml", "p.yaml:8"],
      ["plan --manager m --stream pairs.json", "validations[0].expression"],
      ["validate --stream p.json", "validations[0].expression"],
    ] as const) {
      const { status, out, err } = await smd(command.split(" "), { files })
      expect([command, status > 0, out + err]).toEqual([command, true, expect.stringContaining("compilation failed")])
      expect([command, out + err]).toEqual([command, expect.stringContaining(file)])
    }
  })

  it("says that the server sets what it makes of another field", async () => {
    const secret = (more: object) =>
      JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, ...more })
    const files = {
      "live.json": secret({ type: "Opaque", data: { a: "YQ==" } }),
      "s.json": secret({ stringData: { a: "b" } }),
    }
    const { out } = await smd(["plan", "--manager", "m", "--live", "live.json", "s.json"], { files })
    expect(out).toContain("  ~ .data.a  (hidden 1) -> (hidden 2)  set by the server\n")
  })

  it("folds objects without changes", async () => {
    const config = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {a: "1"}\n`
    const files = { "web/a.yaml": config("a"), "web/b.yaml": config("b"), "web/c.yaml": config("c") }
    const { out: live } = await smd(["apply", "--manager", "ci", "web"], { files })
    const changed = { ...files, "web/a.yaml": config("a").replace('"1"', '"2"'), "live.yaml": live }
    const plan = async (...more: string[]) => {
      return await smd(["plan", "--manager", "ci", "--live", "live.yaml", ...more], { files: changed })
    }
    const folded = await plan("web")
    expect([folded.status, folded.err]).toEqual([0, ""])
    expect(folded.out).toMatch(/\n\n2 objects without changes; --all lists them\n\nPlan: /)
    expect((await plan("web", "--all")).out).toMatch(/\n\nConfigMap b: no changes\nConfigMap c: no changes\n\nPlan: /)
    expect((await plan("web/b.yaml")).out).toMatch(/^ConfigMap b: no changes\n/)
  })

  it("says whether force is safe for each field in conflict", async () => {
    const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: "1", b: "1", c: "1"}\n'
    const owner = (manager: string, operation: string, key: string) => {
      const fieldsV1 = { "f:data": { [`f:${key}`]: {} } }
      return { manager, operation, apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1 }
    }
    const managedFields = [
      owner("kubectl-edit", "Update", "a"),
      owner("operator", "Update", "b"),
      owner("gitops", "Apply", "c"),
    ]
    const data = { a: "2", b: "2", c: "2" }
    const live = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", managedFields }, data })
    const files = { "a.yaml": config, "live.json": live }
    const { out } = await smd(["plan", "--manager", "ci", "--live", "live.json", "a.yaml"], { files, columns: 100 })
    expect(out).toContain(
      [
        "    force is  safe (.data.a)",
        "              unsure: operator may write it again (.data.b)",
        "              unsure: gitops would be in conflict with you next time (.data.c)",
        "",
      ].join("\n"),
    )
  })

  it("shows the effect of force, and exits with 3 for changes on request", async () => {
    const forced = await smd([...plan, "--force-conflicts"], { files: replicas, columns: 120 })
    expect(forced.status).toBe(0)
    expect(forced.out).toMatch(/^ {2}~ \.spec\.replicas +7 -> 3 +taken from autoscaler$/m)
    expect(forced.out).toMatch(/^ {4}owners +web-team gains \.spec\.replicas; loses /m)
    expect(forced.out).toMatch(/1 stays\.\n$/)
    const asked = await smd([...plan, "--force", "--detailed-exitcode"], { files: replicas })
    expect(asked.status).toBe(3)
    expect((await smd([...plan, "--detailed-exitcode"], { files: replicas })).status).toBe(1)
  })

  it("says that nothing changes, and exits with 0", async () => {
    const { out: live } = await smd(["apply", "--manager", "m", "-"], { files: { "-": deployment(1) } })
    const files = { "live.yaml": live, "web.yaml": deployment(1) }
    const args = ["plan", "--manager", "m", "--live", "live.yaml", "web.yaml", "--detailed-exitcode"]
    expect(await smd(args, { files })).toEqual({
      status: 0,
      out: "Deployment shop: no changes\n\nPlan: 0 to add, 0 to change, 0 to remove.\n",
      err: "",
    })
  })

  it("says if only owners change", async () => {
    const { out: live } = await smd(["apply", "--manager", "m", "-"], { files: { "-": deployment(1) } })
    const config = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop}\nspec: {replicas: 1}\n"
    const args = ["plan", "--manager", "n", "--live", "live.yaml", "-", "--detailed-exitcode"]
    const { status, out } = await smd(args, { files: { "live.yaml": live, "-": config } })
    expect(status).toBe(3)
    expect(out).toContain("\n    owners  n gains .spec.replicas\n")
  })

  it("names the fields and owners of conflicts that not even force can resolve", async () => {
    const schema = (union: object) => ({
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            kind: { type: "string", enum: ["Disk", "Tape"] },
            disk: { type: "integer" },
            tape: { type: "integer" },
          },
          ...union,
        },
      },
    })
    const union = {
      "x-kubernetes-unions": [{ discriminator: "kind", "fields-to-discriminateBy": { disk: "Disk", tape: "Tape" } }],
    }
    const backup = (spec: object) =>
      JSON.stringify({
        apiVersion: "example.com/v1",
        kind: "Backup",
        metadata: { name: "shop", namespace: "web" },
        spec,
      })
    const crd = {
      ...definition,
      spec: { ...definition.spec, versions: [{ name: "v1", schema: { openAPIV3Schema: schema(union) } }] },
    }
    const files = {
      "crd.json": JSON.stringify(crd),
      "disk.json": backup({ disk: 1 }),
      "tape.json": backup({ kind: "Tape" }),
    }
    const { out: live } = await smd(["apply", "--manager", "ops", "--crd", "crd.json", "disk.json"], { files })
    const args = ["plan", "--manager", "web-team", "--crd", "crd.json", "--live", "live.yaml", "tape.json"]
    const { status, out, err } = await smd(args, { files: { ...files, "live.yaml": live } })
    expect(status).toBe(1)
    expect(out).toContain("  ~ .spec.kind  Disk -> Tape  ! ops owns it\n    by force  refused too\n")
    expect(err).toMatch(/^tape\.json:1:1: warning: The apply is refused with force too: /)
    expect(err).toContain('must be specified when `kind` is "Tape"')
  })

  it("plans whole applications", async () => {
    const files = {
      "app/a.yaml": replicas["web.yaml"],
      "app/b.yaml": variables["web.yaml"].replace("name: shop", "name: till"),
      "app/new.yaml": deployment(2).replace("name: shop", "name: new"),
      "live.json": replicas["live.json"],
      "other.json": variables["live.json"].replace('"name":"shop"', '"name":"till"'),
    }
    const args = ["plan", "--manager", "web-team", "-f", "app", "--live", "live.json", "--live", "other.json"]
    const { status, out } = await smd(args, { files })
    expect(status).toBe(1)
    expect(out.match(/^Deployment \S+/gm)).toEqual(["Deployment default/shop", "Deployment till", "Deployment new"])
    expect(out).toMatch(/^ {2}\+ new, with 9 fields$/m)
    expect(out).toMatch(
      /\nPlan: 1 object to create, [\s\S]*\. 2\sconflicts: would fail\.\nsmd explain shows the ways out of the conflicts\.\n$/,
    )
  })

  it("reports a kind that nothing defines at its place, and continues", async () => {
    const thing = (kind: string) => `# a comment\napiVersion: apps/v1\nkind: ${kind}\nmetadata: {name: a}\n`
    const files = { "app/a.yaml": thing("Deploymnet"), "app/b.yaml": deployment(2), "app/c.yaml": thing("Shop") }
    for (const more of [[], ["-n", "default"]]) {
      const { status, out, err } = await smd(["plan", "--manager", "web-team", "app", ...more], { files })
      expect(status).toBe(1)
      expect(out.match(/^\S.*? {2}/gm)).toEqual([
        expect.stringMatching(/^Deploymnet (default\/)?a/),
        expect.stringMatching(/^Deployment (default\/)?shop/),
        expect.stringMatching(/^Shop (default\/)?a/),
      ])
      expect(out).toMatch(/ 2 objects would be\srefused\.\n$/)
      expect(err).toBe(text`
        note: without --live, every object is planned as a new one
        app/a.yaml:2:1: warning: apps/v1 Deploymnet is not served. Did you mean apps/v1 Deployment?
        app/c.yaml:2:1: warning: apps/v1 Shop is not served. Pass its CustomResourceDefinition, if it has one.
      `)
    }
  })

  it("shows a server's warnings", async () => {
    const version = (name: string, storage: boolean) => {
      return { name, served: true, storage, schema: { openAPIV3Schema: { type: "object" } } }
    }
    const conversion = {
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://x.org" } },
    }
    const crd = definitionOf("Widget", { spec: { versions: [version("v1", true), version("v2", false)], conversion } })
    const files = { "crd.json": JSON.stringify(crd) }
    const shown = "crd.json:1:1: warning: spec.conversion: only the test API server calls the webhook"
    for (const command of ["plan", "apply"]) {
      const { status, err } = await smd([command, "--manager", "m", "crd.json"], { files })
      expect([status, err]).toEqual([0, expect.stringContaining(shown)])
    }
    const { out } = await smd(["plan", "--manager", "m", "-o", "github", "crd.json"], { files })
    expect(out).toMatch(/^::warning file=crd\.json,line=1,col=1,title=Warning::spec\.conversion/)
  })

  it("knows the types of all versions of a definition", async () => {
    const text = { type: "string" }
    const version = (name: string, fields: MapValue): MapValue => ({
      ...{ name, served: true, storage: name === "v2" },
      schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: fields } } } },
    })
    const versions = [version("v1", { size: text }), version("v2", { size: text, mode: text })]
    const entry = { manager: "old", operation: "Update", apiVersion: "example.com/v1", fieldsType: "FieldsV1" }
    const managedFields = [{ ...entry, fieldsV1: { "f:metadata": { "f:labels": { "f:a": {} } } } }]
    const config = { apiVersion: "example.com/v2", kind: "Widget", metadata: { name: "w" }, spec: { mode: "a" } }
    const live = { ...config, metadata: { name: "w", labels: { a: "b" }, managedFields } }
    const files = {
      "crd.json": JSON.stringify(definitionOf("Widget", { spec: { versions } })),
      "live.json": JSON.stringify(live),
      "w.json": JSON.stringify({ ...config, spec: { mode: "b" } }),
    }
    const { status, out } = await smd([...plan.slice(0, 3), "--crd", "crd.json", "--live", "live.json", "w.json"], {
      files,
    })
    expect([status, out]).toEqual([1, expect.stringContaining(".spec.mode: field not declared in schema")])
  })

  it("annotates conflicts where they are configured", async () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n- ${replicas["web.yaml"]
      .replace(/^#.*\n/, "")
      .trim()
      .replaceAll("\n", "\n  ")}\n`
    const files = { ...replicas, "list, all.yaml": list }
    const { status, out, err } = await smd([...plan.slice(0, -1), "list, all.yaml", "-o", "github"], { files })
    expect([status, err]).toEqual([1, ""])
    expect(out).toBe(
      "::error file=list%2C all.yaml,line=11,col=5,title=Conflict with autoscaler::autoscaler owns .spec.replicas: " +
        "the live object has 7, the apply would make it 3. Ways out: leave the field out, write the value that is there, or " +
        "--force-conflicts; smd explain tries each.\n",
    )
  })

  it("warns about live objects without owners", async () => {
    const object = JSON.parse(replicas["live.json"])
    object.metadata.managedFields = undefined
    const files = { ...replicas, "live.json": JSON.stringify(object) }
    expect((await smd(plan, { files })).err).toMatch(/^live\.json:1:1: warning: .*--show-managed-fields/)
    const { out } = await smd([...plan, "-o", "github"], { files })
    expect(out).toMatch(
      /^::warning file=live\.json,line=1,col=1,title=Doubtful plan::The object has a resourceVersion/m,
    )
    for (const command of [["explain"], ["ignore", "--format", "argocd"]]) {
      const { err } = await smd([...command, ...plan.slice(1)], { files })
      expect(err).toMatch(/^live\.json:1:1: warning: .*--show-managed-fields/)
    }
    const explained = await smd(["explain", ...plan.slice(1), "-o", "github"], { files })
    expect(explained.out).toMatch(/^::warning file=live\.json,line=1,col=1,title=Doubtful explanation::/m)
  })

  it("recognizes a list item whose key has changed", async () => {
    const { out } = await smd(plan, { files: ports, columns: 160 })
    expect(out).toMatch(/ key changed, now \[containerPort=9090,protocol="TCP"\]; mesh loses a part$/m)
    expect(out).toMatch(/ key changed, was \[containerPort=8080,protocol="TCP"\]$/m)
  })

  it("has colours and the same text on a terminal", async () => {
    const { out } = await smd(plan, { files: replicas, isTTY: true })
    expect(out).toContain("\x1b[31m! autoscaler owns it\x1b[39m")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    expect(out.replaceAll(/\x1b\[\d+m/g, "")).toBe((await smd(plan, { files: replicas })).out)
  })

  it("refuses objects that no API server accepts, with places", async () => {
    const faulty = { ...replicas, "web.yaml": replicas["web.yaml"].replace("replicas:", "replica:") }
    const { status, err } = await smd(plan, { files: faulty })
    expect(status).toBe(2)
    expect(err).toMatch(/^web\.yaml:9:3: \.spec\.replica: field not declared in schema/)
    const schema = "types: [{name: t, map: {elementType: {scalar: untyped}}}]"
    const plain = await smd(["plan", "--manager", "m", "--schema", "s.yaml", "-"], {
      files: { "s.yaml": schema, "-": "a: 1" },
    })
    expect([plain.status, plain.err]).toEqual([2, "standard input:1:1: an object must have apiVersion and kind\n"])
  })
})
