import { emptyMap, type Json, NumberText } from "./json.js"
import type { Random } from "./random.js"

/** The kinds of scalars in a schema. */
export type ScalarKind = "string" | "numeric" | "boolean" | "untyped"

const PLAIN_NAMES = ["a", "b", "c", "d", "e", "f", "g", "name", "key", "value", "spec", "id", "list", "items", "type"]

// Names that a careless program gets wrong: inherited properties, numbers, quoting, byte order against UTF-16 order
// (U+E000 and U+FB00 come before every astral character in bytes, after them in UTF-16), separators, YAML words.
const ODD_NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "length",
  "",
  " ",
  ".",
  "0",
  "1",
  "10",
  "2",
  "-1",
  "Z",
  "null",
  "true",
  "no",
  "y",
  "~",
  "a.b",
  "a b",
  "a/b",
  'say "x"',
  "back\\slash",
  "<&>",
  "tab\t",
  "line\nbreak",
  "\u0001",
  "\u0000",
  "\u007f",
  "\u2028",
  "\u2029",
  "\ufeff",
  "é",
  "e\u0301",
  "ключ",
  "日本",
  "\ue000",
  "ﬀ",
  "\uffff",
  "😀",
  "\u{10ffff}",
  "f:a",
  "k:{}",
  "[0]",
  "*",
]

const STRINGS = ["a", "b", "c", "foo", "bar", "1", "true", "default", "with space"]

const NUMBERS: readonly Json[] = [0, 1, 2, 3, 5, 10, -1, 443, 8080]

// No integers beyond int64: this engine refuses them, and the reference's answer depends on the operation.
const ODD_NUMBERS: readonly Json[] = [
  ...[0.1, 0.5, 1.5, -0.5, -2.25, 6.02214, 2147483648, -2147483649, 4294967296],
  ...[9007199254740991, -9007199254740991, 1e300, 5e-324, 1.7976931348623157e308, 123456789.125],
  ...spelled("1.0", "-0", "-0.0", "0.0", "1e0", "1E3", "10e-1", "1e21", "1e20", "1e+21", "1e-7", "0.0000001", "1e-6"),
  ...spelled("0.000001", "123456789012345678", "9007199254740993", "-9007199254740993", "9223372036854775807"),
  ...spelled("-9223372036854775808", "1.00000000000000001", "0.30000000000000004", "1152921504606846976.0"),
]

function spelled(...texts: string[]): NumberText[] {
  return texts.map(text => new NumberText(text))
}

/** Returns a name for a field, a map key or a key field. `odd` is the share of unusual names. */
export function randomName(random: Random, odd = 0.08): string {
  return random.pick(random.chance(odd) ? ODD_NAMES : PLAIN_NAMES)
}

export function randomString(random: Random, odd = 0.08): string {
  return random.pick(random.chance(odd) ? ODD_NAMES : STRINGS)
}

export function randomNumber(random: Random, odd = 0.15): Json {
  return random.pick(random.chance(odd) ? ODD_NUMBERS : NUMBERS)
}

/** Returns a scalar that the kind allows. */
export function randomScalar(random: Random, kind: ScalarKind): Json {
  switch (kind) {
    case "string":
      return randomString(random)
    case "numeric":
      return randomNumber(random)
    case "boolean":
      return random.chance(0.5)
    case "untyped":
      return randomScalar(random, random.pick(CONCRETE_KINDS))
  }
}
const CONCRETE_KINDS: readonly ScalarKind[] = ["string", "numeric", "boolean"]

/** Returns any JSON value of at most `depth` levels, with at most `width` entries in a map. */
export function randomJson(random: Random, depth: number, width = 3): Json {
  const kind = random.below(depth > 0 ? 10 : 6)
  if (kind < 5) return randomScalar(random, "untyped")
  if (kind === 5) return random.pick(BARE_VALUES)()
  if (kind < 8) return Array.from({ length: random.below(4) }, () => randomJson(random, depth - 1, width))
  const map = emptyMap()
  for (let left = random.between(0, width); left > 0; left--)
    map[randomName(random)] = randomJson(random, depth - 1, width)
  return map
}
const BARE_VALUES: readonly (() => Json)[] = [() => null, () => [], emptyMap]
