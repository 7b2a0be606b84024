import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { commands as listed } from "../../../src/cli/commands/list.js"
import { optionName } from "../../../src/cli/input/options.js"
import { parseJson } from "../../../src/json/json.js"
import { projectRoot, readManifest } from "../../support/entries.js"
import { deployment, smd, smdUncounted, text } from "../cli.js"

const schema = text`
  types:
  - name: cluster
    map:
      fields:
      - {name: size, type: {scalar: numeric}}
      - {name: nodes, type: {namedType: nodes}}
  - name: nodes
    list:
      elementType: {namedType: node}
      elementRelationship: associative
      keys: [name]
  - name: node
    map:
      fields:
      - {name: name, type: {scalar: string}}
      - {name: zone, type: {scalar: string}}
`
const small = "size: 1\nnodes: [{name: a, zone: north}]\n"
const large = "size: 2\nnodes: [{name: b, zone: east}, {name: a, zone: west}]\n"
const files = { "s.yaml": schema, "small.yaml": small, "large.yaml": large }
const commands = await Promise.all(listed.map(command => command.load()))

const own = ["--schema", "s.yaml", "--type", "cluster"]

/** The text with its wrapped lines joined again. */
function unwrapped(help: string): string {
  return `${help.replaceAll(/\n {0,2}(?=\S)/g, " ").replaceAll(/\n +(?=\S)/g, " ")} `
}

function widest(help: string): number {
  return Math.max(...help.split("\n").map(line => line.length))
}

