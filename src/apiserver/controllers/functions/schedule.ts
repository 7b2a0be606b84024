// The times of a CronJob, from its schedule in the words of cron.

const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

const shorthands: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
}

/** A schedule: the minutes at which something happens. */
export interface Schedule {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly daysOfMonth: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly daysOfWeek: ReadonlySet<number>
  /** Whether a day has to fit both fields of days; if not, one is enough. */
  readonly needsBothDays: boolean
  /** The time between two times of `@every`, in milliseconds. */
  readonly every?: number
}

/** Reads a schedule. Returns undefined if the text is not a schedule. */
export function readSchedule(text: string): Schedule | undefined {
  const every = /^@every (?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text)
  const none = new Set<number>()
  if (every !== null) {
    const [, hours = 0, minutes = 0, seconds = 0] = every
    const period = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
    const sets = { minutes: none, hours: none, daysOfMonth: none, months: none, daysOfWeek: none }
    return period > 0 ? { ...sets, needsBothDays: false, every: period } : undefined
  }
  const fields = (shorthands[text] ?? text).trim().split(/\s+/)
  if (fields.length !== 5) return undefined
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = fields
  const sets = {
    minutes: readField(minute, 0, 59),
    hours: readField(hour, 0, 23),
    daysOfMonth: readField(day, 1, 31),
    months: readField(month, 1, 12, months),
    daysOfWeek: readField(weekday, 0, 7, days),
  }
  if (Object.values(sets).includes(undefined)) return undefined
  const known = sets as { readonly [Key in keyof typeof sets]: ReadonlySet<number> }
  const weekdays = new Set([...known.daysOfWeek].map(each => each % 7))
  return { ...known, daysOfWeek: weekdays, needsBothDays: [day, weekday].some(field => /^[*?]/.test(field)) }
}

function readField(
  text: string,
  least: number,
  most: number,
  names: readonly string[] = [],
): ReadonlySet<number> | undefined {
  const values = new Set<number>()
  for (const part of text.split(",")) {
    const [, range = "", step] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? []
    const numberOf = (word: string): number => {
      const at = names.indexOf(word.toLowerCase())
      return at >= 0 ? at + (least === 1 ? 1 : 0) : /^\d+$/.test(word) ? Number(word) : Number.NaN
    }
    const [from = "", to] = range.split("-")
    const isAny = range === "*" || range === "?"
    const first = isAny ? least : numberOf(from)
    const last = isAny ? most : to !== undefined ? numberOf(to) : step !== undefined ? most : first
    const by = step === undefined ? 1 : Number(step)
    if (!(first >= least && last <= most && first <= last && by > 0)) return undefined
    for (let value = first; value <= last; value += by) values.add(value)
  }
  return values
}

const minute = 60_000
const hour = 60 * minute
/** A schedule without a time in so many years has none. */
const mostYears = 5

/** Returns the first time of a schedule after this one; undefined if the schedule has no later time. Times are those of a time zone, UTC if absent. */
export function nextTime(schedule: Schedule, after: Date, timeZone?: string): Date | undefined {
  if (schedule.every !== undefined) return new Date(after.getTime() + schedule.every)
  const clock = wallClock(timeZone)
  const end = after.getTime() + mostYears * 366 * 24 * hour
  let time = (Math.floor(after.getTime() / minute) + 1) * minute
  while (time < end) {
    const now = clock(time)
    const isMonthDay = schedule.daysOfMonth.has(now.day)
    const isWeekday = schedule.daysOfWeek.has(now.weekday)
    const isDay = schedule.needsBothDays ? isMonthDay && isWeekday : isMonthDay || isWeekday
    const isToday = schedule.months.has(now.month) && isDay
    // A day may have 23 hours, so a step over the rest of one ends an hour early.
    if (!isToday) time += Math.max(1, 23 - now.hour) * hour - now.minute * minute
    else if (!schedule.hours.has(now.hour)) time += (60 - now.minute) * minute
    else if (schedule.minutes.has(now.minute)) return new Date(time)
    else time += minute
  }
  return undefined
}

interface WallTime {
  readonly month: number
  readonly day: number
  readonly weekday: number
  readonly hour: number
  readonly minute: number
}

/** Returns a function that reads the clock on a wall in this time zone. */
function wallClock(timeZone: string | undefined): (time: number) => WallTime {
  if (timeZone === undefined || timeZone === "UTC" || timeZone === "Etc/UTC") {
    return time => {
      const date = new Date(time)
      const [month, day, weekday] = [date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCDay()]
      return { month, day, weekday, hour: date.getUTCHours(), minute: date.getUTCMinutes() }
    }
  }
  const fields = { month: "numeric", day: "numeric", weekday: "short", hour: "numeric", minute: "numeric" } as const
  const format = new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", ...fields })
  return time => {
    const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]))
    const weekday = days.indexOf((parts.weekday ?? "").toLowerCase())
    return {
      month: Number(parts.month),
      day: Number(parts.day),
      weekday,
      hour: Number(parts.hour),
      minute: Number(parts.minute),
    }
  }
}
