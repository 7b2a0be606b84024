/** Reads Go files as data, before names are resolved. */
import { describe, expect, it } from "vitest"
import { Findings, formatGoTypesIssue } from "../../../src/gotypes/source/errors.js"
import type { GoFile, GoType } from "../../../src/gotypes/source/go-file.js"
import { parseGoFile } from "../../../src/gotypes/source/parse.js"

function parse(text: string): GoFile {
  const findings = new Findings()
  const file = parseGoFile("a.go", text, findings)
  expect(findings.errors).toEqual([])
  return file
}

/** Returns the problems of the declarations, without the file's name. */
function problemOf(declarations: string): string | undefined {
  const findings = new Findings()
  parseGoFile("a.go", `package p;${declarations}`, findings)
  expect(findings.errors.length).toBeLessThan(2)
  return findings.errors.map(issue => formatGoTypesIssue(issue).replace("a.go:", ""))[0]
}

const named = (name: string, qualifier = ""): GoType => ({ kind: "named", package: qualifier, name })

/** Writes the type as Go does, with parentheses around the element of a pointer or a list. */
function spell(type: GoType): string {
  switch (type.kind) {
    case "named": {
      const args = type.args === undefined ? "" : `[${type.args.map(spell).join(" ")}]`
      return `${type.package}${type.package === "" ? "" : "."}${type.name}${args}`
    }
    case "pointer":
    case "slice":
    case "array":
      return `${type.kind}(${spell(type.element)})`
    case "map":
      return `map(${spell(type.key)} ${spell(type.element)})`
    case "struct":
      return `struct(${type.fields.map(field => `${field.embedded ? "embedded " : ""}${field.name} ${spell(field.type)}`).join("; ")})`
    case "interface":
      return "interface"
    case "other":
      return `other(${type.text})`
  }
}

it("has everything that a file declares", () => {
  const text = [
    "//go:build go1.20",
    "// Notes.",
    "",
    "/* +groupName=a */",
    "package p // p",
    "// behind",
    'import ("a/b"; c "c/d"; . "e"; _ `f`)',
    'import g "g"',
    "",
    "// Of A.",
    "",
    "// A is one.",
    "type A struct {",
    "\t// Of B.",
    '\tB, C int `json:"b,omitempty" k:"v"` // +trailing',
    "\tD struct {",
    "\t} // +last",
    "}",
    "type (",
    "\t// E is another.",
    "\tE = A",
    "\tF[K comparable, V any] map[K]V",
    ")",
    "// Word is a word.",
    'const Word, Other string = "w", "o"',
    'const (\n\t// First is one.\n\tFirst = E("f") + Word + c.X\n\tNext\n\tNumber = 1\n)',
    'func (a *A) Format() string { return "x" + `y` }',
    'func (F[K, V]) Generic() { f("z") }',
    'func function() { f("no method") }',
  ]
  const file = parse(text.join("\n"))
  const comment = (text: string, line: number) => ({ text, line })
  expect(file).toMatchObject({
    file: "a.go",
    packageName: "p",
    packageDoc: [comment("Notes.", 2), comment(" +groupName=a ".trimEnd(), 4)],
    imports: [
      { alias: undefined, path: "a/b" },
      { alias: "c", path: "c/d" },
      { alias: ".", path: "e" },
      { alias: "_", path: "f" },
      { alias: "g", path: "g" },
    ],
    types: [
      {
        name: "A",
        line: 13,
        alias: false,
        params: [],
        doc: [comment("A is one.", 12)],
        detached: [comment("Of A.", 10)],
      },
      {
        name: "E",
        line: 21,
        alias: true,
        params: [],
        type: named("A"),
        doc: [comment("E is another.", 20)],
        detached: [],
      },
      { name: "F", line: 22, alias: false, params: ["K", "V"], doc: [], detached: [] },
    ],
    consts: [
      { name: "Word", type: named("string"), value: ["w"], doc: [comment("Word is a word.", 24)] },
      { name: "Other", type: named("string"), value: ["o"], doc: [comment("Word is a word.", 24)] },
      {
        name: "First",
        type: named("E"),
        value: ["f", { package: "", name: "Word" }, { package: "c", name: "X" }],
        doc: [comment("First is one.", 27)],
      },
      { name: "Next", type: undefined, value: undefined, doc: [] },
      { name: "Number", type: undefined, value: undefined, doc: [] },
    ],
    methods: new Map([
      ["A.Format", ["x", "y"]],
      ["F.Generic", ["z"]],
    ]),
  })
  const [a] = file.types
  const fields = a?.type.kind === "struct" ? a.type.fields : []
  const tags = new Map([
    ["json", "b,omitempty"],
    ["k", "v"],
  ])
  const common = { type: named("int"), line: 15, tags, doc: [comment("Of B.", 14)], detached: [], embedded: false }
  expect(fields).toEqual([
    { ...common, name: "B", trailing: [comment("+trailing", 15)] },
    { ...common, name: "C", trailing: [comment("+trailing", 15)] },
    {
      name: "D",
      type: { kind: "struct", fields: [] },
      line: 16,
      tags: new Map(),
      doc: [],
      detached: [],
      trailing: [comment("+last", 17)],
      embedded: false,
    },
  ])
})

