// Writes values as YAML 1.1 in many spellings: block and flow, plain scalars that are not strings, anchors, merge keys.
import { isList, isMap, type Json, yamlSafeJsonText } from "./json.js"
import type { Random } from "./random.js"
import { randomJson, randomName } from "./scalars.js"

/** Writes YAML with this value: in nested block style, or in flow style if short or empty. */
export function yamlText(random: Random, value: Json): string {
  if (random.chance(0.3)) return yamlSafeJsonText(value)
  return `${block(random, value, "")}\n`
}

function block(random: Random, value: Json, indent: string): string {
  const inner = `${indent}  `
  if (isMap(value) && Object.keys(value).length > 0) {
    const lines = Object.entries(value).map(
      ([key, item]) => `${indent}${keyText(random, key)}:${nested(random, item, inner)}`,
    )
    return lines.join("\n")
  }
  if (isList(value) && value.length > 0) {
    return value.map(item => `${indent}-${nested(random, item, inner)}`).join("\n")
  }
  return indent + scalarText(random, value)
}

function nested(random: Random, value: Json, indent: string): string {
  const isBlock = (isMap(value) && Object.keys(value).length > 0) || (isList(value) && value.length > 0)
  if (!isBlock || random.chance(0.2)) return ` ${yamlSafeJsonText(value)}`
  return `\n${block(random, value, indent)}`
}

function keyText(random: Random, key: string): string {
  return PLAIN.test(key) && !WORDS.test(key) && random.chance(0.8) ? key : yamlSafeJsonText(key)
}

function scalarText(random: Random, value: Json): string {
  if (typeof value !== "string" || !PLAIN.test(value) || WORDS.test(value) || random.chance(0.3)) {
    return yamlSafeJsonText(value)
  }
  return random.chance(0.5) ? value : `'${value}'`
}

// Plain scalars that are strings in every version of YAML.
const PLAIN = /^[a-zA-Z][a-zA-Z]*$/
const WORDS = /^(y|n|yes|no|on|off|true|false|null)$/i

/** Returns YAML with spellings that only YAML 1.1 reads in this way. Some are malformed. */
function randomYaml(random: Random): string {
  if (random.chance(0.12)) return random.pick(DOCUMENTS)
  const lines: string[] = []
  const names = new Set<string>()
  for (let i = random.between(1, 5); i > 0; i--) names.add(randomName(random))
  for (const name of names) {
    const key = random.chance(0.06) ? random.pick(ODD_KEYS) : yamlSafeJsonText(name)
    lines.push(`${key}: ${random.chance(0.75) ? random.pick(SCALARS) : yamlSafeJsonText(randomJson(random, 2))}`)
  }
  if (random.chance(0.05)) lines.push(random.pick(lines))
  if (random.chance(0.3)) lines.push(random.pick(BLOCKS))
  return `${lines.join("\n")}\n`
}

const ODD_KEYS = ["yes", "on", "1", "0x10", "1.5", "~", "null", "? a", "[a]", "{a: b}", "!!str 1", "*x", "&k key", "<<"]

const SCALARS = [
  ...["yes", "no", "on", "off", "y", "n", "Yes", "NO", "On", "oFF", "true", "True", "TRUE", "false", "tRue", "~"],
  ...["null", "Null", "NULL", "", "nUll", "0", "-0", "+1", "010", "0o10", "08", "0x1F", "0X1f", "-0x10", "0b101"],
  ...["1_000", "_1", "190:20:30", "1:2", "1.0", "1.", ".5", "-.5", "1e3", "1E3", "1e+3", "1.5e-7", "1e21", ".inf"],
  ...["-.inf", ".nan", ".NaN", "9223372036854775807", "9223372036854775808", "-9223372036854775808"],
  ...["18446744073709551615", "1e400", "0.1_0", "2001-01-01", "2001-12-14t21:59:43.10-05:00", "2001-13-45", "12:30"],
  ...["a: b", "- a", "a # comment", "a#b", "'it''s'", '"\\x41\\u00e9\\U0001F600"', '"\\/"', '"\\q"', '"a\\\n  b"'],
  ...["'a\n  b'", "'", '"', "@a", "`a", "%a", "!a b", "!!str 1", "!!int '1'", "!!float 1", "!!bool yes", "!!null ''"],
  ...["!!binary aGVsbG8=", "!!binary x", "!!int a", "!!set {a}", "!foo 1", "[a, b,]", "[a, , b]", "{a: 1, b}"],
  ...["{a: 1, a: 2}", "[yes, 010, ~]", "{}", "[]", "{a: [}", "[a: 1]", "{? a : 1}", "&x 1", "*x", "[&x a, *x]"],
  ...["{a: &x {b: 1}, c: *x}", "{<<: {a: 1}, b: 2}", "{<<: [{a: 1}, {a: 2, b: 3}], c: 4}", "{a: 1, <<: {a: 2}}"],
  ...["{<<: 1}", "|\n  a\n  b", ">\n  a\n  b", "|-\n  a\n", "|+\n  a\n\n", "|2\n   a", ">-\n  a\n\n  b", "é", "日本"],
]

