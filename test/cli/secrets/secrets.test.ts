import { describe, expect, it } from "vitest"
import { Secrets } from "../../../src/cli/secrets/secrets.js"
import { parsePath } from "../../../src/fieldpath/parse-path.js"
import { parseMaskPath } from "../../../src/tools/secrets/mask-path.js"
import type { Value } from "../../../src/value/value.js"

const base64 = (text: string): string => Buffer.from(text).toString("base64")
const secret = (fields: Readonly<Record<string, Value>>): Value => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "db" },
  ...fields,
})

function knowing(value: Value, ...masks: string[]): Secrets {
  const secrets = new Secrets({ masks: masks.map(parseMaskPath) })
  secrets.learn(value)
  return secrets
}

describe("secrets", () => {
  it("get equal marks if they are equal, in base64 or not", () => {
    const object = secret({
      data: { a: base64("first"), b: base64("second") },
      stringData: { c: "first", d: "second" },
    })
    expect(knowing(object).hide(object)).toEqual(
      secret({ data: { a: "(hidden 1)", b: "(hidden 2)" }, stringData: { c: "(hidden 1)", d: "(hidden 2)" } }),
    )
  })

  it("are numbered in the order in which they are shown", () => {
    const secrets = knowing(secret({ stringData: { a: "first-value", b: "second-value" } }))
    expect(secrets.hideText("second-value, first-value, second-value")).toBe("(hidden 1), (hidden 2), (hidden 1)")
  })

  it.each([
    ["values of any type", secret({ data: { a: 1, b: true, c: ["x"], d: { e: "y" } } }), "data"],
    ["data that is not a map", secret({ data: "abc" }), "data"],
    ["Secrets of other versions", { ...(secret({ data: { a: "x" } }) as object), apiVersion: "v2" } as Value, "data"],
    ["keys that objects inherit", secret({ data: { constructor: "x", toString: "y" } }), "data"],
  ])("include %s", (_, object, field) => {
    const hidden = knowing(object).hide(object) as Readonly<Record<string, Value>>
    expect(JSON.stringify(hidden[field]).replaceAll(/"\(hidden \d\)"/g, "#")).not.toMatch(/:(?:\d|true|"[a-z]+")/)
    expect(JSON.stringify(hidden[field])).toContain("(hidden 1)")
  })

  it("ignore other kinds, other groups and null, and share unchanged values", () => {
    const kept = { apiVersion: "v1", kind: "ConfigMap", data: { a: "other-value" } }
    const foreign = { apiVersion: "example.com/v1", kind: "Secret", data: { a: "other-value" } }
    const data = [kept, foreign, secret({ data: { a: null, b: base64("value-of-b") } })]
    const hidden = knowing(data).hide(data)
    expect(hidden).toEqual([kept, foreign, secret({ data: { a: null, b: "(hidden 1)" } })])
    expect(hidden[0]).toBe(kept)
    expect(hidden[1]).toBe(foreign)
  })

  it("are found in Lists, in lists of Secrets and inside other objects", () => {
    const inner = { data: { a: base64("value-of-a") } }
    const data = [
      { apiVersion: "v1", kind: "List", items: [secret(inner)] },
      { apiVersion: "v1", kind: "SecretList", items: [inner] },
      { apiVersion: "example.com/v1", kind: "Bundle", spec: { manifests: [secret(inner)] } },
    ]
    expect(JSON.stringify(knowing(data).hide(data)).match(/\(hidden 1\)/g)).toHaveLength(3)
  })

  it("are found in copies in annotations whose values differ from the object's", () => {
    const name = "kubectl.kubernetes.io/last-applied-configuration"
    const copy = `${JSON.stringify(secret({ stringData: { a: "x" }, data: { b: base64("value-of-b") } }))}\n`
    const packed = "objectset.rio.cattle.io/applied"
    const object = secret({ metadata: { annotations: { [name]: copy, [packed]: "H4sIAAAA", other: "value" } } })
    expect(knowing(object).hide(object)).toEqual(
      secret({
        metadata: {
          annotations: {
            [name]: `${JSON.stringify(secret({ stringData: { a: "(hidden 1)" }, data: { b: "(hidden 2)" } }))}\n`,
            [packed]: "(hidden 3)",
            other: "value",
          },
        },
      }),
    )
  })

  it("are found in results about fields", () => {
    const target = { apiVersion: "v1", kind: "Secret", name: "db" }
    const change = { path: ".data.a", steps: ["f:data", "f:a"], from: "YQ==", to: "Yg==", because: "configured" }
    const plan = { target, changes: [change, { path: ".type", steps: ["f:type"], from: "a", to: "b" }] }
    const secrets = knowing(secret({ data: { a: "YQ==" } }))
    expect(secrets.hide(plan)).toEqual({
      target,
      changes: [{ ...change, from: "(hidden 1)", to: "(hidden 2)" }, plan.changes[1]],
    })
  })

  it("are found in patches of stories, even if these do not name a Secret", () => {
    const story = {
      steps: [
        { patch: { stringData: { a: "x" } } },
        { object: "Secret/default/db", patch: [{ op: "add", path: "/data/b", value: "eQ==" }] },
        { object: "ConfigMap/default/db", patch: { data: { a: "z" } } },
      ],
    }
    expect(knowing(story).hide(story)).toEqual({
      steps: [
        { patch: { stringData: { a: "(hidden 1)" } } },
        { object: "Secret/default/db", patch: [{ op: "add", path: "/data/b", value: "(hidden 2)" }] },
        { object: "ConfigMap/default/db", patch: { data: { a: "z" } } },
      ],
    })
  })

  it("include the fields of masks, in all objects and their last-applied annotations", () => {
    const spec = {
      replicas: 3,
      env: [
        { name: "A", value: "x" },
        { name: "B", value: "y" },
      ],
    }
    const copy = JSON.stringify({ spec: { replicas: 2 } })
    const name = "kubectl.kubernetes.io/last-applied-configuration"
    const object = { kind: "Widget", metadata: { annotations: { [name]: copy } }, spec }
    expect(knowing(object, ".spec.replicas", '.spec.env[name="B"].value').hide(object)).toEqual({
      kind: "Widget",
      metadata: { annotations: { [name]: '{"spec":{"replicas":"(hidden 3)"}}' } },
      spec: { replicas: "(hidden 1)", env: [spec.env[0], { name: "B", value: "(hidden 2)" }] },
    })
  })

  it.each([
    ["a value", "is value-1 here", "is (hidden 1) here"],
    ["its base64", `is ${base64("value-1")} here`, "is (hidden 1) here"],
    ["escapes", 'is "quoted\\n\\"value\\"" here', 'is "(hidden 1)" here'],
    ["the longest value first", "value-1-long", "(hidden 1)"],
    ["words only as a whole", "wordy word words", "wordy (hidden 1) words"],
    ["numbers only in quotes", '12345 "12345"', '12345 "(hidden 1)"'],
    ["no names of fields, objects and kinds", "password of db, a Secret", "password of db, a Secret"],
    ["no short values", "abc", "abc"],
  ])("are replaced in texts: %s", (_, text, shown) => {
    const values = ["value-1", "value-1-long", 'quoted\n"value"', "word", "12345", "password", "db", "Secret", "abc"]
    const stringData = Object.fromEntries(values.map((value, i) => [i === 0 ? "password" : `key${i}`, value]))
    expect(knowing(secret({ stringData })).hideText(text)).toBe(shown)
  })

  it("are hidden at their places even if they are short or common words", () => {
    const object = secret({ stringData: { a: "db", b: "1" } })
    expect(knowing(object).hide(object)).toEqual(secret({ stringData: { a: "(hidden 1)", b: "(hidden 2)" } }))
    expect(knowing(object).hideAt(object, parsePath(".stringData.a"), "db")).toBe("(hidden 1)")
  })

  it("are shown if the user says so", () => {
    const object = secret({ stringData: { a: "value-of-a" } })
    const secrets = new Secrets({ show: true, masks: [parseMaskPath(".metadata")] })
    secrets.learn(object)
    expect(secrets.hide(object)).toBe(object)
    expect(secrets.hideText("value-of-a")).toBe("value-of-a")
  })
})
