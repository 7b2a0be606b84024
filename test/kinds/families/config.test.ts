/** The rules of Secrets, with the messages of Kubernetes' validation. */
import { describe, expect, it } from "vitest"
import type { MapValue } from "../../../src/value/value.js"
import { problemsOf } from "../problems.js"

const encode = (text: string) => Buffer.from(text).toString("base64")

describe("Secret", () => {
  const notJson = "<secret contents redacted>"
  it.each<[string, MapValue, string[]]>([
    ["Opaque", {}, []],
    ["kubernetes.io/basic-auth", { username: "YQ==" }, []],
    ["kubernetes.io/basic-auth", { password: "YQ==" }, []],
    [
      "kubernetes.io/basic-auth",
      { other: "YQ==" },
      ["data[username]: Required value", "data[password]: Required value"],
    ],
    ["kubernetes.io/ssh-auth", { "ssh-privatekey": "YQ==" }, []],
    ["kubernetes.io/ssh-auth", {}, ["data[ssh-privatekey]: Required value"]],
    ["kubernetes.io/ssh-auth", { "ssh-privatekey": "" }, ["data[ssh-privatekey]: Required value"]],
    ["kubernetes.io/tls", { "tls.crt": "" }, ["data[tls.key]: Required value"]],
    ["kubernetes.io/tls", { "tls.crt": "", "tls.key": "" }, []],
    ["kubernetes.io/dockercfg", {}, ["data[.dockercfg]: Required value"]],
    ["kubernetes.io/dockercfg", { ".dockercfg": encode("{}") }, []],
    ["kubernetes.io/dockerconfigjson", { ".dockerconfigjson": encode("{}") }, []],
    [
      "kubernetes.io/dockerconfigjson",
      { ".dockerconfigjson": encode("x") },
      [`data[.dockerconfigjson]: Invalid value: "${notJson}": invalid character 'x' looking for beginning of value`],
    ],
    [
      "kubernetes.io/dockercfg",
      { ".dockercfg": "" },
      [`data[.dockercfg]: Invalid value: "${notJson}": unexpected end of JSON input`],
    ],
    ["kubernetes.io/dockercfg", { ".dockercfg": encode('{"é": "ü"}') }, []],
  ])("of the type %s may have %j", (type, data, problems) => {
    expect(problemsOf("/Secret", { type, data })).toEqual(problems)
  })

  it("of a service account names it", () => {
    const type = "kubernetes.io/service-account-token"
    const place = "metadata.annotations[kubernetes.io/service-account.name]"
    const annotations = { "kubernetes.io/service-account.name": "a" }
    expect(problemsOf("/Secret", { type })).toEqual([`${place}: Required value`])
    expect(problemsOf("/Secret", { type, metadata: { annotations } })).toEqual([])
  })

  it("keeps its type", () => {
    expect(problemsOf("/Secret", { type: "a" }, { type: "a" })).toEqual([])
    expect(problemsOf("/Secret", { type: "a" }, { type: "b" })).toEqual([
      'type: Invalid value: "a": field is immutable',
    ])
  })
})
