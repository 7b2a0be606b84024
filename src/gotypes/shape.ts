// What a Go type is in JSON, with the names of types followed to their end.

import type { Value } from "../value/value.js"
import type { Findings, Place } from "./errors.js"
import type { GoField, GoType } from "./go-file.js"
import { friendly, type KnownType } from "./known.js"
import type { Markers } from "./markers.js"
import type { Declared, Program } from "./program.js"

/** A type as JSON has it. */
export type Shape =
  | { readonly kind: "scalar"; readonly type: "string" | "integer" | "number" | "boolean"; readonly format: string }
  | { readonly kind: "list"; readonly element: GoType; readonly from: Declared }
  | { readonly kind: "map"; readonly key: GoType; readonly element: GoType; readonly from: Declared }
  | StructShape
  | { readonly kind: "known"; readonly type: KnownType }
  | OutsideShape
  | { readonly kind: "any" }
  /** An error was reported instead. */
  | { readonly kind: "none" }

/** A struct: the type that it is, and the declaration that its fields are in. */
export interface StructShape {
  readonly kind: "struct"
  /** The named type; undefined for a struct that is written in place. */
  readonly named: Declared | undefined
  readonly fields: readonly GoField[]
  /** Where names in its fields have their meaning. */
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

/** A shape, and what was passed on the way to it. */
export interface Followed {
  readonly shape: Shape
  /** Whether the type is a pointer, and so absent where it is nil. */
  readonly pointer: boolean
  /** The named types that are no structs, from the outermost on. Their markers hold for every use. */
  readonly passed: readonly Declared[]
}

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

const maxNames = 100

/** Follows types through a program, and reports at `place` what can't be followed. */
export class Shapes {
  readonly program: Program
  readonly findings: Findings

  constructor(program: Program) {
    this.program = program
    this.findings = program.findings
  }

  /** What `type`, written where `from` is declared, is in JSON. */
  follow(type: GoType, from: Declared, place: Place): Followed {
    const passed: Declared[] = []
    let pointer = false
    let here = from
    let current = type
    for (let names = 0; names < maxNames; names++) {
      if (current.kind === "pointer") {
        pointer = true
        current = current.element
        continue
      }
      if (current.kind !== "named") return { shape: this.literal(current, here, place), pointer, passed }
      const meaning = this.program.meaning(here, current.package, current.name)
      if (meaning.kind !== "declared") return { shape: this.end(meaning, current, place), pointer, passed }
      const { declared } = meaning
      const named = this.namedShape(declared, place)
      if (named !== undefined) return { shape: named, pointer, passed }
      passed.push(declared)
      here = declared
      current = declared.decl.type
    }
    this.findings.error(place, "the type is made of itself")
    return { shape: none, pointer, passed }
  }

  /** The struct, or the type with a form of its own, that a declaration is; undefined if it is another name of some type. */
  private namedShape(declared: Declared, place: Place, names = 0): Shape | undefined {
    const { decl, file } = declared
    if (decl.params.length > 0) {
      this.findings.error(place, `${decl.name} is generic; API types can't be`)
      return none
    }
    const said = declared.package.files
      .map(({ methods }) => methods.get(`${decl.name}.OpenAPISchemaType`))
      .find(Boolean)
    if (said !== undefined) return { kind: "known", type: this.ownForm(declared, said) }
    if (decl.type.kind === "struct")
      return { kind: "struct", named: declared, fields: decl.type.fields, from: declared }
    if (decl.type.kind !== "named" || decl.alias) return undefined
    const meaning = this.program.meaning({ package: declared.package, file }, decl.type.package, decl.type.name)
    if (meaning.kind !== "declared" || names > maxNames) return undefined
    // A name for a struct is a type of its own, with the same fields.
    const below = this.namedShape(meaning.declared, place, names + 1)
    return below?.kind === "struct" ? { ...below, named: declared } : undefined
  }

