import { describe, expect, it } from "vitest"
import { detached, Table } from "../../src/value/table.js"

interface Box {
  readonly n: number
}

/** Adds `count` values by their numbers, and looks up `touch` after each. */
function filled(table: Table<string, Box>, count: number, touch?: string): Table<string, Box> {
  for (let n = 0; n < count; n++) {
    table.add(`${n}`, { n })
    if (touch !== undefined) table.get(touch)
  }
  return table
}

function numbersIn(table: Table<string, Box>, count: number): number[] {
  return Array.from({ length: count }, (_, n) => table.get(`${n}`)?.n ?? -1).filter(n => n >= 0)
}

describe("Table", () => {
  it("finds added keys, and nothing else", () => {
    const table = new Table<string | number, Box>()
    const box = { n: 1 }
    expect(table.add("1", box)).toBe(box)
    expect([table.get("1"), table.get(1)]).toEqual([box, undefined])
  })

  it("keeps the last two generations", () => {
    expect(numbersIn(filled(new Table(4), 4), 4)).toEqual([0, 1, 2, 3])
    expect(filled(new Table(4), 8).get("0")).toEqual({ n: 0 })
    expect(filled(new Table(4), 9).get("0")).toBeUndefined()
    expect(filled(new Table(4), 9).get("4")).toEqual({ n: 4 })
  })

  it("keeps entries that are in use, however many others are added", () => {
    expect(filled(new Table(4), 100, "0").get("0")).toEqual({ n: 0 })
  })

  it("has a default bound", () => {
    const found = numbersIn(filled(new Table(), 100_000), 100_000)
    expect(found.length).toBeGreaterThan(16_384)
    expect(found.length).toBeLessThanOrEqual(32_768)
  })

  it("returns a value with a long key without keeping it", () => {
    const table = new Table<string, Box>()
    const [short, long] = ["x".repeat(1_024), "x".repeat(1_025)]
    expect([table.add(short, { n: 1 }), table.add(long, { n: 2 })]).toEqual([{ n: 1 }, { n: 2 }])
    expect([table.get(short), table.get(long)]).toEqual([{ n: 1 }, undefined])
  })

  it("is bounded by the characters of its keys", () => {
    const table = new Table<string, Box>()
    const key = (n: number) => `${n}`.padStart(1_000, "0")
    for (let n = 0; n < 5_000; n++) table.add(key(n), { n })
    expect(table.get(key(4_999))).toEqual({ n: 4_999 })
    const found = Array.from({ length: 5_000 }, (_, n) => table.get(key(n))).filter(box => box !== undefined)
    expect(found.length).toBeGreaterThan(500)
    expect(found.length).toBeLessThan(1_100)
  })
})

describe("detached", () => {
  it.each(["", "a", "twelve chars", "thirteen char", "x".repeat(2_000), "\ud800 on its own \u{1f600}"])(
    "returns %j unchanged",
    text => {
      expect(detached(text)).toBe(text)
    },
  )
})
