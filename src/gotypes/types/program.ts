// The packages that are read, and the resolution of names in their files.

import { isBuilt } from "../source/build-constraint.js"
import type { Findings, GoTypesPlace } from "../source/errors.js"
import type { GoField, GoFile, GoNamedType, GoType, GoTypeDecl } from "../source/go-file.js"
import { parseGoFile } from "../source/parse.js"
import { ConstantTexts, type ConstScope, type DeclaredConst } from "./constant-texts.js"
import { dotImports, importPath } from "./imports.js"
import { friendly, type KnownType, knownPackages, knownType, meta } from "./known.js"
import { Markers } from "./markers.js"

/** The files of a package by name. */
export type GoSources = Readonly<Record<string, string>>

/** Returns the files of the package with this import path, or undefined if it has no source. */
export type GoResolver = (path: string) => GoSources | undefined | Promise<GoSources | undefined>

/** A package. */
export interface GoPackage extends ConstScope {
  /** The import path; "" if it is not known. */
  readonly path: string
  readonly name: string
  readonly files: readonly GoFile[]
  readonly types: ReadonlyMap<string, Declared>
  /** The markers of all comments before the package clauses. */
  readonly markers: Markers
}

/** A type declaration with its file and package. */
export interface Declared {
  readonly package: GoPackage
  readonly file: GoFile
  readonly decl: GoTypeDecl
  readonly markers: Markers
  readonly place: GoTypesPlace
  /** The type arguments of a generic type by parameter; undefined for other types, and without arguments. */
  readonly args?: TypeArguments
}

/** The arguments of a generic type. */
interface TypeArguments {
  /** A text that differs for different arguments: `[string,com.example.v1.Pod]`. */
  readonly text: string
  readonly types: ReadonlyMap<string, Placed>
}

/** A type, and the declaration in which its names are resolved. */
export interface Placed {
  readonly type: GoType
  readonly from: Declared
}

/** The result of resolving the name of a type. */
export type Meaning =
  | { readonly kind: "basic"; readonly name: string }
  | { readonly kind: "known"; readonly type: KnownType }
  | { readonly kind: "declared"; readonly declared: Declared }
  /** A type of a package without source. */
  | { readonly kind: "outside"; readonly path: string; readonly name: string }
  /** A parameter of the enclosing generic type. */
  | ({ readonly kind: "argument" } & Placed)
  /** A generic type without arguments, or another type with arguments. */
  | { readonly kind: "wrong"; readonly message: string }
  | { readonly kind: "unknown" }

const basicTypes = new Set(
  "string bool byte rune int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64 complex64 complex128 error any".split(
    " ",
  ),
)

/** The maximum number of instances of generic types, and of characters in their arguments. */
const maxInstances = 200
const maxArguments = 1000

/** All packages that were loaded. */
export class Program {
  readonly packages = new Map<string, GoPackage | undefined>()
  /** The instances of generic types by their arguments. */
  private readonly instances = new Map<GoTypeDecl, Map<string, Declared>>()
  private readonly texts = new ConstantTexts(this.packages)
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
        if (!consts.has(constant.name)) consts.set(constant.name, { ...constant, home: added, file })
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

