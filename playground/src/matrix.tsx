// The table of fields by managers.
import { useLayoutEffect, useRef } from "preact/hooks"
import type { OwnedObject } from "structured-merge-diff/view"
import { h, hiddenText } from "../../src/tools/view/dom.js"
import { type Looks, ownerId } from "../../src/tools/view/looks.js"
import { ownerTag, pathText, stepsOf } from "../../src/tools/view/parts.js"
import { RowBlocks } from "../../src/tools/view/row-blocks.js"

export function Matrix(props: {
  readonly object: OwnedObject | undefined
  readonly looks: Looks
  readonly contested: ReadonlySet<string>
}) {
  const { object, looks, contested } = props
  const place = useRef<HTMLElement>(null)
  const isEmpty = object === undefined || object.fields.length === 0
  useLayoutEffect(() => {
    if (isEmpty) return
    const table = h("table", { class: "matrix" }, h("thead", {}, headRow(object, looks)))
    place.current?.replaceChildren(table)
    const rows = new RowBlocks(table, 1 + object.managers.length, index => fieldRow(object, index, looks, contested))
    rows.rebuild(object.fields.length)
    return () => rows.rebuild(0)
  }, [object, looks, contested])
  if (isEmpty) return <p class="empty">No field has an owner yet. The first apply makes its manager the owner.</p>
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a section that scrolls must be reachable by keyboard
  return <section ref={place} class="scroll" tabIndex={0} aria-label="Fields by manager" />
}

function headRow({ managers }: OwnedObject, looks: Looks): HTMLElement {
  const names = managers.map(({ owner }) =>
    h("th", { scope: "col" }, ownerTag(owner, looks), h("span", { class: "muted" }, owner.operation)),
  )
  return h("tr", { "aria-rowindex": "1" }, h("th", { scope: "col" }, "Field"), ...names)
}

function fieldRow({ fields, managers }: OwnedObject, index: number, looks: Looks, contested: ReadonlySet<string>) {
  const { path = "", owners = [], gone } = fields[index] ?? {}
  const isContested = contested.has(path)
  const ids = owners.map(ownerId)
  const cells = managers.map(({ owner }) =>
    h(
      "td",
      {},
      ids.includes(ownerId(owner))
        ? h("span", { class: `cell look-${looks.get(owner.manager) ?? 0}` }, hiddenText("owns it"))
        : hiddenText("does not"),
    ),
  )
  return h(
    "tr",
    { class: isContested && "contested", "aria-rowindex": String(index + 2) },
    h(
      "th",
      { scope: "row" },
      pathBelow(path, fields[index - 1]?.path ?? ""),
      gone && h("span", { class: "muted" }, " not in the object"),
      isContested && h("span", { class: "badge danger" }, "in conflict"),
    ),
    ...cells,
  )
}

/** A path below another path in a tree. Hides the steps that both share, except from screen readers. */
function pathBelow(path: string, above: string): HTMLElement {
  const steps = stepsOf(path)
  const others = stepsOf(above)
  let shared = 0
  while (shared < steps.length - 1 && steps[shared] === others[shared]) shared++
  const margin = `padding-left:${shared * 8}px`
  const start = hiddenText(steps.slice(0, shared).join(""))
  return h("span", { class: "path-below", style: margin, title: path }, start, pathText(steps.slice(shared).join("")))
}
