/** Reads Go source, and reports errors in it. */
import { describe, expect, it } from "vitest"
import { formatGoTypesIssue, GoTypesError, readGoTypes } from "../../../src/gotypes/index.js"
import { definitionOf, fieldOf, problemsOf, readTypes, typeNamed } from "../support.js"

const fieldNames = (read: Awaited<ReturnType<typeof readTypes>>, type = "v1.T") =>
  typeNamed(read, type).map?.fields?.map(({ name }) => name)

describe("fields", () => {
  it.each([
    ["names in Go, where there is no tag", "A, B string", ["A", "B"]],
    [
      "names of tags, and names in Go where a tag has none",
      'A string `json:"a"`\nB string `json:",omitempty"`',
      ["B", "a"],
    ],
    ["nothing that is not exported, or taken out", 'a string\nB string `json:"-"`\nC string', ["C"]],
    ["nothing that JSON does not have, whatever its type is", 'a func()\nB chan int `json:"-"`\nC string', ["C"]],
    ["a name that is a dash", 'A string `json:"-,"`', ["-"]],
    [
      "keys that JavaScript has a use for",
      'A string `json:"__proto__"`\nB string `json:"constructor"`',
      ["__proto__", "constructor"],
    ],
    ["tags in double quotes", String.raw`A string "json:\"a\" yaml:\"b\""`, ["a"]],
    ["fields of embedded structs", "Base\nA string", ["A", "X", "Y"]],
    ["fields of embedded structs behind pointers, in one another", '*Outer `json:",inline"`', ["O", "X", "Y"]],
    ["an embedded struct that has a name", 'Base `json:"base"`', ["base"]],
    ["the outer one of two fields of a name", "Base\nX bool", ["X", "Y"]],
  ])("have %s", async (_, fields, expected) => {
    const read = await readTypes(
      `type T struct {\n${fields}\n}\ntype Base struct { X, Y string }\ntype Outer struct { Base; O int }`,
    )
    expect(fieldNames(read)?.toSorted()).toEqual(expected)
  })

  it("take the outer field where an embedded struct has its name too", async () => {
    const read = await readTypes("type T struct {\nBase\nX bool\n}\ntype Base struct { X string }")
    expect(fieldOf(read, "X")).toEqual({ scalar: "boolean" })
  })

  it("are strings where their tag says so", async () => {
    expect(fieldOf(await readTypes('type T struct { A int `json:"a,string"` }'), "a")).toEqual({ scalar: "string" })
  })

  it("may be left out with omitempty, omitzero or +optional, and not with +required", async () => {
    const fields = [
      'A string `json:"a,omitempty"`',
      'B metav1.Time `json:"b,omitzero"`',
      '// +optional\nC string `json:"c"`',
      '// +required\nD string `json:"d,omitempty"`',
      '// +k8s:beta(since: "1.37")=+k8s:optional\nE *string `json:"e"`',
      'F string `json:"f"`',
    ]
    expect(definitionOf(await readTypes(`type T struct {\n${fields.join("\n")}\n}`)).required).toEqual(["d", "f"])
  })
})

