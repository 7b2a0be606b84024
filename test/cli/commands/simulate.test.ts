import { inflateRawSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { simulate } from "../../../src/cli/commands/simulate.js"
import { formatYaml } from "../../../src/io/yaml-format.js"
import { parseJson } from "../../../src/json/json.js"
import type { MapValue } from "../../../src/value/value.js"
import { definitionOf } from "../../support/definition.js"
import { wholeDeployment } from "../../support/deployment.js"
import { codeBlocks, read } from "../../support/documents.js"
import { gauge, gauges } from "../../support/reported.js"
import { allStories } from "../../support/stories.js"
import { wellFormed } from "../../support/xml.js"
import { policy } from "../../write/admission/policies.js"
import { smd, text } from "../cli.js"

const map = "apiVersion: v1, kind: ConfigMap, metadata: {name: web}"
const painted = text`
  title: Two managers & a "color"
  steps:
  - manager: gitops
    apply: &config {${map}, data: {color: red}}
  - manager: ann
    about: ann paints <it>
    patch: {data: {color: blue}}
    expect:
      owners: {.data.color: [gitops, ann]}
      values: {.data.color: green}
      absent: [.data]
  - manager: gitops
    apply: *config
`
const fighting = text`
  title: A fight
  managers: {gitops: {force: true}, ann: {}}
  steps:
  - manager: gitops
    apply: &config {${map}, data: {color: red, size: '1'}}
  - manager: ann
    update: {${map}, data: {color: blue, size: '1'}}
  - manager: gitops
    apply: *config
`
const refused = text`
  title: Whoever comes first
  steps:
  - manager: ann
    apply: {${map}, data: {color: red}}
  - manager: bob
    apply: {${map}, data: {color: blue}}
    expect: {conflicts: [{field: .data.color, with: ann}]}
`
const files = { "painted.yaml": painted, "fighting.yaml": fighting, "refused.yaml": refused }
const run = (...args: string[]) => smd(["simulate", ...args], { files })

describe("smd simulate", () => {
  it("refuses policies and definitions whose expressions do not compile, as a server does", async () => {
    const rule = { rule: "self.size > 1 &&" }
    const schema = { properties: { size: { type: "integer" } }, "x-kubernetes-validations": [rule] }
    const definition = definitionOf("Gauge", { group: "example.org", schema })
    const story = {
      title: "Expressions",
      steps: [
        { manager: "ann", apply: policy({ validations: [{ expression: "object.size >" }] }), expect: { error: 422 } },
        { manager: "ann", apply: definition, expect: { error: 422 } },
        { manager: "ann", create: policy({ validations: [{ expression: "true" }] }), expect: { outcome: "created" } },
      ],
    }
    const { status, out } = await smd(["simulate", "s.yaml"], { files: { "s.yaml": formatYaml(story as never) } })
    expect([status, out.replace(/\s+/g, " ")]).toEqual([0, expect.stringContaining("compilation failed")])
  })

  it("lets the policies and limits of a story decide about its later steps, as a server does", async () => {
    const range = { limits: [{ type: "Container", default: { cpu: "1" }, max: { cpu: "2" } }] }
    const pod = (name: string, cpu?: string) => {
      const container = { name: "a", image: "a", ...(cpu && { resources: { limits: { cpu } } }) }
      return { apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { containers: [container] } }
    }
    const limits = '.spec.containers[name="a"].resources.limits'
    const story = {
      title: "Limits",
      steps: [
        { manager: "ann", apply: { apiVersion: "v1", kind: "LimitRange", metadata: { name: "l" }, spec: range } },
        { manager: "ann", apply: pod("small"), expect: { values: { [limits]: { cpu: "1" } } } },
        { manager: "ann", apply: pod("large", "3"), expect: { error: "maximum cpu usage per Container is 2" } },
      ],
    }
    const { status, out } = await smd(["simulate", "s.yaml"], { files: { "s.yaml": formatYaml(story as never) } })
    expect([status, out]).toEqual([0, expect.stringContaining("403")])
  })

  it("shows each step, and exits with 1 and the differences if a result is unexpected", async () => {
    const { status, out, err } = await run("painted.yaml")
    expect([status, err]).toEqual([1, ""])
    expect(out).toBe(text`
      Two managers & a "color"                                            painted.yaml
         1  gitops  apply  created
            + new, with 1 field
         2  ann     patch  changed
            ~ .data.color  red -> blue
            owners  ann gains .data.color
                    gitops loses .data.color, its only field
            x values of .data.color                                 painted.yaml:10:14
                - green  expected
                + blue   found
            x absent                                                painted.yaml:11:14
                - (absent)       expected
                + {color: blue}  found
            x owners of .data.color                                  painted.yaml:9:14
                - gitops  expected
         3  gitops  apply  conflict
            1  .data.color                                           painted.yaml:4:82
               you set red, the object has blue
               owner     ann  Update  60 seconds ago
               ways out  leave it  leave out .data.color; ann alone would decide
                                   (safe)
                         agree     write blue; you would own it together with ann, but
                                   be in conflict again once ann writes another value
                                   (unsure)
                         take it   --force-conflicts; ann loses its only field; ann
                                   may write it again (unsure)
            x not as expected                                        painted.yaml:12:3
                expected no refusal, got Apply failed with 1 conflict: conflict with
                "ann" using v1: .data.color

      1 story, 3 steps: 1 failed.
    `)
  })

  it("plays every story of examples/stories, each from its own file", async () => {
    const stories = Object.fromEntries(
      allStories.flatMap(name => [
        [`stories/${name}/story.yaml`, read(`examples/stories/${name}/story.yaml`)],
        [`stories/${name}/live.yaml`, text`{apiVersion: v1, kind: Pod}`],
      ]),
    )
    for (const columns of [40, 80]) {
      const { status, out, err } = await smd(["simulate", "-R", "stories"], { files: stories, columns })
      expect([status, err]).toEqual([0, ""])
      expect(out).toMatch(new RegExp(`\n${allStories.length} stories, \\d+ steps: ${allStories.length} passed.\n$`))
      expect(out.split("\n").filter(line => line.length > columns)).toEqual([])
    }
  })

  it("runs the rules in CEL of definitions", async () => {
    const steps = [{ manager: "me", apply: gauge({ low: 11 }) }]
    const story = formatYaml({ title: "x", definitions: [gauges], steps })
    const { status, out, err } = await smd(["simulate", "-"], { files: { "-": story } })
    expect([status, err]).toEqual([1, ""])
    expect(out).toContain("low is above high")
  })

  it("reads standard input, and names it in messages", async () => {
    const { status, out } = await smd(["simulate", "-"], { files: { "-": painted } })
    expect(status).toBe(1)
    expect(out).toContain(" standard input:10:14\n")
  })

  it("says whether the order matters, with a shortest pair", async () => {
    expect((await run("--permute", "refused.yaml")).out).toContain(text`
      orders  2 orders lead to 2 results, which differ in objects, owners and
                conflicts
            1  as 1 2  refused: 2
            1  as 2 1  refused: 1
          first
            1  ann  apply  created
            2  bob  apply  conflict about .data.color
          second
            2  bob  apply  created
            1  ann  apply  conflict about .data.color
          difference
            ~ .data.color  red -> blue
            owners  bob gains .data.color
                    ann loses .data.color, its only field
    `)
  })

  it("keeps steps first that others need", async () => {
    const { out } = await run("--permute", "painted.yaml", "--output", "json")
    const [{ orders }] = parseJson(out) as unknown as [{ orders: MapValue }]
    expect(orders).toEqual({
      first: 1,
      total: 2,
      played: 2,
      differs: ["conflicts"],
      outcomes: [
        { orders: 1, example: [2, 3], refused: [3] },
        { orders: 1, example: [3, 2], refused: [] },
      ],
      shortest: {
        differs: ["conflicts"],
        first: { orders: 1, example: [2, 3], refused: [3] },
        second: { orders: 1, example: [3, 2], refused: [] },
      },
    })
  })

  it("says who fights, and repeats the changes of an update", async () => {
    const { status, out } = await run("--contend", "fighting.yaml")
    expect([status, (await run("--contend", "refused.yaml")).status]).toEqual([1, 0])
    expect(out).toContain(text`
      fights  1 field in 2 rounds
          .data.color of ConfigMap default/web
            ann and gitops, with red, blue
            repeats after 1 round, with 2 writes per round
            ends if ann or gitops leaves the field out
          all of it ends if ann leaves out .data.color of ConfigMap default/web
    `)
    expect((await run("--contend", "refused.yaml")).out).toContain("  fights  none: stable after 1 round\n")
  })

  it("prints all results for programs", async () => {
    const { out } = await run("painted.yaml", "fighting.yaml", "-o", "json", "--contend")
    const [first, second] = parseJson(out) as unknown as MapValue[]
    expect(first).toMatchObject({
      file: "painted.yaml",
      passed: false,
      steps: [{ outcome: "created", failures: [] }, { failures: [{ line: 10 }, {}, {}] }, { outcome: "conflict" }],
      contention: { settled: true },
    })
    expect(second).toMatchObject({ passed: true, contention: { fights: [{ path: ".data.color", period: 1 }] } })
  })

  it("writes a report that XML parsers read", async () => {
    const hostile = painted.replace("ann paints <it>", '"a\\u0007]]>\\ud800 \\ufffe <b>\'"')
    const { status, out } = await smd(["simulate", "-o", "junit", "a&b.yaml"], { files: { "a&b.yaml": hostile } })
    expect(status).toBe(1)
    const report = wellFormed(out)
    expect(report.name).toBe("testsuites")
    expect(report.attributes).toEqual({ name: "smd simulate", tests: "3", failures: "2", errors: "0" })
    const [suite] = report.children
    expect(suite?.attributes).toMatchObject({ name: 'Two managers & a "color"', file: "a&b.yaml", tests: "3" })
    const cases = suite?.children ?? []
    expect(cases.map(({ attributes }) => attributes.name)).toEqual([
      "1 gitops apply",
      "2 ann patch: a\\x07]]>\ufffd \ufffd <b>'",
      "3 gitops apply",
    ])
    expect(cases.map(({ children }) => children.length)).toEqual([0, 3, 1])
    expect(cases[1]?.children[0]).toMatchObject({
      name: "failure",
      attributes: { type: "values", message: '.data.color: expected "green", found "blue"' },
      text: 'a&b.yaml:10:14: .data.color: expected "green", found "blue"',
    })
  })

  it("shows the ways out of the conflict of a Scale", async () => {
    const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "web" } }
    const story = {
      title: "Scales",
      objects: [wholeDeployment({ replicas: 1 })],
      steps: [5, 6].map(replicas => ({
        manager: `to-${replicas}`,
        subresource: "scale",
        force: replicas === 5,
        apply: { ...scale, spec: { replicas } },
      })),
    }
    const { out } = await smd(["simulate", "s.json"], { files: { "s.json": JSON.stringify(story) } })
    expect(out).toContain("you set 6, the object has 5")
    expect(out).toContain("write 5; you would own it together with to-5")
  })

  it.each([
    ["a: 1", ["s.yaml:1:1: .title is missing", "s.yaml:1:1: .steps is missing", "s.yaml:1:1: .a: unknown key"]],
    ["title: [", ["s.yaml:1:9: "]],
    ["title: a\nsteps:\n- manager: x\n  patch: {}\n", ["s.yaml:3:3: no object named: there is no such object"]],
    [
      `title: a\nsteps:\n- {manager: x, create: {${map}}}\n- {manager: x, time: noon, patch: {}}\n`,
      ["s.yaml:4:3: noon is not a time"],
    ],
  ])("says where a story is wrong: %j", async (story, lines) => {
    const { status, out, err } = await smd(["simulate", "s.yaml"], { files: { "s.yaml": story } })
    expect([status, out]).toEqual([2, ""])
    for (const line of lines) expect(err).toContain(line)
  })

  it("names options that contradict each other, and a folder without stories", async () => {
    expect(await run()).toMatchObject({ status: 2, err: expect.stringContaining("smd simulate: STORY is missing\n") })
    expect((await run("painted.yaml", "-o", "junit", "--permute")).err).toContain("use --permute and --contend with")
    const objects = { "x/a.yaml": "{apiVersion: v1, kind: Pod}\n", "x/b.yaml": "kind: Pod\n---\nkind: Pod\n" }
    expect(await smd(["simulate", "x"], { files: objects })).toEqual({
      status: 2,
      out: "",
      err: "x: contains no story; -R reads inner folders too\n",
    })
  })

  it("escapes everything in a story that could control a terminal", async () => {
    const steering = '"\\e[2J\\u202e\\r"'
    const story = text`
      title: ${steering}
      steps:
      - manager: ${steering}
        apply: {${map}, data: {${steering}: ${steering}}}
      - manager: other
        apply: {${map}, data: {${steering}: other}}
        expect: {owners: {${steering}: ${steering}}, error: ${steering}}
    `
    for (const form of ["text", "json", "junit"]) {
      const { status, out, err, progress } = await smd(["simulate", "s.yaml", "-o", form], {
        files: { "s.yaml": story },
        isTTY: true,
      })
      expect([status, err]).toEqual([1, ""])
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      expect(out.replaceAll(/\x1b\[(?:1|2|22|31|32|39)m/g, "")).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/)
      for (const line of progress ?? []) expect(line).toMatch(/^story 1 of 1: [ -~]+, step [12] of 2$/)
      expect(progress).toHaveLength(2)
    }
  })

  it.each(simulate.examples)("does what its help shows: %s", async example => {
    const command = example.replace(/^.* \| /, "")
    const state = (version: string, color: string) =>
      `${JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web", resourceVersion: version }, data: { color } })}\n`
    const { status, out, err, written } = await smd(command.split(" ").slice(1), {
      files: {
        "story.yaml": refused,
        "stories/a/story.yaml": refused,
        "stories/b.yaml": fighting,
        "live.yaml": state("2", "blue"),
        "audit.jsonl": state("1", "red") + state("2", "blue"),
        "-": state("1", "red") + state("2", "blue"),
      },
    })
    expect(status).toBe(0)
    const result = out + Object.values(written ?? {}).join("")
    if (command.includes("--record"))
      expect([result, err]).toEqual([expect.stringMatching(/^title: /), expect.stringContaining("1 write")])
    else if (command.includes("--link")) expect(result).toContain("#story=")
    else if (command.includes("junit")) expect(wellFormed(written?.["report.xml"] ?? "").children).toHaveLength(2)
    else if (command.includes("vitest")) expect(Object.keys(written ?? {})).toEqual(["story.test.ts"])
    else expect(result).toContain("passed.\n")
  })

  it("does what docs/cli.md shows", async () => {
    const [, section = ""] = read("docs/cli.md").split("\n## Stories\n")
    const [block = ""] = codeBlocks(section, "console")
    const [command = "", ...shown] = block.split("\n")
    const story = read("examples/stories/autoscaled-replicas/story.yaml")
    const { out } = await smd(command.replace("$ smd ", "").split(" "), { files: { "story.yaml": story } })
    expect(out).toBe(`${shown.join("\n").trimEnd()}\n`)
  })
})

