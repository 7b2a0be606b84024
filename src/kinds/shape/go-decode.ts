// The first problem that Go finds when it reads JSON into the structs of a built-in kind, in the words of encoding/json, or when it converts
// the result of an apply to them.
//
// The schema has the names of structs; go-types-data.ts has the Go types that no schema tells. Types are read from both when they are first
// needed.
import type { FoundKind } from "../../managedfields/types/object-types.js"
import type { Atom, Schema, TypeDef, TypeRef } from "../../schema/schema.js"
import { isInteger } from "../../value/number.js"
import { own } from "../../value/object.js"
import { oncePer } from "../../value/once-per.js"
import { isList, isMap, type Value } from "../../value/value.js"
import type { Problem } from "../refusal/failure.js"
import { timeProblem } from "./go-time.js"
import { goTypesData } from "./go-types-data.js"

/** The type of a value in Go. */
interface GoType {
  /** How Go spells it: `v1.PodSpec`, `[]string`. */
  readonly name: string
  readonly reads: "any" | "base64" | "bool" | "integer" | "intOrString" | "list" | "map" | "number" | "string" | "time"
  /** The type of the items of a list, or of the values of a map. */
  readonly element?: GoType
  /** Returns the field of a struct. */
  readonly field?: (name: string) => GoField | undefined
}

interface GoField {
  readonly type: GoType
  /** The name of the field after the name of the embedded struct that declares it. */
  readonly path: string
}

/** Returns the first problem of a value that should have this type; undefined if Go reads the value, or if the type is unknown. */
export function goTypeProblem(value: Value, found: FoundKind | undefined): string | undefined {
  return found && problemOf(new Reading(), value, found)
}

/**
 * Returns the first problem in the result of an apply, which fits its schema, if Go converts it to this type; undefined if there is none, or
 * if the type is unknown. Parts that are identical to those of `done`, which has no problems, are not visited.
 */
export function goConversionProblem(value: Value, found: FoundKind | undefined, done?: Value): string | undefined {
  return found && problemOf(new Conversion(), value, found, done)
}

function problemOf(reading: Reading, value: Value, { schema, typeName }: FoundKind, done?: Value): string | undefined {
  return problemWith(reading, value, structsOf(schema).named(typeName), done)
}

function problemWith(reading: Reading, value: Value, type: GoType, done?: Value): string | undefined {
  try {
    reading.value(value, type, done)
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    return error.message
  }
  return reading.problem
}

/**
 * Returns every value that Go can't read, or, with `converts`, can't convert from the result of an apply, with its field and what it must be. Go
 * itself reports only the first one, and its message may name no field.
 */
export function goMisfits(value: Value, found: FoundKind | undefined, { converts = false } = {}): readonly Problem[] {
  const misfits: Problem[] = []
  const visit = (value: Value, type: GoType, field: string): void => {
    if (isMap(value) && type.reads === "map") {
      for (const key in value) {
        const inner = own(value, key) as Value
        if (type.field === undefined) visit(inner, type.element ?? anything, `${field}[${key}]`)
        else visit(inner, type.field(key)?.type ?? anything, field === "" ? key : `${field}.${key}`)
      }
    } else if (isList(value) && type.reads === "list") {
      value.forEach((item, i) => void visit(item, type.element ?? anything, `${field}[${i}]`))
    } else if (problemWith(converts ? new Conversion() : new Reading(), value, type) !== undefined) {
      misfits.push({ reason: "FieldValueInvalid", field, message: `must be ${wanted(type)}` })
    }
  }
  if (found !== undefined) visit(value, structsOf(found.schema).named(found.typeName), "")
  return misfits
}

/** Says what a value of this type must be. */
function wanted({ name, reads }: GoType): string {
  if (reads === "integer" && name !== "int64") return "a whole number from -2147483648 to 2147483647"
  return wantedBy[reads]
}

