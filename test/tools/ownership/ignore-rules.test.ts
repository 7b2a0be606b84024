import { describe, expect, it } from "vitest"
import { kubernetesTypes } from "../../../src/kubernetes/index.js"
import { FieldManager } from "../../../src/managedfields/index.js"
import {
  explain,
  type IgnoreFormat,
  type IgnoreOptions,
  type IgnoreRules,
  ignoreRules,
} from "../../../src/tools/ownership/index.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { schemaErrors } from "./schema.js"

const head = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web.x", namespace: "shop" } }
const note = (text: string): MapValue => ({ metadata: { ...head.metadata, annotations: { "a.b/c": text } } })
const env = (...list: readonly Value[]): MapValue => ({
  spec: { template: { spec: { containers: [{ name: "web", env: list }] } } },
})
const port = (protocol: string, name: string): MapValue => ({
  spec: { template: { spec: { containers: [{ name: "web", ports: [{ containerPort: 80, protocol, name }] }] } } },
})

/** The rules for the conflicts of `config` with `theirs`. */
function rulesFor(format: IgnoreFormat, theirs: MapValue, config: MapValue, options?: IgnoreOptions): IgnoreRules {
  const manager = new FieldManager({ types: kubernetesTypes })
  const live = manager.apply<MapValue>(undefined, { ...head, ...theirs }, { manager: "ops" }).object
  const made = ignoreRules(
    explain(live, { ...head, ...config }, { types: kubernetesTypes, manager: "me" }),
    format,
    options,
  )
  expect(schemaErrors(made)).toBe("")
  return made
}

const replicas = [{ spec: { replicas: 7 } }, { spec: { replicas: 3 } }] as const
const variable = [env({ name: "A", value: "1" }, { name: "B", value: "1" }), env({ name: "B", value: "2" })] as const
const annotation = [note("x"), note("y")] as const
const twoKeys = [port("UDP", "dns"), port("UDP", "old")] as const

describe("ignoreRules", () => {
  it("names fields by pointer and items by key for Argo CD", () => {
    const rule = { group: "apps", kind: "Deployment", name: "web.x", namespace: "shop" }
    expect(rulesFor("argocd", ...replicas).rules).toEqual([{ ...rule, jsonPointers: ["/spec/replicas"] }])
    expect(rulesFor("argocd", ...annotation).rules).toEqual([
      { ...rule, jsonPointers: ["/metadata/annotations/a.b~1c"] },
    ])
    const list = '.spec.template.spec.containers[] | select(.name == "web")'
    expect(rulesFor("argocd", ...variable)).toMatchObject({
      rules: [{ ...rule, jqPathExpressions: [`${list} | .env[] | select(.name == "B") | .value`] }],
      byIndex: [],
    })
    expect(rulesFor("argocd", ...twoKeys).rules).toEqual([
      {
        ...rule,
        jqPathExpressions: [`${list} | .ports[] | select(.containerPort == 80 and .protocol == "UDP") | .name`],
      },
    ])
    // Items may lack a key that has its default value.
    expect(rulesFor("argocd", port("TCP", "a"), port("TCP", "b")).rules).toMatchObject([
      {
        jqPathExpressions: [
          `${list} | .ports[] | select(.containerPort == 80 and (.protocol // "TCP") == "TCP") | .name`,
        ],
      },
    ])
    expect(rulesFor("argocd", ...replicas, { by: "managers" }).rules).toEqual([
      { ...rule, managedFieldsManagers: ["ops"] },
    ])
  })

  it("uses indexes of the object for Flux, with a warning", () => {
    const target = { group: "apps", kind: "Deployment", name: "web\\.x", namespace: "shop" }
    expect(rulesFor("flux", ...replicas)).toMatchObject({ rules: [{ paths: ["/spec/replicas"], target }], byIndex: [] })
    const made = rulesFor("flux", ...variable)
    expect(made.rules).toEqual([{ paths: ["/spec/template/spec/containers/0/env/1/value"], target }])
    expect(made.byIndex.map(({ path }) => path)).toEqual([
      '.spec.template.spec.containers[name="web"].env[name="B"].value',
    ])
  })

  it("uses JSONPath for Open Cluster Management, and jq if JSONPath can't express the field", () => {
    const ignored = (...args: Parameters<typeof rulesFor>): unknown => {
      const [rule] = rulesFor(...args).rules
      return rule
    }
    const identifier = { group: "apps", resource: "deployments", namespace: "shop", name: "web.x" }
    const rule = (fields: object): object => ({
      resourceIdentifier: identifier,
      updateStrategy: {
        type: "ServerSideApply",
        serverSideApply: { ignoreFields: [{ condition: "OnSpokePresent", ...fields }] },
      },
    })
    const item = '.spec.template.spec.containers[?(@.name=="web")].env[?(@.name=="B")].value'
    expect(ignored("ocm", ...variable)).toEqual(rule({ jsonPaths: [item] }))
    expect(ignored("ocm", ...annotation)).toEqual(rule({ jqPathExpressions: ['.metadata.annotations["a.b/c"]'] }))
    expect(ignored("ocm", ...replicas, { resource: "things" })).toMatchObject({
      resourceIdentifier: { resource: "things" },
    })
  })

  it("uses indexes of the configuration for Pulumi, with a warning", () => {
    expect(rulesFor("pulumi", ...annotation)).toMatchObject({ rules: ['metadata.annotations["a.b/c"]'], byIndex: [] })
    const odd = (text: string): MapValue => ({
      metadata: { ...head.metadata, annotations: { "8080": text, 'q"x\\y': text } },
    })
    expect(rulesFor("pulumi", odd("a"), odd("b")).rules).toEqual([
      'metadata.annotations["8080"]',
      'metadata.annotations["q\\"x\\y"]',
    ])
    const made = rulesFor("pulumi", ...variable)
    expect([made.rules, made.byIndex.length]).toEqual([["spec.template.spec.containers[0].env[0].value"], 1])
  })

  it("has no rules without conflicts", () => {
    expect(rulesFor("argocd", replicas[0], replicas[0])).toMatchObject({ rules: [], byIndex: [], left: [] })
  })
})
