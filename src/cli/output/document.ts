import { formatYaml } from "../../io/yaml.js"
import { writeJson } from "../../json/json.js"
import type { Value } from "../../value/value.js"
import { printableJson } from "./layout.js"

/** The value as a document, with a line end. */
export function formatDocument(value: Value, form: "yaml" | "json"): string {
  return form === "yaml" ? formatYaml(value) : `${printableJson(writeJson(value, { indent: 2 }))}\n`
}
