import { describe, expect, it } from "vitest"
import { kubernetesSchemaWithUnions } from "../../../src/kubernetes/index.js"
import { lintConfiguration, lintSeverities } from "../../../src/tools/lint/index.js"
import { compileSchema } from "../../../src/typed/type.js"
import { TypedValue } from "../../../src/typed/typed-value.js"
import { read } from "../../support/documents.js"
import { yaml } from "../../union/story.js"

const types = compileSchema(kubernetesSchemaWithUnions())

function lint(type: string, text: string): string[] {
  const value = TypedValue.of(yaml(text), types.type(`io.k8s.api.${type}`))
  return lintConfiguration(value).map(({ code, path, message }) => `${code} ${path}: ${message}`)
}

describe("a configuration", () => {
  it.each<[string, string, string, string[]]>([
    ["of one member", "core.v1.Volume", "{name: a, nfs: {path: /}}", []],
    ["of no member, which may be there already", "core.v1.Probe", "{periodSeconds: 3}", []],
    [
      "of a member without discriminator, which may follow",
      "apps.v1.DeploymentStrategy",
      "{rollingUpdate: {maxSurge: 1}}",
      [],
    ],
    ["of a discriminator alone", "apps.v1.DeploymentStrategy", "{type: Recreate}", []],
    ["of a null", "apps.v1.DeploymentStrategy", "{type: Recreate, rollingUpdate: null}", []],
    [
      "of another member than the discriminator says",
      "apps.v1.DeploymentSpec",
      "{strategy: {type: Recreate, rollingUpdate: {maxSurge: 1}}}",
      ['config-other-member .strategy: type is "Recreate", which selects nothing, and rollingUpdate is set'],
    ],
    [
      "of a value that is none",
      "apps.v1.DeploymentStrategy",
      "{type: Rolling}",
      ['config-value-unknown : type is "Rolling", which is not one of its values: RollingUpdate, Recreate'],
    ],
    [
      "of several members, deep inside",
      "core.v1.PodSpec",
      "{containers: [{name: a, env: [{name: x, valueFrom: {fieldRef: {fieldPath: a}, secretKeyRef: {key: a}}}]}]}",
      [
        'config-several-members .containers[name="a"].env[name="x"].valueFrom: fieldRef and secretKeyRef are set, ' +
          "and only one of fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef may be",
      ],
    ],
    [
      "of several members in an atomic list",
      "core.v1.Container",
      "{name: a, envFrom: [{}, {configMapRef: {name: a}, secretRef: {name: b}}]}",
      [
        "config-several-members .envFrom[1]: configMapRef and secretRef are set, and only one of configMapRef, secretRef may be",
      ],
    ],
    [
      "of items that exclude each other",
      "certificates.v1.CertificateSigningRequestStatus",
      "{conditions: [{type: Approved, status: 'True'}, {type: Denied, status: 'True'}]}",
      [
        'config-several-members : conditions[type="Approved"] and conditions[type="Denied"] are set, ' +
          'and only one of conditions[type="Approved"], conditions[type="Denied"] may be',
      ],
    ],
  ])("%s", (_, type, text, expected) => {
    expect(lint(type, text)).toEqual(expected)
  })
})

it("has a row in docs/lint.md for every code, with its severity", () => {
  const rows = Array.from(read("docs/lint.md").matchAll(/^\| `([a-z-]+)` \| (\w+) \|/gm), ([, code, severity]) => [
    code,
    severity,
  ])
  expect(Object.fromEntries(rows)).toEqual(lintSeverities)
})
