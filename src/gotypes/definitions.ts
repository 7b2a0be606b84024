// Creates the definitions that Kubernetes' generator (kube-openapi) creates from Go types, with the extensions of their markers.
import { fieldMembersOf, listForm, type UnionExtension } from "../openapi/unions/write-unions.js"
import type { UnionDef } from "../schema/union.js"
import { own, put } from "../value/object.js"
import type { MapValue, Value } from "../value/value.js"
import { markedDefault, zeroOf } from "./defaults.js"
import type { GoTypesPlace } from "./source/errors.js"
import type { CommentLine, GoType } from "./source/go-file.js"
import { checkDetached, fieldsOf, flatFields, isOptional, type JsonField, withEmbedded } from "./types/fields.js"
import { anything, type KnownType } from "./types/known.js"
import { embeds, formatOf, formOf, preserves } from "./types/kubebuilder.js"
import { type Marker, Markers, markersOfEach } from "./types/markers.js"
import type { Declared } from "./types/program.js"
import { isMessage } from "./types/protobuf.js"
import {
  type Followed,
  markersOf,
  type OutsideShape,
  openapiType,
  type Shapes,
  type StructShape,
} from "./types/shape.js"
import { extensionsOf, structExtension } from "./types/topology.js"
import { StructUnions } from "./unions/struct-unions.js"
import type { UnionDialect } from "./unions/unions.js"

/** The steps to a struct in a type: names of fields, and `*` for items and values. */
type At = readonly string[]

type Draft = Record<string, Value>

/** The maximum nesting of lists, maps and unnamed structs in the definition of a type. */
const maxDepthInPlace = 100

/** The options for definitions; see `GoTypesOptions`. */
export interface DefinitionOptions {
  readonly dialect: UnionDialect | undefined
  readonly spelling: UnionExtension
  /** The names of the types that replace types without source. */
  readonly given: ReadonlySet<string>
}

/** A place in a definition. */
interface Spot {
  /** The name of the definition. */
  readonly name: string
  readonly at: At
  /** The enclosing structs, if unknown fields are kept, so that structs are written in place; undefined elsewhere. */
  readonly keeping?: readonly Declared[] | undefined
}

/** A use of a type, and the markers that apply to it. */
interface Use {
  readonly place: GoTypesPlace
  readonly markers: readonly Marker[]
  /** The marker before `+k8s:opaqueType` that makes this use opaque: `+k8s:eachVal=` for the values of a list. */
  readonly prefix: string
}

/** Creates definitions of types, and of all types that they use. */
export class Definitions {
  /** The definitions by name. */
  readonly schemas = new Map<string, MapValue>()
  /** The types with a known form, by the names of their definitions. */
  readonly known = new Map<string, KnownType>()
  /** The files and lines of types and fields, by the name of the definition and the steps into it, joined by slashes. */
  readonly places = new Map<string, GoTypesPlace>()
  readonly unions: { readonly name: string; readonly at: At; readonly unions: readonly UnionDef[] }[] = []
  /** The types whose source is missing, by the names of their definitions, with their first use and their package. */
  readonly outside = new Map<string, { readonly path: string; readonly place: GoTypesPlace; readonly prefix: string }>()
  /** The structs whose definitions have a name, but no content yet. */
  private readonly waiting: { readonly name: string; readonly shape: StructShape; readonly named: Declared }[] = []
  private readonly structUnions: StructUnions
  private readonly shapes: Shapes
  private readonly options: DefinitionOptions

  constructor(shapes: Shapes, options: DefinitionOptions) {
    this.shapes = shapes
    this.options = options
    this.structUnions = new StructUnions(shapes, options.dialect)
  }

  /** Adds the definition of a declared type, and of all types that it uses, if the type is a struct. Returns whether it is. */
  add(declared: Declared): boolean {
    const shape = this.shapes.structOf(declared)
    if (shape?.named === undefined) return false
    this.define(shape, shape.named)
    for (let next = this.waiting.pop(); next !== undefined; next = this.waiting.pop()) {
      const { name, named } = next
      this.schemas.set(name, this.object(next.shape, named.markers, { name, at: [] }, named.decl.doc))
    }
    return true
  }

  /** Returns the name of the definition of a struct. The definition is written later, since chains of types may be long. */
  private define(shape: StructShape, named: Declared): string {
    const name = this.shapes.program.modelName(named)
    if (this.schemas.has(name)) return name
    this.schemas.set(name, {})
    this.waiting.push({ name, shape, named })
    this.places.set(name, named.place)
    checkDetached(this.shapes.findings, named.decl.detached, named.place)
    this.checkMarkers(named.markers, named)
    const readsJson = named.package.files.some(({ methods }) => methods.has(`${named.decl.name}.UnmarshalJSON`))
    if (readsJson && !isMessage(named)) {
      this.shapes.findings.warn(
        named.place,
        "the type reads JSON with a method of its own, so its fields do not show its format",
      )
    }
    return name
  }