describe("comments", () => {
  it("are read from the line above, and end at a blank line", async () => {
    const text = "type T struct {\n// +listType=set\n\nA []string\n// +listType=set\n// Words.\nB []string\n}"
    const read = await readTypes(text)
    expect(fieldOf(read, "A")?.list?.elementRelationship).toBe("atomic")
    expect(fieldOf(read, "B")?.list?.elementRelationship).toBe("associative")
    expect(read.warnings.map(formatGoTypesIssue)).toEqual([
      "types.go:6: T.A: a blank line separates +listType=set from its declaration, so it is not read",
    ])
  })

  it("behind a field are not read, and belong to no other", async () => {
    const read = await readTypes("type T struct {\nA []string // +listType=set\nB []string\n}")
    expect(fieldOf(read, "A")?.list?.elementRelationship).toBe("atomic")
    expect(fieldOf(read, "B")?.list?.elementRelationship).toBe("atomic")
    expect(read.warnings.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      "A: +listType=set follows the field on its line, where it is not read",
    ])
  })

  it("may be blocks", async () => {
    const read = await readTypes("type T struct {\n/*\nWords.\n+listType=set\n*/\nA []string\n}")
    expect(fieldOf(read, "A")?.list?.elementRelationship).toBe("associative")
  })

  it("become descriptions, without markers and remarks", async () => {
    const text =
      "// T is a type\n// of two lines.\n//\n// TODO: more\n// +k8s:thing\n// A paragraph.\n// ---\n// Notes.\ntype T struct { A int }"
    expect(definitionOf(await readTypes(text)).description).toBe("T is a type of two lines.\n\nA paragraph.")
  })

  it("of types in a group are those above each", async () => {
    const read = await readTypes("type (\n// +structType=atomic\nT struct { A int }\nU struct { A int }\n)")
    expect(typeNamed(read, "v1.T").map?.elementRelationship).toBe("atomic")
    expect(typeNamed(read, "v1.U").map?.elementRelationship).toBeUndefined()
  })
})

describe("files", () => {
  it("of a package are read together, tests and other builds left out", async () => {
    const sources = {
      "a.go": "package v1\ntype T struct { A U }",
      "b.go": "//go:build !windows && (linux || !cgo) && go1.20\n\npackage v1\ntype U struct { B int }",
      "c.go": "//go:build windows\n\npackage v1\ntype U struct { C int }",
      "a_test.go": "package v1_test\ntype U struct { D int }",
      "notes.md": "no Go at all",
    }
    expect(fieldNames(await readGoTypes(sources), "v1.U")).toEqual(["B"])
  })

  it("of another package are an error, and so is none", async () => {
    const sources = { "a.go": "package v1\ntype T struct {}", "b.go": "package v2\ntype U struct {}" }
    await expect(readGoTypes(sources)).rejects.toThrow("b.go:1: package v2; a.go is of package v1")
    await expect(readGoTypes({ "notes.md": "" })).rejects.toThrow(new TypeError("expected Go files, found notes.md"))
  })
})

/** Types that refer to themselves, by the field that needs them. */
const circles = {
  "A Loop": "type Loop Loop2\ntype Loop2 *Loop",
  "A Ping": "type Ping Pong\ntype Pong Ping",
  "A Chicken": "type Chicken struct { Egg }\ntype Egg struct { *Chicken }",
}

