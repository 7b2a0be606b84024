// The lines of an object, for Preact.
import { useLayoutEffect, useRef } from "preact/hooks"
import { LinesGrid, type ShownLines } from "../../src/tools/view/lines.js"
import { type AskLineFacts, useLineTips } from "./line-tip.js"

export function Grid(
  props: ShownLines & {
    readonly label: string
    readonly onHover?: (path: string) => void
    /** Absent if lines can't be selected. */
    readonly facts?: AskLineFacts
  },
) {
  const { label, lines, looks, changed, contested, hovered, facts } = props
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  const grid = useRef<LinesGrid>(undefined)
  const { tips, tooltip } = useLineTips(async row => {
    const index = Number(row.getAttribute("aria-rowindex")) - 2
    const line = latest.current.lines[index]
    return line && latest.current.facts?.(index, line.text)
  })
  useLayoutEffect(() => {
    if (grid.current === undefined) {
      const onHover = (path: string): void => latest.current.onHover?.(path)
      // The selected row has the focus.
      const onSelect = (): void => tips.want(rowOf(document.activeElement))
      grid.current = new LinesGrid({ onHover, ...(props.facts && { onSelect }) }, label)
      place.current?.append(grid.current.element)
    }
    grid.current.update({ lines, looks, contested, hovered, ...(changed !== undefined && { changed }) })
  }, [lines, looks, changed, contested, hovered])
  useLayoutEffect(() => grid.current?.revealContested(), [lines, contested])
  // These are facts about other lines.
  useLayoutEffect(() => tips.want(undefined), [lines])
  return (
    <>
      <div
        ref={place}
        {...(facts && {
          onPointerOver: ({ target, pointerType }: PointerEvent) => {
            // The gutter has its own tooltip, and a finger selects the line.
            const cell = target instanceof Element ? target.closest(".line") : null
            if (pointerType !== "touch") tips.point(cell === null ? undefined : rowOf(cell))
          },
          onPointerLeave: () => tips.point(undefined),
          onFocusIn: ({ target }: FocusEvent) => {
            if (target instanceof Element && target.matches(":focus-visible")) tips.point(rowOf(target))
          },
        })}
      />
      {tooltip}
    </>
  )
}

function rowOf(part: Element | null): HTMLElement | undefined {
  return part?.closest<HTMLElement>("tr[aria-rowindex]") ?? undefined
}
