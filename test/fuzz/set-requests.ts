// Requests on field sets, paths, elements, values and managers: everything that needs no schema.
import { emptyMap, type Json, type JsonMap, jsonText, mapOf } from "./json.js"
import type { Random } from "./random.js"
import type { Layer, Request } from "./requests.js"
import { randomJson, randomNumber, randomScalar, randomString } from "./scalars.js"
import {
  editedSet,
  oddElement,
  pathsOfSet,
  randomElement,
  randomPath,
  randomSet,
  type SetNode,
  spellSet,
} from "./sets.js"
import type { PathText } from "./values.js"

export const setRequests: Layer = {
  ...Object.fromEntries(
    ["union", "intersection", "difference", "recursiveDifference", "equals"].map(op => [
      op,
      { weight: 12, make: (random: Random) => twoSets(random, op) },
    ]),
  ),
  ...Object.fromEntries(
    ["leaves", "copy", "size", "iterate"].map(op => [op, { weight: 5, make: (random: Random) => oneSet(random, op) }]),
  ),
  roundTrip: { weight: 25, make: roundTrip },
  has: { weight: 10, make: random => setAndPath(random, "has") },
  insert: { weight: 8, make: random => setAndPath(random, "insert") },
  withPrefix: { weight: 6, make: withPrefix },
  filter: { weight: 12, make: filter },
  setFromPaths: { weight: 10, make: random => ({ op: "setFromPaths", paths: somePaths(random) }) },
  setFromValue: { weight: 8, make: random => ({ op: "setFromValue", value: randomJson(random, 4) }) },
  pathString: { weight: 6, make: random => ({ op: "pathString", path: [...randomPath(random, 5)] }) },
  pathElement: { weight: 15, make: pathElement },
  pathElementCompare: { weight: 20, make: pathElementCompare },
  pathCompare: { weight: 8, make: pathCompare },
  valueCompare: { weight: 20, make: valueCompare },
  valueToString: { weight: 8, make: random => ({ op: "valueToString", value: randomJson(random, 3, 2) }) },
  valueFromJSON: { weight: 12, make: valueFromJson },
  managersEquals: { weight: 4, make: random => managers(random, "managersEquals") },
  managersDifference: { weight: 4, make: random => managers(random, "managersDifference") },
}

function twoSets(random: Random, op: string): Request {
  const a = randomSet(random)
  const b = random.chance(0.7) ? editedSet(random, a) : randomSet(random)
  const spelling = { odd: random.chance(0.1) }
  const [left, right] = random.chance(0.5) ? [a, b] : [b, a]
  return { op, a: spellSet(random, left, spelling), b: spellSet(random, right, spelling) }
}

function oneSet(random: Random, op: string): Request {
  return { op, a: spellSet(random, randomSet(random), { odd: random.chance(0.15) }) }
}

function roundTrip(random: Random): Request {
  const spelling = { odd: random.chance(0.7), broken: random.chance(0.25) }
  return { op: "roundTrip", a: spellSet(random, randomSet(random), spelling) }
}

function setAndPath(random: Random, op: string): Request {
  const set = randomSet(random)
  const known = pathsOfSet(set)
  const path = known.length > 0 && random.chance(0.7) ? random.pick(known) : randomPath(random, 4)
  const end = random.chance(0.2) ? random.below(path.length + 1) : path.length
  return { op, a: spellSet(random, set), path: path.slice(0, end) }
}

function withPrefix(random: Random): Request {
  return { op: "withPrefix", a: spellSet(random, randomSet(random)), path: [...randomPath(random, 2)] }
}

function filter(random: Random): Request {
  const set = randomSet(random)
  return { op: "filter", a: spellSet(random, set), filter: randomFilter(random, set) }
}

/** Returns a filter, of one of the two kinds, that matches some paths of the set. */
export function randomFilter(random: Random, set: SetNode): JsonMap {
  const known = pathsOfSet(set)
  const aim = (): PathText => (known.length > 0 && random.chance(0.75) ? random.pick(known) : randomPath(random, 3))
  if (random.chance(0.45)) {
    const excluded = random.chance(0.3) ? editedSet(random, set) : randomSubset(random, set)
    return mapOf({ exclude: spellSet(random, excluded) })
  }
  const pattern = (): Json => {
    const path = aim()
    return path.slice(0, random.between(1, path.length)).map(element => (random.chance(0.25) ? "*" : element))
  }
  return mapOf({ include: Array.from({ length: random.below(4) }, pattern) })
}

function randomSubset(random: Random, set: SetNode): SetNode {
  const out: SetNode = { member: set.member && random.chance(0.5), children: new Map() }
  for (const [element, child] of set.children) {
    if (random.chance(0.5)) out.children.set(element, randomSubset(random, child))
  }
  return out
}

