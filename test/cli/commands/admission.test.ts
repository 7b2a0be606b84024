/** `--admission`: the policies, webhooks and limits of a cluster, from files and from a cluster. */
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../../src/apiserver/server.js"
import { parseJson } from "../../../src/json/json.js"
import { fetchFrom, refusalOf } from "../../support/cluster.js"
import { binding, configMap, forConfigMaps, policy } from "../../write/admission/policies.js"
import { smd, text } from "../cli.js"

const refusing = [
  policy({ validations: [{ expression: "!('bad' in object.data)", message: "no bad data" }] }),
  binding(),
]
const coloring = [
  policy(
    {
      failurePolicy: "Fail",
      reinvocationPolicy: "Never",
      mutations: [
        {
          patchType: "ApplyConfiguration",
          applyConfiguration: { expression: 'Object{data: Object.data{color: "blue", team: "shop"}}' },
        },
      ],
    },
    "p",
    "MutatingAdmissionPolicy",
  ),
  binding({}, "b", "MutatingAdmissionPolicyBinding"),
]
const webhook = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "w" },
  webhooks: [
    {
      name: "a.test.io",
      clientConfig: { url: "https://hooks.test/admit" },
      rules: forConfigMaps.resourceRules,
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    },
  ],
}
const quota = (pods: number, namespace = "default") => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "q", namespace },
  spec: { hard: { configmaps: String(pods) } },
})
const list = (...items: readonly object[]) => JSON.stringify({ apiVersion: "v1", kind: "List", items })
const files = {
  "refusing.json": list(...refusing),
  "policies/coloring.json": list(...coloring),
  "hooks.json": list(webhook),
  "quota.json": list(quota(0)),
  "broken.json": list(policy({ validations: [{ expression: "object." }] }), binding()),
  "asking.json": list(policy({ validations: [{ expression: "authorizer.path('/x').check('get').allowed()" }] })),
  "bad.yaml": JSON.stringify(configMap({ bad: "1" })),
  "red.yaml": JSON.stringify(configMap({ color: "red" })),
  "live.json": JSON.stringify(configMap({ color: "red" })),
}
const run = (...args: string[]) => smd(args, { files })

describe("smd plan --admission", () => {
  it("shows what policies set and replace, and who owns it then", async () => {
    const { status, out, err } = await run("plan", "--manager", "me", "--admission", "cluster", "red.yaml")
    expect([status, err]).toEqual([2, "cluster: there is no cluster\n"])
    const planned = await run("plan", "--manager", "me", "--admission", "policies", "red.yaml")
    expect([out, planned.status, planned.out]).toEqual([
      "",
      0,
      text`
        ConfigMap c                                                        me, Apply, v1
          + new, with 1 field
          ~ .data.color  red -> blue  set by admission, owned by me
          + .data.team   shop         set by admission, nobody owns it

        Plan: 1 object to create, 0 to add, 0 to change, 0 to remove.
      `,
    ])
  })

  it("lists the fields of an object that exists, too, in text and in Markdown", async () => {
    const args = ["plan", "--manager", "me", "--live", "live.json", "--admission", "policies", "red.yaml"]
    const { out } = await run(...args)
    expect(out).toContain("+ .data.team   shop         set by admission, nobody owns it")
    expect(out).toContain("~ .data.color  red -> blue")
    const markdown = await run(...args, "-o", "markdown")
    expect(markdown.out).toContain("# set by admission, nobody owns it")
  })

  it("is refused by a policy, in all forms of output", async () => {
    const args = ["plan", "--manager", "me", "--admission", "refusing.json", "bad.yaml"]
    const { status, out } = await run(...args)
    expect([status, out.replace(/\s+/g, " ")]).toEqual([1, expect.stringContaining("denied request: no bad data")])
    const [plan] = parseJson((await run(...args, "-o", "json")).out) as [object]
    expect(plan).toMatchObject({ outcome: "refused", refusal: { step: "admission" }, status: { code: 422 } })
    expect((await run(...args, "-o", "github")).out).toContain("no bad data")
  })

  it("warns of webhooks that are not called, and counts quotas in the namespace default", async () => {
    const hooked = await run("plan", "--manager", "me", "--admission", "hooks.json", "red.yaml")
    expect(hooked.err).toContain('red.yaml:1:1: warning: the webhook "a.test.io" may change or refuse the object')
    const full = await run("plan", "--manager", "me", "--admission", "quota.json", "red.yaml")
    expect(full.out.replace(/\s+/g, " ")).toContain("exceeded quota: q, requested: configmaps=1")
  })

  it("leaves out policies that can't be run, with a warning at their place", async () => {
    const broken = await run("plan", "--manager", "me", "--admission", "broken.json", "red.yaml")
    expect(broken.status).toBe(0)
    expect(broken.err).toMatch(/^broken\.json:1:\d+: warning: the policy does not count: spec.validations\[0\]/)
    const asking = await run("plan", "--manager", "me", "--admission", "asking.json", "red.yaml")
    expect(asking.err).toContain("the policy does not count: ")
    expect(asking.err).toContain("authorizer")
  })

  it("counts for streams, from files", async () => {
    const pairs = { ...files, "pairs.ndjson": `${JSON.stringify({ config: configMap({ bad: "1" }) })}\n` }
    const args = ["plan", "--manager", "me", "--stream", "pairs.ndjson", "--admission"]
    const { status, out } = await smd([...args, "refusing.json"], { files: pairs })
    expect([status, out]).toEqual([1, expect.stringContaining('"outcome":"refused"')])
    expect((await smd([...args, "cluster"], { files: pairs })).err).toContain("from files: --admission FILE")
  })
})

