// Reads the unions that markers declare, in each dialect of Kubernetes' proposals:
//
//   2019         +union on a struct makes all its fields members but the +unionDiscriminator; +unionDeprecated makes one field a member
//   2022-draft   +unionMember[=name of the discriminator's field], +unionDiscriminator
//   2022         +unionMember[=value][,optional], +unionDiscriminator on a +enum, +unionDiscriminatedBy if there are several
//   validation   +k8s:unionMember, +k8s:unionDiscriminator, +k8s:zeroOrOneOfMember with (union: ..., memberName: ...);
//                item-unions.ts reads the unions whose members are list items
//
// `+unionMember=x` has different meanings in the two proposals of 2022, so the caller chooses one. The markers of
// declarative validation are always read, and the older markers of the same struct are ignored.

import type { UnionDef } from "../../schema/union.js"
import { repeatedField, unionProblems } from "../../schema/union-problems.js"
import { addToGroup } from "../../value/groups.js"
import type { GoTypesPlace } from "../source/errors.js"
import { isOptional, type JsonField } from "../types/fields.js"
import type { Marker, Markers } from "../types/markers.js"
import type { Shapes } from "../types/shape.js"
import { type DraftMember, discriminatedUnion, plainUnion, type UnionDraft, wrongValue } from "./draft.js"
import { itemUnions, memberOfItem } from "./item-unions.js"

/** The KEP text that defines the union markers of a source; see docs/gotypes.md. */
export type UnionDialect = "2019" | "2022-draft" | "2022"

/** A struct whose unions are read. */
export interface UnionHost {
  readonly place: GoTypesPlace
  /** The markers of the struct. */
  readonly markers: Markers
  /** Its own fields, without those of embedded structs. */
  readonly fields: readonly JsonField[]
  /** Whether it embeds structs without a name in JSON. */
  readonly inlines: boolean
  /** Its fields without a name in JSON, which can't be in a union: those that embed structs, and those that are not in JSON. */
  readonly nameless: readonly Pick<JsonField, "markers" | "place">[]
}

/** Reads the unions of a struct's own fields. Reports markers that the texts forbid. */
export function readUnions(shapes: Shapes, host: UnionHost, dialect: UnionDialect | undefined): UnionDef[] {
  const reader = new UnionReader(shapes, host)
  const unions = [...reader.read(dialect), ...itemUnions(shapes, host.fields)]
  const repeated = repeatedField(unions)
  if (repeated !== undefined) shapes.findings.error(host.place, `field ${repeated} is in two unions, or twice in one`)
  for (const union of unions) for (const problem of unionProblems(union)) shapes.findings.error(host.place, problem)
  return unions
}

/** The markers that make a field a member or a discriminator. */
const unionMarkers = new Set([
  "unionDeprecated",
  "unionDiscriminator",
  "unionMember",
  "k8s:unionDiscriminator",
  "k8s:unionMember",
  "k8s:zeroOrOneOfMember",
])

class UnionReader {
  private readonly shapes: Shapes
  private readonly host: UnionHost

  constructor(shapes: Shapes, host: UnionHost) {
    this.shapes = shapes
    this.host = host
  }

  read(dialect: UnionDialect | undefined): UnionDef[] {
    const { fields, nameless, markers } = this.host
    for (const field of fields) this.checkWrapped(field)
    for (const field of nameless) this.checkNameless(field)
    if (this.anyHas("k8s:unionMember", "k8s:unionDiscriminator", "k8s:zeroOrOneOfMember")) {
      return [...this.validated("k8s:unionMember"), ...this.validated("k8s:zeroOrOneOfMember")]
    }
    for (const field of fields) {
      if (field.markers.has("union"))
        this.error(field, "+union is for a struct; +unionDeprecated makes a field a member")
      if (field.markers.has("unionDiscriminatedBy") && !field.markers.has("unionMember"))
        this.error(field, "+unionDiscriminatedBy is for a +unionMember")
    }
    const of2019 = markers.has("union") || this.anyHas("unionDeprecated")
    const of2022 = this.anyHas("unionMember")
    if (of2019 && (of2022 || (dialect ?? "2019") !== "2019")) {
      return this.refuse(
        `+union and +unionDeprecated are of 2019; ${of2022 ? "+unionMember is" : "markers here are"} of 2022`,
      )
    }
    if (of2022 && dialect === "2019") return this.refuse("+unionMember is of 2022; markers here are of 2019")
    if (of2019) return markers.has("union") ? this.wholeStruct() : this.adHoc()
    if (of2022) return dialect === "2022-draft" ? this.draft() : this.final()
    const alone = fields.find(field => field.markers.has("unionDiscriminator"))
    if (alone !== undefined && dialect === "2022") return this.final()
    if (alone !== undefined)
      this.shapes.findings.warn(alone.place, "+unionDiscriminator without members declares no union")
    return []
  }

