import { describe, expect, it } from "vitest"
import { formatApiVersion, formatKind, kindOf, nameInGroup, objectKindOf } from "../../src/schema/group-version-kind.js"

describe("the kind of an object", () => {
  it("has a group, a version and a kind", () => {
    const deployment = kindOf({ apiVersion: "apps/v1", kind: "Deployment" })
    expect(deployment).toEqual({ group: "apps", version: "v1", kind: "Deployment" })
    expect([formatApiVersion(deployment), formatKind(deployment)]).toEqual(["apps/v1", "apps/v1, Kind=Deployment"])
    const pod = kindOf({ apiVersion: "v1", kind: "Pod" })
    expect(pod).toEqual({ group: "", version: "v1", kind: "Pod" })
    expect([formatApiVersion(pod), formatKind(pod)]).toEqual(["v1", "/v1, Kind=Pod"])
    expect([nameInGroup("Deployment", "apps"), nameInGroup("pods", "")]).toEqual(["Deployment.apps", "pods"])
  })

  it("is empty if the apiVersion is malformed", () => {
    expect(kindOf({ apiVersion: "a/b/c", kind: "Pod" })).toEqual({ group: "", version: "", kind: "" })
  })

  it("is spelled as in the object", () => {
    expect(objectKindOf({ apiVersion: "a/b/c", kind: "Pod", metadata: {} })).toEqual({
      apiVersion: "a/b/c",
      kind: "Pod",
    })
    expect(objectKindOf({ apiVersion: 1 })).toEqual({ apiVersion: "", kind: "" })
    expect(objectKindOf([])).toEqual({ apiVersion: "", kind: "" })
    expect(objectKindOf(undefined)).toEqual({ apiVersion: "", kind: "" })
  })
})
