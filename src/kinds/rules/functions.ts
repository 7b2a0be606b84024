// The functions that Kubernetes adds to CEL, as far as they are available here.
import { matchesOf, matchesPattern, patternProblem } from "../structural/patterns.js"
import { runningMeter } from "./cost.js"
import type { CelLibrary, Environment } from "./library.js"
import { registerNetwork } from "./network.js"
import { registerQuantities } from "./quantities.js"
import { isSame, type ListLike } from "./types.js"

/** Functions of a real server that are missing here: a rule that calls one is not run. */
export const missingFunctions: ReadonlySet<string> = new Set(
  `validate isSemver semver major minor patch transformList transformMap transformMapEntry optMap optFlatMap optional ofNonZeroValue
   flatten slice distinct sort sortBy range first last getQuery reverse named includes`.split(/\s+/),
)

/** Functions of the library that a real server lacks. */
export const foreignFunctions: ReadonlySet<string> = new Set(["bind", "json", "hex", "base64", "at"])

/** Returns an environment with Kubernetes' functions. */
export function kubernetesEnvironment({ Environment }: CelLibrary): Environment {
  const environment = new Environment({ enableOptionalTypes: true })
  registerLists(environment)
  registerStrings(environment)
  registerSets(environment)
  registerNetwork(environment)
  registerQuantities(environment)
  return environment
}

type List = readonly never[]
const comparable = ["int", "double", "bool", "string", "google.protobuf.Duration", "google.protobuf.Timestamp"]

function registerLists(environment: Environment): void {
  for (const type of comparable) {
    environment.registerFunction(`list<${type}>.min(): ${type}`, (list: ListLike) =>
      extreme(list, "min", (a, b) => a < b),
    )
    environment.registerFunction(`list<${type}>.max(): ${type}`, (list: ListLike) =>
      extreme(list, "max", (a, b) => a > b),
    )
    environment.registerFunction(`list<${type}>.isSorted(): bool`, (list: ListLike) =>
      isSorted([...(list as Iterable<never>)]),
    )
  }
  environment.registerFunction("list<int>.sum(): int", (list: Iterable<bigint>) =>
    [...list].reduce((a, b) => a + b, 0n),
  )
  environment.registerFunction("list<double>.sum(): double", (list: Iterable<number>) =>
    [...list].reduce((a, b) => a + b, 0),
  )
  environment.registerFunction("list<A>.indexOf(A): int", (list: ListLike, item: unknown) =>
    BigInt([...list].findIndex(other => isSame(other, item))),
  )
  environment.registerFunction("list<A>.lastIndexOf(A): int", (list: ListLike, item: unknown) =>
    BigInt([...list].findLastIndex(other => isSame(other, item))),
  )
}

function isSorted(list: List): boolean {
  return list.every((item, i) => i === 0 || (list[i - 1] as never) <= item)
}

function extreme(list: ListLike, name: string, isBetter: (a: never, b: never) => boolean): unknown {
  const items = [...(list as Iterable<never>)]
  if (items.length === 0) throw new RangeError(`${name} called on empty list`)
  return items.reduce((best, item) => (isBetter(item, best) ? item : best))
}