describe("--link", () => {
  const textOf = (link: string) => inflateRawSync(Buffer.from(link.split("#story=")[1] ?? "", "base64url")).toString()

  it("prints a link that contains the file of each story, and plays nothing", async () => {
    const { out, status } = await run("--link", "painted.yaml", "refused.yaml")
    const links = out.trimEnd().split("\n")
    expect(links.map(textOf)).toEqual([painted, refused])
    expect(links.every(link => link.startsWith("http://127.0.0.1:8086/#story="))).toBe(true)
    expect(status).toBe(0)
  })

  it("leads to another page", async () => {
    const { out } = await run("--playground", "https://example.com/docs/playground/index.html", "painted.yaml")
    expect(out).toMatch(/^https:\/\/example\.com\/docs\/playground\/index\.html#story=[\w-]+\n$/)
    expect((await run("--playground", "elsewhere", "painted.yaml")).err).toContain(
      "--playground must be the address of a page",
    )
  })

  it("refuses to put values of Secrets into a link", async () => {
    const secret =
      "title: A secret\nsteps:\n- manager: a\n  apply: {apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {key: hunter22}}\n"
    const secrets = { files: { "secret.yaml": secret } }
    const { out, err, status } = await smd(["simulate", "--link", "secret.yaml"], secrets)
    expect({ out, status }).toEqual({ out: "", status: 2 })
    expect(err).toContain("secret.yaml: a link would contain values that are hidden")
    const shown = await smd(["simulate", "--link", "--show-secrets", "secret.yaml"], secrets)
    expect(textOf(shown.out)).toBe(secret)
  })
})
