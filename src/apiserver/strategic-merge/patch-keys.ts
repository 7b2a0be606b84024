// The built-in types as strategic merge patches see them: the patch strategy of each field, and the merge key of each list.
//
// An API server reads both from the tags of its Go structs. Some merge keys differ from the keys of server-side apply: the ports of a
// container are merged by containerPort alone. The fields and their types come from kubernetesSchema(), the tags from patch-keys-data.ts:
// JSON that oracle/cmd/patch-keys prints, {group: {type: {field: "strategies key"}}}, with the strategies joined by commas.
import { kubernetesSchema, kubernetesTypeName } from "../../kubernetes/types.js"
import type { Atom, TypeDef, TypeRef } from "../../schema/schema.js"
import { patchKeysData } from "./patch-keys-data.js"

/** A field and how a patch changes it. */
export interface PatchField {
  /**
   * `replace` for maps and lists that a patch replaces, `merge` for lists that it merges item by item; "" if Go's tags have no strategy.
   */
  readonly strategy: string
  /** The key that identifies the items of a list; "" for a list of scalars. */
  readonly mergeKey: string
  readonly type: PatchType
}

/** A Go type. */
export interface PatchType {
  /** The kind of the Go type, as in messages: `struct`, `map`, `slice`, `string` … */
  readonly kind: string
  /** The name of the Go struct, as in messages; "" for other kinds. */
  readonly name: string
  /** The type of the items of a list; undefined for other kinds. */
  readonly items: PatchType | undefined
  /** Finds a field of a struct by its exact name, or else ignoring case. */
  field(name: string): PatchField | undefined
}

type Tags = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>

let tags: Tags | undefined
let definitions: ReadonlyMap<string, TypeDef> | undefined
const namedTypes = new Map<string, PatchType>()

/** Returns the type of a built-in kind; undefined if the kind is not built in. */
export function patchTypeOf(apiVersion: string, kind: string): PatchType | undefined {
  const name = kubernetesTypeName(apiVersion, kind)
  return name === undefined ? undefined : namedType(name)
}

function namedType(name: string): PatchType {
  let type = namedTypes.get(name)
  if (type === undefined) {
    definitions ??= new Map(kubernetesSchema().types.map(definition => [definition.name, definition]))
    type = new AtomType(definitions.get(name) ?? {}, name)
    namedTypes.set(name, type)
  }
  return type
}

function referencedType(reference: TypeRef): PatchType {
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
    this.kind = goKind(atom, fullName)
    this.name = this.kind === "struct" ? structName(fullName) : ""
  }

  get items(): PatchType | undefined {
    const { list } = this.atom
    return list?.elementType === undefined || this.kind !== "slice" ? undefined : referencedType(list.elementType)
  }

  field(name: string): PatchField | undefined {
    const known = this.fields.get(name)
    if (known !== undefined) return known
    const all = this.atom.map?.fields ?? []
    const lower = name.toLowerCase()
    const definition = all.find(field => field.name === name) ?? all.find(field => field.name.toLowerCase() === lower)
    if (definition === undefined) return undefined
    const [strategies = "", mergeKey = ""] = this.fieldTags(definition.name).split(" ")
    const strategy = strategies.split(",").find(one => one !== "retainKeys") ?? ""
    const field = { strategy, mergeKey, type: referencedType(definition.type) }
    this.fields.set(name, field)
    return field
  }

  private fieldTags(field: string): string {
    tags ??= JSON.parse(patchKeysData) as Tags
    const end = this.fullName.length - this.name.length
    return tags[this.fullName.slice(0, end)]?.[this.name]?.[field] ?? ""
  }
}

/** Returns the name of a Go struct. The schema has an untyped value where Go has a RawExtension. */
function structName(fullName: string): string {
  return fullName.startsWith("__untyped") ? "RawExtension" : fullName.slice(fullName.lastIndexOf(".") + 1)
}

/** Returns the kind of a Go type. A named map or scalar is a struct: Quantity is a struct that JSON has as a string. */
function goKind({ scalar, list, map }: Atom, fullName: string): string {
  if (map !== undefined && (map.fields !== undefined || fullName !== "")) return "struct"
  if (map !== undefined) return "map"
  if (list !== undefined) return "slice"
  return fullName === "" ? (scalar ?? "string").replace("numeric", "int64") : "struct"
}
