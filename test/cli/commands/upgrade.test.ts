/** `smd extract` and `smd upgrade`, and the names of managers. */
import { describe, expect, it } from "vitest"
import { parseYaml } from "../../../src/io/yaml.js"
import { parseJson } from "../../../src/json/json.js"
import { deployment, smd, text } from "../cli.js"

/** A Deployment that `web` has applied and `hpa` has scaled since. */
async function live(): Promise<string> {
  const { out } = await smd(["apply", "--manager", "web", "-"], { files: { "-": deployment(3) } })
  return out.replace("  name: shop\n", "  name: shop\n  namespace: store\n  uid: 1234-5678\n")
}

describe("smd extract", () => {
  it("prints what a manager has applied, and which object it is, ready to be applied again", async () => {
    const object = await live()
    const { status, out, err } = await smd(["extract", "--manager", "web", "live.yaml"], {
      files: { "live.yaml": object },
    })
    expect([status, err]).toEqual([0, ""])
    const config = parseYaml(deployment(3)) as { metadata: object }
    expect(parseYaml(out)).toEqual({ ...config, metadata: { ...config.metadata, namespace: "store" } })
    expect(out).toMatch(/^apiVersion: apps\/v1\nkind: Deployment\nmetadata:\n {2}name: shop\n {2}namespace: store\n/)
    const files = { "live.yaml": object, "web.yaml": out }
    const again = await smd(["apply", "--manager", "web", "--live", "live.yaml", "web.yaml"], { files })
    expect(again).toEqual({ status: 0, out: object, err: "" })
  })

  it("leaves out what others own, and has the values of now", async () => {
    const other = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\nspec: {replicas: 9, paused: true}\n"
    const { out: taken } = await smd(["apply", "--manager", "ops", "--force", "--live", "l.yaml", "c.yaml"], {
      files: { "l.yaml": await live(), "c.yaml": other },
    })
    const extract = (manager: string) =>
      smd(["extract", "--manager", manager, "-", "--output", "json"], { files: { "-": taken } })
    expect(parseJson((await extract("ops")).out)).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "shop", namespace: "store" },
      spec: { replicas: 9, paused: true },
    })
    const { spec } = parseJson((await extract("web")).out) as { spec: object }
    expect(Object.keys(spec)).toEqual(["selector", "template"])
  })

  it("tells subresources apart", async () => {
    const object = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: {
        name: "shop",
        managedFields: ["", "status"].map(subresource => ({
          manager: "op",
          operation: "Apply",
          apiVersion: "apps/v1",
          fieldsType: "FieldsV1",
          fieldsV1: subresource === "" ? { "f:spec": { "f:replicas": {} } } : { "f:status": { "f:replicas": {} } },
          ...(subresource !== "" && { subresource }),
        })),
      },
      spec: { replicas: 3 },
      status: { replicas: 2 },
    }
    const files = { "-": JSON.stringify(object) }
    const { out } = await smd(["extract", "--manager", "op", "--subresource", "status", "-"], { files })
    expect(parseYaml(out)).toMatchObject({ status: { replicas: 2 } })
    expect(out).not.toContain("spec:")
  })

  it("leaves discriminators out that the engine writes, with --unions", async () => {
    const schema = text`
      types:
      - name: disk
        map:
          fields:
          - {name: apiVersion, type: {scalar: string}}
          - {name: kind, type: {scalar: string}}
          - {name: metadata, type: {map: {elementType: {namedType: any}}}}
          - {name: type, type: {scalar: string}}
          - {name: ssd, type: {scalar: numeric}}
          - {name: tape, type: {scalar: numeric}}
          unions:
          - discriminator: type
            deduceInvalidDiscriminator: true
            fields:
            - {fieldName: ssd, discriminatorValue: SSD}
            - {fieldName: tape, discriminatorValue: Tape}
      - name: any
        scalar: untyped
        list: {elementType: {namedType: any}, elementRelationship: atomic}
        map: {elementType: {namedType: any}}
    `
    const config = "apiVersion: v1\nkind: Disk\nmetadata: {name: d}\ntype: SSD\nssd: 1\n"
    const own = ["--schema", "s.yaml", "--manager", "a"]
    const { out } = await smd(["apply", ...own, "c.yaml"], { files: { "s.yaml": schema, "c.yaml": config } })
    const files = { "s.yaml": schema, "live.yaml": out }
    const settled = await smd(["extract", ...own, "live.yaml"], { files })
    expect(parseYaml(settled.out)).toEqual({ apiVersion: "v1", kind: "Disk", metadata: { name: "d" }, ssd: 1 })
    const whole = await smd(["extract", ...own, "--unions", "off", "live.yaml"], { files })
    expect(parseYaml(whole.out)).toHaveProperty("type", "SSD")
  })

  it.each([
    ["weber", "live.yaml: weber has applied nothing; web did\n"],
    ["kcm", "live.yaml: kcm has applied nothing; web did\n"],
  ])("says who has applied, where %s has not", async (manager, message) => {
    const { status, err } = await smd(["extract", "--manager", manager, "live.yaml"], {
      files: { "live.yaml": await live() },
    })
    expect([status, err]).toEqual([2, message])
  })

  it("says that nobody has applied", async () => {
    const { status, err } = await smd(["extract", "--manager", "web", "--subresource", "status", "-"], {
      files: { "-": deployment(1) },
    })
    expect([status, err]).toEqual([2, "standard input: web has applied nothing to status; nobody has\n"])
  })

  it("refuses what is no Kubernetes object", async () => {
    const schema = "types: [{name: t, map: {elementType: {scalar: untyped}}}]"
    const args = ["extract", "--schema", "s.yaml", "--manager", "a", "-"]
    const { status, err } = await smd(args, { files: { "s.yaml": schema, "-": "a: 1\n" } })
    expect(status).toBe(2)
    expect(err).toBe("standard input:1:1: the live object has to be a map with apiVersion, kind and metadata\n")
  })
})