describe("other commands with --admission", () => {
  it("explain and apply report the refusal", async () => {
    const args = ["--manager", "me", "--admission", "refusing.json", "bad.yaml"]
    const explained = await run("explain", ...args)
    expect([explained.status, explained.err.replace(/\s+/g, " ") + explained.out]).toEqual([
      1,
      expect.stringContaining("no bad data"),
    ])
    const applied = await run("apply", ...args)
    expect([applied.status, applied.out, applied.err]).toEqual([1, "", expect.stringContaining("no bad data")])
  })

  it("apply and update print the object that admission leaves", async () => {
    const applied = await run("apply", "--manager", "me", "--admission", "policies", "red.yaml", "-o", "json")
    expect(parseJson(applied.out)).toMatchObject({ data: { color: "blue", team: "shop" } })
    const args = ["--manager", "me", "--admission", "policies", "-o", "json"]
    const updated = await run("update", "live.json", "red.yaml", ...args)
    expect(parseJson(updated.out)).toMatchObject({ data: { color: "blue", team: "shop" } })
  })

  it("simulate shows what admission changes and refuses, and its warnings", async () => {
    const story = text`
      title: Admission
      steps:
      - manager: gitops
        apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {color: red}}
      - manager: ann
        patch: {data: {bad: "1"}}
        expect: {outcome: error, error: 422}
    `
    const args = ["simulate", "story.yaml", "--admission", "refusing.json", "--admission", "policies"]
    const { status, out, err } = await smd([...args, "--admission", "hooks.json"], {
      files: { ...files, "story.yaml": story },
    })
    expect(status).toBe(0)
    expect(out).toBe(text`
      Admission                                                             story.yaml
         1  gitops  apply  created
            + new, with 1 field
            ~ .data.color  red -> blue
                set by admission, owned by gitops
            + .data.team  shop
                set by admission, nobody owns it
         2  ann     patch  error
            422 configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with
            binding 'b' denied request: no bad data

      1 story, 2 steps: 1 passed.
    `)
    expect(err).toContain('story.yaml:3:3: warning: the webhook "a.test.io" may change or refuse the object')
    const asJson = await smd([...args, "-o", "json"], { files: { ...files, "story.yaml": story } })
    expect(asJson.out).toContain('"admitted"')
  })
})

describe("--admission cluster", () => {
  const params = configMap({ allowed: "red" }, { name: "params", namespace: "web" })
  const limited = policy({
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    validations: [{ expression: "object.data.color == params.data.allowed", message: "another color" }],
  })
  const bound = binding({ paramRef: { name: "params", namespace: "web", parameterNotFoundAction: "Deny" } })
  const objects = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "web" } },
    params,
    limited,
    bound,
    quota(3, "web"),
    configMap({}, { name: "other", namespace: "web" }),
  ]

  /** Runs `smd` with a cluster. Returns the outcome and the methods of all requests. */
  async function inCluster(args: readonly string[], answer?: (path: string) => Response | undefined) {
    const server = createApiServer({ objects })
    const cache = { read: async () => undefined, write: async () => undefined }
    const connection = { fetch: fetchFrom(server, answer), cache, namespace: async () => "web", close: async () => {} }
    const outcome = await smd(args, { files, connect: async () => connection })
    return { ...outcome, methods: new Set(server.requests.map(({ method }) => method)) }
  }
  const planned = ["plan", "--manager", "me", "--admission", "cluster", "--live", "cluster"]

  it("reads policies, parameters and quotas with GET requests", async () => {
    const red = await inCluster([...planned, "red.yaml"])
    expect([red.status, red.err, [...red.methods]]).toEqual([0, "", ["GET"]])
    const bad = await inCluster([...planned, "bad.yaml"])
    expect([bad.status, bad.out]).toEqual([1, expect.stringContaining("no such key: color")])
    const two = await inCluster([...planned, "red.yaml", "-o", "json"])
    expect(parseJson(two.out)).toMatchObject([{ outcome: "create" }])
  })

  it("counts the objects of the namespace for its quotas", async () => {
    objects.push(configMap({}, { name: "third", namespace: "web" }))
    const { status, out } = await inCluster([...planned, "red.yaml"])
    expect([status, out.replace(/\s+/g, " ")]).toEqual([1, expect.stringContaining("used: configmaps=3")])
    objects.pop()
  })

  it("reports what it may not read, and exits with 2", async () => {
    const refuse = (path: string) =>
      path.includes("mutatingwebhook") ? refusalOf(403, "Forbidden", "you may not list these") : undefined
    const { status, err } = await inCluster([...planned, "red.yaml"], refuse)
    expect([status, err]).toEqual([2, "cluster: you may not list these\n"])
  })
})
