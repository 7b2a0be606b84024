import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../../src/apiserver/index.js"
import { commands } from "../../../src/cli/commands/list.js"
import { projectRoot } from "../../support/entries.js"
import type { Outcome, Surroundings } from "../cli.js"
import { smd } from "../cli.js"

const entry = { apiVersion: "v1", fieldsType: "FieldsV1", manager: "ci", operation: "Apply" }
const configMap = (name: string, data: object = { color: "red" }) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name,
    namespace: "shop",
    uid: `uid-${name}`,
    managedFields: [{ ...entry, fieldsV1: { "f:data": { "f:color": {} } } }],
  },
  data,
})
const recreate = (name: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } },
})
const list = (...objects: unknown[]) => objects.map(object => `${JSON.stringify(object)}\n`).join("")

interface StreamRecord {
  readonly name?: string
  readonly error?: { readonly code: string; readonly message: string }
  readonly [key: string]: unknown
}

async function stream(
  args: readonly string[],
  input: string | Uint8Array,
  surroundings: Surroundings = {},
): Promise<Outcome & { readonly records: readonly StreamRecord[] }> {
  const outcome = await smd([...args, "--stream"], { ...surroundings, files: { "-": input, ...surroundings.files } })
  const lines = outcome.out.split("\n").slice(0, -1)
  const records = lines.map(line => JSON.parse(line) as StreamRecord)
  for (const record of records) expect(isRecord(record) ? null : [record, isRecord.errors]).toBe(null)
  return { ...outcome, records }
}

const all = await Promise.all(commands.map(command => command.load()))

describe("smd blame --stream", () => {
  it("writes what the library returns, with the identity of the object", async () => {
    const { status, err, records } = await stream(["blame"], list(configMap("a"), configMap("b")))
    expect([status, err]).toEqual([0, ""])
    expect(records.map(({ name }) => name)).toEqual(["a", "b"])
    const { blame, ...identity } = records[0] ?? {}
    expect(identity).toEqual({ apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "a", uid: "uid-a" })
    const single = await smd(["blame", "a.json", "-o", "json"], { files: { "a.json": JSON.stringify(configMap("a")) } })
    expect([blame]).toEqual(JSON.parse(single.out))
  })

  it("reads files and folders one after the other", async () => {
    const files = {
      "a.json": JSON.stringify({ apiVersion: "v1", items: [configMap("a"), configMap("b")], kind: "List" }, null, 4),
      "more/c.ndjson": list(configMap("c")),
      "more/d.jsonl": list(configMap("d")),
      "more/readme.md": "no stream",
    }
    const { status, records } = await stream(["blame", "a.json", "-", "-f", "more"], list(configMap("x")), { files })
    expect(status).toBe(0)
    expect(records.map(({ name }) => name)).toEqual(["a", "b", "x", "c", "d"])
  })

  it("keeps every digit", async () => {
    const big = JSON.stringify(configMap("a", { color: 1 })).replace('"color":1', '"color":12345678901234567890123')
    const { out } = await stream(["blame"], big.replace("12345678901234567890123", "9007199254740993"))
    expect(out).toContain('"value":9007199254740993')
  })

  it("writes nothing that could steer a terminal", async () => {
    const { out } = await stream(["blame"], list(configMap("a", { color: "\x1b[31m\u009b\u202e\r\n\x00" })))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
    expect(JSON.parse(out).blame.fields[0].value).toBe("\x1b[31m\u009b\u202e\r\n\x00")
  })
})

