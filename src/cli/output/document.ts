// Writes values and objects as documents.
import { formatYaml } from "../../io/yaml-format.js"
import { writeJson } from "../../json/json.js"
import { withoutManagedFields } from "../../managedfields/entries/entry.js"
import { kindOf, nameInGroup } from "../../schema/group-version-kind.js"
import { metaText } from "../../schema/metadata.js"
import type { MapValue, Value } from "../../value/value.js"
import { outputOption } from "../input/options.js"
import type { Secrets } from "../secrets/secrets.js"
import { printable, printableJson } from "../terminal/layout.js"

/** Writes the value as a document that ends with a line break. */
export function formatDocument(value: Value, form: "yaml" | "json"): string {
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
  secrets: Secrets,
): string {
  if (form === "name") return objects.map(object => `${printable(resourceName(object))}\n`).join("")
  const shown = showManagedFields ? objects : objects.map(withoutManagedFields)
  if (form === "yaml") return shown.map(object => formatResult(object, form, secrets)).join("---\n")
  const [first] = shown
  const whole = shown.length === 1 && first !== undefined ? first : { apiVersion: "v1", kind: "List", items: shown }
  return formatResult(whole, form, secrets)
}

/** Writes an object as a document, without secrets unless it replaces a file that was read. */
export function formatResult(object: Value, form: "yaml" | "json", secrets: Secrets): string {
  return formatDocument(secrets.isEdit ? object : secrets.hide(object), form)
}

/** Returns the name that kubectl prints for an object: `deployment.apps/web`, `service/web`. */
export function resourceName(object: MapValue): string {
  const { group, kind } = kindOf(object)
  return `${nameInGroup(kind.toLowerCase(), group)}/${metaText(object, "name")}`
}
