import { describe, expect, it } from "vitest"
import { parseJson } from "../../../src/json/json.js"
import { smd } from "../cli.js"

const config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {color: red}\n"
const entry = (manager: string, operation: string, keys: readonly string[]) => {
  const fields = Object.fromEntries(keys.map(key => [`f:${key}`, {}]))
  return { manager, operation, apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: { "f:data": fields } }
}
const object = (data: object, managedFields: readonly object[]) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web", managedFields }, data })

const files = {
  "web.yaml": config,
  "helm3.json": object({ color: "red", size: "1" }, [entry("helm", "Update", ["color", "size"])]),
  "edited.json": object({ color: "blue" }, [entry("kubectl-edit", "Update", ["color"])]),
  "tool.yaml":
    'name: ours\ntool: Our tool\nmanager: ours\nforce: never\nways: [{way: relinquish, text: "ignore {pointer}"}]\n',
  "wrong.yaml": "name: ours\ntool: Our tool\nforce: maybe\n",
}

describe("smd plan --as", () => {
  it("shows the steps of the tool and what they take", async () => {
    const { status, out } = await smd(
      ["plan", "--as", "helm", "--origin", "shop", "--live", "helm3.json", "web.yaml"],
      { files },
    )
    expect([status, out]).toEqual([
      0,
      `ConfigMap web                                         helm, Apply, v1, as Helm 4
    before  Helm 4 makes updates its own applies
      owners  helm (Apply) gains .data.color and .data.size
              helm (Update) loses .data.color and .data.size, everything that it
                owns
  - .data.size   "1"                         you applied it, nobody else owns it
  + …annotations
                 {meta.helm.sh/release-n...
  + …labels      {app.kubernetes.io/mana...
    owners  helm gains …meta.helm.sh/release-name,
              …meta.helm.sh/release-namespace and …app.kubernetes.io/managed-by;
              loses .data.size

Plan: 2 to add, 0 to change, 1 to remove.
`,
    ])
  })

  it("fails only if the tool fails", async () => {
    const plan = async (tool: string) =>
      await smd(["plan", "--as", tool, "--live", "edited.json", "web.yaml"], { files })
    const helm = await plan("helm")
    expect([helm.status, helm.out.includes("would fail")]).toEqual([1, true])
    const argocd = await plan("argocd")
    expect([argocd.status, argocd.out.includes("would fail")]).toEqual([0, false])
    expect(argocd.out).toContain("taken from kubectl-edit")
    const flux = await plan("flux")
    expect([flux.status, flux.out.includes("would fail")]).toEqual([0, false])
    expect(flux.out).toContain("takes over entries, and cleans up")
  })

  it("has the steps in its JSON", async () => {
    const { out } = await smd(["plan", "--as", "helm", "--live", "helm3.json", "web.yaml", "-o", "json"], { files })
    expect(parseJson(out)).toMatchObject([
      { as: { name: "helm", steps: [{ step: "upgrade-managers", when: "before" }] } },
    ])
  })

  it.each([
    [["--as", "hlem"], 'no applier is called "hlem": did you mean helm?'],
    [["--as", "wrong.yaml"], "applier profile: .force must be always, never or on-request"],
    [["--as", "kapp"], "kapp does not apply"],
    [["--as", "client-go"], "Name the manager"],
    [["--as", "helm", "--origin", "a/b/c"], "--origin must be NAMESPACE/NAME or NAME"],
    [["--manager", "a", "--origin", "b"], "--origin needs --as"],
    [[], "--manager is required"],
  ])("refuses %j", async (args, message) => {
    const { status, err } = await smd(["plan", ...args, "--live", "helm3.json", "web.yaml"], { files })
    expect(status).toBe(2)
    expect(err).toContain(message)
  })
})

