// Reads the unions of structs: from their markers, from protobuf, and from embedded structs.
import type { UnionDef } from "../../schema/union.js"
import { fieldsOf, flatFields, type StructFields, withEmbedded } from "../types/fields.js"
import { oneOfs } from "../types/kubebuilder.js"
import { Markers } from "../types/markers.js"
import { isRead } from "../types/program.js"
import type { Shapes, StructShape } from "../types/shape.js"
import { readUnions, type UnionDialect, type UnionHost } from "./unions.js"

const atMostOne = { cardinality: "atMostOne" } as const

/** Reads the unions of structs. */
export class StructUnions {
  private readonly shapes: Shapes
  private readonly dialect: UnionDialect | undefined
  /** The unions of structs that are embedded in others. */
  private readonly known = new Map<StructFields, readonly UnionDef[]>()

  constructor(shapes: Shapes, dialect: UnionDialect | undefined) {
    this.shapes = shapes
    this.dialect = dialect
  }

  /** Returns the unions of a struct. Unions of embedded structs come first. */
  of(shape: StructShape, markers: Markers): readonly UnionDef[] {
    const itself = fieldsOf(this.shapes, shape)
    return withEmbedded(this.shapes, shape).flatMap(inner => {
      const fields = fieldsOf(this.shapes, inner)
      if (fields === itself) return this.ownUnions(inner, markers, fields)
      const unions = this.known.get(fields) ?? this.ownUnions(inner, inner.named?.markers ?? new Markers([]), fields)
      this.known.set(fields, unions)
      return unions
    })
  }

  private ownUnions(shape: StructShape, markers: Markers, fields: StructFields): readonly UnionDef[] {
    // A union of one field allows everything.
    const several = fields.unions.filter(names => names.length > 1)
    const oneofs = several.map(names => ({ fields: names.map(fieldName => ({ fieldName })), ...atMostOne }))
    const said = oneOfs(markers.all).map(union => this.withFacts(union, shape))
    return [...oneofs, ...said, ...readUnions(this.shapes, hostOf(shape, markers, fields), this.dialect)]
  }

  /** Returns a union from a marker that names its fields. As in rules of CRDs, an empty list or map counts as set. */
  private withFacts(union: UnionDef, shape: StructShape): UnionDef {
    const all = flatFields(this.shapes, shape)
    const fields = union.fields?.map(({ fieldName }) => {
      const kind = all.find(({ name }) => name === fieldName)?.followed.shape.kind
      const place = shape.named?.place ?? shape.from.place
      if (kind === undefined)
        this.shapes.findings.error(place, `a one-of marker names ${fieldName}, which is not a field of the struct`)
      return { fieldName, ...((kind === "list" || kind === "map") && { emptyIsSet: true }) }
    })
    return { ...union, ...(fields !== undefined && { fields }) }
  }
}

/** Returns a struct for `readUnions`, which reports markers on embedded structs and on fields that are not in JSON. */
function hostOf(shape: StructShape, markers: Markers, { own: fields, inlined }: StructFields): UnionHost {
  const place = shape.named?.place ?? shape.from.place
  const hidden = shape.fields
    .filter(go => !isRead(go))
    .map(go => ({ markers: new Markers(go.doc), place: { ...shape.from.place, line: go.line, field: go.name } }))
  const nameless = [...inlined.map(({ field }) => field), ...hidden]
  return { place, markers, fields, inlines: inlined.length > 0, nameless }
}
