// The result of a request, or of a preview: changes of fields, owners and unions.
import { useLayoutEffect, useMemo, useRef } from "preact/hooks"
import { outcomeSections, type ShownOutcome } from "../../src/tools/view/outcome.js"

export function Outcome({ looks, ...shown }: ShownOutcome & { readonly looks: ReadonlyMap<string, number> }) {
  const place = useRef<HTMLDivElement>(null)
  const sections = useMemo(() => outcomeSections(shown, looks), [...Object.values(shown), looks])
  useLayoutEffect(() => place.current?.replaceChildren(...sections), [sections])
  return <div ref={place} />
}
