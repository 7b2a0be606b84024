import { describe, expect, it } from "vitest"
import { encodeFields } from "../../../src/fieldpath/fieldsv1/object.js"
import { pathOf } from "../../../src/fieldpath/path.js"
import { FieldSet } from "../../../src/fieldpath/set.js"
import { parseJson } from "../../../src/json/json.js"
import { decodeManagedFields } from "../../../src/managedfields/entries/managed.js"
import type { MapValue } from "../../../src/value/value.js"
import { entriesOf } from "../../managedfields/notation.js"
import { definitionOf } from "../../support/definition.js"
import { wholeDeployment } from "../../support/deployment.js"
import { smd } from "../cli.js"

interface Thing {
  readonly metadata: { readonly [key: string]: unknown }
  readonly [key: string]: unknown
}

/** A whole Deployment as JSON, with these fields of its spec and this status. */
const deployment = ({ spec = {}, ...rest }: { spec?: MapValue; status?: MapValue }, metadata: object = {}) => {
  const whole = wholeDeployment(spec)
  return JSON.stringify({ ...whole, metadata: { name: "web", ...metadata }, ...rest })
}

/** Runs a command with these documents and gives the object printed, and what was reported. */
async function run(
  args: string[],
  files: Record<string, string>,
): Promise<{ object: Thing; err: string; json: string }> {
  const { status, out, err } = await smd([...args, "--output", "json"], { files })
  expect([status, status === 0 ? "" : err]).toEqual([0, ""])
  return { object: parseJson(out) as unknown as Thing, err, json: out }
}

/** Returns the fields of each manager, except the selector and the template, which every Deployment has. */
function owners(object: Thing): Record<string, unknown> {
  const { fields } = decodeManagedFields(entriesOf(object))
  const always = FieldSet.of([pathOf("spec", "selector"), pathOf("spec", "template")])
  return Object.fromEntries(
    [...fields].map(([id, { set }]) => [idName(id), encodeFields(set.recursiveDifference(always))]),
  )
}

function idName(id: string): string {
  const { manager, operation, subresource } = JSON.parse(id) as Record<string, string>
  return [manager, operation, subresource].filter(part => part !== undefined).join(" ")
}

const live = async () => {
  const files = { "web.yaml": deployment({ spec: { replicas: 1 } }) }
  return (await run(["apply", "--manager", "web", "web.yaml"], files)).json
}
const withStatus = async () => {
  const files = {
    "live.yaml": await live(),
    "status.yaml": deployment({ spec: { replicas: 7 }, status: { replicas: 1 } }),
  }
  const args = ["apply", "--manager", "kcm", "--subresource", "status", "--live", "live.yaml", "status.yaml"]
  return run(args, files)
}

describe("applying to the main resource", () => {
  it("creates an object without the configured status, which nobody owns", async () => {
    const files = { "web.yaml": deployment({ spec: { replicas: 1 }, status: { replicas: 9 } }) }
    const { object } = await run(["apply", "--manager", "web", "web.yaml"], files)
    expect(object.status).toEqual({}) // the empty status of Go's struct
    expect(owners(object)).toEqual({ "web Apply": { "f:spec": { "f:replicas": {} } } })
  })

  it("leaves the status of the live object", async () => {
    const { json } = await withStatus()
    const files = { "live.yaml": json, "web.yaml": deployment({ spec: { replicas: 2 }, status: { replicas: 9 } }) }
    const { object } = await run(["apply", "--manager", "web", "--live", "live.yaml", "web.yaml"], files)
    expect(object).toMatchObject({ spec: { replicas: 2 }, status: { replicas: 1 } })
    expect(owners(object)).toMatchObject({ "web Apply": { "f:spec": { "f:replicas": {} } } })
  })

  it("creates a Node with its status, as an API server does", async () => {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, status: { phase: "Running" } }
    const { object } = await run(["apply", "--manager", "kubelet", "n.yaml"], { "n.yaml": JSON.stringify(node) })
    expect(object.status).toMatchObject({ phase: "Running" })
  })
})

describe("applying to the status", () => {
  it("leaves the spec unchanged and unowned", async () => {
    const { object } = await withStatus()
    expect(object).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 1 } })
    expect(owners(object)).toEqual({
      "web Apply": { "f:spec": { "f:replicas": {} } },
      "kcm Apply status": { "f:status": { "f:replicas": {} } },
    })
  })

  it.each([
    [["--subresource", "status"], deployment({}), "smd apply: --subresource needs --live"],
    [["--live", "live.yaml", "--subresource", "scale"], deployment({}), "the subresource scale has its own objects"],
  ])("refuses %j", async (options, document, message) => {
    const files = { "web.yaml": document, "live.yaml": await live() }
    const { status, err } = await smd(["apply", "--manager", "a", ...options, "web.yaml"], { files })
    expect(status).toBe(2)
    expect(err).toContain(message)
  })

  it("is refused for a kind without status", async () => {
    const map = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" } })
    const args = ["apply", "--manager", "a", "--subresource", "status", "--live", "m.yaml", "m.yaml"]
    const { status, err } = await smd(args, { files: { "m.yaml": map } })
    expect([status, err]).toEqual([2, expect.stringContaining("v1 ConfigMap has no subresource status")])
  })
})

