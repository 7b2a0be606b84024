// The forms of names and labels, and the words in which an API server reports a text that lacks the form. Each check returns the problems of
// a text, or none if it has the form.
//
// Go has these checks twice. Both measure bytes, but only the newer ones (`content`, for declarative validation and for labels) say "bytes"
// where a name is too long; the older ones (`util/validation`, for validation written by hand) say "characters".
import { byteLength } from "../../value/bytes.js"

/** The word for the unit of a length in messages. */
export type LengthUnit = "bytes" | "characters"

const none: readonly never[] = Object.freeze([])

/** A pattern as messages quote it. */
const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
export const subdomainPattern = `${label}(\\.${label})*`
const keyName = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"

const wholeLabel = whole(label)
const wholeSubdomain = whole(subdomainPattern)
const wholeSubdomainOfAnyCase = whole(subdomainPattern, "iu")
const wholeKeyName = whole(keyName)
const wholeLabelValue = whole(`(${keyName})?`)

/** Returns a regular expression for whole texts. Its groups are non-capturing, which is faster. Messages quote the pattern as Go writes it. */
export function whole(pattern: string, flags = "u"): RegExp {
  return new RegExp(`^(?:${pattern.replaceAll("(", "(?:")})$`, flags)
}

/** Whether the text has the form of a label of a DNS name (RFC 1123) in lower case, whatever its length. */
export function isLabel(text: string): boolean {
  return wholeLabel.test(text)
}

/** Whether the text has the form of a DNS name (RFC 1123) in lower case, whatever its length. */
export function isSubdomain(text: string): boolean {
  return wholeSubdomain.test(text)
}

/** Returns the problem of a text that has more bytes than `most`. */
export function longerThan(text: string, most: number, unit: LengthUnit = "bytes"): readonly string[] {
  return text.length * 3 > most && byteLength(text) > most ? [`must be no more than ${most} ${unit}`] : none
}

/** Returns the message about a text that lacks a form. Go: two spaces stand in front of "or". */
export function formMessage(rule: string, pattern: string, ...examples: readonly string[]): string {
  return `${rule} (e.g. ${examples.map(example => `'${example}', `).join(" or ")}regex used for validation is '${pattern}')`
}

/**
 * Whether a text is at most 63 lower-case letters and digits, with dashes only inside, as most names are. All forms of names and labels
 * below include such a text. This is twice as fast as the regular expressions, and four times as fast as the one for label keys.
 */
function isUsual(text: string): boolean {
  const last = text.length - 1
  if (last < 0 || last > 62) return false
  for (let i = 0; i <= last; i++) {
    const unit = text.charCodeAt(i)
    const isLetterOrDigit = unit >= 0x61 ? unit <= 0x7a : unit >= 0x30 && unit <= 0x39
    if (!isLetterOrDigit && (unit !== 0x2d || i === 0 || i === last)) return false
  }
  return true
}

const alphanumericEnds = "and must start and end with an alphanumeric character"

/** Checks a label of a DNS name (RFC 1123). */
export function labelProblems(text: string, unit?: LengthUnit): readonly string[] {
  if (isUsual(text)) return none
  const problems = longerThan(text, 63, unit)
  if (isLabel(text)) return problems
  if (isSubdomain(text)) return [...problems, "must not contain dots"]
  const rule = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${alphanumericEnds}`
  return [...problems, formMessage(rule, label, "my-name", "123-abc")]
}

/** Checks a DNS name (RFC 1123) in lower case. */
export function subdomainProblems(text: string, unit?: LengthUnit): readonly string[] {
  if (isUsual(text)) return none
  const problems = longerThan(text, 253, unit)
  if (isSubdomain(text)) return problems
  const rule = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${alphanumericEnds}`
  return [...problems, formMessage(rule, subdomainPattern, "example.com")]
}

/** Checks a DNS name (RFC 1123) in any case. */
export function anyCaseSubdomainProblems(text: string): readonly string[] {
  const problems = longerThan(text, 253)
  if (wholeSubdomainOfAnyCase.test(text)) return problems
  const rule = `an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', ${alphanumericEnds}`
  return [...problems, formMessage(rule, subdomainPattern, "Example.com")]
}

const keyMessage = formMessage(
  `must consist of alphanumeric characters, '-', '_' or '.', ${alphanumericEnds}`,
  keyName,
  "MyName",
  "my.name",
  "123-abc",
)

/** Matches most valid keys, so that they need no closer look. */
const usualKey = whole(`(${subdomainPattern}/)?${keyName}`)

/** Checks the key of a label or an annotation: a name, with or without a domain and a slash in front of it. */
export function labelKeyProblems(text: string): readonly string[] {
  if (isUsual(text) || (text.length <= 63 && usualKey.test(text))) return none
  const parts = text.split("/")
  if (parts.length > 2) {
    return [`a valid label key ${keyMessage} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]
  }
  const problems: string[] = []
  const name = parts.at(-1) as string
  if (parts.length === 2) {
    const prefix = parts[0] as string
    const wrong = prefix === "" ? ["must be non-empty"] : subdomainProblems(prefix)
    problems.push(...wrong.map(message => `prefix part ${message}`))
  }
  if (name === "") problems.push("name part must be non-empty")
  problems.push(...longerThan(name, 63).map(message => `name part ${message}`))
  if (!wholeKeyName.test(name)) problems.push(`name part ${keyMessage}`)
  return problems
}

/** Checks the value of a label. */
export function labelValueProblems(text: string): readonly string[] {
  if (isUsual(text)) return none
  const problems = longerThan(text, 63)
  if (wholeLabelValue.test(text)) return problems
  const rule = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${alphanumericEnds}`
  return [...problems, formMessage(rule, `(${keyName})?`, "MyValue", "my_value", "12345")]
}

/** Checks a name that stands between two slashes of a URL's path, such as that of a role. */
export function pathSegmentProblems(text: string): readonly string[] {
  if (text === "." || text === "..") return [`may not be '${text}'`]
  return ["/", "%"].filter(part => text.includes(part)).map(part => `may not contain '${part}'`)
}