describe("errors", () => {
  it.each([
    ["a brace that is not closed", "type T struct {\n A int", /^2 .*syntax error/],
    ["a field without a type", "type T struct {\n A\n B int,\n}", /^3 .*syntax error/],
    ["an unknown keyword", "type T struct { A int }\nclass B {}", /^2 .*(syntax error|expected a declaration)/],
    ["a statement", "type T struct { A int }\nx := 1", /^2 \.: expected a declaration/],
    ["a string that is not closed", 'const A = "a\ntype T struct { A int }', /^1 \.: a string is not closed/],
    ["a comment that is not closed", "type T struct { A int }\n/* words", /syntax error/],
    [
      "a body that is not closed",
      "func f() {\n if x {\n}\ntype T struct { A int }",
      /^1 .*syntax error near { is not closed/,
    ],
    ["a body that another bracket closes", "type T struct { A int }\nfunc f() { g(\n}", /^3 .*syntax error near }/],
    [
      "a string in backticks that is not closed",
      "func f() {\n g(`a)\n}\ntype T struct { A int }",
      /^2 .*a string is not closed/,
    ],
    ["text that Go does not have", "type T struct { A int }\nvar a = #1", /^2 .*syntax error near #1/],
    ["two declarations on a line", "type T struct { A int } type U int", /^1 .*syntax error near type U int/],
    ["a type without a name", "type struct { A int }", /^1 .*syntax error near struct/],
    ["a name that is a keyword", "type T struct { func int }", /^1 .*syntax error near func int/],
    [
      "types that nest too deep",
      `type T struct { A ${"[]".repeat(1e5)}int }`,
      /^1 .*types and parentheses nest deeper than 200 levels/,
    ],
    [
      "parentheses that nest too deep",
      `const A = ${"(".repeat(1e3)}1${")".repeat(1e3)}`,
      /^1 .*deeper than 200 levels/,
    ],
    ["a malformed tag", "type T struct {\nA int `json:a`\n}", /^2 \.: malformed struct tag `json:a`/],
  ])("are reported for %s", async (_, text, expected) => {
    expect((await problemsOf(text)).join("\n")).toMatch(expected)
  })

  it.each([
    ["a type that is not there", "A Missing", "2 T.A: there is no type Missing"],
    ["a package that is not imported", "A other.Type", "2 T.A: there is no type other.Type"],
    ["a type of an imported package that is not there", "A metav1.duration", /the source of k8s.io/],
    ["a channel", "A chan int", "2 T.A: JSON can't hold the type chan int"],
    ["a function", "A func()", "2 T.A: JSON can't hold the type func()"],
    ["a complex number", "A complex128", "2 T.A: JSON can't hold the type complex128"],
    ["keys that are no strings", "A map[bool]string", "2 T.A: the keys of a map have to be strings or integers"],
    ["a type that is made of itself", "A Loop", "2 T.A: the type contains itself"],
    ["types that are names of each other", "A Ping", "2 T.A: the type contains itself"],
    ["structs that embed each other", "A Chicken", /the struct is embedded in itself/],
    ["one name twice", 'A int `json:"a"`\nB int `json:"a"`', "3 T.B: the name a is taken by A"],
    [
      "an embedded type with a form of its own",
      "metav1.Time",
      "2 T.Time: the embedded type has a JSON form of its own, which would become the form of the whole struct",
    ],
    [
      "a field that is required and optional",
      "// +optional\n// +required\nA int",
      "4 T.A: can't be both optional and required",
    ],
    [
      "a marker that is not closed",
      '// +k8s:unionMember(union: "a"\nA *int',
      '2 T.A: malformed marker +k8s:unionMember(union: "a"',
    ],
    [
      "a default that is no JSON",
      "// +default=abc\nA *string",
      "3 T.A: +default is neither JSON nor the name of a constant: abc",
    ],
  ])("are reported for %s", async (_, field, expected) => {
    const others = circles[field as keyof typeof circles] ?? ""
    const [problem] = await problemsOf(`type T struct {\n${field}\n}\n${others}`)
    if (typeof expected === "string") expect(problem).toBe(expected)
    else expect(problem).toMatch(expected)
  })

  it("come all at once, with the file, line, type and field of each", async () => {
    const error = await readTypes("type T struct {\nA Missing\nB Lost\n}").catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(GoTypesError)
    expect((error as GoTypesError).message).toBe(
      "Go types can't be read: types.go:6: T.A: there is no type Missing\ntypes.go:7: T.B: there is no type Lost",
    )
    expect((error as GoTypesError).code).toBe("invalid-schema")
  })
})

/** Valid Go with `type T struct { A int }` in it. The field of T must be read, whatever surrounds it. */
const sources: readonly (readonly [string, string])[] = [
  ["comparisons in cases", "func f() {\nswitch {\ncase a > 1, a < 3:\n\treturn `a`\n}\n}"],
  ["functions within functions", "func f() func() { return func() { if x := (T{A: 1}); x.A > 0 { g() } } }"],
  ["calls of generic functions", "func f() { g[int, map[string][]T](h[T]{}, i[j](k)) }"],
  ["braces in strings, runes and comments", "func f() { g(\"{\", `{\n{`, '{', '\\'', '\"') /* { */ // {\n}"],
  ["labels, channels and selects", "func f() {\nl:\nfor range c {\nselect {\ncase <-c: break l\ndefault:\n}\n}\n}"],
  ["statements that make no sense", "func f() { 1 + ; = ]struct }".replace("]", "")],
  ["results of types with braces", "func f() struct{ B int } { return x }\nfunc g() interface{ M() } { return x }"],
  ["results that have names", "func f(a, b int, c ...T) (d []struct{ B int }, err error) { return }"],
  ["a function without a body", "func f(int) (bool)\nfunc g() *T"],
  [
    "generic functions and methods",
    "func f[K comparable, V ~int | T](m map[K]V) V { return m }\nfunc (l *L[K]) g() {}\ntype L[K any] []K",
  ],
  ["constraints", "type C interface {\n~int | ~string\n*T\nM(T) (int, error)\n}"],
  [
    "generic types that nobody uses",
    "type G[K comparable, V any] struct { m map[K]V }\ntype H[E T | *T,] []E\ntype I = G[string, T]",
  ],
  ["arrays whose length is an expression", "type (\nX [N * 2]int\nY [len(`[`)]T\nZ [pkg.N]T\n)\nconst N = 1 << 3"],
  [
    "variables with functions in them",
    'var (\na, b = func() { c := `}` }, map[string]T{"x": {A: 1}}\n_ I = (*T)(nil)\nc chan<- func()\n)',
  ],
  [
    "constants of all kinds",
    "const (\na = iota\nb\nc float64 = 1e-9 + 0x1p-2 + 1_000.5i\nd, e = 'x', \"\\x41\\101\\u00e9\"\n)",
  ],
  ["semicolons", "type A struct { B int; C, D string; }; func f() { }; type (E int; F string)"],
  [
    "lines that end within a statement",
    "type A map[\nstring]struct {\nB,\nC int\n}\nfunc f(\na int,\n) (\nint,\n) {\n}",
  ],
  ["comments within declarations", "type /* a */ A /* b */ = /* c\n*/ struct { /* d */ B /* e */ int /* f */ } // g"],
  ["names that are not ASCII", "type Größe struct { Länge int }\nfunc f() { π := 1 }"],
  [
    "embedded types of all kinds",
    'type a struct { B; *C; metav1.Time; *metav1.Duration; d[int]; e.F[int, T] `json:"f"`; g [2]int }',
  ],
  [
    "names that JavaScript has a use for",
    "type constructor struct { toString int }\nfunc (constructor) hasOwnProperty() {}",
  ],
]

describe("Go", () => {
  it.each(sources)("may have %s", async (_, text) => {
    const after = await readTypes(`type T struct { A int }\n${text}`.replaceAll("\n", "\r\n"))
    const before = await readTypes(`${text}\ntype T struct { A int }`)
    expect([fieldNames(after), fieldNames(before)]).toEqual([["A"], ["A"]])
  })

  it("may begin with a byte order mark", async () => {
    const { schema } = await readGoTypes({ "types.go": "\uFEFFpackage v1\ntype T struct { A int }" })
    expect(schema.types[0]?.name).toBe("v1.T")
  })

  it("has constants in characters, bytes and sums", async () => {
    const values = [
      'A E = "\\u00e9" + ("\\xc3\\xa9" +\n`\\`)',
      'B = E("\\303\\251\\"")',
      "C E = pkg.C + C",
      'D = E("d" + e)',
    ]
    const text = `// +enum\ntype E string\ntype T struct { F E }\nconst (\n${values.join("\n")}\n)\nconst e = "e"`
    const { F } = definitionOf(await readTypes(text)).properties as Record<string, unknown>
    expect(F).toMatchObject({ enum: ["de", 'é"', "éé\\"] })
  })

  it("may import the names of a package as its own", async () => {
    const text = 'import . "example.com/base"\n\ntype T struct { A Named; B string; C Other }\ntype Other int'
    const resolve = (path: string) =>
      path === "example.com/base" ? { "b.go": "package base\ntype Named bool\ntype Other bool" } : undefined
    const read = await readTypes(text, { resolve })
    expect(["A", "B", "C"].map(name => fieldOf(read, name)?.scalar)).toEqual(["boolean", "string", "numeric"])
    expect((await problemsOf(text)).join()).toMatch(/T\.A: the source of example.com\/base/)
  })
})
