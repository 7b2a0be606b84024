import { fieldElement, singleKeyElement, valueElement } from "../../src/fieldpath/create-element.js"
import { knownKey } from "../../src/fieldpath/fieldsv1/key.js"
import { maxEntries } from "../../src/value/table.js"

let count = 0

/** Fills the tables of elements with new names, so that they forget all others. Equal elements are different objects afterwards. */
export function fillTables(): void {
  singleKeyElement("", "x") // From now on, keys with another name and this value have their own table.
  for (let i = 0; i < 2 * maxEntries + 1; i++) {
    const name = `filler-${count++}`
    fieldElement(name)
    valueElement(name)
    singleKeyElement("name", name)
    singleKeyElement(name, "x")
    knownKey(`f:${name}`)
  }
}
