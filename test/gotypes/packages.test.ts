/** Reads several packages: finds the package that a name means, and names their types. */
import { describe, expect, it } from "vitest"
import { GoTypesError, type GoTypesOptions, readGoTypes } from "../../src/gotypes/index.js"
import { fieldOf, typeNamed } from "./support.js"

/** Reads `T`, which has a field of each of these types, with sources of imported packages by their paths. */
function readFields(
  imports: string,
  types: readonly string[],
  packages: Record<string, string>,
  options: GoTypesOptions = {},
) {
  const fields = types.map((type, index) => `F${index} ${type}`).join("\n")
  const source = `package v1\n${imports}\ntype T struct {\n${fields}\n}`
  return readGoTypes(
    { "t.go": source },
    { resolve: path => (path in packages ? { "p.go": String(packages[path]) } : undefined), ...options },
  )
}

async function problemsIn(promise: Promise<unknown>): Promise<string[]> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof GoTypesError)) throw error ?? new Error("expected a GoTypesError")
  return error.issues.map(({ file, line, type, field, message }) => `${file}:${line} ${type}.${field}: ${message}`)
}

describe("an import is found by", () => {
  it.each([
    ["its last part", "a.com/b", "b"],
    ["the part before a version", "a.com/b/v2", "b"],
    ["its version", "a.com/b/v2", "v2"],
    ["its last part without a version", "a.com/b.v3", "b"],
    ["its last part without a version of two digits", "a.com/b.v34", "b"],
    ["the part before a version of two digits", "a.com/b/v12", "b"],
    ["its last part without go-", "a.com/go-b", "b"],
    ["its last part without -go", "a.com/b-go", "b"],
    ["a path of one part", "b", "b"],
  ])("%s: %s", async (_, path, name) => {
    const read = await readFields(`import "${path}"`, [`${name}.X`], { [path]: `package ${name}\ntype X bool` })
    expect(fieldOf(read, "F0")).toEqual({ scalar: "boolean" })
  })

  it.each([
    ["a.com/b", "a"],
    ["a.com/b/v2x", "b"],
    ["a.com/b/xv2", "b"],
    ["a.com/b.v3x", "b"],
    ["a.com/xgo-b", "xb"],
    ["a.com/go-b", "gob"],
    ["a.com/b-gox", "bx"],
    ["a.com/b/c", "b"],
  ])("not %s by %s", async (path, name) => {
    const read = readFields(`import "${path}"`, [`${name}.X`], { [path]: "package b\ntype X bool" })
    expect(await problemsIn(read)).toEqual([`t.go:4 T.F0: there is no type ${name}.X`])
  })

  it("its alias, which goes before the names of others, and hides its own", async () => {
    const packages = { "a.com/b": "package b\ntype X bool", "a.com/c": "package c\ntype X string" }
    const read = await readFields('import (\n"a.com/b"\nb "a.com/c"\n)', ["b.X"], packages)
    expect(fieldOf(read, "F0")).toEqual({ scalar: "string" })
    const problems = await problemsIn(readFields('import c "a.com/b"', ["b.X", "c.X"], packages))
    expect(problems).toEqual(["t.go:4 T.F0: there is no type b.X"])
  })
})