function registerStrings(environment: Environment): void {
  const matches = (text: string, pattern: string) => {
    const meter = runningMeter()
    const problem = patternProblem(pattern, meter.regexBudget)
    if (problem !== undefined) throw new RangeError(`error parsing regexp: ${problem}`)
    return matchesPattern(pattern, text, meter.regexBudget) ?? meter.stop()
  }
  environment.registerFunction("string.goMatches(string): bool", matches)
  environment.registerFunction("goMatches(string, string): bool", matches)
  const findAll = (text: string, pattern: string, most = -1n) => {
    const count = most < 0n ? Number.POSITIVE_INFINITY : Number(most)
    const meter = runningMeter()
    return matchesOf(pattern, text, count, meter.regexBudget) ?? meter.stop()
  }
  environment.registerFunction("string.find(string): string", (text: string, pattern: string) => {
    return findAll(text, pattern, 1n)[0] ?? ""
  })
  environment.registerFunction("string.findAll(string): list<string>", findAll)
  environment.registerFunction("string.findAll(string, int): list<string>", findAll)
  const replace = (text: string, old: string, next: string, most = -1n) => {
    const parts = text.split(old)
    const kept = most < 0n ? parts.length : Math.min(parts.length, Number(most) + 1)
    runningMeter().spend(((kept - 1) * next.length) / 10)
    return [...parts.slice(0, kept - 1), parts.slice(kept - 1).join(old)].join(next)
  }
  environment.registerFunction("string.replace(string, string): string", replace)
  environment.registerFunction("string.replace(string, string, int): string", replace)
  environment.registerFunction("string.charAt(int): string", (text: string, index: bigint) => {
    const characters = [...text]
    if (index < 0n || index > BigInt(characters.length)) throw new RangeError(`index out of range: ${index}`)
    return characters[Number(index)] ?? ""
  })
  environment.registerFunction("string.format(list): string", formatVerbs)
  environment.registerFunction("string(google.protobuf.Duration): string", String)
  environment.registerFunction("string(google.protobuf.Timestamp): string", (time: Date) =>
    time.toISOString().replace(/\.?0*Z$/, "Z"),
  )
  class Strings {}
  environment.registerType("StringsNamespace", Strings)
  environment.registerConstant("strings", "StringsNamespace", new Strings())
  environment.registerFunction("StringsNamespace.quote(string): string", (_: Strings, text: string) =>
    JSON.stringify(text),
  )
}

/** Formats values by the verbs %s, %d and %f, as in Go. */
function formatVerbs(text: string, list: ListLike): string {
  const values = [...list]
  let next = 0
  return text.replace(/%(%|s|d|(?:\.(\d+))?f|.)/g, (all, verb: string, places?: string) => {
    if (verb === "%") return "%"
    if (next >= values.length) throw new RangeError(`index ${next} out of range`)
    const value = values[next++]
    if (verb === "s") return shown(value)
    if (verb === "d" && typeof value === "bigint") return String(value)
    if (verb.endsWith("f") && typeof value !== "object") return Number(value).toFixed(Number(places ?? 6))
    throw new RangeError(`could not parse formatting clause: ${all}`)
  })
}

function shown(value: unknown): string {
  if (Array.isArray(value) || value instanceof Set) return `[${[...value].map(shown).join(", ")}]`
  if (value instanceof Map)
    return `{${[...value]
      .map(([key, inner]) => `${key}: ${shown(inner)}`)
      .sort()
      .join(", ")}}`
  return String(value)
}

function registerSets(environment: Environment): void {
  class Sets {}
  environment.registerType("SetsNamespace", Sets)
  environment.registerConstant("sets", "SetsNamespace", new Sets())
  const has = (list: readonly unknown[], item: unknown) => {
    runningMeter().spend(list.length)
    return list.some(other => isSame(other, item))
  }
  const contains = (a: ListLike, b: ListLike) => {
    const among = [...a]
    return [...b].every(item => has(among, item))
  }
  environment.registerFunction("SetsNamespace.contains(list<A>, list<A>): bool", (_: Sets, a: ListLike, b: ListLike) =>
    contains(a, b),
  )
  environment.registerFunction(
    "SetsNamespace.equivalent(list<A>, list<A>): bool",
    (_: Sets, a: ListLike, b: ListLike) => {
      return contains(a, b) && contains(b, a)
    },
  )
  environment.registerFunction(
    "SetsNamespace.intersects(list<A>, list<A>): bool",
    (_: Sets, a: ListLike, b: ListLike) => {
      const among = [...a]
      return [...b].some(item => has(among, item))
    },
  )
}
