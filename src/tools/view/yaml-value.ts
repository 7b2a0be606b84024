// Values as YAML on one line, as people write them: {name: OLD, value: "1"}.
import { isList, isMap, type Value } from "../../value/value.js"

/** Returns the value as YAML in flow style, with quotes only where YAML 1.1 or 1.2 needs them. */
export function yamlValue(value: Value): string {
  if (isList(value)) return `[${value.map(yamlValue).join(", ")}]`
  if (isMap(value)) {
    return `{${Object.entries(value)
      .map(([key, entry]) => `${yamlValue(key)}: ${yamlValue(entry)}`)
      .join(", ")}}`
  }
  if (typeof value !== "string") return String(value)
  return plain.test(value) && !special.test(value) ? value : JSON.stringify(value)
}

/** Texts that can't be mistaken for anything else. Colons are safe before other characters than spaces: `web:1.1`. */
const plain = /^[A-Za-z_/(][\w./@()-]*(?::[\w./@()-]+)*$/
const special = /^(true|false|null|yes|no|on|off|y|n)$/i

/** Returns the value as YAML, cut off if it is long. */
export function briefYaml(value: Value): string {
  const text = yamlValue(value)
  return text.length > 40 ? `${text.slice(0, 39)}…` : text
}
