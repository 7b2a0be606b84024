// What a strategic merge patch has to know of the built-in types: how lists and maps are patched, and by which key.
//
// An API server reads it from the tags of its Go structs. They differ from the keys of server-side apply in places: the ports of a
// container are merged by containerPort alone. The fields and their types are those of kubernetesSchema(); patch-keys-data.ts adds
// the tags, as JSON written by oracle/cmd/patch-keys: {group: {type: {field: "strategies key"}}}, the strategies joined by commas.
import { kubernetesSchema, kubernetesTypeName } from "../../kubernetes/types.js"
import type { Atom, TypeDef, TypeRef } from "../../schema/schema.js"
import { patchKeysData } from "./patch-keys-data.js"

/** How the values of a field are patched. */
export interface PatchField {
  /** `replace` for maps and lists that are taken as they are, `merge` for lists merged item by item; "" if not said. */
  readonly strategy: string
  /** The key that identifies the items of a list; "" for items that are no maps. */
  readonly mergeKey: string
  /** The type of the field. */
  readonly type: PatchType
}

/** A type as Go knows it. */
export interface PatchType {
  /** The kind of the Go type, as messages name it: `struct`, `map`, `slice`, `string` … */
  readonly kind: string
  /** The name of the Go struct, as messages name it; "" for other kinds. */
  readonly name: string
  /** The type of the items of a list; undefined for other kinds. */
  readonly items: PatchType | undefined
  /** The field of a struct that has this name, in any case if none has it exactly; undefined if there is none. */
  field(name: string): PatchField | undefined
}

type Tags = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>

let tags: Tags | undefined
let definitions: ReadonlyMap<string, TypeDef> | undefined
const named = new Map<string, PatchType>()

/** The type of the objects of a built-in kind; undefined if the kind is not built in. */
export function patchTypeOf(apiVersion: string, kind: string): PatchType | undefined {
  const name = kubernetesTypeName(apiVersion, kind)
  return name === undefined ? undefined : namedType(name)
}

function namedType(name: string): PatchType {
  let type = named.get(name)
  if (type === undefined) {
    definitions ??= new Map(kubernetesSchema().types.map(definition => [definition.name, definition]))
    type = new AtomType(definitions.get(name) ?? {}, name)
    named.set(name, type)
  }
  return type
}

function typeOf(reference: TypeRef): PatchType {
  return reference.namedType === undefined ? new AtomType(reference, "") : namedType(reference.namedType)
}

class AtomType implements PatchType {
  readonly kind: string
  readonly name: string
  private readonly atom: Atom
  private readonly fullName: string
  private readonly fields = new Map<string, PatchField>()

  constructor(atom: Atom, fullName: string) {
    this.atom = atom
    this.fullName = fullName
    this.kind = kindOf(atom, fullName)
    this.name = this.kind === "struct" ? structName(fullName) : ""
  }

  get items(): PatchType | undefined {
    const { list } = this.atom
    return list?.elementType === undefined || this.kind !== "slice" ? undefined : typeOf(list.elementType)
  }

  field(name: string): PatchField | undefined {
    const known = this.fields.get(name)
    if (known !== undefined) return known
    const all = this.atom.map?.fields ?? []
    const lower = name.toLowerCase()
    const found = all.find(field => field.name === name) ?? all.find(field => field.name.toLowerCase() === lower)
    if (found === undefined) return undefined
    const [strategies = "", mergeKey = ""] = this.tagsOf(found.name).split(" ")
    const strategy = strategies.split(",").find(one => one !== "retainKeys") ?? ""
    const field = { strategy, mergeKey, type: typeOf(found.type) }
    this.fields.set(name, field)
    return field
  }

  private tagsOf(field: string): string {
    tags ??= JSON.parse(patchKeysData) as Tags
    const end = this.fullName.length - this.name.length
    return tags[this.fullName.slice(0, end)]?.[this.name]?.[field] ?? ""
  }
}

/** Any value is allowed where Go has a RawExtension. */
function structName(fullName: string): string {
  return fullName.startsWith("__untyped") ? "RawExtension" : fullName.slice(fullName.lastIndexOf(".") + 1)
}

/** A named type is a struct in Go, with or without fields, unless it is one of those that are written as a scalar. */
function kindOf({ scalar, list, map }: Atom, fullName: string): string {
  if (map !== undefined && (map.fields !== undefined || fullName !== "")) return "struct"
  if (map !== undefined) return "map"
  if (list !== undefined) return "slice"
  return fullName === "" ? (scalar ?? "string").replace("numeric", "int64") : "struct"
}
