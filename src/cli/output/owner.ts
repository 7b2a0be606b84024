// Owners in words, and how long ago they wrote.
import type { Owner } from "../../tools/ownership/owners.js"
import { counted } from "../../value/words.js"
import { printable } from "../terminal/layout.js"

/** `autoscaler`, or `kubectl (Update, status)` with operation and subresource if another of these owners has the same name. */
export function shortOwner(owner: Owner, all: readonly Owner[]): string {
  const names = new Set(all.filter(({ manager }) => manager === owner.manager).map(longOwner))
  return names.size > 1 ? longOwner(owner) : printable(owner.manager)
}

/** `kubectl (Update, status)`: the owner with operation and subresource. */
export function longOwner(owner: Owner): string {
  return `${printable(owner.manager)} (${wayOf(owner)})`
}

/** `Update, scale`: the operation and subresource by which it became an owner. */
export function wayOf({ operation, subresource }: Owner): string {
  return printable(subresource === undefined ? operation : `${operation}, ${subresource}`)
}

/** Returns how long before `now` an RFC 3339 time was: `4 minutes ago`. Returns the text unchanged if it is not a valid time. */
export function ago(time: string, now: Date): string {
  const then = Date.parse(time)
  if (Number.isNaN(then)) return time
  const seconds = Math.floor((now.getTime() - then) / 1000)
  if (seconds < 0) return `at ${time}`
  const unit = units.find(({ length }) => seconds >= 2 * length) ?? second
  return seconds === 0 ? "just now" : `${counted(Math.floor(seconds / unit.length), unit.name)} ago`
}

const second = { name: "second", length: 1 }
const day = 24 * 60 * 60

/** The longest first. A unit is used if the time is at least two of it: 90 minutes is more precise than one hour. */
const units = [
  { name: "year", length: 365 * day },
  { name: "month", length: 30 * day },
  { name: "day", length: day },
  { name: "hour", length: 60 * 60 },
  { name: "minute", length: 60 },
  second,
]
