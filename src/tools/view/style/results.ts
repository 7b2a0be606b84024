/** The styles of conflicts with their ways out, and of the results of a request. */
export const resultStyle = `
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
  container: conflict / inline-size;
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

/* In a narrow card, no reason is squeezed into the rest of a line. */
@container conflict (max-width: 480px) {
  .reason {
    flex-basis: 100%;
  }
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

details .path {
  display: block;
}
`
