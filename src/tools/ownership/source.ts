// The user's texts: finds the places of a configuration's fields, and edits them.

import { parseYamlWithPositions, type YamlDocument } from "../../io/yaml.js"
import { applyTextEdits, type TextEdit } from "../../io/yaml-edit.js"
import type { TextRange } from "../../io/yaml-place.js"
import { type Steps, type ValueChange, valueAtSteps } from "../../value/change.js"
import { equalValues } from "../../value/equal.js"
import { addToGroup } from "../../value/groups.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { isPulumiProgram, readPulumiProgram } from "../appliers/pulumi-program.js"
import { objectName } from "./object-name.js"

/** A text that contains configurations: one or several documents of YAML or JSON, Lists, and Pulumi programs in YAML. */
export interface SourceText {
  /** The whole text. */
  readonly text: string
  /** The name of its file, for messages. */
  readonly file?: string | undefined
}

/** The place of a field or an item in a text. */
export interface SourcePlace {
  /** The name of the file; absent if the text has none. */
  readonly file?: string
  /** The 1-based line of the key or of the item. */
  readonly line: number
  /** The 1-based column of the key or of the item, in UTF-16 units. */
  readonly column: number
  /** The key of a field; absent for an item. */
  readonly key?: TextRange
  /** The value of the field, or the item. */
  readonly value: TextRange
}

/** Edits of one text. */
export interface SourceEdits {
  /** The name of the file; absent if the text has none. */
  readonly file?: string
  /** The edits, in the order of the text, for `applyTextEdits`. Absent if edits can't make the changes. */
  readonly edits?: readonly TextEdit[]
  /** The reason why the text can't be edited. */
  readonly impossible?: string
}

/** The object in a text that is a configuration. */
export class SourceObject {
  private readonly source: SourceText
  private readonly document: YamlDocument
  private readonly prefix: Steps
  /** The object as read from the text. */
  readonly value: MapValue

  constructor(source: SourceText, document: YamlDocument, prefix: Steps, value: MapValue) {
    this.source = source
    this.document = document
    this.prefix = prefix
    this.value = value
  }

  /** Returns the place in the text; undefined if the text does not have the field. */
  placeOf(steps: Steps): SourcePlace | undefined {
    const place = this.document.placeOf([...this.prefix, ...steps])
    if (place === undefined) return undefined
    const { key, value } = place
    const { line, column } = (key ?? value).start
    return { ...this.file(), line, column, ...(key !== undefined && { key }), value }
  }

  /** Returns the edits that make these changes to `config`. The text has to agree with `config` at every place that changes. */
  editsFor(config: MapValue, changes: readonly ValueChange[]): SourceEdits {
    return this.editsForEach(config, [changes])[0] as SourceEdits
  }

  /** Returns the edits for each of several sets of changes, each on its own. */
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
      ...(isMeant ? edits.next().value : { impossible: "the text differs from the configuration" }),
    }))
  }

  private agrees(config: MapValue, steps: Steps): boolean {
    const [written, configured] = [valueAtSteps(this.value, steps), valueAtSteps(config, steps)]
    return written !== undefined && configured !== undefined && equalValues(written, configured)
  }

  /** Returns the text after these edits. */
  edited(edits: readonly TextEdit[]): string {
    return applyTextEdits(this.source.text, edits)
  }

  private file(): { readonly file?: string } {
    return this.source.file === undefined ? {} : { file: this.source.file }
  }
}

/**
 * Finds the object in the texts that has the apiVersion, kind, namespace and name of `config`. If there are several, it prefers one that is
 * equal to `config`. Throws a ParseError for a text that is not YAML.
 */
export function findInSource(
  source: SourceText | readonly SourceText[] | undefined,
  config: MapValue,
): SourceObject | undefined {
  const texts = source === undefined ? [] : "text" in source ? [source] : source
  const { name } = objectName(config)
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

/**
 * Returns the objects of the text by name. They are cached as long as the text exists, because an application may have many objects in one
 * file.
 */
function objectsOf(source: SourceText): ObjectsByName {
  const known = parsed.get(source)
  if (known?.text === source.text) return known.objects
  const objects = new Map<string, SourceObject[]>()
  for (const document of parseYamlWithPositions(source.text)) {
    for (const [steps, value] of objectsIn(document.value, [])) {
      const object = new SourceObject(source, document, steps, value)
      addToGroup(objects, objectName(value).name, object)
    }
  }
  parsed.set(source, { text: source.text, objects })
  return objects
}

type ObjectsByName = ReadonlyMap<string, readonly SourceObject[]>
const parsed = new WeakMap<SourceText, { readonly text: string; readonly objects: ObjectsByName }>()

/** Yields the objects of a document, including those in Lists and in Pulumi programs, each with the steps to it. */
function* objectsIn(value: Value | undefined, steps: Steps): Generator<readonly [Steps, MapValue]> {
  if (!isMap(value)) return
  if (isPulumiProgram(value)) {
    for (const { steps: inside, object } of readPulumiProgram(value).objects) yield [[...steps, ...inside], object]
    return
  }
  const items = own(value, "items")
  yield [steps, value]
  if (!isList(items) || !String(own(value, "kind")).endsWith("List")) return
  for (let i = 0; i < items.length; i++) yield* objectsIn(items[i], [...steps, "items", i])
}

/** Whether two objects with the same name are the same object. */
function isSameObject(object: MapValue, config: MapValue): boolean {
  const [a, b] = [objectName(object), objectName(config)]
  const sameType = a.apiVersion === "" ? a.kind === "" : a.apiVersion === b.apiVersion && a.kind === b.kind
  const sameNamespace = a.namespace === undefined || b.namespace === undefined || a.namespace === b.namespace
  return sameType && sameNamespace
}
