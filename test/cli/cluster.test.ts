/** Commands that read a cluster: the same bytes as with files, and no writes. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ApiServer } from "../../src/apiserver/server.js"
import type { Connection } from "../../src/cli/cluster/connection.js"
import { parseJson, writeJson } from "../../src/json/json.js"
import type { MapValue } from "../../src/value/value.js"
import { eventOf, fetchFrom, gadget, ownedObjects, refusalOf, shop } from "../support/cluster.js"
import { type Outcome, smd } from "./cli.js"

let server: ApiServer
beforeAll(async () => {
  server = await ownedObjects()
})

// The objects were applied five times before all tests.
afterAll(() => expect(server.requests.slice(5).filter(({ method }) => method !== "GET")).toEqual([]))

/** A connection to the server, whose context has the namespace `web`. */
function connected(answer?: (path: string) => Response | undefined): { readonly connect: () => Promise<Connection> } {
  const cache = { read: async () => undefined, write: async () => undefined }
  const connection = {
    fetch: fetchFrom(server, answer),
    cache,
    namespace: async () => "web",
    close: async () => undefined,
  }
  return { connect: async () => connection }
}

async function get(path: string): Promise<string> {
  return await (await server.fetch(new Request(`http://server${path}`))).text()
}

/** Returns the text of the object with sorted keys, as `kubectl get -o json --show-managed-fields` prints it. */
async function kubectlGet(path: string): Promise<string> {
  const sort = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sort)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, item]) => [key, sort(item)]),
    )
  }
  return `${writeJson(sort(parseJson(await get(path))) as MapValue)}\n`
}

/** The files that hold the same objects and types as the cluster. */
async function sameFiles(): Promise<Readonly<Record<string, string>>> {
  const [deployment, map, lamp] = await Promise.all([
    kubectlGet("/apis/apps/v1/namespaces/web/deployments/shop"),
    kubectlGet("/api/v1/namespaces/web/configmaps/shop"),
    kubectlGet("/apis/example.org/v1/namespaces/web/gadgets/lamp"),
  ])
  return {
    "deployment.json": deployment,
    "map.json": map,
    "lamp.json": lamp,
    "apps.json": await get("/openapi/v3/apis/apps/v1"),
    "core.json": await get("/openapi/v3/api/v1"),
    "v1.json": await get("/openapi/v3/apis/example.org/v1"),
    "v1beta1.json": await get("/openapi/v3/apis/example.org/v1beta1"),
    "shop.yaml": JSON.stringify(shop(7)),
    "lamp.yaml": JSON.stringify(gadget("example.org/v1", "a")),
  }
}
const types = ["apps.json", "core.json", "v1.json", "v1beta1.json"].flatMap(file => ["--openapi", file])

/** The output without the places of findings, which are files or objects. */
function placeless({ out, err, status }: Outcome) {
  const places = /^(?:(?:deployment|map|lamp)\.json(?::\d+)*|(?:Deployment|ConfigMap|Gadget) web\/\w+): /gm
  const keys = /^ *"(?:file|line|column)": .*\n/gm
  // Types of a cluster come without remarks.
  const remarks = /^(?:apps|core|v1|v1beta1)\.json: .*\n/gm
  return {
    status,
    out: out.replace(places, "PLACE: ").replace(keys, ""),
    err: err
      .replace(places, "PLACE: ")
      .replace(remarks, "")
      .replace(/ in \d+ files?(?=: )/, ""),
  }
}

const live = ["deployment.json", "map.json", "lamp.json"]
const words = ["deployment/shop", "configmaps/shop", "gd/lamp"]
const request = ["--manager", "ci", "shop.yaml", "lamp.yaml"]
const liveFiles = live.flatMap(file => ["--live", file])

