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
