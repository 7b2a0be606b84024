/** Rules that cost too much stop, as in a real server. Costs are counted in steps, never in time. */
import { beforeAll, describe, expect, it } from "vitest"
import { validateCustomResource } from "../../src/kinds/custom/read.js"
import { rulesOf } from "../../src/kinds/rules/compile.js"
import { CostMeter } from "../../src/kinds/rules/cost.js"
import { loadCel } from "../../src/kinds/rules/library.js"
import type { MapValue } from "../../src/value/value.js"

beforeAll(loadCel)

const exceeded = "operation cancelled: actual cost limit exceeded"
const texts = { type: "array", items: { type: "string" } }

/** Returns a schema with these fields and rules. */
function schemaOf(properties: MapValue, ...rules: (string | MapValue)[]): MapValue {
  const validations = rules.map(rule => (typeof rule === "string" ? { rule } : rule))
  return { type: "object", properties, "x-kubernetes-validations": validations }
}

function problems(schema: MapValue, object: MapValue, old?: MapValue): readonly string[] {
  // The rules cost too much for a definition. Stored definitions are run even so.
  expect(rulesOf(schema)?.problems.filter(({ costsTooMuch }) => costsTooMuch !== true)).toEqual([])
  return validateCustomResource(object, schema, { old }).map(({ message }) => message)
}

/** Returns the cost of the rule for the object. */
function costFor(schema: MapValue, object: MapValue): number {
  const root = rulesOf(schema)?.root
  return new CostMeter().run(() => root?.rules[0]?.run({ self: root.declared.read(object) })).cost
}

const list = (length: number, item = "a") => Array.from({ length }, () => item)

describe("a rule that costs too much is stopped", () => {
  it.each([
    ["loops in loops", "self.l.all(a, self.l.all(b, self.l.all(c, a == b)))"],
    ["loops in loops that fail", "self.l.all(a, self.l.all(b, self.l.exists(c, int(c) > 0)))"],
    ["a cost that is passed over", "self.l.all(a, self.l.all(b, self.l.all(c, a == b))) || true"],
    [
      "lists that grow",
      "self.l.map(a, self.l + self.l).map(b, b + b + b + b + b + b).map(c, c + c + c + c + c + c + c).size() > 0",
    ],
    ["texts that grow", "self.l.map(a, a + self.t).map(b, b + b + b + b).map(c, c + c + c).size() > 0"],
    ["lists that are compared", "self.l.all(a, self.l.all(b, self.l == self.l))"],
    ["lists that are searched", "self.l.all(a, self.l.all(b, 'a' in self.l))"],
    ["sets", "self.l.all(a, sets.contains(self.l, self.l))"],
    ["texts that are searched", "self.l.all(a, self.t.contains(self.t))"],
    ["texts that are replaced", "self.t.replace('x', self.t).size() > 0"],
    ["expressions", "self.l.all(a, self.t.matches('(x+)+$'))"],
    ["a large expression", "self.t.matches('[a-z]{999}[0-9]{999}[a-z]{999}[0-9]{999}[a-z]{999}[0-9]{999}')"],
    ["all matches of an expression", "self.t.findAll('x').size() > 0"],
  ])("%s", (_, rule) => {
    const schema = schemaOf({ l: texts, t: { type: "string" } }, rule, "false")
    const object = { l: list(300), t: "x".repeat(20_000) }
    expect(problems(schema, object)).toEqual([
      `Invalid value: "object": '${exceeded}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`,
    ])
  })

  it("and its own message says so, if it has one", () => {
    const rule = { rule: "self.l.all(a, self.l.all(b, self.l.all(c, true)))", message: "too many" }
    expect(problems(schemaOf({ l: texts }, rule), { l: list(300) })).toEqual([
      `Invalid value: "object": '${exceeded}': no further validation rules will be run due to call cost exceeds limit for rule: too many`,
    ])
  })

  it("also in its message expression", () => {
    const messageExpression = "self.l.all(a, self.l.all(b, self.l.all(c, true))) ? 'a' : 'b'"
    const schema = schemaOf({ l: texts }, { rule: "false", messageExpression }, "false")
    expect(problems(schema, { l: list(300) })).toEqual([
      `Invalid value: "object": no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(messageExpression)}`,
    ])
  })
})

describe("the rules of an object", () => {
  it("are stopped if they cost too much together", () => {
    const rules = Array.from({ length: 30 }, () => "self.l.all(a, self.l.all(b, a == b))")
    const found = problems(schemaOf({ l: texts }, ...rules), { l: list(300) })
    expect(found).toEqual([
      'Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run',
    ])
  })

  it("are stopped in a message expression", () => {
    const loop = "self.l.all(a, self.l.all(b, a == b))"
    const rules: (string | MapValue)[] = Array.from({ length: 30 }, () => ({
      rule: "false",
      messageExpression: `${loop} ? 'a' : 'b'`,
    }))
    const found = problems(schemaOf({ l: texts }, ...rules), { l: list(300) })
    expect(found.at(-1)).toBe(
      'Invalid value: "object": messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
    )
    expect(found.length).toBeLessThan(30)
  })

  it("are all run if they cost little", () => {
    const schema = schemaOf({ l: texts }, "self.l.all(a, self.l.exists(b, b == 'b'))", "size(self.l) > 1000", "true")
    expect(problems(schema, { l: list(200) })).toHaveLength(2)
  })
})

