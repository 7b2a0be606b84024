/** Files, devices and redirections, in a shell. */
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { buildInto, type Ending, start } from "./built.js"

const folder = mkdtempSync(join(tmpdir(), "smd-files-"))
const at = (name: string): string => join(folder, "work", name)
const configMap = (value: string, managed = ""): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n${managed}data:\n  a: ${value}\n`
const ownedByOther = `  managedFields:
  - manager: other
    operation: Apply
    apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1: {"f:data": {"f:a": {}}}
`
const live = configMap("one", ownedByOther)

beforeAll(async () => {
  await buildInto(folder)
  writeFileSync(join(folder, "smd"), `#!/bin/sh\nexec "${process.execPath}" "${join(folder, "bin/main.js")}" "$@"\n`)
  chmodSync(join(folder, "smd"), 0o755)
})
beforeEach(() => {
  rmSync(at(""), { recursive: true, force: true })
  mkdirSync(at("folder"), { recursive: true })
  writeFileSync(at("live.yaml"), live)
  writeFileSync(at("config.yaml"), configMap("one"))
  writeFileSync(at("other.yaml"), configMap("two"))
  writeFileSync(at("folder/object.yaml"), live)
  writeFileSync(at("one.ndjson"), '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one"}}\n')
  writeFileSync(at("two.ndjson"), '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"two"}}\n')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a script of bash in the folder `work`, where `smd` is a command. `input` goes to its standard input, through a socket. */
async function shell(script: string, input = ""): Promise<Ending> {
  const { child, ending } = start(at(""), "bash", ["-c", script], { PATH: `${folder}:${process.env.PATH}` })
  child.stdin?.end(input)
  return await ending
}

const text = (name: string): string => readFileSync(at(name), "utf8")

describe("standard output to a file that is read", () => {
  it.each([
    ["a live object", "smd apply --manager me --live live.yaml config.yaml", "live.yaml"],
    ["a configuration", "smd plan --manager me config.yaml", "config.yaml"],
    ["another name of it", "ln live.yaml link.yaml; smd blame link.yaml", "live.yaml"],
    ["a link to it", "ln -s live.yaml link.yaml; smd blame link.yaml", "live.yaml"],
    ["a file of a folder", "smd blame folder", "folder/object.yaml"],
    ["a later file of a stream", "smd blame --stream one.ndjson two.ndjson", "two.ndjson"],
  ])("is refused before anything is written: %s", async (_, command, file) => {
    const before = text(file)
    const { status, out, err } = await shell(`${command} >> ${file}`)
    expect([status, out]).toEqual([2, ""])
    expect(err).toMatch(/^\S+: standard output goes to this file, which is an input too; use --out \S+,/)
    expect(text(file)).toBe(before)
  })

  it("is refused if the file is standard input", async () => {
    for (const name of ["-", "/dev/stdin"]) {
      const { status, err } = await shell(`smd apply --manager me --live ${name} config.yaml < live.yaml >> live.yaml`)
      expect([status, err]).toEqual([2, expect.stringMatching(/^standard input: standard output goes to this file/)])
      expect(text("live.yaml")).toBe(live)
    }
  })

  it("is reported if the shell has already emptied the file", async () => {
    const { status, err } = await shell("smd apply --manager me --live live.yaml config.yaml > live.yaml")
    expect([status, err]).toEqual([2, expect.stringContaining("use --out live.yaml, which replaces it after")])
  })

  it("may be a device or a pipe that is also read", async () => {
    expect((await shell("smd blame live.yaml - < /dev/null > /dev/null")).err).not.toContain("standard output")
  })
})

describe("--out", () => {
  it("replaces a file that is read", async () => {
    const { out } = await shell("smd apply --manager me --live live.yaml config.yaml")
    expect(await shell("smd apply --manager me --live live.yaml config.yaml --out live.yaml")).toMatchObject({
      status: 0,
      out: "",
    })
    expect(text("live.yaml")).toBe(out)
    expect(out).toContain("manager: me")
  })

  it("may name a file of the stream", async () => {
    const { status } = await shell("smd blame --stream one.ndjson --out one.ndjson")
    expect([status, text("one.ndjson")]).toEqual([0, expect.stringContaining('"name":"one"')])
  })

  it("keeps the mode of the file and a link to it, and leaves no other files", async () => {
    chmodSync(at("live.yaml"), 0o664)
    symlinkSync("../live.yaml", at("folder/link.yaml"))
    const command = "umask 077; smd apply --manager me --live live.yaml config.yaml --out"
    expect((await shell(`${command} folder/link.yaml`)).status).toBe(0)
    expect(statSync(at("live.yaml")).mode & 0o777).toBe(0o664)
    expect(lstatSync(at("folder/link.yaml")).isSymbolicLink()).toBe(true)
    expect(text("live.yaml")).toContain("manager: me")
    expect((await shell(`${command} new.yaml`)).status).toBe(0)
    expect(statSync(at("new.yaml")).mode & 0o777).toBe(0o600)
    expect(readdirSync(at("")).sort()).toEqual([
      ...["config.yaml", "folder", "live.yaml", "new.yaml", "one.ndjson", "other.yaml", "two.ndjson"],
    ])
    expect(readdirSync(at("folder")).sort()).toEqual(["link.yaml", "object.yaml"])
  })

  it("leaves the file unchanged if there is only a conflict to print", async () => {
    const { status, out } = await shell(
      "smd apply --manager me --live live.yaml other.yaml --output json --out live.yaml",
    )
    expect([status, JSON.parse(out)]).toEqual([1, { conflicts: [expect.objectContaining({ field: ".data.a" })] }])
    expect(text("live.yaml")).toBe(live)
  })

  it.each([
    ["bad input", "smd merge live.yaml none.yaml --out live.yaml"],
    ["bad options", "smd apply --live live.yaml config.yaml --out live.yaml"],
  ])("leaves the file unchanged after %s", async (_, command) => {
    expect((await shell(command)).status).toBe(2)
    expect(text("live.yaml")).toBe(live)
    expect(readdirSync(at("")).filter(name => name.endsWith(".tmp"))).toEqual([])
  })

  it("receives a report even if the status is 1 or 3", async () => {
    const compared = "smd compare config.yaml other.yaml"
    const { out } = await shell(compared)
    expect((await shell(`${compared} --out report.txt`)).status).toBe(1)
    expect([text("report.txt"), out]).toEqual([out, expect.stringContaining(".data.a")])
    await shell("echo '{broken}' >> one.ndjson")
    expect((await shell("smd lint --stream one.ndjson --out report.txt")).status).toBe(3)
    expect(text("report.txt")).toContain('"error"')
  })

  it("empties the file if there is nothing to report", async () => {
    expect((await shell("smd validate config.yaml --out other.yaml")).status).toBe(0)
    expect(text("other.yaml")).toBe("")
  })

  it("writes to a pipe, and to standard output for -", async () => {
    const { out } = await shell("smd fieldset config.yaml")
    expect((await shell("smd fieldset config.yaml --out >(cat >&2)")).err).toBe(out)
    expect((await shell("smd fieldset config.yaml --out -")).out).toBe(out)
  })

  it.each([
    ["none/live.yaml", "none/live.yaml: can't be written: no such folder\n"],
    ["folder", "folder: can't be written: is a directory\n"],
    ["''", "smd fieldset: --out needs a value: FILE\nsmd fieldset --help shows how to use it.\n"],
  ])("is reported if it can't be written: %s", async (file, err) => {
    expect(await shell(`smd fieldset config.yaml --out ${file}`)).toMatchObject({ status: 2, out: "", err })
  })
})

describe("--in-place", () => {
  it("replaces the file of the live object, and keeps its mode and a link to it", async () => {
    chmodSync(at("live.yaml"), 0o664)
    symlinkSync("../live.yaml", at("folder/link.yaml"))
    const { out } = await shell("smd apply --manager me --live live.yaml config.yaml")
    const replaced = await shell("smd apply --manager me --live folder/link.yaml config.yaml --in-place")
    expect([replaced.status, replaced.out, text("live.yaml")]).toEqual([0, "", out])
    expect(statSync(at("live.yaml")).mode & 0o777).toBe(0o664)
    expect(lstatSync(at("folder/link.yaml")).isSymbolicLink()).toBe(true)
    expect(readdirSync(at("")).filter(name => name.includes("tmp"))).toEqual([])
  })

  it("leaves the file unchanged after a conflict", async () => {
    expect((await shell("smd apply --manager me --live live.yaml other.yaml --in-place")).status).toBe(1)
    expect(text("live.yaml")).toBe(live)
  })
})

describe("input", () => {
  it("consists only of regular files in a folder", async () => {
    execFileSync("mkfifo", [at("folder/a.yaml"), at("folder/b.json")])
    symlinkSync("a.yaml", at("folder/c.yml"))
    symlinkSync("../config.yaml", at("folder/d.yaml"))
    const { status, out, err } = await shell("smd fieldset folder/d.yaml; smd validate folder")
    expect([status, out]).toEqual([0, expect.stringContaining("f:data")])
    expect(err.split("\n").slice(0, 3)).toEqual(
      ["a.yaml", "b.json", "c.yml"].map(name => `folder/${name}: skipped, because it is not a regular file`),
    )
    execFileSync("mkfifo", [at("folder/e.ndjson")])
    writeFileSync(at("folder/f.ndjson"), text("one.ndjson"))
    rmSync(at("folder/b.json"))
    expect((await shell("smd blame --stream folder")).out.split("\n")).toHaveLength(2)
  })

  it.each([
    ["smd blame /dev/zero", "/dev/zero: "],
    ["smd blame - < /dev/zero", "standard input: "],
    ["smd lint --stream /dev/zero", "/dev/zero: "],
    ["smd simulate --record live.yaml --record-from /dev/zero", "/dev/zero: "],
    ["smd validate --crd /dev/urandom config.yaml", "/dev/urandom: "],
  ])("ends after 64 MB of a device: %s", async (command, file) => {
    const { status, err } = await shell(command)
    expect([status, err.split("\n").at(-2)]).toEqual([2, `${file}is a device that delivers more than 64 MB`])
  })

  it.each([
    ["process substitution", "smd fieldset <(cat config.yaml)", ""],
    ["a pipe by the name of standard input", "cat config.yaml | smd fieldset /dev/stdin", ""],
    ["a socket by that name", "smd fieldset /dev/stdin", configMap("one")],
    ["a file by that name", "smd fieldset /dev/stdin < config.yaml", ""],
    ["a descriptor", "smd fieldset /dev/fd/7 7< config.yaml", ""],
    ["a named pipe", "mkfifo pipe; cat config.yaml > pipe & smd fieldset pipe", ""],
  ])("may be %s", async (_, script, input) => {
    const { out } = await shell("smd fieldset config.yaml")
    expect(await shell(script, input)).toMatchObject({ status: 0, out, err: "" })
  })
})

describe("closed standard output", () => {
  it.each(["apply --manager me", "fieldset", "extract --manager me", "merge --out - config.yaml"])(
    "is an error of %s, which is run for what it prints",
    async command => {
      const { status, err } = await shell(`smd ${command} config.yaml >&-`)
      expect(status).toBe(2)
      expect(err).toBe("standard output is closed, so the result would be lost; redirect it, or use --out FILE\n")
    },
  )

  it.each([
    "smd apply --manager me config.yaml --out new.yaml >&-",
    "smd apply --manager me config.yaml > /dev/null",
    "smd validate config.yaml -o json >&-",
    "smd lint config.yaml -o json >&-",
    "smd apply --help >&-",
    `node -e 'process.exit(require("child_process").spawnSync("smd", ["fieldset", "config.yaml"], {stdio: "ignore"}).status)'`,
  ])("is none: %s", async script => {
    expect(await shell(script)).toMatchObject({ status: 0, err: "" })
  })
})
