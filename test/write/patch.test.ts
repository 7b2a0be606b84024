import { expect, test } from "vitest"
import { patchedText } from "../../src/write/patch.js"

const entry = { apiVersion: "v1", manager: "m", operation: "Update", fieldsV1: { "f:b": {}, "f:a": {} } }
const metadata = { uid: "u", labels: { b: "1", a: "2" }, managedFields: [entry], name: "x" }
const live = { kind: "ConfigMap", apiVersion: "v1", metadata, data: { a: "1" } }

test("metadata that a patch leaves alone has the order of the Go struct", () => {
  expect(patchedText({ ...live, data: { z: 1, a: "1" } }, live)).toBe(
    '{"apiVersion":"v1","data":{"a":"1","z":1},"kind":"ConfigMap","metadata":{"name":"x","uid":"u","labels":{"a":"2","b":"1"},' +
      '"managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsV1":{"f:a":{},"f:b":{}}}]}}',
  )
})

test("metadata that a patch changes is sorted", () => {
  expect(patchedText({ ...live, metadata: { uid: "u", name: 1 } }, live)).toBe(
    '{"apiVersion":"v1","data":{"a":"1"},"kind":"ConfigMap","metadata":{"name":1,"uid":"u"}}',
  )
})

test("metadata of a custom resource is sorted", () => {
  const custom = { apiVersion: "example.com/v1", kind: "Thing", metadata: { uid: "u", labels: {} } }
  expect(patchedText(custom, custom)).toBe(
    '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"labels":{},"uid":"u"}}',
  )
})
