/** The styles of the element of defineOwnersView: everything around the panes. */
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
