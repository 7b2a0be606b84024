// Lays out reports for comments on pull requests: a marker, a summary, and a part for each object that the reader can unfold.
//
// All text from documents is in code blocks or `code` elements, in which Markdown, HTML, links and @mentions mean nothing.
import { counted } from "../../../value/words.js"
import { option, UsageError } from "../../input/options.js"
import { sliceColumns, widthOf } from "../../terminal/width.js"

/** A part of a comment: the result for one object. */
export interface Fold {
  /** The object, as plain text on one line. */
  readonly title: string
  /** The result in a few words of ours, such as `2 conflicts`. */
  readonly result: string
  /** Lines of a diff, without line breaks. */
  readonly lines: readonly string[]
  /** Whether somebody has to act. Such parts come first, and are unfolded if there are few. */
  readonly isUrgent: boolean
}

/** The content of a comment. */
export interface Comment {
  /** The name of the marker. */
  readonly marker: string
  /** Our own words. */
  readonly summary: string
  readonly folds: readonly Fold[]
  /** The noun for a fold. */
  readonly noun: string
}

/** `--marker`. */
export const markerOption = option(
  "NAME",
  "with --output markdown: the name in its hidden first line, by which a bot finds its comment again; the command if absent",
  (text, name) => {
    if (/^[A-Za-z0-9](?:[\w./ ]|-(?!-)){0,99}(?<!-)$/.test(text)) return text
    throw new UsageError(`${name} must be up to 100 letters, digits, spaces and ./_-, without --`)
  },
)

/** The columns in which sentences are wrapped, so that GitHub shows them without a scroll bar. Values are not wrapped. */
export const noteColumns = 88

/** GitHub refuses comments of more characters. */
const mostCharacters = 65_536
/** The room for the note about the parts that are left out. */
const noteRoom = 300
/** A part may always have this many characters, so that a part that is cut still says something. */
const fairShare = 2_000
const mostColumns = 500
/** So many urgent parts are unfolded. */
const mostOpen = 3

/** Writes a comment of less than 65,536 characters. Parts that are too long are cut, and the last ones left out, and a note says so. */
export function formatComment({ marker, summary, folds, noun }: Comment): string {
  const parts = [`<!-- smd: ${marker} -->\n**${summary}**\n`]
  const ordered = [...folds.filter(({ isUrgent }) => isUrgent), ...folds.filter(({ isUrgent }) => !isUrgent)]
  const open = ordered.filter(({ isUrgent }) => isUrgent).length <= mostOpen
  let room = mostCharacters - 1 - noteRoom - (parts[0] as string).length
  let cut = 0
  let shown = 0
  for (const fold of ordered) {
    const share = Math.max(fairShare, Math.floor(room / (ordered.length - shown)))
    if (share > room) break
    const { text, isCut } = formatFold(fold, open && fold.isUrgent, share)
    room -= text.length + 1
    parts.push(text)
    shown++
    if (isCut) cut++
  }
  const left = ordered.length - shown
  const notes = [
    ...(cut > 0 ? [`${counted(cut, noun)} not shown completely`] : []),
    ...(left > 0 ? [`${counted(left, `more ${noun}`)} left out`] : []),
  ]
  if (notes.length > 0) {
    parts.push(
      `_${notes.join(" and ")}, because a comment has room for ${mostCharacters.toLocaleString("en")} characters._\n`,
    )
  }
  return parts.join("\n")
}

/** Writes the part with as many lines as fit into `room` characters. */
function formatFold(
  { title, result, lines, isUrgent }: Fold,
  isOpen: boolean,
  room: number,
): { readonly text: string; readonly isCut: boolean } {
  const weight = isUrgent ? ["<b>", "</b>"] : ["", ""]
  const heading = `<code>${escapeHtml(shortLine(title))}</code> ${weight.join(escapeHtml(result))}`
  const fence = fenceFor(lines)
  const head = `<details${isOpen ? " open" : ""}>\n<summary>${heading}</summary>\n\n${fence}diff\n`
  const tail = `${fence}\n\n</details>\n`
  let left = room - head.length - tail.length - lineRoom
  const shown: string[] = []
  for (const line of lines) {
    const short = shortLine(line)
    left -= short.length + 1
    if (left < 0) break
    shown.push(short)
  }
  const hidden = lines.length - shown.length
  const more = hidden === 0 ? [] : [`# ... ${counted(hidden, "more line")}`]
  return { text: `${head}${[...shown, ...more].map(line => `${line}\n`).join("")}${tail}`, isCut: hidden > 0 }
}

/** The room for the line that counts hidden lines. */
const lineRoom = 40

function shortLine(line: string): string {
  return widthOf(line) <= mostColumns ? line : `${sliceColumns(line, 0, mostColumns - 3)}...`
}

/** Returns more backticks than any of the lines has in a row, so that no line ends the code block. */
function fenceFor(lines: readonly string[]): string {
  const longest = lines.flatMap(line => line.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  return "`".repeat(longest + 1)
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** Escapes text for an HTML element that contains no Markdown. */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, char => entities[char] as string)
}
