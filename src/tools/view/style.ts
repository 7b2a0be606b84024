// The styles of the panes, for a page as a whole or for the shadow root of an element: style sheets as texts, in their order.
/// <reference lib="dom" />
import { lineStyle } from "./style/lines.js"
import { partStyle } from "./style/parts.js"
import { resultStyle } from "./style/results.js"

const sheets = new Map<string, CSSStyleSheet>()

/** Gives a document or a shadow root these styles. Places of one page share the style sheets. */
export function adoptStyles(place: Document | ShadowRoot, texts: readonly string[]): void {
  // jsdom has no style sheets of this kind.
  if (!("replaceSync" in CSSStyleSheet.prototype)) return
  place.adoptedStyleSheets = texts.map(text => {
    const known = sheets.get(text)
    if (known !== undefined) return known
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(text)
    sheets.set(text, sheet)
    return sheet
  })
}

/** The rules of all panes. */
export const paneStyle = partStyle + lineStyle + resultStyle
