import { describe, expect, it } from "vitest"
import { encodeFields } from "../../src/fieldpath/fieldsv1/object.js"
import { kubernetesKinds, kubernetesResetFields, kubernetesTypes } from "../../src/kubernetes/index.js"
import { FieldManager } from "../../src/managedfields/field-manager.js"
import { entriesOf } from "../managedfields/notation.js"

function resetBy(apiVersion: string, kind: string, subresource: string): Record<string, unknown> {
  const fields = kubernetesResetFields(apiVersion, kind)?.(subresource) ?? new Map()
  return Object.fromEntries([...fields].map(([version, set]) => [version, encodeFields(set)]))
}

describe("what an API server resets", () => {
  it.each([
    ["apps/v1", "Deployment", "", { "apps/v1": { "f:status": {} } }],
    ["apps/v1", "Deployment", "status", { "apps/v1": { "f:metadata": { "f:labels": {} }, "f:spec": {} } }],
    [
      "v1",
      "Pod",
      "status",
      { v1: { "f:metadata": { "f:deletionTimestamp": {}, "f:ownerReferences": {} }, "f:spec": {} } },
    ],
    ["v1", "Pod", "ephemeralcontainers", {}],
    ["v1", "Namespace", "finalize", { v1: { "f:status": {} } }],
    [
      "certificates.k8s.io/v1",
      "CertificateSigningRequest",
      "approval",
      {
        "certificates.k8s.io/v1": { "f:spec": {}, "f:status": { "f:certificate": {} } },
        "certificates.k8s.io/v1beta1": { "f:spec": {}, "f:status": { "f:certificate": {} } },
      },
    ],
    [
      "autoscaling/v1",
      "HorizontalPodAutoscaler",
      "",
      { "autoscaling/v1": { "f:status": {} }, "autoscaling/v2": { "f:status": {} } },
    ],
    ["v1", "ConfigMap", "", {}],
    ["v1", "Deployment", "", {}],
    ["apps/v1", "constructor", "", {}],
  ])("%s %s %s", (apiVersion, kind, subresource, expected) => {
    expect(resetBy(apiVersion, kind, subresource)).toEqual(expected)
  })

  it("is known for every kind that has a status it does not let the main resource write", () => {
    const all = kubernetesKinds().filter(
      ({ apiVersion, kind }) => kubernetesResetFields(apiVersion, kind) !== undefined,
    )
    expect(all.length).toBeGreaterThan(40)
    for (const { apiVersion, kind } of all) {
      const set = kubernetesResetFields(apiVersion, kind)?.("")?.get(apiVersion)
      expect(set && encodeFields(set), `${apiVersion} ${kind}`).toMatchObject({ "f:status": {} })
    }
  })

  it("is what one FieldManager for all kinds takes", () => {
    const manager = new FieldManager({
      types: kubernetesTypes,
      resetFields: (subresource, { apiVersion, kind }) => kubernetesResetFields(apiVersion, kind)?.(subresource),
    })
    const object = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", labels: { a: "1" } },
      spec: { replicas: 1 },
      status: { replicas: 1 },
    }
    const owned = (subresource: string) =>
      entriesOf(manager.apply(undefined, object, { manager: "a", subresource }).object).map(({ fieldsV1 }) => fieldsV1)
    expect(owned("")).toEqual([{ "f:metadata": { "f:labels": { "f:a": {} } }, "f:spec": { "f:replicas": {} } }])
    expect(owned("status")).toEqual([{ "f:status": { "f:replicas": {} } }])
  })
})
