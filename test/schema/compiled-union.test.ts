import { describe, expect, it } from "vitest"
import { areSettled, CompiledUnion } from "../../src/schema/compiled-union.js"
import type { UnionDef, UnionMember } from "../../src/schema/union.js"
import type { MapValue } from "../../src/value/value.js"
import { inheritedKeys, json } from "../value/samples.js"

function member(fieldName: string, more: Partial<UnionMember> = {}): UnionMember {
  return { fieldName, discriminatorValue: fieldName.toUpperCase(), ...more }
}

function union(members: readonly string[], more: Partial<UnionDef> = {}): CompiledUnion {
  return new CompiledUnion({ discriminator: "type", fields: members.map(name => member(name)), ...more })
}

const few = union(["b", "a", "c"])
const many = union([..."hgfedcba"])
const bare = new CompiledUnion({ fields: [member("a"), member("b")] })

describe("discriminator values", () => {
  it("select members", () => {
    expect(few.members.map(name => [few.valueOf(name), few.memberOf(few.valueOf(name))])).toEqual([
      ["B", "b"],
      ["A", "a"],
      ["C", "c"],
    ])
    expect([few.memberOf("X"), few.memberOf(""), few.valueOf("x")]).toEqual([undefined, undefined, ""])
  })

  it("select the first of several members with the same value", () => {
    const shared = new CompiledUnion({ fields: [member("a"), member("b", { discriminatorValue: "A" })] })
    expect([shared.memberOf("A"), shared.valueOf("b")]).toEqual(["a", "A"])
  })

  it("are empty if the schema has none", () => {
    const unnamed = new CompiledUnion({ discriminator: "type", fields: [{ fieldName: "a" } as UnionMember] })
    expect([unnamed.valueOf("a"), unnamed.memberOf("")]).toEqual(["", "a"])
  })

  it.each(inheritedKeys)("may be called %s", name => {
    expect([few.memberOf(name), few.valueOf(name)]).toEqual([undefined, ""])
    expect(new CompiledUnion({ fields: [member(name, { discriminatorValue: name })] }).memberOf(name)).toBe(name)
  })

  it.each<[map: string, selected: string, raw: unknown]>([
    ['{"type":"A"}', "A", "A"],
    ['{"type":""}', "", ""],
    ['{"type":null}', "", null],
    ['{"type":1}', "", 1],
    ["{}", "", undefined],
  ])("are read from %s", (text, selected, raw) => {
    const map = json(text) as MapValue
    expect([few.selectedIn(map), few.rawSelection(map)]).toEqual([selected, raw])
    expect([bare.selectedIn(map), bare.rawSelection(map)]).toEqual(["", undefined])
    expect([few.selectedIn(null), few.rawSelection(null)]).toEqual(["", undefined])
  })
})

describe("required", () => {
  it.each([
    ["exactlyOne", true],
    ["atMostOne", false],
    [undefined, false],
  ] as const)("with cardinality %s: %s", (cardinality, required) => {
    expect(union(["a"], cardinality === undefined ? {} : { cardinality }).required).toBe(required)
  })
})

describe("members in a map", () => {
  it.each<[title: string, of: CompiledUnion, map: string, set: string, present: string]>([
    ["none", few, '{"type":"A","x":1}', "", ""],
    ["one", few, '{"a":1}', "a", "a"],
    ["several, in the schema's order", few, '{"a":1,"c":{},"b":[]}', "b a c", "b a c"],
    ["null is present, but not set", few, '{"a":null,"b":1}', "b", "b a"],
    ["empty and zero values are set", few, '{"a":"","b":0,"c":false}', "b a c", "b a c"],
    ["none of many", many, '{"type":"A"}', "", ""],
    ["one of many", many, '{"x":1,"c":1}', "c", "c"],
    ["several of many, in the schema's order", many, '{"a":1,"x":1,"h":1,"d":null}', "h a", "h d a"],
  ])("%s", (_, of, text, set, present) => {
    const map = json(text) as MapValue
    expect(of.setIn(map).join(" ")).toBe(set)
    expect(of.presentIn(map, undefined).join(" ")).toBe(present)
    expect(of.presentIn(map, "a").join(" ")).toBe(present.replace(/ ?a$| ?a(?= )/, "").trim())
    expect([of.setIn(null), of.isSet(null, "a")]).toEqual([[], false])
  })

  it.each<[value: string, set: boolean, setAsPointer: boolean]>([
    ['""', false, true],
    ["0", false, true],
    ["false", false, true],
    ["null", false, false],
    ["[]", true, true],
    ["{}", true, true],
    ['"x"', true, true],
    ["1", true, true],
  ])("count %s as set unless zeroIsUnset excludes it", (text, set, setAsPointer) => {
    const plain = new CompiledUnion({ fields: [member("a", { zeroIsUnset: true }), member("b")] })
    const map = json(`{"a":${text},"b":${text}}`) as MapValue
    expect([plain.isSet(map, "a"), plain.isSet(map, "b")]).toEqual([set, setAsPointer])
    expect(plain.setIn(map)).toEqual(["a", "b"].filter((_, i) => [set, setAsPointer][i]))
  })
})

describe("isSettled", () => {
  it.each<[map: string, withDiscriminator: boolean, without: boolean]>([
    ["{}", true, true],
    ['{"type":"A"}', true, true],
    ['{"type":"A","a":1}', true, true],
    ['{"type":"B","a":1}', false, true],
    ['{"type":"","a":1}', false, true],
    ['{"a":1}', false, true],
    ['{"type":"A","a":null}', false, true],
    ['{"type":"A","a":1,"b":1}', false, false],
    ['{"type":"A","a":1,"b":null}', false, false],
    ['{"type":1,"a":1}', false, true],
  ])("of %s", (text, withDiscriminator, without) => {
    const map = json(text) as MapValue
    expect([few.isSettled(map), bare.isSettled(map)]).toEqual([withDiscriminator, without])
    expect([areSettled([bare, few], map), areSettled([], map)]).toEqual([withDiscriminator && without, true])
  })
})
