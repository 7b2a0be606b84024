// The packages that are read, and what a name in one of their files means.
import { isBuilt } from "./build-constraint.js"
import type { Findings, Place } from "./errors.js"
import type { GoConst, GoField, GoFile, GoNamedType, GoType, GoTypeDecl } from "./go-file.js"
import { friendly, type KnownType, knownPackages, knownType, meta } from "./known.js"
import { Markers } from "./markers.js"
import { parseGoFile } from "./parse.js"

/** The files of a package by their names. */
export type GoSources = Readonly<Record<string, string>>

/** Returns the files of the package with this import path, or undefined if it has no source. */
export type GoResolver = (path: string) => GoSources | undefined | Promise<GoSources | undefined>

/** A package. */
export interface GoPackage {
  /** The import path; "" if it is not known. */
  readonly path: string
  readonly name: string
  readonly files: readonly GoFile[]
  readonly types: ReadonlyMap<string, Declared>
  readonly consts: ReadonlyMap<string, DeclaredConst>
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
  /** The types that stand for the parameters of a generic type; undefined for other types, and where none are given. */
  readonly args?: TypeArguments
}

/** The arguments of a generic type. */
interface TypeArguments {
  /** A text that differs for different arguments: `[string,com.example.v1.Pod]`. */
  readonly text: string
  readonly types: ReadonlyMap<string, Placed>
}

/** A type, and the declaration in which its names have their meaning. */
export interface Placed {
  readonly type: GoType
  readonly from: Declared
}

interface DeclaredConst extends GoConst {
  readonly package: GoPackage
  readonly file: GoFile
}

/** The meaning of a name of a type. */
export type Meaning =
  | { readonly kind: "basic"; readonly name: string }
  | { readonly kind: "known"; readonly type: KnownType }
  | { readonly kind: "declared"; readonly declared: Declared }
  /** A type of a package whose source is not there. */
  | { readonly kind: "outside"; readonly path: string; readonly name: string }
  /** A parameter of the generic type around it. */
  | ({ readonly kind: "argument" } & Placed)
  /** A generic type without the arguments that it needs, or another type with some. */
  | { readonly kind: "wrong"; readonly message: string }
  | { readonly kind: "unknown" }

const basicTypes = new Set(
  "string bool byte rune int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64 complex64 complex128 error any".split(
    " ",
  ),
)

/** How many types with different arguments may be made of a generic type, and how many characters the arguments may have. */
const maxInstances = 200
const maxArguments = 1000

/** How many characters a constant may have. */
const maxText = 1 << 20