  private checkMarkers({ malformed }: Markers, { place }: Pick<Declared, "place">): void {
    for (const { text, line } of malformed)
      this.shapes.findings.error({ ...place, line }, `malformed marker ${text.trim()}`)
  }

  private object(shape: StructShape, markers: Markers, spot: Spot, doc: readonly CommentLine[]): MapValue {
    const { name, at } = spot
    const keeps = preserves(markers.all)
    const keeping = spot.keeping ?? (keeps ? [] : undefined)
    const properties: Draft = {}
    const required: string[] = []
    const fields = flatFields(this.shapes, shape)
    for (const field of fields) {
      this.checkMarkers(field.markers, field)
      if (!isOptional(this.shapes.findings, field)) required.push(field.name)
      this.places.set([name, ...at, field.name].join("/"), field.place)
      put(properties, field.name, this.property(field, { name, at: [...at, field.name], keeping }))
    }
    const unions = this.structUnions.of(shape, markers)
    if (unions.length > 0) this.unions.push({ name, at, unions })
    const object: Draft = { ...description(doc), type: "object" }
    if (fields.length > 0) object.properties = this.withUnions(properties, unions)
    if (required.length > 0) object.required = required
    Object.assign(object, structExtension(this.shapes.findings, markers, shape.from.place))
    if (keeps || this.isOpen(shape)) Object.assign(object, anything)
    const listed = this.options.spelling === "list" ? unions : unions.filter(union => union.discriminator === undefined)
    if (listed.length > 0) object["x-kubernetes-unions"] = listed.map(union => listedForm(union, fields))
    return object
  }

  /** Whether some fields of a struct, or of a struct embedded in it, are unknown. */
  private isOpen(shape: StructShape): boolean {
    return withEmbedded(this.shapes, shape).some(inner => fieldsOf(this.shapes, inner).open)
  }

  private withUnions(properties: Draft, unions: readonly UnionDef[]): Draft {
    if (this.options.spelling === "list") return properties
    for (const union of unions) {
      const { discriminator } = union
      if (discriminator === undefined) continue
      const property = own(properties, discriminator) as MapValue // one of the fields
      put(properties, discriminator, { ...property, "x-kubernetes-unions": { fieldMembers: fieldMembersOf(union) } })
    }
    return properties
  }

  private property(field: JsonField, spot: Spot): MapValue {
    const { markers, followed, go } = field
    if (field.asString) return { ...description(go.doc), type: "string" }
    const all = markersOf(markers, followed)
    const extensions = extensionsOf(this.shapes, field, all)
    const use = { place: field.place, markers: all.flatMap(found => found.all), prefix: "" }
    const type = this.type(followed, spot, use)
    const isOfGo = type !== anything && formOf(use.markers, openapiType(followed.shape)) === undefined
    const marked = markedDefault(this.shapes, field, all)
    const value = marked === undefined && isOfGo ? zeroOf(field) : marked
    const fallback = value === undefined ? {} : { default: value }
    const nullable = all.some(found => found.has("nullable")) ? { nullable: true } : {}
    const extra = { ...description(go.doc), ...fallback, ...nullable, ...extensions }
    // A reference can't have siblings.
    if (type.$ref === undefined || Object.keys(extra).length === 0) return { ...extra, ...type }
    return { ...extra, allOf: [type] }
  }

  /** Returns the schema of a type: in place, or a reference to the definition of a named struct. */
  private type(followed: Followed, spot: Spot, use: Use): MapValue {
    const { shape } = followed
    if (spot.at.length > maxDepthInPlace) {
      this.shapes.findings.error(use.place, `lists and maps nest deeper than ${maxDepthInPlace} levels`)
      return {}
    }
    const form = formOf(use.markers, openapiType(shape))
    if (form !== undefined) return form
    if (embeds(use.markers)) return this.embedded(followed, spot, use)
    if (!preserves(use.markers)) return this.typeOfShape(followed, spot, use)
    if (shape.kind === "any") return anything
    if (shape.kind === "known") return { ...shape.type.definition, ...anything }
    const type = this.typeOfShape(followed, { ...spot, keeping: spot.keeping ?? [] }, use)
    return type.$ref === undefined ? { ...type, ...anything } : type
  }

