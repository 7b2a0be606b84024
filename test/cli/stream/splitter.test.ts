import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { runs } from "../../support/budget.js"
import { outlineOf, recordsOf } from "./records.js"

const pod = (name: string) => ({ apiVersion: "v1", kind: "Pod", metadata: { name } })
const line = (name: string) => JSON.stringify(pod(name))
const pretty = (name: string) => JSON.stringify(pod(name), null, 2)

describe("a stream", () => {
  it.each<[string, string, string[]]>([
    ["nothing", "", []],
    ["white space", " \r\n\t\n", []],
    ["NDJSON", `${line("a")}\n${line("b")}\n`, ["1 a", "2 b"]],
    ["NDJSON without a last line end", `${line("a")}\n${line("b")}`, ["1 a", "2 b"]],
    ["NDJSON of Windows", `${line("a")}\r\n${line("b")}\r\n`, ["1 a", "2 b"]],
    ["empty lines", `\n${line("a")}\n\n${line("b")}\n\n`, ["2 a", "4 b"]],
    ["a byte order mark", `\ufeff${line("a")}\n${line("b")}\n`, ["1 a", "2 b"]],
    ["indented objects", `${pretty("a")}\n${pretty("b")}\n`, ["1 a", "8 b"]],
    ["objects without anything between", line("a") + line("b") + line("c"), ["1 a", "1 b", "1 c"]],
    [
      "several objects on each line",
      `${line("a")}${line("b")}\n${line("c")} ${line("d")}\n{}`,
      ["1 a", "1 b", "2 c", "2 d", "3 undefined"],
    ],
    ["commas at the begin of lines", '{"kind":{}\n,"metadata":{"name":"a"}\n}\n', ["1 a"]],
    ["objects with commas between them", `${line("a")},\n${line("b")},\n`, ["1 a", "2 b"]],
    ["an array", `[\n${line("a")},\n${line("b")}]`, ["2 a", "3 b"]],
    ["an empty array", "[]", []],
    ["two arrays", `[${line("a")}][${line("b")}]`, ["1 a", "1 b"]],
    ["brackets and quotes in strings", `{"a":"}]\\"{[\\\\","metadata":{"name":"a"}}${line("b")}`, ["1 a", "1 b"]],
  ])("may be %s", (_, text, expected) => {
    expect(outlineOf(text)).toEqual(expected)
    for (let cut = 1; cut < text.length; cut++) expect(outlineOf(text, [cut])).toEqual(expected)
  })

  it.each<[string, string, string[]]>([
    [
      "kind behind the items",
      `{"apiVersion":"v1","items":[${line("a")},\n${line("b")}],"kind":"List","metadata":{"x":["]"]}}`,
      ["1 a", "2 b"],
    ],
    ["kind before the items", `{"kind":"PodList","items":[{"metadata":{"name":"a"}}]}`, ["1 a"]],
    ["items first", `{"items":[${line("a")}],"kind":"List"}${line("b")}`, ["1 a", "1 b"]],
    ["items alone", `{"items":[${pretty("a")}]}`, ["1 a"]],
    ["no items", '{"kind":"List","apiVersion":"v1","items":[]}', []],
    ["items that are null", '{"kind":"PodList","apiVersion":"v1","items":null}', []],
    ["no key for items", '{"kind":"List","apiVersion":"v1"}', []],
    [
      "white space everywhere",
      `{ "kind" : "List" , "items" : [ ${line("a")} , ${line("b")} ] , "metadata" : { } }`,
      ["1 a", "1 b"],
    ],
    ["items that are not objects", '{"kind":"List","items":[1,"a",null,[2]]}', Array(4).fill("1 no-object")],
    [
      "Lists as items",
      `{"kind":"List","items":[{"kind":"List","apiVersion":"v1","items":[${line("a")}]},${line("b")}]}`,
      ["1 a", "1 b"],
    ],
    ["an escaped key", `{"kind":"List","\\u0069tems":[${line("a")}]}`, ["1 a"]],
    ["the key inside of another", `{"metadata":{"name":"a","items":[1]},"x\\"items":[2]}`, ["1 a"]],
    ["a kind that is not a list", '{"kind":"Basket","items":[1],"metadata":{"name":"a"}}', ["1 a"]],
  ])("may have a List with %s", (_, text, expected) => {
    for (const whole of [text, `${text}\n`, `${text}\n{}`]) {
      const all = whole.endsWith("{}") ? [...expected, "2 undefined"] : expected
      const lines = whole.split("\n").length
      const found = outlineOf(whole)
      expect(found.map(entry => entry.replace(`${lines} undefined`, "2 undefined"))).toEqual(all)
      for (let cut = 1; cut < whole.length; cut++) expect(outlineOf(whole, [cut])).toEqual(found)
    }
  })

  it("gives items the type that their List says", () => {
    const text = '{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}'
    const expected =
      '{"apiVersion":"v1","kind":"Pod","name":"a","where":{"file":"in","line":1},"object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}}\n'
    expect(recordsOf(text)).toBe(expected)
    expect(recordsOf(`${text}\n{`).split("\n", 1)[0]).toBe(expected.trim())
  })

  it.each<[string, string, string[]]>([
    ["is cut off", `${line("a")}\n{"kind":"Pod"`, ["1 a", "2 not-json"]],
    ["is cut off in a string", `${line("a")}\n{"kind":"Po`, ["1 a", "2 not-json"]],
    ["has a line that is cut off", `${line("a")}\n{"kind":"Pod"\n${line("c")}\n`, ["1 a", "2 not-json", "3 c"]],
    [
      "has a line that is cut off in a string",
      `${line("a")}\n{"kind":"Pod\n${line("c")}\n`,
      ["1 a", "2 not-json", "3 c"],
    ],
    [
      "has a line that is cut off after a bracket",
      `${line("a")}\n{"kind":{}\n${line("c")}\n`,
      ["1 a", "2 not-json", "3 c"],
    ],
    ["has a wrong bracket", `${line("a")}\n{"kind":1]\n${line("c")}\n`, ["1 a", "2 not-json", "3 c"]],
    ["has a wrong word", `${line("a")}\n{"kind":nil}\n${line("c")}\n`, ["1 a", "2 not-json", "3 c"]],
    ["has a map in a wrong place", `${line("a")}\n{"kind" {"b":1}}\n${line("c")}\n`, ["1 a", "2 not-json", "3 c"]],
    ["has other text", `${line("a")}\nhello\nworld\n${line("c")}\n`, ["1 a", "2 no-object", "4 c"]],
    ["has other text behind an object", `${line("a")}; ${line("b")}\n${line("c")}\n`, ["1 a", "1 no-object", "2 c"]],
    ["is YAML", "apiVersion: v1\nkind: Pod\n---\nkind: Pod\n", ["1 no-object"]],
    ["is a number", "17\n", ["1 no-object"]],
    ["has a List that is cut off", `{"kind":"List","items":[${line("a")},`, ["1 a", "1 not-json"]],
    ["has a List that is cut off in an item", `{"kind":"List","items":[${line("a")},{"a":`, ["1 a", "1 not-json"]],
    [
      "has a List that is cut off behind its items",
      `{"kind":"List","items":[${line("a")}],"meta`,
      ["1 a", "1 not-json"],
    ],
    [
      "has a List without commas",
      `{"kind":"List","items":[${line("a")} ${line("b")}]}\n${line("c")}\n`,
      ["1 a", "1 not-json", "2 c"],
    ],
    ["has a List with too many commas", `{"kind":"List","items":[${line("a")},,${line("b")}]} `, ["1 a", "1 not-json"]],
    ["has a List with a comma at its end", `{"kind":"List","items":[${line("a")},]} `, ["1 a", "1 not-json"]],
    ["has a broken item", `{"kind":"List","items":[{"a":x},${line("b")}]} `, ["1 not-json", "1 b"]],
  ])("reports an error if it %s", (_, text, expected) => {
    expect(outlineOf(text)).toEqual(expected)
    for (let cut = 1; cut < text.length; cut++) expect(outlineOf(text, [cut])).toEqual(expected)
  })

  it("reports an error if it nests too deeply", () => {
    const text = `[${'{"a":'.repeat(10_001)}1${"}".repeat(10_001)},${line("b")}]`
    expect(outlineOf(text, [25_000])).toEqual(["1 not-json", "1 b"])
  })

  it("says which objects are not UTF-8", () => {
    const bytes = Buffer.from(`${line("a")}\n${line("b")}\n${line("ü")}\n`)
    bytes[bytes.indexOf("b")] = 0xff
    const [first = "", second = "", third = ""] = recordsOf(bytes).split("\n")
    expect(second).toBe('{"where":{"file":"in","line":2},"error":{"code":"not-utf8","message":"is not UTF-8 text"}}')
    expect([JSON.parse(first).name, JSON.parse(third).name]).toEqual(["a", "ü"])
  })

  it("skips values that are too large, without keeping them in memory", () => {
    const large = JSON.stringify({ ...pod("large"), data: ["x".repeat(500), { a: "}" }] })
    const expected = ["1 a", "2 too-large", "3 c"]
    const texts = [
      `${line("a")}\n${large}\n${line("c")}\n`,
      `[${line("a")},\n${large},\n${line("c")}]`,
      `{"items":[${line("a")},\n${large},\n${line("c")}]}`,
    ]
    for (const text of texts) {
      for (let cut = 0; cut < text.length; cut += 7) expect(outlineOf(text, [cut], 200)).toEqual(expected)
    }
  })
})