describe("a name means", () => {
  const packages = {
    "a.com/b":
      'package b\nimport "a.com/c"\ntype string bool\ntype X string\ntype Far c.X\ntype Map map[c.Key]c.X\nfunc f() {}',
    "a.com/c": "package c\ntype X struct {\nA []Y\n}\ntype Y struct{\nB *Z\n}\ntype Key string\ntype Z int",
  }

  it("a type of the package before a basic one, each in its own package", async () => {
    const read = await readFields('import "a.com/b"', ["b.X", "string", "b.string"], packages)
    expect(["F0", "F1", "F2"].map(name => fieldOf(read, name)?.scalar)).toEqual(["boolean", "string", "boolean"])
  })

  it("a type of a package that only another one imports", async () => {
    const read = await readFields('import "a.com/b"', ["b.Far", "b.Map"], packages)
    expect(fieldOf(read, "F0")).toEqual({ namedType: "com.a.b.Far" })
    expect(fieldOf(read, "F1")).toEqual({ map: { elementType: { namedType: "com.a.c.X" } } })
    expect(typeNamed(read, "com.a.b.Far").map?.fields?.map(({ name }) => name)).toEqual(["A"])
    expect(typeNamed(read, "com.a.c.Y").map?.fields?.[0]?.type).toEqual({ scalar: "numeric" })
  })

  it("what its own file imports, not what another file of the package does", async () => {
    const files = {
      "a.go": 'package v1\nimport x "a.com/b"\ntype T struct {\nA x.X\n}',
      "b.go": 'package v1\nimport x "a.com/c"\ntype U struct {\nA x.X\n}',
    }
    const read = await readGoTypes(files, { resolve: path => ({ "p.go": String(packages[path as "a.com/b"]) }) })
    expect(fieldOf(read, "A")).toEqual({ scalar: "boolean" })
    expect(typeNamed(read, "v1.U").map?.fields?.[0]?.type).toEqual({ namedType: "com.a.c.X" })
  })

  it("nothing where its package has no such type", async () => {
    expect(await problemsIn(readFields('import "a.com/b"', ["b.Missing", "b.f", "error"], packages))).toEqual([
      "t.go:4 T.F0: there is no type b.Missing",
      "t.go:5 T.F1: there is no type b.f",
      "t.go:6 T.F2: JSON can't hold the type error",
    ])
  })

  it("a known type within the package that declares it", async () => {
    const path = "k8s.io/apimachinery/pkg/apis/meta/v1"
    const source =
      "package v1\ntype T struct {\nA Time\nB Other\n}\ntype Time struct {\nx int\n}\ntype Other struct {\nA int\n}"
    const read = await readGoTypes({ "t.go": source }, { path })
    const model = "io.k8s.apimachinery.pkg.apis.meta.v1"
    expect(typeNamed(read, `${model}.T`).map?.fields?.map(({ type }) => type)).toEqual([
      { namedType: `${model}.Time` },
      { namedType: `${model}.Other` },
    ])
    expect(typeNamed(read, `${model}.Time`)).toMatchObject({ scalar: "untyped" })
  })

  it("a type of a package that is imported without a qualifier, be it the first or the second one", async () => {
    const files = { "a.com/x": "package x\ntype A bool", "a.com/y": "package y\ntype B string\ntype C int" }
    const imports = 'import . "a.com/x"\nimport . "a.com/y"\ntype C struct{}'
    const read = await readFields(imports, ["A", "B", "C", "string"], files)
    expect(["F0", "F1", "F2", "F3"].map(name => fieldOf(read, name))).toEqual([
      { scalar: "boolean" },
      { scalar: "string" },
      { namedType: "v1.C" },
      { scalar: "string" },
    ])
    expect(await problemsIn(readFields(imports, ["D"], files))).toEqual(["t.go:6 T.F0: there is no type D"])
    const [missing] = await problemsIn(readFields(imports, ["A", "D"], { "a.com/x": "package x\ntype A bool" }))
    expect(missing).toMatch(/^t\.go:7 T\.F1: the source of a\.com\/y/)
  })

  it("a given type where a bundled package lacks it", async () => {
    const types = {
      types: [
        { name: "io.k8s.apimachinery.pkg.apis.meta.v1.Table", map: {} },
        { name: "other", map: {} },
      ],
    }
    const read = await readFields(
      'import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"',
      ["metav1.Table"],
      {},
      { types },
    )
    expect(fieldOf(read, "F0")).toEqual({ namedType: "io.k8s.apimachinery.pkg.apis.meta.v1.Table" })
    expect(read.schema.types.map(({ name }) => name)).not.toContain("other")
  })
})

it("finds known types in a package that is imported without a qualifier", async () => {
  const imports = 'import . "k8s.io/apimachinery/pkg/apis/meta/v1"\nimport . "a.com/x"'
  const read = await readFields(imports, ["Time", "Condition", "X"], { "a.com/x": "package x\ntype X int" })
  expect(["F0", "F1", "F2"].map(name => fieldOf(read, name))).toEqual([
    { namedType: "io.k8s.apimachinery.pkg.apis.meta.v1.Time" },
    { namedType: "io.k8s.apimachinery.pkg.apis.meta.v1.Condition" },
    { scalar: "numeric" },
  ])
})