describe("smd blame --stream --summary", () => {
  const owned = (name: string, ...entries: object[]) => {
    const object = configMap(name)
    const managedFields = entries.map(more => ({ ...object.metadata.managedFields[0], ...more }))
    return { ...object, metadata: { ...object.metadata, managedFields } }
  }
  const two = { fieldsV1: { "f:data": { "f:color": {}, "f:size": {} } } }
  const summary = async (input: string, ...args: string[]) => {
    const { status, out, err } = await smd(["blame", "--stream", "--summary", ...args], { files: { "-": input } })
    return {
      status,
      err,
      records: out
        .split("\n")
        .slice(0, -1)
        .map(line => JSON.parse(line) as unknown),
    }
  }

  it("adds up objects and fields of each manager and operation", async () => {
    const input = list(
      owned("a", { time: "2026-01-02T00:00:00Z" }),
      owned("b", { time: "2026-01-01T00:00:00Z" }, { manager: "kubectl", operation: "Update", ...two }),
      owned("c", { manager: "kubectl", operation: "Update", subresource: "status" }),
      owned("d"),
      owned("e", two, { apiVersion: "v2", fieldsV1: { "f:data": { "f:old": {} } } }),
      { ...configMap("s"), kind: "Secret", data: { password: "c3dvcmRmaXNo" } },
    )
    expect(await summary(input)).toEqual({
      status: 0,
      err: "smd blame: 1 of 6 objects without owners\n",
      records: [
        { manager: "ci", operation: "Apply", objects: 4, fields: 6, lastChange: "2026-01-02T00:00:00Z" },
        { manager: "kubectl", operation: "Update", objects: 1, fields: 2 },
        { manager: "kubectl", operation: "Update", subresource: "status", objects: 1, fields: 1 },
      ],
    })
  })

  it("adds up a List that the test API server returns", async () => {
    const { fetch } = createApiServer({ clock: () => new Date("2026-01-01T00:00:00Z") })
    const path = "http://localhost/api/v1/namespaces/default/configmaps"
    const write = async (type: string, name: string, manager: string, body: object) => {
      const headers = { "content-type": `application/${type}` }
      const request = { method: "PATCH", headers, body: JSON.stringify(body) }
      expect((await fetch(new Request(`${path}/${name}?fieldManager=${manager}`, request))).ok).toBe(true)
    }
    const config = { apiVersion: "v1", kind: "ConfigMap", data: { a: "1", b: "2" } }
    for (const name of ["x", "y"]) await write("apply-patch+yaml", name, "helm", { ...config, metadata: { name } })
    await write("merge-patch+json", "y", "kubectl-edit", { data: { b: "3" } })
    const { status, records } = await summary(await (await fetch(new Request(path))).text())
    const lastChange = "2026-01-01T00:00:00Z"
    expect([status, records]).toEqual([
      0,
      [
        { manager: "helm", operation: "Apply", objects: 2, fields: 3, lastChange },
        { manager: "kubectl-edit", operation: "Update", objects: 1, fields: 1, lastChange },
      ],
    ])
  })

  it("adds up shards to the whole", async () => {
    const input = list(...Array.from({ length: 20 }, (_, i) => owned(`a${i}`, i % 3 === 0 ? two : {})))
    const fields = async (...args: string[]) => {
      const { records } = await summary(input, ...args)
      return records.reduce<number>((sum, record) => sum + (record as { readonly fields: number }).fields, 0)
    }
    expect(await fields()).toBe(27)
    expect((await fields("--shard", "0/2")) + (await fields("--shard", "1/2"))).toBe(27)
  })

  it("reports errors, and adds up the rest", async () => {
    const { status, err, records } = await summary(`${list(configMap("a"))}no JSON\n${list(configMap("b"))}`)
    expect([status, records]).toEqual([3, [{ manager: "ci", operation: "Apply", objects: 2, fields: 2 }]])
    expect(err).toMatch(/^standard input:2: is not a JSON object.*\nsmd blame: 1 error in 3 records\n$/)
  })

  it("counts managers beyond ten thousand together", async () => {
    const input = list(...Array.from({ length: 10_003 }, (_, i) => owned("a", { manager: `ci-${i}` })))
    const { records } = await summary(input)
    expect([records.length, records.at(-1)]).toEqual([
      10_001,
      { manager: "(others)", operation: "", objects: 3, fields: 3 },
    ])
  })

  it("needs --stream", async () => {
    const { status, err } = await smd(["blame", "--summary", "-"], { files: { "-": list(configMap("a")) } })
    expect([status, err]).toEqual([2, expect.stringContaining("--summary needs --stream")])
  })
})

