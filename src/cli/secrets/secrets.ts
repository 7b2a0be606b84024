// Hides the values of Secrets, and of fields that `--mask` names, in everything that `smd` prints.
//
// `learn` takes all values that are read, and collects the hidden ones. `hide` replaces them in data before it is formatted: by their
// place in objects, changes and conflicts, and wherever a text equals or contains one. `hideText` does the latter for formatted text, as
// the last step of all output.
//
// Equal values get equal marks within a run, so that changes stay visible. Marks are numbered in the order in which they are printed: a
// hash would let others try values.
import { realpathSync } from "node:fs"
import { resolve } from "node:path"
import type { PathElement } from "../../fieldpath/element.js"
import { parseFieldsV1Key } from "../../fieldpath/fieldsv1/key.js"
import { parseJson, writeJson } from "../../json/json.js"
import { textAt } from "../../value/fields.js"
import { own, put } from "../../value/object.js"
import { parsePointer } from "../../value/pointer.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { childrenAt, type MaskPath, maskBelow } from "./mask-path.js"
import { leastLength, SecretTexts } from "./secret-texts.js"

export interface SecretsOptions {
  /** Whether all values are shown. */
  readonly show?: boolean
  /** The fields to hide besides those of Secrets. */
  readonly masks?: readonly MaskPath[]
}

/** The spelling of a hidden value at its place: in base64, as in the data of a Secret, or as it is. */
type Form = "base64" | "plain"

/** The annotation in which client-side apply keeps a copy of the configuration. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

/** Annotations in which other tools keep a compressed copy. */
const packedCopies: readonly string[] = ["objectset.rio.cattle.io/applied", "banzaicloud.com/last-applied"]

/** The fields of a Secret that hold its values, with their spelling. */
const secretFields: Readonly<Record<string, Form>> = { data: "base64", stringData: "plain" }

/** The keys under which results about a field have values of that field. */
const valueKeys: ReadonlySet<string> = new Set([
  "from",
  "to",
  "live",
  "configured",
  "value",
  "next",
  "expected",
  "found",
])

/** The field that a part of a result is about. */
interface Subject {
  /** Whether the object is a Secret; undefined if that is not known. */
  readonly isSecret: boolean | undefined
  /** Undefined if it is not about a field. */
  readonly path?: readonly PathElement[] | undefined
}

const anything: Subject = { isSecret: undefined }

/** The hidden values of one run. */
export class Secrets {
  /** Whether nothing is hidden. */
  readonly shows: boolean
  /** Whether a mark was made: the output lacks a value. */
  hasHidden = false
  /** The file that the result is written to; undefined for standard output. */
  target: string | undefined
  private readonly inputs = new Set<string>()
  private readonly masks: readonly MaskPath[]
  /** The spellings of each value. */
  private readonly spellings = new Map<string, Set<string>>()
  private readonly marks = new Map<string, string>()
  /** Whether a Secret was learned. */
  private knowsSecrets = false
  /** Everything that was learned, for the words in it that are public. */
  private readonly roots: Value[] = []
  private texts: SecretTexts | undefined
  /** Whether hidden values are replaced by empty texts, for a look at everything else. */
  private isSearching = false

  constructor({ show = false, masks = [] }: SecretsOptions = {}) {
    this.shows = show
    this.masks = masks
  }

  /** Notes that a file is read. */
  addInput(file: string): void {
    this.inputs.add(realPath(file))
  }

  /**
   * Whether the result replaces a file that was read. Objects in such a result keep their hidden values, because the file would lose
   * them.
   */
  get isEdit(): boolean {
    return this.target !== undefined && this.inputs.has(realPath(this.target))
  }

  /** Whether nothing is hidden in this object or in what it says about others: a quick look, for streams. */
  isOpen(object: MapValue): boolean {
    if (this.shows) return true
    return this.masks.length === 0 && textAt(object, "kind") !== "Secret"
  }

  /** Collects the hidden values in a value that was read: an object, a List, a story, or anything that contains objects. */
  learn(value: Value): void {
    if (this.shows) return
    this.roots.push(value)
    const patches: Value[] = []
    this.visit(value, true, false, patches)
    if (this.knowsSecrets) for (const patch of patches) this.learnPatch(patch)
  }

