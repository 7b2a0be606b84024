// A tooltip with the facts about a line of the live object.
import { useLayoutEffect, useRef } from "preact/hooks"
import { factsElement } from "./facts-element.js"
import type { FieldFacts } from "./field-facts.js"
import { placePopover } from "./popover.js"

/** The facts about a line, and its row. */
export interface LineFacts {
  readonly facts: FieldFacts
  readonly row: HTMLElement
}

/** Shows the facts next to the row. Closes with Escape, a click elsewhere, the move to another row, and when the row is out of view. */
export function LineTip({ facts, row }: LineFacts) {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const tip = place.current
    if (tip === null) return
    tip.replaceChildren(factsElement(facts))
    tip.showPopover()
    const part = row.querySelector("code") ?? row
    placePopover(tip, part)
    row.setAttribute("aria-describedby", tip.id)
    const close = ({ target }: Event): void => {
      if (target !== row && !(target instanceof Node && tip.contains(target))) tip.hidePopover()
    }
    const follow = (): void => {
      const [at, list] = [row.getBoundingClientRect(), row.closest(".scroll")?.getBoundingClientRect()]
      if (list !== undefined && (at.bottom < list.top || at.top > list.bottom)) tip.hidePopover()
      else placePopover(tip, part)
    }
    document.addEventListener("focusin", close)
    document.addEventListener("scroll", follow, true)
    return () => {
      document.removeEventListener("focusin", close)
      document.removeEventListener("scroll", follow, true)
      row.removeAttribute("aria-describedby")
    }
  }, [facts, row])
  return <div ref={place} id="line-tip" role="tooltip" popover="auto" class="line-tip" />
}