describe("smd upgrade", () => {
  const entry = (manager: string, operation: string, fieldsV1: object, rest: object = {}) => ({
    manager,
    operation,
    apiVersion: "apps/v1",
    time: "2020-01-01T00:00:00Z",
    fieldsType: "FieldsV1",
    fieldsV1,
    ...rest,
  })
  const spec = (...names: string[]) => ({ "f:spec": Object.fromEntries(names.map(name => [`f:${name}`, {}])) })
  const object = (...managedFields: object[]): string =>
    JSON.stringify({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "shop", resourceVersion: "7", managedFields },
      spec: { replicas: 1, paused: true },
    })
  const csa = entry("kubectl-client-side-apply", "Update", spec("replicas"))
  const run = (content: string, ...args: string[]) => smd(["upgrade", ...args, "-"], { files: { "-": content } })

  it("turns what kubectl owns by updates into what a manager has applied", async () => {
    const { status, out, err } = await run(object(csa), "--manager", "kubectl", "--output", "json")
    expect([status, err]).toEqual([0, ""])
    const { metadata } = parseJson(out) as { metadata: { managedFields: object[] } }
    expect(metadata.managedFields).toEqual([{ ...csa, manager: "kubectl", operation: "Apply" }])
  })

  it("unites several managers with what has been applied already", async () => {
    const applied = entry("gitops", "Apply", spec("paused"))
    const helm = entry("helm", "Update", spec("minReadySeconds"))
    const names = ["--csa-manager", "helm", "--csa-manager", "kubectl-client-side-apply"]
    const { out } = await run(object(applied, csa, helm), ...names, "--manager", "gitops")
    const { metadata } = parseYaml(out) as { metadata: { managedFields: object[] } }
    expect(metadata.managedFields).toEqual([{ ...applied, fieldsV1: spec("minReadySeconds", "paused", "replicas") }])
  })

  it("prints the JSON Patch to send", async () => {
    const { out } = await run(object(csa), "--manager", "kubectl", "--json-patch")
    expect(parseJson(out)).toEqual([
      { op: "replace", path: "/metadata/managedFields", value: [{ ...csa, manager: "kubectl", operation: "Apply" }] },
      { op: "replace", path: "/metadata/resourceVersion", value: "7" },
    ])
  })

  it("looks at one subresource", async () => {
    const status = entry("kubectl-client-side-apply", "Update", spec("paused"), { subresource: "status" })
    const { out } = await run(
      object(csa, status),
      "--manager",
      "kubectl",
      "--subresource",
      "status",
      "--output",
      "json",
    )
    const { metadata } = parseJson(out) as { metadata: { managedFields: object[] } }
    expect(metadata.managedFields).toEqual([csa, { ...status, manager: "kubectl", operation: "Apply" }])
  })

  it("says where there is nothing to upgrade", async () => {
    const remark = "nothing to upgrade: no updates by kubectl-client-side-apply\n"
    const whole = await run(object(), "--manager", "kubectl", "--output", "json")
    expect([whole.status, whole.err]).toEqual([0, remark])
    expect(parseJson(whole.out)).toEqual(parseJson(object()))
    expect(await run(object(), "--manager", "kubectl", "--json-patch")).toEqual({ status: 0, out: "[]\n", err: remark })
  })

  it("refuses managedFields that can't be read", async () => {
    const { status, err } = await run(object({ ...csa, fieldsV1: { x: {} } }), "--manager", "kubectl")
    expect(status).toBe(2)
    expect(err).toContain("standard input:1:")
  })

  it("refuses what is no object", async () => {
    expect((await run("[1]", "--manager", "kubectl")).err).toBe("standard input:1:1: the live object has to be a map\n")
  })
})

describe("names of managers", () => {
  const longest = `${"n".repeat(126)}ä`

  it.each([[longest], ["Müller's 控制器 🚀"]])("may be %s", async manager => {
    const { status } = await smd(["apply", "--manager", manager, "-"], { files: { "-": deployment(1) } })
    expect(status).toBe(0)
  })

  it.each([
    ["too many bytes", `${longest}n`, "Too long: may not be more than 128 bytes"],
    ["a line end", "müsli\n", 'Invalid value: "müsli\\n": invalid character U+000A (at position 6)'],
    [
      "an invisible character",
      "a\u{e0001}",
      'Invalid value: "a\\U000e0001": invalid character U+E0001 (at position 1)',
    ],
    ["no plain space", "a\u00a0b", 'Invalid value: "a\\u00a0b": invalid character U+00A0 (at position 1)'],
  ])("may not have %s", async (_, manager, message) => {
    for (const [command, option] of [
      ["apply", "manager"],
      ["extract", "manager"],
      ["upgrade", "csa-manager"],
    ] as const) {
      const args = [command, ...(option === "manager" ? [] : ["--manager", "kubectl"]), `--${option}`, manager, "-"]
      const { status, err } = await smd(args, { files: { "-": deployment(1) } })
      const shown = `smd ${command}: --${option}: ${message}\n`
      expect([status, err]).toEqual([2, `${shown}smd ${command} --help shows how to use it.\n`])
    }
  })
})
