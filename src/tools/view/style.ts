// The styles of the panes, for a page as a whole or for the shadow root of an element: style sheets as texts, in their order.
/// <reference lib="dom" />

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

/**
 * The colors and fonts, and no margins. Each color can be set from outside: `--smd-text` for `--text`. They follow the color scheme of the
 * page, and have a contrast of at least 4.5 with their grounds.
 */
export const themeStyle = `
:root,
:host {
  --ground: var(--smd-ground, light-dark(#f4f5f7, #0f1318));
  --panel: var(--smd-panel, light-dark(#ffffff, #161b22));
  --raised: var(--smd-raised, light-dark(#f8f9fb, #1c222b));
  --line: var(--smd-line, light-dark(#d8dce3, #2c3440));
  --line-strong: var(--smd-line-strong, light-dark(#838c9b, #6d788a));
  --text: var(--smd-text, light-dark(#1b2330, #e2e7ee));
  --muted: var(--smd-muted, light-dark(#566173, #9ba7b6));
  --accent: var(--smd-accent, light-dark(#1a5fb4, #79b0ff));
  --accent-text: var(--smd-accent-text, light-dark(#ffffff, #0b1523));
  --accent-soft: var(--smd-accent-soft, light-dark(#e5eefa, #1b2b42));
  --ok: var(--smd-ok, light-dark(#176b37, #74d193));
  --ok-soft: var(--smd-ok-soft, light-dark(#e3f4e9, #16301f));
  --warn: var(--smd-warn, light-dark(#855400, #e9bd63));
  --warn-soft: var(--smd-warn-soft, light-dark(#fdf1d9, #33280f));
  --danger: var(--smd-danger, light-dark(#b0231b, #ff948b));
  --danger-soft: var(--smd-danger-soft, light-dark(#fdeae8, #3a1a18));
  --key: var(--smd-key, light-dark(#0d5a8a, #82c0f0));
  --value: var(--smd-value, light-dark(#7a3e00, #e8b287));
  --comment: var(--smd-comment, light-dark(#5f6b7b, #8d99a8));
  --changed: var(--smd-changed, light-dark(#fff6da, #2c2a17));
  --o0: var(--smd-o0, light-dark(#2f6fc4, #6ea8f5));
  --o1: var(--smd-o1, light-dark(#c2571a, #f0935a));
  --o2: var(--smd-o2, light-dark(#2b8a57, #63c78d));
  --o3: var(--smd-o3, light-dark(#8b4fb8, #c193ea));
  --o4: var(--smd-o4, light-dark(#b8336a, #f07faa));
  --o5: var(--smd-o5, light-dark(#0f8a94, #4fc6cf));
  --o6: var(--smd-o6, light-dark(#8a6d00, #d9b83c));
  --o7: var(--smd-o7, light-dark(#5f6b7b, #a3afbd));
  --mono: var(--smd-mono, ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace);
}

*,
*::before,
*::after {
  box-sizing: border-box;
}

html,
:host {
  display: block;
  font: 13px / 1.45 var(--smd-font, system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", "DejaVu Sans", sans-serif);
  color: var(--text);
}

/* The page's own margins win, although its style sheet comes before this one. */
:where(body, h1, h2, h3, h4, p, ul, dl, dd) {
  margin: 0;
}

code {
  font-family: var(--mono);
  font-size: 12px;
  overflow-wrap: anywhere;
}
`

