// Finds hidden values by their places: in objects, their annotations, patches, and results about single fields.
import type { PathElement } from "../../fieldpath/element.js"
import { parseFieldsV1Key } from "../../fieldpath/fieldsv1/key.js"
import { tryParseJson, writeJson } from "../../json/json.js"
import { mapAt, textAt } from "../../value/fields.js"
import { own, put } from "../../value/object.js"
import { parsePointer } from "../../value/pointer.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { childrenAt, type MaskPath, maskBelow } from "./mask-path.js"

/** The spelling of a value at its place: in base64, as in the data of a Secret, or as it is. */
export type Form = "base64" | "plain"

/** Replaces the parts of a value. */
export interface Replacer {
  /** Returns the replacement of a hidden value. */
  hidden(value: string | number | bigint | boolean, form: Form): Value
  /** Returns the replacement of any other text. */
  text(text: string): string
}

/** The field that a part of a result is about. */
interface Subject {
  /** Whether the object is a Secret; undefined if that is not known. */
  readonly isSecret: boolean | undefined
  /** Undefined if the part is not about a field. */
  readonly path?: readonly PathElement[]
}

/** The annotation in which client-side apply keeps a copy of the configuration. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

/** Annotations in which other tools keep compressed copies. */
const packedCopies: readonly string[] = ["objectset.rio.cattle.io/applied", "banzaicloud.com/last-applied"]

/** The fields of a Secret that have its values. */
const secretFields: ReadonlyMap<string, Form> = new Map([
  ["data", "base64"],
  ["stringData", "plain"],
])

/** The keys under which results about a field have values of the field. */
const valueKeys: ReadonlySet<string> = new Set(["from", "to", "live", "configured", "value"])

/** Whether the object is a Secret, of whatever version. */
export function isSecret(object: MapValue): boolean {
  return textAt(object, "kind") === "Secret" && !textAt(object, "apiVersion").includes("/")
}

/** A walk over values that were read or that are to be printed. */
export class PlaceWalk {
  private readonly masks: readonly MaskPath[]
  private readonly replacer: Replacer
  /** Whether patches that don't name their objects may be for a Secret, because the walk or an earlier one has met one. */
  hasMetSecret: boolean

  constructor(masks: readonly MaskPath[], replacer: Replacer, hasMetSecret: boolean) {
    this.masks = masks
    this.replacer = replacer
    this.hasMetSecret = hasMetSecret
  }

  /** Returns the value with its parts replaced. Shares what does not change. Masks apply to the value itself and to all objects in it. */
  replace(value: Value): Value {
    return this.visit(value, { isSecret: undefined }, true)
  }

  /** Returns the value of a field of this object with its parts replaced. */
  replaceAt(object: Value, path: readonly PathElement[], value: Value): Value {
    const field = this.field(value, { isSecret: isMap(object) && isSecret(object), path })
    return this.visit(field, { isSecret: undefined }, false)
  }

  private visit(value: Value, above: Subject, isRoot: boolean): Value {
    if (typeof value === "string") return this.replacer.text(value)
    if (isList(value)) return mapItems(value, item => this.visit(item, above, isRoot))
    if (!isMap(value)) return value
    const subject = subjectOf(value, above)
    const replaced = this.places(value, subject, isRoot)
    return mapValues(replaced, child => this.visit(child, subject, false))
  }

  /** Replaces the hidden values of a map: of an object, of a patch, or of a result about a field. */
  private places(map: MapValue, subject: Subject, isRoot: boolean): MapValue {
    const kind = textAt(map, "kind")
    let replaced = map
    if (isSecret(map)) replaced = this.secret(map)
    else if (kind === "SecretList") {
      replaced = mapValues(map, (child, key) => {
        return key === "items" && isList(child)
          ? mapItems(child, item => (isMap(item) ? this.secret(item) : item))
          : child
      })
    }
    if (isRoot || (kind !== "" && textAt(map, "apiVersion") !== "")) replaced = this.masked(replaced)
    if (own(map, "patch") !== undefined && this.isPatchOfSecret(map, subject)) {
      replaced = mapValues(replaced, (child, key) => (key === "patch" ? this.patch(child) : child))
    }
    if (subject.path === undefined) return replaced
    return mapValues(replaced, (child, key) => {
      if (valueKeys.has(key)) return this.field(child, subject)
      return key === "ways" ? this.waysOut(child, subject) : child
    })
  }

