// The separators between panes, which the user drags or moves with the arrow keys. splitter.css places them and hides those of other layouts.
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { store, stored } from "./stored.js"

/** Panes in a row or column of the grid of `main`. */
interface Split {
  /** The shares of the panes, in percent. The custom properties `--NAME-0`, `--NAME-1`, … of `main` have them. */
  readonly usual: readonly number[]
  readonly least: number
  readonly isVertical: boolean
  /** The index of the first pane among the columns or rows of the grid. */
  readonly track: number
  /** The separator after each pane but the last: its label, and the id of the pane before it. */
  readonly separators: readonly { readonly label: string; readonly controls: string }[]
}

const splits = {
  columns: {
    usual: [33, 35, 32],
    least: 20,
    isVertical: true,
    track: 0,
    separators: [
      { label: "Width of the managers", controls: "managers-pane" },
      { label: "Width of the live object", controls: "live-pane" },
    ],
  },
  halves: {
    usual: [50, 50],
    least: 30,
    isVertical: true,
    track: 0,
    separators: [{ label: "Width of the managers", controls: "managers-pane" }],
  },
  rows: {
    usual: [53, 47],
    least: 20,
    isVertical: false,
    track: 1,
    separators: [{ label: "Height of the managers", controls: "managers-pane" }],
  },
} as const satisfies Readonly<Record<string, Split>>

type Name = keyof typeof splits
type Shares = Readonly<Record<Name, readonly number[]>>

const names = Object.keys(splits) as Name[]
const key = "playground-panes"

export function Splitters() {
  const [shares, setShares] = useState(storedShares)
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const style = place.current?.parentElement?.style
    for (const name of names) shares[name].forEach((share, i) => style?.setProperty(`--${name}-${i}`, `${share}fr`))
  }, [shares])

  const change = (name: Name, list: readonly number[]): void => {
    const next = { ...shares, [name]: list }
    setShares(next)
    store(key, JSON.stringify(next))
  }
  return (
    <>
      <div ref={place} hidden />
      {names.flatMap(name =>
        splits[name].separators.map((_, index) => (
          <Splitter
            key={`${name} ${index}`}
            name={name}
            index={index}
            shares={shares[name]}
            onChange={list => change(name, list)}
          />
        )),
      )}
    </>
  )
}

function Splitter(props: {
  readonly name: Name
  /** The index of the pane before the separator. */
  readonly index: number
  readonly shares: readonly number[]
  readonly onChange: (shares: readonly number[]) => void
}) {
  const { name, index, shares, onChange } = props
  const { usual, least, isVertical, track, separators }: Split = splits[name]
  const { label, controls } = separators[index] as Split["separators"][number]
  const now = shares[index] as number
  const both = now + (shares[index + 1] as number)
  const drag = useRef<{ readonly from: number; readonly share: number; readonly pixels: number }>(undefined)

  /** Gives the pane before the separator this share, and the rest of the two shares to the pane after it. */
  const moveTo = (share: number): void => {
    const before = Math.round(Math.max(least, Math.min(both - least, share)) * 10) / 10
    if (before !== now) onChange(shares.with(index, before).with(index + 1, both - before))
  }
  const positionOf = (event: PointerEvent): number => (isVertical ? event.clientX : event.clientY)
  const onPointerDown = (event: PointerEvent): void => {
    const separator = event.currentTarget as HTMLElement
    const { gridTemplateColumns, gridTemplateRows } = getComputedStyle(separator.parentElement as HTMLElement)
    const tracks = (isVertical ? gridTemplateColumns : gridTemplateRows).split(" ").map(Number.parseFloat)
    const pixels = tracks.slice(track, track + usual.length).reduce((sum, size) => sum + size, 0)
    drag.current = { from: positionOf(event), share: now, pixels }
    separator.setPointerCapture(event.pointerId)
  }
  const onPointerMove = (event: PointerEvent): void => {
    if (drag.current === undefined) return
    const { from, share, pixels } = drag.current
    moveTo(share + ((positionOf(event) - from) / pixels) * 100)
  }
  const end = (): void => {
    drag.current = undefined
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const targets: Readonly<Record<string, number>> = {
      [isVertical ? "ArrowLeft" : "ArrowUp"]: now - 2,
      [isVertical ? "ArrowRight" : "ArrowDown"]: now + 2,
      Home: least,
      End: both - least,
    }
    const target = targets[event.key]
    if (target !== undefined) moveTo(target)
    else if (event.key === "Enter") onChange(usual)
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> does not move
    <div
      class={`splitter ${name}-${index}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-controls={controls}
      aria-orientation={isVertical ? "vertical" : "horizontal"}
      aria-valuenow={Math.round(now)}
      aria-valuetext={`${Math.round(now)} %`}
      aria-valuemin={least}
      aria-valuemax={Math.round(both - least)}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={end}
      onPointerCancel={end}
      onDblClick={() => onChange(usual)}
      onKeyDown={onKeyDown}
    />
  )
}

function storedShares(): Shares {
  const read = parsed(stored(key))
  const entries = names.map(name => {
    const { usual, least }: Split = splits[name]
    const list: unknown = read[name]
    const fits =
      Array.isArray(list) &&
      list.length === usual.length &&
      list.every(share => typeof share === "number" && share >= least) &&
      Math.abs(list.reduce((sum, share) => sum + share, 0) - 100) < 1
    return [name, fits ? (list as number[]) : usual]
  })
  return Object.fromEntries(entries) as Shares
}

function parsed(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text ?? "{}") ?? {}) as Record<string, unknown>
  } catch {
    return {}
  }
}