  private anyHas(...names: readonly string[]): boolean {
    return this.host.fields.some(field => field.markers.has(...names))
  }

  private refuse(message: string): UnionDef[] {
    this.shapes.findings.error(this.host.place, message)
    return []
  }

  private error(field: Pick<JsonField, "place">, message: string): void {
    this.shapes.findings.error(field.place, message)
  }

  /** Warns about union markers that apply only under a condition, or to something other than the field and its items. */
  private checkWrapped({ markers, place }: JsonField): void {
    for (const marker of markers.all) {
      const inner = innermost(marker)
      if (inner === marker || !/^k8s:(union|zeroOrOneOf)/.test(inner.name) || memberOfItem(marker)) continue
      const { name } = (marker.name === "k8s:item" && marker.payload) || marker
      this.shapes.findings.warn(
        place,
        `members below +${name} are not in the schema; only validation reads +${inner.name} here`,
      )
    }
  }

  /** Returns the unions of declarative validation, sorted by name. The union without a name comes first. */
  private validated(tag: "k8s:unionMember" | "k8s:zeroOrOneOfMember"): UnionDef[] {
    const drafts = new Map<string, { discriminator: JsonField | undefined; members: DraftMember[] }>()
    const draftOf = (marker: Marker) => {
      const name = String(marker.args.get("union") ?? "")
      const draft = drafts.get(name) ?? { discriminator: undefined, members: [] }
      drafts.set(name, draft)
      return draft
    }
    for (const field of this.host.fields) {
      for (const marker of tag === "k8s:unionMember" ? field.markers.named("k8s:unionDiscriminator") : []) {
        const draft = draftOf(marker)
        if (draft.discriminator !== undefined)
          this.error(field, `${draft.discriminator.name} is the discriminator already`)
        draft.discriminator = field
      }
      for (const marker of field.markers.named(tag)) {
        if (this.shapes.isAlwaysSet(field.go.type, field.from)) this.refuseAlwaysSet(field)
        draftOf(marker).members.push({ field, value: String(marker.args.get("memberName") ?? field.go.name) })
      }
    }
    const names = [...drafts.keys()].sort()
    return names.map(name => {
      const draft: UnionDraft = { ...(name !== "" && { name }), ...(drafts.get(name) as UnionDraft) } // a key of it
      if (draft.discriminator !== undefined)
        return discriminatedUnion(this.shapes, draft, draft.discriminator, "validation")
      return plainUnion(draft, tag === "k8s:unionMember" ? "exactlyOne" : "atMostOne")
    })
  }

  /** 2019: the whole struct is a union. */
  private wholeStruct(): UnionDef[] {
    const { fields, inlines, place } = this.host
    if (inlines) this.shapes.findings.error(place, "a +union struct can't embed others")
    for (const field of fields) {
      if (field.markers.has("unionDeprecated")) this.error(field, "+unionDeprecated means nothing in a +union struct")
    }
    const members = fields.filter(field => !field.markers.has("unionDiscriminator"))
    return this.of2019(members)
  }

  /** 2019: some fields of the struct are a union. */
  private adHoc(): UnionDef[] {
    return this.of2019(this.host.fields.filter(field => field.markers.has("unionDeprecated")))
  }

  private of2019(fields: readonly JsonField[]): UnionDef[] {
    for (const field of fields) this.checkMember(field)
    const discriminator = this.onlyDiscriminator()
    const draft = { discriminator, members: fields.map(field => ({ field, value: field.go.name })) }
    if (discriminator === undefined) return [plainUnion(draft, "atMostOne")]
    const wrong = wrongValue(draft, discriminator, this.shapes.constantsOf(discriminator.followed))
    if (wrong === undefined) return [discriminatedUnion(this.shapes, draft, discriminator, "kep")]
    // Markers of 2019 can't give members other values.
    this.shapes.findings.warn(discriminator.place, `the union is left out: ${wrong}`)
    return []
  }