  /** Whether a result or the step of a story has a patch for a Secret. */
  private isPatchOfSecret(map: MapValue, subject: Subject): boolean {
    if (subject.isSecret !== undefined) return subject.isSecret
    const isNamed = meansSecret(own(map, "object"))
    if (isNamed) this.hasMetSecret = true
    return isNamed ?? this.hasMetSecret
  }

  /** Replaces the values in the ways out of a conflict over a field, which write the values of the field and nothing else. */
  private waysOut(ways: Value, subject: Subject): Value {
    if (!this.isHidden(subject) || !isMap(ways)) return ways
    const text = (value: Value) => (typeof value === "string" && value !== "" ? this.hidden(value, "plain") : value)
    const replaceIn = (value: Value): Value => {
      if (isList(value)) return mapItems(value, replaceIn)
      if (!isMap(value)) return value
      return mapValues(value, (child, key) => {
        if (key === "value") return this.leaves(child, subject.isSecret ? "base64" : "plain")
        return key === "text" ? text(child) : replaceIn(child)
      })
    }
    return replaceIn(ways)
  }

  /** Whether everything in a field is hidden. */
  private isHidden({ isSecret = false, path = [] }: Subject): boolean {
    const [first] = path
    if (isSecret && first?.kind === "field" && secretFields.has(first.name)) return true
    return this.masks.some(mask => maskBelow(mask, path)?.length === 0)
  }

  /** Replaces the hidden values in the value of a field. */
  private field(value: Value, { isSecret = false, path = [] }: Subject): Value {
    const [first, second, third] = path.map(element => (element.kind === "field" ? element.name : undefined))
    if (path.length === 0) return isMap(value) ? this.masked(isSecret ? this.secret(value) : value) : value
    const form = isSecret && first !== undefined ? secretFields.get(first) : undefined
    if (form !== undefined) return this.leaves(value, form)
    let replaced = value
    if (first === "metadata") {
      if (path.length === 1) replaced = this.metadata(value, isSecret)
      else if (second === "annotations" && path.length === 2) replaced = this.annotations(value, isSecret)
      else if (second === "annotations" && third !== undefined) replaced = this.annotation(third, value, isSecret)
    }
    for (const mask of this.masks) {
      const rest = maskBelow(mask, path)
      if (rest !== undefined) replaced = this.below(replaced, rest)
    }
    return replaced
  }

  private secret(object: MapValue): MapValue {
    this.hasMetSecret = true
    return mapValues(object, (child, key) => {
      const form = secretFields.get(key)
      if (form !== undefined) return this.leaves(child, form)
      return key === "metadata" ? this.metadata(child, true) : child
    })
  }

  private masked(object: MapValue): MapValue {
    if (this.masks.length === 0) return object
    const replaced = this.masks.reduce((found: Value, mask) => this.below(found, mask), object)
    return mapValues(replaced as MapValue, (child, key) => (key === "metadata" ? this.metadata(child, false) : child))
  }

  private metadata(metadata: Value, isSecret: boolean): Value {
    if (!isMap(metadata)) return metadata
    return mapValues(metadata, (child, key) => (key === "annotations" ? this.annotations(child, isSecret) : child))
  }

  private annotations(annotations: Value, isSecret: boolean): Value {
    if (!isMap(annotations)) return annotations
    return mapValues(annotations, (text, name) => this.annotation(name, text, isSecret))
  }

