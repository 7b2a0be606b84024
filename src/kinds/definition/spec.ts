// Checks the spec of a CustomResourceDefinition, except for its schemas: names, versions, columns, subresources, conversion.

import { metadataOf } from "../../schema/metadata.js"
import { byteLength } from "../../value/bytes.js"
import { mapAt, textAt, textsAt } from "../../value/fields.js"
import { quoteGo, unprintableIn } from "../../value/quote.js"
import type { MapValue } from "../../value/value.js"
import { expectedName } from "../custom/definitions.js"
import { type FieldError, fieldError } from "../refusal/field-error.js"
import { propertyOf, restOf, schemaAt } from "../structural/schema.js"
import { Field } from "../validation/field.js"
import { dnsLabel1035, dnsSubdomain } from "../validation/names.js"
import { checkConversion } from "./conversion.js"
import { goNames, goVersions } from "./go-structs.js"
import { isShared, partsOf, schemaOfPart, versionsOf } from "./parts.js"

/** Adds the problems that come before those of the schemas. `old` is the definition that is updated. */
export function checkHead(definition: MapValue, old: MapValue | undefined, errors: FieldError[]): void {
  const name = new Field(metadataOf(definition).name, "metadata.name", errors)
  if (old === undefined && name.text !== "" && name.text !== expectedName(definition)) {
    name.invalid(`must be spec.names.plural+"."+spec.group`)
  }
  const spec = new Field(mapAt(definition, "spec"), "spec", errors)
  const group = spec.at("group")
  group.requiredAnd(
    text => joined(dnsSubdomain(text)) ?? (text.includes(".") ? [] : ["should be a domain with at least one dot"]),
  )
  spec.at("scope").requiredOneOf(["Cluster", "Namespaced"])
  checkVersions(definition, spec, errors)
  checkNames(spec.at("names"))
}

/** Adds the problems that come after those of the schemas. `old` is the definition that is updated. */
export function checkTail(definition: MapValue, old: MapValue | undefined, errors: FieldError[]): void {
  for (const part of partsOf(definition, "subresources"))
    checkScale(new Field(part.value, part.path, errors).at("scale"))
  for (const part of partsOf(definition, "additionalPrinterColumns")) {
    new Field(part.value, part.path, errors).items().forEach(checkColumn)
  }
  checkSelectableFields(definition, errors)
  const spec = new Field(mapAt(definition, "spec"), "spec", errors)
  checkConversion(spec.at("conversion"))
  if (old !== undefined) checkImmutable(spec, new Field(mapAt(old, "spec"), "spec", errors))
  checkStoredVersions(definition, old, errors)
  if (old === undefined) checkApproval(definition, errors)
  if (spec.at("preserveUnknownFields").value === true) {
    spec
      .at("preserveUnknownFields")
      .invalid(
        "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
      )
  }
}

function joined(problems: readonly string[]): readonly string[] | undefined {
  return problems.length === 0 ? undefined : [problems.join(",")]
}

/** Checks a label (RFC 1035). Joins all its problems in one. */
const label = (text: string) => joined(dnsLabel1035(text)) ?? []
const mixedCase = (text: string) =>
  label(text.toLowerCase()).map(problem => `may have mixed case, but should otherwise match: ${problem}`)

function checkNames(names: Field): void {
  for (const key of ["plural", "singular", "kind", "listKind"])
    names.at(key).requiredAnd(key.endsWith("ind") ? mixedCase : label)
  for (const shortName of names.at("shortNames").items()) shortName.check(label)
  const kind = names.at("kind")
  if (kind.text !== "" && names.at("listKind").text === kind.text) {
    names.at("listKind").invalid("kind and listKind may not be the same")
  }
  for (const category of names.at("categories").items()) category.check(label)
}

function checkVersions(definition: MapValue, spec: Field, errors: FieldError[]): void {
  const versions = spec.at("versions")
  const names = versionsOf(definition).map(version => textAt(version, "name"))
  for (const [i, version] of versions.items().entries()) {
    if (
      partsOf(definition, "schema").every(
        part => schemaOfPart(part) === undefined || lacks(part.version, versionsOf(definition)[i]),
      )
    ) {
      version.at("schema", "openAPIV3Schema").required()
    }
    version.at("name").check(label)
    checkDeprecation(version)
  }
  const wrong = (detail: string) => versions.invalid(detail, goVersions(definition))
  if (new Set(names).size < names.length) wrong("must contain unique version names")
  const stored = versionsOf(definition).filter(version => version.storage === true)
  if (stored.length !== 1) wrong("must have exactly one version marked as storage version")
  const [first = ""] = names
  if (first !== "") new Field(first, "spec.version", errors).check(label)
}

/** Whether the part belongs to another version. */
function lacks(version: MapValue | undefined, other: MapValue | undefined): boolean {
  return version !== undefined && version !== other
}

