// The release of the reference whose bytes answers have.
import type { PathElement } from "../../src/fieldpath/element.js"
import { formatFieldsV1Key } from "../../src/fieldpath/element.js"
import { parseFieldsV1Key } from "../../src/fieldpath/fieldsv1/key.js"
import { formatFieldsV1, parseFieldsV1 } from "../../src/fieldpath/fieldsv1/text.js"
import type { FieldSet } from "../../src/fieldpath/set.js"
import { formatJson, formatJsonV7, type Parity, parseJsonFloats } from "../../src/json/json.js"
import type { Value } from "../../src/value/value.js"

let current: Parity = "v6"

/** Runs `compute`. Meanwhile, the other functions of this file write the bytes of this release. */
export function inParity<T>(parity: Parity, compute: () => T): T {
  const before = current
  current = parity
  try {
    return compute()
  } finally {
    current = before
  }
}

export function currentParity(): Parity {
  return current
}

export function setText(set: FieldSet): string {
  return formatFieldsV1(set, { parity: current })
}

export function elementText(element: PathElement): string {
  return formatFieldsV1Key(element, { parity: current })
}

export function jsonText(value: Value): string {
  return current === "v7" ? formatJsonV7(value) : formatJson(value)
}

export function readSetText(text: string): FieldSet {
  return parseFieldsV1(text, { parity: current })
}

export function readElementText(text: string): PathElement | undefined {
  return parseFieldsV1Key(text, { parity: current })
}

export function readJson(text: string): Value {
  try {
    return parseJsonFloats(text)
  } catch (error) {
    // v7 reads a value in the same way as one in an element.
    if (current === "v7") parseFieldsV1Key(`v:${text}`, { parity: current })
    throw error
  }
}