describe("types", () => {
  it.each([
    ["int", "int"],
    ["a.B", "a.B"],
    ["*T", "pointer(T)"],
    ["**a.B", "pointer(pointer(a.B))"],
    ["[]T", "slice(T)"],
    ["[ ]T", "slice(T)"],
    ["[3]T", "array(T)"],
    ["[...]T", "array(T)"],
    ["[n*(2+m[1])]T", "array(T)"],
    ["[][2]*T", "slice(array(pointer(T)))"],
    ["map[string]T", "map(string T)"],
    ["map[a.K]map[K][]T", "map(a.K map(K slice(T)))"],
    ["(T)", "T"],
    ["*(a.B)", "pointer(a.B)"],
    ["([](T))", "slice(T)"],
    ["interface{}", "interface"],
    ["interface{ M(); ~int | string }", "interface"],
    ["G[int]", "G[int]"],
    ["a.G[int, *T, []b.C]", "a.G[int pointer(T) slice(b.C)]"],
    ["G[\nint,\n]", "G[int]"],
    ["chan int", "other(chan int)"],
    ["<-chan *T", "other(<-chan *T)"],
    ["chan<- int", "other(chan<- int)"],
    ["chan (<-chan T)", "other(chan (<-chan T))"],
    ["func()", "other(func())"],
    ["func(a, b int) (c T, err error)", "other(func(a, b int) (c T, err error))"],
    ["func() *T", "other(func() *T)"],
    ["func() []T", "other(func() []T)"],
    ["func() <-chan T", "other(func() <-chan T)"],
    ["func() chan T", "other(func() chan T)"],
    ["func() map[int]T", "other(func() map[int]T)"],
    ["func() func() T", "other(func() func() T)"],
    ["[]func(int)", "slice(other(func(int)))"],
    ["struct{}", "struct()"],
    ["struct { A, B int; C a.D }", "struct(A int; B int; C a.D)"],
    ["struct { T }", "struct(embedded T T)"],
    ["struct { *T; a.B; *a.C }", "struct(embedded T pointer(T); embedded B a.B; embedded C pointer(a.C))"],
    ['struct { T ""; a.B `k:""` }', "struct(embedded T T; embedded B a.B)"],
    ["struct { G[int]; a.G[T]; *G[T] }", "struct(embedded G G[int]; embedded G a.G[T]; embedded G pointer(G[T]))"],
    [
      "struct { a []int; b [2]T; c [n]struct{}; d [2]a.B }",
      "struct(a slice(int); b array(T); c array(struct()); d array(a.B))",
    ],
    ["struct { a []int ``; b [2](T) }", "struct(a slice(int); b array(T))"],
    [
      "struct { a map[int]T; b *T; c (T); d func(); e chan T; f interface{} }",
      "struct(a map(int T); b pointer(T); c T; d other(func()); e other(chan T); f interface)",
    ],
  ])("%s", (text, expected) => {
    for (const source of [`type X ${text}`, `type (\nX ${text}\n)`]) {
      const [type] = parse(`package p\n${source}`).types
      expect(spell(type?.type as GoType)).toBe(expected)
    }
    const [around] = parse(`package p\ntype X struct {\nF ${text}\n}`).types
    expect(spell(around?.type as GoType)).toBe(`struct(F ${expected})`)
  })

  it.each([
    ["[P any]int", ["P"], "int"],
    ["[P, Q any]int", ["P", "Q"], "int"],
    ["[P any, Q comparable,]int", ["P", "Q"], "int"],
    ["[P ~int | string]int", ["P"], "int"],
    ["[P []int]int", ["P"], "int"],
    ["[P interface{ M() }]int", ["P"], "int"],
    ["[P a.B]int", ["P"], "int"],
    ["[P *T,]int", ["P"], "int"],
    ["[P *T | ~int]int", ["P"], "int"],
    ["[P *struct{}]int", ["P"], "int"],
    ["[P (T), Q any]int", ["P", "Q"], "int"],
    ["[P <-chan int]int", ["P"], "int"],
    ["[P chan int]int", ["P"], "int"],
    ["[P func()]int", ["P"], "int"],
    ["[P map[int]int]int", ["P"], "int"],
    ["[P any] struct { F P }", ["P"], "struct(F P)"],
    ["[]int", [], "slice(int)"],
    ["[N]int", [], "array(int)"],
    ["[N * M]int", [], "array(int)"],
    ["[N * (M)]int", [], "array(int)"],
    ["[N (2)]int", [], "array(int)"],
    ["[N + 1]int", [], "array(int)"],
    ["[N + len(map[int]int{1: 2})]int", [], "array(int)"],
    ["[a.N]int", [], "array(int)"],
    ["[2 * N]int", [], "array(int)"],
    ["[(N)]int", [], "array(int)"],
  ])("parameters and lengths: %s", (text, params, expected) => {
    const [type] = parse(`package p\ntype X${text}`).types
    expect([type?.params, spell(type?.type as GoType)]).toEqual([params, expected])
  })
})

