// The problems of texts that should be times, in the words of Go's time.Parse.
import { quoteGo } from "../../value/quote.js"

/** The elements of RFC 3339 in a layout of Go, each with the texts that it reads and the name and limits of its number. */
const elements: readonly (readonly [layout: string, pattern: RegExp, unit?: string, least?: number, most?: number])[] =
  [
    ["2006", /^\d{4}/],
    ["-", /^-/],
    ["01", /^\d\d/, "month", 1, 12],
    ["-", /^-/],
    ["02", /^\d\d/, "day", 1, 31],
    ["T", /^T/],
    ["15", /^\d\d?/, "hour", 0, 23],
    [":", /^:/],
    ["04", /^\d\d/, "minute", 0, 59],
    [":", /^:/],
    ["05", /^\d\d/, "second", 0, 59],
  ]

/** Returns the problem of a text that should be a time, with six digits after the second if `micro`. Undefined for a time. */
export function timeProblem(text: string, micro: boolean): string | undefined {
  const end: typeof elements = [
    micro ? [".000000", /^[.,]\d{6}/] : ["", /^(?:[.,]\d+)?/],
    ["Z07:00", /^(?:Z|[+-]\d\d:\d\d)/],
  ]
  const layout = `2006-01-02T15:04:05${micro ? ".000000" : ""}Z07:00`
  const start = `parsing time ${quoteGo(text)}`
  let rest = text
  for (const [element, pattern, unit = "", least = 0, most = 0] of [...elements, ...end]) {
    const [found] = pattern.exec(rest) ?? []
    if (found === undefined)
      return `${start} as ${quoteGo(layout)}: cannot parse ${quoteGo(rest)} as ${quoteGo(element)}`
    if (unit !== "" && (Number(found) < least || Number(found) > most)) return `${start}: ${unit} out of range`
    rest = rest.slice(found.length)
  }
  if (rest !== "") return `${start}: extra text: ${quoteGo(rest)}`
  const [year, month, day] = text.split(/[-T]/).map(Number)
  const isDay = new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, day)).getUTCDate() === day
  return isDay ? undefined : `${start}: day out of range`
}
