import { fieldElement, singleKeyElement, valueElement } from "../../src/fieldpath/element.js"
import { knownKey } from "../../src/fieldpath/fieldsv1/key.js"
import { maxEntries } from "../../src/value/table.js"

let count = 0

/** Passes so many names through the tables of elements that they forget all others: equal elements are other objects afterwards. */
export function fillTables(): void {
  singleKeyElement("", "x") // Keys with another name and this value are in a table of their own from here on.
  for (let i = 0; i < 2 * maxEntries + 1; i++) {
    const name = `filler-${count++}`
    fieldElement(name)
    valueElement(name)
    singleKeyElement("name", name)
    singleKeyElement(name, "x")
    knownKey(`f:${name}`)
  }
}
