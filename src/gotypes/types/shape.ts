// The JSON form of Go types. Follows names of types to their declarations.

import type { Value } from "../../value/value.js"
import type { Findings, GoTypesPlace } from "../source/errors.js"
import type { GoField, GoNamedType, GoType } from "../source/go-file.js"
import { anything, friendly, type KnownType } from "./known.js"
import { formOf } from "./kubebuilder.js"
import type { Markers } from "./markers.js"
import { type Declared, isRead, type Meaning, type Placed, type Program } from "./program.js"
import { isEnum, isMessage } from "./protobuf.js"

/** The JSON form of a type. */
export type Shape =
  | { readonly kind: "scalar"; readonly type: "string" | "integer" | "number" | "boolean"; readonly format: string }
  | { readonly kind: "list"; readonly element: GoType; readonly from: Declared }
  | { readonly kind: "map"; readonly key: GoType; readonly element: GoType; readonly from: Declared }
  | StructShape
  | { readonly kind: "known"; readonly type: KnownType }
  | OutsideShape
  | { readonly kind: "any" }
  /** An error was reported instead of a shape. */
  | { readonly kind: "none" }

/** A struct, with its named type and the declaration that contains its fields. */
export interface StructShape {
  readonly kind: "struct"
  /** The named type; undefined for an anonymous struct. */
  readonly named: Declared | undefined
  readonly fields: readonly GoField[]
  /** The declaration in which the names in its fields are resolved. */
  readonly from: Declared
}

/** A type of a package without source. */
export interface OutsideShape {
  readonly kind: "outside"
  /** The name of its definition. */
  readonly name: string
  /** The import path of its package. */
  readonly path: string
}

/** A shape, with the pointers and names that lead to it. */
export interface Followed {
  readonly shape: Shape
  /** Whether the type is a pointer. A nil pointer is absent. */
  readonly pointer: boolean
  /** The named types that lead to the shape, the outermost first, without structs. Their markers apply to every use. */
  readonly passed: readonly Declared[]
}

/** The meaning of the name of a type that is not a parameter. */
type NameMeaning = Exclude<Meaning, { kind: "argument" }>

/** A type that is not a parameter, and the declaration in which its names are resolved. */
type Resolved =
  | { readonly type: GoNamedType; readonly from: Declared; readonly meaning: NameMeaning }
  | { readonly type: Exclude<GoType, GoNamedType>; readonly from: Declared; readonly meaning: undefined }

const scalars: ReadonlyMap<string, Shape> = new Map([
  ...scalarsOf("string", "", "string"),
  ...scalarsOf("boolean", "", "bool"),
  ...scalarsOf("integer", "int32", "int int16 int32 rune uint uint16"),
  ...scalarsOf("integer", "int64", "int64 uint32 uint64 uintptr"),
  ...scalarsOf("integer", "byte", "int8 uint8 byte"),
  ...scalarsOf("number", "double", "float64"),
  ...scalarsOf("number", "float", "float32"),
  ["any", { kind: "any" }],
])

function scalarsOf(
  type: "string" | "integer" | "number" | "boolean",
  format: string,
  names: string,
): [string, Shape][] {
  return names.split(" ").map(name => [name, { kind: "scalar", type, format }])
}

/** Follows types through a program, and reports types that can't be followed at `place`. */
export class Shapes {
  readonly program: Program
  readonly findings: Findings
  /** The results of `structBehind`. */
  private readonly structs = new Map<Declared, Shape | undefined>()

  constructor(program: Program) {
    this.program = program
    this.findings = program.findings
  }

  /** Returns the JSON form of `type`, which is used in `from`. */
  follow(type: GoType, from: Declared, place: GoTypesPlace): Followed {
    const passed = new Set<Declared>()
    const ends = (shape: Shape): Followed => ({ shape, pointer, passed: [...passed] })
    let pointer = false
    for (let here: Placed = { type, from }; ; ) {
      const resolved = this.resolve(here)
      if (resolved.type.kind === "pointer") {
        pointer = true
        here = { type: resolved.type.element, from: resolved.from }
        continue
      }
      if (resolved.meaning === undefined) return ends(this.literal(resolved.type, resolved.from, place))
      if (resolved.meaning.kind !== "declared") return ends(this.end(resolved.meaning, resolved.type, place))
      const { declared } = resolved.meaning
      const named = this.structBehind(declared)
      if (named !== undefined) return ends(named)
      if (passed.has(declared)) {
        this.findings.error(place, "the type contains itself")
        return ends(none)
      }
      passed.add(declared)
      here = { type: declared.decl.type, from: declared }
    }
  }

