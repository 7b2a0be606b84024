import { isDeepStrictEqual } from "node:util"
import { describe, expect, it } from "vitest"
import { applyTextEdits, parseYaml, parseYamlDocuments, parseYamlWithPositions } from "../../src/io/index.js"
import type { DocumentReader } from "../../src/io/yaml-document.js"
import { yamlEdits, yamlEditsForEach } from "../../src/io/yaml-edit.js"
import { readFully } from "../../src/io/yaml-full.js"
import { type Steps, type ValueChange, valueAtSteps, withChanges } from "../../src/value/change.js"
import type { Value } from "../../src/value/value.js"
import { Random } from "../fuzz/random.js"
import { budget, seed } from "../support/budget.js"
import { type WrittenYaml, writtenYaml } from "./written-yaml.js"

const cases = budget(1000)

/** Runs `check` on random texts, and shows the text if it fails. */
function forTexts(anchors: boolean, share: number, check: (yaml: WrittenYaml, random: Random) => void): void {
  for (let i = 0; i < cases * share; i++) {
    const random = new Random(seed, "yaml-edit", i)
    const yaml = writtenYaml(random, anchors)
    try {
      check(yaml, random)
    } catch (error) {
      throw new Error(`case ${i}: ${JSON.stringify(yaml.text)}\n${yaml.text}\n${error}`, { cause: error })
    }
  }
}

function startsWith(steps: Steps, start: Steps): boolean {
  return start.every((step, i) => step === steps[i])
}

/** Whether all entries of the map or list are removed, along with the comments between them. */
function isEmptied(value: Value | undefined, changes: readonly ValueChange[], steps: Steps): boolean {
  const before = valueAtSteps(value, steps)
  if (typeof before !== "object" || before === null) return false
  const going = changes.filter(change => change.value === undefined && change.steps.length === steps.length + 1)
  return Object.keys(before).every(key =>
    going.some(change => startsWith(change.steps, steps) && String(change.steps[steps.length]) === key),
  )
}

function randomChanges(random: Random, { entries }: WrittenYaml, document: number): ValueChange[] {
  const here = entries.filter(entry => entry.document === document)
  return random.sample(here, random.between(1, 3)).map(({ steps }) => ({
    steps,
    value: random.chance(0.6)
      ? undefined
      : random.pick<Value>([
          7,
          "new",
          "yes",
          "a: b",
          "",
          true,
          null,
          "two\nlines",
          { a: [1, { b: "x" }] },
          ["p", {}],
          [],
          {},
        ]),
  }))
}

describe("places in YAML", () => {
  it("are where keys and items were written", () => {
    forTexts(true, 1, ({ text, values, entries }) => {
      const documents = parseYamlWithPositions(text)
      expect(documents.map(({ value }) => value)).toEqual(values)
      const found = entries.map(({ document, steps }) => {
        const place = documents[document]?.placeOf(steps)
        const begin = (place?.key ?? place?.value)?.start
        // An item without text has no beginning.
        const empty = place?.key === undefined && place?.value.start.offset === place?.value.end.offset
        return {
          steps,
          begin,
          same: empty || isDeepStrictEqual(begin, { offset: begin?.offset, ...documents[document]?.positionOf(steps) }),
        }
      })
      const expected = entries.map(({ steps, offset }) => {
        const before = text.slice(0, offset).split("\n")
        const column = (before[before.length - 1] as string).length + 1
        return { steps, begin: { offset, line: before.length, column }, same: true }
      })
      expect(found).toEqual(expected)
    })
  })

  it("have the text of scalars between their ends", () => {
    const text = "a: 1 # c\nb: [x, 'y']\nc: &n\n  - z\nd: *n\ne:\nf: |\n  t\n"
    const [document] = parseYamlWithPositions(text)
    const at = (...steps: Steps): string | undefined => {
      const value = document?.placeOf(steps)?.value
      return value && text.slice(value.start.offset, value.end.offset)
    }
    expect([at("a"), at("b"), at("b", 1), at("c"), at("d"), at("d", 0), at("e"), at("f")]).toEqual([
      "1",
      "[x, 'y']",
      "'y'",
      "- z",
      "*n",
      "z",
      "",
      "|\n  t\n",
    ])
    expect(document?.placeOf(["d", 0])?.through).toBe("alias")
    expect(document?.placeOf(["x"])).toBeUndefined()
    expect(document?.placeOf([])?.value.start.line).toBe(1)
  })
})

