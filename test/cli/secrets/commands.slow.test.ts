/** Secrets never appear in the output of any command, in any format, unless `--show-secrets` is given. */
import { describe, expect, it } from "vitest"
import { commands as listed } from "../../../src/cli/commands/list.js"
import type { Option } from "../../../src/cli/input/options.js"
import { definitionOf } from "../../support/definition.js"
import { type Outcome, smd } from "../cli.js"

const commands = await Promise.all(listed.map(command => command.load()))

/** Values that must not be printed. They need escapes in JSON, YAML, XML, Markdown and annotations, and are long enough to be cut. */
const tokens = {
  data: "t0ken-D4ta",
  stringData: `t0ken-Str1ng "quoted" <b>&amp; 100%, ${"long ".repeat(30)}`,
  lines: "-----t0ken-L1ne-one\nt0ken-L1ne-two: x\n\tt0ken-L1ne-three\n",
  annotation: "t0ken-D4ta",
  lastApplied: "t0ken-0ld",
  masked: "t0ken-M4sk",
  maskedBefore: "t0ken-M4sk3d-0ld",
  invalid: "t0ken_1nvalid!",
}

/** Parts of the tokens: no part of a value may appear either. */
const planted = [
  ...["t0ken-", "t0ken_", "D4ta", "Str1ng", "L1ne-", "0ld", "M4sk", "1nvalid", "long long"],
  ...Object.values(tokens).flatMap(token => base64Parts(token)),
]

/** Parts of the base64 of a text, which appear even if the output is cut. */
function base64Parts(token: string): string[] {
  const whole = Buffer.from(token).toString("base64").replace(/=*$/, "")
  return [whole.slice(0, 12), whole.slice(0, 12).length < whole.length ? whole.slice(-12) : whole]
}

const base64 = (token: string): string => Buffer.from(token).toString("base64")
const json = (value: unknown): string => JSON.stringify(value)

const owned = (manager: string, operation: string, apiVersion: string, fields: object): object => ({
  ...{ manager, operation, apiVersion, time: "2024-01-01T00:00:00Z", fieldsType: "FieldsV1", fieldsV1: fields },
})
const secret = (fields: object, metadata: object = {}): object => ({
  ...{
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "db", namespace: "shop", ...metadata },
    type: "Opaque",
    ...fields,
  },
})
const lastApplied = (object: object): object => ({
  "kubectl.kubernetes.io/last-applied-configuration": `${json(object)}\n`,
})

const liveSecret = secret(
  { data: { password: base64(tokens.data), cert: base64(tokens.lines), old: base64(tokens.lastApplied) } },
  {
    annotations: {
      note: `was ${tokens.annotation}`,
      ...lastApplied(secret({ stringData: { old: tokens.lastApplied } })),
    },
    managedFields: [
      owned("other", "Update", "v1", { "f:data": { "f:password": {}, "f:cert": {} } }),
      owned("me", "Apply", "v1", { "f:data": { "f:old": {} } }),
    ],
  },
)
const configSecret = secret({ data: { password: base64(tokens.lines) }, stringData: { cert: tokens.stringData } })

const deployment = (token: string, metadata: object = {}): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop", ...metadata },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "web:1", env: [{ name: "TOKEN", value: token }] }] },
    },
  },
})
const env = (fields: object): object => ({
  "f:spec": {
    "f:template": {
      "f:spec": { "f:containers": { 'k:{"name":"web"}': { "f:env": { 'k:{"name":"TOKEN"}': fields } } } },
    },
  },
})
const liveDeployment = deployment(tokens.maskedBefore, {
  annotations: lastApplied(deployment(tokens.maskedBefore)),
  managedFields: [owned("other", "Update", "apps/v1", env({ ".": {}, "f:name": {}, "f:value": {} }))],
})
const configDeployment = deployment(tokens.masked)

const mask = ["--mask", '.spec.template.spec.containers[name="web"].env[name="TOKEN"].value']

const list = (...items: object[]): object => ({ apiVersion: "v1", kind: "List", items })
const yamlOfSecret = `apiVersion: v1
kind: Secret
metadata: {name: db, namespace: shop}
data: {password: ${base64(tokens.lines)}}
stringData:
  cert: ${json(tokens.stringData)}
  folded: >-
    ${tokens.lastApplied}
    and ${tokens.data}
`
const wrongSecrets = [
  secret({ data: { password: tokens.invalid } }),
  secret({ data: { password: [tokens.data] } }, { name: "two" }),
  secret({ data: `${tokens.stringData}` }, { name: "three" }),
  secret({ stringData: { password: { nested: tokens.data } } }, { name: "four" }),
  secret({ data: { "not a key": base64(tokens.data) }, stringData: { "": tokens.lines } }, { name: "five" }),
  {
    ...deployment(tokens.masked),
    spec: {
      replicas: "x",
      template: { spec: { containers: [{ name: "web", env: [{ name: "TOKEN", value: { v: tokens.masked } }] }] } },
    },
  },
]
const definition = definitionOf("Widget", {
  schema: {
    properties: { spec: { type: "object", properties: { token: { type: "string", maxLength: 3, enum: ["a"] } } } },
  },
})
const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" }, spec: { token: tokens.masked } }