  /** Forgets all values and marks, for the next object of a stream, whose record must not depend on the objects before it. */
  forget(): void {
    this.spellings.clear()
    this.marks.clear()
    this.roots.length = 0
    this.texts = undefined
  }

  /** Returns the data with marks in the place of hidden values. Shares what does not change; the data itself if nothing is hidden. */
  hide<T>(data: T): T {
    if (this.shows || (this.spellings.size === 0 && this.masks.length === 0)) return data
    return this.hideIn(data as Value, anything, true) as T
  }

  /** Like `hide`, with empty texts in the place of hidden values: makes no marks. */
  cut(value: Value): Value {
    this.index()
    this.isSearching = true
    const cut = this.hide(value)
    this.isSearching = false
    return cut
  }

  /** Returns the value of a field of `object` with marks in the place of hidden values. */
  hideAt<T extends Value | undefined>(object: Value, path: readonly PathElement[], value: T): T {
    if (this.shows || value === undefined) return value
    const isSecret = isMap(object) && this.isSecret(object)
    return this.hideIn(this.hideField(value as Value, { isSecret, path }), anything, false) as T
  }

  /** Returns the text with marks in the place of hidden values that it contains. */
  hideText(text: string): string {
    if (this.shows || this.spellings.size === 0) return text
    return this.index().replace(text, id => this.markOf(id))
  }

  // Learning.

  /** Adds to `patches` those that may be for a Secret. */
  private visit(value: Value, isRoot: boolean, isItemOfSecrets: boolean, patches: Value[]): void {
    if (isList(value)) {
      for (const item of value) this.visit(item, isRoot, isItemOfSecrets, patches)
      return
    }
    if (!isMap(value)) return
    const kind = textAt(value, "kind")
    const isSecret = isItemOfSecrets || this.isSecret(value)
    if (isSecret) {
      this.knowsSecrets = true
      this.learnSecret(value)
    }
    if (isRoot || (kind !== "" && textAt(value, "apiVersion") !== "")) this.learnMasked(value)
    const patch = own(value, "patch")
    const object = own(value, "object")
    const isMeant = meansSecret(object)
    if (patch !== undefined && isMeant !== false) patches.push(patch)
    if (isMeant) this.knowsSecrets = true
    for (const [key, child] of Object.entries(value)) {
      if (isSecret && Object.hasOwn(secretFields, key)) continue
      this.visit(child, false, kind === "SecretList" && key === "items", patches)
    }
  }

  /** Whether the object is a Secret, of whatever version. */
  private isSecret(object: MapValue): boolean {
    return textAt(object, "kind") === "Secret" && !textAt(object, "apiVersion").includes("/")
  }

  private learnSecret(object: MapValue): void {
    for (const [field, form] of Object.entries(secretFields)) this.learnLeaves(own(object, field), form)
    for (const [name, text] of annotationsOf(object)) {
      if (packedCopies.includes(name)) this.add(text, "plain")
      const copy = copyIn(text)
      if (copy !== undefined) this.learnSecret(copy)
    }
  }

  private learnMasked(object: MapValue): void {
    if (this.masks.length === 0) return
    for (const mask of this.masks) this.learnBelow(object, mask)
    const copy = copyIn(annotationsOf(object).find(([name]) => name === lastApplied)?.[1])
    if (copy !== undefined) for (const mask of this.masks) this.learnBelow(copy, mask)
  }

  private learnBelow(value: Value, mask: MaskPath): void {
    const [step, ...rest] = mask
    if (step === undefined) this.learnLeaves(value, "plain")
    else for (const [, child] of childrenAt(value, step)) this.learnBelow(child, rest)
  }

  /** Learns the values of a merge patch or a JSON patch of a Secret. */
  private learnPatch(patch: Value): void {
    if (isMap(patch)) this.learnSecret(patch)
    if (!isList(patch)) return
    for (const operation of patch) {
      if (!isMap(operation)) continue
      const form = secretFields[parsePointerText(textAt(operation, "path"))[0] ?? ""]
      if (form !== undefined) this.learnLeaves(own(operation, "value"), form)
      else if (isMap(own(operation, "value") ?? null)) this.learnPatch(own(operation, "value") as Value)
    }
  }

