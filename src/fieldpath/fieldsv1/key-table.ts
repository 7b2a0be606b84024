// Path elements by their FieldsV1 key as it stands between the quotes of a JSON text, in bytes.
//
// The keys of field sets repeat without end. Found here, a key costs no string: taking a slice of the text and looking it up in
// a Map took two thirds of the time of reading a set.
import { type PathElement, singleKeyElement } from "../element.js"
import { parseFieldsV1Key } from "./key.js"

// One key: its bytes are `pool[offset..offset+length)`.
interface Known {
  readonly hash: number
  readonly offset: number
  readonly length: number
  readonly element: PathElement
  readonly next: Known | undefined
}

/** How many keys and bytes of keys are kept, so that hostile input can't fill the memory; nor make a bucket a long search. */
const maxKeys = 16_384
const maxBytes = 1 << 20
/** After so many keys that a full table did not have it starts anew. At once would not pay in a set of more keys than it holds. */
const patience = 8 * maxKeys
const maxInBucket = 8
const bucketCount = 8_192

const buckets: (Known | undefined)[] = new Array<Known | undefined>(bucketCount).fill(undefined)
let pool = new Uint8Array(1 << 12)
let used = 0
let count = 0
let missed = 0

/**
 * The element whose key is `bytes[from..to)`, a run of UTF-8 with this hash, in `text` if that is plain ASCII. Undefined where it
 * takes care to tell: the key is not well-formed, of an unknown kind, or faulty.
 */
export function findElement(
  bytes: Uint8Array,
  from: number,
  to: number,
  hash: number,
  text: string | null,
): PathElement | undefined {
  const length = to - from
  for (let known = buckets[hash & (bucketCount - 1)]; known !== undefined; known = known.next) {
    if (known.hash !== hash || known.length !== length) continue
    let i = 0
    const { offset } = known
    while (i < length && pool[offset + i] === bytes[from + i]) i++
    if (i === length) return known.element
  }
  const element = readKey(text === null ? decoder.decode(bytes.subarray(from, to)) : text.slice(from, to))
  if (element !== undefined && length < 1024) remember(bytes, from, length, hash, element)
  return element
}

// Escapes for surrogates are left to the careful reader: pairs and halves are told apart there.
function readKey(quoted: string): PathElement | undefined {
  const simple = simpleKey.exec(quoted)
  if (simple !== null) return singleKeyElement(unquote(simple[1] as string), unquote(simple[2] as string))
  if (/\\u[dD]/.test(quoted)) return undefined
  try {
    return parseFieldsV1Key(unquote(quoted))
  } catch {
    return undefined
  }
}
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** `k:{\"name\":\"value\"}` without special characters: a list's items each have their own, so it is worth a short cut. */
const simpleKey = /^k:\{\\"([ !#-[\]-~]*)\\":\\"([ !#-[\]-~]*)\\"\}$/

/** Copies even what has no escapes: a slice of the text would be slow to compare and keep all of the text in memory. */
function unquote(quoted: string): string {
  return JSON.parse(`"${quoted}"`) as string
}

function remember(bytes: Uint8Array, from: number, length: number, hash: number, element: PathElement): void {
  const bucket = hash & (bucketCount - 1)
  let others = 0
  for (let known = buckets[bucket]; known !== undefined; known = known.next) others++
  if (others === maxInBucket || count === maxKeys || used + length > maxBytes) {
    if (++missed < patience) return
    missed = 0
    buckets.fill(undefined)
    used = 0
    count = 0
  }
  if (used + length > pool.length) {
    const larger = new Uint8Array(Math.min(2 * pool.length, maxBytes))
    larger.set(pool)
    pool = larger
  }
  for (let i = 0; i < length; i++) pool[used + i] = bytes[from + i] as number
  buckets[bucket] = { hash, offset: used, length, element, next: buckets[bucket] }
  used += length
  count++
}
