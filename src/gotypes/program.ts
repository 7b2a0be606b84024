// The packages that are read, and what a name in one of their files means.
import { isBuilt } from "./build-constraint.js"
import type { Findings, Place } from "./errors.js"
import type { GoConstValue, GoField, GoFile, GoType, GoTypeDecl } from "./go-file.js"
import { friendly, type KnownType, knownPackages, knownType } from "./known.js"
import { Markers } from "./markers.js"
import { parseGoFile } from "./parse.js"

/** The files of a package by their names. */
export type GoSources = Readonly<Record<string, string>>

/** Gives the files of a package by its import path; undefined where there are none. */
export type GoResolver = (path: string) => GoSources | undefined | Promise<GoSources | undefined>

/** A package. */
export interface GoPackage {
  /** The import path; "" if it is not known. */
  readonly path: string
  readonly name: string
  readonly files: readonly GoFile[]
  readonly types: ReadonlyMap<string, Declared>
  /** The markers of all comments before the package clauses. */
  readonly markers: Markers
}

/** A type declaration, where it stands. */
export interface Declared {
  readonly package: GoPackage
  readonly file: GoFile
  readonly decl: GoTypeDecl
  readonly markers: Markers
  readonly place: Place
}

/** What a name of a type means. */
export type Meaning =
  | { readonly kind: "basic"; readonly name: string }
  | { readonly kind: "known"; readonly type: KnownType }
  | { readonly kind: "declared"; readonly declared: Declared }
  /** A type of a package whose source is not there. */
  | { readonly kind: "outside"; readonly path: string; readonly name: string }
  | { readonly kind: "unknown" }

const basicTypes = new Set(
  "string bool byte rune int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64 complex64 complex128 error any".split(
    " ",
  ),
)

/** All packages that were loaded. */
export class Program {
  readonly packages = new Map<string, GoPackage | undefined>()
  readonly findings: Findings

  constructor(findings: Findings) {
    this.findings = findings
  }

  /** Reads the files of a package. `imported` puts the path before their names in messages. */
  add(path: string, sources: GoSources, imported: boolean): GoPackage {
    const files: GoFile[] = []
    for (const [name, text] of Object.entries(sources)) {
      if (!name.endsWith(".go") || name.endsWith("_test.go") || !isBuilt(text)) continue
      files.push(parseGoFile(imported ? `${path}/${name}` : name, text, this.findings))
    }
    const name = files[0]?.packageName ?? ""
    for (const file of files) {
      if (file.packageName === name || file.packageName === "") continue
      this.findings.error(placeIn(file, 1), `package ${file.packageName}; ${files[0]?.file} is of package ${name}`)
    }
    const types = new Map<string, Declared>()
    const markers = new Markers(files.flatMap(file => file.packageDoc))
    const added: GoPackage = { path, name, files, types, markers }
    for (const file of files) {
      for (const decl of file.types) {
        const place = { file: file.file, line: decl.line, type: decl.name, field: "" }
        if (types.has(decl.name)) this.findings.error(place, "declared twice in this package")
        types.set(decl.name, { package: added, file, decl, markers: new Markers(decl.doc), place })
      }
    }
    this.packages.set(path, added)
    return added
  }

  /** Loads all packages whose types are used by those of `root`, directly or by way of others. */
  async load(root: GoPackage, resolve: GoResolver): Promise<void> {
    const queue = [...root.types.values()]
    const seen = new Set(queue)
    // The queue grows while it is walked.
    for (const declared of queue) {
      for (const { package: alias, name } of namesIn(declared.decl.type)) {
        for (const path of this.pathsOf(declared, alias, name)) {
          if (knownType(path, name) === undefined) await this.require(path, resolve)
        }
        const meaning = this.meaning(declared, alias, name)
        if (meaning.kind !== "declared" || seen.has(meaning.declared)) continue
        seen.add(meaning.declared)
        queue.push(meaning.declared)
      }
    }
  }

  /** The packages that a name may be of, other than the one it is used in. */
  private pathsOf({ package: home, file }: Declared, alias: string, name: string): string[] {
    if (alias === "") return home.types.has(name) || basicTypes.has(name) ? [] : dotImports(file)
    const path = importPath(file, alias)
    return path === undefined ? [] : [path]
  }

  private async require(path: string, resolve: GoResolver): Promise<void> {
    if (this.packages.has(path)) return
    const found = await resolve(path)
    const fallback = knownPackages.get(path)
    if (found !== undefined) this.add(path, found, true)
    else if (fallback !== undefined) this.add(path, { "types.go": fallback }, true)
    else this.packages.set(path, undefined)
  }

  /** What the name of a type means in the file where `from` is declared. */
  meaning(from: Pick<Declared, "package" | "file">, alias: string, name: string): Meaning {
    if (alias !== "") {
      const path = importPath(from.file, alias)
      return path === undefined ? { kind: "unknown" } : this.imported(path, name)
    }
    const known = knownType(from.package.path, name)
    if (known !== undefined) return { kind: "known", type: known }
    const declared = from.package.types.get(name)
    if (declared !== undefined) return { kind: "declared", declared }
    return basicTypes.has(name) ? { kind: "basic", name } : this.dotImported(from.file, name)
  }