function checkDeprecation(version: Field): void {
  const warning = version.at("deprecationWarning")
  if (!warning.isSet) return
  if (version.at("deprecated").value !== true) {
    warning.invalid("can only be set for deprecated versions")
    return
  }
  const bytes = byteLength(warning.text)
  if (bytes > 256) warning.invalid("must be <= 256 characters long")
  if (bytes === 0) warning.invalid("must not be an empty string")
  const wrong = unprintableIn(warning.text)
  if (wrong === null) return
  const index = byteLength(warning.text.slice(0, wrong.index))
  warning.invalid(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`)
}

const columnTypes = ["boolean", "date", "integer", "number", "string"]
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"]

function checkColumn(column: Field): void {
  column.at("name").requireText()
  const type = column.at("type")
  if (type.text === "") type.required(`must be one of ${columnTypes.join()}`)
  else if (!columnTypes.includes(type.text)) type.invalid(`must be one of ${columnTypes.join()}`)
  const format = column.at("format")
  if (format.text !== "" && !columnFormats.includes(format.text))
    format.invalid(`must be one of ${columnFormats.join()}`)
  const path = column.at("JSONPath").holding(column.at("jsonPath").value)
  if (path.text === "") path.required()
  else isSimplePath(path)
}

function isSimplePath(path: Field): boolean {
  const isSimple = path.text.startsWith(".")
  if (!isSimple) path.invalid("must be a simple json path starting with .")
  return isSimple
}

function checkScale(scale: Field): void {
  if (!scale.isSet) return
  for (const part of ["spec", "status"]) {
    const path = scale.at(`${part}ReplicasPath`)
    if (path.text === "") path.required()
    else if (isSimplePath(path) && !path.text.startsWith(`.${part}.`))
      path.invalid(`should be a json path under .${part}`)
  }
  const path = scale.at("labelSelectorPath")
  if (path.text !== "" && isSimplePath(path) && !/^\.(spec|status)\./.test(path.text)) {
    path.invalid("should be a json path under either .spec or .status")
  }
}

const mostSelectable = 8

function checkSelectableFields(definition: MapValue, errors: FieldError[]): void {
  for (const part of partsOf(definition, "selectableFields")) {
    const fields = new Field(part.value, part.path, errors)
    // Go: a schema that all versions share is not in the version.
    if (part.version !== undefined && isShared(definition, "schema")) {
      fields.invalid("may only be set when `version.schema.openAPIV3Schema` is not included", "")
    }
    const schemas = partsOf(definition, "schema").filter(({ version }) => !lacks(version, part.version ?? version))
    const schema = schemas[0] && schemaOfPart(schemas[0])
    if (schema === undefined) continue
    const seen = new Set<string>()
    for (const item of fields.items()) {
      const path = item.at("jsonPath")
      if (path.text === "") {
        path.required()
        continue
      }
      const selected = selectedSchema(path.text, schema)
      if (typeof selected === "string") {
        path.invalid(`is an invalid path: ${selected}`)
        continue
      }
      if (path.text.startsWith(".metadata")) path.invalid("must not point to fields in metadata")
      if (!["string", "boolean", "integer"].includes(textAt(selected, "type"))) {
        path.invalid(
          "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
        )
      }
      path.unique(seen)
    }
    if (seen.size > mostSelectable) {
      errors.push(fieldError("FieldValueTooMany", fields.path, seen.size, `must have at most ${mostSelectable} items`))
    }
  }
}

/** Returns the part of the schema that the path leads to, or why the path is invalid. */
function selectedSchema(path: string, schema: MapValue): MapValue | string {
  let at = schema
  const tokens = path.split(/(?=[.[\]])|(?<=[.[\]])/)
  for (let i = 0; i < tokens.length; i += 2) {
    const token = tokens[i] as string
    if (token === "[") return "array notation is not allowed"
    if (token !== ".") return `expected [ or . but got: ${token}`
    const name = tokens[i + 1]
    if (name === undefined) return "unexpected end of JSON path"
    const next = schemaAt(at, "properties") === undefined ? restOf(at) : propertyOf(at, name)
    if (next === undefined) return "does not refer to a valid field"
    at = next
  }
  return at
}

function checkImmutable(spec: Field, before: Field): void {
  for (const path of [["scope"], ["names", "kind"], ["group"], ["names", "plural"]]) {
    spec.at(...path).immutable(before.at(...path))
  }
}

/** Checks that all versions at which objects may be stored stay. */
function checkStoredVersions(definition: MapValue, old: MapValue | undefined, errors: FieldError[]): void {
  const versions = versionsOf(definition)
  const before = old === undefined ? [] : textsAt(mapAt(old, "status"), "storedVersions")
  const pending = versions.find(version => version.storage === true)
  const isNew = pending !== undefined && !before.includes(textAt(pending, "name"))
  const stored = isNew ? [...before, textAt(pending, "name")] : before
  const field = new Field(goNames(stored), "status.storedVersions", errors)
  if (stored.length === 0) {
    field.invalid("must have at least one stored version")
    return
  }
  for (const version of versions) {
    const name = textAt(version, "name")
    if (version.storage === true && !stored.includes(name)) field.invalid(`must have the storage version ${name}`)
  }
  for (const item of field.items()) {
    const name = item.text
    if (versions.some(version => version.name === name)) continue
    item.invalid(
      `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
    )
  }
}

const approval = "api-approved.kubernetes.io"

/** Checks that a definition in a group of Kubernetes itself names its approval. */
function checkApproval(definition: MapValue, errors: FieldError[]): void {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(textAt(mapAt(definition, "spec"), "group"))) return
  const annotations = mapAt(metadataOf(definition), "annotations")
  const field = new Field(annotations, "metadata.annotations", errors).key(approval)
  const start = `protected groups must have approval annotation ${quoteGo(approval)}`
  const end = "see https://github.com/kubernetes/enhancements/pull/1111"
  if (field.text === "") {
    field.required(`${start}, ${end}`)
    return
  }
  if (field.text.startsWith("unapproved") || /^[A-Za-z][\w+.-]*:\/\/[^/?#]/.test(field.text)) return
  field.invalid(`${start} with either a URL or a reason starting with "unapproved", ${end}`)
}
