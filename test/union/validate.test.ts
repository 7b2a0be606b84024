import { describe, expect, it } from "vitest"
import { formatPath } from "../../src/fieldpath/path.js"
import { parseSchema } from "../../src/typed/parser.js"
import { compileSchema, type Type } from "../../src/typed/type.js"
import type { UnionFieldError, UnionValidationOptions } from "../../src/union/check-union.js"
import { applyUnionOverlay } from "../../src/union/overlay.js"
import { validateUnions } from "../../src/union/validate.js"
import { typed, typeOf, yaml } from "./story.js"

const schema = applyUnionOverlay(
  parseSchema(
    yaml(`
types:
- name: root
  map:
    fields:
    - {name: strategy, type: {namedType: strategy}}
    - name: volumes
      type: {list: {elementType: {namedType: volume}, elementRelationship: associative, keys: [name]}}
    - {name: env, type: {list: {elementType: {namedType: env}, elementRelationship: atomic}}}
    - {name: byName, type: {map: {elementType: {namedType: volume}}}}
- name: strategy
  map: {fields: [{name: type, type: {scalar: string}}, {name: rollingUpdate, type: {namedType: any}}, {name: blueGreen, type: {namedType: any}}]}
- name: volume
  map: {fields: [{name: name, type: {scalar: string}}, {name: nfs, type: {namedType: any}}, {name: hostPath, type: {namedType: any}}, {name: items, type: {list: {elementType: {scalar: string}, elementRelationship: atomic}}}, {name: labels, type: {map: {elementType: {scalar: string}}}}]}
- name: env
  map: {fields: [{name: name, type: {scalar: string}}, {name: value, type: {scalar: string}}, {name: valueFrom, type: {namedType: any}}]}
- name: any
  map: {fields: [{name: path, type: {scalar: string}}]}
`),
  ),
  yaml(`
types:
- name: strategy
  unions:
  - discriminator: type
    cardinality: exactlyOne
    emptyValues: [Recreate]
    fields: [{fieldName: rollingUpdate, discriminatorValue: RollingUpdate}, {fieldName: blueGreen, discriminatorValue: BlueGreen, optional: true}]
- name: volume
  unions:
  - cardinality: exactlyOne
    fields: [{fieldName: nfs}, {fieldName: hostPath}, {fieldName: items}, {fieldName: labels}]
- name: env
  unions: [{fields: [{fieldName: value, zeroIsUnset: true}, {fieldName: valueFrom}]}]
`),
)
const types = compileSchema(schema)
const root = types.type("root")

function errors(next: string, old?: string, options?: UnionValidationOptions, type: Type = root): UnionFieldError[] {
  return validateUnions(old === undefined ? undefined : typed(type, old), typed(type, next), options)
}

function messages(next: string, old?: string, options?: UnionValidationOptions): string[] {
  return errors(next, old, options).map(error => error.message)
}

const kep = { style: "kep-2022" } as const

describe("validateUnions reports", () => {
  it.each([
    [
      "a member too many",
      "{volumes: [{name: a, nfs: {}, hostPath: {}}]}",
      'volumes[0]: Invalid value: "{nfs, hostPath}": must specify exactly one of: `nfs`, `hostPath`, `items`, `labels`',
    ],
    [
      "no member",
      "{volumes: [{name: a}]}",
      'volumes[0]: Invalid value: "": must specify one of: `nfs`, `hostPath`, `items`, `labels`',
    ],
    [
      "an empty list and an empty map, which are no members",
      "{volumes: [{name: a, items: [], labels: {}, nfs: {}}]}",
      undefined,
    ],
    [
      "a list and a map with something in them, which are members",
      "{volumes: [{name: a, items: [x], labels: {k: x}}]}",
      'volumes[0]: Invalid value: "{items, labels}": must specify exactly one of: `nfs`, `hostPath`, `items`, `labels`',
    ],
    [
      "two members where one or none may be",
      "{env: [{name: a, value: x, valueFrom: {}}]}",
      'env[0]: Invalid value: "{value, valueFrom}": must specify at most one of: `value`, `valueFrom`',
    ],
    ["a zero that is no member", "{env: [{name: a, value: '', valueFrom: {}}, {name: b}]}", undefined],
    [
      "a member that is not selected",
      "{strategy: {type: Recreate, rollingUpdate: {}}}",
      'strategy.rollingUpdate: Invalid value: "": may only be specified when `type` is "RollingUpdate"',
    ],
    [
      "a member without a discriminator",
      "{strategy: {blueGreen: {}}}",
      'strategy.blueGreen: Invalid value: "": may only be specified when `type` is "BlueGreen"',
    ],
    [
      "a selected member that is absent",
      "{strategy: {type: RollingUpdate}}",
      'strategy.rollingUpdate: Invalid value: "": must be specified when `type` is "RollingUpdate"',
    ],
    ["a selected optional member that is absent", "{strategy: {type: BlueGreen}}", undefined],
    ["a value that no member has", "{strategy: {type: Purple}}", undefined],
    [
      "members of map values",
      "{byName: {k: {name: a}}}",
      'byName[k]: Invalid value: "": must specify one of: `nfs`, `hostPath`, `items`, `labels`',
    ],
    ["null", "{strategy: null, volumes: null}", undefined],
  ])("%s", (_, next, message) => {
    expect(messages(next)).toEqual(message === undefined ? [] : [message])
  })

  it("the root", () => {
    expect(errors("{name: a}", undefined, {}, types.type("volume"))).toEqual([
      {
        rule: "exactly-one",
        type: "FieldValueInvalid",
        path: [],
        field: "",
        badValue: "",
        detail: "must specify one of: `nfs`, `hostPath`, `items`, `labels`",
        origin: "union",
        message: 'Invalid value: "": must specify one of: `nfs`, `hostPath`, `items`, `labels`',
      },
    ])
  })

  it("several things, in the order they are declared, with items by key and by position", () => {
    const found = errors(
      "{volumes: [{name: a, nfs: {}}, {name: b}], strategy: {type: BlueGreen, rollingUpdate: {}}, env: [{name: e, value: x, valueFrom: {}}]}",
    )
    expect(found.map(({ path, field, rule, origin }) => [formatPath(path), field, rule, origin])).toEqual([
      [".strategy.rollingUpdate", "strategy.rollingUpdate", "discriminator-mismatch", "union"],
      ['.volumes[name="b"]', "volumes[1]", "exactly-one", "union"],
      [".env[0]", "env[0]", "at-most-one", "zeroOrOneOf"],
    ])
  })
})