const BLOCKS = [
  "z:\n- a\n- b: 1\n  c: 2\n- - d\n  - e",
  "z:\n  - a\n  -\n  - ~",
  "base: &base\n  a: 1\n  b: yes\nz:\n  <<: *base\n  b: 2",
  "base: &base {a: 1}\nz: [*base, *base]",
  "z: &loop\n  a: *loop",
  "? z\n: a",
  "? |\n  long\n: a",
  "z:\n\ta: 1",
  "z: a\n b: c",
  "z:\n  a: 1\n b: 2",
  "# comment\nz: 1 # other",
  "<<: {q: 1}\nz: 1",
  "z: [a,\n  b]",
  "z: *unknown",
]

const DOCUMENTS = [
  ...["", " ", "\n", "---\n", "---\n...\n", "~", "a", "1", "[]", "{}", "- a\n- b", "--- {a: 1}", "a: 1\n---\nb: 2\n"],
  ...["%YAML 1.1\n---\na: 1", "\ufeffa: 1", "a: 1\n...\n", "a:\n- b\n-c", "a: b: c", "{a: 1", "[1", "'a", "\ta: 1"],
  ...["a: \u0001", "a\n b\n c", "# only", "- - - a", "a: |\n"],
]

/** Returns YAML with mistakes, or a few of YAML's special characters and words in any order. */
export function anyYaml(random: Random): string {
  const kind = random.below(3)
  if (kind === 0) return Array.from({ length: random.between(1, 9) }, () => random.pick(WORDS_OF_YAML)).join("")
  return mutatedYaml(random, kind === 1 ? randomYaml(random) : yamlText(random, randomJson(random, 3)))
}

const WORDS_OF_YAML = [
  ...[
    "a",
    "b:",
    ": ",
    "- ",
    "-",
    "\t",
    "\n",
    "\n  ",
    "\n    ",
    " ",
    "{",
    "}",
    "[",
    "]",
    ",",
    "? ",
    "?",
    ":",
    "#",
    " #c",
  ],
  ...["&x ", "&x.y ", "*x", "*x.y ", "'q'", '"d"', "|\n", ">\n", "|-\n  x\n", "---\n", "--- ", "...\n", "%YAML 1.2\n"],
  ...["%YAML 1.1\n", "!!str ", "!t ", "\r", "\r\n", "\x85", "<<", "<<: ", "~", "1", "\n- ", "\n\t", "a: b\n", "é", "'"],
  ...['"', "\\", "\u2028", "\ufeff", "@", "`", "%", "!", "=", "x y"],
]

/** Makes up to four mistakes or changes in the text: inserts, removes, moves or repeats a part. */
export function mutatedYaml(random: Random, text: string): string {
  let out = text
  for (let left = random.between(0, 4); left > 0; left--) out = random.pick(MUTATIONS)(random, out)
  return out
}

type Mutation = (random: Random, text: string) => string

const typed: Mutation = (random, text) => spliced(text, random.between(0, text.length), 0, random.pick(TYPED))

const MUTATIONS: readonly Mutation[] = [
  typed,
  typed,
  typed,
  (random, text) => spliced(text, random.between(0, text.length), 1, random.pick(TYPED)),
  (random, text) => spliced(text, random.between(0, text.length), random.between(1, 3), ""),
  (random, text) => onLine(random, text, line => [" ".repeat(random.between(1, 3)) + line]),
  (random, text) => onLine(random, text, line => [line.replace(/^ {1,2}/, "")]),
  (random, text) => onLine(random, text, () => []),
  (random, text) => onLine(random, text, line => [line, line]),
  (random, text) => onLine(random, text, line => [line, random.pick(text.split("\n"))]),
]

function spliced(text: string, at: number, length: number, instead: string): string {
  return text.slice(0, at) + instead + text.slice(at + length)
}

function onLine(random: Random, text: string, change: (line: string) => string[]): string {
  const lines = text.split("\n")
  const at = random.below(lines.length)
  return [...lines.slice(0, at), ...change(lines[at] as string), ...lines.slice(at + 1)].join("\n")
}

const TYPED = [
  ...[
    "\n",
    "\n",
    "\n  ",
    "  ",
    " ",
    "-",
    "- ",
    ":",
    ": ",
    "#",
    " #",
    "'",
    '"',
    ",",
    "[",
    "]",
    "{",
    "}",
    "|",
    "|-",
    ">",
    ">-",
  ],
  ...[
    "&a ",
    "*a",
    "!",
    "!!str ",
    "?",
    "? ",
    "%",
    "@",
    "`",
    "\t",
    "\\",
    "\\n",
    "a",
    "b",
    "0",
    "1",
    "-1",
    ".5",
    "yes",
    "~",
  ],
  ...[
    "null",
    "<<",
    "---",
    "---\n",
    "...",
    "é",
    "\u00a0",
    "\u2028",
    "😀",
    "''",
    "a: b",
    "- x\n",
    "\n\n",
    "=",
    "|+",
    "|2",
  ],
  ...["1e3", "0x1F", "_", "\r\n", "\\u0041", "\\\n", "\ufeff", "\x85"],
]
