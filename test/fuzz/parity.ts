import { type Difference, isMap, type Parsed } from "../support/answers.js"
import type { Request } from "./requests.js"

/**
 * Whether a difference is intended, or random in the reference. docs/parity.md lists these differences.
 *
 * The reference's union rules are from an older release than its merge, and have that release's accidents.
 */
export function isIntended(request: Request, found: Difference): boolean {
  if (isMapOrder(found) || isJsonEscape(found) || isPrunedInVain(found)) return true
  if (request.op === "readYAML") return found.kind.startsWith("refused ")
  const hasUnions = request.unions !== undefined || request.enableUnions !== undefined
  if (!hasUnions && !UNION_OPERATIONS.has(request.op)) return false
  return isLostRoot(found) || isForgottenApply(found) || isOlderRefusal(found)
}
const UNION_OPERATIONS = new Set(["normalizeUnions", "normalizeUnionsApply"])

// Our YAML reader accepts the escapes of JSON.
function isJsonEscape({ kind, want }: Difference): boolean {
  return kind.startsWith("accepted ") && typeof want === "string" && /^yaml: .*unknown escape character/.test(want)
}

// The reference prints the keys of a map inside a key or set item in random order. Repeated requests find few of the many orders.
function isMapOrder({ kind, want, got }: Difference): boolean {
  if (!TEXTS.has(kind) || want === undefined || got === undefined) return false
  const sorted = (text: unknown): string => [...JSON.stringify(text)].sort().join("")
  return sorted(want) === sorted(got)
}
const TEXTS = new Set(["string", "strings", "result"])

// The reference prunes even if nothing can be removed, and fails if two items seem to have the same key on the way.
function isPrunedInVain({ kind, want }: Difference): boolean {
  const text = isMap(want) ? want.message : want
  return kind.startsWith("accepted ") && typeof text === "string" && FAILED_COMPARISON.test(text)
}
const FAILED_COMPARISON = /failed to compare objects: [^\n]*: associative list with keys may not have a null element$/

// An object that is atomic, a scalar or empty becomes null when the reference looks for unions in it.
function isLostRoot(found: Difference): boolean {
  return (found.kind === "live" || found.kind === "value") && found.want === null && found.got !== undefined
}

// The reference forgets an apply of a scalar or an empty value over a map or list at the root, even if the type has no unions.
function isForgottenApply({ kind, want, got }: Difference): boolean {
  return kind === "live" && got !== undefined && isEmptyOrScalar(got) && want !== undefined && !isEmptyOrScalar(want)
}

function isEmptyOrScalar(value: Parsed): boolean {
  return typeof value !== "object" || value === null || Object.keys(value).length === 0
}

// The older release refuses duplicate items and items that lack some of their keys, and fails on lost objects.
function isOlderRefusal(found: Difference): boolean {
  if (!found.kind.startsWith("accepted ") || typeof found.want !== "string") return false
  // Names of fields may contain line breaks.
  const lines = found.want.split(/\n(?= {2}\.)/).filter(line => line !== "errors:" && !line.endsWith(": errors:"))
  return lines.every(line => OLDER_REFUSALS.test(line))
}
const OLDER_REFUSALS = new RegExp(
  [
    "duplicate entries for key \\[[^]*\\]$",
    "omits key field [^]* \\(and doesn't have default value\\)$",
    "at least one of lhs and rhs must be provided$",
    "expected map, got nil$",
  ].join("|"),
)
