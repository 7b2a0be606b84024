import { kubernetes } from "structured-merge-diff/kinds"
import { simulate } from "structured-merge-diff/simulator"
import { expect, it } from "vitest"
import type { ShownLine } from "../../src/tools/view/lines.js"
import { changedLines, linesAfter, linesBefore } from "../src/line-views.js"
import { stepLines } from "../src/step-lines.js"

const map = (data: object, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "web", ...more },
  data,
})

const signs = { added: "+", removed: "-", owners: "~" }
const textOf = (lines: readonly ShownLine[]) =>
  lines.map(({ text, change }) => `${change ? signs[change] : " "}${text}`)
const shortTextOf = (lines: readonly ShownLine[]) =>
  changedLines(lines).map(line => (line.leftOut === undefined ? textOf([line])[0] : `${line.leftOut} left out`))

it("marks lines that a step adds, removes and gives to other owners", () => {
  const simulation = simulate({ types: kubernetes.typesOnly() })
  const created = stepLines(simulation.apply("one", map({ a: "1", b: "1", c: "1" })))
  expect(new Set(created.map(({ change }) => change))).toEqual(new Set(["added"]))
  expect(linesBefore(created)).toEqual([])

  const changed = stepLines(simulation.apply("two", map({ a: "2", c: "1" }), { force: true }))
  expect(textOf(changed)).toEqual([
    " apiVersion: v1",
    " kind: ConfigMap",
    " metadata:",
    "   name: web",
    '   resourceVersion: "2"',
    " data:",
    '-  a: "1"',
    '+  a: "2"',
    '   b: "1"',
    '~  c: "1"',
  ])
  expect(changed.at(-1)?.owners.map(({ manager }) => manager)).toEqual(["one", "two"])
  expect(textOf(linesBefore(changed)).slice(4)).toEqual([
    '   resourceVersion: "1"',
    " data:",
    '-  a: "1"',
    '   b: "1"',
    '~  c: "1"',
  ])
  expect(
    linesBefore(changed)
      .at(-1)
      ?.owners.map(({ manager }) => manager),
  ).toEqual(["one"])
  expect(textOf(linesAfter(changed)).slice(5)).toEqual([" data:", '+  a: "2"', '   b: "1"', '~  c: "1"'])

  const refused = stepLines(simulation.apply("one", map({ a: "3" })))
  expect(refused.some(({ change }) => change !== undefined)).toBe(false)

  const deleted = stepLines(simulation.delete("ConfigMap/web"))
  expect(new Set(deleted.map(({ change }) => change))).toEqual(new Set(["removed"]))
  expect(linesAfter(deleted)).toEqual([])
})

it("tells equal lines of different items apart", () => {
  const container = (name: string, value: string) => ({ name, env: [{ name: "LEVEL", value }] })
  const pod = (...containers: object[]) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p" },
    spec: { containers },
  })
  const simulation = simulate({ types: kubernetes.typesOnly() })
  simulation.apply("me", pod(container("a", "1"), container("b", "1")))
  const lines = stepLines(simulation.apply("me", pod(container("b", "1"))))
  expect(lines.filter(({ change }) => change === "removed").map(({ text }) => text.trim())).toEqual([
    "- name: a",
    "env:",
    "- name: LEVEL",
    'value: "1"',
  ])
})

it("leaves out lines far from changes, but not the keys above them", () => {
  const simulation = simulate({ types: kubernetes.typesOnly() })
  const data = Object.fromEntries(Array.from("abcdefghij", key => [key, "1"]))
  simulation.apply("me", map(data, { labels: { app: "web" } }))
  expect(shortTextOf(stepLines(simulation.apply("me", map({ ...data, f: "2" }, { labels: { app: "web" } }))))).toEqual([
    "7 left out",
    " data:",
    "3 left out",
    '   d: "1"',
    '   e: "1"',
    '-  f: "1"',
    '+  f: "2"',
    '   g: "1"',
    '   h: "1"',
    "2 left out",
  ])
})

it("takes little time if all lines of a long object change", () => {
  const simulation = simulate({ types: kubernetes.typesOnly() })
  const data = (value: string) => Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`key${i}`, value]))
  simulation.apply("me", map(data("red")))
  const lines = stepLines(simulation.apply("me", map(data("blue"))))
  expect([linesBefore(lines).length, linesAfter(lines).length]).toEqual([3006, 3006])
  expect(lines.filter(({ change }) => change === "added")).toHaveLength(3000)
})