  /** Returns an object with the fields that every object of Kubernetes has. */
  private embedded({ shape }: Followed, spot: Spot, { markers }: Use): MapValue {
    const keeps = preserves(markers)
    const keeping = spot.keeping ?? (keeps ? [] : undefined)
    const object: MapValue =
      shape.kind === "struct"
        ? this.object(shape, shape.named?.markers ?? new Markers([]), { ...spot, keeping }, [])
        : { type: "object" }
    const meta = this.shapes.program.objectMeta
    const metadata = meta && this.shapes.structOf(meta)
    const properties: Draft = {
      ...(own(object, "properties") as MapValue | undefined),
      apiVersion: { type: "string" },
      kind: { type: "string" },
      ...(metadata?.named !== undefined && { metadata: reference(this.define(metadata, metadata.named)) }),
    }
    return { ...object, properties, ...(keeps && anything) }
  }

  private typeOfShape(followed: Followed, spot: Spot, use: Use): MapValue {
    const { shape } = followed
    switch (shape.kind) {
      case "scalar": {
        const values = this.shapes.enumOf(followed)
        const format = { ...(shape.format !== "" && { format: shape.format }), ...formatOf(use.markers) }
        return { type: shape.type, ...format, ...(values !== undefined && { enum: values.toSorted() }) }
      }
      case "list":
        return { type: "array", items: this.element(shape, spot, use) }
      case "map": {
        const key = this.shapes.follow(shape.key, shape.from, use.place)
        if (key.shape.kind === "outside") this.outsideType(key.shape, useOfEach(use, "k8s:eachKey", key))
        return { type: "object", additionalProperties: this.element(shape, spot, use) }
      }
      case "struct":
        return this.struct(shape, spot)
      case "known":
        return this.knownType(shape.type, formatOf(use.markers))
      case "outside":
        return this.outsideType(shape, use)
      case "any":
        return { type: "object" }
      case "none":
        return {}
    }
  }

  private struct(shape: StructShape, spot: Spot): MapValue {
    const { named } = shape
    if (named === undefined) return this.object(shape, new Markers([]), spot, [])
    const { keeping } = spot
    if (keeping === undefined || keeping.includes(named)) return reference(this.define(shape, named))
    return this.object(shape, named.markers, { ...spot, keeping: [...keeping, named] }, [])
  }

  private element(
    { element, from }: { readonly element: GoType; readonly from: Declared },
    { name, at, keeping }: Spot,
    use: Use,
  ) {
    const followed = this.shapes.follow(element, from, use.place)
    return this.type(followed, { name, at: [...at, "*"], keeping }, useOfEach(use, "k8s:eachVal", followed))
  }

  /** Returns the schema of a type without source: the type of that name in `types`, or any JSON if the use is opaque. Records missing types. */
  private outsideType({ name, path }: OutsideShape, { place, markers, prefix }: Use): MapValue {
    const isOpaque = markers.some(marker => marker.name === "k8s:opaqueType")
    if (isOpaque && !this.options.given.has(name)) return anything
    if (!this.outside.has(name)) this.outside.set(name, { path, place, prefix })
    return reference(name)
  }

  private knownType(type: KnownType, { format }: { readonly format?: string }): MapValue {
    const { name, definition } = type
    if (format !== undefined && format !== definition.format) return { ...definition, format }
    if (name === undefined) return definition
    this.schemas.set(name, definition)
    this.known.set(name, type)
    return reference(name)
  }
}

/** Returns the use of the values or of the keys of a list or map. */
function useOfEach({ place, markers, prefix }: Use, each: "k8s:eachVal" | "k8s:eachKey", { passed }: Followed): Use {
  const own = passed.flatMap(declared => declared.markers.all)
  return { place, markers: [...markersOfEach(markers, each), ...own], prefix: `${prefix}+${each}=` }
}

function reference(name: string): MapValue {
  return { $ref: `#/components/schemas/${name}` }
}

/**
 * Returns the form that Kubernetes publishes: a map from fields to values, or to Go names without a discriminator. The form can't contain
 * items of a list, so unions of items are written in the format of an overlay.
 */
function listedForm(union: UnionDef, all: readonly JsonField[]): MapValue {
  const { discriminator, fields = [] } = union
  if (fields.some(({ item }) => item !== undefined)) return listForm(union)
  const members: Draft = {}
  for (const { fieldName, discriminatorValue } of fields) {
    const goName = all.find(({ name }) => name === fieldName)?.go.name
    put(members, fieldName, discriminatorValue ?? goName ?? fieldName)
  }
  return { ...(discriminator !== undefined && { discriminator }), "fields-to-discriminateBy": members }
}

/** Returns the text of a comment for documents: without markers, TODOs, and anything after `---`. */
function description(doc: readonly CommentLine[]): { readonly description?: string } {
  const end = doc.findIndex(({ text }) => text === "---")
  const lines = (end < 0 ? doc : doc.slice(0, end)).map(({ text }) => text).filter(text => !/^\s*(\+|TODO)/.test(text))
  const text = lines
    .join("\n")
    .trim()
    .replaceAll(/(\S)\n(?=\S)/g, "$1 ")
  return text === "" ? {} : { description: text }
}