  /** Replaces the hidden values in the copy of an object. Several tools keep copies, so any annotation of a Secret may be one. */
  private annotation(name: string, text: Value, isSecret: boolean): Value {
    if (typeof text !== "string" || !(isSecret || name === lastApplied)) return text
    if (isSecret && packedCopies.includes(name)) return this.hidden(text, "plain")
    const copy = objectIn(text)
    if (copy === undefined) return text
    const replaced = this.masked(isSecret ? this.secret(copy) : copy)
    return replaced === copy ? text : `${writeJson(replaced)}${text.endsWith("\n") ? "\n" : ""}`
  }

  /** Replaces the values in a merge patch or a JSON patch of a Secret. */
  private patch(patch: Value): Value {
    if (isMap(patch)) return this.secret(patch)
    if (!isList(patch)) return patch
    return mapItems(patch, operation => {
      if (!isMap(operation)) return operation
      const path = textAt(operation, "path")
      const form = secretFields.get(path.startsWith("/") ? (parsePointer(path)[0] ?? "") : "")
      return mapValues(operation, (child, key) => {
        if (key !== "value") return child
        return form === undefined ? this.patch(child) : this.leaves(child, form)
      })
    })
  }

  /** Replaces what a mask covers in the value. */
  private below(value: Value, mask: MaskPath): Value {
    const [step, ...rest] = mask
    if (step === undefined) return this.leaves(value, "plain")
    const children = new Map(childrenAt(value, step))
    if (isList(value)) return mapItems(value, (item, i) => (children.has(i) ? this.below(item, rest) : item))
    if (!isMap(value)) return value
    return mapValues(value, (child, key) => (children.has(key) ? this.below(child, rest) : child))
  }

  /** Replaces each scalar. Null stays: it has no content to hide. */
  private leaves(value: Value, form: Form): Value {
    if (value === null) return value
    if (isList(value)) return mapItems(value, item => this.leaves(item, form))
    if (isMap(value)) return mapValues(value, child => this.leaves(child, form))
    return this.hidden(value, form)
  }

  private hidden(value: string | number | bigint | boolean, form: Form): Value {
    return this.replacer.hidden(value, form)
  }
}

/** Returns what the parts of a map are about: results name the object in `target`, and fields in `steps`. */
function subjectOf(map: MapValue, above: Subject): Subject {
  const isOfSecret = own(map, "target") === undefined ? above.isSecret : isSecret(mapAt(map, "target"))
  const steps = own(map, "steps")
  if (!isList(steps) || typeof own(map, "path") !== "string") return { isSecret: isOfSecret }
  const path = steps.flatMap(step => (typeof step === "string" ? (parseFieldsV1Key(step) ?? []) : []))
  return { isSecret: isOfSecret, path }
}

/** Returns the object that a text contains as JSON; undefined if it contains none. */
function objectIn(text: string): MapValue | undefined {
  const value = /^\s*\{/.test(text) ? tryParseJson(text) : undefined
  return isMap(value) ? value : undefined
}

/** Whether a story's reference to an object means a Secret; undefined if it does not say. */
function meansSecret(reference: Value | undefined): boolean | undefined {
  if (typeof reference === "string") return /^secret\b/i.test(reference)
  if (reference === undefined || !isMap(reference)) return undefined
  const kind = textAt(reference, "kind")
  return kind === "" ? undefined : kind === "Secret"
}

/** Returns the list with each item replaced; the list itself if no item changes. */
function mapItems(list: readonly Value[], replace: (item: Value, index: number) => Value): readonly Value[] {
  let changed: Value[] | undefined
  list.forEach((item, i) => {
    const replaced = replace(item, i)
    if (replaced !== item) (changed ??= [...list])[i] = replaced
  })
  return changed ?? list
}

/** Returns the map with each value replaced; the map itself if no value changes. */
function mapValues(map: MapValue, replace: (value: Value, key: string) => Value): MapValue {
  let changed: Record<string, Value> | undefined
  for (const [key, value] of Object.entries(map)) {
    const replaced = replace(value, key)
    if (replaced !== value) put((changed ??= { ...map }), key, replaced)
  }
  return changed ?? map
}
