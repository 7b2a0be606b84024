// The lines of the live object, with the owners of each line in the gutter.
import { useEffect, useMemo, useRef } from "preact/hooks"
import type { LiveRow, OwnedObject } from "./live-rows.js"
import { OwnerTag, Swatch } from "./owner-tag.js"
import { ownerId, ownerName } from "./palette.js"
import { partsOfLine } from "./yaml-line.js"

type Looks = ReadonlyMap<string, number>

export function LivePane(props: {
  readonly object: OwnedObject | undefined
  readonly looks: Looks
  readonly changed: ReadonlySet<string>
  /** The paths in conflict with the open tab. */
  readonly contested: ReadonlyMap<string, unknown>
  /** The path at which the user points, in any pane. */
  readonly hovered: string
  readonly onHover: (path: string) => void
  readonly empty: string
  /** The names of all objects, and the name of the object that is shown. */
  readonly names: readonly string[]
  readonly name: string
  readonly onName: (name: string) => void
}) {
  const { object, looks, changed, contested, hovered, onHover, empty, names, name, onName } = props
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    const [row] = place.current?.getElementsByClassName("contested") ?? []
    if (row !== undefined && place.current !== null) showIn(place.current, row)
  }, [object, contested])
  return (
    <section class="pane live" aria-labelledby="live-title">
      <header class="pane-head">
        <h2 id="live-title">Live object</h2>
        {names.length > 1 && (
          <select aria-label="Object" value={name} onChange={event => onName(event.currentTarget.value)}>
            {names.map(text => (
              <option key={text} value={text}>
                {text}
              </option>
            ))}
          </select>
        )}
        <ul class="legend" aria-label="Owners">
          {object?.owners.map(owner => (
            <li key={ownerId(owner)}>
              <OwnerTag owner={owner} looks={looks} />
            </li>
          ))}
        </ul>
      </header>
      {object === undefined ? (
        <p class="empty">{empty}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a section that scrolls must be reachable by keyboard
        <section class="scroll" tabIndex={0} ref={place} aria-labelledby="live-title">
          {object.findings.map(finding => (
            <p key={finding} class="note warn">
              {finding}
            </p>
          ))}
          <LiveTable rows={object.rows} {...{ looks, changed, contested, hovered, onHover }} />
        </section>
      )}
    </section>
  )
}

/** Scrolls the list, and not the page, so that the row is in its middle, unless it is visible. */
function showIn(list: HTMLElement, row: Element): void {
  const { top, height, bottom } = list.getBoundingClientRect()
  const place = row.getBoundingClientRect()
  if (place.top >= top && place.bottom <= bottom) return
  list.scrollTop += place.top - top - height / 2
}

interface Marks {
  readonly looks: Looks
  readonly changed: ReadonlySet<string>
  readonly contested: ReadonlyMap<string, unknown>
  readonly hovered: string
  readonly onHover: (path: string) => void
}

function LiveTable({ rows, ...marks }: { rows: readonly LiveRow[] } & Marks) {
  return useMemo(
    () => (
      <table class="lines">
        <thead>
          <tr>
            <th scope="col">Owners</th>
            <th scope="col">Field</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <Line key={index} row={row} above={rows[index - 1]} {...marks} />
          ))}
        </tbody>
      </table>
    ),
    [rows, ...Object.values(marks)],
  )
}

function Line(props: { row: LiveRow; above: LiveRow | undefined } & Marks) {
  const { row, above, looks, changed, contested, hovered, onHover } = props
  const names = row.owners.map(ownerName).join(", ")
  const isRepeated = above !== undefined && above.owners.map(ownerName).join(", ") === names
  const isChanged = row.paths.some(path => changed.has(path))
  const conflict = row.paths.find(path => contested.has(path))
  const classes = [isChanged && "changed", conflict !== undefined && "contested", conflict === hovered && "linked"]
  return (
    <tr
      class={classes.filter(name => name !== false).join(" ") || undefined}
      onPointerEnter={conflict === undefined ? undefined : () => onHover(conflict)}
      onPointerLeave={conflict === undefined ? undefined : () => onHover("")}
    >
      <td class="gutter" title={names === "" ? undefined : names}>
        {row.owners.map(owner => (
          <Swatch key={ownerId(owner)} look={looks.get(owner.manager)} />
        ))}
        {!isRepeated && (
          <span class="gutter-name" aria-hidden="true">
            {row.owners.map(({ manager }) => manager).join(", ")}
          </span>
        )}
        <span class="hidden">{names}</span>
      </td>
      <td class="line">
        <code>
          <YamlLine text={row.text} />
        </code>
        {isChanged && <span class="hidden"> (changed by this step)</span>}
        {conflict !== undefined && <span class="hidden"> (in conflict)</span>}
      </td>
    </tr>
  )
}

/** One line, with different colors for its key and its value. */
function YamlLine({ text }: { readonly text: string }) {
  const { before, key, colon, value, comment } = partsOfLine(text)
  return (
    <>
      {before}
      {key !== "" && <span class="yaml-key">{key}</span>}
      {colon}
      {value + comment !== "" && <span class="yaml-value">{value + comment}</span>}
    </>
  )
}
