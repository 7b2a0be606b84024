// Checks the metadata of objects: names by kind, labels, annotations, owners, finalizers and managers.
//
// A server checks metadata more than once: in its storage, and in the strategy of each kind. Therefore an update reports most problems several
// times, each as a cause of its own. Problems by declarative validation of built-in kinds are reported once.
import { readManagedFields } from "../../managedfields/entries/entry.js"
import { own } from "../../value/object.js"
import { quoteGo } from "../../value/quote.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import type { FieldError } from "../refusal/field-error.js"
import type { Problem } from "../refusal/failure.js"
import { listAt } from "../../value/fields.js"
import { metadataOf } from "../../schema/metadata.js"
import { managerProblems } from "../refusal/manager-name.js"
import { Field, type TextCheck } from "./field.js"
import { checkAnnotations, checkLabels } from "./labels.js"
import { dnsLabel, dnsSubdomain, labelKey, pathSegment } from "./names.js"

/** The parts of a resource that decide how metadata is checked. */
interface Rules {
  /** Absent for built-in kinds. */
  readonly custom?: object
  readonly builtIn?: { readonly checkName?: TextCheck; readonly anyFinalizer?: boolean }
}

/** Returns the problems of the metadata of an object that replaces `live`, which is undefined for a new object. */
export function metadataProblems(object: MapValue, live: MapValue | undefined, { custom, builtIn }: Rules): Problem[] {
  const isCustom = custom !== undefined
  const declared = [...problemsIn(object, checkOwnersDeclared), ...managersProblems(object)]
  const once = isCustom ? [] : declared
  const each = isCustom ? declared : []
  const finalizers = problemsIn(object, checkFinalizers)
  const ofKind = isCustom || builtIn?.anyFinalizer === true ? [] : problemsIn(object, checkKindFinalizers)
  const values = [...problemsIn(object, checkValues), ...each]
  if (live === undefined) {
    const names = problemsIn(object, metadata => checkNames(metadata, builtIn?.checkName ?? dnsSubdomain))
    return [...names, ...values, ...finalizers, ...ofKind, ...once]
  }
  const before = metadataOf(live)
  const uid = problemsIn(object, metadata => checkFixed(metadata, before))
  const fixed = problemsIn(object, metadata => checkNewFinalizers(metadata, before))
  const changed = [...fixed, ...(isCustom ? uid : []), ...values]
  const present = [...problemsIn(object, checkName), ...values, ...finalizers]
  return isCustom
    ? [...changed, ...changed, ...present]
    : [...present, ...changed, ...changed, ...ofKind, ...uid, ...once]
}

function problemsIn(object: MapValue, check: (metadata: Field) => void): FieldError[] {
  const errors: FieldError[] = []
  check(new Field(metadataOf(object), "metadata", errors))
  return errors
}

function checkNames(metadata: Field, check: TextCheck): void {
  const prefix = metadata.at("generateName")
  if (prefix.text !== "") for (const message of check(asName(prefix.text, check))) prefix.invalid(message)
  checkName(metadata)
  const name = metadata.at("name")
  name.checkIfGiven(check)
  metadata.at("generation").notNegative()
}

/** Returns the name as which a prefix is checked, since a suffix follows it. Go: ignores the character in front of a final hyphen. */
function asName(prefix: string, check: TextCheck): string {
  const isDns = check === dnsLabel || check === dnsSubdomain
  if (!isDns) return check === pathSegment ? `${prefix}-` : prefix
  return prefix.length > 1 && prefix.endsWith("-") ? `${prefix.slice(0, -2)}a` : prefix
}

function checkName(metadata: Field): void {
  const name = metadata.at("name")
  name.requireText("name or generateName is required")
}

function checkValues(metadata: Field): void {
  checkLabels(metadata.at("labels"))
  checkAnnotations(metadata.at("annotations"))
  checkOwners(metadata.at("ownerReferences"))
}

/** Checks the required fields of owners. */
function checkOwnersDeclared(metadata: Field): void {
  for (const owner of metadata.at("ownerReferences").items()) {
    for (const key of ["apiVersion", "kind", "name", "uid"]) {
      owner.at(key).requireText("must not be empty")
    }
  }
}

function checkOwners(owners: Field): void {
  let controller: string | undefined
  for (const owner of owners.items()) {
    const [version, kind] = [owner.at("apiVersion"), owner.at("kind").text]
    if (!/^([^/]*\/)?[^/]*$/.test(version.text) || version.text.endsWith("/")) {
      version.invalid("must be <group>/<version> or <version>")
    }
    if (version.text === "v1" && kind === "Event") {
      owner.invalid("/v1, Kind=Event is disallowed from being an owner", ownerStruct(owner))
    }
    if (owner.at("controller").value !== true) continue
    const name = `${kind}/${owner.at("name").text}`
    if (controller === undefined) controller = name
    else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`
      owners.invalid(detail, owners.items().map(ownerStruct))
    }
  }
}

/** Returns an owner with its fields in the order of the Go struct. */
function ownerStruct(owner: Field): Value {
  const out: Record<string, Value> = {}
  for (const key of ["apiVersion", "kind", "name", "uid"]) out[key] = owner.at(key).text
  for (const key of ["controller", "blockOwnerDeletion"]) {
    const { value } = owner.at(key)
    if (value !== undefined && value !== null) out[key] = value
  }
  return out
}

const orphan = "orphan"
const foreground = "foregroundDeletion"

function checkFinalizers(metadata: Field): void {
  const finalizers = metadata.at("finalizers")
  const names = finalizers.items().map(({ text }) => text)
  for (const name of names) finalizers.holding(name).check(labelKey)
  if (names.includes(orphan) && names.includes(foreground)) {
    finalizers.invalid(`finalizer ${orphan} and ${foreground} cannot be both set`)
  }
}

function checkKindFinalizers(metadata: Field): void {
  metadata.at("finalizers").items().forEach(checkFinalizerName)
}

/** Checks that the name of a finalizer is qualified, unless Kubernetes defines it. */
export function checkFinalizerName(name: Field): void {
  if (name.text.includes("/") || ["kubernetes", orphan, foreground].includes(name.text)) return
  name.invalid("name is neither a standard finalizer name nor is it fully qualified")
}

function managersProblems(object: MapValue): Problem[] {
  return (readManagedFields(object) ?? []).flatMap(({ manager = "" }, index) =>
    managerProblems(manager, `metadata.managedFields[${index}].manager`),
  )
}

/** Checks that an object that is being deleted gets no new finalizers. */
function checkNewFinalizers(metadata: Field, before: MapValue): void {
  if (own(before, "deletionTimestamp") === undefined) return
  const known = listAt(before, "finalizers")
  const added = (isMap(metadata.value) ? listAt(metadata.value, "finalizers") : []).filter(
    finalizer => !known.includes(finalizer),
  )
  if (added.length === 0) return
  const listed = added.map(finalizer => quoteGo(String(finalizer))).join(", ")
  const why = "no new finalizers can be added if the object is being deleted, found new finalizers"
  metadata.at("finalizers").forbidden(`${why} []string{${listed}}`)
}

/** Checks the fields that only a server writes. An update without them keeps them. */
function checkFixed(metadata: Field, before: MapValue): void {
  for (const key of ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"]) {
    metadata.at(key).immutable(metadata.at(key).holding(own(before, key)))
  }
}