describe("smd lint --stream", () => {
  it("exits with 1 if an object has an error, by --fail-on", async () => {
    const input = list(configMap("a"), recreate("b"))
    const { status, records } = await stream(["lint"], input)
    expect(status).toBe(1)
    expect(records[0]).toEqual({
      ...{ apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "a", uid: "uid-a" },
      findings: [],
    })
    expect(records[1]).toMatchObject({ name: "b", findings: [{ code: "config-other-member", path: ".spec.strategy" }] })
    expect((await stream(["lint", "--fail-on", "never"], input)).status).toBe(0)
    expect((await stream(["lint"], list(configMap("a")))).status).toBe(0)
  })

  it("has no --go", async () => {
    const { status, err } = await stream(["lint", "--go", "api"], "")
    expect([status, err]).toMatchObject([2, expect.stringContaining("--go can't be used with --stream")])
  })
})

const ajv = new Ajv2020({ strict: true, strictRequired: false })
const readSchema = (name: string) => JSON.parse(readFileSync(join(projectRoot, name), "utf8")) as object
const isRecord = ajv.addSchema(readSchema("ownership.schema.json")).compile(readSchema("stream.schema.json"))

describe("smd validate --stream", () => {
  it("writes problems without places, and exits with 2 if one counts", async () => {
    const wrong = { ...configMap("b"), data: { color: 1 } }
    const { status, records } = await stream(["validate"], list(configMap("a"), wrong))
    expect(status).toBe(2)
    expect(records.map(({ problems }) => problems)).toEqual([
      [],
      [{ path: ".data.color", message: "expected string, got &value.valueUnstructured{Value:1}" }],
    ])
    expect((await stream(["validate"], list(configMap("a")))).status).toBe(0)
  })

  it("has rules, but no old objects", async () => {
    const files = {
      "rules.yaml":
        "types: {io.k8s.api.core.v1.ConfigMap: {fields: [{json: data, rules: [{tag: maxProperties, value: 1}]}]}}",
    }
    const input = list(configMap("a"), configMap("b", { color: "red", size: "1" }))
    const { status, records } = await stream(["validate", "--rules", "rules.yaml"], input, { files })
    expect(status).toBe(2)
    expect(records.map(({ problems }) => (problems as unknown[]).length)).toEqual([0, 1])
    const { err } = await stream(["validate", "--rules", "rules.yaml", "--old", "a.yaml"], "", { files })
    expect(err).toContain("--old can't be used with --stream")
  })
})

