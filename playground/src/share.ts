// Encodes the state in a link.
import { compressToEncodedURIComponent, decompressFromEncodedURIComponent } from "lz-string"
import { type State, type StoryStep, verbs } from "./store.js"

/** Returns the state as the fragment of a URL, without "#". */
export function toFragment(state: State): string {
  return `s=${compressToEncodedURIComponent(JSON.stringify(state, withLongIntegers))}`
}

/** Returns the state in a fragment; undefined if it can't be read. Checks everything, since links come from anywhere. */
export function fromFragment(fragment: string): State | undefined {
  const packed = /^#?s=(.+)$/.exec(fragment)?.[1]
  const text = packed === undefined ? null : decompressFromEncodedURIComponent(packed)
  if (text === null || text === "") return undefined
  try {
    return stateOf(JSON.parse(text, readLongIntegers))
  } catch {
    return undefined
  }
}

/** The key that marks a bigint (an integer beyond the safe range), which the browser's JSON can't write. */
const longInteger = "\u0000int"

function withLongIntegers(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? { [longInteger]: String(value) } : value
}

function readLongIntegers(_: string, value: unknown): unknown {
  const digits = isRecord(value) ? value[longInteger] : undefined
  return typeof digits === "string" && /^-?\d{1,400}$/.test(digits) ? BigInt(digits) : value
}

type Unknown = Readonly<Record<string, unknown>>

function stateOf(given: unknown): State | undefined {
  if (!isRecord(given)) return undefined
  const drafts = listOf(given.drafts).map(draft => ({
    manager: textOf(draft.manager),
    verb: oneOf(draft.verb, verbs),
    text: textOf(draft.text),
    force: draft.force === true,
    subresource: textOf(draft.subresource),
  }))
  const branches = listOf(given.branches).map(branch => {
    const steps = listOf(branch.steps) as unknown as StoryStep[]
    return { name: textOf(branch.name), steps, at: indexOf(branch.at, steps.length + 1) }
  })
  if (drafts.length === 0 || branches.length === 0) return undefined
  return {
    title: textOf(given.title),
    about: textOf(given.about),
    objects: listOf(given.objects) as unknown as State["objects"],
    types: textOf(given.types),
    unions: oneOf(given.unions, ["", "v4", "off", "kep-2019", "kep-2022-draft", "kep-2022", "extended"]),
    rest: isRecord(given.rest) ? given.rest : {},
    drafts,
    draft: indexOf(given.draft, drafts.length),
    branches,
    branch: indexOf(given.branch, branches.length),
  }
}

function isRecord(value: unknown): value is Unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function listOf(value: unknown): Unknown[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

function oneOf<T extends string>(value: unknown, known: readonly [T, ...T[]]): T {
  return known.find(name => name === value) ?? known[0]
}

function indexOf(value: unknown, length: number): number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < length ? value : 0
}
