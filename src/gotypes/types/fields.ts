// The fields of a struct in JSON.

import { addToGroup } from "../../value/groups.js"
import { oncePer } from "../../value/once-per.js"
import { listAnd } from "../../value/words.js"
import type { Findings, GoTypesPlace } from "../source/errors.js"
import type { GoField } from "../source/go-file.js"
import { anything } from "./known.js"
import { Markers } from "./markers.js"
import { type Declared, isRead } from "./program.js"
import { isMessage, messageFields } from "./protobuf.js"
import { type Followed, markersOf, type Shapes, type StructShape } from "./shape.js"

/** A field with its name in JSON. */
export interface JsonField {
  readonly name: string
  readonly go: GoField
  /** The declaration in which the names in its type are resolved. */
  readonly from: Declared
  readonly place: GoTypesPlace
  readonly markers: Markers
  readonly followed: Followed
  /** Whether its empty value is left out, by `omitempty` or `omitzero`. */
  readonly omitEmpty: boolean
  /** Whether its zero value is left out, even if that is a struct (`omitzero`). */
  readonly omitZero: boolean
  /** Whether it is written as a string (`json:",string"`). */
  readonly asString: boolean
}

/** The fields of a struct, and the structs that are embedded in it without a name in JSON. */
export interface StructFields {
  readonly own: readonly JsonField[]
  readonly inlined: readonly { readonly field: JsonField; readonly shape: StructShape }[]
  /** Whether it also embeds an opaque struct without source, whose fields are unknown. */
  readonly open: boolean
  /** Groups of names of fields. At most one field of a group is set, independent of markers. */
  readonly unions: readonly (readonly string[])[]
}

/** The fields read so far of the structs that share a declaration: those of a generic type with different arguments do. */
const known = oncePer((_: StructShape["fields"]) => new Map<Declared, StructFields>())

/** Returns the fields of a struct that are in JSON: always the same object. */
export function fieldsOf(shapes: Shapes, struct: StructShape): StructFields {
  const byDeclared = known(struct.fields)
  const fields = byDeclared.get(struct.from) ?? readFields(shapes, struct)
  byDeclared.set(struct.from, fields)
  return fields
}

function readFields(shapes: Shapes, struct: StructShape): StructFields {
  if (isMessage(struct.from)) return readMessage(shapes, struct)
  const own: JsonField[] = []
  const inlined: { field: JsonField; shape: StructShape }[] = []
  let open = false
  for (const go of struct.fields) {
    if (!isRead(go)) continue
    const [name = "", ...options] = (go.tags.get("json") ?? "").split(",")
    const omitZero = options.includes("omitzero")
    const omitEmpty = omitZero || options.includes("omitempty")
    const asString = options.includes("string")
    const field = jsonField(shapes, go, struct.from, { name: name || go.name, omitEmpty, omitZero, asString })
    const { markers, followed, place } = field
    if (markers.named("k8s:openapi-gen").some(marker => marker.value === false)) continue
    checkComments(shapes.findings, field)
    const inlines = go.embedded && name === ""
    if (!inlines) own.push(field)
    else if (followed.shape.kind === "struct") inlined.push({ field, shape: followed.shape })
    else if (followed.shape.kind === "outside") {
      if (markersOf(markers, followed).some(found => found.has("k8s:opaqueType"))) {
        open = true
        continue
      }
      shapes.findings.error(
        place,
        `the fields of ${followed.shape.name} are embedded here; give its source to \`resolve\`, or mark it as +k8s:opaqueType`,
      )
    } else if (followed.shape.kind === "known" && followed.shape.type.definition === anything) open = true
    else if (followed.shape.kind === "known") {
      shapes.findings.error(
        place,
        "the embedded type has a JSON form of its own, which would become the form of the whole struct",
      )
    } else own.push(field)
  }
  return { own, inlined, open, unions: [] }
}

/** Returns the fields of a protobuf message. Its JSON omits unset fields. */
function readMessage(shapes: Shapes, struct: StructShape): StructFields {
  const unions = new Map<string, string[]>()
  const own = messageFields(struct.from, struct.fields).map(({ go, from, name, oneof }) => {
    if (oneof !== undefined) addToGroup(unions, oneof, name)
    return jsonField(shapes, go, from, { name, omitEmpty: true, omitZero: true, asString: false })
  })
  return { own, inlined: [], open: false, unions: [...unions.values()] }
}

function jsonField(
  shapes: Shapes,
  go: GoField,
  from: Declared,
  json: Pick<JsonField, "name" | "omitEmpty" | "omitZero" | "asString">,
): JsonField {
  const place = { ...from.place, line: go.line, field: go.name }
  return { ...json, go, from, place, markers: new Markers(go.doc), followed: shapes.follow(go.type, from, place) }
}

