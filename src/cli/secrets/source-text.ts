// Source texts without their hidden values, for excerpts.
import { hasCode } from "../../errors.js"
import { parseYamlWithPositions, type YamlDocument } from "../../io/yaml.js"
import type { Steps } from "../../value/change.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import type { Secrets } from "./secrets.js"

/** Stands for each character of a hidden value, so that offsets stay valid. No text contains it: it is not a character. */
const blank = "\uffff"

/** Returns the text of YAML or JSON with hidden values blanked, character for character. */
export function blankSecrets(text: string, secrets: Secrets): string {
  if (secrets.shows) return text
  let blanked = text
  for (const document of documentsOf(text)) {
    const { value } = document
    if (value === undefined) continue
    for (const steps of differences(value, secrets.cut(value), [])) {
      const range = document.placeOf(steps)?.value
      if (range === undefined) continue
      const [start, end] = [range.start.offset, range.end.offset]
      blanked = blanked.slice(0, start) + blanked.slice(start, end).replaceAll(/[^\r\n]/g, blank) + blanked.slice(end)
    }
  }
  return blanked
}

/** Returns a part of a blanked text for people. */
export function withoutBlanks(text: string): string {
  return text.replaceAll(/\uffff+/g, "(hidden)")
}

/** Returns the documents of the text; none for NDJSON, which has no excerpts. */
function documentsOf(text: string): readonly YamlDocument[] {
  try {
    return parseYamlWithPositions(text)
  } catch (error) {
    if (hasCode(error, "parse")) return []
    throw error
  }
}

/** Returns the steps to each scalar that differs. */
function differences(value: Value, hidden: Value, steps: Steps): Steps[] {
  if (value === hidden) return []
  if (isList(value))
    return value.flatMap((item, i) => differences(item, (hidden as Value[])[i] as Value, [...steps, i]))
  if (!isMap(value)) return [steps]
  return Object.entries(value).flatMap(([key, child]) => {
    return differences(child, own(hidden as MapValue, key) ?? null, [...steps, key])
  })
}