const audit = (object: object, verb: string, user: string): object => ({
  apiVersion: "audit.k8s.io/v1",
  kind: "Event",
  level: "RequestResponse",
  stage: "ResponseComplete",
  verb,
  userAgent: user,
  user: { username: user },
  requestURI: `/api/v1/namespaces/shop/secrets/db?fieldManager=${user}`,
  objectRef: { resource: "secrets", namespace: "shop", name: "db", apiVersion: "v1" },
  requestObject: verb === "patch" ? { stringData: { extra: tokens.data } } : object,
  responseObject: object,
  responseStatus: { code: 200 },
  requestReceivedTimestamp: "2024-01-01T00:00:00Z",
})
const auditLog = [
  audit(secret({ data: { password: base64(tokens.data) } }, { uid: "u", resourceVersion: "1" }), "create", "me"),
  audit(
    secret(
      { data: { password: base64(tokens.lines), extra: base64(tokens.data) } },
      { uid: "u", resourceVersion: "2" },
    ),
    "patch",
    "other",
  ),
]

const story = json({
  title: "A Secret",
  objects: [liveSecret],
  steps: [
    {
      manager: "me",
      apply: configSecret,
      expect: { outcome: "changed", values: { ".data.password": base64(tokens.data) } },
    },
    { manager: "other", object: "Secret/shop/db", patch: { data: { password: base64(tokens.lastApplied) } } },
    { manager: "me", apply: { ...configSecret, data: { password: tokens.invalid } } },
    { manager: "me", apply: configSecret, force: true, expect: { outcome: "conflict" } },
    {
      manager: "third",
      object: "Secret/shop/db",
      patch: [{ op: "replace", path: "/data/password", value: base64(tokens.data) }],
    },
    { manager: "me", apply: configDeployment },
    { manager: "third", apply: deployment(tokens.maskedBefore) },
  ],
})

const files: Readonly<Record<string, string>> = {
  "live.json": json(list(liveSecret, liveDeployment)),
  "config.json": json(list(configSecret, configDeployment)),
  "config.yaml": yamlOfSecret,
  "secret.json": json(liveSecret),
  "next.json": json(configSecret),
  "web.json": json(liveDeployment),
  "web-next.json": json(configDeployment),
  "wrong.json": json(list(...wrongSecrets)),
  "crd.json": json(definition),
  "widget.json": json(widget),
  "stream.ndjson": [liveSecret, liveDeployment, configSecret, ...wrongSecrets]
    .map(object => `${json(object)}\n`)
    .join(""),
  "pairs.ndjson": [
    { live: liveSecret, config: configSecret },
    { live: liveDeployment, config: configDeployment },
    ...wrongSecrets.map(config => ({ config })),
  ]
    .map(pair => `${json(pair)}\n`)
    .join(""),
  "audit.jsonl": auditLog.map(event => `${json(event)}\n`).join(""),
  "audit-next.jsonl": auditLog.map(event => `${json({ ...event, requestObject: configSecret })}\n`).join(""),
  "story.yaml": story,
  "schema.json": json({
    types: [
      {
        name: "any",
        map: {
          elementType: {
            scalar: "untyped",
            list: { elementType: { scalar: "untyped" }, elementRelationship: "atomic" },
            map: { elementType: { scalar: "untyped" } },
          },
        },
      },
    ],
  }),
}

const request = ["--manager", "me", "--live", "live.json"]

