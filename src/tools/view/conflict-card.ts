// One conflict from `explain`, with its ways out.
import type { ConflictOwner } from "../ownership/conflicts.js"
import type { ExplainedConflict } from "../ownership/explain.js"
import type { WaysOut } from "../ownership/ways-out.js"
import { h, hiddenText } from "./dom.js"
import { type Looks, ownerName } from "./looks.js"
import { ownerTag, pathText } from "./parts.js"
import { briefYaml, yamlValue } from "./yaml-value.js"

/** A way out of a conflict. */
export type Way = keyof WaysOut

const ways: readonly Way[] = ["relinquish", "share", "overwrite"]

/** Called when the user does something with a card. */
export interface CardHandlers {
  readonly onWay: (way: Way, conflict: ExplainedConflict) => void
  /** Shows a place in the text of the configuration; absent if the page doesn't show the text. */
  readonly onGoTo?: ((line: number, column: number) => void) | undefined
  readonly onHover?: ((path: string) => void) | undefined
}

/** Makes the card of a conflict. */
export function conflictCard(conflict: ExplainedConflict, looks: Looks, handlers: CardHandlers): HTMLElement {
  const { path, owners, live, configured, source, union } = conflict
  const { onGoTo, onHover } = handlers
  const names = [...new Set(owners.map(ownerName))].join(" and ")
  const titles: Record<Way, string> = {
    relinquish: `Leave it to ${names}`,
    share: live === undefined ? "Agree on its value" : `Agree on ${briefYaml(live)}`,
    overwrite: "Take it by force",
  }
  const goTo = source !== undefined && onGoTo && (() => onGoTo(source.line, source.column))
  const absent = (text: string) => h("em", {}, text)
  return h(
    "article",
    { class: "conflict-card", onpointerenter: () => onHover?.(path), onpointerleave: () => onHover?.("") },
    h(
      "h4",
      {},
      pathText(path),
      goTo && h("button", { type: "button", class: "link", onclick: goTo }, `line ${source.line}`),
    ),
    h(
      "dl",
      { class: "facts" },
      h("dt", {}, "You set"),
      h(
        "dd",
        {},
        configured === undefined
          ? absent("nothing, so the field would be removed")
          : h("code", {}, yamlValue(configured)),
      ),
      h("dt", {}, "Live value"),
      h("dd", {}, live === undefined ? absent("nothing") : h("code", {}, yamlValue(live))),
      h("dt", {}, "Owned by"),
      h(
        "dd",
        {},
        ...owners.map(owner =>
          h(
            "span",
            { class: "owner-fact" },
            ownerTag(owner, looks),
            h("span", { class: "muted" }, ` ${lossOf(owner)}`),
          ),
        ),
      ),
      union?.because && h("dt", {}, "Because of"),
      union?.because && h("dd", {}, h("code", {}, union.because.path), " in the same union"),
    ),
    h(
      "ul",
      { class: "ways" },
      ...ways.map(way => wayItem(titles[way], conflict, way, () => handlers.onWay(way, conflict))),
    ),
  )
}

function wayItem(title: string, { path, ways }: ExplainedConflict, way: Way, onTake: () => void): HTMLElement {
  const { applicability, reason, source } = ways[way]
  const isImpossible = applicability === "impossible" || source?.impossible !== undefined
  const badge = isImpossible ? "off" : applicability === "safe" ? "ok" : "warn"
  return h(
    "li",
    {},
    h(
      "button",
      { type: "button", class: "way", disabled: isImpossible, onclick: onTake },
      title,
      hiddenText(` (${path})`),
    ),
    h("span", { class: `badge ${badge}` }, isImpossible ? "impossible" : applicability),
    h("span", { class: "muted reason" }, source?.impossible ?? reason),
  )
}

function lossOf({ fields, keeps = 0 }: ConflictOwner): string {
  if (keeps === 0) return fields === 1 ? "its only field" : `one of its ${fields} fields, all of which you would take`
  return `one of its ${fields} fields`
}
