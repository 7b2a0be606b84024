import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, it } from "vitest"
import { wellFormed } from "../../support/xml.js"
import { smd } from "../cli.js"
import { replicas } from "../stories.js"

const plan = ["plan", "--manager", "web-team", "--live", "live.json", "web.yaml"]

const service = (name: string, port: number) =>
  `apiVersion: v1\nkind: Service\nmetadata: {name: ${name}}\nspec: {ports: [{port: ${port}}]}\n`

/** A live object with a leftover of client-side apply and an owner of a removed version. */
const live = JSON.stringify({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name: "shop",
    namespace: "web",
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" },
    managedFields: [
      {
        manager: "old",
        operation: "Apply",
        apiVersion: "apps/v1beta1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:spec": { "f:replicas": {} } },
      },
    ],
  },
  spec: { replicas: 1 },
})

async function run(args: readonly string[], files: Readonly<Record<string, string>>): Promise<string> {
  const { out, err } = await smd(args, { files })
  expect(err).toBe("")
  return out
}

describe("SARIF", () => {
  const text = readFileSync(join(import.meta.dirname, "sarif.schema.json"), "utf8")
  const validate = new Ajv2020({ strict: true, allErrors: true }).compile(JSON.parse(text))
  const fits = (log: string) => {
    const value = JSON.parse(log)
    validate(value)
    expect(validate.errors ?? []).toEqual([])
    return value.runs[0]
  }

  it.each([
    ["plan", plan, replicas],
    ["lint", ["lint", "a b/live#1.json"], { "a b/live#1.json": live }],
    ["lint of nothing", ["lint", "a.yaml"], { "a.yaml": service("a", 1) }],
    ["validate", ["validate", "/a.yaml", "-"], { "/a.yaml": service("A", 0), "-": service("b", 99_999_999_999) }],
  ])("fits the specification: %s", async (_, args, files) => {
    const { tool, results } = fits(await run([...args, "-o", "sarif"], files))
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId)
  })

  it("has URIs for files, and the object and path", async () => {
    const { results } = fits(await run(["lint", "./a b/live#1.json", "-o", "sarif"], { "./a b/live#1.json": live }))
    const [{ physicalLocation, logicalLocations }] = results[0].locations
    expect(physicalLocation.artifactLocation).toEqual({ uri: "a%20b/live%231.json" })
    expect(logicalLocations[0].fullyQualifiedName).toMatch(/^Deployment web\/shop \.metadata\./)
  })

  it("has no links from documents", async () => {
    const files = { "a.yaml": "apiVersion: v1\nkind: Pod\n'[x](https://evil.example)': 1\n" }
    const { results } = fits(await run(["validate", "a.yaml", "-o", "sarif"], files))
    expect(results[0].message.text).toContain("[x] (https://evil.example)")
  })
})

describe("fingerprints", () => {
  const prints = async (args: readonly string[], files: Readonly<Record<string, string>>): Promise<string[]> => {
    const issues: { readonly fingerprint: string }[] = JSON.parse(await run([...args, "-o", "gitlab"], files))
    return issues.map(({ fingerprint }) => fingerprint)
  }

  it("stay when lines move and live values change", async () => {
    const first = await prints(plan, replicas)
    const moved = { ...replicas, "web.yaml": `# a\n# b\n${replicas["web.yaml"]}` }
    expect(await prints(plan, moved)).toEqual(first)
    const changed = { ...replicas, "live.json": replicas["live.json"].replace('"replicas":7', '"replicas":8') }
    expect(changed["live.json"]).not.toBe(replicas["live.json"])
    expect(await prints(plan, changed)).toEqual(first)
    expect(
      await prints([...plan.slice(0, -1), "./web.yaml"], { ...replicas, "./web.yaml": replicas["web.yaml"] }),
    ).toEqual(first)
  })

  it("differ for each finding", async () => {
    const files = { "a.yaml": `${service("A", 0)}---\n${service("B", 0)}` }
    const found = await prints(["validate", "a.yaml"], files)
    expect(found.length).toBeGreaterThan(3)
    expect(new Set(found).size).toBe(found.length)
  })
})

