// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of Pulumi
/** Programs of Pulumi and output of cdk8s, as people give them to commands. */
import { describe, expect, it } from "vitest"
import { smd, text } from "../cli.js"

const program = text`
  name: shop
  runtime: yaml
  variables: {labels: {app: web}}
  resources:
    web:
      type: kubernetes:apps/v1:Deployment
      properties:
        metadata: {name: web, namespace: shop}
        spec:
          replicas: 3
          hostNetwork: false
          selector: {matchLabels: "\${labels}"}
          template:
            metadata: {labels: "\${labels}"}
            spec:
              hostNetwork: false
              containers: [{name: web, image: "nginx:1.29"}]
    token:
      type: kubernetes:core/v1:Secret
      properties:
        metadata: {name: token, namespace: shop}
        stringData: {token: "hunter2hunter2"}
`
const entry = {
  manager: "autoscaler",
  operation: "Update",
  apiVersion: "apps/v1",
  subresource: "scale",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:spec": { "f:replicas": {} } },
}
const labels = { app: "web" }
const live = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop", managedFields: [entry] },
  spec: {
    replicas: 7,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx:1.29" }] } },
  },
}
const valid = program.replace("        hostNetwork: false\n        selector", "        selector")
const files = {
  "Pulumi.yaml": valid,
  "live.json": JSON.stringify(live),
  "odd.yaml": program,
  "unknown.yaml": valid.replace("nginx:1.29", "${image.url}").replace("hunter2hunter2", "${password.result}"),
  "code.yaml": "name: shop\nruntime: nodejs\n",
  "chart.yaml": "runtime: yaml\nresources: {web: {type: kubernetes:helm.sh/v4:Chart}}\n",
  "stories/Pulumi.yaml": valid,
  "stories/a.yaml": text`
    title: One step
    steps:
    - manager: a
      apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
  `,
}
const pulumi = ["--as", "pulumi", "--manager", "pulumi-kubernetes-1"]
const run = async (...args: readonly string[]) => await smd(args, { files })

describe("a Pulumi program", () => {
  it("is planned and explained like its objects", async () => {
    const plan = await run("plan", ...pulumi, "--live", "live.json", "Pulumi.yaml")
    expect([plan.status, plan.err]).toEqual([1, ""])
    expect(plan.out).toContain("Deployment shop/web")
    expect(plan.out).toContain("~ .spec.replicas  7 -> 3")
    expect(plan.out).toContain("Secret shop/token")
    const explain = await run("explain", ...pulumi, "--live", "live.json", "Pulumi.yaml")
    expect(explain.out).toContain("Pulumi.yaml:10:19")
    expect(explain.out).toContain("leave it  ignoreChanges with .spec.replicas in the options of the")
    const migrate = await run(
      "migrate",
      "--from",
      "kubectl-client",
      "--to",
      "pulumi",
      ...pulumi.slice(2),
      "--live",
      "live.json",
      "Pulumi.yaml",
    )
    expect(migrate.out).toContain("takes  .spec.replicas (7 -> 3) from autoscaler")
  })

  it("is edited by a way out", async () => {
    const { written } = await run(
      "explain",
      "--manager",
      "ci",
      "--live",
      "live.json",
      "Pulumi.yaml",
      "--write",
      "relinquish",
    )
    expect(written).toEqual({ "Pulumi.yaml": valid.replace("        replicas: 3\n", "") })
  })

  it("is checked, with places in the program", async () => {
    const lint = await run("lint", "Pulumi.yaml")
    expect(lint.out).toMatch(
      /^Pulumi.yaml:15:13: info: .spec.template.spec.hostNetwork: a server does not store false/m,
    )
    const validate = await run("validate", "odd.yaml")
    expect([validate.status, validate.err]).toEqual([2, expect.stringContaining("odd.yaml:11:9")])
  })

  it("keeps its Secrets hidden", async () => {
    const applied = await run("apply", "--manager", "ci", "Pulumi.yaml")
    expect([applied.status, applied.out.includes("aHVudGVy"), applied.out.includes("hunter2")]).toEqual([
      0,
      false,
      false,
    ])
    const refused = await run("plan", "--manager", "ci", "unknown.yaml")
    expect(refused.err).not.toContain("hunter2")
  })

  it("is refused with the places of values that only Pulumi knows", async () => {
    const { status, err } = await run("plan", ...pulumi, "unknown.yaml")
    expect([status, err]).toEqual([
      2,
      text`
        unknown.yaml:16:38: only Pulumi knows \${image.url}: write its value, or give the manifests that Pulumi renders with renderYamlToDirectory
        unknown.yaml:21:20: only Pulumi knows \${password.result}: write its value, or give the manifests that Pulumi renders with renderYamlToDirectory
      `,
    ])
    expect((await run("plan", ...pulumi, "code.yaml")).err).toContain(
      "code.yaml:1:1: is a Pulumi program in nodejs: give",
    )
  })

  it("has notes about resources that are not followed", async () => {
    const { err } = await run("plan", ...pulumi, "chart.yaml")
    expect(err).toContain("chart.yaml:2:19: note: kubernetes:helm.sh/v4:Chart is not followed")
  })

  it("is no story of a folder", async () => {
    expect((await run("simulate", "stories")).status).toBe(0)
  })
})

/** The output of a small program of cdk8s 2.70 with cdk8s-plus 33. */
const cdk8s = text`
  apiVersion: v1
  kind: ConfigMap
  metadata:
    labels:
      team: web
    name: shop-config-c8d20d18
    namespace: shop
  data:
    color: red
  immutable: false
  ---
  apiVersion: v1
  kind: Service
  metadata:
    name: shop-web-service-c8566fa4
    namespace: shop
  spec:
    externalIPs: []
    ports:
      - port: 80
        targetPort: 8080
    selector:
      cdk8s.io/metadata.addr: shop-web-c80b2a96
    type: ClusterIP
`

describe("the output of cdk8s", () => {
  const synth = { "dist/shop.k8s.yaml": cdk8s }

  it("is planned, explained, checked and migrated like other manifests", async () => {
    const config = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "shop-config-c8d20d18", namespace: "shop" },
    }
    const owner = { manager: "kubectl-edit", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" }
    const edited = { ...owner, fieldsV1: { "f:data": { "f:color": {} } } }
    const there = { ...config, metadata: { ...config.metadata, managedFields: [edited] }, data: { color: "blue" } }
    const given = { files: { ...synth, "live.json": JSON.stringify(there) } }
    const plan = await smd(["plan", "--as", "argocd", "--live", "live.json", "dist"], given)
    expect([plan.status, plan.out.includes("~ .data.color")]).toEqual([0, true])
    expect(plan.out).toContain("Service shop/shop-web-service-c8566fa4")
    const explain = await smd(["explain", "--as", "argocd", "--live", "live.json", "dist"], given)
    expect(explain.out).toContain("dist/shop.k8s.yaml:9:10")
    const lint = await smd(["lint", "dist"], given)
    expect(lint.out).toContain("dist/shop.k8s.yaml:18:3: info: .spec.externalIPs: a server does not store []")
    const migrate = await smd(
      ["migrate", "--from", "kubectl-client", "--to", "kubectl", "--live", "live.json", "dist"],
      given,
    )
    expect([migrate.status, migrate.out.includes("takes  .data.color (blue -> red) from kubectl-edit")]).toEqual([
      1,
      true,
    ])
  })
})
