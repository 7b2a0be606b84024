// Links. The fragment of a link has the state of the page (`#d=`, and `#s=` in old links), or the text of a story file (`#story=`).
import { decompressFromEncodedURIComponent } from "lz-string"
import { type State, type StoryStep, servers, verbs } from "./state.js"

/** Returns the state as the fragment of a URL, without "#". */
export async function toFragment(state: State): Promise<string> {
  return `d=${await pack(JSON.stringify(state, withLongIntegers))}`
}

/**
 * Returns the state in a fragment; undefined if it can't be read. Checks everything, since links come from anywhere. `stateOfStory` returns
 * the state of a story file.
 */
export async function fromFragment(
  fragment: string,
  stateOfStory: (text: string) => State | Promise<State>,
): Promise<State | undefined> {
  const [, form, packed = ""] = /^#?(s|d|story)=(.+)$/.exec(fragment) ?? []
  try {
    if (form === "story") return await stateOfStory(await unpack(packed))
    const text = form === "d" ? await unpack(packed) : decompressFromEncodedURIComponent(packed)
    return text === null || text === "" ? undefined : stateOf(JSON.parse(text, readLongIntegers))
  } catch {
    return undefined
  }
}

/** Whether the fragment has the form of a link, readable or not. */
export function isLink(fragment: string): boolean {
  return /^#(s|d|story)=/.test(fragment)
}

/** Whether the fragment has the text of a story file. */
export function isStoryFile(fragment: string): boolean {
  return fragment.startsWith("#story=")
}

/** Compresses a text with raw deflate and writes the bytes in base64url. */
async function pack(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"))
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
  const parts: string[] = []
  // Some browsers fail with more arguments than this.
  for (let i = 0; i < bytes.length; i += 8192) parts.push(String.fromCharCode(...bytes.subarray(i, i + 8192)))
  return btoa(parts.join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}

/** A small link can contain a huge text. No story is longer than this, in bytes. */
const mostBytes = 32_000_000

/** Returns the text that `pack` compressed. Rejects if it can't be read or is too long. */
async function unpack(packed: string): Promise<string> {
  const bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), byte => byte.charCodeAt(0))
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader()
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let text = ""
  for (let size = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.length
    if (size > mostBytes) throw new RangeError("the link has too much text")
    text += decoder.decode(value, { stream: true })
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
    server: oneOf(given.server, servers),
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