/** The rules of lines, conflicts, outcomes and owners. */
export const paneStyle = `
/* Managers and their looks */

.owner {
  display: inline-flex;
  align-items: center;
  gap: 5px;
  min-width: 0;
  max-width: 100%;
}

.owner-name {
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: nowrap;
}

.swatch {
  flex: none;
  display: inline-block;
  width: 12px;
  height: 12px;
  border-radius: 2px;
  border: 1px solid var(--owner);
}

.look-0 {
  --owner: var(--o0);
  background: var(--o0);
}

.look-1 {
  --owner: var(--o1);
  background: repeating-linear-gradient(45deg, var(--o1) 0 2px, transparent 2px 4px);
}

.look-2 {
  --owner: var(--o2);
  background: radial-gradient(circle at 2px 2px, var(--o2) 1.3px, transparent 1.5px) 0 0 / 4px 4px;
}

.look-3 {
  --owner: var(--o3);
  background: repeating-linear-gradient(0deg, var(--o3) 0 2px, transparent 2px 4px);
}

.look-4 {
  --owner: var(--o4);
  background: repeating-linear-gradient(90deg, var(--o4) 0 2px, transparent 2px 4px);
}

.look-5 {
  --owner: var(--o5);
  background: repeating-linear-gradient(-45deg, var(--o5) 0 2px, transparent 2px 4px);
}

.look-6 {
  --owner: var(--o6);
  background: repeating-conic-gradient(var(--o6) 0 25%, transparent 0 50%) 0 0 / 6px 6px;
}

.look-7 {
  --owner: var(--o7);
  background: linear-gradient(var(--o7), var(--o7)) center / 4px 4px no-repeat;
}

.path-text {
  overflow-wrap: break-word;
}

/* The live object */

.legend {
  display: flex;
  flex-wrap: wrap;
  gap: 2px 12px;
  padding: 0;
  list-style: none;
  min-width: 0;
  justify-content: end;
}

.legend li {
  min-width: 0;
  max-width: 22ch;
}

table {
  border-collapse: collapse;
}

th {
  text-align: left;
  font-weight: 600;
}

.lines {
  width: 100%;
  font-family: var(--mono);
  font-size: 12px;
  /* Collapsed borders would let rows show through above the header that sticks. */
  border-collapse: separate;
  border-spacing: 0;
  line-height: 1.5;
  border-top: 1px solid var(--line);
}

.lines thead th {
  position: sticky;
  top: 0;
  z-index: 1;
  padding: 2px 8px;
  font:
    11px / 1.6 system-ui,
    sans-serif;
  color: var(--muted);
  background: var(--raised);
  border-bottom: 1px solid var(--line);
}

.lines td {
  padding: 0 8px;
  vertical-align: top;
}

.gutter {
  width: 17ch;
  max-width: 17ch;
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: nowrap;
  background: var(--raised);
  border-right: 1px solid var(--line);
  color: var(--muted);
}

.gutter .swatch {
  width: 9px;
  height: 13px;
  margin-right: 3px;
  vertical-align: -2px;
}

.gutter-name {
  font:
    11px / 1 system-ui,
    "Liberation Sans",
    "DejaVu Sans",
    sans-serif;
}

.line code {
  white-space: pre-wrap;
}

.changed .line {
  background: var(--changed);
  box-shadow: inset 3px 0 0 var(--warn);
}

.lines .sign {
  position: absolute;
  left: 6px;
  font-weight: 700;
}

.compared .line {
  position: relative;
  padding-left: 20px;
}

.added .line {
  background: var(--ok-soft);
}

.added .sign {
  color: var(--ok);
}

.removed .line {
  background: var(--danger-soft);
}

.removed .sign {
  color: var(--danger);
}

.owners .line,
.owners .gutter {
  background: var(--changed);
}

.owners .sign {
  color: var(--warn);
}

.left-out .line {
  background: var(--raised);
}

.contested .line {
  background: var(--danger-soft);
  box-shadow: inset 3px 0 0 var(--danger);
}

/* The field at which the user points, in all panes. */
.linked .line,
.conflict-card.linked {
  outline: 2px solid var(--danger);
  outline-offset: -2px;
}

.verdict {
  margin: 0 0 8px;
  font-size: 13px;
  color: var(--text);
  padding: 6px 10px;
  border-left: 3px solid var(--line-strong);
  background: var(--raised);
  border-radius: 0 5px 5px 0;
}

.verdict.created,
.verdict.changed {
  border-left-color: var(--ok);
}

.verdict.conflict,
.verdict.error {
  border-left-color: var(--danger);
  background: var(--danger-soft);
}

.conflict-card {
  border: 1px solid var(--line);
  border-left: 3px solid var(--danger);
  border-radius: 0 5px 5px 0;
  padding: 8px 10px;
  margin-bottom: 10px;
}

.facts {
  display: grid;
  grid-template-columns: auto minmax(0, 1fr);
  gap: 2px 12px;
  margin: 6px 0 8px;
}

.facts dt {
  color: var(--muted);
}

.owner-fact {
  display: flex;
  flex-wrap: wrap;
  gap: 0 8px;
}

.ways {
  list-style: none;
  padding: 0;
  display: grid;
  gap: 6px;
}

.ways li {
  display: flex;
  flex-wrap: wrap;
  gap: 2px 8px;
  align-items: center;
}

.way {
  height: auto;
  min-height: 26px;
  max-width: 100%;
  padding-block: 2px;
  text-align: left;
  white-space: normal;
  overflow-wrap: anywhere;
}

/* As wide as fits next to the button, or a line of its own. */
.reason {
  flex: 1 1 24ch;
  min-width: 0;
  overflow-wrap: anywhere;
  font-size: 12px;
}

/* The path on one line, the values on the next. */
.changes li {
  display: grid;
  grid-template-columns: 1.5em minmax(0, 1fr);
  padding: 2px 0;
}

.change-values {
  grid-column: 2;
}

.change-values code {
  overflow-wrap: break-word;
}

.mark {
  width: 1.5em;
  font-family: var(--mono);
  font-weight: 700;
  text-align: center;
}

.mark.add {
  color: var(--ok);
}

.mark.change {
  color: var(--warn);
}

.mark.remove {
  color: var(--danger);
}

.from {
  text-decoration: line-through;
  color: var(--muted);
}

.transfers li {
  display: grid;
  gap: 0 10px;
  padding: 3px 0;
}

.paths {
  padding-left: 17px;
}

.path {
  display: inline-block;
  margin-right: 10px;
}

details {
  display: inline-block;
  vertical-align: top;
}

summary {
  cursor: pointer;
}

details .path {
  display: block;
}

button.link {
  height: auto;
  padding: 0;
  border: 0;
  background: none;
  color: var(--accent);
  text-decoration: underline;
  font-weight: normal;
}

:focus-visible {
  outline: 2px solid var(--accent);
  outline-offset: 1px;
}

.muted {
  color: var(--muted);
}

.hidden {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}

.plain {
  list-style: none;
  padding: 0;
}

.badge {
  display: inline-block;
  padding: 0 6px;
  border-radius: 9px;
  font-size: 11px;
  line-height: 18px;
  font-weight: 600;
  white-space: nowrap;
  font-family: system-ui, sans-serif;
}

.badge.ok {
  color: var(--ok);
  background: var(--ok-soft);
}

.badge.warn {
  color: var(--warn);
  background: var(--warn-soft);
}

.badge.danger {
  color: var(--danger);
  background: var(--danger-soft);
}

.badge.off {
  color: var(--muted);
  background: var(--raised);
}

.note {
  padding: 6px 10px;
  border-radius: 5px;
  margin: 4px 0;
}

.note.warn {
  color: var(--warn);
  background: var(--warn-soft);
}

.note.danger {
  color: var(--danger);
  background: var(--danger-soft);
}

.empty {
  padding: 24px 16px;
  color: var(--muted);
  text-align: center;
}

.yaml-key {
  color: var(--key);
}

.yaml-value {
  color: var(--value);
}

.hand {
  color: var(--warn);
  margin-right: 3px;
}

.lines tr:focus-visible {
  outline-offset: -2px;
}

.lines tr[aria-selected="true"] .line {
  background: var(--accent-soft);
  box-shadow: inset 3px 0 0 var(--accent);
}

.lines tr[aria-selected] {
  cursor: pointer;
}

@media (max-width: 799px) {
  .gutter {
    width: 11ch;
    max-width: 11ch;
  }
}
`

