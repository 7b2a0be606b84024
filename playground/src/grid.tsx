// The lines of an object, for Preact.
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { OwnedLine } from "structured-merge-diff/view"
import { LinesGrid, type ShownLines } from "../../src/tools/view/lines.js"
import { partsOfLine } from "../../src/tools/view/yaml-line.js"
import type { AskFacts } from "./field-tips.js"
import { type LineFacts, LineTip } from "./line-tip.js"

export function Grid(
  props: ShownLines & {
    readonly label: string
    readonly onHover?: (path: string) => void
    /** Returns the facts about the field of a line that the user selects. Absent if lines can't be selected. */
    readonly facts?: AskFacts
  },
) {
  const { label, lines, looks, changed, contested, hovered } = props
  const [tip, setTip] = useState<LineFacts>()
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  const grid = useRef<LinesGrid>(undefined)
  useLayoutEffect(() => {
    if (grid.current === undefined) {
      const onHover = (path: string): void => latest.current.onHover?.(path)
      const onSelect = async (line: OwnedLine): Promise<void> => {
        // The selected row has the focus.
        const row = document.activeElement
        const found = await latest.current.facts?.(...placeOf(latest.current.lines, line))
        if (found !== undefined && row instanceof HTMLElement) setTip({ facts: found.facts, row })
      }
      grid.current = new LinesGrid({ onHover, ...(props.facts && { onSelect }) }, label)
      place.current?.append(grid.current.element)
    }
    grid.current.update({ lines, looks, contested, hovered, ...(changed !== undefined && { changed }) })
  }, [lines, looks, changed, contested, hovered])
  useLayoutEffect(() => grid.current?.revealContested(), [lines, contested])
  return (
    <>
      <div ref={place} />
      {tip !== undefined && <LineTip {...tip} />}
    </>
  )
}

/** Returns the text of all lines, and the offset of the first key or value in this one. */
function placeOf(lines: readonly OwnedLine[], line: OwnedLine): [text: string, offset: number] {
  const before = lines.slice(0, lines.indexOf(line)).reduce((sum, { text }) => sum + text.length + 1, 0)
  return [lines.map(({ text }) => text).join("\n"), before + partsOfLine(line.text).before.length]
}
