// Times of managedFields entries: RFC 3339, whole seconds, UTC.
import { compareStrings } from "../../value/compare.js"

/**
 * Matches times in the API server's form on days up to the 28th, which every month has. That covers nearly all times without a calendar.
 */
const asWritten = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/

const pattern = /^(\d{4}-\d\d-\d\d)T(\d{1,2}):(\d\d:\d\d)(?:[.,]\d+)?(?:Z|([+-])(\d\d):(\d\d))$/

/** Returns the time in the only form that the API server writes (`2024-05-01T12:00:00Z`), or undefined if `text` is not a time. */
export function normalizeTime(text: string): string | undefined {
  if (asWritten.test(text)) return text
  const match = pattern.exec(text)
  if (match === null) return undefined
  const [, date = "", hour = "", rest = "", sign, zoneHour = "", zoneMinute = ""] = match
  const local = `${date}T${hour.padStart(2, "0")}:${rest}Z`
  const milliseconds = Date.parse(local)
  if (Number.isNaN(milliseconds) || formatTime(new Date(milliseconds)) !== local) return undefined
  if (sign === undefined) return local
  const offset = Number(zoneHour) * 60 + Number(zoneMinute)
  if (Number(zoneHour) > 24 || Number(zoneMinute) > 59) return undefined
  const time = new Date(milliseconds - (sign === "+" ? offset : -offset) * 60_000)
  return hasFourDigits(time) ? formatTime(time) : undefined
}

/** Formats a time for an entry; fractions of a second are cut off. Throws a RangeError outside the years 0 to 9999. */
export function formatTime(time: Date): string {
  if (!hasFourDigits(time)) throw new RangeError(`expected a time in the years 0 to 9999, got ${formatAny(time)}`)
  const second = Math.floor(time.getTime() / 1000)
  if (second !== latest.second) {
    const text = `${Date.prototype.toISOString.call(time).slice(0, -5)}Z` // a subclass may override toISOString
    latest = { second, text }
  }
  return latest.text
}

/** The time that was formatted last. A server formats each second often, and its objects share the text. */
let latest = { second: Number.NaN, text: "" }

/** Whether the year has four digits. Entries with other years could not be read back. */
function hasFourDigits(time: Date): boolean {
  const year = time.getUTCFullYear()
  return year >= 0 && year <= 9999
}

function formatAny(time: Date): string {
  return Number.isNaN(time.getTime()) ? "an invalid Date" : time.toISOString()
}

/** Compares two normalized times and returns -1, 0 or 1. An absent time counts as the start of 1970. */
export function compareTimes(a: string | undefined, b: string | undefined): number {
  return compareStrings(a ?? epoch, b ?? epoch) // normalized times have the same length, with digits in the same places
}
const epoch = "1970-01-01T00:00:00Z"

/** Returns the latest of these times; undefined if there is none. */
export function latestTime(times: readonly (string | undefined)[]): string | undefined {
  return times
    .filter(time => time !== undefined)
    .toSorted(compareTimes)
    .at(-1)
}
