import { expect, test } from "vitest"
import { difference, parseExact, steadyWords } from "../support/answers.js"
import { emptyMap, type Json, jsonText, mapOf, NumberText, parseJson } from "./json.js"
import { layers } from "./layers.js"
import { Random } from "./random.js"
import { type Layer, type Request, randomRequest } from "./requests.js"
import { shrink } from "./shrink.js"

function requestText(layer: string, seed: number, number: number): string {
  return jsonText(randomRequest(new Random(seed, layer, number), layers[layer] as Layer) as unknown as Json)
}

test.each(Object.keys(layers))("a case of layer %s depends on seed and number alone", layer => {
  const first = Array.from({ length: 30 }, (_, number) => requestText(layer, 7, number))
  const again = first.map((_, i) => requestText(layer, 7, 29 - i)).reverse()
  expect(again).toEqual(first)
  expect(requestText(layer, 8, 0)).not.toBe(first[0])
})

test("every request is JSON on one line and keeps the spelling of its numbers", () => {
  const texts = Array.from({ length: 400 }, (_, number) => requestText("core", 1, number))
  for (const text of texts) {
    expect(text).not.toContain("\n")
    expect(JSON.parse(text)).toHaveProperty("op")
  }
  expect(jsonText([new NumberText("1.0"), new NumberText("9223372036854775807")])).toBe("[1.0,9223372036854775807]")
  expect(jsonText(parseJson('{"__proto__":[1.0,-0,1e21,"2.0"]}'))).toBe('{"__proto__":[1.0,-0,1e21,"2.0"]}')
})

test("a request shrinks to what its difference needs", async () => {
  const steps = ["a", "b", "c"].map(name => mapOf({ op: "apply", object: mapOf({ [name]: [1, 2, 3], x: emptyMap() }) }))
  const request: Request = { op: "updater", schema: '{"types":[{"name":"v1"},{"name":"v2"}]}', deduced: true, steps }
  const needed = (line: string): boolean => line.includes('"b":[') && line.includes("v2") && line.includes("2")
  const smallest = await shrink(request, async lines => lines.findIndex(needed))
  expect(JSON.parse(smallest)).toEqual({
    op: "updater",
    schema: '{"types":[{"name":"v2"}]}',
    steps: [{ op: "apply", object: { b: [] } }],
  })
})

const answersThatAgree: readonly [string, string, string][] = [
  ["keys in another order", '{"value":{"a":1,"b":2}}', '{"value":{"b":2,"a":1.0}}'],
  ["another error text", '{"error":"a"}', '{"error":"b"}'],
  [
    "anything after a crash of the reference",
    '{"steps":[{"panic":"x"},{"live":1}]}',
    '{"steps":[{"live":2},{"live":3}]}',
  ],
  ["more than asked for", '{"value":1}', '{"value":1,"report":[]}'],
]

test.each(answersThatAgree)("answers agree: %s", (_, want, got) => {
  expect(difference(parsedAnswer(want), parsedAnswer(got))).toBeNull()
})

const answersThatDiffer: readonly [string, string, string][] = [
  ["accepted", '{"error":"a"}', '{"value":1}'],
  ["refused", '{"value":1}', '{"error":"a"}'],
  ["panic", '{"panic":"x"}', '{"panic":"x"}'],
  ["value", '{"value":9007199254740993}', '{"value":9007199254740992}'],
  ["value", '{"value":[1,2]}', '{"value":[2,1]}'],
  ["noop", '{"steps":[{"live":1}]}', '{"steps":[{"live":1,"noop":true}]}'],
]

test.each(answersThatDiffer)("answers differ: %s", (kind, want, got) => {
  expect(difference(parsedAnswer(want), parsedAnswer(got))?.kind).toMatch(new RegExp(`^${kind}`))
})

test("texts that only the reference's map order tells apart have the same steady words", () => {
  const one = "errors:\n  .a: field not declared in schema\n  multiple fields set without discriminator change: x, y"
  const other = "errors:\n  multiple fields set without discriminator change: y, x\n  .a: field not declared in schema"
  expect(steadyWords(one)).toBe(steadyWords(other))
  expect(steadyWords(".a: expected map")).not.toBe(steadyWords(".a: expected list"))
})

function parsedAnswer(text: string): { readonly [key: string]: never } {
  return parseExact(text) as { readonly [key: string]: never }
}