describe("the same objects", () => {
  // Names of one line, in case a value is compared with itself in another layout.
  const object = fc.record({
    apiVersion: fc.constantFrom("v1", "apps/v1"),
    kind: fc.constantFrom("Pod", "Deployment", "Basket"),
    metadata: fc.record({ name: fc.string({ unit: "binary" }), namespace: fc.constantFrom("a", "b") }),
    spec: fc.jsonValue({ maxDepth: 4 }),
  })
  const cuts = fc.array(fc.nat(), { maxLength: 12 })

  /** The records without their places. */
  const contents = (bytes: Uint8Array, at: readonly number[]) =>
    recordsOf(
      bytes,
      at.map(cut => cut % (bytes.length + 1)),
    ).replaceAll(/"where":\{[^}]*\},/g, "")

  it("give the same records in every form, cut anywhere", () => {
    fc.assert(
      fc.property(
        fc.array(object, { maxLength: 6 }),
        cuts,
        fc.constantFrom(undefined, 2, "\t"),
        (objects, at, indent) => {
          const texts = objects.map(object => JSON.stringify(object, null, indent))
          const expected = contents(Buffer.from(objects.map(object => `${JSON.stringify(object)}\n`).join("")), [])
          expect(expected.match(/\n/g)?.length ?? 0).toBe(objects.length)
          const forms = [
            texts.join("\n"),
            texts.join(""),
            `${texts.join("\r\n")}\r\n`,
            `[${texts.join(",\n")}]`,
            `{"apiVersion":"v1","items":[${texts.join(",")}],"kind":"List","metadata":{"resourceVersion":""}}`,
            `{"apiVersion":"v1","kind":"List",\n  "items" : [\n${texts.join(",\n")}\n]}\n`,
          ]
          for (const form of forms) expect(contents(Buffer.from(form), at)).toBe(expected)
        },
      ),
      runs(300),
    )
  })

  it("name the same line of an array that was never closed wherever it is cut", () => {
    const [one, two, three] = ["a", "b", "c"].map(name =>
      JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name } }),
    )
    const bytes = Buffer.from(`${one}[${two}\n${three}\n`)
    const whole = recordsOf(bytes)
    expect(whole).toContain('"where":{"file":"in","line":1},"error"')
    for (let cut = 0; cut <= bytes.length; cut++) expect(recordsOf(bytes, [cut])).toBe(whole)
  })

  it("give the same records and errors wherever a faulty stream is cut", () => {
    const faults = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...'{}[]",:\n\\ x\xff')), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(
        fc.array(object, { minLength: 1, maxLength: 4 }),
        faults,
        cuts,
        fc.boolean(),
        (objects, wrong, at, isList) => {
          const texts = objects.map(object => JSON.stringify(object))
          const bytes = Buffer.from(isList ? `{"items":[${texts.join(",\n")}]}` : `${texts.join("\n")}\n`)
          for (const [place, char] of wrong) bytes[place % bytes.length] = char.charCodeAt(0)
          const places = at.map(cut => cut % (bytes.length + 1))
          expect(recordsOf(bytes, places)).toBe(recordsOf(bytes))
        },
      ),
      runs(500),
    )
  })
})
