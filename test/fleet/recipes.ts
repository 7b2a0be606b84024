// Reads the recipes from docs/fleets.md, so that the tests run exactly what readers copy.
import { codeBlocks, read } from "../support/documents.js"

const sections = new Map(
  read("docs/fleets.md")
    .split(/^## /m)
    .map(section => [section.slice(0, section.indexOf("\n")), section]),
)

/** Returns the only code block of this language below the heading. */
export function recipe(heading: string, language: string): string {
  const blocks = codeBlocks(sections.get(heading) ?? "", language)
  const [block] = blocks
  if (block === undefined || blocks.length > 1) {
    throw new Error(`docs/fleets.md has ${blocks.length} blocks of ${language} below ${heading}`)
  }
  return block
}

/** Returns the queries, by their headings of the third level. */
export function queries(): ReadonlyMap<string, string> {
  const parts = (sections.get("Questions to ask of the output") ?? "").split(/^### /m).slice(1)
  return new Map(parts.map(part => [part.slice(0, part.indexOf("\n")), codeBlocks(part, "sql").join("\n")]))
}
