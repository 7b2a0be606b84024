/**
 * Reads the Go types of projects from their modules, and compares them with the CRDs that the projects publish: how lists and maps are
 * merged, keys, scalars, fields and unions. Prints a table, and fails if a difference has none of the reasons in project-list.ts. Needs Go.
 * Downloads the modules (1 GB) with `go mod download`, and keeps nothing of them here.
 *
 *     npm run --silent gotypes -- projects
 *     npm run --silent gotypes -- projects --project "Argo CD"    one project alone, with each difference
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { type GoTypes, readGoTypes } from "../../src/gotypes/index.js"
import { Findings } from "../../src/gotypes/source/errors.js"
import { parseGoFile } from "../../src/gotypes/source/parse.js"
import { parseManifests } from "../../src/io/index.js"
import { schemaFromCRD } from "../../src/openapi/index.js"
import { applyUnionOverlay } from "../../src/union/index.js"
import { own } from "../../src/value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../src/value/value.js"
import { type Comparison, compareTypes, type PlaceDifference } from "./crd-differences.js"
import { folderOf, ModuleGraph, type ModuleVersion } from "./modules.js"
import { type Project, projects, reasons } from "./project-list.js"

/** A version of a CRD. */
interface PublishedKind {
  readonly crd: MapValue
  readonly group: string
  readonly version: string
  readonly kind: string
}

function publishedKinds({ modules, crds }: Project): PublishedKind[] {
  const folders = modules.flatMap(module => crds.map(folder => join(folderOf(module), folder)))
  return folders.filter(existsSync).flatMap(folder =>
    readdirSync(folder)
      .filter(name => /\.ya?ml$/.test(name) && !/^kustomiz/.test(name))
      .flatMap(name => parseManifests(readFileSync(join(folder, name), "utf8")))
      .filter(document => own(document, "kind") === "CustomResourceDefinition")
      .flatMap(versionsOf),
  )
}

function versionsOf(crd: MapValue): PublishedKind[] {
  const at = (map: Value | undefined, key: string) => (isMap(map) ? own(map, key) : undefined)
  const spec = own(crd, "spec")
  const [group, kind] = [String(at(spec, "group")), String(at(at(spec, "names"), "kind"))]
  const versions = at(spec, "versions")
  return isList(versions) ? versions.map(version => ({ crd, group, kind, version: String(at(version, "name")) })) : []
}

/** The packages of a project's modules, by their paths, without tests and generated clients. */
function packagesOf({ modules }: Project): string[] {
  return modules.flatMap(module => {
    const [path = ""] = module.split("@")
    const top = folderOf(module)
    const files = readdirSync(top, { recursive: true, encoding: "utf8" }).filter(name => name.endsWith(".go"))
    const folders = new Set(files.map(name => relative(top, join(top, name, ".."))))
    const apart =
      /(^|\/)(vendor|testdata|test|internal|hack|client|clientset|listers|informers|applyconfiguration)(\/|$)/
    return [...folders].filter(name => !apart.test(name)).map(name => [path, name].filter(Boolean).join("/"))
  })
}

/** Finds the package that declares a kind: it is named like the version, and has a type for objects of the kind. */
class Reader {
  private readonly graph: ModuleGraph
  private readonly packages: readonly string[]
  private readonly read = new Map<string, Promise<GoTypes>>()

  constructor(project: Project) {
    this.graph = new ModuleGraph(project.modules)
    this.packages = packagesOf(project)
  }

  async typesOf({ group, version, kind }: PublishedKind): Promise<GoTypes> {
    const named = new RegExp(`^(type\\s+|\\t)${kind}\\s+(=\\s+)?[\\w.]+`, "m")
    const candidates = this.packages.filter(path => {
      const sources = path.split("/").at(-1) === version ? this.graph.sourcesOf(path) : undefined
      return sources !== undefined && Object.values(sources).some(text => named.test(text))
    })
    const found: { readonly path: string; readonly types: GoTypes }[] = []
    for (const path of candidates) {
      const types = await this.typesIn(path, group)
      if (types.kinds.some(entry => entry.kind === kind)) found.push({ path, types })
    }
    // If a project has several groups, the path has the first part of each group's name.
    const word = group.split(".")[0] ?? ""
    const distance = (path: string) => (path.split("/").includes(word) ? 0 : 1000) + path.length
    const [best] = found.toSorted((a, b) => distance(a.path) - distance(b.path))
    if (best === undefined) throw new Error(`no package has the kind ${kind} of ${group}/${version}`)
    return best.types
  }

