import { describe, expect, it } from "vitest"
import { formatYaml } from "../../../src/io/yaml-format.js"
import type { MapValue } from "../../../src/value/value.js"
import { declareTest, hostileStory } from "../../support/exported-stories.js"
import { smd, text } from "../cli.js"

const scale = "apiVersion: autoscaling/v1, kind: Scale, metadata: {name: web, namespace: shop}"
const map = "apiVersion: v1, kind: ConfigMap, metadata: {name: web}"

const files = {
  "hostile.yaml": formatYaml(hostileStory as unknown as MapValue),
  "wrong.yaml": text`
    title: Two colors
    unions: extended
    defaults: [{apiVersion: v1, kind: ConfigMap, data: {shape: round}}]
    definitions: [{openapi: 3.0.0, components: {schemas: {}}}]
    schemas: {plain: {unions: 'off'}}
    steps:
    - manager: gitops
      apply: &config {${map}, data: {color: red}}
    - manager: ann
      patch: {data: {color: blue}}
      expect: {outcome: unchanged}
    - {changeSchema: plain}
    - manager: gitops
      apply: *config
      expect: {outcome: changed}
    - {changeSchema: ''}
  `,
  "secret.yaml": text`
    title: A Secret
    steps:
    - manager: ci
      apply: {apiVersion: v1, kind: Secret, metadata: {name: db}, stringData: {password: abc}}
  `,
  "start.yaml": text`
    title: An object at the start
    objects: [{${map}, data: {color: red}}]
    steps:
    - manager: ann
      patch: {data: {color: blue}}
    - manager: ci
      apply: {${map}, data: {size: s}}
  `,
  "scales.yaml": text`
    title: Scales
    objects:
    - apiVersion: apps/v1
      kind: Deployment
      metadata:
        name: web
        namespace: shop
        managedFields:
        - {manager: ci, operation: Update, apiVersion: apps/v1, fieldsType: FieldsV1, fieldsV1: {'f:spec': {'f:replicas': {}}}}
      spec:
        selector: {matchLabels: {a: b}}
        template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}
    - {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
    steps:
    - {manager: hpa, subresource: scale, update: {${scale}, spec: {replicas: 3}}}
    - {manager: hpa, subresource: scale, update: {${scale}, spec: {replicas: -1}}}
    - {manager: ann, subresource: scale, apply: {${scale}, spec: {replicas: 5}}}
    - {manager: ann, subresource: scale, force: true, apply: {${scale}, spec: {replicas: 5}}}
    - {manager: hpa, subresource: scale, create: {${scale}, spec: {replicas: 5}}}
    - {manager: hpa, subresource: scale, update: {${scale}}}
  `,
  "names.yaml": text`
    title: A namespace that is used before its creation, and a generated name
    objects: [{apiVersion: v1, kind: Namespace, metadata: {name: default}}]
    steps:
    - {manager: ann, apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}, data: {a: b}}}
    - {manager: ann, create: {apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {a: b}}}}
    - {manager: ann, create: {apiVersion: v1, kind: Namespace, metadata: {name: other}}}
    - {manager: ann, create: {apiVersion: v1, kind: ConfigMap, metadata: {generateName: gen-, namespace: other}}}
    - {manager: bob, patch: {data: {a: b}}, object: {kind: ConfigMap, namespace: other}}
  `,
}
const simulate = (...args: string[]) => smd(["simulate", ...args], { files })

for (const name of Object.keys(files)) {
  const { out } = await simulate(name, "-o", "vitest", "--show-secrets")
  describe(`the test of ${name}`, () => declareTest(out))
}

