// Writes values and objects as documents.
import { formatYaml } from "../../io/yaml.js"
import { writeJson } from "../../json/json.js"
import { withoutManagedFields } from "../../managedfields/entries/entry.js"
import { kindOf } from "../../schema/group-version-kind.js"
import { metaText } from "../../schema/metadata.js"
import type { MapValue, Value } from "../../value/value.js"
import { outputOption } from "../input/options.js"
import { currentSecrets } from "../secrets/scope.js"
import { printable, printableJson } from "../terminal/layout.js"

/** Writes the value, without secrets, as a document that ends with a line break. */
export function formatDocument(value: Value, form: "yaml" | "json"): string {
  return writeDocument(currentSecrets().hide(value), form)
}

function writeDocument(value: Value, form: "yaml" | "json"): string {
  return form === "yaml" ? formatYaml(value) : `${printableJson(writeJson(value, { indent: 2 }))}\n`
}

export const objectOutputOption = outputOption(["yaml", "json", "name"])

interface ObjectOutputValues {
  readonly output?: "yaml" | "json" | "name" | undefined
  readonly showManagedFields?: boolean
}

/** Writes objects as `--output` and `--show-managed-fields` request: YAML documents, JSON (a List unless there is one object), or names. */
export function formatObjects(
  objects: readonly MapValue[],
  { output: form = "yaml", showManagedFields = true }: ObjectOutputValues,
): string {
  if (form === "name") return objects.map(object => `${printable(resourceName(object))}\n`).join("")
  const shown = showManagedFields ? objects : objects.map(withoutManagedFields)
  if (form === "yaml") return shown.map(object => formatResult(object, form)).join("---\n")
  const [first] = shown
  const whole = shown.length === 1 && first !== undefined ? first : { apiVersion: "v1", kind: "List", items: shown }
  return formatResult(whole, form)
}

/** Writes an object as `formatDocument` does, but with secrets if it replaces a file that was read. */
export function formatResult(object: Value, form: "yaml" | "json"): string {
  return currentSecrets().isEdit ? writeDocument(object, form) : formatDocument(object, form)
}

/** Returns the name that kubectl prints for an object: `deployment.apps/web`, `service/web`. */
export function resourceName(object: MapValue): string {
  const { group, kind } = kindOf(object)
  return `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${metaText(object, "name")}`
}
