// The lines of an object, for Preact.
import { useLayoutEffect, useRef } from "preact/hooks"
import { LinesGrid, type ShownLines } from "../../src/tools/view/lines.js"

export function Grid(props: ShownLines & { readonly label: string; readonly onHover?: (path: string) => void }) {
  const { label, lines, looks, changed, contested, hovered } = props
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  const grid = useRef<LinesGrid>(undefined)
  useLayoutEffect(() => {
    if (grid.current === undefined) {
      grid.current = new LinesGrid({ onHover: path => latest.current.onHover?.(path) }, label)
      place.current?.append(grid.current.element)
    }
    grid.current.update({ lines, looks, contested, hovered, ...(changed !== undefined && { changed }) })
  }, [lines, looks, changed, contested, hovered])
  useLayoutEffect(() => grid.current?.revealContested(), [lines, contested])
  return <div ref={place} />
}