describe("the same bytes as with files", () => {
  const rows: readonly (readonly [name: string, files: readonly string[], cluster: readonly string[]])[] = [
    ["blame", ["blame", ...live, ...types], ["blame", ...words]],
    ["blame as JSON", ["blame", "-o", "json", ...live, ...types], ["blame", "-o", "json", ...words]],
    ["blame of a type", ["blame", "deployment.json", ...types], ["blame", "deploy", "-n", "web"]],
    ["blame of a name", ["blame", "lamp.json", ...types], ["blame", "gadgets", "lamp"]],
    ["blame by label", ["blame", ...live.slice(0, 1), ...types], ["blame", "deployments.apps", "-A", "-l", "app=shop"]],
    [
      "blame of files",
      ["blame", "deployment.json", "lamp.json", ...types],
      ["blame", "--live", "cluster", "-f", "shop.yaml", "-f", "lamp.yaml"],
    ],
    ["lint", ["lint", ...live, ...types, "--max-entries", "1"], ["lint", ...words, "--max-entries", "1"]],
    [
      "lint as JSON",
      ["lint", ...live, ...types, "-o", "json", "--max-entries", "1"],
      ["lint", ...words, "-o", "json", "--max-entries", "1"],
    ],
    [
      "managers",
      ["managers", "release", ".spec.replicas", "--manager", "autoscaler", "deployment.json", ...types],
      ["managers", "release", ".spec.replicas", "--manager", "autoscaler", "deployment/shop"],
    ],
    [
      "managers as a command",
      ["managers", "drop-version", "example.org/v1beta1", "--all-managers", "lamp.json", ...types, "-o", "kubectl"],
      ["managers", "drop-version", "example.org/v1beta1", "--all-managers", "gadget/lamp", "-o", "kubectl"],
    ],
    [
      "extract",
      ["extract", "--manager", "web-team", "deployment.json", "map.json", ...types],
      ["extract", "--manager", "web-team", "deploy,cm", "-n", "web"],
    ],
    ["plan", ["plan", ...request, ...liveFiles, ...types], ["plan", ...request, "--live", "cluster"]],
    [
      "plan as JSON",
      ["plan", ...request, ...liveFiles, ...types, "-o", "json"],
      ["plan", ...request, "--context", "test", "-o", "json"],
    ],
    ["explain", ["explain", ...request, ...liveFiles, ...types], ["explain", ...request, "--live", "cluster"]],
    [
      "apply",
      ["apply", ...request, ...liveFiles, ...types, "--force"],
      ["apply", ...request, "--live", "cluster", "--dry-run=server", "--force"],
    ],
    [
      "update",
      ["update", "--manager", "ci", "lamp.yaml", "--live", "lamp.json", ...types],
      ["update", "--manager", "ci", "lamp.yaml", "--context", "test"],
    ],
    [
      "ignore",
      ["ignore", "--format", "argocd", ...request, ...liveFiles, ...types],
      ["ignore", "--format", "argocd", ...request, "--live", "cluster"],
    ],
  ]
  it.each(rows)("%s", async (_, files, cluster) => {
    const expected = await smd(files, { files: await sameFiles() })
    const { "shop.yaml": config = "", "lamp.yaml": lamp = "" } = await sameFiles()
    const outcome = await smd(cluster, { files: { "shop.yaml": config, "lamp.yaml": lamp }, ...connected() })
    expect(placeless(outcome)).toEqual(placeless(expected))
    expect(outcome.out + outcome.err).not.toBe("")
    expect(outcome.status).not.toBe(2)
  })

  it("simulate --record", async () => {
    const files = await sameFiles()
    const { "deployment.json": now = "" } = files
    const log = eventOf("/apis/apps/v1/namespaces/web/deployments/shop", shop(3), now)
    const recordFrom = ["--record-from", "log"]
    const expected = await smd(["simulate", "--record", "deployment.json", ...recordFrom], { files: { ...files, log } })
    const cluster = ["simulate", "--record", "deployment/shop", ...recordFrom, "--live", "cluster"]
    const outcome = await smd(cluster, { files: { log }, ...connected() })
    expect(outcome.out).toBe(expected.out)
    expect(outcome.out).toContain("History of Deployment")
    const lamp = await kubectlGet("/apis/example.org/v1/namespaces/web/gadgets/lamp")
    const other = await smd(["simulate", "--record", "gadget/lamp", ...recordFrom, "-n", "web"], {
      files: { log: eventOf("/apis/example.org/v1/namespaces/web/gadgets/lamp", gadget("example.org/v1", "b"), lamp) },
      ...connected(),
    })
    expect(other.out).toContain("CustomResourceDefinition")
  })

  it("plan as a plugin of kubectl", async () => {
    const { "shop.yaml": config = "" } = await sameFiles()
    const surroundings = { files: { "shop.yaml": config }, ...connected(), program: "kubectl smd" }
    const expected = await smd(["plan", "-f", "shop.yaml", "--manager", "kubectl", "--live", "cluster"], surroundings)
    expect(await smd(["plan", "-f", "shop.yaml"], surroundings)).toEqual(expected)
    const none = await smd(["plan", "-f", "shop.yaml", "--live", "none.yaml"], surroundings)
    expect(none.err).toContain("none.yaml: no such file")
    expect((await smd(["plna"], surroundings)).err).toContain("\nkubectl smd --help lists the commands.\n")
  })

  it("hides the values of Secrets", async () => {
    const token = "c2VjcmV0LXRva2Vu"
    server.load([{ apiVersion: "v1", kind: "Secret", metadata: { name: "token", namespace: "web" }, data: { token } }])
    for (const args of [
      ["blame", "secret/token"],
      ["blame", "--stream", "secrets"],
      ["lint", "-A", "-o", "json"],
    ]) {
      const { out, err } = await smd(args, connected())
      expect(out + err).not.toContain(token)
      expect(out + err).not.toContain("secret-token")
    }
    const config = `{apiVersion: v1, kind: Secret, metadata: {name: token}, data: {token: bmV3ZXItdG9rZW4=}}`
    const plan = ["plan", "--manager", "ci", "s.yaml", "--live", "cluster", "-o", "json"]
    const { out, err } = await smd(plan, { files: { "s.yaml": config }, ...connected() })
    expect(out).toContain(".data.token")
    expect(out + err).not.toMatch(/c2VjcmV0|bmV3ZXI|secret-token|newer-token/)
  })

  it("blame --stream", async () => {
    const files = await sameFiles()
    const input = { files: { "-": `${files["deployment.json"]}${files["lamp.json"]}`, ...files } }
    const expected = await smd(["blame", "--stream", ...types], input)
    const outcome = await smd(["blame", "--stream", "deploy,gd", "-l", "app=shop", "-A"], connected())
    expect(placeless(outcome)).toEqual(placeless(expected))
    expect(outcome.out.split("\n").length).toBe(3)
    expect(await smd(["blame", "--stream", "deploy/shop", "gd/lamp"], connected())).toEqual(outcome)
  })
})

