import type { Owner } from "structured-merge-diff/ownership"
import { ownerName, ownerVerb } from "../../src/tools/view/looks.js"

/** The color and pattern of a manager. */
export function Swatch({ look }: { readonly look: number | undefined }) {
  return <span class={`swatch look-${look ?? 0}`} aria-hidden="true" />
}

/** The swatch and the name of a manager. */
export function OwnerTag({ owner, looks }: { readonly owner: Owner; readonly looks: ReadonlyMap<string, number> }) {
  return (
    <span class="owner" title={`${ownerName(owner)} ${ownerVerb(owner)}`}>
      <Swatch look={looks.get(owner.manager)} />
      <span class="owner-name">{ownerName(owner)}</span>
    </span>
  )
}