describe("smd", () => {
  it("shows all commands", async () => {
    const { status, out } = await smd(["--help"])
    expect(status).toBe(0)
    for (const { name, summary } of commands) expect(unwrapped(out)).toContain(` ${name.padEnd(14)}  ${summary} `)
    expect(widest(out)).toBeLessThanOrEqual(80)
    expect((await smd([])).err).toBe(out)
    expect((await smd([])).status).toBe(2)
  })

  it.each(commands)("shows the options and examples of $name", async ({ name, options, notes, examples }) => {
    const words = name.split(" ")
    const { status, out } = await smd([...words, "--help"])
    expect(status).toBe(0)
    for (const key of Object.keys(options)) expect(out).toMatch(new RegExp(`^  (-\\w, )?${optionName(key)}\\b`, "m"))
    for (const { help } of Object.values(options)) expect(unwrapped(out)).toContain(` ${help} `)
    for (const paragraph of notes.join(" ").split("  ")) expect(unwrapped(out)).toContain(paragraph)
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) expect(out.replaceAll(/ \\\n +/g, " ")).toContain(`\n  ${example}\n`)
    expect((await smd(["help", ...words])).out).toBe(out)
    expect((await smd([...words, "-h"])).out).toBe(out)
    expect(widest(out)).toBeLessThanOrEqual(80)
  })

  it("lists the commands by their names", () => {
    expect(listed.map(({ name, alias }) => [name, alias])).toEqual(commands.map(({ name, alias }) => [name, alias]))
  })

  it.each(["--version", "version"])("prints its version for %s", async word => {
    expect((await smd([word])).out).toBe(`${readManifest().version}\n`)
  })

  it.each([
    ["aply", "apply"],
    ["plna", "plan"],
    ["upgrade", "managers upgrade"],
  ])("names the command that may have been meant by %s", async (word, meant) => {
    const failed = {
      status: 2,
      out: "",
      err: `smd: no command ${word}; did you mean ${meant}?\nsmd --help lists the commands.\n`,
    }
    expect(await smd([word])).toEqual(failed)
    const inHelp = failed.err.replace("no command", "no command or subject")
    expect(await smd(["help", word])).toEqual({ ...failed, err: inHelp })
  })

  it.each([
    [["--manager", "x", "apply", "f"], "options come after the command: smd apply --manager ..."],
    [["-n", "web", "schema", "diff"], "options come after the command: smd schema diff -n ..."],
    [["--hlep"], "unknown option --hlep; did you mean --help?"],
    [["--stream", "f"], "no command before --stream"],
    [["help", "nonsense"], "no command or subject nonsense"],
    [["schema"], "schema is not a whole command: schema diff, schema convert"],
    [["schema", "-o", "json"], "schema is not a whole command: schema diff, schema convert"],
    [["schema", "dif"], "no command schema dif; did you mean schema diff?"],
    [["schema", "convret", "f"], "no command schema convret; did you mean schema convert?"],
    [["schema", "x"], "no command schema x; did you mean schema diff or schema convert?"],
    [["schmea", "diff"], "no command schmea; did you mean schema diff?"],
    [["help", "schema"], "schema is not a whole command: schema diff, schema convert"],
    [["help", "schema", "dif"], "no command or subject schema dif; did you mean schema diff?"],
    [["help", "exit-code"], "no command or subject exit-code; did you mean exit-codes?"],
  ])("says what is wrong with %j", async (argv, problem) => {
    const err = `smd: ${problem}\nsmd --help lists the commands.\n`
    expect(await smd(argv)).toEqual({ status: 2, out: "", err })
  })

  it.each([
    [["apply", "--manger", "x"], "unknown option --manger; did you mean --manager?"],
    [["managers", "transfre", "f"], "no operation transfre; did you mean transfer?"],
    [["apply", "--force-conflict"], "unknown option --force-conflict; did you mean --force-conflicts?"],
    [["plan", "--outptu=json"], "unknown option --outptu; did you mean --output?"],
    [["blame", "-stream", "json"], "unknown option -stream; did you mean --stream?"],
    [["blame", "-x"], "unknown option -x"],
    [["blame", "--nonsense"], "unknown option --nonsense"],
  ])("suggests options for %j", async (argv, problem) => {
    const err = `smd ${argv[0]}: ${problem}\nsmd ${argv[0]} --help shows how to use it.\n`
    expect(await smd(argv)).toEqual({ status: 2, out: "", err })
  })

  it("explains exit statuses and formats", async () => {
    const statuses = await smd(["help", "exit-codes"])
    expect([statuses.status, statuses.out.match(/^ {2}\d+/gm)]).toEqual([
      0,
      ["  0", "  1", "  2", "  3", "  4", "  130"],
    ])
    const { out } = await smd(["help", "formats"])
    expect(unwrapped(out)).toContain("patch     the JSON Patch of one object (managers) ")
    for (const { name, options } of commands) {
      for (const form of (options.output as { choices?: readonly string[] } | undefined)?.choices ?? []) {
        expect(out).toMatch(new RegExp(`^  ${form} +\\w[^(]{9}`, "m"))
        expect(unwrapped(out)).toMatch(new RegExp(` ${form} +[^(]+\\([^)]*\\b${name}\\b`))
      }
    }
    expect(widest(out)).toBeLessThanOrEqual(80)
    expect((await smd(["help", "formats", "more"])).err).toMatch(/^smd help: unexpected more\n/)
  })

  it("groups the options in the help", async () => {
    const { out } = await smd(["plan", "--help"])
    expect(out.match(/^[A-Z]\w+$/gm)).toEqual([
      ...["Usage", "Options", "Input", "Cluster", "Types", "Unions", "Output", "Streams", "Other", "Examples"],
    ])
  })

  it("shows all commands as the help without a command", async () => {
    expect(await smd(["help"])).toEqual(await smd(["--help"]))
  })

  it("lists the tools of the engine after other commands", async () => {
    const { out } = await smd(["--help"])
    const [, tools = ""] = out.split("Tools of the engine\n")
    const [engine = ""] = tools.split("This program\n")
    expect(engine.match(/^ {2}\S+/gm)).toEqual(
      ["merge", "compare", "fieldset", "list-types", "types"].map(name => `  ${name}`),
    )
  })

  it("has colours only on a terminal, and only if they are wanted", async () => {
    const coloured = await smd(["--help"], { isTTY: true })
    expect(coloured.out).toContain("\x1b[1mRequests\x1b[22m")
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
      expect((await smd(["--help"], { isTTY: true, env })).out).not.toContain("\x1b")
    }
    expect((await smd(["--help"], { env: { NO_COLOR: "" } })).out).not.toContain("\x1b")
    expect((await smd(["--help"], { isTTY: true, env: { NO_COLOR: "" } })).out).toBe(coloured.out)
    expect((await smd(["--help"], { env: { FORCE_COLOR: "1" } })).out).toBe(coloured.out)
    for (const env of [{ FORCE_COLOR: "0" }, { FORCE_COLOR: "1", NO_COLOR: "1" }]) {
      expect((await smd(["--help"], { isTTY: true, env })).out).not.toContain("\x1b")
    }
  })

  it("has colours as --color requests", async () => {
    const help = async (color: string, isTTY: boolean, env = {}) => {
      return (await smd(["help", `--color=${color}`], { isTTY, env })).out.includes("\x1b")
    }
    expect([await help("always", false), await help("always", true, { NO_COLOR: "1" })]).toEqual([true, true])
    expect([await help("never", true), await help("never", false, { FORCE_COLOR: "1" })]).toEqual([false, false])
    expect([await help("auto", true), await help("auto", false)]).toEqual([true, false])
    expect(await help("auto", true, { NO_COLOR: "1" })).toBe(false)
    expect((await smd(["apply", "--help", "--color", "always"])).out).toContain("\x1b[1mUsage")
    expect((await smd(["help", "--color", "blue"])).err).toMatch(
      /^smd help: --color must be auto, always or never, not blue\n/,
    )
  })

  it("is started by a file that only calls it", () => {
    const main = readFileSync(join(projectRoot, "src/cli/main.ts"), "utf8")
    expect(main).toMatch(/^#!\/usr\/bin\/env node\n/)
    expect(main.trimEnd().split("\n").at(-1)).toBe("process.exitCode = await start()")
  })
})