/** The rules of the element of defineOwnersView: everything around the panes. */
export const elementStyle = `
:host {
  container-type: inline-size;
}

:host([hidden]) {
  display: none;
}

h2 {
  font-size: 15px;
}

h3 {
  font-size: 13px;
  margin: 10px 0 4px;
}

h4 {
  font-size: 13px;
}

.view {
  background: var(--panel);
  border: 1px solid var(--line);
  border-radius: 7px;
  overflow: hidden;
}

.head {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 6px 14px;
  padding: 8px 10px;
}

.head .legend {
  flex: 1 1 100%;
  justify-content: start;
}

.head input {
  margin-left: auto;
}

.legend li {
  max-width: none;
}

input,
button {
  font: inherit;
  color: inherit;
  min-height: 26px;
  padding: 0 10px;
  border: 1px solid var(--line-strong);
  border-radius: 5px;
  background: var(--panel);
}

input {
  width: 20ch;
}

button {
  cursor: pointer;
}

button:hover:not(:disabled) {
  background: var(--accent-soft);
}

button:disabled {
  cursor: default;
  color: var(--muted);
  border-color: var(--line);
}

.panes {
  display: grid;
  border-top: 1px solid var(--line);
}

.scroll {
  overflow: auto;
  max-height: var(--smd-height, 60vh);
}

.insight {
  padding: 10px 12px;
  border-top: 1px solid var(--line);
}

.insight:empty {
  display: none;
}

.notes:empty {
  display: none;
}

.owned li {
  padding: 2px 0;
}

.legend li,
.owned li {
  display: flex;
  flex-wrap: wrap;
  gap: 0 5px;
  align-items: baseline;
}

.selection + .verdict {
  margin-top: 14px;
}

@container (min-width: 800px) {
  .panes:has(.insight:not(:empty)) {
    grid-template-columns: minmax(0, 1.2fr) minmax(0, 1fr);
  }

  .insight {
    overflow: auto;
    max-height: var(--smd-height, 60vh);
    border-top: 0;
    border-left: 1px solid var(--line);
  }
}

@container (max-width: 560px) {
  .gutter {
    width: 11ch;
    max-width: 11ch;
  }

  .head input {
    width: 100%;
  }
}
`