describe("constants", () => {
  const ref = (name: string, from = "") => ({ package: from, name })

  it.each<[string, GoType | undefined, unknown]>([
    ['"a"', undefined, ["a"]],
    ["`a`", undefined, ["a"]],
    ["A", undefined, [ref("A")]],
    ["a.B", undefined, [ref("B", "a")]],
    ['"a" + B + c.D', undefined, ["a", ref("B"), ref("D", "c")]],
    ['("a" + B)', undefined, ["a", ref("B")]],
    ['("a") + ("b")', undefined, ["a", "b"]],
    ['"a" + ("b" + C)', undefined, ["a", "b", ref("C")]],
    ['T("a")', named("T"), ["a"]],
    ['a.T("a" + B)', named("T", "a"), ["a", ref("B")]],
    ['T("a") + "b"', named("T"), ["a", "b"]],
    ['T(U("a"))', named("T"), ["a"]],
    ['(T("a"))', named("T"), ["a"]],
    ["1", undefined, undefined],
    ["'a'", undefined, undefined],
    ["iota", undefined, [ref("iota")]],
    ["1 << 2", undefined, undefined],
    ['"a" + 1', undefined, undefined],
    ["-A", undefined, undefined],
    ["A - B", undefined, undefined],
    ["A.b.c", undefined, undefined],
    ["T{}", undefined, undefined],
    ['T("a")[0]', named("T"), undefined],
    ['len("a")', named("len"), ["a"]],
    ["A[0]", undefined, undefined],
    ["()", undefined, undefined],
    ['("a"', undefined, "error"],
  ])("%s", (text, type, value) => {
    if (value === "error") expect(problemOf(`const X = ${text}`)).toMatch(/is not closed/)
    else expect(parse(`package p\nconst X = ${text}`).consts).toEqual([{ name: "X", type, value, doc: [] }])
  })

  it("have the type that is declared, and each its own value", () => {
    const source = 'package p\nconst (\nA, B T = "a", U("b")\nC T\nD, E = "d", F\n)'
    expect(parse(source).consts.map(({ name, type, value }) => [name, type && spell(type), value])).toEqual([
      ["A", "T", ["a"]],
      ["B", "T", ["b"]],
      ["C", "T", undefined],
      ["D", undefined, ["d"]],
      ["E", undefined, [ref("F")]],
    ])
  })
})

describe("methods", () => {
  it.each([
    ["func (T) M() { return `a` }", [["T.M", ["a"]]]],
    ['func (t T) M() (x, y int) { return `a`, "b" }', [["T.M", ["a", "b"]]]],
    ["func (t *T) M(u U) U { }", [["T.M", []]]],
    ["func (t *T[K, V]) M() { f(`a`) }", [["T.M", ["a"]]]],
    ["func (*(T)) M() { }", [["T.M", []]]],
    ["func (t T) M()", []],
    ["func M() { `a` }", []],
    ["func M[T any](t T) { `a` }", []],
    ["func () M() { `a` }", []],
    ["func (T) M() interface{ N() } { }", [["T.M", []]]],
  ])("%s", (source, expected) => {
    const file = parse(`package p\n${source}\ntype After int`)
    expect([...file.methods]).toEqual(expected)
    expect(file.types.map(({ name }) => name)).toEqual(["After"])
  })
})

