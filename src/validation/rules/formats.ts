// The formats of strings. Each returns the problems of a text; the list is empty if the text has the format.
import { byteLength } from "../../value/bytes.js"
import { isIP } from "../../value/ip.js"
import {
  anyCaseSubdomainProblems,
  formMessage,
  labelKeyProblems,
  labelProblems,
  labelValueProblems,
  pathSegmentProblems,
  subdomainProblems,
  whole,
} from "./names.js"

/** A problem of a text. `tooLong` is set if only the length is wrong. */
interface FormatProblem {
  readonly message: string
  /** The part of the text that the error quotes, if not all of it. */
  readonly part?: string
  readonly tooLong?: true
}

const none: readonly never[] = Object.freeze([])

/** The check of a format. */
export type Format = (text: string) => readonly FormatProblem[]

const identifier = "[A-Za-z_][A-Za-z0-9_]*"
const isIdentifier = whole(identifier)
const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The number of bytes that a base64 text encodes. */
export function bytesOfBase64(text: string): number {
  let end = text.length
  while (text[end - 1] === "=") end--
  return Math.floor((end * 3) / 4)
}

function prefixedLabelKey(text: string): readonly string[] {
  const problems = labelKeyProblems(text)
  if (problems.length > 0 || text.includes("/")) return problems
  return ["must include a prefix (e.g. 'example.com/key')"]
}

function uuid(text: string): string[] {
  return isUuid.test(text) ? [] : ["must be a lowercase UUID in 8-4-4-4-12 format"]
}

function extendedResourceName(text: string): string[] {
  const problems: string[] = []
  if (!text.includes("/")) problems.push("a name must be a domain-prefixed path, such as 'example.com/my-prop'")
  else if (text.includes("kubernetes.io/")) problems.push('must not have "kubernetes.io/" domain')
  if (text.startsWith("requests.")) problems.push('must not have "requests." prefix')
  return [...problems, ...labelKeyProblems(`requests.${text}`)]
}

/** The problem of a text that is longer than `bytes`. */
function tooLong(text: string, bytes: number): FormatProblem[] {
  return byteLength(text) > bytes ? [{ message: `may not be more than ${bytes} bytes`, tooLong: true }] : []
}

function resourcePoolName(text: string): readonly FormatProblem[] {
  const parts = text.split("/").flatMap((part, i): FormatProblem[] => {
    if (part === "") return [{ message: `segment ${i}: must not be empty` }]
    return subdomainProblems(part).map(message => ({ message: `segment ${i}: ${message}`, part }))
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
      problems.push(...subdomainProblems(first).map(message => ({ message: `prefix: ${message}`, part: first })))
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
  return [...problems, { message: formMessage(what, identifier, "my_name", "MY_NAME", "MyName"), part: name }]
}

/** Accepts leading zeros in the parts of an IPv4 address, as Kubernetes does in fields that predate its strict rules. */
function ip(text: string): string[] {
  return isIP(text, { leadingZeros: true }) ? [] : ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"]
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
  ["k8s-label-key", messages(labelKeyProblems)],
  ["k8s-label-value", messages(labelValueProblems)],
  ["k8s-long-name", messages(subdomainProblems)],
  ["k8s-long-name-caseless", messages(anyCaseSubdomainProblems)],
  ["k8s-path-segment-name", messages(pathSegmentProblems)],
  ["k8s-prefixed-label-key", messages(prefixedLabelKey)],
  ["k8s-resource-fully-qualified-name", resourceFullyQualifiedName],
  ["k8s-resource-pool-name", resourcePoolName],
  ["k8s-short-name", messages(labelProblems)],
  ["k8s-uuid", messages(uuid)],
])

/** The origin that errors of a format have. */
export function originOf(format: string): string {
  // Upstream removed this format before its check got an origin of the format's name.
  return format === "k8s-ip" ? "format=ip-sloppy" : `format=${format}`
}
