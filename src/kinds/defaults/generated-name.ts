// The names that a server makes of `generateName`.

import { metaText, withMetadata } from "../../schema/metadata.js"
import type { MapValue } from "../../value/value.js"

/** The letters of generated names: without vowels, and without what looks like one. */
const letters = "bcdfghjklmnpqrstvwxz2456789"

/** The object with a name, if it has none and says what its name is to begin with. It ends with what `suffix` returns. */
export function withGeneratedName(object: MapValue, suffix: () => string = randomSuffix): MapValue {
  const prefix = metaText(object, "generateName")
  if (prefix === "" || metaText(object, "name") !== "") return object
  // A name has 63 characters at most.
  return withMetadata(object, { name: prefix.slice(0, 58) + suffix() })
}

function randomSuffix(): string {
  const random = crypto.getRandomValues(new Uint32Array(5))
  return Array.from(random, number => letters[number % letters.length]).join("")
}