describe("smd list-types", () => {
  it("prints the types of a schema in its order", async () => {
    expect((await smd(["list-types", "--schema", "s.yaml"], { files })).out).toBe("cluster\nnodes\nnode\n")
    const { out } = await smd(["list-types", "--schema", "s.yaml", "--output", "json"], { files })
    expect(parseJson(out)).toEqual(["cluster", "nodes", "node"])
  })

  it("prints the built-in types", async () => {
    expect((await smd(["list-types"])).out).toContain("\nio.k8s.api.apps.v1.Deployment\n")
  })
})

describe("smd merge", () => {
  it("merges the second into the first", async () => {
    const { status, out } = await smd(["merge", ...own, "small.yaml", "large.yaml", "--output", "json"], { files })
    expect(status).toBe(0)
    expect(parseJson(out)).toEqual({
      size: 2,
      nodes: [
        { name: "b", zone: "east" },
        { name: "a", zone: "west" },
      ],
    })
  })

  it("uses the first type of the schema by default", async () => {
    const { out } = await smd(["merge", "--schema", "s.yaml", "small.yaml", "-"], {
      files: { ...files, "-": "size: 7" },
    })
    expect(out).toMatch(/^size: 7\n/m)
  })

  it("keeps every digit", async () => {
    const big = { "a.yaml": "size: 9007199254740993", "b.yaml": "size: 9223372036854775807" }
    const { out } = await smd(["merge", ...own, "a.yaml", "b.yaml"], { files: { ...files, ...big } })
    expect(out).toBe("size: 9223372036854775807\n")
  })

  it("refuses objects of two types", async () => {
    const two = { "a.yaml": deployment(1), "b.yaml": deployment(1).replace("kind: Deployment", "kind: ReplicaSet") }
    const { status, err } = await smd(["merge", "a.yaml", "b.yaml"], { files: two })
    expect(status).toBe(2)
    expect(err).toContain("expected objects of the same type")
  })

  it("reads standard input once", async () => {
    const { status, err } = await smd(["merge", ...own, "-", "-"], { files: { ...files, "-": "size: 1" } })
    expect([status, err]).toEqual([2, "standard input can be read only once\n"])
  })
})

describe("smd compare", () => {
  it("prints the paths that differ with their values, and exits with 1", async () => {
    const { status, out } = await smd(["compare", ...own, "small.yaml", "large.yaml"], { files })
    expect(status).toBe(1)
    expect(out).toBe(text`
      - Modified Fields:
      .size                  1 -> 2
      .nodes[name="a"].zone  "north" -> "west"
      - Added Fields:
      .nodes[name="b"]       {"name":"b","zone":"east"}
      .nodes[name="b"].name  "b"
      .nodes[name="b"].zone  "east"
    `)
  })

  it("prints the sets as FieldsV1", async () => {
    const { out } = await smd(["compare", ...own, "large.yaml", "small.yaml", "--output", "json"], { files })
    expect(parseJson(out)).toEqual({
      modified: { "f:nodes": { 'k:{"name":"a"}': { "f:zone": {} } }, "f:size": {} },
      added: {},
      removed: { "f:nodes": { 'k:{"name":"b"}': { ".": {}, "f:name": {}, "f:zone": {} } } },
    })
  })

  it("says if there is no difference", async () => {
    const { status, out } = await smd(["compare", ...own, "small.yaml", "small.yaml"], { files })
    expect([status, out]).toEqual([0, "No difference\n"])
  })
})