it("asks for no package if a qualifier stands for none", async () => {
  const asked: string[] = []
  const resolve = (path: string) => {
    asked.push(path)
    return undefined
  }
  const source = 'package v1\nimport "a.com/x"\ntype T struct {\nA y.X\n}'
  expect(await problemsIn(readGoTypes({ "t.go": source }, { resolve }))).toEqual(["t.go:4 T.A: there is no type y.X"])
  expect(asked).toEqual([])
})

it("gives a field of a type without source the empty default, as Kubernetes does", async () => {
  const types = { types: [{ name: "com.a.x.A", map: {} }] }
  const read = await readFields('import "a.com/x"', ["x.A", "*x.A"], {}, { types })
  expect(typeNamed(read, "v1.T").map?.fields).toEqual([
    { name: "F0", type: { namedType: "com.a.x.A" }, default: {} },
    { name: "F1", type: { namedType: "com.a.x.A" } },
  ])
})

it("takes all that a given type uses into the schema", async () => {
  const ref = (namedType: string) => ({ namedType })
  const types = {
    types: [
      {
        name: "com.a.x.A",
        map: {
          fields: [
            { name: "b", type: ref("b") },
            { name: "c", type: { list: { elementType: ref("c"), elementRelationship: "atomic" } } },
          ],
          elementType: ref("d"),
        },
      },
      { name: "b", map: { elementType: ref("__untyped_atomic_") } },
      { name: "c", list: { elementType: { map: { elementType: ref("com.a.x.A") } }, elementRelationship: "atomic" } },
      { name: "d", scalar: "string" },
      { name: "e", map: { elementType: ref("b") } },
    ],
  } as NonNullable<GoTypesOptions["types"]>
  const read = await readFields('import "a.com/x"', ["x.A"], {}, { types })
  expect(read.schema.types.map(({ name }) => name)).toEqual([
    "b",
    "c",
    "com.a.x.A",
    "d",
    "v1.T",
    "__untyped_atomic_",
    "__untyped_deduced_",
  ])
})

it("asks for packages once, and only for those that fields in JSON use", async () => {
  const asked: string[] = []
  const imports = ["a", "b", "c", "d", "e", "f", "g", "h"].map(name => `import "x.com/${name}"`).join("\n")
  const fields = 'A a.X\nB *b.X `json:"-"`\nc c.X\nD map[a.X][]d.X\nE any\nF [2]g.X\nG L[*h.X]'
  const source = `package v1\n${imports}\ntype T struct {\n${fields}\n}\ntype U []a.X\ntype L[T any] []T\nvar v e.X\nfunc f(f.X)`
  await readGoTypes(
    { "t.go": source },
    {
      resolve: path => {
        asked.push(path)
        return { "p.go": `package ${path.slice(-1)}\ntype X string` }
      },
    },
  )
  expect(asked).toEqual(["x.com/a", "x.com/d", "x.com/g", "x.com/h"])
})

describe("the model of a type is", () => {
  const marker = "// +k8s:openapi-model-package="
  it.each([
    ["its package in Go without a path", "package v1\ntype T struct{}", {}, "v1.T"],
    ["its path", "package v1\ntype T struct{}", { path: "a.b.c/d/v1" }, "c.b.a.d.v1.T"],
    ["as its package says", `${marker}x.y\npackage v1\ntype T struct{}`, { path: "a.com/b" }, "x.y.T"],
    ["as the type itself says", `${marker}x.y\npackage v1\n${marker}z\ntype T struct{}`, {}, "z.T"],
    ["not empty", `${marker}\npackage v1\n${marker}\ntype T struct{}`, {}, "v1.T"],
  ])("%s", async (_, source, options, expected) => {
    const read = await readGoTypes({ "t.go": source }, options)
    expect(read.schema.types[0]?.name).toBe(expected)
    expect(read.definitionOf("T")).toBe(expected)
  })
})

