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

/** The sizes of all panes. */
interface Sizes extends Readonly<Record<Name, readonly number[]>> {
  /** The share of the time line in the height of `main`, in percent; null if it is as high as one row of steps. */
  readonly timeline: number | null
}

const names = Object.keys(splits) as Name[]
const key = "playground-panes"
const leastTimeline = 8
const mostTimeline = 60

export function Splitters() {
  const [sizes, setSizes] = useState(storedSizes)
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const main = place.current?.parentElement
    for (const name of names) sizes[name].forEach((share, i) => main?.style.setProperty(`--${name}-${i}`, `${share}fr`))
    const { timeline } = sizes
    main?.classList.toggle("sized-timeline", timeline !== null)
    // At least its head and a part of a step.
    main?.style.setProperty("--timeline", timeline === null ? "auto" : `max(76px, ${timeline}%)`)
  }, [sizes])

  const change = (parts: Partial<Sizes>): void => {
    const next = { ...sizes, ...parts }
    setSizes(next)
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
            shares={sizes[name]}
            onChange={list => change({ [name]: list })}
          />
        )),
      )}
      <TimelineSplitter share={sizes.timeline} onChange={timeline => change({ timeline })} />
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
  const now = shares[index] as number
  const both = now + (shares[index + 1] as number)
  const pixels = (main: HTMLElement): number => {
    const { gridTemplateColumns, gridTemplateRows } = getComputedStyle(main)
    const tracks = (isVertical ? gridTemplateColumns : gridTemplateRows).split(" ").map(Number.parseFloat)
    return tracks.slice(track, track + usual.length).reduce((sum, size) => sum + size, 0)
  }
  return (
    <Separator
      {...(separators[index] as Split["separators"][number])}
      name={`${name}-${index}`}
      isVertical={isVertical}
      now={now}
      least={least}
      most={both - least}
      pixels={pixels}
      onMove={share => onChange(shares.with(index, share).with(index + 1, both - share))}
      onReset={() => onChange(usual)}
    />
  )
}

/** The separator above the time line. */
function TimelineSplitter(props: { readonly share: number | null; readonly onChange: (share: number | null) => void }) {
  const { share, onChange } = props
  const [measured, setMeasured] = useState(0)
  useLayoutEffect(() => {
    const timeline = document.getElementById("timeline-pane")
    const main = timeline?.parentElement
    if (share !== null || !timeline || !main) return
    const observer = new ResizeObserver(() => setMeasured((timeline.offsetHeight / heightOf(main)) * 100))
    observer.observe(timeline)
    return () => observer.disconnect()
  }, [share])
  return (
    <Separator
      label="Height of the time line"
      controls="timeline-pane"
      name="timeline-0"
      isVertical={false}
      isAfter
      now={share ?? measured}
      least={leastTimeline}
      most={mostTimeline}
      pixels={heightOf}
      onMove={onChange}
      onReset={() => onChange(null)}
    />
  )
}

/** The height of the grid, in pixels. */
function heightOf(main: HTMLElement): number {
  const { paddingTop, paddingBottom } = getComputedStyle(main)
  return main.clientHeight - Number.parseFloat(paddingTop) - Number.parseFloat(paddingBottom)
}

function Separator(props: {
  readonly label: string
  /** The id of the pane whose share it changes. */
  readonly controls: string
  /** The name of its class. */
  readonly name: string
  readonly isVertical: boolean
  /** Whether the pane is after the separator. */
  readonly isAfter?: boolean
  /** The share of the pane, and its bounds, in percent. */
  readonly now: number
  readonly least: number
  readonly most: number
  /** Returns the number of pixels of 100 percent. */
  readonly pixels: (main: HTMLElement) => number
  readonly onMove: (share: number) => void
  readonly onReset: () => void
}) {
  const { label, controls, name, isVertical, isAfter, now, least, most, pixels, onMove, onReset } = props
  const drag = useRef<{ readonly from: number; readonly share: number; readonly pixels: number }>(undefined)
  const direction = isAfter ? -1 : 1

  const moveTo = (target: number): void => {
    const share = Math.round(Math.max(least, Math.min(most, target)) * 10) / 10
    if (share !== now) onMove(share)
  }
  const positionOf = (event: PointerEvent): number => (isVertical ? event.clientX : event.clientY)
  const onPointerDown = (event: PointerEvent): void => {
    const separator = event.currentTarget as HTMLElement
    drag.current = { from: positionOf(event), share: now, pixels: pixels(separator.parentElement as HTMLElement) }
    separator.setPointerCapture(event.pointerId)
  }
  const onPointerMove = (event: PointerEvent): void => {
    if (drag.current === undefined) return
    const { from, share, pixels } = drag.current
    moveTo(share + (direction * (positionOf(event) - from) * 100) / pixels)
  }
  const end = (): void => {
    drag.current = undefined
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const targets: Readonly<Record<string, number>> = {
      [isVertical ? "ArrowLeft" : "ArrowUp"]: now - 2 * direction,
      [isVertical ? "ArrowRight" : "ArrowDown"]: now + 2 * direction,
      Home: least,
      End: most,
    }
    const target = targets[event.key]
    if (target !== undefined) moveTo(target)
    else if (event.key === "Enter") onReset()
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> does not move
    <div
      class={`splitter ${name}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-controls={controls}
      aria-orientation={isVertical ? "vertical" : "horizontal"}
      aria-valuenow={Math.round(now)}
      aria-valuetext={`${Math.round(now)} %`}
      aria-valuemin={least}
      aria-valuemax={Math.round(most)}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={end}
      onPointerCancel={end}
      onDblClick={onReset}
      onKeyDown={onKeyDown}
    />
  )
}

function storedSizes(): Sizes {
  const read = parsed(stored(key))
  const shares = names.map(name => {
    const { usual, least }: Split = splits[name]
    const list: unknown = read[name]
    const fits =
      Array.isArray(list) &&
      list.length === usual.length &&
      list.every(share => typeof share === "number" && share >= least) &&
      Math.abs(list.reduce((sum, share) => sum + share, 0) - 100) < 1
    return [name, fits ? (list as number[]) : usual]
  })
  const { timeline } = read
  const isShare = typeof timeline === "number" && timeline >= leastTimeline && timeline <= mostTimeline
  return { ...(Object.fromEntries(shares) as Omit<Sizes, "timeline">), timeline: isShare ? timeline : null }
}

function parsed(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text ?? "{}") ?? {}) as Record<string, unknown>
  } catch {
    return {}
  }
}