describe("smd plan --origin FILE", () => {
  const application = (options: readonly string[]) =>
    JSON.stringify({
      apiVersion: "argoproj.io/v1alpha1",
      kind: "Application",
      metadata: { name: "shop" },
      spec: {
        destination: { namespace: "shop" },
        ignoreDifferences: [{ kind: "ConfigMap", jsonPointers: ["/data/color"] }],
        syncPolicy: { syncOptions: ["ServerSideApply=true", ...options] },
      },
    })
  const kustomization = "{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: a}"
  const more = {
    ...files,
    "app.yaml": application(["RespectIgnoreDifferences=true"]),
    "plain.yaml": application([]),
    "flux.yaml": `${kustomization}, spec: {targetNamespace: moved}}`,
    "placed.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: here}\ndata: {color: red}\n",
  }
  const planAs = async (tool: string, origin: string, config = "web.yaml", live = ["--live", "edited.json"]) =>
    await smd(["plan", "--as", tool, "--origin", origin, ...live, config], { files: more })

  it("leaves ignored fields alone if the tool does", async () => {
    const kept = await planAs("argocd", "app.yaml")
    expect([kept.err, kept.out.includes("taken from")]).toEqual(["", false])
    expect(kept.out).toContain("ConfigMap shop/web")
    const taken = await planAs("argocd", "plain.yaml")
    expect(taken.out).toContain("taken from kubectl-edit")
    expect(taken.err).toBe(
      "plain.yaml:1:1: note: without RespectIgnoreDifferences=true, ignoreDifferences hides differences, and Argo CD applies the fields anyway\n",
    )
  })

  it("moves objects only if the tool does", async () => {
    expect((await planAs("flux", "flux.yaml", "placed.yaml", [])).out).toContain("ConfigMap moved/web")
    expect((await planAs("argocd", "app.yaml", "placed.yaml", [])).out).toContain("ConfigMap here/web")
    expect((await planAs("helm", "there/shop", "web.yaml", [])).out).toContain("ConfigMap there/web")
  })

  it("refuses the document of another tool", async () => {
    const { status, err } = await planAs("argocd", "flux.yaml")
    expect([status, err]).toEqual([2, "flux.yaml:1:46: belongs to the tool flux, not to argocd\n"])
    expect((await planAs("flux", "web.yaml")).err).toContain("an origin is an object with a name")
  })
})

describe("smd explain --as", () => {
  it("offers the ways out of the tool alone", async () => {
    const explain = async (tool: string) =>
      await smd(["explain", "--as", tool, "--live", "edited.json", "web.yaml"], { files })
    const helm = await explain("helm")
    expect(helm.status).toBe(1)
    expect(helm.out).toContain("take it   helm upgrade --force-conflicts")
    const argocd = await explain("argocd")
    expect(argocd.status).toBe(0)
    expect(argocd.out).toContain("1 field taken by force.")
    expect(argocd.out.replace(/\s+/g, " ")).toContain("spec.ignoreDifferences with jsonPointers: [/data/color]")
    expect(argocd.out).not.toContain("--force-conflicts")
    const ours = await explain("tool.yaml")
    expect(ours.out).toContain("leave it  ignore /data/color")
  })
})

describe("smd explain --as, if a server refuses the apply", () => {
  const service = (spec: object, managedFields?: readonly object[]) =>
    JSON.stringify({ apiVersion: "v1", kind: "Service", metadata: { name: "web", managedFields }, spec })
  const stored = {
    clusterIP: "10.0.0.1",
    clusterIPs: ["10.0.0.1"],
    ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
  }
  const fields = { "f:spec": { "f:sessionAffinity": {} } }
  const owner = {
    manager: "kubectl-edit",
    operation: "Update",
    apiVersion: "v1",
    fieldsType: "FieldsV1",
    fieldsV1: fields,
  }
  const job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "init", annotations: { "helm.sh/hook": "pre-install" } },
  }
  const more = {
    "live.json": service({ ...stored, sessionAffinity: "None", type: "ClusterIP" }, [owner]),
    "web.json": service({ ports: [{ port: 80 }], clusterIP: "10.0.0.2", sessionAffinity: "ClientIP" }),
    "hook.json": JSON.stringify(job),
  }
  const explain = async (tool: string, config: string, ...args: string[]) =>
    await smd(["explain", "--as", tool, ...args, config], { files: more })

  it("says so instead of taking fields, if the tool forces", async () => {
    const { status, out, err } = await explain("argocd", "web.json", "--live", "live.json")
    expect([status, err]).toEqual([1, ""])
    expect(out).not.toContain("taken by force")
    expect(out).not.toContain("sessionAffinity")
    expect(out).toContain("! refused with 422 Invalid")
    expect(out).toContain("1 object would be refused.")
    const { out: data } = await explain("argocd", "web.json", "--live", "live.json", "-o", "json")
    expect(parseJson(data)).toMatchObject([
      { conflicts: [], refusal: { step: "validation" }, findings: [{ code: "refused" }] },
    ])
  })

  it("offers no force, if the tool asks", async () => {
    const { status, out, err } = await explain("helm", "web.json", "--live", "live.json")
    expect(status).toBe(1)
    expect(out).toContain("leave it  leave .spec.sessionAffinity out of the chart's template")
    expect(out).not.toContain("take it")
    expect(out).toContain("1 conflict.")
    expect(err).toContain("The apply is refused with force too")
  })

  it("says nothing about objects that the tool does not send", async () => {
    expect(await explain("helm", "hook.json")).toEqual({ status: 0, out: "No conflicts.\n", err: "" })
  })
})

describe("smd apply --as", () => {
  it("applies with the steps of the tool", async () => {
    const { status, out } = await smd(["apply", "--as", "helm", "--live", "helm3.json", "web.yaml"], { files })
    expect(status).toBe(0)
    expect(out).toContain("data:\n  color: red\n")
    expect(out).not.toContain("size")
    expect(out.match(/operation: \w+/g)).toEqual(["operation: Apply"])
  })
})
