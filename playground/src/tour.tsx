// The tour: five short hints, each next to the part of the page that it explains. Style sheets place the hints and outline the parts.
import { useEffect, useRef, useState } from "preact/hooks"
import { store, stored } from "./stored.js"
import { type Hint, hints } from "./terms.js"

const key = "playground-tour"

/** Returns true on the first visit, and remembers the visit. Returns false if the browser can't remember it. */
export function claimFirstVisit(): boolean {
  return stored(key) === undefined && store(key, "seen")
}

/** Shows one hint at a time. The rest of the page stays usable. */
export function Tour({ onClose }: { readonly onClose: () => void }) {
  const [order] = useState(hintsInOrder)
  const [at, setAt] = useState(0)
  const box = useRef<HTMLElement>(null)
  const before = useRef(document.activeElement)
  const { part, title, text } = order[at] as Hint
  const isLast = at === order.length - 1

  const close = (): void => {
    if (box.current?.contains(document.activeElement)) {
      const target = before.current === document.body ? document.getElementById("tour-button") : before.current
      if (target instanceof HTMLElement) target.focus({ preventScroll: true })
    }
    onClose()
  }
  useEffect(() => box.current?.focus({ preventScroll: true }), [])
  useEffect(() => {
    const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth"
    box.current?.scrollIntoView({ block: isNarrow() ? "center" : "nearest", behavior })
  }, [at])
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isForOthers = event.defaultPrevented || document.querySelector("dialog[open], :popover-open") !== null
      if (event.key === "Escape" && !isForOthers) close()
    }
    document.addEventListener("keydown", onKey)
    return () => document.removeEventListener("keydown", onKey)
  })

  return (
    <section
      ref={box}
      class={`hint hint-${part}`}
      role="dialog"
      tabIndex={-1}
      aria-labelledby="hint-title"
      aria-describedby="hint-text"
    >
      <div aria-live="polite">
        <h2 id="hint-title">{title}</h2>
        <p id="hint-text">{text}</p>
      </div>
      <div class="controls">
        <span class="muted">
          {at + 1} of {order.length}
        </span>
        <span class="grow" />
        {!isLast && (
          <button type="button" class="link" onClick={close}>
            Skip
          </button>
        )}
        {at > 0 && (
          <button type="button" onClick={() => setAt(at - 1)}>
            Back
          </button>
        )}
        <button type="button" class="primary" onClick={() => (isLast ? close() : setAt(at + 1))}>
          {isLast ? "Done" : "Next"}
        </button>
      </div>
    </section>
  )
}

/** Returns the hints in the order of the page, which shows the conflict first in a narrow window. */
function hintsInOrder(): readonly Hint[] {
  return isNarrow() ? hints.toSorted((a, b) => Number(b.part === "insight") - Number(a.part === "insight")) : hints
}

/** Whether the page scrolls as a whole, as in narrow.css. */
function isNarrow(): boolean {
  return matchMedia("(max-width: 799px), (max-height: 559px)").matches
}
