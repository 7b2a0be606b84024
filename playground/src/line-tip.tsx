// A tooltip with the facts about a line of the live object.
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { factsElement } from "./facts-element.js"
import type { FieldFacts } from "./field-facts.js"
import { placePopover } from "./popover.js"

/** Returns the facts about the field of a line; undefined if there are none. */
export type AskLineFacts = (index: number, text: string) => Promise<FieldFacts | undefined>

/** The facts about a line, and its row. */
interface LineFacts {
  readonly facts: FieldFacts
  readonly row: HTMLElement
}

/** The time that the pointer or the focus stays on a line until its facts are shown, and off it until they go, in milliseconds. */
const [rest, grace] = [300, 250]

/** Finds the facts about the line at which the pointer or the focus rests. Asks one question at a time. */
class LineTips {
  private wanted: HTMLElement | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private isAsking = false

  constructor(
    private readonly ask: (row: HTMLElement) => Promise<FieldFacts | undefined>,
    private readonly show: (tip: LineFacts | undefined) => void,
  ) {}

  /** The pointer or the focus is on this row now; undefined if it is on none. */
  point(row: HTMLElement | undefined): void {
    clearTimeout(this.timer)
    if (row !== this.wanted) this.timer = setTimeout(() => this.want(row), row === undefined ? grace : rest)
  }

  /** The pointer is on the tooltip. */
  stay(): void {
    clearTimeout(this.timer)
  }

  /** Shows the facts about this row, or none. */
  want(row: HTMLElement | undefined): void {
    clearTimeout(this.timer)
    this.wanted = row
    if (row === undefined) this.show(undefined)
    else if (!this.isAsking) void this.find(row)
  }

  private async find(row: HTMLElement): Promise<void> {
    this.isAsking = true
    const facts = await this.ask(row).catch(error => void reportError(error))
    this.isAsking = false
    const { wanted } = this
    if (wanted === row) this.show(facts && row.isConnected ? { facts, row } : undefined)
    else if (wanted !== undefined) void this.find(wanted)
  }
}

/** Returns the tips of the rows of a grid, and the tooltip. */
export function useLineTips(ask: (row: HTMLElement) => Promise<FieldFacts | undefined>) {
  const [tip, setTip] = useState<LineFacts>()
  const latest = useRef(ask)
  latest.current = ask
  const [tips] = useState(() => new LineTips(row => latest.current(row), setTip))
  return { tips, tooltip: tip && <LineTip {...tip} tips={tips} /> }
}

/**
 * Shows the facts next to the row. Closes with Escape, a click elsewhere, the move to another row, and when the row is out of view. Leaves an
 * open menu alone.
 */
function LineTip({ facts, row, tips }: LineFacts & { readonly tips: LineTips }) {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const tip = place.current
    if (tip === null) return
    const isOpen = tip.matches(":popover-open")
    if (!isOpen && document.querySelector("dialog[open], :popover-open") !== null) return
    tip.replaceChildren(factsElement(facts))
    if (!isOpen) tip.showPopover()
    const part = row.querySelector("code") ?? row
    placePopover(tip, part)
    row.setAttribute("aria-describedby", tip.id)
    const close = ({ target }: Event): void => {
      if (target !== row && !(target instanceof Node && tip.contains(target))) tip.hidePopover()
    }
    const follow = (): void => {
      const [at, list] = [row.getBoundingClientRect(), row.closest(".scroll")?.getBoundingClientRect()]
      if (list === undefined || at.bottom < list.top || at.top > list.bottom) tip.hidePopover()
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
  return (
    <div
      ref={place}
      id="line-tip"
      role="tooltip"
      popover="auto"
      class="line-tip"
      onPointerEnter={() => tips.stay()}
      onPointerLeave={() => tips.point(undefined)}
    />
  )
}