describe("errors of syntax", () => {
  it.each([
    ["type", "1: syntax error"],
    ["type T", "1: syntax error"],
    ["type T struct", "1: syntax error"],
    ["type T struct { A }", undefined],
    ["type T struct { A, }", "1: syntax error near }"],
    ["type T struct { A int,\n}", "1: syntax error near ,"],
    ["type T struct { A int B int }", "1: syntax error near B int }"],
    ["type T []", "1: syntax error"],
    ["type T map[string", "1: syntax error"],
    ["type T map string", "1: syntax error near string"],
    ["type T map[string int", "1: syntax error near int"],
    ["type T *", "1: syntax error"],
    ["type T (int", "1: syntax error"],
    ["type T int int", "1: syntax error near int"],
    ["type 1 int", "1: syntax error near 1 int"],
    ["type T a.", "1: syntax error"],
    ["type T a.1", "1: syntax error near .1"],
    ["type T interface", "1: syntax error"],
    ["type T interface {", "1: syntax error near { is not closed"],
    ["type T func", "1: syntax error"],
    ["type T chan", "1: syntax error"],
    ["type T <-int", "1: syntax error near int"],
    ["type T [", "1: syntax error near [ is not closed"],
    ["type T [2)int", "1: syntax error near )int"],
    ["type (T int", "1: syntax error"],
    ["import a", "1: syntax error"],
    ["import a b", "1: syntax error near b"],
    ['import "a" "b"', '1: syntax error near "b"'],
    ["const", "1: syntax error"],
    ["const A =", "1: syntax error"],
    ["const A = ;", "1: syntax error near ;"],
    ["const A, = 1", "1: syntax error near = 1"],
    ["const A = 1,", "1: syntax error"],
    ["var a = )", "1: syntax error near )"],
    ["var (a = 1", "1: syntax error"],
    ["func", "1: syntax error"],
    ["func f", "1: syntax error"],
    ["func f() {", "1: syntax error near { is not closed"],
    ["func f() { ( }", "1: syntax error near }"],
    ["func f() { } }", "1: syntax error near }"],
    ["func f() { }\nx", "2: expected a declaration near x"],
    ["package q", "1: expected a declaration near package q"],
    ["\n\n}", "3: expected a declaration near }"],
    ["type T struct {\n\nA = `a\n", "3: a string is not closed"],
    ["/* a\n", "1: syntax error: a comment is not closed"],
    ["type T struct { /* a }\n", "1: syntax error: a comment is not closed"],
    ['const A = "a\n', "1: a string is not closed"],
    ["const A = 'a\n", "1: syntax error near 'a"],
    ["var a = #", "1: syntax error near #"],
    [`type T ${"x".repeat(60)} y`, "1: syntax error near y"],
    [`x${"y".repeat(60)}`, `1: expected a declaration near x${"y".repeat(39)}`],
  ])("%j", (source, expected) => {
    expect(problemOf(source)).toBe(expected)
  })

  it("are reported once, with what was read before", () => {
    const findings = new Findings()
    const file = parseGoFile("a.go", "package p\ntype A int\ntype B\ntype C int", findings)
    expect(findings.errors.map(formatGoTypesIssue)).toEqual(["a.go:3: syntax error near type C int"])
    expect(file.types.map(({ name }) => name)).toEqual(["A"])
  })

  it.each([
    ["", "expected a package clause"],
    ["// Only words.\n", "expected a package clause"],
    ["\n\ntype T int", "expected a package clause"],
    ["package", "syntax error"],
    ["package 1", "syntax error near 1"],
    ["package p q", "syntax error near q"],
  ])("%j", (text, message) => {
    const findings = new Findings()
    expect(parseGoFile("a.go", text, findings).types).toEqual([])
    expect(findings.errors.map(issue => issue.message)).toEqual([message])
  })

  it("a malformed tag is one that stops nothing", () => {
    const findings = new Findings()
    const file = parseGoFile("a.go", "package p\ntype T struct {\nA int `json:a`\nB int\n}", findings)
    expect(findings.errors).toEqual([
      { file: "a.go", line: 3, type: "", field: "", message: "malformed struct tag `json:a`" },
    ])
    expect(spell(file.types[0]?.type as GoType)).toBe("struct(A int; B int)")
  })
})
