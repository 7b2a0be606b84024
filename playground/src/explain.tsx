// A question mark that explains the terms of a part of the page.
import { useRef } from "preact/hooks"
import { type Term, terms } from "./terms.js"

/** The button. Its text appears on top of the page, and closes with Escape or a click elsewhere. */
export function Explain({ part, label }: { readonly part: keyof typeof terms; readonly label: string }) {
  const id = `terms-${part}`
  const list: readonly Term[] = terms[part]
  const button = useRef<HTMLButtonElement>(null)
  /** Places the text below the button, or above it, inside the window. */
  const place = (event: Event): void => {
    const box = event.currentTarget as HTMLElement
    const at = button.current?.getBoundingClientRect()
    if (at === undefined || !box.matches(":popover-open")) return
    const { clientWidth, clientHeight } = document.documentElement
    const below = at.bottom + 6
    box.style.left = `${Math.max(8, Math.min(at.left, clientWidth - box.offsetWidth - 8))}px`
    box.style.top = `${below + box.offsetHeight <= clientHeight ? below : Math.max(8, at.top - 6 - box.offsetHeight)}px`
  }
  return (
    <>
      <button ref={button} type="button" class="explain" popovertarget={id} aria-label={`Explain ${label}`}>
        ?
      </button>
      <div id={id} popover="auto" class="terms" onToggle={place}>
        <dl>
          {list.map(([term, explanation]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{explanation}</dd>
            </div>
          ))}
        </dl>
      </div>
    </>
  )
}
