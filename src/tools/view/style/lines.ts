/** The styles of the lines of an object with their owners. */
export const lineStyle = `
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
