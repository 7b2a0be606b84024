// The formats of strings. Each returns the problems of a text; the list is empty if the text has the format.
import { byteLength } from "../../value/bytes.js"

/** A problem of a text. `tooLong` is set if only the length is wrong. */
export interface FormatProblem {
  readonly message: string
  /** The part of the text that the error quotes, if not all of it. */
  readonly part?: string
  readonly tooLong?: true
}

const none: readonly never[] = Object.freeze([])

/** The check of a format. */
export type Format = (text: string) => readonly FormatProblem[]

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
const subdomain = `${label}(\\.${label})*`
const keyName = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
const identifier = "[A-Za-z_][A-Za-z0-9_]*"
const isLabel = whole(label)
const isSubdomain = whole(subdomain)
const isSubdomainOfAnyCase = whole(subdomain, "iu")
const isKeyName = whole(keyName)
const isLabelValue = whole(`(${keyName})?`)
const isIdentifier = whole(identifier)
const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Makes all groups non-capturing, which is faster. Messages quote the patterns as Go writes them. */
function whole(pattern: string, flags = "u"): RegExp {
  return new RegExp(`^(?:${pattern.replaceAll("(", "(?:")})$`, flags)
}

const ascii = /^[\0-\x7f]*$/

/** The number of characters. A surrogate pair counts as one. */
export function countCharacters(text: string): number {
  if (ascii.test(text)) return text.length
  let count = 0
  for (const _ of text) count++
  return count
}

/** The number of bytes that a base64 text encodes. */
export function bytesOfBase64(text: string): number {
  let end = text.length
  while (text[end - 1] === "=") end--
  return Math.floor((end * 3) / 4)
}

/**
 * Whether a text is at most 63 lower-case letters and digits, with dashes only inside, as most names are. Every format for names and labels
 * accepts such a text. This is twice as fast as the regular expressions, and four times as fast as the one for label keys.
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

function longerThan(text: string, bytes: number): readonly string[] {
  return text.length * 3 > bytes && byteLength(text) > bytes ? [`must be no more than ${bytes} bytes`] : none
}

function formOf(what: string, pattern: string, ...examples: string[]): string {
  return `${what} (e.g. ${examples.map(example => `'${example}', `).join(" or ")}regex used for validation is '${pattern}')`
}

const alphanumericEnds = "and must start and end with an alphanumeric character"

function shortName(text: string): readonly string[] {
  if (isUsual(text)) return none
  const problems = longerThan(text, 63)
  if (isLabel.test(text)) return problems
  if (isSubdomain.test(text)) return [...problems, "must not contain dots"]
  const what = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${alphanumericEnds}`
  return [...problems, formOf(what, label, "my-name", "123-abc")]
}

function longName(text: string): readonly string[] {
  if (isUsual(text)) return none
  const problems = longerThan(text, 253)
  if (isSubdomain.test(text)) return problems
  const what = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${alphanumericEnds}`
  return [...problems, formOf(what, subdomain, "example.com")]
}

function longNameOfAnyCase(text: string): readonly string[] {
  const problems = longerThan(text, 253)
  if (isSubdomainOfAnyCase.test(text)) return problems
  const what = `an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', ${alphanumericEnds}`
  return [...problems, formOf(what, subdomain, "Example.com")]
}

const keyForm = formOf(
  `must consist of alphanumeric characters, '-', '_' or '.', ${alphanumericEnds}`,
  keyName,
  "MyName",
  "my.name",
  "123-abc",
)

/** Matches most valid keys, so that they need no closer look. */
const isUsualKey = whole(`(${subdomain}/)?${keyName}`)