/** The command lines that print as much as possible, without `--output`. */
const lines: Readonly<Record<string, readonly (readonly string[])[]>> = {
  apply: [
    [...request, "config.json"],
    [...request, "config.json", "--force"],
    [...request, "config.yaml"],
    ...["relinquish", "share", "overwrite"].map(way => [...request, "config.json", "--on-conflict", way]),
    [...request, "wrong.json"],
    ["--manager", "me", "--crd", "crd.json", "widget.json", "--mask", ".spec.token"],
  ],
  update: [
    ["--manager", "me", "secret.json", "next.json"],
    ["--manager", "me", "web.json", "web-next.json"],
    ["--manager", "me", "--live", "live.json", "wrong.json"],
  ],
  plan: [
    [...request, "config.json"],
    [...request, "config.json", "--force"],
    [...request, "config.yaml"],
    [...request, "wrong.json"],
    ["--manager", "me", "--crd", "crd.json", "widget.json", "--mask", ".spec.token"],
  ],
  migrate: ["argocd", "flux", "kubectl"].map(to => [
    ...["--from", "helm3", "--from-manager", "other", "--to", to],
    ...["--live", "live.json", "--chart", "config.json"],
  ]),
  explain: [
    [...request, "config.json"],
    [...request, "config.yaml"],
    [...request, "wrong.json"],
  ],
  ignore: ["argocd", "flux", "ocm", "pulumi"].map(format => [...request, "--format", format, "config.json"]),
  blame: [["live.json"], ["config.json"]],
  managers: [
    ["transfer", "--from", "other", "--to", "me", "secret.json"],
    ["release", "--manager", "other", "secret.json"],
    ["upgrade", "--from", "other", "secret.json"],
    ["upgrade", "--from", "other", "web.json"],
    ["drop-version", "v1", "--all-managers", "secret.json"],
  ],
  extract: [
    ["--manager", "me", "live.json"],
    ["--manager", "me", "secret.json"],
  ],
  validate: [
    ["live.json"],
    ["wrong.json"],
    ["config.yaml"],
    ["--crd", "crd.json", "widget.json", "--mask", ".spec.token"],
  ],
  lint: [["live.json"], ["wrong.json"], ["config.yaml"]],
  "record diff": [["audit.jsonl", "audit-next.jsonl"]],
  "schema diff": [["crd.json", "crd.json", "--objects", "live.json"]],
  "schema convert": [["crd.json"]],
  simulate: [["story.yaml"], ["story.yaml", "--contend"], ["--record", "secret.json", "--record-from", "audit.jsonl"]],
  serve: [
    ["--load", "wrong.json"],
    ["--crd", "crd.json", "--load", "widget.json", "--mask", ".spec.token"],
  ],
  story: [[]],
  merge: [
    ["secret.json", "next.json"],
    ["web.json", "web-next.json"],
    ["--schema", "schema.json", "web.json", "web-next.json"],
  ],
  compare: [
    ["secret.json", "next.json"],
    ["web.json", "web-next.json"],
  ],
  fieldset: [["secret.json"], ["web.json"]],
  "list-types": [[]],
  types: [["--crd", "crd.json"]],
  help: [[]],
  version: [[]],
  completion: [["bash"]],
}

/** The same for `--stream`. */
const streams: Readonly<Record<string, readonly (readonly string[])[]>> = {
  plan: [["--manager", "me", "pairs.ndjson"]],
  blame: [["stream.ndjson"], ["--from", "audit", "audit.jsonl"]],
  managers: [["transfer", "--from", "other", "--to", "me", "stream.ndjson"]],
  validate: [["stream.ndjson"], ["--from", "audit", "audit.jsonl"]],
  lint: [["stream.ndjson"], ["--from", "audit", "audit.jsonl"]],
}

interface Run {
  readonly name: string
  readonly args: readonly string[]
}

/** Every command line of a command in every format, as text, also in a wide terminal. */
const runs: readonly Run[] = commands.flatMap(({ name, options, stream }) => {
  const output = (options as Readonly<Record<string, Option<unknown>>>).output
  const formats = [undefined, ...(output?.value?.split("|") ?? [])]
  const words = name.split(" ")
  return [
    ...(lines[name] ?? []).flatMap(args =>
      formats.map(form => ({ name, args: [...words, ...args, ...(form === undefined ? [] : ["--output", form])] })),
    ),
    ...(stream === undefined ? [] : (streams[name] ?? [])).map(args => ({
      name,
      args: [...words, "--stream", ...args],
    })),
  ]
})

function everything({ out, err, written = {}, progress = [] }: Outcome): string {
  return [out, err, ...Object.values(written), ...progress].join("\n")
}

function found(text: string): string[] {
  return planted.filter(part => text.includes(part))
}