  /** Returns the struct that a declaration is, names or points to. Reports nothing about declarations of other types. */
  structOf(declared: Declared): StructShape | undefined {
    const passed = new Set<Declared>()
    for (let here: Declared | undefined = declared; here !== undefined && !passed.has(here); ) {
      const shape = this.structBehind(here)
      if (shape !== undefined) return shape.kind === "struct" ? shape : undefined
      passed.add(here)
      const { type } = here.decl
      here = this.declaredAs(type.kind === "pointer" ? type.element : type, here)
    }
    return undefined
  }

  /** Whether the methods or markers of a declaration define its JSON form, instead of its Go type. */
  hasOwnForm(declared: Declared): boolean {
    const shape = this.structBehind(declared)
    return isMessage(declared) || (shape !== undefined && shape.kind !== "struct")
  }

  /**
   * Returns the struct that a declaration is or names, or the form that its methods define. Undefined for aliases and for names of other types.
   */
  private structBehind(declared: Declared): Shape | undefined {
    const names: Declared[] = []
    let shape: Shape | undefined
    for (let here: Declared | undefined = declared; here !== undefined; ) {
      if (this.structs.has(here)) {
        shape = this.structs.get(here)
        break
      }
      shape = this.ownShape(here)
      this.structs.set(here, shape)
      if (shape === undefined) names.push(here)
      here = shape !== undefined || here.decl.alias ? undefined : this.declaredAs(here.decl.type, here)
    }
    // A named struct is a new type with the same fields. A name of a type with its own JSON form has that form.
    if (shape?.kind === "struct") for (const name of names) this.structs.set(name, { ...shape, named: name })
    return this.structs.get(declared)
  }

  /** Returns a declaration as a struct, or in the form that its methods or markers define. Undefined for any other declaration. */
  private ownShape(declared: Declared): Shape | undefined {
    const { decl, package: home } = declared
    const methods = home.files.map(file => file.methods)
    const said = methods.map(found => found.get(`${decl.name}.OpenAPISchemaType`)).find(Boolean)
    if (said !== undefined) return { kind: "known", type: this.ownForm(declared, said) }
    const shape: Shape | undefined =
      decl.type.kind === "struct"
        ? { kind: "struct", named: declared, fields: decl.type.fields, from: declared }
        : undefined
    const has = (method: string) => methods.some(found => found.has(`${decl.name}.${method}`))
    const form = shape && formOf(declared.markers.all, openapiType(shape))
    if (form !== undefined) return { kind: "known", type: { name: undefined, definition: form, atom: undefined } }
    // encoding/json writes such a type as a string. Markers of strings apply to it, so continue.
    if (isEnum(declared)) return { kind: "scalar", type: "string", format: "" }
    const isText = has("MarshalText") && !has("MarshalJSON") && !this.isNameOf("string", declared)
    if (isText) return { kind: "scalar", type: "string", format: "" }
    // Fields without JSON names do not show what such a method writes.
    return has("MarshalJSON") && !isMessage(declared) && this.isUntagged(declared) ? anyJson : shape
  }

  /** Whether a declaration is or names a struct whose JSON fields have no JSON names. */
  private isUntagged(declared: Declared): boolean {
    const { type } = declared.decl
    if (type.kind === "struct") return !type.fields.some(field => isRead(field) && field.tags.has("json"))
    const named = declared.decl.alias ? undefined : this.declaredAs(type, declared)
    return named?.decl.type.kind === "struct" && this.isUntagged(named)
  }

  /** Whether a declaration names this type or another declared type. */
  private isNameOf(basic: string, declared: Declared): boolean {
    const { type } = declared.decl
    const meaning = type.kind === "named" ? this.program.meaning(declared, type) : undefined
    return meaning?.kind === "declared" || (meaning?.kind === "basic" && meaning.name === basic)
  }

  /** Returns the declaration that the name of a type refers to. Undefined for types without a name, and for names of other types. */
  private declaredAs(type: GoType, from: Declared): Declared | undefined {
    const meaning = type.kind === "named" ? this.program.meaning(from, type) : undefined
    return meaning?.kind === "declared" ? meaning.declared : undefined
  }

  /** Returns the type with the meaning of its name. A parameter of a generic type is replaced by its argument first. */
  private resolve({ type, from }: Placed): Resolved {
    if (type.kind !== "named") return { type, from, meaning: undefined }
    const meaning = this.program.meaning(from, type)
    return meaning.kind === "argument" ? this.resolve(meaning) : { type, from, meaning }
  }

  /** Returns the form that the methods OpenAPISchemaType and OpenAPISchemaFormat of a type return. */
  private ownForm(declared: Declared, types: readonly string[]): KnownType {
    const name = declared.decl.name
    const methods = declared.package.files.map(file => file.methods)
    const [format = ""] = methods.map(found => found.get(`${name}.OpenAPISchemaFormat`)).find(Boolean) ?? []
    const [type] = types
    const definition = { ...(type !== undefined && { type }), ...(format !== "" && { format }) }
    return { name: this.program.modelName(declared), definition, atom: undefined }
  }