describe("edits of YAML", () => {
  it("make the value that was wanted, and keep all else and the comments", () => {
    forTexts(false, 0.3, (yaml, random) => {
      const document = random.below(yaml.values.length)
      const changes = randomChanges(random, yaml, document)
      const wanted = withChanges(yaml.values[document] as Value, changes)
      const { edits, impossible } = parseYamlWithPositions(yaml.text)[document]?.editsFor(changes) ?? {}
      // Blank lines after a block that keeps its line breaks would become part of it.
      if (impossible !== undefined) return expect(yaml.text, JSON.stringify(changes)).toContain("|+")
      const text = applyTextEdits(yaml.text, edits ?? [])
      const values = parseYamlDocuments(text)
      expect(values, text).toEqual(yaml.values.map((value, i) => (i === document ? wanted : value)))
      for (const remark of yaml.remarks) {
        const before = yaml.values[document]
        const gone = remark.steps.some((_, i) => isEmptied(before, changes, remark.steps.slice(0, i + 1)))
        const changed =
          gone || isEmptied(before, changes, []) || changes.some(({ steps }) => startsWith(remark.steps, steps))
        const others = remark.document !== document || !changed
        if (others) expect(text).toContain(remark.text)
      }
      if (yaml.text.includes("\r\n")) expect(text.replaceAll("\r\n", "")).not.toContain("\n")
    })
  })

  it("with anchors, make the value that was wanted or say that they can't", () => {
    let made = 0
    forTexts(true, 0.3, (yaml, random) => {
      const document = random.below(yaml.values.length)
      const changes = randomChanges(random, yaml, document)
      const { edits, impossible } = parseYamlWithPositions(yaml.text)[document]?.editsFor(changes) ?? {}
      const touched = yaml.entries.filter(
        entry =>
          entry.document === document &&
          changes.some(({ steps }) => startsWith(steps, entry.steps) || startsWith(entry.steps, steps)),
      )
      if (impossible !== undefined)
        return expect(
          touched.some(({ shared }) => shared) || yaml.text.includes("|+"),
          `${impossible} ${JSON.stringify(changes)}`,
        ).toBe(true)
      made++
      const wanted = withChanges(yaml.values[document] as Value, changes)
      const values = parseYamlDocuments(applyTextEdits(yaml.text, edits ?? []))
      expect(values).toEqual(yaml.values.map((value, i) => (i === document ? wanted : value)))
    })
    expect(made).toBeGreaterThan(cases * 0.15)
  })

  it.each([false, true])("for each of several changes are those for each alone (anchors: %s)", hasAnchors => {
    forTexts(hasAnchors, 0.3, (yaml, random) => {
      parseYamlWithPositions(yaml.text).forEach((document, i) => {
        const here = yaml.entries.filter(entry => entry.document === i).length
        const all = Array.from({ length: random.between(0, here) }, () => randomChanges(random, yaml, i))
        expect(document.editsForEach(all)).toEqual(all.map(changes => document.editsFor(changes)))
      })
    })
  })

  it("for each of many changes read the text a few times", () => {
    const reads = [20, 200].map(count => {
      const text = Array.from({ length: count }, (_, i) => `k${i}: ${i} # ${i}\n`).join("")
      const [reader] = readFully(text, false)
      const all = Array.from({ length: count }, (_, i) => [
        { steps: [`k${i}`], value: i % 3 === 0 ? undefined : "new" },
      ])
      let parts = 0
      const made = yamlEditsForEach(reader as DocumentReader, parseYaml(text), all, part => {
        parts++
        return parseYamlDocuments(part)
      })
      expect(made.map(({ edits }) => edits?.length)).toEqual(Array(count).fill(1))
      return parts
    })
    expect(reads).toEqual([2, 2])
  })

  it("of a long list read the item that changes alone, unless others refer to what is in it or around it", () => {
    const read: string[] = []
    const edited = (text: string, changes: readonly ValueChange[]): string => {
      const [reader] = readFully(text, false)
      read.length = 0
      const made = yamlEdits(reader as DocumentReader, parseYaml(text), changes, part => {
        read.push(part)
        return parseYamlDocuments(part)
      })
      return applyTextEdits(text, made.edits ?? [])
    }
    const [block, flow] = [
      "items:\n- a: 1 # one\n  b: 2\n- a: 3\nkind: List\n",
      '{"items": [{"a": 1, "b": 2}, {"a": 3}]}',
    ]
    const first: ValueChange[] = [{ steps: ["items", 0, "a"], value: undefined }]
    expect(edited(block, first)).toBe("items:\n- b: 2\n- a: 3\nkind: List\n")
    expect(read).toEqual(["- b: 2\n"])
    edited(block, [{ steps: ["items", 1, "a"], value: 4 }])
    expect(read).toEqual(["- a: 4\n"])
    edited(flow, first)
    expect(read).toEqual(['{"b": 2}'])
    for (const whole of [block.replace("1", "&x 1"), block.replace("items:", "items: &x")]) {
      edited(whole, [{ steps: ["items", 0, "b"], value: 5 }])
      expect(read).toEqual([whole.replace("2", "5")])
    }
    edited(block, [...first, { steps: ["items", 1, "a"], value: 5 }])
    expect(read[0]).toContain("kind: List")
  })
})