  private learnLeaves(value: Value | undefined, form: Form): void {
    if (value === undefined || value === null) return
    if (isList(value)) for (const item of value) this.learnLeaves(item, form)
    else if (isMap(value)) for (const item of Object.values(value)) this.learnLeaves(item as Value, form)
    else this.add(value, form)
  }

  /** Adds a value, and returns its identity: the same for a value and its base64. */
  private add(value: Exclude<Value, MapValue | readonly Value[]>, form: Form): string {
    const text = String(value)
    const decoded = form === "base64" && typeof value === "string" ? decodeBase64(text) : undefined
    const bytes = decoded ?? Buffer.from(text)
    const id = bytes.toString("latin1")
    const known = this.spellings.get(id)
    if (known?.has(text)) return id
    const spellings = known ?? new Set<string>()
    this.spellings.set(id, spellings)
    spellings.add(text)
    spellings.add(bytes.toString("base64"))
    const plain = bytes.toString("utf8")
    if (Buffer.from(plain).equals(bytes)) {
      for (const spelling of spellingsOf(plain)) spellings.add(spelling)
    }
    this.texts = undefined
    return id
  }

  // Hiding.

  private markOf(id: string): string {
    if (this.isSearching) return ""
    this.hasHidden = true
    const known = this.marks.get(id)
    if (known !== undefined) return known
    const mark = `(hidden ${this.marks.size + 1})`
    this.marks.set(id, mark)
    return mark
  }

  private index(): SecretTexts {
    if (this.texts !== undefined) return this.texts
    const texts = new SecretTexts()
    const words = this.publicWords()
    for (const [id, spellings] of this.spellings) {
      for (const text of spellings) if (!words.has(text)) texts.add(text, id)
    }
    this.texts = texts
    return texts
  }

  /**
   * The words that texts contain for other reasons, although they are also hidden values: names of fields, kinds, objects and managers,
   * and words of our own. Such values are hidden only at their places.
   */
  private publicWords(): ReadonlySet<string> {
    const words = new Set(ownWords)
    const visit = (value: Value): void => {
      if (isList(value)) for (const item of value) visit(item)
      if (!isMap(value)) return
      for (const [key, child] of Object.entries(value)) {
        words.add(key)
        if (typeof child === "string" && publicKeys.has(key) && child.length < mostOfWord) words.add(child)
        else visit(child)
      }
    }
    this.isSearching = true
    for (const root of this.roots) visit(this.hideIn(root, anything, true))
    this.isSearching = false
    return words
  }

  private hideIn(value: Value, subject: Subject, isRoot: boolean): Value {
    if (typeof value === "string") return this.texts === undefined && this.isSearching ? value : this.hideText(value)
    if (isList(value)) {
      let changed: Value[] | undefined
      value.forEach((item, i) => {
        const hidden = this.hideIn(item, subject, isRoot)
        if (hidden !== item) (changed ??= [...value])[i] = hidden
      })
      return changed ?? value
    }
    if (!isMap(value)) return value
    const about = this.subjectOf(value, subject)
    const hidden = this.hidePlaces(value, about, isRoot)
    return mapValues(hidden, child => this.hideIn(child, about, false))
  }

  /** Returns the map with its own hidden values replaced: those of an object, a patch, or a change of a field. */
  private hidePlaces(map: MapValue, subject: Subject, isRoot: boolean): MapValue {
    let hidden = map
    if (this.isSecret(map)) hidden = this.hideSecret(hidden)
    if (textAt(map, "kind") === "SecretList") {
      const items = own(map, "items")
      if (isList(items)) {
        hidden = { ...hidden, items: items.map(item => (isMap(item) ? this.hideSecret(item) : item)) }
      }
    }
    if (isRoot || (textAt(map, "kind") !== "" && textAt(map, "apiVersion") !== "")) hidden = this.hideMasked(hidden)
    const patch = own(map, "patch")
    if (patch !== undefined && (subject.isSecret ?? this.isPatchOfSecret(map))) {
      hidden = { ...hidden, patch: this.hidePatch(patch) }
    }
    if (subject.path === undefined) return hidden
    return mapValues(hidden, (child, key) => (valueKeys.has(key) ? this.hideField(child, subject) : child))
  }

