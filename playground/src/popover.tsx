// A button that shows a box on top of the page. The box closes with Escape or a click elsewhere.
import type { ComponentChildren } from "preact"
import { useRef } from "preact/hooks"

export function Popover(props: {
  readonly id: string
  /** The text on the button. */
  readonly text: string
  /** The name of the button, if it is not its text. */
  readonly label?: string
  readonly buttonClass?: string
  readonly boxClass: string
  readonly children: ComponentChildren
}) {
  const { id, text, label, buttonClass, boxClass, children } = props
  const button = useRef<HTMLButtonElement>(null)
  const place = (event: Event): void => {
    const box = event.currentTarget as HTMLElement
    if (button.current !== null && box.matches(":popover-open")) placePopover(box, button.current)
  }
  return (
    <>
      <button ref={button} type="button" class={buttonClass} popovertarget={id} aria-label={label}>
        {text}
      </button>
      <div id={id} popover="auto" class={`popover ${boxClass}`} onToggle={place}>
        {children}
      </div>
    </>
  )
}

/** Places an open popover below a part of the page, or above it, inside the window. */
export function placePopover(box: HTMLElement, part: Element): void {
  const at = part.getBoundingClientRect()
  const { clientWidth, clientHeight } = document.documentElement
  const below = at.bottom + 6
  box.style.left = `${Math.max(8, Math.min(at.left, clientWidth - box.offsetWidth - 8))}px`
  box.style.top = `${below + box.offsetHeight <= clientHeight ? below : Math.max(8, at.top - 6 - box.offsetHeight)}px`
}
