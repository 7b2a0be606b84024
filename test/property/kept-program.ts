// Streams input through the engine that no real cluster has: much of it, and never the same twice. Prints the memory that is kept
// after a full collection, as JSON: {attack: bytes}. Runs in a process of its own, with --expose-gc.

import { decodeFields, encodeFields } from "../../src/fieldpath/fieldsv1/object.js"
import { parseFieldsV1 } from "../../src/fieldpath/fieldsv1/text.js"
import { formatFieldsV1 } from "../../src/index.js"
import { parseYaml } from "../../src/io/yaml.js"
import { parseJson } from "../../src/json/json.js"
import { FieldManager } from "../../src/managedfields/field-manager.js"
import { deducedTypes } from "../../src/managedfields/types/object-types.js"
import { deducedType } from "../../src/typed/deduced.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import type { Value } from "../../src/value/value.js"
import { listBy, setOf, struct, text, typeOf } from "../typed/notation.js"

interface Attack {
  readonly rounds: number
  run(round: number): unknown
}

const long = (i: number): string => `${i}`.padEnd(200_000, "x")
/** The longest text that may be kept, with two bytes a character. */
const wide = (i: number): string => `\u4e00${i}`.padEnd(1000, "\u4e01")
/** Each character of this text takes six in JSON. */
const escaped = (i: number): string => `${i}`.padEnd(1000, "\u0001")
const blank = " ".repeat(200_000)

const items = typeOf(listBy(["k"], struct({ k: text })))
const texts = typeOf(setOf(text))
const oneKind = new FieldManager({ types: deducedTypes, kind: { apiVersion: "v1", kind: "ConfigMap" } })
const anyKind = new FieldManager({ types: deducedTypes })
const noKind = new FieldManager({ types: { find: () => undefined } })
const ofKind = (kind: string): object => ({ apiVersion: "v1", kind, metadata: { name: "x" } })
const there = (value: Value, type = deducedType()): string => formatFieldsV1(TypedValue.of(value, type).toFieldSet())

const attacks: Record<string, Attack> = {
  "long keys of FieldsV1": { rounds: 300, run: i => parseFieldsV1(`{"f:${long(i)}":{}}`) },
  "long keys in fieldsV1 objects": {
    rounds: 300,
    run: i => encodeFields(decodeFields({ [`f:${long(i)}`]: {}, [`v:"${long(-i)}"`]: {} }).set),
  },
  "long names of fields": { rounds: 300, run: i => there({ [long(i)]: 1 }) },
  "long keys of items": { rounds: 300, run: i => there([{ k: long(i) }], items) },
  "long items of sets": { rounds: 300, run: i => there([long(i)], texts) },
  "wide names of fields": { rounds: 20_000, run: i => there({ [wide(i)]: 1 }) },
  "wide keys of FieldsV1": { rounds: 20_000, run: i => parseFieldsV1(`{"f:${wide(i)}":{"v:\\"${wide(-i)}\\"":{}}}`) },
  "names that grow in JSON": { rounds: 10_000, run: i => there({ [escaped(i)]: 1 }) },
  "many keys of many names": {
    rounds: 300_000,
    run: i => parseFieldsV1(`{"k:{\\"n${i >> 14}\\":\\"${i & 0x3fff}\\"}":{}}`),
  },
  "many keys": { rounds: 100_000, run: i => decodeFields({ [`k:{"a":${i},"b":1}`]: {} }) },
  "short keys out of long FieldsV1": {
    rounds: 300,
    run: i => parseFieldsV1(`{"z:unknown":{},"f:a rather long name ${i}":{}${blank}}`),
  },
  "short items out of long YAML": {
    rounds: 150,
    run: i => there(parseYaml(`- a rather long item ${i}\n- another one ${i} # ${blank}\n`), texts),
  },
  "short items out of long JSON": {
    rounds: 300,
    run: i =>
      there((parseJson(`[["a rather long item ${i}"],12345678901234567890${blank}]`) as Value[])[0] as Value, texts),
  },
  "unknown kinds": { rounds: 8_000, run: i => noKind.tryApply(undefined, ofKind(`Kind${i}`), { manager: "a" }) },
  "any number of kinds": { rounds: 8_000, run: i => anyKind.tryApply(undefined, ofKind(`Kind${i}`), { manager: "a" }) },
  "any number of subresources": {
    rounds: 8_000,
    run: i => oneKind.tryApply(undefined, ofKind("ConfigMap"), { manager: "a", subresource: `sub${i}` }),
  },
}

function heap(): number {
  for (let i = 0; i < 5; i++) globalThis.gc?.() // V8 keeps layouts, and names with them, for some collections
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const kept: Record<string, number> = {}
const before = heap()
for (const [name, { rounds, run }] of Object.entries(attacks)) {
  run(0)
  const start = heap()
  for (let i = 1; i <= rounds; i++) run(i)
  kept[name] = heap() - start
}
kept["all of it"] = heap() - before
process.stdout.write(JSON.stringify(kept))