describe("smd plan --stream", () => {
  const { metadata, ...rest } = configMap("a")
  const { managedFields: _, uid: __, ...name } = metadata
  const config = { ...rest, metadata: name, data: { color: "blue" } }
  const plan = (args: readonly string[], ...pairs: object[]) => stream(["plan", "--manager", ...args], list(...pairs))

  it("reads pairs of a live object and its configuration", async () => {
    const { status, err, records } = await plan(
      ["ci"],
      { live: configMap("a"), config },
      { config },
      { live: null, config },
      { live: configMap("a"), config: { ...config, data: { color: "red" } } },
    )
    expect([status, err]).toEqual([0, ""])
    const outcomes = records.map(({ plan }) => (plan as { outcome: string }).outcome)
    expect(outcomes).toEqual(["change", "create", "create", "unchanged"])
    const files = { "live.json": JSON.stringify(configMap("a")), "config.json": JSON.stringify(config) }
    const single = await smd(["plan", "--manager", "ci", "--live", "live.json", "config.json", "-o", "json"], { files })
    expect([records[0]?.plan]).toEqual(JSON.parse(single.out))
    expect(records[0]).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "a" })
  })

  it("exits with 1 for conflicts", async () => {
    const { status, records } = await plan(["web-team"], { live: configMap("a"), config })
    expect([status, records]).toMatchObject([1, [{ plan: { outcome: "conflict" } }]])
    expect((await plan(["web-team", "--force"], { live: configMap("a"), config })).status).toBe(0)
  })

  it("writes records for values that are not a pair, and for pairs of different objects", async () => {
    const { status, records } = await plan(
      ["ci"],
      configMap("a"),
      { live: configMap("a") },
      { live: configMap("b"), config },
      { live: configMap("a"), config: { ...config, kind: "Basket" } },
    )
    expect(status).toBe(3)
    expect(records.map(({ error }) => error?.message)).toEqual([
      expect.stringMatching(/^\.config is missing: plan --stream reads objects \{"live"/),
      expect.stringMatching(/^\.config is missing/),
      expect.stringContaining(".metadata.name: is a, but the live object's is b"),
      expect.stringContaining(".config.kind: no built-in type for v1 Basket"),
    ])
    expect(records[1]).toMatchObject({ name: "a", uid: "uid-a" })
  })

  it("uses the namespace of --namespace", async () => {
    const { records } = await plan(["ci", "-n", "shop"], { config: { ...config, metadata: { name: "a" } } })
    expect(records[0]).toMatchObject({ plan: { target: { namespace: "shop" } } })
  })

  it.each([["--live", "a.yaml"], ["--detailed-exitcode"]])("has no %s", async (...option) => {
    const { status, err } = await plan(["ci", ...option])
    expect([status, err]).toMatchObject([2, expect.stringContaining(`${option[0]} can't be used with plan --stream`)])
  })
})

describe("smd managers --stream", () => {
  it("computes the change of each object", async () => {
    const input = list(configMap("a"), { kind: "ConfigMap" }, configMap("b"))
    const args = ["managers", "transfer", "--from", "ci", "--to", "gitops"]
    const { status, records } = await stream(args, input)
    expect(status).toBe(3)
    expect(records.map(({ name, error }) => error?.code ?? name)).toEqual(["a", "bad-input", "b"])
    const files = { "a.json": JSON.stringify(configMap("a")) }
    const single = await smd([...args, "a.json", "-o", "json"], { files })
    expect([records[0]?.managers]).toEqual(JSON.parse(single.out))
  })

  it("reads only operands that are not part of the operation", async () => {
    const args = ["managers", "release", ".data.color", "--manager", "ci"]
    const fromInput = await stream(args, list(configMap("a")))
    const fromFile = await stream([...args, "in.json"], "", { files: { "in.json": list(configMap("a")) } })
    expect([fromInput.status, fromInput.records.length]).toEqual([0, 1])
    expect(fromFile.out).toBe(fromInput.out)
  })
})

describe("an error", () => {
  /** A configuration: of a live object something can be said without its type. */
  const basket = { apiVersion: "v1", kind: "Basket", metadata: { name: "b", namespace: "shop", uid: "uid-b" } }
  const input = `${list(configMap("a"))}nonsense\n${list(basket)}{"kind":\n${list(recreate("c"))}`

  it("is a record, is reported on standard error with its place, and makes the exit status 3", async () => {
    const { status, err, records } = await stream(["lint"], input)
    expect(status).toBe(3)
    expect(records.map(({ name, error }) => error?.code ?? name)).toEqual(["a", "no-object", "bad-input", "not-json"])
    expect(records[2]).toMatchObject({ kind: "Basket", name: "b", uid: "uid-b" })
    expect(err.split("\n")).toEqual([
      expect.stringMatching(/^standard input:2: is not a JSON object; --stream does not read YAML: /),
      "standard input:3: Basket shop/b: .kind: no built-in type for v1 Basket; custom resources need --crd FILE, --openapi FILE, or --schema FILE --type NAME",
      "standard input:4: is not JSON",
      "smd lint: 3 errors in 4 records",
      "",
    ])
  })

  it("ends the run with --fail-fast", async () => {
    const { status, records, err } = await stream(["lint", "--fail-fast"], input)
    expect([status, records.length]).toEqual([3, 2])
    expect(err).toContain("1 error in 2 records")
  })

  it("is reported at most twenty times", async () => {
    const { err, records } = await stream(["lint"], "{x}\n".repeat(100))
    expect(records.length).toBe(100)
    expect(err.split("\n").length).toBe(22)
    expect(err).toContain("\nsmd lint: 100 errors in 100 records; the first 20 are above\n")
  })

  it("is not a record if a file does not exist", async () => {
    const { status, err } = await smd(["lint", "--stream", "none.json"])
    expect([status, err]).toEqual([2, "none.json: no such file\n"])
  })
})