describe("in the style of kep-2022 it also reports", () => {
  it("a value that is not listed", () => {
    expect(messages("{strategy: {type: Purple}}", undefined, kep)).toEqual([
      'strategy.type: Unsupported value: "Purple": supported values: "RollingUpdate", "BlueGreen", "Recreate"',
    ])
    expect(messages("{strategy: {type: Recreate}}", undefined, kep)).toEqual([])
  })

  it("an absent discriminator if a member is required", () => {
    expect(errors("{strategy: {}}", undefined, kep)).toMatchObject([
      { rule: "discriminator-required", type: "FieldValueRequired", message: "strategy.type: Required value" },
    ])
  })

  it("an absent discriminator that is required", () => {
    const type = typeOf(`
types:
- name: root
  map: {fields: [{name: d, type: {scalar: string}}, {name: a, type: {scalar: string}}]}
`)
    const fields = [{ fieldName: "a", discriminatorValue: "A" }]
    const unions = [{ discriminator: "d", discriminatorRequired: true, fields }]
    const required = compileSchema(applyUnionOverlay(type.schema.schema, { types: [{ name: "root", unions }] }))
    const rules = (next: string) => errors(next, undefined, kep, required.type("root")).map(({ rule }) => rule)
    expect([rules("{}"), rules("{d: null}"), rules("{d: ''}"), rules("{d: B}")]).toEqual([
      ["discriminator-required"],
      ["discriminator-required"],
      [],
      [],
    ])
  })

  it("how to select the member that was added", () => {
    const [error] = errors(
      "{strategy: {type: RollingUpdate, rollingUpdate: {}, blueGreen: {}}}",
      "{strategy: {type: RollingUpdate, rollingUpdate: {}}}",
      kep,
    )
    expect(error?.hint).toBe('change type to "BlueGreen" to select blueGreen')
    expect(error?.detail).toBe('may only be specified when `type` is "BlueGreen"')
  })
})

