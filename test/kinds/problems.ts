import { builtInKind } from "../../src/kinds/families/registry.js"
import { problemsBy } from "../../src/kinds/validation/validate.js"
import type { MapValue } from "../../src/value/value.js"

/** Returns the problems of an object of a built-in kind, such as `apps/Deployment`, as `field: message`. */
export function problemsOf(kind: string, object: MapValue, before?: MapValue, subresource = ""): string[] {
  const [group = "", name = ""] = kind.split("/")
  const checks = builtInKind(group, name)?.validate
  if (checks === undefined) throw new Error(`${kind} has no checks`)
  return problemsBy(checks, subresource, object, before).map(({ field, message }) => `${field}: ${message}`)
}