  private literal(type: Exclude<GoType, { kind: "named" }>, from: Declared, place: GoTypesPlace): Shape {
    switch (type.kind) {
      case "slice":
      case "array":
        return this.isByte(type.element, from)
          ? { kind: "scalar", type: "string", format: "byte" }
          : { kind: "list", element: type.element, from }
      case "map": {
        const key = this.follow(type.key, from, place).shape
        // Go writes integer keys as strings.
        const isKey = key.kind === "scalar" && (key.type === "string" || key.type === "integer")
        if (!isKey && key.kind !== "none" && key.kind !== "outside") {
          this.findings.error(place, "the keys of a map have to be strings or integers")
        }
        return { kind: "map", key: type.key, element: type.element, from }
      }
      case "struct":
        return { kind: "struct", named: undefined, fields: type.fields, from }
      case "interface":
        return { kind: "any" }
      case "pointer":
        return this.follow(type, from, place).shape
      case "other":
        this.findings.error(place, `JSON can't hold the type ${type.text}`)
        return none
    }
  }

  private isByte(element: GoType, from: Declared): boolean {
    const { meaning } = this.resolve({ type: element, from })
    return meaning?.kind === "basic" && isByteName(meaning.name)
  }

  /** Whether a type has no absent value in Go: it is a struct or an array, not a pointer. False for types without source. */
  isAlwaysSet(type: GoType, from: Declared): boolean {
    const passed = new Set<Declared>()
    for (let here: Placed = { type, from }; ; ) {
      const resolved = this.resolve(here)
      const { meaning } = resolved
      if (meaning === undefined) return resolved.type.kind === "struct" || resolved.type.kind === "array"
      if (meaning.kind === "known") return meaning.type.rules !== undefined && "zero" in meaning.type.rules
      if (meaning.kind !== "declared" || passed.has(meaning.declared)) return false
      passed.add(meaning.declared)
      here = { type: meaning.declared.decl.type, from: meaning.declared }
    }
  }

  private end(
    meaning: Exclude<NameMeaning, { kind: "declared" }>,
    { package: alias, name }: GoNamedType,
    place: GoTypesPlace,
  ): Shape {
    if (meaning.kind === "known") return { kind: "known", type: meaning.type }
    if (meaning.kind === "outside") {
      return { kind: "outside", name: friendly(meaning.path, meaning.name), path: meaning.path }
    }
    const scalar = meaning.kind === "basic" ? scalars.get(meaning.name) : undefined
    if (scalar !== undefined) return scalar
    const written = alias === "" ? name : `${alias}.${name}`
    const missing = meaning.kind === "basic" ? `JSON can't hold the type ${written}` : `there is no type ${written}`
    this.findings.error(place, meaning.kind === "wrong" ? meaning.message : missing)
    return none
  }

  /** Returns the value of `+default`, which is JSON or the name of a constant (`ref(Name)`); undefined without the marker. */
  defaultOf(text: string, { from }: { readonly from: Declared }): Value | undefined {
    const [, path = "", name] = /^ref\((?:(.*)\.)?(\w+)\)$/.exec(text) ?? []
    if (name !== undefined) return this.program.constantNamed(path === "" ? from.package.path : path, name)
    try {
      return JSON.parse(text) as Value
    } catch {
      return undefined
    }
  }

  /** Returns the values of a string type with +enum, in the order of its constants; undefined for other types. */
  enumOf(followed: Followed): readonly string[] | undefined {
    const isEnum = followed.passed.some(({ markers }) => markers.has("enum", "k8s:enum"))
    return isEnum ? this.constantsOf(followed) : undefined
  }

  /** Returns the values of the constants of a string type; undefined for other types and without constants. */
  constantsOf({ shape, passed }: Followed): readonly string[] | undefined {
    if (shape.kind !== "scalar" || shape.type !== "string") return undefined
    const declared = passed.find(({ markers }) => markers.has("enum", "k8s:enum")) ?? passed[0]
    const constants = declared === undefined ? [] : this.program.constants(declared)
    return constants.length === 0 ? undefined : [...new Set(constants.map(({ value }) => value))]
  }
}

const none: Shape = { kind: "none" }
const anyJson: Shape = { kind: "known", type: { name: undefined, definition: anything, atom: undefined } }

function isByteName(name: string): boolean {
  return name === "byte" || name === "uint8"
}

/** Returns the `type` of a shape in OpenAPI; undefined if OpenAPI has none for it. */
export function openapiType(shape: Shape): unknown {
  if (shape.kind === "scalar") return shape.type
  if (shape.kind === "known") return shape.type.definition.type
  return shape.kind === "struct" || shape.kind === "map" ? "object" : undefined
}

/** Returns the markers of a field and of its named types, the nearest first. */
export function markersOf(own: Markers, { passed }: Followed): readonly Markers[] {
  return [own, ...passed.map(({ markers }) => markers)]
}
