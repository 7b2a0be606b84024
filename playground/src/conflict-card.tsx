// One conflict from `explain`, with its ways out.
import type { ConflictOwner, ExplainedConflict, WayOut, WaysOut } from "structured-merge-diff/ownership"
import { OwnerTag } from "./owner-tag.js"
import { ownerName } from "./palette.js"
import { PathText } from "./path-text.js"
import { briefYaml, yamlValue } from "./yaml-value.js"

export type Way = keyof WaysOut

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
  const { conflict, looks, onWay, onGoTo, hovered, onHover } = props
  const { path, owners, live, configured, source, union, ways } = conflict
  const names = [...new Set(owners.map(ownerName))].join(" and ")
  const titles: Record<Way, string> = {
    relinquish: `Leave it to ${names}`,
    share: live === undefined ? "Agree on its value" : `Agree on ${briefYaml(live)}`,
    overwrite: "Take it by force",
  }
  return (
    <article
      class={`conflict-card ${hovered === path ? "linked" : ""}`}
      onPointerEnter={() => onHover?.(path)}
      onPointerLeave={() => onHover?.("")}
    >
      <h4>
        <PathText path={path} />
        {source !== undefined && onGoTo !== undefined && (
          <button type="button" class="link" onClick={() => onGoTo(source.line, source.column)}>
            line {source.line}
          </button>
        )}
      </h4>
      <dl class="facts">
        <dt>You set</dt>
        <dd>
          {configured === undefined ? (
            <em>nothing, so the field would be removed</em>
          ) : (
            <code>{yamlValue(configured)}</code>
          )}
        </dd>
        <dt>Object has</dt>
        <dd>{live === undefined ? <em>nothing</em> : <code>{yamlValue(live)}</code>}</dd>
        <dt>Owned by</dt>
        <dd>
          {owners.map(owner => (
            <span key={owner.id} class="owner-fact">
              <OwnerTag owner={owner} looks={looks} /> <span class="muted">{lossOf(owner)}</span>
            </span>
          ))}
        </dd>
        {union?.because !== undefined && (
          <>
            <dt>Because of</dt>
            <dd>
              <code>{union.because.path}</code>, of the same union
            </dd>
          </>
        )}
      </dl>
      <ul class="ways">
        {(["relinquish", "share", "overwrite"] as const).map(way => (
          <WayRow key={way} title={titles[way]} path={path} way={ways[way]} onTake={() => onWay(way, conflict)} />
        ))}
      </ul>
    </article>
  )
}

function WayRow(props: { title: string; path: string; way: WayOut; onTake: () => void }) {
  const { title, path, way, onTake } = props
  const { applicability, reason, source } = way
  const isImpossible = applicability === "impossible" || source?.impossible !== undefined
  return (
    <li>
      <button type="button" class="way" disabled={isImpossible} onClick={onTake}>
        {title}
        <span class="hidden"> ({path})</span>
      </button>
      <span class={`badge ${isImpossible ? "off" : applicability === "safe" ? "ok" : "warn"}`}>
        {isImpossible ? "impossible" : applicability}
      </span>
      <span class="muted reason">{source?.impossible ?? reason}</span>
    </li>
  )
}

function lossOf({ fields, keeps = 0 }: ConflictOwner): string {
  if (keeps === 0) return fields === 1 ? "its only field" : `one of its ${fields} fields, and it would lose all of them`
  return `one of its ${fields} fields`
}
