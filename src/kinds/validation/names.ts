// Checks of Kubernetes' names and keys, with the messages of an API server's handwritten validation.
import {
  formMessage,
  labelKeyProblems,
  labelProblems,
  labelValueProblems,
  longerThan,
  pathSegmentProblems,
  subdomainPattern,
  subdomainProblems,
  whole,
} from "../../validation/rules/names.js"
import type { TextCheck } from "./field.js"

interface Form {
  readonly pattern: string
  readonly rule: string
  readonly examples: readonly string[]
  /** The greatest length in bytes. */
  readonly most?: number
}

function checkOf({ pattern, rule, examples, most }: Form): TextCheck {
  const matching = whole(pattern)
  const message = formMessage(rule, pattern, ...examples)
  return text => {
    const long = most === undefined ? [] : longerThan(text, most, "characters")
    return matching.test(text) ? long : [...long, message]
  }
}

/** Checks a label of a DNS name, as containers, volumes and namespaces have for a name. */
export const dnsLabel: TextCheck = text => labelProblems(text, "characters")

/** Checks a DNS name, as most objects have for a name. */
export const dnsSubdomain: TextCheck = text => subdomainProblems(text, "characters")

const underscored = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"

/** Checks a DNS name in which names are searched. */
export const searchDomain = checkOf({
  pattern: `${underscored}(\\.${underscored})*`,
  rule: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
  examples: ["example.com"],
  most: 253,
})

/** Checks a DNS name whose first label is `*`. */
export const wildcardSubdomain = checkOf({
  pattern: `\\*\\.${subdomainPattern}`,
  rule: "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  examples: ["*.example.com"],
  most: 253,
})

export const labelKey: TextCheck = labelKeyProblems
export const labelValue: TextCheck = labelValueProblems
export const pathSegment: TextCheck = pathSegmentProblems

/** Checks a percentage such as `25%`. */
export const percent = checkOf({
  pattern: "[0-9]+%",
  rule: "a valid percent string must be a numeric string followed by an ending '%'",
  examples: ["1%", "93%"],
})

const configKeyForm = checkOf({
  pattern: "[-._a-zA-Z0-9]+",
  rule: "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  examples: ["key.name", "KEY_NAME", "key-name"],
  most: 253,
})

/** Checks a key of a ConfigMap or a Secret. */
export const configKey: TextCheck = text => {
  const problems = [...configKeyForm(text)]
  if (text === ".") problems.push("must not be '.'")
  else if (text === "..") problems.push("must not be '..'")
  else if (text.startsWith("..")) problems.push("must not start with '..'")
  return problems
}

/** Checks the name of a variable in the environment of a container. */
export const variableName: TextCheck = text =>
  /^[ -<>-~]*$/.test(text)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"]

/** Checks the name of a port. */
export const portName: TextCheck = text => {
  const problems = [...longerThan(text, 15, "characters")]
  if (!/^[-a-z0-9]+$/.test(text)) {
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
  }
  if (!/[a-z]/.test(text)) problems.push("must contain at least one letter (a-z)")
  if (text.includes("--")) problems.push("must not contain consecutive hyphens")
  if (text.startsWith("-") || text.endsWith("-")) problems.push("must not begin or end with a hyphen")
  return problems
}

/** Checks a label of a DNS name that begins with a letter (RFC 1035). The names in a CustomResourceDefinition have this form. */
export const dnsLabel1035 = checkOf({
  pattern: "[a-z]([-a-z0-9]*[a-z0-9])?",
  rule: "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  examples: ["my-name", "abc-123"],
  most: 63,
})
