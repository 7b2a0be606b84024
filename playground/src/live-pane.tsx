// The lines of the live object, with the owners of each line in the gutter.
import type { OwnedObject } from "structured-merge-diff/view"
import { type Looks, ownerId } from "../../src/tools/view/looks.js"
import { Explain } from "./explain.js"
import { Grid } from "./grid.js"
import type { AskLineFacts } from "./line-tip.js"
import { OwnerTag } from "./owner-tag.js"

export function LivePane(props: {
  readonly object: OwnedObject | undefined
  readonly looks: Looks
  readonly changed: ReadonlySet<string>
  /** The paths in conflict with the open tab. */
  readonly contested: ReadonlySet<string>
  /** The path at which the user points, in any pane. */
  readonly hovered: string
  readonly onHover: (path: string) => void
  readonly facts: AskLineFacts
  readonly empty: string
  /** The names of all objects, and the name of the object that is shown. */
  readonly names: readonly string[]
  readonly name: string
  readonly onName: (name: string) => void
}) {
  const { object, looks, empty, names, name, onName } = props
  return (
    <section id="live-pane" class="pane live" aria-labelledby="live-title">
      <header class="pane-head">
        <h2 id="live-title">Live object</h2>
        <Explain part="live" label="the live object" />
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
          {object?.managers.map(({ owner }) => (
            <li key={ownerId(owner)}>
              <OwnerTag owner={owner} looks={looks} />
            </li>
          ))}
        </ul>
      </header>
      {object === undefined ? <p class="empty">{empty}</p> : <Lines {...props} object={object} />}
    </section>
  )
}

function Lines(props: {
  readonly object: OwnedObject
  readonly looks: Looks
  readonly changed: ReadonlySet<string>
  readonly contested: ReadonlySet<string>
  readonly hovered: string
  readonly onHover: (path: string) => void
  readonly facts: AskLineFacts
}) {
  const { object, ...marks } = props
  return (
    <section class="scroll" aria-labelledby="live-title">
      {object.findings.map(finding => (
        <p key={finding} class="note warn">
          {finding}
        </p>
      ))}
      <Grid {...marks} label="Live object" lines={object.lines} />
    </section>
  )
}
