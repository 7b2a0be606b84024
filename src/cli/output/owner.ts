// Owners in words, and when they did what.
import type { Owner } from "../../tools/ownership/owners.js"
import { count, printable } from "../terminal/layout.js"

/** `autoscaler`; with operation and subresource, `kubectl (Update, status)`, where another of these owners has the name too. */
export function shortOwner(owner: Owner, all: readonly Owner[]): string {
  const names = new Set(all.filter(({ manager }) => manager === owner.manager).map(longOwner))
  return names.size > 1 ? longOwner(owner) : printable(owner.manager)
}

function longOwner({ manager, operation, subresource }: Owner): string {
  return printable(`${manager} (${operation}${subresource === undefined ? "" : `, ${subresource}`})`)
}

/** `Update, scale`: how it came to own something. */
export function wayOf({ operation, subresource }: Owner): string {
  return printable(subresource === undefined ? operation : `${operation}, ${subresource}`)
}

/** How long before `now` a time of RFC 3339 was: `4 minutes ago`. The text as it is where it is no time. */
export function ago(time: string, now: Date): string {
  const then = Date.parse(time)
  if (Number.isNaN(then)) return time
  const seconds = Math.floor((now.getTime() - then) / 1000)
  if (seconds < 0) return `at ${time}`
  const unit = units.find(({ length }) => seconds >= 2 * length) ?? second
  return seconds === 0 ? "just now" : `${count(Math.floor(seconds / unit.length), unit.name)} ago`
}

const second = { name: "second", length: 1 }
const day = 24 * 60 * 60

/** The longest first. One is told of from two of it on: 90 minutes say more than one hour. */
const units = [
  { name: "year", length: 365 * day },
  { name: "month", length: 30 * day },
  { name: "day", length: day },
  { name: "hour", length: 60 * 60 },
  { name: "minute", length: 60 },
  second,
]