  private typesIn(path: string, group: string): Promise<GoTypes> {
    const key = `${path} ${group}`
    const known = this.read.get(key)
    const types = known ?? readGoTypes(this.graph.sourcesOf(path) ?? {}, { path, group, resolve: this.graph.sourcesOf })
    this.read.set(key, types)
    return types
  }
}

interface Result {
  readonly kinds: number
  readonly comparison: Comparison
  /** The number of differences by reason, or "" for those without a reason. */
  readonly differences: ReadonlyMap<string, readonly string[]>
}

async function compareProject(project: Project): Promise<Result> {
  const reader = new Reader(project)
  const comparison: Comparison = { places: 0, unions: 0, found: [] }
  const differences = new Map<string, string[]>()
  const kinds = publishedKinds(project)
  for (const published of kinds) {
    const { crd, group, version, kind } = published
    const types = await reader.typesOf(published)
    const converted = schemaFromCRD(crd, { unionMode: "from-validation" })
    const before = comparison.found.length
    compareTypes(
      { schema: converted.schema, name: nameIn(converted.kinds, version) },
      { schema: applyUnionOverlay(types.schema, types.unions), name: nameIn(types.kinds, version, kind) },
      comparison,
    )
    for (const difference of comparison.found.slice(before)) {
      const reason = reasonOf(project, kind, difference)
      const text = `${group}/${version} ${kind} ${difference.path}: CRD ${difference.crd}, Go ${difference.go}`
      differences.set(reason, [...(differences.get(reason) ?? []), text])
    }
  }
  return { kinds: kinds.length, comparison, differences }
}

function nameIn(kinds: GoTypes["kinds"], version: string, kind?: string): string {
  const entry = kinds.find(found => found.version === version && (kind === undefined || found.kind === kind))
  return entry?.typeName ?? ""
}

/** The reasons that matched, by project. */
const met = new Set<string>()

function reasonOf(project: Project, kind: string, { path, crd, go }: PlaceDifference): string {
  const text = `${kind}${path}: ${crd} / ${go}`
  const found = project.reasons.find(name => reasons[name].some(pattern => pattern.test(text)))
  if (found !== undefined) met.add(`${project.name}: ${found}`)
  return found ?? ""
}

/** Parses all Go files of a module. Returns their number, and the files that can't be parsed. */
function parseModule(module: ModuleVersion): { readonly files: number; readonly wrong: readonly string[] } {
  const top = folderOf(module)
  const names = readdirSync(top, { recursive: true, encoding: "utf8" }).filter(
    name => name.endsWith(".go") && !name.includes("testdata"),
  )
  const wrong = names.filter(name => {
    const findings = new Findings()
    parseGoFile(name, readFileSync(join(top, name), "utf8"), findings)
    return findings.errors.length > 0
  })
  return { files: names.length, wrong }
}

const at = process.argv.indexOf("--project")
const only = at < 0 ? undefined : process.argv[at + 1]
const rows: string[][] = [["project", "kinds", "places", "unions", "differ", "reasons"]]
let failed = false
for (const project of projects.filter(({ name }) => only === undefined || name === only)) {
  const { kinds, comparison, differences } = await compareProject(project)
  const unexpected = differences.get("") ?? []
  const unused = project.reasons.filter(reason => !met.has(`${project.name}: ${reason}`))
  failed ||= unexpected.length > 0 || unused.length > 0 || kinds === 0
  for (const text of only === undefined ? unexpected : [...differences.values()].flat()) console.log(text)
  for (const reason of unused) console.log(`${project.name}: nothing differs because of ${reason}`)
  const told = [...differences].map(([reason, { length }]) => `${reason || "UNEXPECTED"} ${length}`)
  rows.push([
    project.name,
    String(kinds),
    String(comparison.places),
    String(comparison.unions),
    String(comparison.found.length),
    told.join(", "),
  ])
}
const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0))) ?? []
for (const row of rows)
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  )

if (only === undefined) {
  for (const module of [
    "k8s.io/apimachinery@v0.37.2",
    "k8s.io/apiserver@v0.37.2",
    "k8s.io/apiextensions-apiserver@v0.37.2",
  ]) {
    const { files, wrong } = parseModule(module)
    failed ||= wrong.length > 0 || files === 0
    console.log(`${module}: ${files} files parsed, ${wrong.length} rejected ${wrong.join(" ")}`.trimEnd())
  }
}
if (failed) process.exitCode = 1
