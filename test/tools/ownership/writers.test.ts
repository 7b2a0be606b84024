import { describe, expect, it } from "vitest"
import { blame, writerRole } from "../../../src/tools/ownership/index.js"
import { isByHand } from "../../../src/tools/ownership/writers.js"

const writer = (text: string) => {
  const [, manager = "", operation = "", subresource] = /^(.*) (Apply|Update)(?: (.*))?$/.exec(text) ?? []
  return { manager, operation, ...(subresource !== undefined && { subresource }) }
}

describe("the role of a writer", () => {
  it.each([
    ["kubectl-edit Update", "person"],
    ["kubectl-rollout Update", "person"],
    ["kubectl-autoscale Update", "person"],
    ["kubectl Update", "person"],
    ["kubectl Update scale", "person"],
    ["kubectl-edit Update status", "person"],
    ["Mozilla Update", "person"],
    ["node-fetch Update", "person"],
    ["k9s Update", "person"],
    ["OpenLens Update", "person"],
    // They write what a configuration says.
    ["kubectl Apply", "applier"],
    ["kubectl-client-side-apply Update", "applier"],
    ["helm Apply", "applier"],
    ["k9s Apply", "applier"],
    ["kube-controller-manager Update scale", "autoscaler"],
    ["vpa-updater Update", "autoscaler"],
    ["keda Update", "autoscaler"],
    ["kubelet Update status", "program"],
    ["kubectl-last-applied Update", "program"],
    ["before-first-apply Update", "program"],
    ["kubectlish Update", "program"],
    ["dashboard-operator Update", "program"],
    [" Update", "program"],
  ])("%s: %s", (text, role) => {
    expect(writerRole(writer(text))).toBe(role)
  })
})

describe("a field is changed by hand", () => {
  it.each([
    [["kubectl-edit Update"], true],
    [["kubectl-edit Update", "Mozilla Update"], true],
    [["kubectl-edit Update", "gitops Apply"], false],
    [["kubectl-edit Update", "my-operator Update"], false],
    [["kube-controller-manager Update scale"], false],
    [["my-operator Update"], false],
    [[], false],
  ])("%j: %s", (owners, expected) => {
    expect(isByHand(owners.map(writer))).toBe(expected)
  })

  it("in blame", () => {
    const entry = (manager: string, name: string) => ({
      ...{ manager, operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" },
      fieldsV1: { "f:data": { [`f:${name}`]: {} } },
    })
    const managedFields = [entry("kubectl-patch", "a"), entry("my-operator", "b")]
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "x", managedFields },
      data: { a: "1", b: "2" },
    }
    expect(blame(object).fields.map(({ path, byHand }) => [path, byHand])).toEqual([
      [".data.a", true],
      [".data.b", undefined],
    ])
  })
})
