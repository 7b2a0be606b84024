// The result of a request, or of a preview: changes of fields, owners and unions.
import type { Value } from "structured-merge-diff"
import type { Owner } from "structured-merge-diff/ownership"
import { OwnerTag } from "./owner-tag.js"
import { ownerId } from "./palette.js"
import { PathText } from "./path-text.js"
import { yamlValue } from "./yaml-value.js"

/** The change of one field. */
export interface ShownChange {
  readonly path: string
  readonly action: "add" | "change" | "remove"
  readonly from?: Value
  readonly to?: Value
}

/** The fields that one owner gained and lost. */
export interface ShownTransfer {
  readonly owner: Owner
  readonly gained: readonly { readonly path: string }[]
  readonly lost: readonly { readonly path: string }[]
  readonly keeps: number
}

type Looks = ReadonlyMap<string, number>

export function Outcome(props: {
  readonly changes: readonly ShownChange[]
  readonly transfers: readonly ShownTransfer[]
  readonly unions: readonly string[]
  readonly looks: Looks
}) {
  const { changes, transfers, unions, looks } = props
  return (
    <>
      {changes.length > 0 && <Changes changes={changes} />}
      {transfers.length > 0 && <Transfers transfers={transfers} looks={looks} />}
      {unions.length > 0 && (
        <section>
          <h3>Unions</h3>
          <ul class="plain">
            {unions.map(text => (
              <li key={text}>
                <code class="wrap">{text}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

const words = { add: "added", change: "changed", remove: "removed" }
const marks = { add: "+", change: "~", remove: "−" }

function Changes({ changes }: { readonly changes: readonly ShownChange[] }) {
  return (
    <section>
      <h3>Fields</h3>
      <ul class="plain changes">
        {changes.map(({ path, action, from, to }) => (
          <li key={`${action} ${path}`}>
            <span class={`mark ${action}`} aria-hidden="true">
              {marks[action]}
            </span>
            <span class="hidden">{words[action]}</span>
            <PathText path={path} />
            <span class="change-values">
              {from !== undefined && <code class="from">{yamlValue(from)}</code>}
              {action === "change" && <span class="muted"> → </span>}
              {to !== undefined && action !== "remove" && <code>{yamlValue(to)}</code>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Transfers({ transfers, looks }: { readonly transfers: readonly ShownTransfer[]; readonly looks: Looks }) {
  return (
    <section>
      <h3>Ownership</h3>
      <ul class="plain transfers">
        {transfers.map(({ owner, gained, lost, keeps }) => (
          <li key={ownerId(owner)}>
            <OwnerTag owner={owner} looks={looks} />
            {gained.length > 0 && <Paths word="gains" paths={gained} />}
            {lost.length > 0 && <Paths word={keeps === 0 ? "loses all it had" : "loses"} paths={lost} />}
          </li>
        ))}
      </ul>
    </section>
  )
}

const mostShown = 4

function Paths({ word, paths }: { readonly word: string; readonly paths: readonly { readonly path: string }[] }) {
  const list = (some: typeof paths) =>
    some.map(({ path }) => (
      <span key={path} class="path">
        <PathText path={path} />
      </span>
    ))
  return (
    <span class="paths">
      <span class="muted">{word} </span>
      {paths.length <= mostShown ? (
        list(paths)
      ) : (
        <details>
          <summary>{paths.length} fields</summary>
          {list(paths)}
        </details>
      )}
    </span>
  )
}
