import { describe, expect, it } from "vitest"
import { ByteTable } from "../../src/value/byte-table.js"

type Key = readonly [text: string, hash: number]

const encoder = new TextEncoder()

function get(table: ByteTable<object>, [text, hash]: Key, before = "", after = ""): object | undefined {
  const bytes = encoder.encode(before + text + after)
  return table.get(bytes, before.length, bytes.length - after.length, hash)
}

function add(table: ByteTable<object>, [text, hash]: Key, value: object = {}): object {
  const bytes = encoder.encode(`"${text}"`)
  return table.add(bytes, 1, bytes.length - 1, hash, value)
}

/** Keys for the numbers from `from` up to `to`, padded to `digits`, each with its own hash. */
function keys(from: number, to: number, digits = 8): Key[] {
  return Array.from({ length: to - from }, (_, i) => [`${from + i}`.padStart(digits, "0"), from + i])
}

function filled(with_: readonly Key[]): ByteTable<object> {
  const table = new ByteTable<object>()
  for (const key of with_) add(table, key)
  return table
}

function countKept(table: ByteTable<object>, of: readonly Key[]): number {
  return of.filter(key => get(table, key) !== undefined).length
}

describe("ByteTable", () => {
  it("finds an added key at any offset, and nothing else", () => {
    const table = new ByteTable<object>()
    const value = {}
    expect(add(table, ["abc", 7], value)).toBe(value)
    expect([get(table, ["abc", 7]), get(table, ["abc", 7], "..", "c")]).toEqual([value, value])
    expect([get(table, ["abd", 7]), get(table, ["ab", 7]), get(table, ["abc", 8])]).toEqual(Array(3).fill(undefined))
  })

  it("distinguishes keys with the same hash, but keeps only eight of them", () => {
    const same = keys(0, 100).map(([text]): Key => [text, 5])
    const table = new ByteTable<object>()
    const values = same.map(key => add(table, key))
    expect(same.map(key => get(table, key)).filter((value, i) => value === values[i]).length).toBe(8)
    expect(countKept(table, same)).toBe(8)
  })

  it("holds at most 32,768 keys", () => {
    expect(countKept(filled(keys(0, 32_768)), keys(0, 32_768))).toBe(32_768)
    expect(countKept(filled(keys(0, 100_000)), keys(0, 100_000))).toBe(32_768)
  })

  it("holds at most one megabyte, and no key longer than a kilobyte", () => {
    expect(countKept(filled(keys(0, 3_000, 1_024)), keys(0, 3_000, 1_024))).toBe(1_024)
    expect(countKept(filled(keys(0, 2, 1_025)), keys(0, 2, 1_025))).toBe(0)
  })

  it("starts over after many keys that it had no room for", () => {
    const table = filled(keys(0, 32_768 + 8 * 32_768 - 1))
    expect([get(table, ["00000000", 0]) !== undefined, countKept(table, keys(32_768, 300_000))]).toEqual([true, 0])
    for (const key of keys(400_000, 400_002)) add(table, key)
    expect([countKept(table, keys(0, 32_768)), countKept(table, keys(400_000, 400_002))]).toEqual([0, 2])
  })
})
