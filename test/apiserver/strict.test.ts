import { describe, expect, it } from "vitest"
import { duplicateFields, strictJson } from "../../src/apiserver/request/strict.js"
import { createApiServer } from "../../src/apiserver/server.js"
import { parseJson } from "../../src/json/json.js"
import { definitionOf } from "../support/definition.js"
import { wholeDeployment } from "../support/deployment.js"

// The answers of sigs.k8s.io/json for the same texts.
it.each<[string, string[]]>([
  ['{"a":1,"b":{"a":2}}', []],
  ['{"a":1,"a":2}', ["a"]],
  [
    '{"a":{"b":[{"c":1,"c":2,"c":3},{"c":1,"c":2}],"b":[]},"a":{"x":1,"x":{"y":1,"y":2}}}',
    ["a.b[0].c", "a.b[1].c", "a.b", "a", "a.x", "a.x.y"],
  ],
  ['[{"a":1,"a":1}]', ["[0].a"]],
  ['{"a.b":{"":1,"":2}}', ["a.b."]],
  ['{"a":{"a":1,"A":2}}', []],
  ['{"a":[[{"b":1,"b":1}]]}', ["a[0][0].b"]],
  ['{"a":"{\\"b\\":1,\\"b\\":2}","b":"x","\\u0061":2}', ["a"]],
  ['{"a":{"x":1,"x":2},"a":{"x":1,"x":2}}', ["a.x", "a"]],
  ['{"a" \n:":1","a":":"}', ["a"]],
  ['{"a":"\\":","b":{"c":":x"}}', []],
  ["1", []],
])("%s", (text, paths) => {
  expect(duplicateFields(text)).toEqual(paths)
  const problems = paths.map(path => `duplicate field "${path}"`)
  for (const isCustom of [false, true]) expect(strictJson(text, parseJson(text), isCustom)([])).toEqual(problems)
})

const configMaps = "/api/v1/namespaces/default/configmaps"
const json = "application/json"
const yaml = "application/yaml"

/** Sends a text to a server that has a ConfigMap named `old`. Returns the message of the Status, or the warnings. */
async function send(method: string, path: string, type: string, body: string): Promise<string | string[]> {
  const crds = [definition]
  const old = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "old" } }
  const server = createApiServer({ crds, objects: [old] })
  const init = { method, headers: { "content-type": type }, body }
  const answer = await server.fetch(new Request(`http://server${path}`, init))
  const { kind, message } = (await answer.json()) as { kind: string; message: string }
  const warnings = answer.headers.get("warning")?.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g) ?? []
  return kind === "Status" ? message : Array.from(warnings, ([, text = ""]) => text.replaceAll("\\", ""))
}

const schema = {
  type: "object",
  properties: { spec: { type: "object", properties: { size: { type: "integer" }, name: { type: "string" } } } },
}
const definition = definitionOf("Box", { group: "example.org", plural: "boxes", schema })

describe("a strict request", () => {
  it("is refused for unknown and duplicate fields of a built-in kind, in the order of the text", async () => {
    const text =
      '{"kind":"ConfigMap","x":{"y":1,"y":2},"metadata":{"name":"a","name":"b","z":1,"z":2},"data":{"k":"1","k":"2"}}'
    expect(await send("POST", `${configMaps}?fieldValidation=Strict`, json, text)).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "x", ' +
        'duplicate field "metadata.name", unknown field "metadata.z", duplicate field "data.k"',
    )
  })

  it("is refused for duplicate fields of a custom resource, and then for unknown ones", async () => {
    const text =
      '{"apiVersion":"example.org/v1","kind":"Box","other":1,"metadata":{"name":"a"},"spec":{"size":1,"size":2,"color":"red"}}'
    expect(await send("POST", "/apis/example.org/v1/namespaces/default/boxes?fieldValidation=Strict", json, text)).toBe(
      'Box in version "v1" cannot be handled as a Box: strict decoding error: duplicate field "spec.size", ' +
        'unknown field "other", unknown field "spec.color"',
    )
  })

  it("is refused for keys that YAML repeats, with a line for each, and for unknown fields in the order of their names", async () => {
    const text =
      "kind: ConfigMap\nz: 1\nmetadata:\n  name: a\n  labels: {a: b}\n  labels:\n    a: c\n    a: d\ndata: {}\nb: 1\n"
    expect(await send("PUT", `${configMaps}/old?fieldValidation=Strict`, yaml, text)).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: error converting YAML to JSON: ' +
        'yaml: unmarshal errors:\n  line 8: key "a" already set in map\n  line 7: key "labels" already set in map, ' +
        'unknown field "b", unknown field "z"',
    )
  })

  it.each([
    ["merge-patch", '{"data":{"a":"1","a":"2"},"x":1}', 'duplicate field "data.a", unknown field "x"'],
    ["strategic-merge-patch", '{"data":{"a":"1","a":"2"}}', 'duplicate field "data.a"'],
    ["json-patch", '[{"op":"add","op":"add","path":"/data","value":{}}]', 'json patch duplicate field "[0].op"'],
  ])("is refused for fields that a %s has twice", async (type, text, problems) => {
    const message = await send("PATCH", `${configMaps}/old?fieldValidation=Strict`, `application/${type}+json`, text)
    expect(message).toContain(`: strict decoding error: ${problems}`)
    expect(message).toContain(' "" is invalid: patch: Invalid value: ')
  })

  it("is refused for keys that an apply repeats", async () => {
    const path = `${configMaps}/old?fieldManager=me&fieldValidation=Strict`
    const text = "apiVersion: v1\nkind: ConfigMap\ndata:\n  1: a\n  1: b\n  c: d\n  c: e\n"
    expect(await send("PATCH", path, "application/apply-patch+yaml", text)).toBe(
      "error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n" +
        '  line 5: key 1 already set in map\n  line 7: key "c" already set in map',
    )
  })
})

it("refuses keys that an apply to a Scale repeats, as it does for the object itself", async () => {
  const path = "/apis/apps/v1/namespaces/default/deployments/web"
  const server = createApiServer({ objects: [wholeDeployment({ replicas: 1 })] })
  const body =
    '{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"web"},"spec":{"replicas":3,"replicas":4}}'
  const init = { method: "PATCH", headers: { "content-type": "application/apply-patch+yaml" }, body }
  const query = "fieldManager=me&force=true&fieldValidation"
  const answers = [`${query}=Strict`, `${query}=Warn`].map(async parameters => {
    const answer = await server.fetch(new Request(`http://server${path}/scale?${parameters}`, init))
    return [answer.status, ((await answer.json()) as { message?: string }).message ?? answer.headers.get("warning")]
  })
  expect(await Promise.all(answers)).toEqual([
    [400, expect.stringContaining('key "replicas" already set in map')],
    [200, expect.stringContaining('key \\"replicas\\" already set in map')],
  ])
})

describe("a request that is not strict", () => {
  it("warns about keys that JSON or YAML repeats", async () => {
    const text = '{"metadata":{"name":"a"},"data":{"k":"1","k":"2"},"x":1}'
    expect(await send("POST", configMaps, json, text)).toEqual(['duplicate field "data.k"', 'unknown field "x"'])
    const lines = "metadata:\n  name: b\n  name: a\ndata:\n  k: a\n  k: b\n"
    expect(await send("POST", configMaps, yaml, lines)).toEqual([
      'line 3: key "name" already set in map',
      'line 6: key "k" already set in map',
    ])
    expect(await send("POST", `${configMaps}?fieldValidation=Ignore`, json, text)).toEqual([])
  })
})
