// Tabs for the keyboard: the Tab key stops once at the row, and arrow keys move between tabs.
import type { ComponentChildren } from "preact"

export interface TabItem {
  readonly id: string
  readonly label: ComponentChildren
}

/** A row of tabs. The caller's panel has the id `panel-NAME` and the label `tab-NAME-ID`. */
export function Tabs(props: {
  readonly name: string
  readonly label: string
  readonly items: readonly TabItem[]
  readonly selected: string
  readonly onSelect: (id: string) => void
}) {
  const { name, label, items, selected, onSelect } = props
  return (
    <div role="tablist" aria-label={label} class="tabs" onKeyDown={moveFocus}>
      {items.map(({ id, label: text }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`tab-${name}-${id}`}
          class="tab"
          aria-selected={id === selected}
          aria-controls={`panel-${name}`}
          tabIndex={id === selected ? 0 : -1}
          onClick={() => onSelect(id)}
          onFocus={() => id === selected || onSelect(id)}
        >
          {text}
        </button>
      ))}
    </div>
  )
}

/** Moves the focus among the buttons of a row with the arrow keys, Home and End. */
export function moveFocus(event: KeyboardEvent): void {
  const row = event.currentTarget as HTMLElement
  const buttons = [...row.querySelectorAll<HTMLElement>("button")]
  const at = buttons.indexOf(document.activeElement as HTMLElement)
  if (at < 0) return
  const last = buttons.length - 1
  const targets: Record<string, number> = {
    ArrowRight: at === last ? 0 : at + 1,
    ArrowLeft: at === 0 ? last : at - 1,
    Home: 0,
    End: last,
  }
  const target = targets[event.key]
  if (target === undefined) return
  event.preventDefault()
  buttons[target]?.focus()
}