  /** Whether the step of a story patches a Secret. If the reference does not say so, any Secret will do. */
  private isPatchOfSecret(step: MapValue): boolean {
    return meansSecret(own(step, "object")) ?? this.knowsSecrets
  }

  /** Returns what the parts of the map are about: results name the object in `target`, and fields in `steps`. */
  private subjectOf(map: MapValue, above: Subject): Subject {
    const target = own(map, "target")
    const isSecret = target !== undefined && isMap(target) ? this.isSecret(target) : above.isSecret
    const steps = own(map, "steps")
    const isPlace = isList(steps) && typeof own(map, "path") === "string"
    if (!isPlace) return isSecret === above.isSecret && above.path === undefined ? above : { isSecret }
    return { isSecret, path: steps.flatMap(step => (typeof step === "string" ? (parseFieldsV1Key(step) ?? []) : [])) }
  }

  /** Returns the value of a field with marks in the place of hidden values. */
  private hideField(value: Value, { isSecret = false, path = [] }: Subject): Value {
    let hidden = value
    const [first, second, third] = path
    if (isSecret) {
      if (first === undefined) return isMap(value) ? this.hideMasked(this.hideSecret(value)) : value
      const form = first.kind === "field" ? secretFields[first.name] : undefined
      if (form !== undefined) return this.hideLeaves(value, form)
    }
    if (first?.kind === "field" && first.name === "metadata") {
      if (second === undefined) hidden = this.hideAnnotations(value, isSecret)
      else if (second.kind === "field" && second.name === "annotations") {
        if (third?.kind === "field") hidden = this.hideAnnotation(third.name, value, isSecret)
        else if (isMap(value)) hidden = mapValues(value, (text, name) => this.hideAnnotation(name, text, isSecret))
      }
    }
    for (const mask of this.masks) {
      const rest = maskBelow(mask, path)
      if (rest !== undefined) hidden = this.hideBelow(hidden, rest)
    }
    return hidden
  }

  private hideSecret(object: MapValue): MapValue {
    return mapValues(object, (child, key) => {
      const form = Object.hasOwn(secretFields, key) ? secretFields[key] : undefined
      if (form !== undefined) return this.hideLeaves(child, form)
      return key === "metadata" ? this.hideAnnotations(child, true) : child
    })
  }

  private hideMasked(object: MapValue): MapValue {
    if (this.masks.length === 0) return object
    const hidden = this.masks.reduce((found, mask) => this.hideBelow(found, mask), object as Value)
    if (!isMap(hidden)) return object
    return mapValues(hidden, (child, key) => (key === "metadata" ? this.hideAnnotations(child, false) : child))
  }

  private hideAnnotations(metadata: Value, isSecret: boolean): Value {
    if (!isMap(metadata)) return metadata
    return mapValues(metadata, (child, key) => {
      if (key !== "annotations" || !isMap(child)) return child
      return mapValues(child, (text, name) => this.hideAnnotation(name, text, isSecret))
    })
  }

  private hideAnnotation(name: string, text: Value, isSecret: boolean): Value {
    if (typeof text !== "string" || !(isSecret || name === lastApplied)) return text
    if (isSecret && packedCopies.includes(name)) return this.markOf(this.add(text, "plain"))
    const copy = copyIn(text)
    if (copy === undefined) return text
    const hidden = this.hideMasked(isSecret ? this.hideSecret(copy) : copy)
    return hidden === copy ? text : `${writeJson(hidden)}${text.endsWith("\n") ? "\n" : ""}`
  }

  private hidePatch(patch: Value): Value {
    if (isMap(patch)) return this.hideSecret(patch)
    if (!isList(patch)) return patch
    return patch.map(operation => {
      if (!isMap(operation)) return operation
      const form = secretFields[parsePointerText(textAt(operation, "path"))[0] ?? ""]
      return mapValues(operation, (child, key) => {
        if (key !== "value") return child
        return form === undefined ? this.hidePatch(child) : this.hideLeaves(child, form)
      })
    })
  }