/** Returns a struct and all structs embedded in it at any depth, each once. Embedded structs come before the struct that embeds them. */
export function withEmbedded(shapes: Shapes, struct: StructShape): readonly StructShape[] {
  const found = new Map<StructFields, StructShape>()
  const open = [struct]
  for (let shape = open.pop(); shape !== undefined; shape = open.pop()) {
    const fields = fieldsOf(shapes, shape)
    if (found.has(fields)) continue
    found.set(fields, shape)
    open.push(...fields.inlined.map(({ shape: embedded }) => embedded))
  }
  return [...found.values()].reverse()
}

/**
 * Returns all fields of a struct in JSON: its own fields first, then fields of embedded structs level by level. As in Go, a name hides the same
 * name at deeper levels. If two fields of a level have the same name, JSON contains neither, unless exactly one has the name from its tag.
 */
export function flatFields(shapes: Shapes, struct: StructShape): JsonField[] {
  const found = new Map<string, JsonField | undefined>()
  const seen = new Set<StructFields>()
  let level: readonly StructShape[] = [struct]
  while (level.length > 0) {
    const below: StructShape[] = []
    const here = new Map<string, JsonField[]>()
    for (const shape of level) {
      const fields = fieldsOf(shapes, shape)
      if (seen.has(fields)) continue
      seen.add(fields)
      for (const field of fields.own) if (!found.has(field.name)) addToGroup(here, field.name, field)
      for (const { field, shape: embedded } of fields.inlined) {
        if (embedded.fields === struct.fields) shapes.findings.error(field.place, "the struct is embedded in itself")
        below.push(embedded)
      }
    }
    for (const [name, fields] of here) found.set(name, dominant(shapes.findings, fields))
    level = below
  }
  return [...found.values()].filter(field => field !== undefined)
}

/** Returns the field that JSON contains, of the fields with one name on one level; undefined if it contains none of them. */
function dominant(findings: Findings, fields: readonly JsonField[]): JsonField | undefined {
  const [first, second] = fields as readonly [JsonField, JsonField | undefined]
  if (second === undefined) return first
  if (first.from === second.from) findings.error(second.place, `the name ${first.name} is taken by ${first.go.name}`)
  const tagged = fields.filter(({ go, name }) => go.tags.get("json")?.split(",")[0] === name)
  if (tagged.length === 1) return tagged[0]
  const others = listAnd(fields.map(({ place }) => `${place.type}.${place.field}`))
  findings.warn(
    second.place,
    `JSON has no field ${first.name}, since ${others} have that name on one level of embedding`,
  )
  return undefined
}

/** Matches a line with a marker that generators read from the comment of a field. */
const meant =
  /^\s*\+(k8s:(?!supportsSubresource|isSubresource)\w+(?![\w:-])|(optional|required|default|nullable|enum|union\w*|listType|listMapKey|mapType|structType)(?![\w:-]))/

function checkComments(findings: Findings, { go, place }: JsonField): void {
  const behind = go.trailing.find(({ text }) => meant.test(text))
  if (behind !== undefined) {
    findings.warn(
      { ...place, line: behind.line },
      `${behind.text.trim()} follows the field on its line, where it is not read`,
    )
  }
  checkDetached(findings, go.detached, place)
}

/** Warns about markers that a blank line separates from their declaration. */
export function checkDetached(findings: Findings, lines: GoField["detached"], place: GoTypesPlace): void {
  const marker = lines.find(({ text }) => meant.test(text))
  if (marker === undefined) return
  findings.warn(
    { ...place, line: marker.line },
    `a blank line separates ${marker.text.trim()} from its declaration, so it is not read`,
  )
}

/** The markers of optional and of required fields, in the order of precedence. */
const optionality = [
  ["optional", "required"],
  ["k8s:optional", "k8s:required"],
  ["kubebuilder:validation:Optional", "kubebuilder:validation:Required"],
] as const

/** Whether a field is optional: by its markers, or else by `omitempty`. Reports markers that contradict each other. */
export function isOptional(findings: Findings, { markers, place, omitEmpty }: JsonField): boolean {
  for (const [optional, required] of optionality) {
    const mayBeAbsent = markers.has(optional)
    const mustBeThere = markers.has(required)
    if (mayBeAbsent && mustBeThere) findings.error(place, "can't be both optional and required")
    if (mayBeAbsent || mustBeThere) return mayBeAbsent
  }
  return omitEmpty
}