describe("the cost of a rule", () => {
  it.each([
    ["true", 0],
    ["self.n == 1", 3],
    ["self.n > 1 && self.n < 5", 6],
    ["size(self.l) > 1", 4],
    ["self.l.all(a, true)", 303],
    ["self.l.exists(a, a == 'b')", 603],
    ["self.l.exists_one(a, a == 'b')", 204],
    ["self.l.filter(a, a == 'b').size() > 0", 205],
    ["self.l.map(a, a).size() > 0", 1305],
    ["has(self.n)", 1],
    ["'b' in self.l", 102],
    ["self.t == 'x'", 3],
    ["self.t == self.t", 2004],
    ["self.l == self.l", 14],
    ["self.t.matches('^x+$')", 2003],
    ["self.t.contains('y')", 2002],
    ["self.n > 1 ? true : false", 3],
    ["self.t.find('^x') != ''", 2003],
    ["self.t + self.t == ''", 4004],
    ["self.l.all(a, self.l.all(b, a == b))", 60603],
    ["sets.contains(self.l, self.l)", 10005],
    ["self.t.replace('y', 'z') == ''", 4002],
    ["self.l.join(',') == ''", 42],
    ["self.l[3] == 'a'", 4],
  ])("%s is about that of a server, which is %s", (rule, cost) => {
    const schema = schemaOf({ l: texts, t: { type: "string" }, n: { type: "integer" } }, rule)
    const object = { l: list(100), t: "x".repeat(20_000), n: 3 }
    // The first evaluation counts each node twice.
    costFor(schema, object)
    const counted = costFor(schema, object)
    expect(counted).toBeGreaterThan(cost / 2 - 3)
    expect(counted).toBeLessThan(cost * 2 + 5)
  })
})

describe("the cost of comparing lists in any order", () => {
  const letters = { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" }
  const items = {
    type: "array",
    items: {
      type: "object",
      properties: { name: { type: "string" }, value: { type: "array", items: { type: "string" } } },
    },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
  }
  const names = Array.from({ length: 20_000 }, (_, i) => `n${i}`)

  it.each([
    ["sets", letters, names],
    ["associative lists", items, names.map(name => ({ name, value: [name, "x"] }))],
  ])("grows with their size: %s", (_, type, list) => {
    const schema = schemaOf({ l: type }, "self.l == oldSelf.l", "self.l != oldSelf.l")
    expect(problems(schema, { l: list }, { l: [...list].reverse() })).toEqual([
      "Invalid value: failed rule: self.l != oldSelf.l",
    ])
  })

  it("is too high if many items are hard to tell apart", () => {
    const bits = (i: number) => Array.from({ length: 16 }, (_, bit) => String((i >> bit) & 1))
    const list = names.map((_, i) => ({ name: "same", value: bits(i) }))
    const found = problems(schemaOf({ l: items }, "self.l == oldSelf.l"), { l: list }, { l: [...list].reverse() })
    expect(found.at(-1)).toContain(exceeded)
  })
})

describe("the text of a rule", () => {
  it.each([
    ["quotes that are not closed", '"\\"'.repeat(40_000)],
    ["escapes in three quotes that are not closed", `'''${"\\'".repeat(49_000)}`],
    ["raw texts that are not closed", "r'''".repeat(20_001)],
    ["names", "a ".repeat(49_000)],
    ["brackets", "(".repeat(99_000)],
    ["too many characters", `self.t == '${"x".repeat(100_000)}'`],
    ["far too many characters", `self.t == '${'"'.repeat(1_000_000)}'`],
  ])("is read in linear time if it has %s", (_, rule) => {
    const found = rulesOf(schemaOf({ t: { type: "string" } }, rule))
    expect(found?.problems.map(({ message }) => message.slice(0, 20))).toEqual(["compilation failed: "])
  })

  it("may have as many characters as a server reads", () => {
    const rule = `self.t != '${"😀".repeat(99_980)}'`
    expect(rulesOf(schemaOf({ t: { type: "string" } }, rule))?.problems).toEqual([])
    const longer = rulesOf(schemaOf({ t: { type: "string" } }, `${rule}${" ".repeat(50)}`))
    expect(longer?.problems.map(({ message }) => message)).toEqual([
      "compilation failed: expression code point size exceeds limit: size: 100042, limit 100000",
    ])
  })
})
