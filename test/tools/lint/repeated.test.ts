// Findings about keys that a configuration has twice. The test API server treats the same configurations as the messages say.
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../../src/apiserver/index.js"
import { parseYamlWithPositions } from "../../../src/io/index.js"
import { kubernetesTypes } from "../../../src/kubernetes/index.js"
import { lintObject, lintRepeatedKeys } from "../../../src/tools/lint/index.js"
import type { MapValue } from "../../../src/value/value.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { wholeDeployment } from "../../support/deployment.js"
import { deploymentPath, serverOf } from "../../support/reported.js"
import { History } from "./history.js"

const text = [
  "apiVersion: v1",
  "kind: ConfigMap",
  "metadata: {name: web}",
  "data:",
  "  a: x",
  "  b: z",
  "  a: 'y'",
].join("\n")

const keysIn = (yaml: string) =>
  parseYamlWithPositions(yaml, { acceptRepeatedKeys: true }).flatMap(({ repeatedKeys }) =>
    lintRepeatedKeys(repeatedKeys).map(({ path, message }) => `${path}: ${message.split(":")[0]}`),
  )

describe("a key that is twice in a map of a text", () => {
  it.each<[string, string, string[]]>([
    ["once", "a: 1\nb: 2\n", []],
    [
      "in both ways of writing",
      "a: {b: 1, b: 2}\nc:\n- d: 1\n  d: 2\n",
      [".a.b: the key is there twice, in line 1", ".c[0].d: the key is there twice, in lines 3 and 4"],
    ],
    ["in JSON", '{"a": 1,\n "a": 2}', [".a: the key is there twice, in lines 1 and 2"]],
    [
      "three times",
      "a: 1\na: 2\na: 3\n",
      [".a: the key is there twice, in lines 1 and 2", ".a: the key is there twice, in lines 1 and 3"],
    ],
    ["in the second document", "a: 1\n---\na: 1\na: 2\n", [".a: the key is there twice, in lines 3 and 4"]],
    ["beside a merged map", "x: &x {a: 1}\ny: {<<: *x, a: 2}\n", []],
  ])("is found %s", (_, yaml, expected) => {
    expect(keysIn(yaml)).toEqual(expected)
  })

  it("is a finding with its path and what to do", () => {
    const keys = parseYamlWithPositions("a: 1\na: 2\n", { acceptRepeatedKeys: true })[0]?.repeatedKeys ?? []
    expect(lintRepeatedKeys(keys)).toMatchObject([
      { code: "config-duplicate-key", path: ".a", remedy: "keep one of them" },
    ])
  })

  it("gives its last value to a server, which warns, or refuses both", async () => {
    expect(keysIn(text)).toEqual([".data.a: the key is there twice, in lines 5 and 7"])
    const { fetch } = createApiServer()
    const apply = async (fieldValidation: string) => {
      const url = `http://localhost/api/v1/namespaces/default/configmaps/web?fieldManager=me&fieldValidation=${fieldValidation}`
      const headers = { "content-type": "application/apply-patch+yaml" }
      const response = await fetch(new Request(url, { method: "PATCH", body: text, headers }))
      return {
        status: response.status,
        warning: response.headers.get("warning"),
        body: (await response.json()) as MapValue,
      }
    }
    expect(await apply("Warn")).toMatchObject({
      status: 201,
      warning: expect.stringContaining('line 7: key \\"a\\" already set in map'),
      body: { data: { a: "y", b: "z" } },
    })
    expect(await apply("Strict")).toMatchObject({ status: 400 })
  })
})

describe("two items with the same key", () => {
  const container = (more: MapValue): MapValue => deepFreeze(wholeDeployment({}, more))
  const at = '.spec.template.spec.containers[name="web"]'
  const found = (object: MapValue) =>
    lintObject(object, { types: kubernetesTypes }).map(({ path, message }) => `${path}: ${message}`)

  it.each<[string, MapValue, string[]]>([
    [
      "none with different keys",
      container({ ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }] }),
      [],
    ],
    ["none in an atomic list", container({ args: ["a", "a"] }), []],
    [
      "one key",
      container({ env: [{ name: "A" }, { name: "B" }, { name: "A", value: "1" }] }),
      [`${at}.env[2]: has the same key as item 0, [name="A"], so an apply is refused`],
    ],
    [
      "one key many times, once",
      container({ env: ["A", "B", "A", "B", "A", "A"].map(name => ({ name })) }),
      [
        `${at}.env[2]: has the same key as item 0, [name="A"], and so have 2 more items, so an apply is refused`,
        `${at}.env[3]: has the same key as item 1, [name="B"], so an apply is refused`,
      ],
    ],
    [
      "a key with a default",
      container({ ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "TCP" }] }),
      [`${at}.ports[1]: has the same key as item 0, [containerPort=80,protocol="TCP"], so an apply is refused`],
    ],
    [
      "an item of a set",
      { ...wholeDeployment({}), metadata: { name: "web", namespace: "default", finalizers: ["a.b/c", "a.b/c"] } },
      ['.metadata.finalizers[1]: has the same key as item 0, [="a.b/c"], so an apply is refused'],
    ],
  ])("are found: %s", async (_, config, expected) => {
    expect(found(config)).toEqual(expected)
    const { code, message } = await serverOf(deploymentPath).apply("me", config)
    expect(code === undefined).toBe(expected.length === 0)
    if (expected.length > 0) expect(message).toContain("duplicate entries for key")
  })

  it("are accepted in a live object, which an update may have given them", () => {
    const config = container({ env: [{ name: "A" }, { name: "A" }] })
    const live = new History().update("me", () => config).object as MapValue
    expect(found(live)).toEqual([])
  })
})