function labelKey(text: string): readonly string[] {
  if (isUsual(text) || (text.length <= 63 && isUsualKey.test(text))) return none
  const parts = text.split("/")
  if (parts.length > 2) {
    return [`a valid label key ${keyForm} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]
  }
  const problems: string[] = []
  const name = parts.at(-1) as string
  if (parts.length === 2) {
    const prefix = parts[0] as string
    const wrong = prefix === "" ? ["must be non-empty"] : longName(prefix)
    problems.push(...wrong.map(message => `prefix part ${message}`))
  }
  if (name === "") problems.push("name part must be non-empty")
  problems.push(...longerThan(name, 63).map(message => `name part ${message}`))
  if (!isKeyName.test(name)) problems.push(`name part ${keyForm}`)
  return problems
}

function prefixedLabelKey(text: string): readonly string[] {
  const problems = labelKey(text)
  if (problems.length > 0 || text.includes("/")) return problems
  return ["must include a prefix (e.g. 'example.com/key')"]
}

function labelValue(text: string): readonly string[] {
  if (isUsual(text)) return none
  const problems = longerThan(text, 63)
  if (isLabelValue.test(text)) return problems
  const what = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${alphanumericEnds}`
  return [...problems, formOf(what, `(${keyName})?`, "MyValue", "my_value", "12345")]
}

function pathSegmentName(text: string): string[] {
  if (text === "." || text === "..") return [`may not be '${text}'`]
  return ["/", "%"].filter(part => text.includes(part)).map(part => `may not contain '${part}'`)
}

function uuid(text: string): string[] {
  return isUuid.test(text) ? [] : ["must be a lowercase UUID in 8-4-4-4-12 format"]
}

function extendedResourceName(text: string): string[] {
  const problems: string[] = []
  if (!text.includes("/")) problems.push("a name must be a domain-prefixed path, such as 'example.com/my-prop'")
  else if (text.includes("kubernetes.io/")) problems.push('must not have "kubernetes.io/" domain')
  if (text.startsWith("requests.")) problems.push('must not have "requests." prefix')
  return [...problems, ...labelKey(`requests.${text}`)]
}

/** The problem of a text that is longer than `bytes`. */
function tooLong(text: string, bytes: number): FormatProblem[] {
  return byteLength(text) > bytes ? [{ message: `may not be more than ${bytes} bytes`, tooLong: true }] : []
}

function resourcePoolName(text: string): readonly FormatProblem[] {
  const parts = text.split("/").flatMap((part, i): FormatProblem[] => {
    if (part === "") return [{ message: `segment ${i}: must not be empty` }]
    return longName(part).map(message => ({ message: `segment ${i}: ${message}`, part }))
  })
  return [...tooLong(text, 253), ...parts]
}

function resourceFullyQualifiedName(text: string): readonly FormatProblem[] {
  const parts = text.split("/")
  const problems: FormatProblem[] = []
  const [first = "", second = ""] = parts
  if (parts.length === 2) {
    if (first === "") problems.push({ message: "prefix must not be empty", part: "" })
    else {
      problems.push(...tooLong(first, 63))
      problems.push(...longName(first).map(message => ({ message: `prefix: ${message}`, part: first })))
    }
    if (second === "") problems.push({ message: "name must not be empty", part: "" })
    else problems.push(...resourceIdentifier(second))
  } else if (parts.length === 1) {
    problems.push(...resourceIdentifier(first))
    problems.push({ message: "a fully qualified name must be a domain and a name separated by a slash" })
  }
  return problems
}

function resourceIdentifier(name: string): FormatProblem[] {
  const problems = tooLong(name, 32)
  if (isIdentifier.test(name)) return problems
  const what =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'"
  return [...problems, { message: formOf(what, identifier, "my_name", "MY_NAME", "MyName"), part: name }]
}

/** Reads addresses as Kubernetes does in fields that predate its strict rules: the parts of an IPv4 address may have leading zeros. */
function ip(text: string): string[] {
  return isIPv4(text) || isIPv6(text) ? [] : ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"]
}

function isIPv4(text: string): boolean {
  const parts = text.split(".")
  return parts.length === 4 && parts.every(part => /^[0-9]{1,}$/.test(part) && Number(part) <= 255)
}

function isIPv6(text: string): boolean {
  const tail = text.slice(text.lastIndexOf(":") + 1)
  const groups = tail.includes(".") ? (isIPv4(tail) ? `${text.slice(0, -tail.length)}0:0` : "") : text
  const halves = groups.split("::")
  if (groups === "" || halves.length > 2) return false
  const parts = halves.flatMap(half => (half === "" ? [] : half.split(":")))
  if (!parts.every(part => /^[0-9a-fA-F]{1,4}$/.test(part))) return false
  return halves.length === 2 ? parts.length < 8 : parts.length === 8
}

function messages(check: (text: string) => readonly string[]): Format {
  return text => {
    const found = check(text)
    return found.length === 0 ? none : found.map(message => ({ message }))
  }
}

/** All formats by name. */
export const formats: ReadonlyMap<string, Format> = new Map([
  ["k8s-extended-resource-name", messages(extendedResourceName)],
  ["k8s-ip", messages(ip)],
  ["k8s-label-key", messages(labelKey)],
  ["k8s-label-value", messages(labelValue)],
  ["k8s-long-name", messages(longName)],
  ["k8s-long-name-caseless", messages(longNameOfAnyCase)],
  ["k8s-path-segment-name", messages(pathSegmentName)],
  ["k8s-prefixed-label-key", messages(prefixedLabelKey)],
  ["k8s-resource-fully-qualified-name", resourceFullyQualifiedName],
  ["k8s-resource-pool-name", resourcePoolName],
  ["k8s-short-name", messages(shortName)],
  ["k8s-uuid", messages(uuid)],
])

/** The origin that errors of a format have. */
export function originOf(format: string): string {
  // Upstream removed this format before its check got an origin of the format's name.
  return format === "k8s-ip" ? "format=ip-sloppy" : `format=${format}`
}