  private hideBelow(value: Value, mask: MaskPath): Value {
    const [step, ...rest] = mask
    if (step === undefined) return this.hideLeaves(value, "plain")
    const children = childrenAt(value, step)
    if (children.length === 0) return value
    const hidden = children.map(([key, child]) => [key, this.hideBelow(child, rest)] as const)
    if (isList(value)) {
      const items = [...value]
      for (const [i, child] of hidden) items[i as number] = child
      return items
    }
    const copy: Record<string, Value> = { ...(value as MapValue) }
    for (const [key, child] of hidden) put(copy, key as string, child)
    return copy
  }

  /** Returns the value with a mark in the place of each scalar. Null stays: it says that there is no value. */
  private hideLeaves(value: Value, form: Form): Value {
    if (value === null || (typeof value === "string" && this.isMark(value))) return value
    if (isList(value)) return value.map(item => this.hideLeaves(item, form))
    if (isMap(value)) return mapValues(value, child => this.hideLeaves(child, form))
    return this.markOf(this.add(value as string, form))
  }

  private isMark(text: string): boolean {
    return /^\(hidden \d+\)$/.test(text)
  }
}

/** Returns the absolute path of a file, without links. */
function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return resolve(file)
  }
}

/** Words of results and reports. */
const ownWords: readonly string[] = (
  "name data kind type spec metadata string error warning info create created change changed unchanged conflict refused remove removed stay " +
  "deleted configured defaulted atomic order kept union safe unsure impossible Apply Update apply update plan blame explanation lint none " +
  "null true false default hidden (nobody) owner owners manager managers live path steps message text json yaml github Opaque Secret"
).split(" ")

/** The keys of values that identify objects and managers. */
const publicKeys: ReadonlySet<string> = new Set([
  "apiVersion",
  "kind",
  "name",
  "namespace",
  "manager",
  "operation",
  "type",
])

const mostOfWord = 64

/** Returns the spellings in which texts may contain the value: as it is, escaped once and twice, and each long line of several. */
function* spellingsOf(plain: string): Generator<string> {
  for (const text of [plain, ...(plain.includes("\n") ? plain.split("\n").map(line => line.trim()) : [])]) {
    if (text !== plain && text.length < 2 * leastLength) continue
    yield text
    const once = escaped(text)
    yield once
    yield escaped(once)
    yield Buffer.from(text).toString("base64")
  }
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Returns the bytes of a text in base64; undefined for any other text. */
function decodeBase64(text: string): Buffer | undefined {
  const packed = text.replace(/\s/g, "")
  const isBase64 = packed.length % 4 === 0 && /^[A-Za-z\d+/]*={0,2}$/.test(packed)
  return isBase64 ? Buffer.from(packed, "base64") : undefined
}

function annotationsOf(object: MapValue): [name: string, text: string][] {
  const metadata = own(object, "metadata")
  const annotations = metadata !== undefined && isMap(metadata) ? own(metadata, "annotations") : undefined
  if (annotations === undefined || !isMap(annotations)) return []
  return Object.entries(annotations).flatMap(([name, text]) => (typeof text === "string" ? [[name, text]] : []))
}

/** Returns the object that a text contains as JSON; undefined if it contains none. */
function copyIn(text: string | undefined): MapValue | undefined {
  if (text === undefined || !/^\s*\{/.test(text)) return undefined
  try {
    const value = parseJson(text)
    return isMap(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether a story's reference to an object means a Secret; undefined if it does not say. */
function meansSecret(reference: Value | undefined): boolean | undefined {
  if (typeof reference === "string") return /^secret\b/i.test(reference)
  if (reference === undefined || !isMap(reference)) return undefined
  const kind = textAt(reference, "kind")
  return kind === "" ? undefined : kind === "Secret"
}

function parsePointerText(text: string): readonly string[] {
  return text.startsWith("/") ? parsePointer(text) : []
}

/** Returns the map with each value replaced; the map itself if no value changes. */
function mapValues(map: MapValue, replace: (value: Value, key: string) => Value): MapValue {
  let changed: Record<string, Value> | undefined
  for (const [key, value] of Object.entries(map)) {
    const replaced = replace(value, key)
    if (replaced === value) continue
    changed ??= { ...map }
    put(changed, key, replaced)
  }
  return changed ?? map
}