describe("--where", () => {
  it("adds the place of each object", async () => {
    const { records } = await stream(["lint", "--where", "a.json"], "", {
      files: { "a.json": `\n${list({}, recreate("b"))}` },
    })
    expect(records.map(({ where }) => where)).toEqual([
      { file: "a.json", line: 2 },
      { file: "a.json", line: 3 },
    ])
  })
})

describe("--shard", () => {
  it("divides objects into parts that are disjoint and complete, whatever their version", async () => {
    const objects = Array.from({ length: 60 }, (_, i) => ({ ...configMap(`ü-${i}`), apiVersion: i % 2 ? "v1" : "v2" }))
    const input = `${list(...objects)}broken\n`
    const whole = (await stream(["blame"], input)).out.split("\n").slice(0, -1)
    const parts = await Promise.all([0, 1, 2].map(i => stream(["blame", "--shard", `${i}/3`], input)))
    const lines = parts.map(({ out }) => out.split("\n").slice(0, -1))
    expect(lines.flat().sort()).toEqual([...whole].sort())
    for (const part of lines) expect(part.length).toBeGreaterThan(10)
    const names = (records: readonly StreamRecord[]) => records.map(({ name }) => name).filter(Boolean)
    const other = list(...objects.map(object => ({ ...object, apiVersion: "v3" })))
    const [first] = parts
    expect(names((await stream(["blame", "--shard", "0/3"], other)).records)).toEqual(names(first?.records ?? []))
  })

  it("is the FNV-1a hash of group, kind, namespace and name", async () => {
    // The hash of "apps/Deployment//web" is 0x4636cf13, as another program has it.
    const { records } = await stream(["lint", "--shard", `${0x4636cf13 % 1000}/1000`], list(recreate("web")))
    expect(records.length).toBe(1)
  })

  it.each(["3/3", "1", "-1/2", "0/0", "a/b"])("is not %s", async shard => {
    const { status, err } = await stream(["lint", `--shard=${shard}`], "")
    expect([status, err]).toMatchObject([2, expect.stringContaining("--shard must be I/N with I from 0 to N - 1")])
  })
})

