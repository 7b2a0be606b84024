// One conflict from `explain`, with its ways out.
import { useLayoutEffect, useMemo, useRef } from "preact/hooks"
import type { ExplainedConflict } from "structured-merge-diff/ownership"
import { conflictCard, type Way } from "../../src/tools/view/conflict-card.js"

export type { Way }

export function ConflictCard(props: {
  readonly conflict: ExplainedConflict
  readonly looks: ReadonlyMap<string, number>
  readonly onWay: (way: Way, conflict: ExplainedConflict) => void
  /** Shows a place in the editor; undefined if there is no editor. */
  readonly onGoTo: ((line: number, column: number) => void) | undefined
  /** The path at which the user points, in any pane. */
  readonly hovered?: string
  readonly onHover?: (path: string) => void
}) {
  const { conflict, looks, hovered } = props
  const place = useRef<HTMLDivElement>(null)
  // A new card would lose the focus and a click that has begun, so the same conflict keeps its card.
  const text = useMemo(
    () => JSON.stringify(conflict, (_, value) => (typeof value === "bigint" ? `${value}n` : value)),
    [conflict],
  )
  const latest = useRef(props)
  latest.current = props
  const card = useMemo(() => {
    const { onGoTo } = latest.current
    return conflictCard(conflict, looks, {
      onWay: (way, chosen) => latest.current.onWay(way, chosen),
      onGoTo: onGoTo && ((line, column) => latest.current.onGoTo?.(line, column)),
      onHover: path => latest.current.onHover?.(path),
    })
  }, [text, looks])
  useLayoutEffect(() => place.current?.replaceChildren(card), [card])
  useLayoutEffect(() => void card.classList.toggle("linked", hovered === conflict.path), [card, hovered])
  return <div ref={place} />
}
