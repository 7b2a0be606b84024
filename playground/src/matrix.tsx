// The table of fields by managers.
import type { OwnedObject } from "structured-merge-diff/view"
import { ownerId } from "../../src/tools/view/looks.js"
import { OwnerTag } from "./owner-tag.js"
import { PathBelow } from "./path-text.js"

export function Matrix(props: {
  readonly object: OwnedObject | undefined
  readonly looks: ReadonlyMap<string, number>
  readonly contested: ReadonlySet<string>
}) {
  const { object, looks, contested } = props
  if (object === undefined || object.fields.length === 0) {
    return <p class="empty">No field has an owner yet. The first apply makes its manager the owner.</p>
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a section that scrolls must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label="Fields by manager">
      <table class="matrix">
        <thead>
          <tr>
            <th scope="col">Field</th>
            {object.managers.map(({ owner }) => (
              <th scope="col" key={ownerId(owner)}>
                <OwnerTag owner={owner} looks={looks} />
                <span class="muted">{owner.operation}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {object.fields.map(({ path, owners, gone }, index) => (
            <tr key={path} class={contested.has(path) ? "contested" : undefined}>
              <th scope="row">
                <PathBelow path={path} above={object.fields[index - 1]?.path ?? ""} />
                {gone && <span class="muted"> not in the object</span>}
                {contested.has(path) && <span class="badge danger">in conflict</span>}
              </th>
              {object.managers.map(({ owner }) => (
                <td key={ownerId(owner)}>
                  {owners.some(other => ownerId(other) === ownerId(owner)) ? (
                    <span class={`cell look-${looks.get(owner.manager) ?? 0}`}>
                      <span class="hidden">owns it</span>
                    </span>
                  ) : (
                    <span class="hidden">does not</span>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
