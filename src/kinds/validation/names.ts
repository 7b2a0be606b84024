// What names and keys of Kubernetes look like, and what an API server says of those that don't.
import { byteLength } from "../../value/bytes.js"
import type { TextCheck } from "./field.js"

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
const subdomain = `${label}(\\.${label})*`
const keyName = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"

const alphanumeric = "and must start and end with an alphanumeric character"

interface Format {
  readonly pattern: string
  readonly rule: string
  readonly examples: readonly string[]
  /** How many bytes a text may have. */
  readonly most?: number
}

function broken({ pattern, rule, examples }: Format): string {
  return `${rule} (e.g. ${examples.map(example => `'${example}', `).join("or ")}regex used for validation is '${pattern}')`
}

function tooLong(text: string, most: number): string[] {
  return byteLength(text) > most ? [`must be no more than ${most} bytes`] : []
}

function format(rules: Format): TextCheck {
  const pattern = new RegExp(`^${rules.pattern}$`)
  return text => {
    const long = rules.most === undefined ? [] : tooLong(text, rules.most)
    return pattern.test(text) ? long : [...long, broken(rules)]
  }
}

const labelRules: Format = {
  pattern: label,
  rule: `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${alphanumeric}`,
  examples: ["my-name", "123-abc"],
}

/** A label of a DNS name: of containers, volumes, namespaces. */
export const dnsLabel: TextCheck = text => {
  const long = tooLong(text, 63)
  if (new RegExp(`^${label}$`).test(text)) return long
  const dots = new RegExp(`^${subdomain}$`).test(text)
  return [...long, dots ? "must not contain dots" : broken(labelRules)]
}

/** A DNS name: of most objects. */
export const dnsSubdomain = format({
  pattern: subdomain,
  rule: `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${alphanumeric}`,
  examples: ["example.com"],
  most: 253,
})

/** A DNS name whose first label is `*`. */
export const wildcardSubdomain = format({
  pattern: `\\*\\.${subdomain}`,
  rule: "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  examples: ["*.example.com"],
  most: 253,
})

/** The value of a label. */
export const labelValue = format({
  pattern: `(${keyName})?`,
  rule: `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${alphanumeric}`,
  examples: ["MyValue", "my_value", "12345"],
  most: 63,
})

/** `25%` */
export const percent = format({
  pattern: "[0-9]+%",
  rule: "a valid percent string must be a numeric string followed by an ending '%'",
  examples: ["1%", "93%"],
})

const keyRules: Format = {
  pattern: keyName,
  rule: `must consist of alphanumeric characters, '-', '_' or '.', ${alphanumeric}`,
  examples: ["MyName", "my.name", "123-abc"],
}

/** The key of a label or an annotation: a name, with a domain before it or without. */
export const labelKey: TextCheck = text => {
  const parts = text.split("/")
  if (parts.length > 2) {
    return [
      `a valid label key ${broken(keyRules)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  const name = parts.at(-1) as string
  const problems: string[] = []
  if (parts.length === 2) {
    const [domain = ""] = parts
    problems.push(...(domain === "" ? ["must be non-empty"] : dnsSubdomain(domain)).map(each => `prefix part ${each}`))
  }
  if (name === "") problems.push("name part must be non-empty")
  else if (byteLength(name) > 63) problems.push("name part must be no more than 63 bytes")
  if (!new RegExp(`^${keyName}$`).test(name)) problems.push(`name part ${broken(keyRules)}`)
  return problems
}

/** A name that may stand between slashes of a path: of roles and what is bound to them. */
export const pathSegment: TextCheck = text => {
  if (text === "." || text === "..") return [`may not be '${text}'`]
  return ["/", "%"].filter(part => text.includes(part)).map(part => `may not contain '${part}'`)
}

const configKeyRules = format({
  pattern: "[-._a-zA-Z0-9]+",
  rule: "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  examples: ["key.name", "KEY_NAME", "key-name"],
  most: 253,
})

/** A key of a ConfigMap or a Secret. */
export const configKey: TextCheck = text => {
  const problems = [...configKeyRules(text)]
  if (text === ".") problems.push("must not be '.'")
  else if (text === "..") problems.push("must not be '..'")
  else if (text.startsWith("..")) problems.push("must not start with '..'")
  return problems
}

/** The name of a variable in the environment of a container. */
export const variableName: TextCheck = text =>
  /^[ -<>-~]*$/.test(text)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"]

/** The name of a port. */
export const portName: TextCheck = text => {
  const problems: string[] = tooLong(text, 15)
  if (!/^[-a-z0-9]+$/.test(text)) {
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
  }
  if (!/[a-z]/.test(text)) problems.push("must contain at least one letter (a-z)")
  if (text.includes("--")) problems.push("must not contain consecutive hyphens")
  if (text.startsWith("-") || text.endsWith("-")) problems.push("must not begin or end with a hyphen")
  return problems
}

const label1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"

/** A label of a DNS name that begins with a letter: of what a CustomResourceDefinition names. */
export const dnsLabel1035: TextCheck = text => {
  // Go: this one counts characters, and has a space too many.
  const long = byteLength(text) > 63 ? ["must be no more than 63 characters"] : []
  if (new RegExp(`^${label1035}$`).test(text)) return long
  const rule = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character`
  return [...long, `${rule} (e.g. 'my-name',  or 'abc-123', regex used for validation is '${label1035}')`]
}