describe("smd simulate --output", () => {
  it.each(["kubectl", "vitest"])(
    "%s prints nothing else to standard output, and reports unmet expectations",
    async form => {
      const { status, out, err } = await simulate("wrong.yaml", "-o", form)
      expect([status, err]).toEqual([
        1,
        'wrong.yaml:11:12: outcome: expected "unchanged", found "changed"\n' +
          'wrong.yaml:15:12: outcome: expected "changed", found "conflict"\n',
      ])
      expect(out).toMatch(form === "kubectl" ? /^sh -e <<'STORY'\n.*\nSTORY\n$/s : /^import .*\n\}\)\n$/s)
      for (const note of ["The defaults of the story are missing", "The kinds of OpenAPI documents are missing"]) {
        expect(out).toContain(note)
      }
      expect(out.match(/setUnions\("(.*)"\)|The union policy changes to (.*)\./g)).toHaveLength(2)
    },
  )

  it("names the namespace of every object in a script, whatever the namespace of kubectl's context", async () => {
    const { out } = await simulate("start.yaml", "-o", "kubectl")
    const commands = out.match(/^kubectl .*$/gm) ?? []
    expect(commands).toHaveLength(4)
    for (const command of commands) expect(command).toMatch(/ create -f - |--namespace=default/)
    expect(out).toMatch(/ {2}namespace: default$/m)
  })

  it("writes Scales as patches, and the results of requests that kubectl can't send", async () => {
    const { out } = await simulate("scales.yaml", "-o", "kubectl")
    expect(out.match(/^kubectl .*$|^# .*missing.*$/gm)).toEqual([
      "kubectl create -f - <<'EOF'",
      expect.stringMatching(/^kubectl patch Namespace\/shop /),
      "kubectl create -f - <<'EOF'",
      expect.stringMatching(/^kubectl patch Deployment.v1.apps\/web /),
      expect.stringMatching(/ --field-manager=hpa --subresource=scale --patch-file=\/dev\/stdin <<'EOF'$/),
      expect.stringMatching(/ --subresource=scale --patch-file=\/dev\/stdin <<'EOF' \|\| true$/),
      "# kubectl can't apply a Scale: the step is missing.",
      "kubectl replace -f - <<'EOF'",
      expect.stringMatching(/^kubectl patch .* --type=json /),
      "# A copy can't create a subresource: the step is missing.",
      expect.stringMatching(/ --subresource=scale /),
    ])
    expect(out).toContain(`{"spec":{"replicas":3}}\nEOF`)
    expect(out).toContain(`"manager":"ann","operation":"Apply"`)
    expect(out).toContain(`{"spec":{"replicas":0}}\nEOF`)
  })

  it("keeps the patch of an object with many owned fields out of the arguments", async () => {
    const fields = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`f:key-${i}`, {}]))
    const owner = { manager: "ann", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" }
    const metadata = { name: "a", managedFields: [{ ...owner, fieldsV1: { "f:data": fields } }] }
    const story = { title: "Large", objects: [{ apiVersion: "v1", kind: "ConfigMap", metadata }], steps: [] }
    const { out } = await smd(["simulate", "-", "-o", "kubectl"], { files: { "-": JSON.stringify(story) } })
    expect(out).toContain('"f:key-9999"')
    expect(Math.max(...(out.match(/^kubectl .*$/gm) ?? []).map(line => line.length))).toBeLessThan(200)
  })

  it("creates each namespace once, before its objects", async () => {
    const { out } = await simulate("names.yaml", "-o", "kubectl")
    expect(out.match(/^kubectl (?!patch).*$/gm)).toEqual([
      "kubectl get namespace shop >/dev/null 2>&1 || kubectl create namespace shop",
      "kubectl replace -f - <<'EOF'",
      "kubectl apply --server-side --field-manager=ann --namespace=shop -f - <<'EOF'",
      "kubectl replace -f - <<'EOF'",
      "kubectl create --field-manager=ann -f - <<'EOF'",
      "kubectl create --field-manager=ann --namespace=other -f - <<'EOF'",
    ])
    const [, name] = /^ {2}name: (gen-.*)$/m.exec(out) ?? []
    expect(out).toContain(`kubectl patch ConfigMap/${name} --namespace=other `)
  })

  it("prints no control characters of a story", async () => {
    for (const form of ["kubectl", "vitest"]) {
      const { out } = await simulate("hostile.yaml", "-o", form)
      expect(out).not.toMatch(/[^\P{C}\n]|\u2028/u)
    }
  })

  it.each([
    [["secret.yaml"], "secret.yaml: a test would contain values that are hidden"],
    [["wrong.yaml", "hostile.yaml"], "smd simulate: --output vitest is for one story, not for 2"],
    [["wrong.yaml", "--permute"], "smd simulate: --permute can't be used with --output vitest"],
  ])("refuses %j", async (args, message) => {
    const { status, out, err } = await simulate(...args, "-o", "vitest")
    expect([status, out, err]).toEqual([2, "", expect.stringContaining(message)])
  })
})