describe("GitLab code quality", () => {
  it("has the members that GitLab requires", async () => {
    const issues = JSON.parse(await run(["lint", "live.json", "-o", "gitlab"], { "live.json": live }))
    expect(issues).toContainEqual({
      description: expect.stringMatching(/^\.metadata/),
      check_name: "smd-lint/last-applied-left",
      fingerprint: expect.stringMatching(/^[\da-f]{64}$/),
      severity: "info",
      location: { path: "live.json", lines: { begin: 1 } },
    })
  })

  it("is an empty list if nothing is wrong", async () => {
    expect(await run(["lint", "a.yaml", "-o", "gitlab"], { "a.yaml": service("a", 80) })).toBe("[]\n")
  })
})

describe("JUnit", () => {
  it("has a case for each object, which fails if the command fails", async () => {
    const files = { "a.yaml": `${service("a", 80)}---\n${service("B", 0)}` }
    const report = wellFormed(await run(["validate", "a.yaml", "-o", "junit"], files))
    expect(report.attributes).toEqual({ name: "smd validate", tests: "2", failures: "1", errors: "0" })
    const [suite] = report.children
    expect(suite?.attributes).toEqual({ name: "a.yaml", tests: "2", failures: "1", errors: "0", file: "a.yaml" })
    expect(suite?.children.map(({ attributes }) => attributes)).toEqual([
      { name: "Service a", classname: "a.yaml", file: "a.yaml", line: "1" },
      { name: "Service B", classname: "a.yaml", file: "a.yaml", line: "6" },
    ])
    const failures = suite?.children.map(({ children }) => children) ?? []
    expect(failures.map(({ length }) => length)).toEqual([0, 1])
    expect(failures[1]?.[0]?.attributes.message).toMatch(/^\.metadata\.name: Invalid value: "B": .* \(and \d more\)$/)
    expect(failures[1]?.[0]?.text).toMatch(/^a\.yaml:8:12: error: \.metadata\.name: .*\na\.yaml:9:\d+: error: \.spec/)
  })

  it("mentions findings that are not failures", async () => {
    const args = ["lint", "live.json", "-o", "junit"]
    const [suite] = wellFormed(await run([...args, "--fail-on", "never"], { "live.json": live })).children
    expect(suite?.attributes.failures).toBe("0")
    expect(suite?.children[0]?.children.map(({ name }) => name)).toEqual(["system-out"])
  })

  it("contains no markup from documents", async () => {
    const files = { "a.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: '<&\">]]>'}\n'<b a=\"&amp;\">': 1\n" }
    const [suite] = wellFormed(await run(["validate", "a.yaml", "-o", "junit"], files)).children
    expect(suite?.children[0]?.attributes.name).toBe('Pod <&">]]>')
    expect(suite?.children[0]?.children[0]?.text).toContain('.<b a="&amp;">: field not declared')
  })
})

describe("annotations for GitHub", () => {
  const fields = (number: number) => Array.from({ length: number }, (_, i) => `field${i}: 1\n`).join("")
  const pod = "apiVersion: v1\nkind: Pod\n"

  it("shows ten, and counts the others", async () => {
    const ten = await run(["validate", "a.yaml", "-o", "github"], { "a.yaml": pod + fields(10) })
    expect(ten.match(/^::error /gm)).toHaveLength(10)
    expect(ten).not.toContain("::notice")
    const more = await run(["validate", "a.yaml", "-o", "github"], { "a.yaml": pod + fields(13) })
    expect(more.match(/^::error /gm)).toHaveLength(10)
    expect(more).toMatch(
      /\n::notice title=smd validate::3 more errors not shown here, because GitHub shows 10 annotations\. -o text prints all\.\n$/,
    )
  })

  it("shows errors first", async () => {
    const gone = live.replace('"f:replicas":{}', '"f:replicas":{},"f:gone":{}')
    const files = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`${i}.json`, gone.replace("shop", `s${i}`)]))
    const out = await run(["lint", ...Object.keys(files), "-o", "github"], files)
    const levels = Array.from(out.matchAll(/^::(\w+)/gm), ([, level]) => level)
    expect(levels).toHaveLength(11)
    expect(levels).toEqual([...levels].sort((a = "", b = "") => order.indexOf(a) - order.indexOf(b)))
    expect(out).toMatch(/ more (warnings|notices) not shown here/)
  })

  const order = ["error", "warning", "notice"]
})
