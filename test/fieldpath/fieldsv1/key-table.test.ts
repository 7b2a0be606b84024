import { describe, expect, it } from "vitest"
import { formatElement, type PathElement } from "../../../src/fieldpath/element.js"
import { findElement } from "../../../src/fieldpath/fieldsv1/key-table.js"

/** The element of a key as it stands in JSON, found between other bytes; given as ASCII text or only as bytes. */
function find(key: string, hash: number, ascii = true): PathElement | undefined {
  const bytes = new TextEncoder().encode(`{"${key}"`)
  return findElement(bytes, 2, bytes.length - 1, hash, ascii ? `{"${key}"` : null)
}

let next = 0

/** So many keys that were never looked for, each with a hash of its own, and `v:` and `length` digits for a text. */
function freshKeys(count: number, length: number): [key: string, hash: number][] {
  return Array.from({ length: count }, () => [`v:1.${`${next}1`.padStart(length, "0")}`, next++])
}

/** Looks for new keys until the table, if it was full, has started anew. */
function makeRoom(): void {
  for (let round = 0; round < 100; round++) {
    if (countKept(freshKeys(1, 1_000)) === 1) return
    for (const [key, hash] of freshKeys(2_000, 8)) find(key, hash)
  }
  throw new Error("a full table never starts anew")
}

/** How many of these keys give the same object again: elements of floats that are not kept are made anew each time. */
function countKept(keys: readonly [string, number][]): number {
  const before = keys.map(([key, hash]) => find(key, hash))
  return keys.filter(([key, hash], i) => find(key, hash) === before[i]).length
}

describe("findElement", () => {
  it.each([
    ["f:a", ".a"],
    ["f:\\u0041\\n", ".A\n"],
    ['k:{\\"name\\":\\"x\\"}', '[name="x"]'],
    ['k:{\\"n\\":1,\\"name\\":\\"x\\"}', '[n=1,name="x"]'],
    ["v:1.5", "[=1.5]"],
    ["i:3", "[3]"],
  ])("reads %j", (key, shown) => {
    for (const ascii of [true, false, true]) {
      expect(formatElement(find(key, 1, ascii) as PathElement)).toBe(shown)
    }
  })

  it.each(["", "f", "x:a", "v:nope", "v:", "i:x", 'k:{\\"a\\":', "f:\\ud83d", "f:\\ud83d\\ude00", 'v:\\"\\uDE00\\"'])(
    "leaves %j to the careful reader",
    key => {
      expect([find(key, 2), find(key, 2, false)]).toEqual([undefined, undefined])
    },
  )

  it("tells keys of one hash apart", () => {
    const keys = ["f:a", "f:b", "f:ab", "f:ba", "v:1.5", "v:1.6", "v:6.1"]
    const shown = [".a", ".b", ".ab", ".ba", "[=1.5]", "[=1.6]", "[=6.1]"]
    for (const _ of [1, 2]) expect(keys.map(key => formatElement(find(key, 3) as PathElement))).toEqual(shown)
  })
})

describe("the table of keys", () => {
  it("gives the same object for the same key, wherever it stands", () => {
    makeRoom()
    const [[key, hash]] = freshKeys(1, 8) as [[string, number]]
    const text = `..........${key}`
    const found = findElement(new TextEncoder().encode(text), 10, text.length, hash, text)
    expect(find(key, hash)).toBe(found)
    expect(find(key, hash, false)).toBe(found)
  })

  it("holds 16,384 keys at the most, and starts anew when many others come", () => {
    makeRoom()
    const kept = countKept(freshKeys(40_000, 8))
    expect(kept).toBeGreaterThan(12_000)
    expect(kept).toBeLessThanOrEqual(16_384)
    expect(countKept(freshKeys(1, 8))).toBe(0)
    makeRoom()
    expect(countKept(freshKeys(1, 8))).toBe(1)
  })

  it("holds a megabyte at the most, and no key of a kilobyte", () => {
    makeRoom()
    const kept = countKept(freshKeys(3_000, 1_000))
    expect(kept).toBeGreaterThan(500)
    expect(kept * 1_000).toBeLessThanOrEqual(1 << 20)
    makeRoom()
    expect([countKept(freshKeys(1, 1_019)), countKept(freshKeys(1, 1_020))]).toEqual([1, 0])
  })

  it("does not search long among keys of one hash", () => {
    makeRoom()
    const same = freshKeys(100, 8).map(([key]): [string, number] => [key, 5])
    expect(countKept(same)).toBeLessThanOrEqual(8)
  })
})
