// The colors and the indentation of YAML in the editor.
import { indentService } from "@codemirror/language"
import { EditorState, type Extension, RangeSetBuilder } from "@codemirror/state"
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view"
import { partsOfLine } from "../../src/tools/view/yaml-line.js"

const marks = {
  key: Decoration.mark({ class: "yaml-key" }),
  value: Decoration.mark({ class: "yaml-value" }),
  comment: Decoration.mark({ class: "yaml-comment" }),
}

/** Colors the visible lines, and indents new lines. */
export const yamlLook: Extension = [
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet

      constructor(view: EditorView) {
        this.decorations = colorsOf(view)
      }

      update(update: ViewUpdate): void {
        if (update.docChanged || update.viewportChanged) this.decorations = colorsOf(update.view)
      }
    },
    { decorations: plugin => plugin.decorations },
  ),
  EditorState.languageData.of(() => [{ commentTokens: { line: "#" } }]),
  indentService.of(({ state }, offset) =>
    indentAfter(state.doc.lineAt(offset).text.slice(0, offset - state.doc.lineAt(offset).from)),
  ),
]

function colorsOf({ state, visibleRanges }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>()
  for (const { from, to } of visibleRanges) {
    const last = state.doc.lineAt(to).number
    let block = blockAbove(state, state.doc.lineAt(from).number)
    for (let number = state.doc.lineAt(from).number; number <= last; number++) {
      const line = state.doc.line(number)
      const margin = line.text.search(/\S/)
      if (margin >= 0 && margin <= block) block = -1
      if (block >= 0) {
        if (line.length > 0) builder.add(line.from, line.to, marks.value)
        continue
      }
      const parts = partsOfLine(line.text)
      let at = line.from
      for (const name of ["before", "key", "colon", "value", "comment"] as const) {
        const end = at + parts[name].length
        if (end > at && name in marks) builder.add(at, end, marks[name as keyof typeof marks])
        at = end
      }
      if (/^[|>][-+0-9]*\s*$/.test(parts.value)) block = margin
    }
  }
  return builder.finish()
}

/** Returns the column of the key above this line whose block scalar may contain the line; -1 if not found. */
function blockAbove(state: EditorState, number: number): number {
  const margin = state.doc.line(number).text.search(/\S|$/)
  for (let above = number - 1; above > 0; above--) {
    const { text } = state.doc.line(above)
    const start = text.search(/\S/)
    if (start < 0 || start >= margin) continue
    return /[:-]\s+[|>][-+0-9]*\s*$/.test(text) ? start : -1
  }
  return -1
}

/** Returns the column of the line after this one: indented after a key without a value, aligned with the content after a dash. */
export function indentAfter(text: string): number {
  const { before, key, value } = partsOfLine(text)
  const column = before.length
  return key !== "" && value === "" ? column + 2 : column
}