describe("files of a package", () => {
  it.each([
    [{ "a.go": "package a\ntype T struct{}", "b.go": "package b" }, ["b.go:1 .: package b; a.go is of package a"]],
    [{ "a.go": "package a\ntype T struct{}\ntype T int" }, ["a.go:3 T.: declared twice in this package"]],
    [
      { "a.go": "package a\ntype T struct{}", "b.go": "package a\n\ntype T struct{}" },
      ["b.go:3 T.: declared twice in this package"],
    ],
    [{ "a.go": "package a\ntype T struct{}", "b.go": "type U struct{}" }, ["b.go:1 .: expected a package clause"]],
    [
      { "b.go": "package a\ntype T struct {", "a.go": "package a\nx" },
      ["b.go:2 .: syntax error", "a.go:2 .: expected a declaration near x"],
    ],
  ])("%j", async (files, expected) => {
    expect(await problemsIn(readGoTypes(files as Record<string, string>))).toEqual(expected)
  })

  it("that are imported have the path of their package in messages", async () => {
    const problems = await problemsIn(
      readFields('import "a.com/b"', ["b.X"], { "a.com/b": "package b\ntype X struct {\nA Missing\n}" }),
    )
    expect(problems).toEqual(["a.com/b/p.go:3 X.A: there is no type Missing"])
  })

  it("that are no Go, tests, and those of other builds are ignored", async () => {
    const ignored = { "x.txt": "?", "a_test.go": "?", "b.go": "//go:build ignore\n\npackage main\n?", "c.golang": "?" }
    const read = await readGoTypes({ ...ignored, "t.go": "package v1\ntype T struct{}" })
    expect(read.schema.types[0]?.name).toBe("v1.T")
    await expect(readGoTypes(ignored)).rejects.toThrow(
      new TypeError("expected Go files, found x.txt, a_test.go, b.go, c.golang"),
    )
    await expect(readGoTypes({})).rejects.toThrow(new TypeError("expected Go files, found none"))
  })
})

describe("constants", () => {
  async function enumOf(consts: string, packages: Record<string, string> = {}, imports = "") {
    const source = `package v1\n${imports}\ntype T struct {\nF *E\n}\n// +enum\ntype E string\n${consts}`
    const read = await readGoTypes(
      { "t.go": source, "u.go": 'package v1\nconst (\nElse E = "else"\nplain = "plain"\n)' },
      {
        path: "a.com/v1",
        resolve: path => (path in packages ? { "p.go": String(packages[path]) } : undefined),
      },
    )
    const { openapi } = read as unknown as {
      openapi: { components: { schemas: Record<string, { properties: { F: { enum?: string[] } } }> } }
    }
    return openapi.components.schemas["com.a.v1.T"]?.properties.F.enum
  }

  it.each([
    ['const A E = "a"', ["a", "else"]],
    ['const A = E("a")', ["a", "else"]],
    ["const A E = plain", ["else", "plain"]],
    ['const A E = plain + "-" + plain', ["else", "plain-plain"]],
    ["const A = E(Else)", ["else"]],
    ["const A E = missing", ["else"]],
    ["const A E = x.B", ["else"]],
    ["const A E = 1", ["else"]],
    ["const A x.E = `a`", ["else"]],
    ["const A F = `a`", ["else"]],
    ["const A *E = `a`", ["else"]],
    ["const A E = B\nconst B E = A", ["else"]],
    ['const A E = B\nconst B = C\nconst C = "c"', ["c", "else"]],
  ])("%s", async (consts, expected) => {
    expect(await enumOf(consts)).toEqual(expected)
  })

  it("may be made of those of imported packages that are used", async () => {
    const packages = {
      "a.com/x": 'package x\nimport "a.com/y"\nconst B = "b" + c\nconst c = "c"\nconst D = y.E\ntype X int',
    }
    const imports = 'import "a.com/x"\ntype Uses struct {\nX x.X\n}'
    expect(await enumOf("const A E = x.B", packages, imports)).toEqual(["bc", "else"])
    expect(await enumOf("const A E = x.D", packages, imports)).toEqual(["else"])
    expect(await enumOf("const A E = x.Missing", packages, imports)).toEqual(["else"])
  })
})