describe("--from audit", () => {
  const event = (verb: string, object: object, rest: object = {}) => ({
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "RequestResponse",
    stage: "ResponseComplete",
    requestURI: "/api/v1/namespaces/shop/configmaps/a?fieldManager=ci",
    verb,
    objectRef: { resource: "configmaps", apiVersion: "v1" },
    responseStatus: { code: 200 },
    responseObject: object,
    ...rest,
  })
  const events = [
    event("create", configMap("a")),
    event("get", configMap("b")),
    event("patch", configMap("c"), { requestURI: "/api/v1/namespaces/shop/configmaps/c?dryRun=All" }),
    event("update", { kind: "Status", apiVersion: "v1" }, { responseStatus: { code: 409 } }),
    event("update", configMap("d"), { stage: "RequestReceived" }),
    event("patch", configMap("e"), { level: "Metadata", responseObject: undefined }),
    event(
      "patch",
      { kind: "Scale", apiVersion: "autoscaling/v1" },
      { objectRef: { apiGroup: "apps", subresource: "scale" } },
    ),
    event("patch", configMap("f")),
  ]

  it.each([
    ["lines", list(...events)],
    ["an EventList", JSON.stringify({ kind: "EventList", apiVersion: "audit.k8s.io/v1", items: events }, null, 2)],
  ])("takes the stored objects, of %s", async (_, input) => {
    const { status, records, err } = await stream(["blame", "--from", "audit"], input)
    expect(status).toBe(0)
    expect(records.map(({ name }) => name)).toEqual(["a", "f"])
    expect(err).toBe(
      "smd blame: 1 event of the audit log does not have the object that was stored; events have it with level RequestResponse\n",
    )
  })

  it("refuses values that are not events", async () => {
    const { status, records } = await stream(["blame", "--from", "audit"], list(configMap("a")))
    expect(status).toBe(3)
    expect(records).toEqual([{ error: { code: "no-object", message: "expected an event of audit.k8s.io" } }])
  })
})

describe("--stream", () => {
  it("shows the progress on a terminal", async () => {
    const files = { "a.json": list(...Array(20).fill(configMap("a"))) }
    let seconds = 0
    const now = () => new Date(1000 * seconds++)
    const { progress = [] } = await smd(["lint", "--stream", "a.json"], { files, isTTY: true, clock: now })
    expect(progress.length).toBeGreaterThan(3)
    expect(progress[1]).toMatch(/^\d+ records, \d+ a second, \d+ %, \d+ s left$/)
    expect(progress.at(-1)).toMatch(/^20 records, \d+ a second, 100 %, 0 s left$/)
  })

  it("shows no remaining time if the length is unknown", async () => {
    const { progress = [] } = await smd(["lint", "--stream"], { files: { "-": list(configMap("a")) }, isTTY: true })
    expect(progress).toEqual(["1 record", "1 record"])
  })

  it.each([
    [["lint", "--shard", "0/2", "a.json"], "--shard needs --stream"],
    [["blame", "--from", "audit", "a.json"], "--from needs --stream"],
    [["blame", "--stream", "-o", "yaml"], "--stream writes lines of JSON: --output must be json"],
    [["blame", "--stream", "--from", "watch"], "--from must be audit, not watch"],
    [["plan", "--stream", "--from", "audit"], "unknown option --from"],
  ])("refuses %j", async (args, message) => {
    const { status, err } = await smd(args, { files: { "-": "", "a.json": "{}" } })
    expect([status, err]).toMatchObject([2, expect.stringContaining(message)])
  })
})

describe("the examples of --stream", () => {
  const { metadata, ...rest } = configMap("a")
  const config = { ...rest, metadata: { name: metadata.name, namespace: metadata.namespace } }
  const event = {
    ...{ kind: "Event", apiVersion: "audit.k8s.io/v1", verb: "update", stage: "ResponseComplete", objectRef: {} },
    responseObject: configMap("a"),
  }
  const files = {
    "-": JSON.stringify({ apiVersion: "v1", items: [configMap("a"), configMap("b")], kind: "List" }, null, 4),
    "fleet.ndjson": list(configMap("a"), configMap("b")),
    "pairs.ndjson": list({ live: configMap("a"), config }, { config }),
    "audit.jsonl": list(event, event),
  }
  const examples = all.flatMap(command => command.examples).filter(example => example.includes("--stream"))

  it.each(examples)("%s", async example => {
    const [command = ""] = example.split(" | ").slice(-1)
    // Threads need files that are there.
    const args = command
      .replace(/ --jobs \d/, "")
      .split(" ")
      .slice(1)
    const { status, out, err } = await smd(args, { files })
    expect([status, err]).toEqual([0, ""])
    if (!/--(shard|summary)/.test(example)) expect(out.split("\n").length).toBe(3)
  })
})
