// Messages about values for people. The engine's own messages quote Go, because they are the same as in an API server.
import { isList, isMap, type Value } from "../value/value.js"

/** The text of a value and of its key in a document. */
export interface WrittenText {
  /** The text of the key; undefined for items. */
  readonly key?: string
  /** The text of the value. */
  readonly value?: string
}

/** The value that a message is about. */
interface Subject {
  readonly value: Value | undefined
  readonly text: string
}

/** Messages of the engine, and what people read in their place. The first match counts. */
const table: readonly (readonly [pattern: RegExp, plain: (subject: Subject, match: RegExpExecArray) => string])[] = [
  [/^(?:element \d+: )?expected string, got &value\.valueUnstructured\{/, expectedString],
  [/^expected numeric \(int or float\), got /, expectedNumber],
  [
    /^expected boolean, got /,
    subject => `must be true or false, not ${valueLabel(subject)}${unquote(subject, isBoolean)}`,
  ],
  [/^expected map, got /, subject => `must be a map, not ${valueLabel(subject)}`],
  [/^expected list, got /, subject => `must be a list, not ${valueLabel(subject)}`],
  [/^expected any scalar, got /, subject => `must be a single value, not ${valueLabel(subject)}`],
  [
    /^(element \d+: )?associative list with keys has an element that omits (?:key field "([^"]+)"|all key fields \[([^\]]*)\])/,
    (_, [, element = "", key, keys = ""]) =>
      `${element}each item of this list needs ${key ?? keys.replaceAll('"', "")}`,
  ],
  [
    /^(element \d+: )?associative list without keys has an element that's (an explicit null|a map type)/,
    (_, [, element = "", found]) =>
      `${element}an item of this list can't be ${found === "a map type" ? "a map" : "null"}`,
  ],
]

/**
 * Returns the message of an issue in plain words: "`on` means true in YAML 1.1; quote it". `value` is the value that the issue is about, as
 * far as it is known, and `written` its text. A message that needs no other words is returned unchanged.
 */
export function plainMessage(message: string, value: Value | undefined, written: WrittenText = {}): string {
  const subject = { value, text: written.value ?? "" }
  for (const [pattern, plain] of table) {
    const match = pattern.exec(message)
    if (match !== null && value !== undefined) return plain(subject, match)
  }
  return message
}

/** A path and a message for people. */
export interface PlainProblem {
  readonly path: string
  readonly message: string
}

/** Returns the path with its last key as it was written, and the message in plain words. `key` is the last step to the value. */
export function plainProblem(
  { path, message }: PlainProblem,
  key: string | number | undefined,
  value: Value | undefined,
  written: WrittenText = {},
): PlainProblem {
  const plain = plainMessage(message, value, written)
  const shown = typeof key === "string" && path.endsWith(`.${key}`) ? keyAsWritten(key, written.key) : undefined
  if (shown === undefined) return { path, message: plain }
  const remark = `; the key \`${shown}\` means ${key} in YAML 1.1, unless it is quoted`
  return { path: `${path.slice(0, -String(key).length)}${shown}`, message: `${plain}${remark}` }
}

/** Returns the key as it was written, if YAML 1.1 reads it as something else than text, such as `on`; otherwise undefined. */
function keyAsWritten(key: string, written: string | undefined): string | undefined {
  return written !== undefined && written !== key && /^[\w.+-]+$/.test(written) ? written : undefined
}

function expectedString(subject: Subject): string {
  const { value, text } = subject
  if (isMap(value as Value) || isList(value as Value)) return `must be text, not ${valueLabel(subject)}`
  const plain = String(value)
  if (text !== "" && text !== plain) return `\`${text}\` means ${plain} in YAML 1.1; quote it`
  return `must be text, not ${valueLabel(subject)}; quote it`
}

function expectedNumber(subject: Subject): string {
  return `must be a number, not ${valueLabel(subject)}${unquote(subject, text => text.trim() !== "" && !Number.isNaN(Number(text)))}`
}

function isBoolean(text: string): boolean {
  return text === "true" || text === "false"
}

function unquote({ value }: Subject, fits: (text: string) => boolean): string {
  return typeof value === "string" && fits(value) ? "; remove the quotes" : ""
}

function valueLabel({ value }: Subject): string {
  if (value === null || value === undefined) return "null"
  if (isMap(value)) return "a map"
  if (isList(value)) return "a list"
  if (typeof value === "string") return value.length > 40 ? "text" : `the text ${JSON.stringify(value)}`
  return typeof value === "boolean" ? `the boolean ${value}` : `the number ${value}`
}
