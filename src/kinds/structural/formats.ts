import { isLabel, isSubdomain } from "../../validation/rules/names.js"
import { byteLength } from "../../value/bytes.js"
import { isIP, isIPv6 } from "../../value/ip.js"

// The formats of strings that an API server checks in custom resources. Dashes in the names of formats are ignored.

const hex = (digits: number) => `[0-9a-f]{${digits}}`
const uuid = (third: string, fourth: string) =>
  new RegExp(`^${hex(8)}-?${hex(4)}-?${third}-?${fourth}-?${hex(12)}$`, "i")
const byte = "(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])"
const letter = "a-zA-Z\\p{L}"
const sign = `${letter}0-9\\p{S}`
const hostname = new RegExp(
  `^([${sign}]((-?[${sign}]{0,62})?)|([${sign}](([-${sign}]{0,61}[${sign}])?)(\\.)){1,}([${letter}]){2,63})$`,
  "u",
)
const card =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/

const matches = (expression: RegExp) => (text: string) => expression.test(text)

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: matches(/^[0-9a-f]{24}$/i),
  uri: isRequestURI,
  email: isEmail,
  hostname: text =>
    hostname.test(text) && byteLength(text) <= 255 && text.split(".").every(part => byteLength(part) <= 63),
  ipv4: text => isIP(text, { leadingZeros: true }) && text.includes("."),
  ipv6: text => isIPv6(text),
  cidr: isCIDR,
  mac: matches(
    /^(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}(?:(?:[0-9a-f]{2}\1){2}(?:(?:[0-9a-f]{2}\1){12})?)?[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2}(?:[0-9a-f]{4}\.(?:(?:[0-9a-f]{4}\.){6})?)?[0-9a-f]{4})$/i,
  ),
  uuid: matches(uuid(hex(4), hex(4))),
  uuid3: matches(uuid(`3${hex(3)}`, hex(4))),
  uuid4: matches(uuid(`4${hex(3)}`, `[89ab]${hex(3)}`)),
  uuid5: matches(uuid(`5${hex(3)}`, `[89ab]${hex(3)}`)),
  isbn: text => isISBN10(text) || isISBN13(text),
  isbn10: isISBN10,
  isbn13: isISBN13,
  creditcard: isCreditCard,
  ssn: text => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: matches(
    new RegExp(
      `^rgb\\([ \\t\\n\\f\\r]*${byte}[ \\t\\n\\f\\r]*,[ \\t\\n\\f\\r]*${byte}[ \\t\\n\\f\\r]*,[ \\t\\n\\f\\r]*${byte}[ \\t\\n\\f\\r]*\\)$`,
    ),
  ),
  byte: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: text => text.length <= 63 && isLabel(text),
  k8slongname: text => text.length <= 253 && isSubdomain(text),
}

/** Whether strings of this format are checked. */
export function isKnownFormat(format: string): boolean {
  return Object.hasOwn(formats, format.replaceAll("-", ""))
}

/** Whether the text has the format. True for formats that are not checked. */
export function hasFormat(text: string, format: string): boolean {
  const name = format.replaceAll("-", "")
  return !Object.hasOwn(formats, name) || formats[name]?.(text) === true
}

/** Go: whether the text is an absolute URI or an absolute path, without control characters, and without malformed escapes in the path. */
function isRequestURI(text: string): boolean {
  if (text === "" || /\p{Cc}/u.test(text)) return false
  if (text === "*") return true
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)
  if (scheme === null && !text.startsWith("/")) return false
  const rest = scheme === null ? text : text.slice(scheme[0].length)
  if (!rest.startsWith("/")) return true
  const [path = ""] = rest.split("?")
  if (/%(?![0-9a-fA-F]{2})/.test(path)) return false
  if (scheme === null && !text.startsWith("//")) return true
  const authority = rest.startsWith("//") && !rest.startsWith("///") ? (/^\/\/([^/]*)/.exec(path)?.[1] ?? "") : ""
  return isAuthority(authority)
}

function isAuthority(text: string): boolean {
  const host = text.slice(text.lastIndexOf("@") + 1)
  if (/[ "<>\\^`{|}]/.test(host)) return false
  if (host.startsWith("[")) return /^\[[^\]]*\](:\d*)?$/.test(host)
  return !host.includes(":") || /^[^:]*:\d*$/.test(host)
}

/** Whether the text is an address with an optional name. Comments are not supported. */
function isEmail(text: string): boolean {
  const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-\\u0080-\\uffff]+"
  const quoted = '"(?:[^"\\\\]|\\\\.)*"'
  const address = `(?:${quoted}|${atom}(?:\\.${atom})*)@${atom}(?:\\.${atom})*`
  const named = `(?:(?:${atom}(?:[ \\t]+${atom})*|"(?:[^"\\\\]|\\\\.)*")?[ \\t]*<${address}>)`
  return new RegExp(`^[ \\t]*(?:${address}|${named})[ \\t]*$`).test(text)
}

function isCIDR(text: string): boolean {
  const slash = text.indexOf("/")
  if (slash < 0) return false
  const address = text.slice(0, slash)
  const bits = text.slice(slash + 1)
  return (
    isIP(address, { leadingZeros: true }) && /^\d+$/.test(bits) && Number(bits) <= (address.includes(":") ? 128 : 32)
  )
}

function isISBN10(text: string): boolean {
  const digits = text.replace(/[\t\n\f\r -]+/g, "")
  if (!/^(?:\d{9}X|\d{10})$/.test(digits)) return false
  let sum = 0
  for (let i = 0; i < 10; i++) sum += (i + 1) * (digits[i] === "X" ? 10 : Number(digits[i]))
  return sum % 11 === 0
}

function isISBN13(text: string): boolean {
  const digits = text.replace(/[\t\n\f\r -]+/g, "")
  if (!/^\d{13}$/.test(digits)) return false
  let sum = 0
  for (let i = 0; i < 13; i++) sum += (i % 2 === 0 ? 1 : 3) * Number(digits[i])
  return sum % 10 === 0
}

/** Whether the digits of the text are the number of a credit card, with Luhn's checksum. Ignores all other characters. */
function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, "")
  if (!card.test(digits)) return false
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const value = i % 2 === 0 ? digit : digit * 2
    sum += value > 9 ? value - 9 : value
  }
  return sum % 10 === 0
}

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (match === null) return false
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number]
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  return days !== undefined && day >= 1 && day <= days
}

function isDateTime(text: string): boolean {
  const [date = "", time = ""] = text.toLowerCase().split("t")
  const match = /^(\d{2}):(\d{2}):(\d{2})(.[0-9]+)?(z|([+-]\d{2}:\d{2}))$/.exec(time)
  if (match === null || !isDate(date)) return false
  const [, hours = "", minutes = "", seconds = ""] = match
  return hours <= "23" && minutes <= "59" && seconds <= "59"
}

const units = ["ns", "nano", "us", "µs", "micro", "ms", "milli", "s", "sec", "m", "min", "h", "hr", "hour"]
const longUnits = ["d", "day", "w", "wk", "week"]
/** Units that more letters may follow: "nano" begins "nanoseconds". */
const openUnits = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"]

/** Whether Go's `ParseDuration` reads the text, or the text contains a number with the name of a unit. */
function isDuration(text: string): boolean {
  if (/^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return true
  for (const [, , unit = ""] of text.matchAll(/(?<!\d)(\d+)[\t\n\f\r ]*([A-Za-zµ]+)/g)) {
    const name = unit.toLowerCase()
    if (units.includes(name) || longUnits.includes(name) || openUnits.some(open => name.startsWith(open))) return true
  }
  return false
}
