// Hides the values of Secrets, and of fields that `--mask` names, in everything that `smd` prints.
//
// `learn` takes all values that are read, and collects the hidden ones. `hide` replaces them in data before it is formatted: by their
// places (places.ts), and wherever a text contains one (secret-texts.ts). `hideText` does the latter for formatted text, as the last step
// of all output.
//
// Equal values get equal marks within a run, so that changes stay visible. Marks are numbered in the order of their creation: anyone could
// guess a short value from a hash.
import { realpathSync } from "node:fs"
import { resolve } from "node:path"
import type { PathElement } from "../../fieldpath/element.js"
import { parsePath } from "../../fieldpath/parse-path.js"
import { type MaskPath, maskBelow } from "../../tools/secrets/mask-path.js"
import { type Form, isSecret, PlaceWalk, type Replacer } from "../../tools/secrets/places.js"
import { textAt } from "../../value/fields.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { addPublicWords, ownWords } from "./public-words.js"
import { SecretTexts } from "./secret-texts.js"

/** The fields that identify objects. */
const nameFields = [".apiVersion", ".kind", ".metadata.name", ".metadata.namespace", ".metadata.uid"].map(parsePath)

export interface SecretsOptions {
  /** Whether all values are shown. */
  readonly show?: boolean
  /** The fields to hide besides those of Secrets. */
  readonly masks?: readonly MaskPath[]
}

/** The hidden values of one run. */
export class Secrets {
  /** Whether nothing is hidden. */
  readonly shows: boolean
  /** Whether masks cover fields that identify objects, such as their names. Otherwise these fields are public. */
  readonly hidesNames: boolean
  /** Whether the output has marks. */
  hasHidden = false
  /** The file that the result is written to; undefined for standard output. */
  target: string | undefined
  private readonly inputs = new Set<string>()
  private readonly masks: readonly MaskPath[]
  /** The spellings of each hidden value, by its identity. */
  private readonly spellings = new Map<string, Set<string>>()
  private readonly marks = new Map<string, string>()
  private hasMetSecret = false
  /** Everything that was learned. */
  private readonly learned: Value[] = []
  /** The values that are learned only when something has to be hidden, which many objects of a stream never require. */
  private pending: Value[] = []
  /** The spellings that may be replaced in any text; undefined if it has to be computed again. */
  private texts: SecretTexts | undefined

  constructor({ show = false, masks = [] }: SecretsOptions = {}) {
    this.shows = show
    this.masks = masks
    this.hidesNames = masks.some(mask => nameFields.some(path => maskBelow(mask, path)?.length === 0))
  }

  /** Notes that a file is read. */
  addInput(file: string): void {
    if (!this.shows) this.inputs.add(realPath(file))
  }

  /** Whether the result replaces a file that was read. Objects in it keep their hidden values, because the file would lose them. */
  get isEdit(): boolean {
    return this.target !== undefined && this.inputs.has(realPath(this.target))
  }

  /** Whether the object has no values to hide: a quick look, for streams. */
  isOpen(object: MapValue): boolean {
    return this.shows || (this.masks.length === 0 && !isSecret(object))
  }

  /** Collects the hidden values in a value that was read: an object, a List, a story, or anything that contains objects. */
  learn(value: Value): void {
    if (!this.shows && !isOpenAPI(value)) this.pending.push(value)
  }

  private learnPending(): void {
    const { pending } = this
    if (pending.length === 0) return
    this.pending = []
    for (const value of pending) this.learnNow(value)
  }

  private learnNow(value: Value): void {
    this.learned.push(value)
    const hadMetSecret = this.hasMetSecret
    const replacer: Replacer = { hidden: (value, form) => this.add(value, form), text: same }
    this.walk(value, replacer)
    // A patch may stand before the Secret that it is for.
    if (this.hasMetSecret !== hadMetSecret && isMap(value) && textAt(value, "kind") === "") this.walk(value, replacer)
  }

  /** Forgets all values and marks, for the next object of a stream, whose record must not depend on the objects before it. */
  forget(): void {
    this.spellings.clear()
    this.marks.clear()
    this.learned.length = 0
    this.pending = []
    this.texts = undefined
    this.hasMetSecret = false
  }

  /** Returns the data with marks in the place of hidden values. Shares what does not change; the data itself if nothing is hidden. */
  hide<T>(data: T): T {
    return this.isIdle() ? data : (this.walk(data as Value, this.marker) as T)
  }

  /** Like `hide`, but makes no marks: hidden values become empty texts. */
  cut(value: Value): Value {
    if (this.isIdle()) return value
    return this.walk(value, { hidden: () => "", text: text => this.index().replace(text, () => "") })
  }

  /**
   * Like `hide`, but only at the places of hidden values, not in texts that contain one. A mark takes the form of the value, so that programs can
   * read a Secret with marks.
   */
  redact(value: Value): Value {
    return this.shows ? value : this.walk(value, this.placeMarker)
  }