  /** Loads all packages whose types the types of `root` use, directly or indirectly. */
  async load(root: GoPackage, resolve: GoResolver): Promise<void> {
    const queue = [...root.types.values()]
    const seen = new Set(queue)
    // The loop adds to the queue.
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
        const used = meaning.kind === "declared" ? [meaning.declared] : []
        for (const next of [...used, ...implementations(declared, { kind: "named", package: alias, name })]) {
          if (!seen.has(next)) queue.push(next)
          seen.add(next)
        }
      }
    }
  }

  /** The type of an object's metadata, if a loaded package uses it. */
  get objectMeta(): Declared | undefined {
    return this.packages.get(meta)?.types.get("ObjectMeta")
  }

  /** The other packages that may declare a name. */
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

  /** Resolves the name of a type that is used in `from`. */
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

  /** Returns the generic type with these arguments, which are used in `from`: always the same object. */
  private instance(generic: Declared, args: readonly GoType[], from: Declared): Meaning {
    const text = `[${args.map(type => this.typeText(type, from)).join(",")}]`
    const instances = this.instances.get(generic.decl) ?? new Map<string, Declared>()
    this.instances.set(generic.decl, instances)
    let declared = instances.get(text)
    if (declared === undefined) {
      const { name, params } = generic.decl
      if (instances.size === maxInstances || text.length > maxArguments) {
        return { kind: "wrong", message: `${name} contains itself with ever new arguments` }
      }
      const types = new Map(params.map((param, i) => [param, { type: args[i] as GoType, from }])) // as many
      declared = { ...generic, args: { text, types } }
      instances.set(text, declared)
    }
    return { kind: "declared", declared }
  }

  /** Returns a text that identifies a type. */
  private typeText(type: GoType, from: Declared): string {
    switch (type.kind) {
      case "named": {
        const meaning = this.meaning(from, type)
        if (meaning.kind === "argument") return this.typeText(meaning.type, meaning.from)
        if (meaning.kind === "declared") return this.modelName(meaning.declared)
        return meaning.kind === "outside" ? friendly(meaning.path, type.name) : type.name
      }
      case "pointer":
        return `*${this.typeText(type.element, from)}`
      case "slice":
      case "array":
        return `[]${this.typeText(type.element, from)}`
      case "map":
        return `map[${this.typeText(type.key, from)}]${this.typeText(type.element, from)}`
      case "struct": {
        const fields = type.fields.map(field => `${field.name} ${this.typeText(field.type, from)}`)
        return `struct{${fields.join(";")}}`
      }
      case "interface":
        return "any"
      case "other":
        return type.text
    }
  }

  /** Resolves a name in a file, ignoring type arguments. */
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

  /** Resolves a name without a qualifier that the package itself does not declare. */
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
    // The bundled sources contain only some types of a package.
    if (declared === undefined) return knownPackages.has(path) ? { kind: "outside", path, name } : { kind: "unknown" }
    return { kind: "declared", declared }
  }

  /** Returns the values of the constants of a named string type, with their comments, in the order of the source. */
  constants({
    package: { consts },
    decl,
  }: Declared): { readonly name: string; readonly value: string; readonly markers: Markers }[] {
    const found: { name: string; value: string; markers: Markers }[] = []
    for (const constant of consts.values()) {
      const { name, type, doc } = constant
      if (type?.kind !== "named" || type.package !== "" || type.name !== decl.name) continue
      const text = this.texts.of(constant)
      if (text !== undefined) found.push({ name, value: text, markers: new Markers(doc) })
    }
    return found
  }

  /** Returns the string value of a constant of a package; undefined if the package has no such constant. */
  constantNamed(path: string, name: string): string | undefined {
    const found = this.packages.get(path)?.consts.get(name)
    return found && this.texts.of(found)
  }

  /** Returns the name of the definition of a type. */
  modelName({ package: { path, name: packageName, markers }, decl, markers: own, args }: Declared): string {
    const model = own.text("k8s:openapi-model-package") || markers.text("k8s:openapi-model-package")
    const name = `${decl.name}${suffixOf(args)}`
    if (model) return `${model}.${name}`
    return path === "" ? `${packageName}.${name}` : friendly(path, name)
  }
}

/** Returns the arguments of a generic type as a part of its name. Names in OpenAPI contain neither brackets nor commas. */
export function suffixOf(args: TypeArguments | undefined): string {
  return args === undefined ? "" : args.text.slice(0, -1).replaceAll(/[^\w.]/g, "-")
}

function placeIn({ file }: GoFile, line: number): GoTypesPlace {
  return { file, line, type: "", field: "" }
}

/** Whether the markers of a field make it an object. Its type then does not name the metadata. */
function embedsObjects(type: GoType): boolean {
  return (
    type.kind === "struct" && type.fields.some(({ doc }) => doc.some(({ text }) => text.includes("EmbeddedResource")))
  )
}

/** Returns the types of a package that implement the interface of a protobuf `oneof`, whose only method has the name of the interface. */
export function implementations({ package: home }: Declared, type: GoType): Declared[] {
  if (type.kind !== "named" || type.package !== "" || !/^is[A-Z]/.test(type.name)) return []
  const suffix = `.${type.name}`
  const names = home.files.flatMap(({ methods }) => [...methods.keys()].filter(method => method.endsWith(suffix)))
  return names.flatMap(name => home.types.get(name.slice(0, -suffix.length)) ?? [])
}

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

/** Whether JSON contains the field: it is exported or embedded, and its tag is not `-`. */
export function isRead({ name, embedded, tags }: GoField): boolean {
  return tags.get("json") !== "-" && (embedded || /^\p{Lu}/u.test(name))
}
