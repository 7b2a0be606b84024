// The user's texts: where the fields of a configuration are written, and edits of them.

import { parseYamlWithPositions, type YamlDocument } from "../io/yaml.js"
import { applyTextEdits, type TextEdit } from "../io/yaml-edit.js"
import type { TextRange } from "../io/yaml-place.js"
import { type Steps, type ValueChange, valueAtSteps } from "../value/change.js"
import { equalValues } from "../value/equal.js"
import { own } from "../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"
import { nameOf } from "./object-name.js"

/** A text that configurations are written in: one or several documents of YAML or JSON, and Lists. */
export interface SourceText {
  /** The whole text. */
  readonly text: string
  /** The name of its file, for messages. */
  readonly file?: string | undefined
}

/** Where a field or an item is written. */
export interface SourcePlace {
  /** The name of the file; absent where the text has none. */
  readonly file?: string
  /** The line of the key, or of the item, from 1. */
  readonly line: number
  /** The column of the key, or of the item, from 1, in UTF-16 units. */
  readonly column: number
  /** The key of a field; absent for an item. */
  readonly key?: TextRange
  /** The value of the field, or the item. */
  readonly value: TextRange
}

/** Edits of one text. */
export interface SourceEdits {
  /** The name of the file; absent where the text has none. */
  readonly file?: string
  /** What to change, in the order of the text. `applyTextEdits` does it. Absent where it can't be done by edits. */
  readonly edits?: readonly TextEdit[]
  /** Why the text can't be edited. */
  readonly impossible?: string
}

/** The object of a configuration in a text. */
export class SourceObject {
  private readonly source: SourceText
  private readonly document: YamlDocument
  private readonly prefix: Steps
  /** What the text has. */
  readonly value: MapValue

  constructor(source: SourceText, document: YamlDocument, prefix: Steps, value: MapValue) {
    this.source = source
    this.document = document
    this.prefix = prefix
    this.value = value
  }

  /** Where it is written; undefined where it is not. */
  placeOf(steps: Steps): SourcePlace | undefined {
    const place = this.document.placeOf([...this.prefix, ...steps])
    if (place === undefined) return undefined
    const { key, value } = place
    const { line, column } = (key ?? value).start
    return { ...this.file(), line, column, ...(key !== undefined && { key }), value }
  }

  /** The edits that make these changes to `config`, which the text is to agree with where it is changed. */
  editsFor(config: MapValue, changes: readonly ValueChange[]): SourceEdits {
    return this.editsForEach(config, [changes])[0] as SourceEdits
  }

  /** The same for each of several changes by itself. */
  editsForEach(config: MapValue, all: readonly (readonly ValueChange[])[]): SourceEdits[] {
    const meant = all.map(changes => changes.every(({ steps }) => this.agrees(config, steps)))
    const found = this.document.editsForEach(
      all
        .filter((_, i) => meant[i])
        .map(changes => changes.map(({ steps, value }) => ({ steps: [...this.prefix, ...steps], value }))),
    )
    const edits = found.values()
    return meant.map(isMeant => ({
      ...this.file(),
      ...(isMeant ? edits.next().value : { impossible: "the text says something else than the configuration" }),
    }))
  }

  private agrees(config: MapValue, steps: Steps): boolean {
    const [written, configured] = [valueAtSteps(this.value, steps), valueAtSteps(config, steps)]
    return written !== undefined && configured !== undefined && equalValues(written, configured)
  }

  /** The text with these edits made. */
  edited(edits: readonly TextEdit[]): string {
    return applyTextEdits(this.source.text, edits)
  }

  private file(): { readonly file?: string } {
    return this.source.file === undefined ? {} : { file: this.source.file }
  }
}

/**
 * The object in the texts with the apiVersion, kind, namespace and name of `config`; the one that is equal to it, where there are
 * several. Throws a ParseError for a text that is not YAML.
 */
export function findInSource(
  source: SourceText | readonly SourceText[] | undefined,
  config: MapValue,
): SourceObject | undefined {
  const texts = source === undefined ? [] : "text" in source ? [source] : source
  const { name } = nameOf(config)
  let first: SourceObject | undefined
  for (const text of texts) {
    for (const found of objectsOf(text).get(name) ?? []) {
      if (!isSameObject(found.value, config)) continue
      if (equalValues(found.value, config)) return found
      first ??= found
    }
  }
  return first
}

/** The objects of the text by name. They are kept as long as the text is: an application may have many objects in one file. */
function objectsOf(source: SourceText): ObjectsByName {
  const known = parsed.get(source)
  if (known?.text === source.text) return known.objects
  const objects = new Map<string, SourceObject[]>()
  for (const document of parseYamlWithPositions(source.text)) {
    for (const [steps, value] of objectsIn(document.value, [])) {
      const object = new SourceObject(source, document, steps, value)
      const { name } = nameOf(value)
      const namesakes = objects.get(name)
      if (namesakes === undefined) objects.set(name, [object])
      else namesakes.push(object)
    }
  }
  parsed.set(source, { text: source.text, objects })
  return objects
}

type ObjectsByName = ReadonlyMap<string, readonly SourceObject[]>
const parsed = new WeakMap<SourceText, { readonly text: string; readonly objects: ObjectsByName }>()

/** The objects of a document, those in Lists included, each with the way to it. */
function* objectsIn(value: Value | undefined, steps: Steps): Generator<readonly [Steps, MapValue]> {
  if (!isMap(value)) return
  const items = own(value, "items")
  yield [steps, value]
  if (!isList(items) || !String(own(value, "kind")).endsWith("List")) return
  for (let i = 0; i < items.length; i++) yield* objectsIn(items[i], [...steps, "items", i])
}

/** Whether two objects of one name are the same. */
function isSameObject(object: MapValue, config: MapValue): boolean {
  const [a, b] = [nameOf(object), nameOf(config)]
  const sameType = a.apiVersion === "" ? a.kind === "" : a.apiVersion === b.apiVersion && a.kind === b.kind
  const sameNamespace = a.namespace === undefined || b.namespace === undefined || a.namespace === b.namespace
  return sameType && sameNamespace
}
