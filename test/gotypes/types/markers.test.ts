/** Reads lines of comments as markers. */
import { describe, expect, it } from "vitest"
import { Markers, markersOfEach, markerText, withoutStability } from "../../../src/gotypes/types/markers.js"

const read = (...texts: readonly string[]) => new Markers(texts.map((text, index) => ({ text, line: index + 1 })))

/** Returns the first marker as data, without absent members. */
function markerOf(text: string) {
  const [found] = read(text).written
  if (found === undefined) return undefined
  const { name, args, text: said, value, payload } = found
  return {
    name,
    ...(args.size > 0 && { args: Object.fromEntries(args) }),
    ...(said !== undefined && { text: said }),
    ...(value !== undefined && { value }),
    ...(payload !== undefined && { payload: payload.name }),
  }
}

describe("a marker", () => {
  it.each<[string, ReturnType<typeof markerOf>]>([
    ["+optional", { name: "optional" }],
    ["  +optional  ", { name: "optional" }],
    ["+optional and more words", { name: "optional" }],
    ["+listType=set", { name: "listType", text: "set", value: "set" }],
    ["+listType = set ", { name: "listType", text: "set", value: "set" }],
    ["+listType=", { name: "listType", text: "", value: "" }],
    ['+default={"a": 1}', { name: "default", text: '{"a": 1}', value: '{"a": 1}' }],
    ['+default="a # b"', { name: "default", text: '"a # b"', value: "a # b" }],
    ["+default=`a # b` # c", { name: "default", text: "`a # b` # c", value: "a # b" }],
    ['+default="a\\"b" c', { name: "default", text: '"a\\"b" c', value: 'a"b' }],
    ['+default="a', { name: "default", text: '"a', value: '"a' }],
    ['+default="a\\"', { name: "default", text: '"a\\"', value: '"a\\"' }],
    ["+default=`a", { name: "default", text: "`a", value: "`a" }],
    ["+default=a #b", { name: "default", text: "a #b", value: "a" }],
    ["+default=a#b", { name: "default", text: "a#b", value: "a#b" }],
    ["+k8s:maxLength=10", { name: "k8s:maxLength", text: "10", value: 10 }],
    ["+k8s:maxLength=10 # at most", { name: "k8s:maxLength", text: "10 # at most", value: 10 }],
    ["+k8s:minimum=-1", { name: "k8s:minimum", text: "-1", value: -1 }],
    ["+k8s:minimum=0", { name: "k8s:minimum", text: "0", value: 0 }],
    ["+k8s:minimum=-0", { name: "k8s:minimum", text: "-0", value: "-0" }],
    ["+k8s:minimum=01", { name: "k8s:minimum", text: "01", value: "01" }],
    ["+k8s:minimum=1.5", { name: "k8s:minimum", text: "1.5", value: "1.5" }],
    ["+k8s:minimum=9007199254740991", { name: "k8s:minimum", text: "9007199254740991", value: 9007199254740991 }],
    ["+k8s:minimum=9007199254740993", { name: "k8s:minimum", text: "9007199254740993", value: 9007199254740993n }],
    ["+k8s:deepcopy-gen=true", { name: "k8s:deepcopy-gen", text: "true", value: true }],
    ["+k8s:deepcopy-gen=false", { name: "k8s:deepcopy-gen", text: "false", value: false }],
    ["+a.b-c_d:e=truely", { name: "a.b-c_d:e", text: "truely", value: "truely" }],
    ["+unionMember,optional", { name: "unionMember", text: ",optional", value: ",optional" }],
    ["+unionMember=a,optional", { name: "unionMember", text: "a,optional", value: "a,optional" }],
    ["+k8s:unionMember()", { name: "k8s:unionMember" }],
    [
      '+k8s:ifEnabled("Gate")=+k8s:required',
      { name: "k8s:ifEnabled", args: { "": "Gate" }, text: "+k8s:required", payload: "k8s:required" },
    ],
    [
      "+k8s:ifEnabled(Gate) = +k8s:required",
      { name: "k8s:ifEnabled", args: { "": "Gate" }, text: "+k8s:required", payload: "k8s:required" },
    ],
    ["+x=+y", { name: "x", text: "+y", payload: "y" }],
    ["+x=+", { name: "x", text: "+", payload: "" }],
    ["words +optional", undefined],
    ["optional", undefined],
    ["+ optional", undefined],
    ["+", undefined],
    ["", undefined],
  ])("%j", (text, expected) => {
    expect(markerOf(text)).toEqual(expected)
    expect(read(text).malformed).toEqual([])
  })

  it.each<[string, Record<string, unknown>]>([
    ['(union: "u", memberName: "A")', { union: "u", memberName: "A" }],
    ["(union: `u`,memberName:`A`)", { union: "u", memberName: "A" }],
    ["(union: `of two`, memberName: ``)", { union: "of two", memberName: "" }],
    ["( a : 1 , b : true , c : x-y.z )", { a: 1, b: true, c: "x-y.z" }],
    ['("a")', { "": "a" }],
    ["(a)", { "": "a" }],
    ["(-3)", { "": -3 }],
    ["(a: false)", { a: false }],
    ['(a: ")")', { a: ")" }],
    ["(a: `)`)", { a: ")" }],
    ['(a: "\\")")', { a: '")' }],
    ["(a: `\\`)", { a: "\\" }],
    ['(a: "`")', { a: "`" }],
    ["(a_b.c-d: 1)", { "a_b.c-d": 1 }],
    ["(a: 9007199254740993)", { a: 9007199254740993n }],
    ["(a: 1,)", { a: 1 }],
    ["()", {}],
    ["(  )", {}],
  ])("has the arguments %s", (args, expected) => {
    const [marker] = read(`+k8s:x${args}=+k8s:y`).written
    expect(Object.fromEntries(marker?.args ?? [])).toEqual(expected)
    expect(marker?.payload?.name).toBe("k8s:y")
  })

  it.each([
    "+k8s:x(",
    "+k8s:x(a",
    '+k8s:x("a)',
    "+k8s:x(`a)",
    "+k8s:x(a b)",
    "+k8s:x(: a)",
    "+k8s:x(a: b: c)",
    "+k8s:x(,)",
    "+k8s:x(a,,b)",
    '+k8s:x("a"b)',
    "+k8s:x((a))",
    "+k8s:x(1a: b)",
    "+k8s:x=+k8s:y(",
    "+k8s:x=+k8s:y=+k8s:z(a",
  ])("%s can't be read", text => {
    const { written, all, malformed } = read("+a", text)
    expect(written.map(({ name }) => name)).toEqual(["a"])
    expect(all).toEqual(written)
    expect(malformed).toEqual([{ text, line: 2 }])
  })

  it("can be within a hundred others", () => {
    const text = (count: number) => `${"+k8s:eachVal=".repeat(count)}+k8s:required`
    expect(read(text(100)).written).toHaveLength(1)
    expect(read(text(101)).malformed).toEqual([{ text: text(101), line: 1 }])
  })

  it("has the payload of another generator that can't be read as text", () => {
    const [marker] = read("+x=+y(").written
    expect(marker).toMatchObject({ name: "x", text: "+y(", value: "+y(", payload: undefined })
  })

  it("has its line, and so has its payload", () => {
    const [, marker] = read("words", "+k8s:a=+k8s:b", "+k8s:eachVal=+k8s:c").written
    expect([marker?.line, marker?.payload?.line]).toEqual([3, 3])
  })
})

