/** `smd extract`, and the names of managers. */
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
  it("prints the applied configuration with the name of the object, ready to be applied again", async () => {
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

  it("omits other managers' fields, and has the current values", async () => {
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

  it("distinguishes subresources", async () => {
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

  it("omits discriminators that the engine writes, with --unions", async () => {
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
  ])("names the appliers if %s has applied nothing", async (manager, message) => {
    const { status, err } = await smd(["extract", "--manager", manager, "live.yaml"], {
      files: { "live.yaml": await live() },
    })
    expect([status, err]).toEqual([2, message])
  })

  it("says if nobody has applied", async () => {
    const { status, err } = await smd(["extract", "--manager", "web", "--subresource", "status", "-"], {
      files: { "-": deployment(1) },
    })
    expect([status, err]).toEqual([2, "standard input: web has applied nothing to status; nobody has\n"])
  })

  it("refuses a value that is not a Kubernetes object", async () => {
    const schema = "types: [{name: t, map: {elementType: {scalar: untyped}}}]"
    const args = ["extract", "--schema", "s.yaml", "--manager", "a", "-"]
    const { status, err } = await smd(args, { files: { "s.yaml": schema, "-": "a: 1\n" } })
    expect(status).toBe(2)
    expect(err).toBe("standard input:1:1: the live object must be a map with apiVersion, kind and metadata\n")
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
      ["managers", "from"],
    ] as const) {
      const args = [command, ...(command === "managers" ? ["upgrade"] : []), `--${option}`, manager, "-"]
      const { status, err } = await smd(args, { files: { "-": deployment(1) } })
      const shown = `smd ${command}: --${option}: ${message}\n`
      expect([status, err]).toEqual([2, `${shown}smd ${command} --help shows how to use it.\n`])
    }
  })
})
