/** The styles of the small parts that all panes share: owners and their looks, badges, notes, links. */
export const partStyle = `
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

table {
  border-collapse: collapse;
}

th {
  text-align: left;
  font-weight: 600;
}

details {
  display: inline-block;
  vertical-align: top;
}

summary {
  cursor: pointer;
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
`
