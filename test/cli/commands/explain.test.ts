import { describe, expect, it } from "vitest"
import { parseYaml } from "../../../src/io/yaml.js"
import { parseJson } from "../../../src/json/json.js"
import type { MapValue } from "../../../src/value/value.js"
import { deployment, smd } from "../cli.js"
import { replicas, variables } from "../stories.js"

const explain = ["explain", "--manager", "web-team", "--live", "live.json", "web.yaml"]
const gadgetKind = { group: "example.com", version: "v1", kind: "Gadget" }
const apply = ["apply", "--manager", "web-team", "--live", "live.json", "web.yaml", "--on-conflict"]

describe("smd explain", () => {
  it("prints the library's result for programs, and exits with 1 for conflicts", async () => {
    const { status, out } = await smd([...explain, "-o", "json"], { files: replicas })
    expect(status).toBe(1)
    const [explanation] = parseJson(out) as [unknown]
    expect(explanation).toMatchObject({
      type: "explanation",
      conflicts: [
        {
          path: ".spec.replicas",
          source: { file: "web.yaml", line: 9 },
          ways: { relinquish: { applicability: "safe" }, overwrite: { applicability: "unsure" } },
        },
      ],
    })
    const yaml = await smd([...explain, "-o", "yaml"], { files: replicas })
    expect(parseYaml(yaml.out)).toEqual(explanation)
  })

  it("notes once that only a type is known, and lists no unchanged object because of it", async () => {
    const definitions = { Gadget: { type: "object", "x-kubernetes-group-version-kind": [gadgetKind] } }
    const document = JSON.stringify({ swagger: "2.0", definitions })
    const files = {
      "g.yaml": "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: a}\n",
      "openapi.json": document,
    }
    for (const name of ["plan", "explain"]) {
      const given = [name, "--manager", "me", "--openapi", "openapi.json", "--live", "g.yaml", "g.yaml"]
      const text = await smd(given, { files })
      expect([text.status, text.err.match(/g\.yaml:1:1: note: Only the type of Gadget/g)?.length]).toEqual([0, 1])
      const { out } = await smd([...given, "-o", "markdown"], { files })
      expect(out).not.toContain("Gadget")
      const github = await smd([...given, "-o", "github"], { files })
      expect([github.status, github.out.slice(0, 9)]).toEqual([0, "::notice "])
    }
  })

  it("says what refuses an apply for another reason, as smd plan does, and exits with 1", async () => {
    const invalid = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: A_b\n"
    const gone = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n"
    const served =
      "a.yaml:1:1: warning: policy/v1beta1 PodDisruptionBudget is not served since Kubernetes 1.25. " +
      "PodDisruptionBudget is served at policy/v1.\n"
    for (const [text, title, code, reason, line, warning] of [
      [invalid, "Secret A_b", "422 Invalid", "a.yaml:4: metadata.name: Invalid value", 4, ""],
      [gone, "PodDisruptionBudget a", "404 NotFound", "could not find the requested resource", 1, served],
    ] as const) {
      const explain = ["explain", "--manager", "m", "a.yaml"]
      const { status, out, err } = await smd(explain, { files: { "a.yaml": text } })
      expect([status, err]).toEqual([1, warning])
      const lines = out.split("\n")
      expect(lines[0]).toContain(title)
      expect(lines[1]).toBe(`  ! refused with ${code}`)
      expect(lines[2]).toContain(reason)
      expect(lines.slice(-3)).toEqual(["", "1 object would be refused.", ""])
      const planned = await smd(["plan", ...explain.slice(1)], { files: { "a.yaml": text } })
      expect(planned.out.split("\n").slice(0, 3)).toEqual(lines.slice(0, 3))
      const github = await smd([...explain, "-o", "github"], { files: { "a.yaml": text } })
      expect(github.status).toBe(1)
      expect(github.out).toContain(`::error file=a.yaml,line=${line},`)
      expect(github.out.match(/title=Refused::/g)).toHaveLength(1)
      const markdown = await smd([...explain, "-o", "markdown"], { files: { "a.yaml": text } })
      expect(markdown.out).toContain(`\n! refused with ${code}\n- `)
      expect(markdown.out).not.toMatch(/no conflicts|A server refuses/i)
      const data = await smd([...explain, "-o", "json"], { files: { "a.yaml": text } })
      const [explanation] = parseJson(data.out) as [MapValue]
      expect(explanation.status).toMatchObject({ code: Number.parseInt(code, 10) })
      expect(explanation.refusal).toMatchObject({ message: expect.any(String) as string })
    }
  })

  it("counts conflicts and refusals apart", async () => {
    const invalid = "apiVersion: v1\nkind: Secret\nmetadata: {name: A_b}\n"
    const { out } = await smd([...explain, "a.yaml"], { files: { ...replicas, "a.yaml": invalid } })
    expect(out).toMatch(/\n1 conflict in 1 of 2 objects\. 1 object would be refused\.\n$/)
  })

  it("reports values that don't fit their types at their places, as smd plan does", async () => {
    const text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {on: yes, x: 5}\n"
    for (const command of ["explain", "plan"]) {
      const { status, out, err } = await smd([command, "--manager", "m", "a.yaml"], { files: { "a.yaml": text } })
      expect([status, out]).toEqual([2, ""])
      expect(err.split("\n")).toEqual([
        "a.yaml:4:8: .data.on: `yes` means true in YAML 1.1; quote it; the key `on` means true in YAML 1.1, unless it is quoted",
        "a.yaml:4:17: .data.x: must be text, not the number 5; quote it",
        "",
      ])
    }
  })

  it("cuts none of its own words on a narrow terminal", async () => {
    const { out } = await smd(explain, { files: replicas, columns: 40, now: new Date("2026-11-22T00:00:00Z") })
    expect(out.slice(out.indexOf("   owner "))).toBe(
      [
        "   owner     autoscaler  Update, scale",
        "   ways out",
        "   leave it  delete line 9; autoscaler",
        "             (scale) alone would decide",
        "             (safe)",
        "   agree     write 7; you would own it",
        "             together with autoscaler",
        "             (scale), but be in conflict",
        "             again once autoscaler",
        "             (scale) writes another",
        "             value (unsure)",
        "   take it   --force-conflicts;",
        "             autoscaler (scale) loses",
        "             its only field; autoscaler",
        "             (scale) may write it again",
        "             (unsure)",
        "",
        "1 conflict.",
        "",
      ].join("\n"),
    )
    const blamed = await smd(["blame", "live.json"], {
      files: replicas,
      columns: 40,
      now: new Date("2026-11-22T00:00:00Z"),
    })
    expect(blamed.out).toMatch(/\nMANAGERS\nci: Apply, apps\/v1, 10 months ago, 3\n {2}fields\n/)
  })

  it("numbers the conflicts of a whole application", async () => {
    const files = {
      "app/1.yaml": `${replicas["web.yaml"]}---\n${deployment(1).replace("name: shop", "name: other")}`,
      "app/2.yaml": variables["web.yaml"].replace("name: shop", "name: till"),
      "live/1.json": replicas["live.json"],
      "live/2.json": variables["live.json"].replace('"name":"shop"', '"name":"till"'),
    }
    const args = ["explain", "--manager", "web-team", "-f", "app", "--live", "live"]
    const { status, out } = await smd(args, { files })
    expect(status).toBe(1)
    expect(out.match(/^\d.*/gm)?.map(line => line.replace(/ +/g, " "))).toEqual([
      "1 .spec.replicas app/1.yaml:9:13",
      '2 .spec.template.spec.containers[name="web"].env[name="LEVEL"].value',
      "2 conflicts in 2 of 3 objects.",
    ])
    const twice = await smd(["explain", "--manager", "m", "-f", "app"], { files })
    expect([twice.status, twice.out]).toEqual([0, "No conflicts.\n"])
  })

  it("marks the key of a value on the next line, and the middle of a long line", async () => {
    const long = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {${"x".repeat(90)}: "1", key: "22", other: "3"}}`
    const { out: live } = await smd(["apply", "--manager", "m", "-"], { files: { "-": long.replace("22", "0") } })
    const files = {
      "c.yaml": long,
      "live.yaml": live,
      "d.yaml": live.replace(/ {2}managedFields:[\s\S]*(?=data:)/, ""),
    }
    const { out } = await smd(["explain", "--manager", "n", "--live", "live.yaml", "c.yaml"], { files })
    const [line = "", mark = ""] = out.split("\n").slice(3)
    expect(line.length).toBeLessThanOrEqual(80)
    expect(line.slice(mark.indexOf("^"), mark.lastIndexOf("^") + 1)).toBe('"22"')
  })

  it("annotates conflicts with the ways out", async () => {
    const { out } = await smd([...explain, "-o", "github"], { files: replicas })
    expect(out).toMatch(
      /^::error file=web\.yaml,line=9,col=\d+,title=Conflict with autoscaler::\.spec\.replicas is owned by autoscaler: the object has 7, the apply would make it 3%0ALeave it \(safe\): [^\n]*%0AAgree \(unsure\): [^\n]*%0ATake it \(unsure\): [^\n]*\n$/,
    )
  })

  it("has colours and the same text on a terminal", async () => {
    const { out } = await smd(explain, { files: replicas, isTTY: true })
    expect(out).toContain("\x1b[31m^\x1b[39m")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    expect(out.replaceAll(/\x1b\[\d+m/g, "")).toBe((await smd(explain, { files: replicas })).out)
  })
})

describe("smd explain --write", () => {
  it.each([
    ["relinquish", undefined],
    ["share", 7],
  ])("edits the text of the configuration: %s", async (way, replicasAfter) => {
    const { status, err, written } = await smd([...explain, "--write", way], { files: replicas })
    expect([status, err]).toEqual([0, "web.yaml: written, with 1 edit\n"])
    const text = written?.["web.yaml"] ?? ""
    expect(parseYaml(text)).toMatchObject({ kind: "Deployment", spec: {} })
    expect(/replicas: (\d+)/.exec(text)?.[1]).toBe(replicasAfter === undefined ? undefined : `${replicasAfter}`)
    const again = await smd(explain, { files: { ...replicas, "web.yaml": text } })
    expect([again.status, again.out]).toEqual([0, "No conflicts.\n"])
  })

  it("writes nothing if the configuration comes from standard input, or nothing is in conflict", async () => {
    const args = ["explain", "--manager", "web-team", "--live", "live.json", "--write", "share"]
    const files = { ...replicas, "-": replicas["web.yaml"] as string }
    const outcome = await smd([...args, "-"], { files })
    expect([outcome.status, outcome.err]).toEqual([2, "--write edits files, not standard input\n"])
    const agreed = { ...replicas, "web.yaml": (replicas["web.yaml"] as string).replace("replicas: 3", "replicas: 7") }
    expect(await smd([...args, "web.yaml"], { files: agreed })).toEqual({ status: 0, out: "No conflicts.\n", err: "" })
  })
})

describe("smd apply --on-conflict", () => {
  const replicasOf = (yaml: string) => (parseYaml(yaml) as { readonly spec: MapValue }).spec.replicas
  it.each([
    ["relinquish", 7, "web.yaml:9:3: .spec.replicas: left to autoscaler: 7, not 3\n", ["autoscaler"]],
    ["share", 7, "web.yaml:9:3: .spec.replicas: shared with autoscaler: 7, not 3\n", ["autoscaler", "web-team"]],
    ["overwrite", 3, "web.yaml:9:3: .spec.replicas: taken from autoscaler: 3, not 7\n", ["web-team"]],
  ])("resolves conflicts: %s", async (choice, value, report, owners) => {
    const { status, out, err } = await smd([...apply, choice], { files: replicas })
    expect([status, err, replicasOf(out)]).toEqual([0, report, value])
    const blame = await smd(["blame", "-", "-o", "json"], { files: { "-": out } })
    const [{ fields }] = parseJson(blame.out) as [{ fields: { path: string; owners: { manager: string }[] }[] }]
    const found = fields.find(({ path }) => path === ".spec.replicas")?.owners.map(({ manager }) => manager)
    expect(found?.sort()).toEqual(owners)
  })

  it("fails by default, and refuses unknown values", async () => {
    expect(await smd([...apply, "fail"], { files: replicas })).toEqual(
      await smd(apply.slice(0, -1), { files: replicas }),
    )
    const { status, err } = await smd([...apply, "ignore"], { files: replicas })
    expect([status, err.split("\n")[0]]).toEqual([
      2,
      "smd apply: --on-conflict must be fail, relinquish, share or overwrite, not ignore",
    ])
    const schema = "types: [{name: t, map: {elementType: {scalar: untyped}}}]"
    const args = ["apply", "--manager", "m", "--schema", "s.yaml", "-", "--on-conflict", "share"]
    const plain = await smd(args, { files: { "s.yaml": schema, "-": "a: 1" } })
    expect(plain.status).toBe(2)
    expect(plain.err).toContain("--on-conflict is for objects that have apiVersion and kind")
  })
})