describe("smd fieldset", () => {
  it("prints every field as FieldsV1", async () => {
    const { out } = await smd(["fieldset", ...own, "small.yaml"], { files })
    expect(out).toBe(`{"f:nodes":{".":{},"k:{\\"name\\":\\"a\\"}":{".":{},"f:name":{},"f:zone":{}}},"f:size":{}}\n`)
  })

  it("prints them as YAML", async () => {
    const { out } = await smd(["fieldset", ...own, "-", "--output", "yaml"], { files: { ...files, "-": "size: 1" } })
    expect(out).toBe("f:size: {}\n")
  })
})

describe("smd validate", () => {
  it("prints how much it checked if all documents are valid", async () => {
    const stream = `${deployment(1)}---\n${deployment(2)}---\n`
    expect(await smd(["validate", "a.yaml", "-"], { files: { "a.yaml": stream, "-": deployment(3) } })).toEqual({
      status: 0,
      out: "",
      err: "checked 3 objects in 2 files: no problems\n",
    })
  })

  it("prints every problem of every document with its place", async () => {
    const wrong = deployment(1)
      .replace("replicas: 1", "replica: many")
      .replace("image: web:1.0", "image: [1]")
      .replace("containerPort: 8080", "containerPort: high")
    const stream = `${deployment(1)}---\n${wrong}`
    const args = ["validate", "a.yaml", "b.yaml"]
    const { status, err } = await smd(args, { files: { "a.yaml": stream, "b.yaml": "kind: Pod\n" } })
    expect(status).toBe(2)
    expect(err).toBe(text`
      a.yaml:26:3: .spec.replica: field not declared in schema, in io.k8s.api.apps.v1.DeploymentSpec; did you mean replicas?
      a.yaml:35:9: .spec.template.spec.containers[name="web"].image: must be text, not a list
      a.yaml:37:11: .spec.template.spec.containers[name="web"].ports[containerPort="high",protocol="TCP"].containerPort: must be a number, not the text "high"
      b.yaml:1:1: apiVersion is missing: types are found by apiVersion and kind; for objects without these give --schema FILE --type NAME
      checked 3 objects in 2 files: 4 problems
    `)
  })

  it("speaks plainly to people, and in the engine's words to programs", async () => {
    const content = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  color: on\n  on: 1\n"
    const files = { "a.yaml": content }
    expect((await smdUncounted(["validate", "a.yaml"], { files })).err).toBe(text`
      a.yaml:5:3: .data.color: \`on\` means true in YAML 1.1; quote it
      a.yaml:6:3: .data.on: must be text, not the number 1; quote it; the key \`on\` means true in YAML 1.1, unless it is quoted
    `)
    const { out } = await smdUncounted(["validate", "a.yaml", "-o", "json"], { files })
    expect(parseJson(out)).toMatchObject([
      { path: ".data.color", message: "expected string, got &value.valueUnstructured{Value:true}" },
      { path: ".data.true", message: "expected string, got &value.valueUnstructured{Value:1}" },
    ])
    const { out: annotations } = await smdUncounted(["validate", "a.yaml", "-o", "github"], { files })
    expect(annotations).toContain("::.data.color: `on` means true in YAML 1.1; quote it\n")
  })

  it("finds the misspelt key of a list item at its place", async () => {
    const wrong = deployment(1)
      .replace("- name: web", "- name: first\n        image: x\n      - nam: web")
      .replace("- containerPort: 8080", "- containerPor: 8080")
    const { status, err } = await smdUncounted(["validate", "a.yaml"], { files: { "a.yaml": wrong } })
    expect([status, err]).toEqual([
      2,
      text`
        a.yaml:17:9: .spec.template.spec.containers[name=""].nam: field not declared in schema, in io.k8s.api.core.v1.Container; did you mean name?
        a.yaml:20:11: .spec.template.spec.containers[name=""].ports[containerPort=0,protocol="TCP"].containerPor: field not declared in schema, in io.k8s.api.core.v1.ContainerPort; did you mean containerPort?
      `,
    ])
  })

  it.each([
    [
      "a kind that may be a slip",
      "kind: Deploymnet",
      "a.yaml:2:1: no built-in type for apps/v1 Deploymnet; did you mean apps/v1 Deployment?\n",
    ],
    [
      "a custom kind",
      "kind: Shop",
      "a.yaml:2:1: no built-in type for apps/v1 Shop; custom resources need --crd FILE, --openapi FILE, or --schema FILE --type NAME\n",
    ],
  ])("refuses %s", async (_, kind, message) => {
    const { status, err } = await smdUncounted(["validate", "-"], {
      files: { "-": deployment(1).replace("kind: Deployment", kind) },
    })
    expect([status, err]).toEqual([2, message.replace("a.yaml", "standard input")])
  })

  it("names the places of a faulty schema", async () => {
    const faulty = schema.replace("scalar: numeric", "scaler: numeric")
    const { status, err } = await smdUncounted(["validate", "--schema", "s.yaml", "small.yaml"], {
      files: { ...files, "s.yaml": faulty },
    })
    expect(status).toBe(2)
    expect(err).toMatch(
      /^s\.yaml:5:\d+: \.types\[name="cluster"\]\.map\.fields\[name="size"\]\.type\.scaler: field not declared in schema/,
    )
  })

  it.each([
    [["validate", ...own.slice(0, 3), "cloud", "small.yaml"], "s.yaml: has no type cloud\n"],
    [["validate", ...own.slice(0, 3), "nodez", "small.yaml"], "s.yaml: has no type nodez; did you mean node?\n"],
    [["validate", "--schema", "empty.yaml", "small.yaml"], "empty.yaml: has no types\n"],
  ])("refuses a missing type: %j", async (args, message) => {
    const { status, err } = await smd(args, { files: { ...files, "empty.yaml": "types: []" } })
    expect([status, err]).toEqual([2, message])
  })

  it.each<[string, string | Uint8Array, RegExp]>([
    ["malformed YAML", "a: [1\nb: 2\n", /^in\.yaml:\d+:\d+: /],
    ["a key given twice", "size: 1\nsize: 2\n", /^in\.yaml:2:1: /],
    ["nothing", "", /^in\.yaml: contains no document\n$/],
    ["only a comment", "# size: 1\n", /^in\.yaml: contains no document\n$/],
    ["more than a string can hold", new Uint8Array(2 ** 29), /^in\.yaml: is too large: the limit is 512 MB\n$/],
    ["bytes that are not text", new Uint8Array([0x61, 0xff, 0x0a]), /^in\.yaml: is not UTF-8 text\n$/],
    ["a value of another kind", "size: [1]\n", /^in\.yaml:1:1: \.size: must be a number, not a list\n$/],
    ["an item without its key", "nodes: [{zone: x}]\n", /^in\.yaml:1:9: \.nodes: element 0: /],
    [
      "items with the same key",
      "nodes: [{name: a}, {name: a}]\n",
      /^in\.yaml:1:1: \.nodes: duplicate entries for key \[name="a"\]\n$/,
    ],
    [
      "a key that steers the terminal",
      '"\\e[31mred": 1\n',
      /^in\.yaml:1:1: \.\\x1b\[31mred: field not declared in schema/,
    ],
  ])("gives a clear error for %s", async (_, content, message) => {
    const { status, out, err } = await smdUncounted(["validate", ...own, "in.yaml"], {
      files: { ...files, "in.yaml": content },
    })
    expect([status, out]).toEqual([2, ""])
    expect(err).toMatch(message)
  })

  it("refuses several documents, or none, where one is expected", async () => {
    const two = { ...files, "two.yaml": "size: 1\n---\nsize: 2\n", "none.yaml": "# nothing\n" }
    expect((await smd(["fieldset", ...own, "two.yaml"], { files: two })).err).toBe(
      "two.yaml: expected one document, found 2\n",
    )
    expect((await smd(["fieldset", ...own, "none.yaml"], { files: two })).err).toBe("none.yaml: contains no document\n")
  })
})