  /** 2022, draft: the marker of a member names the field of the discriminator. */
  private draft(): UnionDef[] {
    const members = this.host.fields.filter(field => field.markers.has("unionMember"))
    for (const field of members) this.checkMember(field)
    const discriminators = this.host.fields.filter(field => field.markers.has("unionDiscriminator"))
    const discriminatorOf = (field: JsonField) => {
      const said = field.markers.text("unionMember")
      if (said === "" && discriminators.length < 2) return discriminators[0]
      const found = discriminators.find(({ name, go }) => name === said || go.name === said)
      if (found === undefined)
        this.error(field, `+unionMember has to name one of the discriminators: ${namesOf(discriminators)}`)
      return found
    }
    return this.grouped(discriminators, members, discriminatorOf, field => ({ field, value: field.go.name }))
  }

  /** 2022, final text: the marker of a member names the value. */
  private final(): UnionDef[] {
    const members = this.host.fields.filter(field => field.markers.has("unionMember"))
    for (const field of members) this.checkMember(field)
    const discriminators = this.host.fields.filter(field => field.markers.has("unionDiscriminator"))
    if (discriminators.length === 0) return this.refuse("a union of 2022 has a +unionDiscriminator")
    for (const field of discriminators) this.checkFinalDiscriminator(field)
    const discriminatorOf = (field: JsonField) => {
      const said = field.markers.text("unionDiscriminatedBy")
      if (said === undefined && discriminators.length === 1) return discriminators[0]
      const found = discriminators.find(({ name, go }) => name === said || go.name === said)
      if (found === undefined) {
        this.error(field, `+unionDiscriminatedBy has to name one of the discriminators: ${namesOf(discriminators)}`)
      }
      return found
    }
    return this.grouped(discriminators, members, discriminatorOf, field => this.finalMember(field))
  }

  private finalMember(field: JsonField): DraftMember {
    const [said = "", ...options] = (field.markers.text("unionMember") ?? "").split(",").map(part => part.trim())
    const unknown = options.find(option => option !== "optional")
    if (unknown !== undefined) this.error(field, `+unionMember has no option ${unknown}; it may be optional`)
    const value = said === "" ? field.go.name : said
    if (value.toLowerCase() !== field.name.toLowerCase()) {
      this.shapes.findings.warn(
        field.place,
        `the value ${value} should be the name of the field, except for its case: ${field.name}`,
      )
    }
    return { field, value, optional: options.includes("optional") }
  }

  private checkFinalDiscriminator(field: JsonField): void {
    const values = this.shapes.enumOf(field.followed)
    if (values === undefined) this.error(field, "the discriminator has to be a string type with +enum")
    const mayBeAbsent = field.markers.has("default") || values?.includes("")
    if (!mayBeAbsent && isOptional(this.shapes.findings, field)) {
      this.error(field, 'the discriminator has to be required, or to have a +default or "" in its enum')
    }
  }

  private grouped(
    discriminators: readonly JsonField[],
    members: readonly JsonField[],
    discriminatorOf: (field: JsonField) => JsonField | undefined,
    memberOf: (field: JsonField) => DraftMember,
  ): UnionDef[] {
    const groups = new Map<JsonField | undefined, DraftMember[]>(discriminators.map(field => [field, []]))
    for (const field of members) addToGroup(groups, discriminatorOf(field), memberOf(field))
    return [...groups].map(([discriminator, found]) => {
      const draft = { discriminator, members: found }
      return discriminator === undefined
        ? plainUnion(draft, "atMostOne")
        : discriminatedUnion(this.shapes, draft, discriminator, "kep")
    })
  }

  private checkMember(field: JsonField): void {
    if (!isOptional(this.shapes.findings, field)) this.error(field, "a member of a union has to be optional")
    if (!field.omitZero && this.shapes.isAlwaysSet(field.go.type, field.from)) this.refuseAlwaysSet(field)
  }

  private refuseAlwaysSet(field: JsonField): void {
    this.error(field, "is never absent, but a member of a union must be optional; make it a pointer")
  }

  private checkNameless(field: UnionHost["nameless"][number]): void {
    const marker = field.markers.all.find(({ name }) => unionMarkers.has(name))
    if (marker !== undefined) this.error(field, `+${marker.name} is for a field with a name in JSON; this one has none`)
  }

  private onlyDiscriminator(): JsonField | undefined {
    const [first, second] = this.host.fields.filter(field => field.markers.has("unionDiscriminator"))
    if (second !== undefined) this.error(second, `${first?.name} is the discriminator already`)
    return first
  }
}

function innermost(marker: Marker): Marker {
  return marker.payload === undefined ? marker : innermost(marker.payload)
}

function namesOf(fields: readonly JsonField[]): string {
  return fields.map(({ go }) => go.name).join(", ")
}