const wantedBy: Readonly<Record<GoType["reads"], string>> = {
  any: "a value",
  base64: "base64",
  bool: "true or false",
  integer: "a whole number from -9223372036854775808 to 9223372036854775807",
  intOrString: "text, or a whole number from -2147483648 to 2147483647",
  list: "a list",
  map: "a map",
  number: "a number",
  string: "text",
  time: "a time, such as 2026-01-31T15:04:05Z",
}

/** Ends the reading: Go stops at texts that a type reads itself, such as times. For other values, it reports the first one and goes on. */
class Stop extends Error {}

class Reading {
  problem: string | undefined
  private struct = ""
  private path: readonly string[] = []

  value(value: Value, type: GoType, done?: Value): void {
    if (value === done || value === null || type.reads === "any") return
    if (isMap(value) && type.reads === "map") {
      for (const key in value) {
        const inner = own(value, key) as Value
        const innerDone = isMap(done) ? own(done, key) : undefined
        if (type.field === undefined) this.value(inner, type.element ?? anything, innerDone)
        else this.field(inner, type, type.field(key), innerDone)
      }
    } else if (isList(value) && type.reads === "list") {
      for (const item of value) this.value(item, type.element ?? anything)
    } else this.scalar(value, type)
  }

  private field(value: Value, { name }: GoType, field: GoField | undefined, done: Value | undefined): void {
    if (field === undefined) return
    const { struct, path } = this
    this.struct = name.slice(name.indexOf(".") + 1)
    this.path = [...path, field.path]
    this.value(value, field.type, done)
    this.struct = struct
    this.path = path
  }

  private scalar(value: Value, { name, reads }: GoType): void {
    const given = jsonType(value)
    if (reads === "time" || reads === "intOrString") {
      const wanted = reads === "time" ? "string" : "int32"
      const isRead = given === "string" || (reads === "intOrString" && given === "number" && isInt32(value))
      const literal = reads === "intOrString" && given === "number" ? `number ${value}` : given
      if (!isRead) throw new Stop(`json: cannot unmarshal ${literal} into Go value of type ${wanted}`)
      const problem = reads === "time" ? timeProblem(value as string, name === "v1.MicroTime") : undefined
      if (problem !== undefined) throw new Stop(problem)
    } else if (reads === "base64" && typeof value === "string") {
      const at = base64Problem(value)
      if (at !== undefined) this.notBase64(at)
    } else if (reads === "integer" && given === "number") {
      if (!(name === "int64" ? isInt64(value) : isInt32(value))) this.mismatch(`number ${value}`, name)
    } else if (given !== reads) this.mismatch(given, name)
  }

  protected notBase64(at: number): void {
    this.report(`illegal base64 data at input byte ${at}`)
  }

  protected mismatch(given: string, type: string): void {
    const { struct, path } = this
    const target = struct === "" ? "value" : `struct field ${struct}.${path.join(".")}`
    this.report(`json: cannot unmarshal ${given} into Go ${target} of type ${type}`)
  }

  private report(problem: string): void {
    this.problem ??= problem
  }
}

/** Reads like the conversion of an apply's result. That stops at the first problem, and lets integers overflow. */
class Conversion extends Reading {
  protected override notBase64(at: number): void {
    throw new Stop(`error decoding from json: illegal base64 data at input byte ${at}`)
  }

  protected override mismatch(given: string, type: string): void {
    const [, number] = /^number (.+)/.exec(given) ?? []
    if (number !== undefined && !Number.isInteger(Number(number))) throw new Stop(`cannot convert float64 to ${type}`)
  }
}

/** Returns the JSON type of a value, as Go names it. */
export function jsonType(value: Value): string {
  if (value === null) return "null"
  if (isList(value)) return "array"
  if (typeof value === "boolean") return "bool"
  return typeof value === "bigint" ? "number" : typeof value
}

function isInt32(value: Value): boolean {
  return typeof value === "number" && isInteger(value) && Math.abs(value + 0.5) < 2 ** 31
}

function isInt64(value: Value): boolean {
  return typeof value === "bigint" || (typeof value === "number" && isInteger(value) && Math.abs(value) < 2 ** 63)
}