  /** What a name without a qualifier means that the package does not declare. */
  private dotImported(file: GoFile, name: string): Meaning {
    const meanings = dotImports(file).map(path => this.imported(path, name))
    const found = meanings.find(({ kind }) => kind === "declared" || kind === "known")
    return found ?? meanings.find(({ kind }) => kind === "outside") ?? { kind: "unknown" }
  }

  private imported(path: string, name: string): Meaning {
    const known = knownType(path, name)
    if (known !== undefined) return { kind: "known", type: known }
    const found = this.packages.get(path)
    if (found === undefined) return { kind: "outside", path, name }
    const declared = found.types.get(name)
    // The bundled sources of a package have only some of its types.
    if (declared === undefined) return knownPackages.has(path) ? { kind: "outside", path, name } : { kind: "unknown" }
    return { kind: "declared", declared }
  }

  /** The values of the constants of a named string type, with what stands at them, in the order of the source. */
  constants({
    package: home,
    decl,
  }: Declared): { readonly name: string; readonly value: string; readonly markers: Markers }[] {
    const found: { name: string; value: string; markers: Markers }[] = []
    for (const file of home.files) {
      for (const { name, type, value, doc } of file.consts) {
        if (type?.kind !== "named" || type.package !== "" || type.name !== decl.name) continue
        const text = this.textOf(home, file, value, 0)
        if (text !== undefined) found.push({ name, value: text, markers: new Markers(doc) })
      }
    }
    return found
  }

  private textOf(home: GoPackage, file: GoFile, value: GoConstValue, depth: number): string | undefined {
    if (value === undefined || depth > 10) return undefined
    let text = ""
    for (const part of value) {
      if (typeof part === "string") text += part
      else {
        const path = part.package === "" ? home.path : importPath(file, part.package)
        const there = part.package === "" ? home : path === undefined ? undefined : this.packages.get(path)
        const found = there === undefined ? undefined : findConst(there, part.name)
        const said = there && found && this.textOf(there, found.file, found.value, depth + 1)
        if (said === undefined) return undefined
        text += said
      }
    }
    return text
  }

  /** The value of a constant of a package; undefined if it is no text, or not there. */
  constantNamed(path: string, name: string): string | undefined {
    const home = this.packages.get(path)
    const found = home && findConst(home, name)
    return home && found && this.textOf(home, found.file, found.value, 0)
  }

  /** The name of the definition of a type. */
  modelName({ package: { path, name: packageName, markers }, decl, markers: own }: Declared): string {
    const model = own.text("k8s:openapi-model-package") || markers.text("k8s:openapi-model-package")
    if (model) return `${model}.${decl.name}`
    return path === "" ? `${packageName}.${decl.name}` : friendly(path, decl.name)
  }
}

function findConst({ files }: GoPackage, name: string): { file: GoFile; value: GoConstValue } | undefined {
  for (const file of files) {
    const found = file.consts.find(constant => constant.name === name)
    if (found !== undefined) return { file, value: found.value }
  }
  return undefined
}

function placeIn({ file }: GoFile, line: number): Place {
  return { file, line, type: "", field: "" }
}

/** The packages that a file imports without a qualifier. */
function dotImports({ imports }: GoFile): string[] {
  return imports.filter(({ alias }) => alias === ".").map(({ path }) => path)
}

/** The import path that a qualifier of a file stands for; undefined if the file imports nothing by that name. */
export function importPath({ imports }: GoFile, qualifier: string): string | undefined {
  const named = imports.find(({ alias }) => alias === qualifier)
  return (named ?? imports.find(({ alias, path }) => alias === undefined && mayBeNamed(path, qualifier)))?.path
}

/** Whether a package may have this name, by its path: the last part, or the one before a version. */
function mayBeNamed(path: string, name: string): boolean {
  const parts = path.split("/")
  const last = parts.at(-1) ?? ""
  const candidates = [last, last.replace(/\.v\d+$/, ""), last.replace(/^go-/, ""), last.replace(/-go$/, "")]
  if (/^v\d+$/.test(last)) candidates.push(parts.at(-2) ?? "")
  return candidates.includes(name)
}

/** All names in a type. */
function namesIn(type: GoType): { readonly package: string; readonly name: string }[] {
  switch (type.kind) {
    case "named":
      return [type]
    case "pointer":
    case "slice":
    case "array":
      return namesIn(type.element)
    case "map":
      return [...namesIn(type.key), ...namesIn(type.element)]
    case "struct":
      return type.fields.filter(isRead).flatMap(field => namesIn(field.type))
    default:
      return []
  }
}

/** Whether JSON has the field: it is exported or embedded, and its tag does not take it out. */
export function isRead({ name, embedded, tags }: GoField): boolean {
  return tags.get("json") !== "-" && (embedded || /^\p{Lu}/u.test(name))
}