  /** Returns the value of a field of `object` with marks in the place of hidden values. */
  hideAt<T extends Value | undefined>(object: Value, path: readonly PathElement[], value: T): T {
    if (this.isIdle() || value === undefined) return value
    return new PlaceWalk(this.masks, this.marker, this.hasMetSecret).replaceAt(object, path, value as Value) as T
  }

  /** Returns the text with marks in the place of hidden values that it contains. */
  hideText(text: string): string {
    this.learnPending()
    if (this.shows || this.spellings.size === 0) return text
    return this.index().replace(text, id => this.markOf(id))
  }

  /**
   * Returns the message about a text that can't be parsed, without its quotes of a text that may be a Secret or have masked fields: nobody
   * knows their places.
   */
  hideQuotes(message: string, text: string): string {
    if (this.shows || (this.masks.length === 0 && !text.includes("Secret"))) return message
    const hidden = message.replace(quotes, " (hidden)")
    if (hidden !== message) this.hasHidden = true
    return hidden
  }

  /** Does the same as the last step before the text is printed, and notes whether it has marks. */
  guard(text: string): string {
    const shown = this.hideText(text)
    if (!this.isIdle() && shown.includes("(hidden")) this.hasHidden = true
    return shown
  }

  private readonly marker: Replacer = {
    hidden: (value, form) => (isMark(value) ? value : this.markOf(this.add(value, form))),
    text: text => this.hideText(text),
  }

  private readonly placeMarker: Replacer = {
    hidden: (value, form) => {
      const id = this.add(value, form)
      if (isMark(id)) return value
      this.hasHidden = true
      const mark = this.markOf(id)
      return form === "base64" ? Buffer.from(mark).toString("base64") : mark
    },
    text: same,
  }

  /** Whether there is nothing to hide. */
  private isIdle(): boolean {
    this.learnPending()
    return this.shows || (this.spellings.size === 0 && this.masks.length === 0)
  }

  private walk(value: Value, replacer: Replacer): Value {
    const walk = new PlaceWalk(this.masks, replacer, this.hasMetSecret)
    const replaced = walk.replace(value)
    this.hasMetSecret = walk.hasMetSecret
    return replaced
  }

  /** Adds a value, and returns its identity: the same for a value and its base64. */
  private add(value: string | number | bigint | boolean, form: Form): string {
    const text = String(value)
    const bytes = (form === "base64" ? decodeBase64(text) : undefined) ?? Buffer.from(text)
    const id = bytes.toString("latin1")
    const known = this.spellings.get(id)
    if (known?.has(text)) return id
    const spellings = known ?? new Set<string>()
    this.spellings.set(id, spellings)
    spellings.add(text)
    spellings.add(bytes.toString("base64"))
    const plain = bytes.toString("utf8")
    if (Buffer.from(plain).equals(bytes)) for (const spelling of spellingsOf(plain)) spellings.add(spelling)
    this.texts = undefined
    return id
  }

  private markOf(id: string): string {
    const mark = this.marks.get(id) ?? `(hidden ${this.marks.size + 1})`
    this.marks.set(id, mark)
    return mark
  }

  private index(): SecretTexts {
    if (this.texts !== undefined) return this.texts
    const words = new Set(ownWords)
    for (const value of this.learned) addPublicWords(this.walk(value, { hidden: () => "", text: same }), words)
    const texts = new SecretTexts()
    for (const [id, spellings] of this.spellings) {
      for (const text of spellings) if (!words.has(text)) texts.add(text, id)
    }
    this.texts = texts
    return texts
  }
}

/** Parts of messages of the YAML reader that quote the text: in backticks, keys and anchors in quotes, and what follows these words. */
const quotes =
  / `[^`]*`|(?<=^|(?:key|anchor)) (?:"(?:[^"\\]|\\.)*"|'[^']*')|(?<=characters:|finite:|sign:|sequence|directive|tag:?) \S.*$/gs

/** Hides nothing. */
export const noSecrets = new Secrets({ show: true })

/** Whether the value is an OpenAPI document: it has no objects, and takes long to walk. */
function isOpenAPI(value: Value): boolean {
  if (!isMap(value) || textAt(value, "kind") !== "") return false
  return textAt(value, "openapi") !== "" || textAt(value, "swagger") !== ""
}

function same(text: string): string {
  return text
}

function isMark(value: unknown): boolean {
  return typeof value === "string" && /^\(hidden \d+\)$/.test(value)
}

/** Returns the absolute path of a file, without links. */
function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return resolve(file)
  }
}

/** Returns the spellings in which texts may contain the value: as it is, escaped once and twice, and each of several lines that is one word. */
function* spellingsOf(plain: string): Generator<string> {
  const lines = plain.includes("\n") ? plain.split("\n").map(line => line.trim()) : []
  for (const text of [plain, ...lines.filter(line => /^\S{16,}$/.test(line))]) {
    const once = escaped(text)
    yield* [text, once, escaped(once)]
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
