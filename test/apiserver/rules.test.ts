// Rules of custom resources (x-kubernetes-validations) in the server. test/vectors has recorded results of rules.
import { afterEach, describe, expect, it, vi } from "vitest"
import type { MapValue } from "../../src/value/value.js"
import { definitionOf } from "../support/definition.js"
import { clientOf } from "./requests.js"

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
const widgets = "/apis/example.org/v1/namespaces/default/widgets"

function definition(validations: readonly MapValue[], part: MapValue = {}): MapValue {
  const spec = { type: "object", properties: { a: { type: "integer" }, b: { type: "string" } }, ...part }
  const properties = { spec: { ...spec, "x-kubernetes-validations": validations } }
  return definitionOf("Widget", { group: "example.org", schema: { properties } })
}

function widget(spec: MapValue): MapValue {
  return { apiVersion: "example.org/v1", kind: "Widget", metadata: { name: "w" }, spec }
}

/** Returns a client of a new server, which loads the library again. */
async function start(options: object = {}) {
  vi.resetModules()
  const { createApiServer } = await import("../../src/apiserver/index.js")
  return clientOf(createApiServer(options))
}

afterEach(() => vi.doUnmock("@marcbachmann/cel-js"))

const rule = { rule: "self.a > 1", message: "a is too small", reason: "FieldValueForbidden", fieldPath: ".a" }

describe("rules", () => {
  it("refuse a custom resource with the message and the reason of the rule", async () => {
    const send = await start()
    const created = await send("POST", definitions, definition([rule]))
    expect(created).toMatchObject({ status: 201, warnings: "" })
    const { status, body } = await send("POST", widgets, widget({ a: 1 }))
    expect(status).toBe(422)
    expect(body.message).toBe('Widget.example.org "w" is invalid: spec.a: Forbidden: a is too small')
    expect(body.details.causes).toEqual([
      { reason: "FieldValueForbidden", message: "Forbidden: a is too small", field: "spec.a" },
    ])
    expect((await send("POST", widgets, widget({ a: 2 }))).status).toBe(201)
  })

  it("know the field of the replicas of a resource that can be scaled", async () => {
    const paths = { specReplicasPath: ".spec.a", statusReplicasPath: ".status.a" }
    const { spec, ...rest } = definition([]) as { spec: { versions: MapValue[] } }
    const versions = spec.versions.map(version => ({ ...version, subresources: { scale: paths } }))
    const send = await start({ crds: [{ ...rest, spec: { ...spec, versions } }] })
    const problemsOf = async (spec: MapValue) => {
      const { body } = await send("POST", widgets, { ...widget({ a: 0 }), ...spec })
      return String(body.message).replace(/^.*? is invalid: /, "")
    }
    expect(await problemsOf({ spec: { a: -1 } })).toBe(".spec.a: Invalid value: -1: should be a non-negative integer")
    expect(await problemsOf({ spec: { a: 2 ** 31 } })).toBe(
      ".spec.a: Invalid value: 2147483648: should be less than or equal to 2147483647",
    )
    expect(await problemsOf({ spec: { a: "x" } })).toMatch(
      /, \.spec\.a: Invalid value: 0: \.spec\.a accessor error: x is of the type string, expected int64/,
    )
    expect(await problemsOf({ spec: 5 })).toMatch(
      /\.spec\.a accessor error: 5 is of the type int64, expected map\[string\]interface\{\}/,
    )
  })

  it("of definitions from the start of the server are run", async () => {
    const send = await start({ crds: [definition([rule])] })
    expect((await send("POST", widgets, widget({ a: 1 }))).status).toBe(422)
  })

  it("about transitions refuse an apply", async () => {
    const send = await start({ crds: [definition([{ rule: "self.b == oldSelf.b", message: "b stays" }])] })
    const apply = (b: string) => send("PATCH", `${widgets}/w?fieldManager=m`, widget({ b }), "apply")
    expect((await apply("x")).status).toBe(201)
    const { status, body } = await apply("y")
    expect([status, body.message]).toEqual([422, 'Widget.example.org "w" is invalid: spec: Invalid value: b stays'])
  })

  it.each([
    ["self.zz == 1", "ERROR: <input>:1:5: undefined field 'zz'\n | self.zz == 1\n | ....^"],
    ["has(self.zz)", "ERROR: <input>:1:4: undefined field 'zz'\n | has(self.zz)\n | ...^"],
    [
      "self.b.matches('x') || [1].all(i, has(self.y) || !has(self.a)) || has(self.x)",
      [
        "ERROR: <input>:1:38: undefined field 'y'",
        "| self.b.matches('x') || [1].all(i, has(self.y) || !has(self.a)) || has(self.x)",
        "| .....................................^\nERROR: <input>:1:70: undefined field 'x'",
      ].join("\n "),
    ],
    ["self.a ==", "Unexpected token: EOF"],
    ["self.a", "cel expression must evaluate to a bool"],
    ["self.a == 'x'", "no such overload: int == string"],
    ["self.b.nonsense()", "ERROR: <input>:1:16: undeclared reference to 'nonsense' (in container '')"],
    ["self.b.matches(1)", "found no matching overload for 'string.matches(int)'"],
  ])("that do not compile are refused with their definition: %s", async (text, why) => {
    const send = await start()
    const { status, body } = await send("POST", definitions, definition([{ rule: text }]))
    expect(status).toBe(422)
    const [cause] = body.details.causes
    expect(cause.field).toBe("spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule")
    expect(cause.message).toContain(`"Rule":${JSON.stringify(text)}`)
    expect(cause.message).toContain(why)
  })

  it.each([
    ["isSemver(self.b)", "it calls isSemver"],
    ["[1, 2].all(i, x, x > i)", "it calls all with two variables"],
  ])("that call unsupported functions are accepted with a warning, and not run: %s", async (text, why) => {
    const send = await start()
    const { status, warnings } = await send("POST", definitions, definition([{ rule: text }]))
    expect(status).toBe(201)
    expect(warnings).toContain(`x-kubernetes-validations[0].rule: this rule is not run: ${why}`)
    expect((await send("POST", widgets, widget({ a: 1, b: "x" }))).status).toBe(201)
  })

  it("are not run without the library, and a warning says so", async () => {
    vi.doMock("@marcbachmann/cel-js", () => {
      throw new Error("not installed")
    })
    const send = await start()
    const { status, warnings } = await send("POST", definitions, definition([rule]))
    expect(status).toBe(201)
    expect(warnings).toContain("install @marcbachmann/cel-js")
    expect((await send("POST", widgets, widget({ a: 1 }))).status).toBe(201)
  })

  it("that did not change in an update are not run again", async () => {
    const send = await start({ crds: [definition([rule], { properties: { a: { type: "integer" } } })] })
    await send("POST", widgets, widget({ a: 2 }))
    const stricter = definition([{ rule: "self.a > 5" }])
    const { body } = await send("PATCH", `${definitions}/widgets.example.org`, { spec: stricter.spec }, "merge")
    expect(body.message).toBeUndefined()
    const merge = (patch: object) => send("PATCH", `${widgets}/w`, patch, "merge")
    expect((await merge({ metadata: { labels: { x: "y" } } })).status).toBe(200)
    expect((await merge({ spec: { a: 3 } })).status).toBe(422)
  })
})