describe("ratcheting", () => {
  const bad = "{volumes: [{name: a, nfs: {path: x}, hostPath: {}}], strategy: {type: RollingUpdate}}"

  it.each([
    ["passes what was so before", bad, 0],
    [
      "passes changes inside members",
      "{volumes: [{name: a, nfs: {path: z}, hostPath: {}}], strategy: {type: RollingUpdate}}",
      0,
    ],
    [
      "finds the item by its key",
      "{volumes: [{name: b, nfs: {}}, {name: a, nfs: {}, hostPath: {}}], strategy: {type: RollingUpdate}}",
      0,
    ],
    ["refuses another member", "{volumes: [{name: a, nfs: {}, items: [x]}], strategy: {type: RollingUpdate}}", 1],
    ["refuses another item", "{volumes: [{name: c, nfs: {}, hostPath: {}}], strategy: {type: RollingUpdate}}", 1],
    [
      "refuses another discriminator",
      "{volumes: [{name: a, nfs: {}, hostPath: {}}], strategy: {type: BlueGreen, rollingUpdate: {}}}",
      1,
    ],
  ])("%s", (_, next, count) => {
    expect(errors(next, bad)).toHaveLength(count)
  })

  it("can be switched off", () => {
    expect(errors(bad, bad, { ratchet: false })).toHaveLength(2)
  })

  it("refuses members that were absent before", () => {
    expect(errors("{strategy: {type: RollingUpdate}}", "{strategy: {}}")).toHaveLength(1)
    expect(errors("{strategy: {type: RollingUpdate}}", "{}")).toHaveLength(1)
    expect(errors("{volumes: [{name: a}]}", "{volumes: []}")).toHaveLength(1)
  })

  it("accepts a union that was empty before and still is", () => {
    expect(errors("{strategy: {}}", "{strategy: {}}", kep)).toEqual([])
    expect(errors("{name: a}", "{}", {}, types.type("volume"))).toEqual([])
    expect(errors("{strategy: {}}", "{}", kep)).toHaveLength(1)
  })

  it("detects a discriminator that becomes empty if its value is checked", () => {
    expect(errors("{strategy: {type: ''}}", "{strategy: {}}", kep)).toHaveLength(1)
    expect(errors("{strategy: {type: ''}}", "{strategy: {type: ''}}", kep)).toEqual([])
    expect(errors("{strategy: {type: ''}}", "{strategy: {}}")).toEqual([])
  })

  it("finds equal items of atomic lists, and no others", () => {
    const old = "{env: [{name: a, value: x, valueFrom: {}}]}"
    expect(errors("{env: [{name: new}, {name: a, value: x, valueFrom: {}}]}", old)).toEqual([])
    expect(errors("{env: [{name: a, value: other, valueFrom: {}}]}", old)).toHaveLength(1)
  })
})

describe("with a policy", () => {
  const unknown = "{strategy: {type: Purple}}"
  const absent = "{strategy: {type: RollingUpdate}}"

  it.each([
    ["v4", "exactly-one", "exactly-one"],
    ["kep-2019", "exactly-one", "exactly-one"],
    ["kep-2022-draft", "not-in-enum", "selected-absent"],
    ["kep-2022", "not-in-enum", "selected-absent"],
    ["extended", "not-in-enum", "selected-absent"],
  ] as const)("%s raises what it leaves to validation", (policy, ofUnknown, ofAbsent) => {
    expect(errors(unknown, undefined, { policy }).map(({ rule }) => rule)).toEqual([ofUnknown])
    expect(errors(absent, undefined, { policy }).map(({ rule }) => rule)).toEqual([ofAbsent])
  })

  it("requires no member if the discriminator selects none, or an optional one", () => {
    const policy = "kep-2019"
    expect(errors("{strategy: {type: Recreate}}", undefined, { policy })).toEqual([])
    expect(errors("{strategy: {type: BlueGreen}}", undefined, { policy })).toEqual([])
    expect(errors("{strategy: {}}", undefined, { policy })).toMatchObject([
      {
        rule: "exactly-one",
        message: 'strategy: Invalid value: "": must specify one of: `rollingUpdate`, `blueGreen`',
      },
    ])
  })

  it("ratchets if the policy does", () => {
    const bad = "{volumes: [{name: a, nfs: {}, hostPath: {}}]}"
    expect(errors(bad, bad, { policy: "extended" })).toEqual([])
    expect(errors(bad, bad, { policy: "kep-2022" })).toHaveLength(1)
    expect(errors(bad, bad, { policy: "kep-2022", ratchet: true })).toEqual([])
  })

  it("refuses values of different types", () => {
    expect(() => validateUnions(typed(types.type("env"), "{}"), typed(root, "{}"))).toThrow(
      "expected objects of the same type",
    )
  })
})

describe("a member that is emptyIsSet", () => {
  const list = { list: { elementType: { scalar: "string" }, elementRelationship: "atomic" } } as const
  const map = { map: { elementType: { scalar: "string" } } } as const
  const members = (emptyIsSet: boolean) => ["l", "m"].map(fieldName => ({ fieldName, emptyIsSet }))
  const of = (emptyIsSet: boolean) => {
    const fields = [
      { name: "l", type: list },
      { name: "m", type: map },
    ] as const
    const plain = { types: [{ name: "t", map: { fields } }] }
    const unions = [{ cardinality: "exactlyOne" as const, fields: members(emptyIsSet) }]
    return compileSchema(applyUnionOverlay(plain, { types: [{ name: "t", unions }] })).type("t")
  }

  it.each([
    ["{l: []}", [], ["exactly-one"]],
    ["{m: {}}", [], ["exactly-one"]],
    ["{l: [], m: {}}", ["exactly-one"], ["exactly-one"]],
    ["{l: [], m: {a: b}}", ["exactly-one"], []],
    ["{l: null, m: {a: b}}", [], []],
  ])("%s", (next, set, unset) => {
    expect(errors(next, undefined, {}, of(true)).map(({ rule }) => rule)).toEqual(set)
    expect(errors(next, undefined, {}, of(false)).map(({ rule }) => rule)).toEqual(unset)
  })
})
