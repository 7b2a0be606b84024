// Tooltips with the facts about a field in the editor: under the pointer, and for the line of the cursor on Ctrl+I.
import type { Extension } from "@codemirror/state"
import { activateHover, closeHoverTooltips, EditorView, hoverTooltip, keymap, type Tooltip } from "@codemirror/view"
import { partsOfLine } from "../../src/tools/view/yaml-line.js"
import { factsElement, factsText } from "./facts-element.js"
import type { FactsAt } from "./field-at.js"

/** Returns the facts about the field at an offset of a text; undefined if there are none. */
export type AskFacts = (text: string, offset: number) => Promise<FactsAt | undefined>

export function fieldTips(ask: AskFacts): Extension {
  /** The tooltip that the cursor asked for. */
  let ready: Tooltip | undefined
  const tips = hoverTooltip(
    (view, pos) => {
      if (ready?.pos === pos) return ready
      const { doc } = view.state
      return ask(doc.toString(), pos).then(found =>
        found !== undefined && pos <= found.to && view.state.doc === doc ? tooltipOf(found) : null,
      )
    },
    { hideOnChange: true },
  )
  const show = (view: EditorView): boolean => {
    const { doc } = view.state
    void askAtCursor(view, ask).then(found => {
      if (view.state.doc !== doc) return
      if (found === undefined) {
        view.dispatch({ effects: EditorView.announce.of("There is no known field on this line.") })
        return
      }
      ready = tooltipOf(found)
      activateHover(view, ready.pos, 1, { tooltip: tips })
      ready = undefined
      view.dispatch({ effects: EditorView.announce.of(factsText(found.facts)) })
    })
    return true
  }
  const described = EditorView.contentAttributes.compute([tips.active], (state): Record<string, string> => {
    return state.field(tips.active).length > 0 ? { "aria-describedby": tipId } : {}
  })
  return [tips, described, keymap.of([{ key: "Mod-i", run: show }])]
}

const tipId = "field-tip"

/** Asks about the field at the cursor, or else about the first one of its line. */
async function askAtCursor(view: EditorView, ask: AskFacts): Promise<FactsAt | undefined> {
  const { doc, selection } = view.state
  const { head } = selection.main
  const { from, text } = doc.lineAt(head)
  const start = from + partsOfLine(text).before.length
  return (await ask(doc.toString(), head)) ?? (await ask(doc.toString(), start))
}

function tooltipOf({ from, to, facts }: FactsAt): Tooltip {
  return {
    pos: from,
    end: to,
    create(view) {
      const dom = factsElement(facts)
      dom.id = tipId
      dom.role = "tooltip"
      const onKey = (event: KeyboardEvent): void => {
        if (event.key !== "Escape") return
        if (dom.contains(document.activeElement)) view.focus()
        view.dispatch({ effects: closeHoverTooltips })
      }
      return {
        dom,
        mount: () => document.addEventListener("keydown", onKey),
        // Keyboard users scroll a long text after they moved to it.
        positioned: () => {
          if (dom.scrollHeight > dom.clientHeight) dom.tabIndex = 0
        },
        destroy: () => document.removeEventListener("keydown", onKey),
      }
    },
  }
}