/** Returns the offset at which Go finds that a text is not base64; undefined if it is. */
function base64Problem(text: string): number | undefined {
  const characters = text.replace(/[\r\n]/g, "")
  const [digits = ""] = /^[A-Za-z0-9+/]*/.exec(characters) ?? []
  const rest = characters.slice(digits.length)
  const missing = (4 - (digits.length % 4)) % 4
  if (missing !== 3 && rest === "=".repeat(missing)) return undefined
  if (rest === "") return digits.length - (digits.length % 4)
  if (!rest.startsWith("=") || missing === 0 || missing === 3) return digits.length
  return missing === 2 && rest[1] !== "=" ? digits.length + 1 : digits.length + missing
}

const anything: GoType = { name: "interface {}", reads: "any" }
const scalars: Readonly<Record<string, GoType>> = {
  string: { name: "string", reads: "string" },
  boolean: { name: "bool", reads: "bool" },
  numeric: { name: "int32", reads: "integer" },
}
/** Types that read JSON in their own way, by the ends of their names. */
const readers: Readonly<Record<string, GoType["reads"]>> = {
  "v1.Time": "time",
  "v1.MicroTime": "time",
  "intstr.IntOrString": "intOrString",
}

/** The Go types of one schema. */
class Structs {
  private readonly definitions: ReadonlyMap<string, TypeDef>
  private readonly types = new Map<string, GoType>()

  constructor(schema: Schema) {
    this.definitions = new Map(schema.types.map(type => [type.name, type]))
  }

  named(typeName: string): GoType {
    let type = this.types.get(typeName)
    if (type === undefined) this.types.set(typeName, (type = this.create(typeName)))
    return type
  }

  private create(typeName: string): GoType {
    const name = typeName.split(".").slice(-2).join(".")
    const reads = readers[name]
    if (reads !== undefined) return { name, reads }
    const definition = this.definitions.get(typeName)
    if (definition?.map?.fields === undefined) return { name, reads: "any" }
    const known = knownFields().get(typeName)
    const fields = new Map<string, GoField>()
    for (const field of definition.map.fields) {
      const [embedded = "", goName] = known?.get(field.name)?.split("=") ?? []
      // The types of fields are found later, since types can contain themselves.
      let type: GoType | undefined
      const find = () => this.of(field.type, goName)
      fields.set(field.name, {
        path: embedded + field.name,
        get type() {
          return (type ??= find())
        },
      })
    }
    return { name, reads: "map", field: key => fields.get(key) }
  }

  private of(ref: TypeRef | Atom, goName: string | undefined): GoType {
    if ("namedType" in ref && ref.namedType !== undefined) return this.named(ref.namedType)
    if (goName === "[]uint8") return { name: goName, reads: "base64" }
    const { scalar, list, map } = ref
    if (scalar === "untyped" || (list !== undefined && map !== undefined)) return anything
    if (list?.elementType !== undefined) {
      const element = this.of(list.elementType, goName?.startsWith("[]") ? goName.slice(2) : undefined)
      return { name: goName ?? `[]${element.name}`, reads: "list", element }
    }
    if (map?.elementType !== undefined) {
      const element = this.of(map.elementType, /^map\[.*?\](.+)/.exec(goName ?? "")?.[1])
      return { name: goName ?? `map[string]${element.name}`, reads: "map", element }
    }
    const plain = scalars[scalar ?? ""] ?? anything
    if (goName === undefined) return plain
    return { name: goName, reads: goName === "float64" ? "number" : plain.reads }
  }
}

const structsOf = oncePer((schema: Schema) => new Structs(schema))

let fields: Map<string, Map<string, string>> | undefined

/** For each type: what the data says about its fields. */
function knownFields(): Map<string, Map<string, string>> {
  if (fields !== undefined) return fields
  fields = new Map()
  const groups = JSON.parse(goTypesData) as Readonly<Record<string, Readonly<Record<string, string>>>>
  for (const [group, types] of Object.entries(groups)) {
    for (const [type, text] of Object.entries(types)) {
      fields.set(group + type, new Map(text.split(" ").map(each => each.split(":") as [string, string])))
    }
  }
  return fields
}