  /** The form that a type's methods tell of: OpenAPISchemaType and OpenAPISchemaFormat. */
  private ownForm(declared: Declared, types: readonly string[]): KnownType {
    const name = declared.decl.name
    const methods = declared.package.files.map(file => file.methods)
    const [format = ""] = methods.map(found => found.get(`${name}.OpenAPISchemaFormat`)).find(Boolean) ?? []
    const [type] = types
    const definition = { ...(type !== undefined && { type }), ...(format !== "" && { format }) }
    return { name: this.program.modelName(declared), definition, atom: undefined }
  }

  private literal(type: Exclude<GoType, { kind: "named" }>, from: Declared, place: Place): Shape {
    switch (type.kind) {
      case "slice":
      case "array":
        return this.isByte(type.element, from)
          ? { kind: "scalar", type: "string", format: "byte" }
          : { kind: "list", element: type.element, from }
      case "map": {
        const key = this.follow(type.key, from, place).shape
        // Go writes integers as strings where they are keys.
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
    if (element.kind !== "named" || element.package !== "") return false
    const meaning = this.program.meaning(from, "", element.name)
    return meaning.kind === "basic" && (meaning.name === "byte" || meaning.name === "uint8")
  }

  /** Whether Go has no absent value for a type: it is a struct or an array, and no pointer. False for types without source. */
  isAlwaysSet(type: GoType, from: Declared): boolean {
    let here = from
    let current = type
    for (let names = 0; current.kind === "named" && names < maxNames; names++) {
      const meaning = this.program.meaning(here, current.package, current.name)
      if (meaning.kind === "known") return meaning.type.rules !== undefined && "zero" in meaning.type.rules
      if (meaning.kind !== "declared") return false
      here = meaning.declared
      current = here.decl.type
    }
    return current.kind === "struct" || current.kind === "array"
  }

  private end(
    meaning: Exclude<ReturnType<Program["meaning"]>, { kind: "declared" }>,
    { package: alias, name }: { readonly package: string; readonly name: string },
    place: Place,
  ): Shape {
    if (meaning.kind === "known") return { kind: "known", type: meaning.type }
    if (meaning.kind === "outside") {
      return { kind: "outside", name: friendly(meaning.path, meaning.name), path: meaning.path }
    }
    const scalar = meaning.kind === "basic" ? scalars.get(meaning.name) : undefined
    if (scalar !== undefined) return scalar
    const written = alias === "" ? name : `${alias}.${name}`
    this.findings.error(
      place,
      meaning.kind === "basic" ? `JSON can't hold the type ${written}` : `there is no type ${written}`,
    )
    return none
  }

  /** The value that `+default` says, as JSON or by the name of a constant (`ref(Name)`); undefined if it says none. */
  defaultOf(text: string, { from }: { readonly from: Declared }): Value | undefined {
    const [, path = "", name] = /^ref\((?:(.*)\.)?(\w+)\)$/.exec(text) ?? []
    if (name !== undefined) return this.program.constantNamed(path === "" ? from.package.path : path, name)
    try {
      return JSON.parse(text) as Value
    } catch {
      return undefined
    }
  }

  /** The values of a string type with +enum, in the order of its constants; undefined if it is none. */
  enumOf(followed: Followed): readonly string[] | undefined {
    const isEnum = followed.passed.some(({ markers }) => markers.has("enum", "k8s:enum"))
    return isEnum ? this.constantsOf(followed) : undefined
  }

  /** The values of the constants of a string type; undefined if there are none, or if it is no string type. */
  constantsOf({ shape, passed }: Followed): readonly string[] | undefined {
    if (shape.kind !== "scalar" || shape.type !== "string") return undefined
    const declared = passed.find(({ markers }) => markers.has("enum", "k8s:enum")) ?? passed[0]
    const constants = declared === undefined ? [] : this.program.constants(declared)
    return constants.length === 0 ? undefined : [...new Set(constants.map(({ value }) => value))]
  }
}

const none: Shape = { kind: "none" }

/** The markers of a field and of the named types that it goes through, the nearest first. */
export function markersOf(own: Markers, { passed }: Followed): readonly Markers[] {
  return [own, ...passed.map(({ markers }) => markers)]
}
