/** The output of smd migrate for objects that released tools have written (test/vectors/appliers.json). `-u` records it again. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { formatDocument } from "../../../src/cli/output/document.js"
import { widthOf } from "../../../src/cli/terminal/width.js"
import { parseJson } from "../../../src/json/json.js"
import type { MapValue } from "../../../src/value/value.js"
import { type RecordedStory, vectorsFile } from "../../tools/appliers/recorded.js"
import { smd } from "../cli.js"

const recorded = JSON.parse(readFileSync(vectorsFile, "utf8")) as RecordedStory[]

/** The objects of these stories, as the files live.yaml and chart.yaml. */
function filesOf(tool: string, names: readonly string[], more = ""): Record<string, string> {
  const stories = names.map(name => {
    const found = recorded.find(each => each.tool === tool && each.name === name)
    if (found === undefined) throw new Error(`no story ${name}`)
    return found
  })
  const text = (objects: readonly MapValue[]) => objects.map(object => formatDocument(object, "yaml")).join("---\n")
  return {
    "live.yaml": text(stories.map(({ live }) => live as MapValue)),
    "chart.yaml": `${text(stories.map(({ config }) => config))}${more}`,
  }
}

const hook = `---
# Source: shop/templates/empty.yaml
---
# Source: shop/templates/init.yaml
apiVersion: batch/v1
kind: Job
metadata: {name: init, annotations: {helm.sh/hook: pre-upgrade}}
`
const wave = `---
apiVersion: v1
kind: ConfigMap
metadata: {name: first, namespace: shop, annotations: {argocd.argoproj.io/sync-wave: "-1"}}
`
const edited = "an object of kubectl's client-side apply that somebody edited"

const moves = {
  "helm3-to-helm4": {
    args: ["--from", "helm3", "--to", "helm4"],
    files: filesOf(
      "helm",
      [
        "a release of Helm 3, with another value and without a field",
        "a release of Helm 3 that an autoscaler scaled",
        "a release of Helm 3 that somebody edited, by force",
      ],
      hook,
    ),
    status: 1,
  },
  "kubectl-client-to-kubectl": {
    args: ["--from", "kubectl-client", "--to", "kubectl"],
    files: filesOf("kubectl", [
      "an object of kubectl's client-side apply, with another value and without a field",
      edited,
    ]),
    status: 1,
  },
  "kubectl-client-to-argocd": {
    args: ["--from", "kubectl-client", "--to", "argocd", "--origin", "argocd/shop"],
    files: filesOf("kubectl", [edited], wave),
    status: 0,
  },
  "kubectl-client-to-flux": {
    args: ["--from", "kubectl-client", "--to", "flux", "--origin", "flux-system/shop"],
    files: filesOf("kubectl", [edited, "an object of kubectl's client-side apply"]),
    status: 0,
  },
  "helm3-to-argocd": {
    args: ["--from", "helm3", "--to", "argocd"],
    files: filesOf("helm", ["a release of Helm 3, with another value and without a field"]),
    status: 0,
  },
}

describe.each(Object.entries(moves))("%s", (name, { args, files, status }) => {
  const command = ["migrate", ...args, "--live", "live.yaml", "--chart", "chart.yaml"]

  it.each([80, 120])("at %d columns", async columns => {
    const outcome = await smd(command, { files, columns })
    expect(outcome.out.split("\n").filter(line => widthOf(line) > columns)).toEqual([])
    expect(outcome.status).toBe(status)
    const text = `${outcome.out}${outcome.err === "" ? "" : `--- standard error\n${outcome.err}`}`
    await expect(text).toMatchFileSnapshot(join(import.meta.dirname, `../golden/migrate/${name}-${columns}.txt`))
  })

  it("as JSON", async () => {
    const { out } = await smd([...command, "-o", "json"], { files })
    const results = parseJson(out) as readonly MapValue[]
    expect(results.every(({ type }) => type === "migration")).toBe(true)
  })
})

describe("smd migrate", () => {
  const files = filesOf("helm", ["a release of Helm 3"])
  const given = ["--live", "live.yaml", "chart.yaml"]

  it.each([
    [["--to", "helm4"], "--from is required"],
    [["--from", "helm3"], "--to is required"],
    [["--from", "hlem3", "--to", "helm4"], '--from: no applier is called "hlem3": did you mean helm3?'],
    [["--from", "helm3", "--to", "hlem"], '--to: no applier is called "hlem": did you mean helm?'],
    [["--from", "helm3", "--to", "kapp"], "kapp does not apply"],
  ])("refuses %j", async (args, message) => {
    const { status, err } = await smd(["migrate", ...args, ...given], { files })
    expect([status, err.includes(message)]).toEqual([2, true])
  })

  it("knows the old tool under another name", async () => {
    const args = ["--from", "kubectl-client", "--from-manager", "helm", "--to", "argocd"]
    const { out } = await smd(["migrate", ...args, ...given], { files })
    expect(out).toContain("stays  helm (Update)")
  })

  it("names other owners by updates, and the option that includes them", async () => {
    const args = ["--from", "kubectl-client", "--to", "client-go", "--manager", "gitops"]
    const { out } = await smd(["migrate", ...args, ...given], { files, columns: 120 })
    expect(out).toMatch(
      /also {2}helm \(Update\) owns \d+ fields, which stay when gitops omits them;\s+--from-manager helm/,
    )
  })

  it("hides Secrets", async () => {
    const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: web}\nstringData: {password: hunter2}\n"
    const move = ["migrate", "--from", "helm3", "--to", "helm4", "secret.yaml", "-o", "json"]
    const { status, out } = await smd(move, { files: { "secret.yaml": secret } })
    expect([status, out.includes("hunter2"), out.includes(btoa("hunter2"))]).toEqual([0, false, false])
  })
})