describe("reading a cluster", () => {
  it("sends nothing but GET requests", async () => {
    const before = server.requests.length
    await smd(["blame", "all,cm", "-A"], connected())
    await smd(["managers", "upgrade", "deployment/shop", "-o", "kubectl"], connected())
    const methods = server.requests.slice(before).map(({ method }) => method)
    expect(methods.length).toBeGreaterThan(10)
    expect(new Set(methods)).toEqual(new Set(["GET"]))
  })

  it("lints everything with owners", async () => {
    const everything = await smd(["lint", "-A"], connected())
    expect(everything.err).toMatch(/^checked \d+ objects[^\n]*: no findings?[^\n]*\n$/)
    const some = await smd(["lint", "-l", "app=shop"], connected())
    expect({ status: some.status, out: some.out }).toEqual({ status: everything.status, out: everything.out })
  })

  it("loads the types of the versions in managedFields", async () => {
    const before = server.requests.length
    await smd(["blame", "gadget/lamp"], connected())
    const paths = server.requests.slice(before).map(({ path }) => path.replace(/hash=.*/, "hash"))
    expect(paths.filter(path => path.startsWith("/openapi/v3/")).sort()).toEqual([
      "/openapi/v3/apis/example.org/v1?hash",
      "/openapi/v3/apis/example.org/v1beta1?hash",
    ])
  })

  it("reports an object that may not be read, and continues", async () => {
    const message = 'deployments.apps "shop" is forbidden: User "me" cannot get resource "deployments"'
    const refusing = connected(path =>
      path.endsWith("/deployments/shop") ? refusalOf(403, "Forbidden", message) : undefined,
    )
    const { status, out, err } = await smd(["blame", "deploy/shop", "gadget/lamp"], refusing)
    expect(err).toBe(`cluster: ${message}\n`)
    expect(out).toContain("Gadget web/lamp")
    expect(status).toBe(2)
    const { "shop.yaml": a = "", "lamp.yaml": b = "" } = await sameFiles()
    const files = { "shop.yaml": a, "lamp.yaml": b }
    const plan = await smd(["plan", ...request, "--live", "cluster"], { files, ...refusing })
    expect(plan.err.split("\n")[0]).toBe(`cluster: ${message}`)
    expect(plan.err).toContain("note: Only the type of Gadget is known")
    expect(plan.out).toContain("Gadget")
    expect(plan.out).not.toContain("Deployment")
    expect(plan.status).toBe(2)
  })

  it("reports an object that does not exist", async () => {
    const { status, err } = await smd(["blame", "deploy/nope"], connected())
    expect({ status, err }).toEqual({ status: 2, err: 'cluster: deployments.apps "nope" not found\n' })
    const none = await smd(["blame", "deploy", "-n", "empty"], connected())
    expect(none).toMatchObject({ status: 0, err: "cluster: no objects found\n" })
  })

  it("says once that managedFields are missing", async () => {
    const bare = connected(path =>
      path.includes("/configmaps?")
        ? new Response(JSON.stringify({ items: [{ metadata: { name: "a" } }, { metadata: { name: "b" } }] }))
        : undefined,
    )
    const { err } = await smd(["blame", "cm"], bare)
    expect(err.match(/managedFields/g)?.length).toBe(1)
  })

  describe("with a definition whose unions a cluster ignores", () => {
    const [sized, other] = ["lamp", "bulb"].map(name => {
      return `{apiVersion: example.org/v1, kind: Gadget, metadata: {name: ${name}}, spec: {size: 3}}`
    })
    const unions = [{ "fields-to-discriminateBy": { size: "Size", parts: "Parts" } }]
    const definition = async () => {
      const stored = parseJson(
        await get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.example.org"),
      ) as MapValue
      return writeJson(stored).replaceAll('"spec":{"type":"object"', () => {
        return `"spec":{"type":"object","x-kubernetes-unions":${JSON.stringify(unions)}`
      })
    }
    const files = async () => ({
      "gadgets.json": await definition(),
      "lamp.yaml": sized ?? "",
      "bulb.yaml": other ?? "",
    })
    const about = ["--manager", "ci", "--crd", "gadgets.json", "--live", "cluster", "lamp.yaml"]
    const note =
      "lamp.yaml:1:1: unions of Gadget have no effect, as in a cluster; to settle them, name a policy with --unions\n"

    it.each([
      ["plan", ["plan", ...about, "bulb.yaml"], 0],
      ["explain", ["explain", ...about], 0],
      ["apply", ["apply", ...about], 0],
      ["update", ["update", ...about], 0],
      ["ignore", ["ignore", "--format", "argocd", ...about], 0],
    ])("%s ignores them and says so once", async (_, args, expected) => {
      const { status, err } = await smd(args, { files: await files(), ...connected() })
      expect(err.split(note).length).toBe(2)
      expect(err.replace(note, "")).not.toMatch(/union/i)
      expect(status).toBe(expected)
    })

    it.each([
      ["off", 0],
      ["extended", 1],
    ])("does what --unions %s says", async (policy, expected) => {
      const { status, err } = await smd(["plan", ...about, "--unions", policy], {
        files: await files(),
        ...connected(),
      })
      expect(err).not.toContain("unions of Gadget")
      expect(status).toBe(expected)
    })

    it("extracts what the cluster would extract", async () => {
      const { err } = await smd(["extract", "--manager", "new", "--crd", "gadgets.json", "gadget/lamp"], {
        files: await files(),
        ...connected(),
      })
      expect(err).toContain("unions of Gadget have no effect")
    })

    it("says nothing if the objects have no unions", async () => {
      const { err } = await smd(["plan", ...request, "--live", "cluster"], { files: await sameFiles(), ...connected() })
      expect(err).not.toMatch(/union/i)
    })
  })

  it("says that a kind is not served", async () => {
    const other = "{apiVersion: v1beta7, kind: ConfigMap, metadata: {name: a}}"
    const { err } = await smd(["plan", "--manager", "a", "x.yaml", "--live", "cluster"], {
      files: { "x.yaml": other },
      ...connected(),
    })
    expect(err).toContain("x.yaml:1:23: the cluster does not serve v1beta7 ConfigMap, so the object counts as new")
  })

  it.each([
    [["blame", "deploy/a", "b"], "smd blame: b is not TYPE/NAME, as deploy/a is"],
    [["blame", "deploy/a", "-A"], "smd blame: --all-namespaces can't be used with names of objects"],
    [["blame", "deploy/a", "-l", "a=b"], "smd blame: --selector can't be used with names of objects"],
    [["blame", "deploy/a", "-f", "x.yaml", "-n", "a"], "smd blame: give either the names of objects or --filename"],
    [["blame", "--stream", "-A", "--from", "audit"], "smd blame: --from can't be used with --stream"],
    [
      ["managers", "upgrade", "shop", "-n", "web", "-o", "object", "--in-place"],
      "smd managers: --in-place replaces a file, not objects of a cluster",
    ],
    [["blame", "nope"], 'cluster: the server doesn\'t have a resource type "nope"'],
    [["blame", "nope.yaml"], "nope.yaml: no such file"],
  ])("refuses %j", async (args, message) => {
    const { status, err } = await smd(args, connected())
    expect(err).toContain(message)
    expect(status).toBe(2)
  })

  it("says why it can't connect to a cluster", async () => {
    expect(await smd(["blame", "deploy/a"])).toMatchObject({
      status: 2,
      err: "deploy/a: no such file\ncluster: there is no cluster\n",
    })
    expect(await smd(["blame", "-A"])).toMatchObject({ status: 2, err: "cluster: there is no cluster\n" })
  })
})
