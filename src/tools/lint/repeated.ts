// Finds keys that a configuration has twice: in a map of its text, and among the items of an associative list.

import { fieldElement, indexElement } from "../../fieldpath/create-element.js"
import { formatElement, type PathElement } from "../../fieldpath/element.js"
import { formatPath, pathOf } from "../../fieldpath/path.js"
import type { RepeatedKey } from "../../io/yaml.js"
import { elementOfItem } from "../../typed/list-items.js"
import type { ListShape, Type } from "../../typed/type.js"
import { aList, aListOfObjects, aNumber, aString, type Expected, requireArgument } from "../../value/argument.js"
import { maxDepth, tooDeep } from "../../value/depth.js"
import { addToGroup } from "../../value/groups.js"
import { isList, isMap, type ListValue, type Value } from "../../value/value.js"
import { counted } from "../../value/words.js"
import { finding, type LintFinding } from "./finding.js"

/**
 * Returns a finding for each key that a text has several times in a map. `parseYamlWithPositions` with `acceptRepeatedKeys` finds these keys.
 *
 * @example
 * ```ts
 * import { parseYamlWithPositions } from "structured-merge-diff/io"
 * import { lintRepeatedKeys } from "structured-merge-diff/lint"
 *
 * const text = "spec:\n  replicas: 1\n  paused: true\n  replicas: 2\n"
 * const [document] = parseYamlWithPositions(text, { acceptRepeatedKeys: true })
 * for (const { path, message } of lintRepeatedKeys(document?.repeatedKeys ?? [])) console.log(`${path}: ${message}`)
 * // .spec.replicas: the key is there twice, in lines 2 and 4: the last value counts, unless a server or a tool refuses both
 * ```
 */
export function lintRepeatedKeys(keys: readonly RepeatedKey[]): readonly LintFinding[] {
  requireArgument("keys", keys, keysOfText)
  return keys.map(({ steps, firstLine, line }) => {
    const path = formatPath(pathOf(...steps))
    const lines = firstLine === line ? `line ${line}` : `lines ${firstLine} and ${line}`
    const message = `the key is there twice, in ${lines}: the last value counts, unless a server or a tool refuses both`
    return finding("config-duplicate-key", path, message, "keep one of them")
  })
}

const keysOfText: Expected = {
  name: "a list of the repeatedKeys of a YamlDocument",
  fits: value => aListOfObjects.fits(value) && (value as readonly RepeatedKey[]).every(({ steps }) => areSteps(steps)),
}

function areSteps(value: unknown): boolean {
  return aList.fits(value) && (value as readonly unknown[]).every(step => aString.fits(step) || aNumber.fits(step))
}

/** Reports keys that several items of an associative list have, at the second of these items. No server can apply them. */
export function findRepeatedItems(
  found: LintFinding[],
  type: Type,
  value: Value,
  path: readonly PathElement[] = [],
): void {
  if (path.length > maxDepth) throw tooDeep()
  const { map, list } = type
  if (map !== null && isMap(value)) {
    for (const key in value) {
      const below = map.fields.get(key)?.type ?? map.rest
      findRepeatedItems(found, below, value[key] as Value, [...path, fieldElement(key)]) // `for...in` found the key
    }
  } else if (list !== null && isList(value)) {
    if (list.associative) findInList(found, list, value, path)
    value.forEach((item, i) => {
      findRepeatedItems(found, list.item, item, [...path, elementOfItem(list, item) ?? indexElement(i)])
    })
  }
}

function findInList(found: LintFinding[], list: ListShape, items: ListValue, path: readonly PathElement[]): void {
  const indexes = new Map<string, number[]>()
  items.forEach((item, i) => {
    const element = elementOfItem(list, item)
    if (element === null) return
    addToGroup(indexes, formatElement(element), i)
  })
  for (const [key, [first, second, ...more]] of indexes) {
    if (second === undefined) continue
    const others =
      more.length === 0 ? "" : `, and so ${more.length === 1 ? "has" : "have"} ${counted(more.length, "more item")}`
    const message = `has the same key as item ${first}, ${key}${others}, so an apply is refused`
    found.push(
      finding("config-duplicate-key", formatPath([...path, indexElement(second)]), message, "keep one of them"),
    )
  }
}