describe("secrets", () => {
  it("are planted in every command and every stream", () => {
    expect(Object.keys(lines).sort()).toEqual(commands.map(({ name }) => name).sort())
    const streamed = commands.filter(({ stream }) => stream !== undefined)
    expect(Object.keys(streams).sort()).toEqual(streamed.map(({ name }) => name).sort())
  })

  it.each(runs.map(({ args }) => [args.join(" "), args] as const))("stay hidden: smd %s", async (_, args) => {
    const masked = args.includes("--mask") ? args : [...args, ...mask]
    for (const [columns, isTTY] of [
      [40, true],
      [80, true],
      [80, false],
      [1000, false],
    ] as const) {
      const outcome = await smd(masked, { files, columns, isTTY })
      expect(found(everything(outcome)), everything(outcome)).toEqual([])
      expect(outcome.status).not.toBe(4)
    }
    if (commands.some(({ name, options }) => args.join(" ").startsWith(name) && "out" in options)) {
      const outcome = await smd([...masked, "--out", "result"], { files })
      expect(found(everything(outcome)), everything(outcome)).toEqual([])
    }
  })

  it("are shown with --show-secrets by the commands that print values", async () => {
    const showing = new Set<string>()
    for (const { name, args } of runs) {
      const outcome = await smd([...args, "--show-secrets"], { files })
      expect(outcome.err).not.toContain("--show-secrets")
      if (found(everything(outcome)).length > 0) showing.add(name)
    }
    const silent = [
      ...["fieldset", "ignore", "lint", "list-types", "schema convert", "schema diff", "story", "types"],
      ...["completion", "help", "version"],
    ]
    expect([...showing].sort()).toEqual(
      Object.keys(lines)
        .filter(name => !silent.includes(name))
        .sort(),
    )
  })

  it("stay in a file that was read, and are hidden in any other", async () => {
    const update = ["update", "--manager", "me", "secret.json", "next.json", "--output", "json", "--out"]
    const edited = await smd([...update, "secret.json"], { files })
    expect(edited.written?.["secret.json"]).toContain(base64(tokens.lines))
    expect(edited.err).not.toContain("--show-secrets")
    const other = await smd([...update, "other.json"], { files })
    expect(other.written?.["other.json"]).toContain('"password": "(hidden 1)"')
    expect(other.err).toContain("values are hidden, such as those of Secrets; --show-secrets shows them\n")
    const { out } = await smd([...update.slice(0, -1), "--show-secrets"], { files })
    expect(edited.written?.["secret.json"]).toBe(out)
  })

  it("do not depend on other objects of a stream", async () => {
    const line = (file: string, all: Readonly<Record<string, string>>) =>
      smd(["blame", "--stream", file], { files: all })
    const { out } = await line("stream.ndjson", files)
    const alone = await Promise.all(
      (files["stream.ndjson"] ?? "").split(/(?<=\n)/).map(text => line("one", { one: text }).then(each => each.out)),
    )
    expect(out).toBe(alone.join(""))
  })

  it("leave the names of objects in a stream as they are, with and without findings", async () => {
    const named = { name: `db-${tokens.data}`, namespace: "shop" }
    const data = { password: base64(tokens.data), user: base64(tokens.lastApplied) }
    const entry = { manager: "ci", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: { "f:data": { "f:user": {} } } }
    const entries = ["Apply", "Update"].map(operation => ({ ...entry, operation }))
    const objects = [undefined, entries].map(managedFields => secret({ data }, { ...named, managedFields }))
    const lines = objects.map(object => `${json(object)}\n`).join("")
    const { out } = await smd(["lint", "--stream", "-"], { files: { "-": lines } })
    const records = out
      .trimEnd()
      .split("\n")
      .map(line => JSON.parse(line) as { name: string; findings: unknown[] })
    expect(records.map(({ name, findings }) => [name, findings.length])).toEqual([
      [named.name, 0],
      [named.name, 1],
    ])
    for (const path of [".metadata.name", ".metadata"]) {
      const { out, err } = await smd(["lint", "--stream", "--mask", path, "-"], { files: { "-": lines } })
      expect(out + err).not.toContain(named.name)
    }
  })

  it.each([
    ["spec", 'smd plan: --mask: path "spec": expected'],
    [".spec[", 'smd plan: --mask: path ".spec[": expected'],
    ["", "smd plan: --mask needs a value: PATH"],
  ])("can't be named by %j", async (path, message) => {
    const { status, err } = await smd(["plan", "--manager", "me", "config.json", "--mask", path], { files })
    expect(status).toBe(2)
    expect(err).toContain(message)
  })

  it.each(["plan --manager me", "apply --manager me", "validate", "validate --output json"])(
    "are not quoted by smd %s if they should be strings",
    async line => {
      const manifest = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {a: 98765, b: [98765], c: on}\n"
      const { out, err } = await smd([...line.split(" "), "a.yaml"], { files: { "a.yaml": manifest } })
      expect(out + err).toContain(".stringData.a")
      expect(out + err).toContain("a hidden value")
      expect(out + err).not.toMatch(/98765|true|`on`/)
    },
  )
})