describe("markers of a comment", () => {
  const markers = read(
    "+a=1",
    '+k8s:alpha(since: "1.37")=+k8s:b="x"',
    "+k8s:beta=+k8s:alpha=+a=2",
    "+k8s:alpha",
    "+k8s:c=true",
    "+d",
  )

  it("are found by name, behind any level of stability", () => {
    expect(markers.written.map(({ name }) => name)).toEqual(["a", "k8s:alpha", "k8s:beta", "k8s:alpha", "k8s:c", "d"])
    expect(markers.all.map(({ name }) => name)).toEqual(["a", "k8s:b", "a", "k8s:alpha", "k8s:c", "d"])
    expect(markers.named("a", "k8s:c").map(({ text }) => text)).toEqual(["1", "2", "true"])
    expect(markers.named("k8s:beta")).toEqual([])
    expect([markers.has("a"), markers.has("x", "d"), markers.has("x"), markers.has()]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it("say as text what the first of them says", () => {
    expect(markers.text("a")).toBe("1")
    expect(markers.text("k8s:b")).toBe("x")
    expect(markers.text("k8s:c", "a")).toBe("1")
    expect(markers.text("d")).toBe("")
    expect(markers.text("k8s:alpha")).toBe("")
    expect(markers.text("x")).toBeUndefined()
  })

  it("say as text their values if they belong to declarative validation, and else what is written", () => {
    const [plain, own] = read('+listType="set" # a', '+k8s:listType="set" # a').written
    expect([plain && markerText(plain), own && markerText(own)]).toEqual(['"set" # a', "set"])
  })

  it("apply to each value or key", () => {
    const { all } = read(
      "+k8s:eachVal=+k8s:a",
      "+k8s:eachKey=+k8s:b",
      "+k8s:beta=+k8s:eachVal=+k8s:alpha=+k8s:c",
      "+k8s:eachVal=x",
    )
    expect(markersOfEach(all, "k8s:eachVal").map(({ name }) => name)).toEqual(["k8s:a", "k8s:c"])
    expect(markersOfEach(all, "k8s:eachKey").map(({ name }) => name)).toEqual(["k8s:b"])
  })

  it("keep conditions", () => {
    const [marker] = read("+k8s:ifEnabled(G)=+k8s:required").written
    expect(marker && withoutStability(marker)).toBe(marker)
  })
})