describe("smd update", () => {
  it("replaces the object, and records the new owners", async () => {
    const files = { "live.yaml": await live(), "next.yaml": deployment({ spec: { replicas: 5, paused: true } }) }
    const { object, err } = await run(["update", "live.yaml", "next.yaml", "--manager", "hpa"], files)
    expect(object.spec).toMatchObject({ replicas: 5, paused: true })
    expect(owners(object)).toEqual({
      "web Apply": {},
      "hpa Update": { "f:spec": { "f:paused": {}, "f:replicas": {} } },
    })
    expect(err).toBe("web (Apply) lost .spec.replicas\nhpa (Update) now owns .spec.paused, .spec.replicas\n")
  })

  it("keeps the status, and fields that only the server writes", async () => {
    const before = deployment({ spec: {}, status: { replicas: 1 } }, { uid: "u", resourceVersion: "7", generation: 3 })
    const files = { "live.yaml": before, "next.yaml": deployment({ spec: { paused: true }, status: { replicas: 4 } }) }
    const { object } = await run(["update", "live.yaml", "next.yaml", "--manager", "a"], files)
    expect(object).toMatchObject({
      metadata: { name: "web", uid: "u", resourceVersion: "7", generation: 4 },
      spec: { paused: true },
      status: { replicas: 1 },
    })
  })

  it("writes only the status through that subresource", async () => {
    const next = deployment({ spec: { replicas: 5 }, status: { replicas: 5 } }, { labels: { a: "b" } })
    const files = { "live.yaml": await live(), "next.yaml": next }
    const args = ["update", "live.yaml", "next.yaml", "--manager", "kcm", "--subresource", "status"]
    const { object } = await run(args, files)
    expect(object).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 5 } })
    expect(object.metadata).not.toHaveProperty("labels")
    expect(owners(object)).toMatchObject({ "kcm Update status": { "f:status": { "f:replicas": {} } } })
  })

  it("forgets owners if the next object has an empty list of managedFields", async () => {
    const files = {
      "live.yaml": await live(),
      "next.yaml": deployment({ spec: { replicas: 1 } }, { managedFields: [] }),
    }
    const { object, err } = await run(["update", "live.yaml", "next.yaml", "--manager", "a"], files)
    expect(entriesOf(object)).toEqual([])
    expect(err).toMatch(/^web \(Apply\) lost \.spec\.replicas, \.spec\.selector.*\n$/)
  })

  it("is refused as by a server, with places and exit status 1", async () => {
    const next = deployment({ spec: { replicas: -1 } })
    const files = { "live.yaml": await live(), "next.yaml": next }
    const refused = await smd(["update", "live.yaml", "next.yaml", "--manager", "a"], { files })
    const column = next.indexOf('"replicas"') + 1
    const message = "Invalid value: -1: must be greater than or equal to 0"
    expect(refused).toEqual({ status: 1, out: "", err: `next.yaml:1:${column}: .spec.replicas: ${message}\n` })
  })

  it.each([
    [["update", "live.yaml", "--manager", "a"], "NEXT is missing"],
    [["update", "live.yaml", "next.yaml"], "--manager is required"],
    [["update", "live.yaml", "other.yaml", "--manager", "a"], ".metadata.name: is other"],
    [["update", "live.yaml", "bad.yaml", "--manager", "a"], ".spec.replicas"],
  ])("refuses %j", async (args, message) => {
    const files = {
      "live.yaml": await live(),
      "next.yaml": deployment({}),
      "other.yaml": deployment({}, { name: "other" }),
      "bad.yaml": deployment({ spec: { replicas: "many" } }),
    }
    const { status, err } = await smd(args, { files })
    expect([status, err]).toEqual([2, expect.stringContaining(message)])
  })
})

describe("custom resources", () => {
  const definition = (subresources?: MapValue) =>
    JSON.stringify(
      definitionOf("Thing", {
        group: "x.org",
        schema: { "x-kubernetes-preserve-unknown-fields": true },
        version: subresources === undefined ? {} : { subresources },
      }),
    )
  const thing = (rest: object) =>
    JSON.stringify({ apiVersion: "x.org/v1", kind: "Thing", metadata: { name: "t" }, ...rest })
  const before = thing({ spec: { a: 1 }, data: { b: 1 }, status: { c: 1 } })
  const next = thing({ spec: { a: 2 }, data: { b: 2 }, status: { c: 2 } })

  it.each([
    [
      "the main resource of one with a status",
      { status: {} },
      [],
      { spec: { a: 2 }, data: { b: 2 }, status: { c: 1 } },
    ],
    ["its status", { status: {} }, ["--subresource", "status"], { spec: { a: 1 }, data: { b: 1 }, status: { c: 2 } }],
    ["one without", undefined, [], { spec: { a: 2 }, data: { b: 2 }, status: { c: 2 } }],
  ])("%s", async (_, subresources, options, expected) => {
    const files = { "crd.yaml": definition(subresources), "live.yaml": before, "next.yaml": next }
    const apply = [
      "apply",
      "--manager",
      "a",
      "--force",
      "--live",
      "live.yaml",
      "next.yaml",
      "--crd",
      "crd.yaml",
      ...options,
    ]
    expect((await run(apply, files)).object).toMatchObject(expected)
    const update = ["update", "live.yaml", "next.yaml", "--manager", "a", "--crd", "crd.yaml", ...options]
    expect((await run(update, files)).object).toMatchObject(expected)
  })

  it("have no status to write if the definition has none", async () => {
    const files = { "crd.yaml": definition(), "live.yaml": before, "next.yaml": next }
    const args = ["update", "live.yaml", "next.yaml", "--manager", "a", "--crd", "crd.yaml", "--subresource", "status"]
    expect((await smd(args, { files })).err).toContain("x.org/v1 Thing has no subresource status")
  })
})
