// The names that a server generates from `generateName`.

import { metaText, withMetadata } from "../../schema/metadata.js"
import type { MapValue } from "../../value/value.js"

/** The letters and digits of generated names. Vowels, and digits that look like vowels, are left out. */
const letters = "bcdfghjklmnpqrstvwxz2456789"

/** Names an object that has a `generateName` but no name. The name ends with the result of `suffix`. */
export function withGeneratedName(object: MapValue, suffix: () => string = randomSuffix): MapValue {
  const prefix = metaText(object, "generateName")
  if (prefix === "" || metaText(object, "name") !== "") return object
  // The name may have at most 63 characters.
  return withMetadata(object, { name: prefix.slice(0, 58) + suffix() })
}

/** Returns five random letters and digits. `next` returns random integers of 32 bits; if absent, they are the machine's. */
export function randomSuffix(next?: () => number): string {
  const random = new Uint32Array(5)
  if (next === undefined) crypto.getRandomValues(random)
  else for (let i = 0; i < random.length; i++) random[i] = next()
  return Array.from(random, number => letters[number % letters.length]).join("")
}
