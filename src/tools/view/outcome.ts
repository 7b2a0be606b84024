// The result of a request, or of a preview: changes of fields, owners and unions.
import type { Value } from "../../value/value.js"
import type { Owner } from "../ownership/owners.js"
import { append, h, hiddenText } from "./dom.js"
import type { Looks } from "./looks.js"
import { ownerTag, pathText } from "./parts.js"
import { yamlValue } from "./yaml-value.js"

/** The change of one field. */
export interface ShownChange {
  readonly path: string
  readonly action: "add" | "change" | "remove"
  readonly from?: Value
  readonly to?: Value
}

/** The fields that one owner gained and lost. */
interface ShownTransfer {
  readonly owner: Owner
  readonly gained: readonly { readonly path: string }[]
  readonly lost: readonly { readonly path: string }[]
  readonly keeps: number
}

/** All parts of a result. */
export interface ShownOutcome {
  readonly changes: readonly ShownChange[]
  readonly transfers: readonly ShownTransfer[]
  readonly unions: readonly string[]
}

/** Makes a section for each part of the result that is not empty. */
export function outcomeSections({ changes, transfers, unions }: ShownOutcome, looks: Looks): HTMLElement[] {
  return [
    ...changesSection("Changed fields", changes),
    ...section("Changed owners", "transfers", transfers, transfer => transferItem(transfer, looks)),
    ...section("Unions", "", unions, text => h("li", {}, h("code", { class: "wrap" }, text))),
  ]
}

/** Makes the section of changed fields; none if nothing changes. */
export function changesSection(title: string, changes: readonly ShownChange[]): HTMLElement[] {
  return section(title, "changes", changes, changeItem)
}

function section<T>(title: string, name: string, items: readonly T[], make: (item: T) => HTMLElement): HTMLElement[] {
  if (items.length === 0) return []
  const list = h("ul", { class: `plain ${name}` })
  return [h("section", {}, h("h3", {}, title), list, ...addFirst(list, items, make))]
}

/** The number of items that a list shows at first. */
const mostAtFirst = 200

/** Adds the first items to the list. Returns a button that adds more; none if these are all. */
function addFirst<T>(list: HTMLElement, items: readonly T[], make: (item: T) => HTMLElement): HTMLElement[] {
  let count = 0
  const button = h("button", { type: "button", class: "link", onclick: () => add() })
  const add = (): void => {
    append(list, items.slice(count, count + mostAtFirst).map(make))
    count = Math.min(items.length, count + mostAtFirst)
    const rest = items.length - count
    button.textContent = `Show ${Math.min(rest, mostAtFirst)} of ${rest} more`
    if (rest === 0) button.remove()
  }
  add()
  return count < items.length ? [button] : []
}

const words = { add: "added", change: "changed", remove: "removed" }
const marks = { add: "+", change: "~", remove: "−" }

function changeItem({ path, action, from, to }: ShownChange): HTMLElement {
  return h(
    "li",
    {},
    h("span", { class: `mark ${action}`, "aria-hidden": "true" }, marks[action]),
    hiddenText(words[action]),
    pathText(path),
    h(
      "span",
      { class: "change-values" },
      from !== undefined && h("code", { class: "from" }, yamlValue(from)),
      action === "change" && h("span", { class: "muted" }, " → "),
      to !== undefined && action !== "remove" && h("code", {}, yamlValue(to)),
    ),
  )
}

function transferItem({ owner, gained, lost, keeps }: ShownTransfer, looks: Looks): HTMLElement {
  return h(
    "li",
    {},
    ownerTag(owner, looks),
    gained.length > 0 && paths("gains", gained),
    lost.length > 0 && paths(keeps === 0 ? "loses all of its fields" : "loses", lost),
  )
}

const mostShown = 4

function paths(word: string, all: readonly { readonly path: string }[]): HTMLElement {
  const item = ({ path }: { readonly path: string }) => h("span", { class: "path" }, pathText(path))
  const list = h("div")
  const shown =
    all.length <= mostShown
      ? all.map(item)
      : [h("details", {}, h("summary", {}, `${all.length} fields`), list, ...addFirst(list, all, item))]
  return h("span", { class: "paths" }, h("span", { class: "muted" }, `${word} `), ...shown)
}
