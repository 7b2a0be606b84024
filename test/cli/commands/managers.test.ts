/** `smd managers`: what it prints in each form, what it refuses, and that its examples run. */
import { describe, expect, it } from "vitest"
import { managers } from "../../../src/cli/commands/managers.js"
import { parseYamlDocuments } from "../../../src/io/index.js"
import { definitionOf } from "../../support/definition.js"
import { smd, text } from "../cli.js"

const entry = (manager: string, operation: string, fields: object, apiVersion = "apps/v1") => ({
  ...{ manager, operation, apiVersion, time: "2026-01-01T00:00:00Z", fieldsType: "FieldsV1", fieldsV1: fields },
})

/** A Deployment that Flux and Helm have applied. */
const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name: "web",
    namespace: "shop",
    resourceVersion: "7",
    managedFields: [
      entry("kustomize-controller", "Apply", { "f:spec": { "f:paused": {}, "f:replicas": {} } }),
      entry("helm-controller", "Apply", { "f:spec": { "f:minReadySeconds": {}, "f:replicas": {} } }),
    ],
  },
  spec: { replicas: 3, paused: true, minReadySeconds: 5 },
}
const other = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", resourceVersion: "8", managedFields: [] } }
const files = { "live.yaml": JSON.stringify(web), "other.yaml": JSON.stringify(other) }
const flux = ["managers", "transfer", "--from", "kustomize-controller", "--to", "helm-controller"]

describe("smd managers", () => {
  it("shows the changes for each manager, and the effects of the next applies", async () => {
    const { status, out, err } = await smd([...flux, "live.yaml", "other.yaml"], { files })
    expect(out).toBe(text`
      Deployment shop/web                                            transfer, apps/v1
          owners   helm-controller gains .spec.paused
                   kustomize-controller loses .spec.paused and .spec.replicas,
                     everything that it owns
          next     helm-controller would remove .spec.paused
                   kustomize-controller would own .spec.paused and .spec.replicas
                     again

      ConfigMap c: no changes

      Managers: 1 object to change, 1 field that next applies would remove. Nothing is
      sent: --output kubectl prints the commands.
    `)
    expect([status, err]).toEqual([0, ""])
  })

  it.each([
    ["kustomise-controller", "; did you mean kustomize-controller?"],
    ["argocd", ": only helm-controller and kustomize-controller"],
  ])("says that no object has the manager %s, which may be misspelt", async (name, hint) => {
    const args = ["managers", "transfer", "--from", name, "--to", "helm-controller", "live.yaml", "other.yaml"]
    const { status, err } = await smd(args, { files })
    expect([status, err]).toEqual([0, `note: no object has the manager "${name}"${hint}\n`])
  })

  it("fits on one line in 120 columns", async () => {
    const { out } = await smd([...flux, "live.yaml"], { files, columns: 120 })
    expect(out.split("\n").slice(1, 3)).toEqual([
      "    owners   helm-controller gains .spec.paused",
      "             kustomize-controller loses .spec.paused and .spec.replicas, everything that it owns",
    ])
  })

  it("shows fields that nobody owns any more", async () => {
    const args = ["release", ".spec.paused", ".spec.replicas", "--manager", "kustomize-controller", "live.yaml"]
    const { out } = await smd(["managers", ...args], { files })
    expect(out).toBe(text`
      Deployment shop/web                                             release, apps/v1
          owners   kustomize-controller loses .spec.paused and .spec.replicas,
                     everything that it owns
          nobody   owns .spec.paused any more
          next     kustomize-controller would own .spec.paused and .spec.replicas
                     again

      Managers: 1 object to change, 1 field that nobody owns any more. Nothing is
      sent: --output kubectl prints the commands.
    `)
  })

  it("shows entries that change their version", async () => {
    const old = {
      ...web,
      metadata: {
        ...web.metadata,
        managedFields: [entry("ci", "Apply", { "f:spec": { "f:replicas": {} } }, "apps/v1beta1")],
      },
    }
    const args = ["managers", "transfer", "--from", "ci", "--to", "ci", "--to-version", "v1", "l"]
    const { out } = await smd(args, { files: { l: JSON.stringify(old) } })
    expect(out).toBe(text`
      Deployment shop/web                                            transfer, apps/v1
          version  ci (Apply) from apps/v1beta1 to apps/v1
          next     ci would change nothing

      Managers: 1 object to change. Nothing is sent: --output kubectl prints the
      commands.
    `)
  })

  it("prints records, objects, a patch, or commands", async () => {
    const run = async (form: string) => (await smd([...flux, "live.yaml", "--output", form], { files })).out
    const [record] = JSON.parse(await run("json"))
    expect(record).toMatchObject({ type: "managers", operation: "transfer", outcome: "change" })
    expect(parseYamlDocuments(await run("yaml"))).toEqual([record])
    expect(parseYamlDocuments(await run("object"))).toEqual([record.object])
    const patch = await run("patch")
    expect(JSON.parse(patch)).toEqual(record.patch)
    expect(await run("kubectl")).toBe(
      `kubectl patch deployment.apps/web --namespace=shop --type=json -p '${patch.trimEnd()}'\n`,
    )
  })

  it("has commands only for objects that change, and a patch of one object alone", async () => {
    const run = (form: string) => smd([...flux, "live.yaml", "other.yaml", "--output", form], { files })
    expect((await run("kubectl")).out.split("\n")).toHaveLength(2)
    expect((await run("patch")).err).toContain("--output patch is for one object, not 2")
    expect((await smd([...flux, "other.yaml", "-o", "patch"], { files })).out).toBe("[]\n")
  })

  it("names managers, fields and the option if it would take more than requested", async () => {
    const run = (...args: string[]) => smd(["managers", ...args, "live.yaml"], { files })
    expect(await run("drop-version", "v1", "--manager", "helm-controller")).toEqual({
      ...{ status: 2, out: "" },
      err:
        'live.yaml:1:1: "kustomize-controller" (Apply, apps/v1) owns .spec.paused, .spec.replicas; ' +
        "--manager NAME or --all-managers lets go of it\n",
    })
    expect((await run("release", ".spec.paused")).err).toContain("--manager NAME or --all-managers lets go of it")
    expect((await run("release", ".spec.paused", "--all-managers")).status).toBe(0)
  })

  it("knows which versions of built-in kinds have been removed", async () => {
    const old = {
      ...web,
      metadata: {
        ...web.metadata,
        managedFields: [
          ...web.metadata.managedFields,
          entry("old", "Update", { "f:spec": { "f:paused": {} } }, "apps/v1beta2"),
        ],
      },
    }
    const run = (...args: string[]) =>
      smd(["managers", "drop-gone-versions", ...args, "l"], { files: { l: JSON.stringify(old) } })
    expect((await run()).err).toContain('"old" (Update, apps/v1beta2) owns .spec.paused')
    expect((await run("--manager", "old")).out).toContain("old loses .spec.paused, its only field")
  })

  it("changes the version of entries", async () => {
    const managedFields = [entry("old", "Update", { "f:spec": { "f:paused": {} } }, "apps/v1beta2")]
    const old = { ...web, metadata: { ...web.metadata, managedFields } }
    const args = ["managers", "to-version", "v1", "--all-managers", "l", "-o", "object"]
    const { status, out } = await smd(args, { files: { l: JSON.stringify(old) } })
    expect([status, out.includes("apiVersion: apps/v1beta2"), out.includes("manager: old")]).toEqual([0, false, true])
  })

  it("works without the type of an object, and says what is unknown", async () => {
    const widget = { ...web, apiVersion: "example.com/v1", kind: "Widget" }
    const { status, out, err } = await smd([...flux, "l"], { files: { l: JSON.stringify(widget) } })
    expect([status, out.includes("helm-controller gains .spec.paused"), out.includes("next")]).toEqual([0, true, false])
    expect(err).toBe(
      "l:1:1: warning: The type of example.com/v1 Widget is unknown, so the effects of the next applies are unknown too.\n",
    )
    const stale = await smd(["managers", "drop-gone-versions", "l"], { files: { l: JSON.stringify(widget) } })
    expect(stale.err).toContain("the existing versions of Widget are unknown")
  })

  it.each<[string[], string]>([
    [[], "OPERATION is missing: transfer, release, drop-gone-versions, drop-version, to-version, upgrade"],
    [["trasnfer", "live.yaml"], "no operation trasnfer"],
    [["transfer", "--to", "b", "live.yaml"], "--from is required"],
    [["transfer", "--from", "a", "live.yaml"], "--to is required"],
    [["transfer", "--from", "a", "--to", "x".repeat(129), "live.yaml"], "--to: Too long"],
    [["drop-version"], "VERSION is missing"],
    [["to-version"], "VERSION is missing"],
    [["to-version", "v1", "live.yaml"], "--manager or --all-managers is required"],
    [["to-version", "v1", "--all-managers", "--to", "a", "live.yaml"], "--to is not an option of to-version"],
    [["drop-gone-versions", "--path", ".spec", "live.yaml"], "--path is not an option of drop-gone-versions"],
    [["release", "--gone", "v1", "live.yaml"], "--gone is not an option of release"],
    [["release", ".spec"], "LIVE is missing"],
  ])("%j: %s", async (args, message) => {
    const { status, err } = await smd(["managers", ...args], { files })
    expect([status, err]).toEqual([2, expect.stringContaining(message)])
  })

  it("reads ./file as a file, not as a path", async () => {
    const args = ["managers", "release", "./live.yaml", "--manager", "helm-controller"]
    expect((await smd(args, { files: { "./live.yaml": files["live.yaml"] } })).out).toContain("everything that it owns")
  })
})

