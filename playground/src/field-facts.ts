// The facts about a field that matter to its owners: its type, its merge, its rules, and its present owners. They come from the compiled type,
// from the code of a server, and from managedFields. Descriptions are texts of the documents that define the kind.
import { type MapValue, SchemaError } from "structured-merge-diff"
import { stepsTo } from "../../src/fieldpath/lookup.js"
import { formatPath, type Path } from "../../src/fieldpath/path.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import { formatJson } from "../../src/json/json.js"
import { kindsOf } from "../../src/kinds/kinds.js"
import { withoutMetadata } from "../../src/managedfields/chain/strip-metadata.js"
import type { TypeFinder } from "../../src/managedfields/types/object-types.js"
import type { ObjectKind } from "../../src/schema/group-version-kind.js"
import { withOfferedUnions } from "../../src/schema/unions-on-request.js"
import { blame } from "../../src/tools/ownership/blame.js"
import { objectName } from "../../src/tools/ownership/object-name.js"
import type { Owner } from "../../src/tools/ownership/owners.js"
import { compileSchema, type Type } from "../../src/typed/type.js"
import type { Steps } from "../../src/value/change.js"
import { listAnd } from "../../src/value/words.js"
import { type DescribedField, describeField } from "./descriptions.js"
import { type FieldType, fieldType, mergeText, typeText, unionText } from "./field-type.js"
import { memo } from "./memo.js"
import { askServer, type FieldRules, writingSubresources } from "./server-facts.js"
import type { Types } from "./types.js"

/** The facts about a field, as text. */
export interface FieldFacts {
  readonly path: string
  /** The type in a few words. */
  readonly type: string
  /** The meaning of the type for owners: one sentence. */
  readonly merge: string
  /** Further facts with their labels. */
  readonly rows: readonly (readonly [label: string, text: string])[]
  /** The description of the field in the document that defines the kind. */
  readonly description: string | undefined
  /** The way to a description that is missing. */
  readonly hint: string | undefined
}

/**
 * Returns the facts about the field of the object that the steps lead to; undefined if its kind is unknown or does not have the field. `served`
 * has the kinds as the server of the story knows them. `live` is the live object, if there is one.
 */
export function fieldFacts(
  types: Types,
  served: TypeFinder,
  object: MapValue,
  steps: Steps,
  live?: MapValue,
): FieldFacts | undefined {
  const kind = objectName(object)
  const root = rootType(types.finder, kind)
  const field = root && fieldType(root, object, steps)
  if (field === undefined || steps.length === 0) return undefined
  const found = kindsOf(served).resource(kind)
  const resource = found?.plain ? undefined : found
  const isBuiltIn = resource !== undefined && resource.custom === undefined
  const described = describeField(types.documents, kind, steps)
  const liveSteps = live && stepsTo(live, field.path)
  const stored = live && liveSteps ? { object: live, steps: liveSteps } : { object, steps }
  const rules = resource ? askServer({ resource, type: field.type, object, steps, stored }) : rulesIn(described, field)
  const unions = (isBuiltIn && builtInField(types, object, steps)?.unions) || field.unions
  const isOwned = !withoutMetadata(FieldSet.of([field.path])).isEmpty()
  const writing = resource && isOwned ? writingSubresources(resource, steps) : undefined
  return {
    path: formatPath(field.path),
    type: typeText(field.type),
    merge: isOwned ? mergeText(field) : "Nobody owns it: it identifies the object, or only the server writes it.",
    rows: [
      ...row("Owners", live && isOwned ? ownersOf(live, types.finder, field.path) : undefined),
      ...row("If absent", rules.absent),
      ...row("Required", rules.required),
      ...row("Values", rules.values),
      ...row("Changes", rules.fixed && `refused after creation: ${rules.fixed}`),
      ...unions.flatMap(union => row("Union", unionText(union, String(steps.at(-1))))),
      ...row("Written by", writing && `requests to ${listAnd(writing.map(subresourceText))}`),
    ],
    description: described?.description,
    hint: isBuiltIn && described?.description === undefined ? hintText(kind) : undefined,
  }
}

function row(label: string, text: string | undefined): (readonly [string, string])[] {
  return text === undefined ? [] : [[label, text]]
}

/** Returns the type of a kind with the unions that are known for it; undefined if the kind is unknown or its document can't be converted. */
function rootType(finder: TypeFinder, { apiVersion, kind }: ObjectKind): Type | undefined {
  try {
    const found = finder.find(apiVersion, kind)
    return found && compileSchema(withOfferedUnions(found.schema)).type(found.typeName)
  } catch (error) {
    if (error instanceof SchemaError) return undefined
    throw error
  }
}

/** Returns a field of a built-in kind as this package knows it. The documents of a cluster describe hardly any unions. */
function builtInField(types: Types, object: MapValue, steps: Steps): FieldType | undefined {
  const root = rootType(types.builtIn, objectName(object))
  return root && fieldType(root, object, steps)
}

/** Returns the rules of a field from its description in a document, which is all that is known about it. */
function rulesIn(described: DescribedField | undefined, { key }: FieldType): FieldRules {
  const { default: absent = key?.default, required = false, values = [] } = described ?? {}
  return {
    absent: absent === undefined ? undefined : formatJson(absent),
    required: required ? "yes" : undefined,
    values: values.length === 0 ? undefined : values.map(formatJson).join(", "),
    fixed: undefined,
  }
}

/** Names the present owners of the field, or of the fields in it; undefined if the object does not have it. */
function ownersOf(live: MapValue, types: TypeFinder, path: Path): string | undefined {
  const found = blamed(live, types)
  const { owners, within, steps, path: text } = found.at(path)
  const names = (of: typeof owners) => listAnd([...new Set(of.map(ownerText))])
  if (within !== undefined) return names(within.owners) || "nobody"
  if (owners.length > 0) return names(owners)
  const inside = found.fields.filter(field => field.path !== text && steps.every((step, i) => field.steps[i] === step))
  const all = names(inside.flatMap(field => field.owners))
  if (all !== "") return `of parts of it: ${all}`
  return stepsTo(live, path) === undefined ? undefined : "nobody"
}

/** A large object takes a second, and people ask about one line after the other. */
const blamed = memo((live: MapValue, types: TypeFinder) => blame(live, { types }))

function ownerText({ manager, operation, subresource }: Owner): string {
  return `${manager} (${operation}${subresource === undefined ? "" : `, ${subresource}`})`
}

function subresourceText(name: string): string {
  return name === "" ? "the object" : `its ${name}`
}

function hintText({ apiVersion }: ObjectKind): string {
  const path = apiVersion.includes("/") ? `apis/${apiVersion}` : `api/${apiVersion}`
  return `For its description, add the output of kubectl get --raw /openapi/v3/${path} as Types.`
}