function somePaths(random: Random): Json {
  const paths: PathText[] = []
  for (let i = random.below(6); i > 0; i--) {
    const start = paths.length > 0 && random.chance(0.4) ? random.pick(paths) : []
    paths.push([...start, ...randomPath(random, 3)])
  }
  return random.chance(0.03) ? [...paths, []] : paths.map(path => [...path])
}

function pathElement(random: Random): Request {
  return { op: "pathElement", a: random.chance(0.5) ? oddElement(random) : randomElement(random) }
}

function pathElementCompare(random: Random): Request {
  const a = randomElement(random)
  const b = random.chance(0.35) ? a.slice(0, 2) + randomElement(random).slice(2) : randomElement(random)
  return { op: "pathElementCompare", a, b: random.chance(0.1) ? a : b }
}

function pathCompare(random: Random): Request {
  const a = randomPath(random, 4)
  const same = a.slice(0, random.below(a.length + 1))
  const b = random.chance(0.6) ? [...same, ...(random.chance(0.3) ? [] : randomPath(random, 2))] : randomPath(random, 4)
  return { op: "pathCompare", a: [...a], b: [...b] }
}

function valueCompare(random: Random): Request {
  const a = comparable(random)
  return { op: "valueCompare", a, b: random.chance(0.3) ? nearTo(random, a) : comparable(random) }
}

function comparable(random: Random): Json {
  const kind = random.below(10)
  if (kind < 3) return randomNumber(random, 0.7)
  return kind < 5 ? randomString(random, 0.7) : randomJson(random, 2)
}

// Changes one part of the value, so that the two values are equal up to that part.
function nearTo(random: Random, value: Json): Json {
  if (Array.isArray(value)) {
    const items = value as readonly Json[]
    if (items.length === 0 || random.chance(0.3)) return [...items, randomScalar(random, "untyped")]
    const at = random.below(items.length)
    return items.map((item, i) => (i === at ? nearTo(random, item) : item))
  }
  if (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null) {
    const map = Object.assign(emptyMap(), value)
    const keys = Object.keys(map)
    const change = keys.length === 0 ? 0 : random.below(3)
    const key = change === 0 ? randomString(random) : random.pick(keys)
    if (change === 1) delete map[key]
    else map[key] = change === 0 ? null : nearTo(random, map[key] as Json)
    return map
  }
  return random.chance(0.5) ? value : randomScalar(random, "untyped")
}

function valueFromJson(random: Random): Request {
  const text = jsonText(randomJson(random, 3))
  if (random.chance(0.35)) return { op: "valueFromJSON", json: text }
  if (random.chance(0.5)) return { op: "valueFromJSON", json: random.pick(JSON_TEXTS) }
  const at = random.below(text.length + 1)
  const junk = random.pick(["", " ", "x", ",", "}", "]", '"', "\\", "0", "-", "null", "\n", "{", "//"])
  return { op: "valueFromJSON", json: text.slice(0, at) + junk + text.slice(at + random.below(2)) }
}
const JSON_TEXTS = [
  ...["", " ", "\n", "null", " null ", "nul", "true", "tru", "truex", "false", "0", "-0", "-", "01", "1.", ".5", "1e5"],
  ...["1E+2", "1e", "1e400", "-1e400", "1.0", "9223372036854775807", "9223372036854775808", "-9223372036854775809"],
  ...['""', '"', '"a', '"\\u0041"', '"\\ud83d\\ude00"', '"\\ud83d"', '"\\x"', '"\t"', '"\u0000"', "'a'", "NaN", "+1"],
  ...["[]", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[[[]]]", "{}", "{", '{"a"', '{"a":', '{"a":1', '{"a":1,'],
  ...[
    '{"a":1,}',
    '{"a":1}{}',
    '{"a":1,"a":2}',
    "{a:1}",
    '{"a" 1}',
    '{"__proto__":{"a":1}}',
    '{"constructor":1}',
    "[1]]",
  ],
  ...["\ufeff{}", "{}\u0000", "/* c */{}", '{"a":{"b":{"c":[null,{}]}}}', "1 ", " 1", "1\u00a0", "[1]\n", "true false"],
]

function managers(random: Random, op: string): Request {
  const a = someManagers(random)
  const b = emptyMap()
  for (const [name, manager] of Object.entries(a)) {
    if (random.chance(0.15)) continue
    b[name] = random.chance(0.5) ? manager : managerOf(random, randomSet(random))
  }
  if (random.chance(0.2)) Object.assign(b, someManagers(random))
  return { op, a, b }
}

function someManagers(random: Random): JsonMap {
  const out = emptyMap()
  for (const name of random.sample(MANAGER_NAMES, random.below(4))) out[name] = managerOf(random, randomSet(random))
  return out
}
const MANAGER_NAMES = ["alice", "bob", "carol", "controller", "__proto__", "", "ü"]

function managerOf(random: Random, set: SetNode): JsonMap {
  return mapOf({
    apiVersion: random.pick(["v1", "v1", "v2"]),
    applied: random.chance(0.5),
    fields: spellSet(random, set),
  })
}
