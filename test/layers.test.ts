/** The architecture as a test: which folder of src may import from which, and what may come from outside. */
import { readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { describe, expect, it } from "vitest"
import { projectRoot, readManifest } from "./support/entries.js"

const upToMerge = ["value", "json", "fieldpath", "schema", "typed", "union", "merge"]
const everyLayer = [
  ...upToMerge,
  "managedfields",
  "openapi",
  "gotypes",
  "kubernetes",
  "io",
  "validation",
  "kinds",
  "write",
  "tools/appliers",
  "tools/ownership",
  "tools/controller",
  "tools/managers",
  "tools/lint",
  "tools/cluster",
  "tools/secrets",
]

/**
 * For each folder of src, the other folders it may import from, which stand before it. `errors.ts` is open to all. The pictures in
 * CONTRIBUTING.md and docs/internals.md have the same folders in this order.
 */
const layers: Readonly<Record<string, readonly string[]>> = {
  "errors.ts": [],
  value: [],
  json: ["value"],
  fieldpath: ["value", "json"],
  schema: ["value"],
  typed: ["value", "json", "fieldpath", "schema"],
  union: ["value", "json", "fieldpath", "schema", "typed"],
  merge: ["value", "json", "fieldpath", "schema", "typed", "union"],
  validation: ["value", "json", "schema"],
  managedfields: upToMerge,
  openapi: ["value", "schema"],
  gotypes: ["value", "schema", "openapi", "validation"],
  kubernetes: ["value", "fieldpath", "schema"],
  io: ["value", "json"],
  kinds: [...upToMerge, "managedfields", "openapi", "kubernetes", "validation"],
  write: [...upToMerge, "managedfields", "openapi", "kubernetes", "validation", "kinds"],
  "tools/appliers": [...upToMerge, "managedfields", "kinds", "write"],
  "tools/ownership": [...upToMerge, "managedfields", "io", "kubernetes", "kinds", "write", "tools/appliers"],
  "tools/controller": [...upToMerge, "managedfields", "kubernetes", "kinds", "write", "tools/ownership"],
  "tools/managers": [...upToMerge, "managedfields", "kubernetes", "tools/appliers", "tools/ownership"],
  "tools/lint": [
    ...["value", "json", "fieldpath", "schema", "typed", "managedfields", "openapi", "kubernetes"],
    ...["io", "kinds", "write"],
  ],
  "tools/cluster": ["value", "json", "schema", "managedfields", "kinds"],
  "tools/secrets": ["value", "json", "fieldpath"],
  "tools/view": ["value", "json", "fieldpath", "managedfields", "io", "tools/ownership", "tools/secrets"],
  "tools/simulator": [
    ...upToMerge,
    "managedfields",
    "openapi",
    "io",
    "kinds",
    "write",
    "tools/appliers",
    "tools/ownership",
  ],
  apiserver: everyLayer,
  testing: [...everyLayer, "apiserver"],
  cli: [...everyLayer, "tools/simulator", "apiserver"],
  "index.ts": everyLayer,
}

/** For each package that src may import, the folders that may do so; an empty list means all. */
const packages: Readonly<Record<string, readonly string[]>> = {
  immer: [],
  "fast-deep-equal": [],
  re2js: ["kinds"],
  tinypool: ["cli"],
  yaml: ["io"],
  "@bufbuild/protobuf": ["apiserver"],
  "@marcbachmann/cel-js": ["kinds"],
  vitest: ["testing"],
}

interface Import {
  readonly from: string
  readonly to: string
  /** Gone after compilation. */
  readonly typeOnly: boolean
}

const files = filesOf("src")
const imports = importsIn("src", files)
const relative = relativeOf(imports)
const outside = imports.filter(({ to }) => !to.startsWith("."))

function filesOf(folder: string): string[] {
  return readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" })
    .map(file => file.replaceAll("\\", "/"))
    .filter(file => file.endsWith(".ts"))
    .sort()
}

function importsIn(folder: string, files: readonly string[]): Import[] {
  return files.flatMap(file => importsOf(file, readFileSync(join(projectRoot, folder, file), "utf8")))
}

/** The imports of files of the same program, with the target as a path like that of the importing file. */
function relativeOf(imports: readonly Import[]): Import[] {
  return imports
    .filter(({ to }) => to.startsWith("."))
    .map(edge => ({ ...edge, to: posix.join(posix.dirname(edge.from), edge.to).replace(/\.js$/, ".ts") }))
}

/** All imports and re-exports of a file, with or without names, and the dynamic ones. */
function importsOf(file: string, text: string): Import[] {
  const code = withoutComments(text)
  const found: Import[] = []
  const statement = /^\s*(import|export)\s+(type\s+)?(?:[\w$*{][^"';]*?from\s*)?["']([^"'\n]+)["']/gm
  for (const [, , type, to] of code.matchAll(statement)) {
    if (to !== undefined) found.push({ from: file, to, typeOnly: type !== undefined })
  }
  for (const [, to] of code.matchAll(/\b(?:import|require)\s*\(\s*["']([^"'\n]+)["']/g)) {
    if (to !== undefined) found.push({ from: file, to, typeOnly: false })
  }
  return found
}

/** Blanks comments; strings are matched first, so that a `//` inside one stays. */
function withoutComments(text: string): string {
  return text.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, part =>
    part.startsWith("/") ? " " : part,
  )
}

/** The layer that a file belongs to: a folder of src or of src/tools, or the file itself if it lies directly in src. */
function layerOf(file: string): string {
  const [folder = file, inner = ""] = file.split("/")
  return folder === "tools" ? `tools/${inner}` : folder
}

/**
 * The import as one between neighbours in the innermost folder that holds both files. A neighbour is an inner folder with all below
 * it, or the folder's own files, which count as one: `kinds/families` and `kinds/*`.
 */
function betweenNeighbours({ from, to, typeOnly }: Import): Import {
  const [source, target] = [from.split("/"), to.split("/")]
  let depth = 0
  while (depth < source.length - 1 && depth < target.length - 1 && source[depth] === target[depth]) depth++
  const neighbour = (parts: readonly string[]) =>
    [...parts.slice(0, depth), parts.length === depth + 1 ? "*" : parts[depth]].join("/")
  return { from: neighbour(source), to: neighbour(target), typeOnly }
}

/** The first circle of folders that import each other, inner folders and the files around them included. */
function findFolderCircle(edges: readonly Import[]): string[] {
  return findCircle(edges.map(betweenNeighbours).filter(({ from, to }) => from !== to))
}

/** The folders in the picture of layers below a heading: the first word of each line. */
function pictureOf(file: string, heading: string): string[] {
  const text = readFileSync(join(projectRoot, file), "utf8")
  const [, section = ""] = `\n${text}`.split(`\n${heading}\n`)
  const [block = ""] = /(?:^ {4}.*\n)+/m.exec(section) ?? []
  return block.split("\n").flatMap(line => /^ {4}(\S+)/.exec(line)?.[1] ?? [])
}

function describeImport({ from, to }: Import): string {
  return `src/${from} imports ${to}`
}

/** The first circle that following `edges` from any file runs into, as a list of files. */
function findCircle(edges: readonly Import[]): string[] {
  const targets = new Map<string, string[]>()
  for (const { from, to } of edges) targets.set(from, [...(targets.get(from) ?? []), to])
  const done = new Set<string>()
  const visit = (file: string, trail: readonly string[]): string[] => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file]
    if (done.has(file)) return []
    for (const next of targets.get(file) ?? []) {
      const circle = visit(next, [...trail, file])
      if (circle.length > 0) return circle
    }
    done.add(file)
    return []
  }
  for (const file of targets.keys()) {
    const circle = visit(file, [])
    if (circle.length > 0) return circle
  }
  return []
}

describe("reading imports", () => {
  it("sees every form of import, and none in comments and strings", () => {
    const text = [
      'import { a, type B } from "./a.js"',
      'import type { C } from "./c.js"',
      'import d, * as e from "d"',
      'import "./effects.js"',
      'export { f } from "./f.js"',
      'export * from "./g.js"',
      'export type { H } from "./h.js"',
      'import {\n  i,\n  j,\n} from "./i.js"',
      'const k = await import("./k.js")',
      'let url = "https://example.com" // import { l } from "./l.js"',
      '/* import { m } from "./m.js" */',
      'export const n = "text"',
    ].join("\n")
    expect(importsOf("x.ts", text).map(({ to, typeOnly }) => (typeOnly ? `type ${to}` : to))).toEqual([
      "./a.js",
      "type ./c.js",
      "d",
      "./effects.js",
      "./f.js",
      "./g.js",
      "type ./h.js",
      "./i.js",
      "./k.js",
    ])
  })

  it("finds a cycle", () => {
    const edge = (from: string, to: string) => ({ from, to, typeOnly: false })
    expect(findCircle([edge("a", "b"), edge("b", "c"), edge("c", "b")])).toEqual(["b", "c", "b"])
    expect(findCircle([edge("a", "b"), edge("a", "c"), edge("c", "b")])).toEqual([])
  })

  it("finds a cycle of folders, at any depth", () => {
    const edge = (from: string, to: string) => ({ from, to, typeOnly: false })
    const circle = (...edges: [from: string, to: string][]) => findFolderCircle(edges.map(([a, b]) => edge(a, b)))
    expect(circle(["a/x/1.ts", "a/y/2.ts"], ["a/y/z/3.ts", "a/x/4.ts"])).toEqual(["a/x", "a/y", "a/x"])
    expect(circle(["a/x/1.ts", "a/2.ts"], ["a/3.ts", "a/x/4.ts"])).toEqual(["a/x", "a/*", "a/x"])
    expect(circle(["a/x/y/1.ts", "a/x/2.ts"], ["a/x/3.ts", "a/x/y/4.ts"])).toEqual(["a/x/y", "a/x/*", "a/x/y"])
    expect(circle(["a/x/1.ts", "b/2.ts"], ["b/y/3.ts", "c/4.ts"], ["c/5.ts", "a/6.ts"])).toEqual(["a", "b", "c", "a"])
    expect(circle(["a/x/1.ts", "a/x/2.ts"], ["a/1.ts", "a/x/2.ts"], ["a/x/y/1.ts", "a/z/2.ts"])).toEqual([])
  })
})

describe("src", () => {
  it("has only folders of the table", () => {
    expect(files.map(layerOf).filter(layer => layers[layer] === undefined)).toEqual([])
  })

  it("has a table in which folders import only from earlier ones", () => {
    const order = Object.keys(layers)
    const wrong = Object.entries(layers).filter(([layer, open]) =>
      open.some(other => order.indexOf(other) >= order.indexOf(layer)),
    )
    expect(wrong.map(([layer]) => layer)).toEqual([])
  })

  it.each([
    ["CONTRIBUTING.md", "## Layers"],
    ["docs/internals.md", "# How it works"],
  ])("has the same folders in the picture of %s", (file, heading) => {
    expect(pictureOf(file, heading)).toEqual(Object.keys(layers).filter(layer => !layer.endsWith(".ts")))
  })

  it("imports only as the table allows", () => {
    const wrong = relative.filter(({ from, to }) => {
      const [here, there] = [layerOf(from), layerOf(to)]
      return here !== there && there !== "errors.ts" && !layers[here]?.includes(there)
    })
    expect(wrong.map(describeImport)).toEqual([])
  })

  it("imports files that exist, by their compiled names", () => {
    const known = new Set(files)
    expect(relative.filter(({ to }) => !known.has(to)).map(describeImport)).toEqual([])
  })

  it("never imports an index", () => {
    expect(relative.filter(({ to }) => posix.basename(to) === "index.ts").map(describeImport)).toEqual([])
  })

  it("has no cycle of imports", () => {
    expect(findCircle(relative)).toEqual([])
  })

  it("has no folders that import each other, including inner folders", () => {
    expect(findFolderCircle(relative.filter(({ to }) => to !== "errors.ts"))).toEqual([])
  })

  it("uses Node's modules only in the command line and in entries named /node", () => {
    const mayUse = (file: string) => layerOf(file) === "cli" || file.includes("/node/")
    const wrong = outside.filter(({ from, to }) => to.startsWith("node:") && !mayUse(from))
    expect(wrong.map(describeImport)).toEqual([])
  })

  it("uses only allowed packages, and only where they are allowed", () => {
    const wrong = outside.filter(({ from, to }) => {
      if (to.startsWith("node:")) return false
      const [name = ""] = /^(?:@[^/]+\/)?[^/]+/.exec(to) ?? []
      const places = packages[name]
      return places === undefined || (places.length > 0 && !places.includes(layerOf(from)))
    })
    expect(wrong.map(describeImport)).toEqual([])
  })

  it("uses every package that package.json lists", () => {
    const { dependencies, peerDependencies } = readManifest()
    expect(Object.keys({ ...dependencies, ...peerDependencies }).sort()).toEqual(Object.keys(packages).sort())
  })
})

describe("bench", () => {
  it("has no cycle of imports or of folders", () => {
    const edges = relativeOf(importsIn("bench", filesOf("bench"))).filter(({ to }) => !to.startsWith("../"))
    expect(findCircle(edges)).toEqual([])
    expect(findFolderCircle(edges)).toEqual([])
  })
})
