// The width of text on a terminal, in columns.

/** Returns the columns that the text takes: two for wide characters (CJK, emoji), none for combining marks and for our own colours. */
export function widthOf(text: string): number {
  const plain = text.includes("\x1b") ? text.replaceAll(colour, "") : text
  if (ascii.test(plain)) return plain.length
  let width = 0
  for (const { segment } of segmentsOf(plain)) width += widthOfCharacter(segment)
  return width
}

/** Returns the part of the text that begins at column `from` and takes at most `width` columns. */
export function sliceColumns(text: string, from: number, width: number): string {
  if (ascii.test(text)) return text.slice(from, from + width)
  let out = ""
  let column = 0
  for (const { segment } of segmentsOf(text)) {
    const next = column + widthOfCharacter(segment)
    if (column >= from && next <= from + width) out += segment
    if (next > from + width) break
    column = next
  }
  return out
}

/** Returns the text, or as much of its beginning and its end as fits into `width` columns, with `…` between them. */
export function cutMiddle(text: string, width: number): string {
  const whole = widthOf(text)
  if (whole <= width) return text
  const end = Math.floor((width - 1) / 2)
  return `${sliceColumns(text, 0, width - 1 - end)}…${sliceColumns(text, whole - end, end)}`
}

/** Cuts every line that takes more than `width` columns in its middle. Such a line loses its colours. */
export function clampLines(text: string, width: number): string {
  const clamp = (line: string): string =>
    widthOf(line) <= width ? line : cutMiddle(line.replaceAll(colour, ""), width)
  return text.split("\n").map(clamp).join("\n")
}

function widthOfCharacter(character: string): number {
  if (wide.test(character)) return 2
  return mark.test(character) ? 0 : 1
}

let segmenter: Intl.Segmenter | undefined

/** Splits the text into characters as people see them. The segmenter takes 5 ms to load, and most texts are ASCII. */
function segmentsOf(text: string): Iterable<{ readonly segment: string }> {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" })
  return segmenter.segment(text)
}

const ascii = /^[ -~]*$/
const colour = /\p{Cc}\[\d+m/gu
/** Matches text that begins with a wide character, or that requests emoji presentation. */
const wide =
  /^(?:\p{Emoji_Presentation}|[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Yi}](?<![\uff61-\uffdc])|[\u3000-\u303e\uff01-\uff60\uffe0-\uffe6])|^\p{Emoji}\ufe0f/u
/** Matches marks without a base character. */
const mark = /^(?:\p{Mn}|\p{Me}|\u200b|\u200c|\u200d)+$/u
