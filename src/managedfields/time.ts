// Times of managedFields entries: RFC 3339, whole seconds, UTC.
import { compareStrings } from "../value/compare.js"

const pattern = /^(\d{4}-\d\d-\d\d)T(\d{1,2}):(\d\d:\d\d)(?:[.,]\d+)?(?:Z|([+-])(\d\d):(\d\d))$/

/** The time in the one form the API server writes (`2024-05-01T12:00:00Z`), or undefined where `text` is no time. */
export function normalizeTime(text: string): string | undefined {
  const match = pattern.exec(text)
  if (match === null) return undefined
  const [, date = "", hour = "", rest = "", sign, zoneHour = "", zoneMinute = ""] = match
  const local = `${date}T${hour.padStart(2, "0")}:${rest}Z`
  const milliseconds = Date.parse(local)
  if (Number.isNaN(milliseconds) || formatTime(new Date(milliseconds)) !== local) return undefined
  if (sign === undefined) return local
  const offset = Number(zoneHour) * 60 + Number(zoneMinute)
  if (Number(zoneHour) > 24 || Number(zoneMinute) > 59) return undefined
  return formatTime(new Date(milliseconds - (sign === "+" ? offset : -offset) * 60_000))
}

/** The time as an entry holds it; fractions of a second are cut off. */
export function formatTime(time: Date): string {
  return `${time.toISOString().slice(0, -5)}Z`
}

/** -1, 0 or 1 over normalized times; an absent one counts as the start of 1970. */
export function compareTimes(a: string | undefined, b: string | undefined): number {
  return compareStrings(a ?? epoch, b ?? epoch) // of one length, digits at the same places
}
const epoch = "1970-01-01T00:00:00Z"
