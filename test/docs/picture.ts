/** Draws the picture of README.md: the output of `smd story` about a conflict and about owners, as SVG. */
import { smd } from "../cli/cli.js"

/** Sizes in pixels. */
const size = { character: 7.9, line: 19, margin: 20, font: 13 }

/** The colours of each manager, for light and dark mode. */
const managers = {
  "web-team": { light: "#0550ae", dark: "#79c0ff" },
  autoscaler: { light: "#953800", dark: "#ffa657" },
}

/** The titles of the sections in the picture. */
const sections = [/^\d\. What is the conflict about/, /^\d\. Who owns what in the end/]

export async function picture(): Promise<string> {
  const { out } = await smd(["story"], { isTTY: true })
  const paragraphs = out.trimEnd().split(/\n(?=\n\S)/)
  const shown = paragraphs.filter(text => sections.some(title => title.test(withoutStyle(text).trim())))
  if (shown.length !== sections.length) throw new Error("the story has other sections than the picture shows")
  return draw(shown.join("\n").trim().split("\n"))
}

function draw(lines: readonly string[]): string {
  const columns = Math.max(...lines.map(line => withoutStyle(line).length))
  const width = Math.ceil(columns * size.character + 2 * size.margin)
  const height = lines.length * size.line + 2 * size.margin
  const cells = lines.flatMap((line, row) => cellsOf(line).map(cell => drawCell(cell, row)))
  const title = "A conflict between two managers of a Deployment, and who owns which of its fields"
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${title}</title>
<style>${styles()}</style>
<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${cells.join("\n")}
</svg>
`
}

function styles(): string {
  const colours = (scheme: "light" | "dark") =>
    Object.entries(managers).map(([name, colour]) => `.${name}{fill:${colour[scheme]}}`)
  const light = [
    "text{fill:#1f2328}",
    ".page{fill:#ffffff;stroke:#d1d9e0}",
    ".faint{fill:#59636e}",
    ".bad{fill:#cf222e}",
    ".good{fill:#1a7f37}",
  ]
  const dark = [
    "text{fill:#e6edf3}",
    ".page{fill:#0d1117;stroke:#3d444d}",
    ".faint{fill:#9198a1}",
    ".bad{fill:#ff7b72}",
    ".good{fill:#3fb950}",
  ]
  const font = `text{font:${size.font}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}.strong{font-weight:bold}`
  const inDark = [...dark, ...colours("dark")].join("")
  return `${font}${[...light, ...colours("light")].join("")}@media(prefers-color-scheme:dark){${inDark}}`
}

/** A piece of a line with two spaces or a change of style on both sides. */
interface Cell {
  readonly column: number
  readonly text: string
  readonly style: string
}

const styleOf: Readonly<Record<string, string>> = { 1: "strong", 2: "faint", 31: "bad", 32: "good" }

function cellsOf(line: string): Cell[] {
  const cells: Cell[] = []
  let column = 0
  for (const { text, style } of styled(line)) {
    for (const { 0: cell, index } of text.matchAll(/\S+(?: \S+)*/g)) {
      cells.push({ column: column + index, text: cell, style })
    }
    column += text.length
  }
  return cells
}

/** Splits a line at changes of style. */
function styled(line: string): { readonly text: string; readonly style: string }[] {
  return `\x1b[0m${line}`
    .split("\x1b[")
    .slice(1)
    .map(part => {
      const end = part.indexOf("m")
      return { text: part.slice(end + 1), style: styleOf[part.slice(0, end)] ?? "" }
    })
}

/** Draws the text, and each manager's name in it as a separate element, since renderers disagree about lengths of nested text. */
function drawCell({ column, text, style }: Cell, row: number): string {
  const names = new RegExp(`(?<![\\w./"-])(${Object.keys(managers).join("|")})(?![\\w.:-])`)
  const y = size.margin + row * size.line + size.font
  let at = column
  const pieces = text.split(names).map(piece => {
    const start = at + piece.search(/\S|$/)
    at += piece.length
    const classes = [style, piece in managers ? piece : ""].filter(name => name !== "").join(" ")
    return drawText(piece.trim(), start, y, classes)
  })
  return pieces.filter(piece => piece !== "").join("\n")
}

function drawText(text: string, column: number, y: number, classes: string): string {
  if (text === "") return ""
  const x = (size.margin + column * size.character).toFixed(1)
  // The length is fixed, so that columns stay aligned in every font.
  const length = (text.length * size.character).toFixed(1)
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
  return `<text x="${x}" y="${y}" textLength="${length}"${classes && ` class="${classes}"`}>${escaped}</text>`
}

function withoutStyle(text: string): string {
  return styled(text)
    .map(part => part.text)
    .join("")
}