describe("the examples of smd managers", () => {
  const definition = definitionOf("Widget", { schema: { "x-kubernetes-preserve-unknown-fields": true } })
  const widget = {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: {
      ...{ name: "w", resourceVersion: "1" },
      managedFields: [
        entry("ui", "Update", { "f:spec": { "f:color": {} } }, "example.com/v1"),
        entry("old-operator", "Update", { "f:spec": { "f:size": {} } }, "example.com/v1beta1"),
      ],
    },
    spec: { size: 1 },
  }
  const annotated = {
    ...web,
    metadata: {
      ...web.metadata,
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" },
      managedFields: [
        entry("web-team", "Apply", { "f:spec": { "f:replicas": {} } }),
        entry("kustomize-controller", "Apply", { "f:spec": { "f:paused": {} } }),
        entry("kubectl-client-side-apply", "Update", {
          "f:metadata": { "f:annotations": { "f:kubectl.kubernetes.io/last-applied-configuration": {} } },
        }),
      ],
    },
  }
  const given = {
    "-": JSON.stringify(annotated),
    "live.yaml": JSON.stringify(annotated),
    "widgets.yaml": JSON.stringify(widget),
    "widgets-crd.yaml": JSON.stringify(definition),
  }

  // The examples with streams run in test/cli/stream, and a cluster is in test/cli/cluster.test.ts.
  it.each(managers.examples.filter(example => !/--stream| -n /.test(example)))("%s", async example => {
    const [command = ""] = example.split(" | ").slice(-1)
    const { status, out, err } = await smd(command.split(" ").slice(1), { files: given })
    expect([status, err]).toEqual([0, ""])
    expect(out).toMatch(/1 object to change|^kubectl patch |^\[\{/)
  })
})