/** All packages that were loaded. */
export class Program {
  readonly packages = new Map<string, GoPackage | undefined>()
  /** The types that are made of generic ones, by their arguments. */
  private readonly instances = new Map<GoTypeDecl, Map<string, Declared>>()
  private readonly texts = new Map<GoConst, string | undefined>()
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
    const consts = new Map<string, DeclaredConst>()
    const added: GoPackage = { path, name, files, types, consts, markers }
    for (const file of files) {
      for (const constant of file.consts) {
        if (!consts.has(constant.name)) consts.set(constant.name, { ...constant, package: added, file })
      }
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
      if (embedsObjects(declared.decl.type) && this.objectMeta === undefined) {
        await this.require(meta, resolve)
        if (this.objectMeta !== undefined) queue.push(this.objectMeta)
      }
      for (const { package: alias, name } of namesIn(declared.decl.type)) {
        for (const path of this.pathsOf(declared, alias, name)) {
          if (knownType(path, name) === undefined) await this.require(path, resolve)
        }
        const meaning = this.lookUp(declared, alias, name)
        if (meaning.kind !== "declared" || seen.has(meaning.declared)) continue
        seen.add(meaning.declared)
        queue.push(meaning.declared)
      }
    }
  }

  /** The metadata of objects, if a package that was loaded uses it. */
  get objectMeta(): Declared | undefined {
    return this.packages.get(meta)?.types.get("ObjectMeta")
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

  /** The meaning of a name of a type where `from` is declared. */
  meaning(from: Declared, { package: alias, name, args = [] }: GoNamedType): Meaning {
    const argument = alias === "" ? from.args?.types.get(name) : undefined
    if (argument !== undefined) return { kind: "argument", ...argument }
    const meaning = this.lookUp(from, alias, name)
    if (meaning.kind !== "declared") return meaning
    const { params } = meaning.declared.decl
    if (params.length === args.length) {
      return params.length === 0 ? meaning : this.instance(meaning.declared, args, from)
    }
    const wanted = params.length === 0 ? "is not generic" : `is generic and needs ${params.join(", ")}`
    return { kind: "wrong", message: `${name} ${wanted}` }
  }

  /** A generic type with these arguments, written where `from` is declared: the same one each time. */
  private instance(generic: Declared, args: readonly GoType[], from: Declared): Meaning {
    const text = `[${args.map(type => this.textOf(type, from)).join(",")}]`
    const instances = this.instances.get(generic.decl) ?? new Map<string, Declared>()
    this.instances.set(generic.decl, instances)
    let declared = instances.get(text)
    if (declared === undefined) {
      const { name, params } = generic.decl
      if (instances.size === maxInstances || text.length > maxArguments) {
        return { kind: "wrong", message: `${name} is made of itself with other and other arguments` }
      }
      const types = new Map(params.map((param, i) => [param, { type: args[i] as GoType, from }])) // as many
      declared = { ...generic, args: { text, types } }
      instances.set(text, declared)
    }
    return { kind: "declared", declared }
  }

  /** A type as text, which differs for types that differ. */
  private textOf(type: GoType, from: Declared): string {
    switch (type.kind) {
      case "named": {
        const meaning = this.meaning(from, type)
        if (meaning.kind === "argument") return this.textOf(meaning.type, meaning.from)
        if (meaning.kind === "declared") return this.modelName(meaning.declared)
        return meaning.kind === "outside" ? friendly(meaning.path, type.name) : type.name
      }
      case "pointer":
        return `*${this.textOf(type.element, from)}`
      case "slice":
      case "array":
        return `[]${this.textOf(type.element, from)}`
      case "map":
        return `map[${this.textOf(type.key, from)}]${this.textOf(type.element, from)}`
      case "struct": {
        const fields = type.fields.map(field => `${field.name} ${this.textOf(field.type, from)}`)
        return `struct{${fields.join(";")}}`
      }
      case "interface":
        return "any"
      case "other":
        return type.text
    }
  }

  /** The meaning of a name in a file, without regard to type arguments. */
  private lookUp(from: Pick<Declared, "package" | "file">, alias: string, name: string): Meaning {
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

  /** The meaning of a name without a qualifier if the package itself does not declare it. */
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
    package: { consts },
    decl,
  }: Declared): { readonly name: string; readonly value: string; readonly markers: Markers }[] {
    const found: { name: string; value: string; markers: Markers }[] = []
    for (const constant of consts.values()) {
      const { name, type, doc } = constant
      if (type?.kind !== "named" || type.package !== "" || type.name !== decl.name) continue
      const text = this.valueOf(constant)
      if (text !== undefined) found.push({ name, value: text, markers: new Markers(doc) })
    }
    return found
  }

  /** The text of a constant of a package, or undefined if the package has no such text. */
  constantNamed(path: string, name: string): string | undefined {
    const found = this.packages.get(path)?.consts.get(name)
    return found && this.valueOf(found)
  }

  /** The text of a constant. Constants may refer to each other in long chains, so a stack holds those that wait for others. */
  private valueOf(constant: DeclaredConst): string | undefined {
    const stack = [constant]
    const waiting = new Set<unknown>(stack)
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const parts = this.partsOf(top)
      const missing = parts?.find((part): part is DeclaredConst => typeof part !== "string" && !this.texts.has(part))
      if (missing === undefined) {
        this.texts.set(top, this.joined(parts))
        stack.pop()
      } else if (waiting.has(missing)) this.texts.set(missing, undefined)
      else {
        waiting.add(missing)
        stack.push(missing)
      }
    }
    return this.texts.get(constant)
  }

  /** The parts of a constant: texts and other constants. Undefined if one of them does not exist. */
  private partsOf({ package: home, file, value }: DeclaredConst): (string | DeclaredConst)[] | undefined {
    const parts = value?.map(part => {
      if (typeof part === "string") return part
      const path = part.package === "" ? undefined : importPath(file, part.package)
      const there = part.package === "" ? home : path === undefined ? undefined : this.packages.get(path)
      return there?.consts.get(part.name)
    })
    return parts?.every(part => part !== undefined) ? parts : undefined
  }

  private joined(parts: readonly (string | DeclaredConst)[] | undefined): string | undefined {
    const texts = parts?.map(part => (typeof part === "string" ? part : this.texts.get(part)))
    if (!texts?.every(text => text !== undefined)) return undefined
    const length = texts.reduce((sum, text) => sum + text.length, 0)
    return length > maxText ? undefined : texts.join("")
  }

  /** The name of the definition of a type. */
  modelName({ package: { path, name: packageName, markers }, decl, markers: own, args }: Declared): string {
    const model = own.text("k8s:openapi-model-package") || markers.text("k8s:openapi-model-package")
    const name = `${decl.name}${suffixOf(args)}`
    if (model) return `${model}.${name}`
    return path === "" ? `${packageName}.${name}` : friendly(path, name)
  }
}

/** The arguments of a generic type as a part of its name: names in OpenAPI have neither brackets nor commas. */
export function suffixOf(args: TypeArguments | undefined): string {
  return args === undefined ? "" : args.text.slice(0, -1).replaceAll(/[^\w.]/g, "-")
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

/** Whether a field is an object by its markers, whose metadata the type does not name. */
function embedsObjects(type: GoType): boolean {
  return (
    type.kind === "struct" && type.fields.some(({ doc }) => doc.some(({ text }) => text.includes("EmbeddedResource")))
  )
}

/** All names in a type. */
function namesIn(type: GoType): GoNamedType[] {
  switch (type.kind) {
    case "named":
      return [type, ...(type.args ?? []).flatMap(namesIn)]
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
