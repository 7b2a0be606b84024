// Small parts that all panes share: managers and paths.
import type { Owner } from "../ownership/owners.js"
import { h } from "./dom.js"
import { type Looks, ownerName, ownerVerb } from "./looks.js"

/** The color and pattern of a manager. */
export function swatch(look: number | undefined): HTMLElement {
  return h("span", { class: `swatch look-${look ?? 0}`, "aria-hidden": "true" })
}

/** The swatch and the name of a manager. */
export function ownerTag(owner: Owner, looks: Looks): HTMLElement {
  const name = h("span", { class: "owner-name" }, ownerName(owner))
  return h(
    "span",
    { class: "owner", title: `${ownerName(owner)} ${ownerVerb(owner)}` },
    swatch(looks.get(owner.manager)),
    name,
  )
}

/** A path that breaks only between its steps, unless a step is longer than the line. */
export function pathText(path: string): HTMLElement {
  return h("code", { class: "path-text" }, ...stepsOf(path).flatMap(step => [step, h("wbr")]))
}

/** Returns the text of each step of a path. */
export function stepsOf(path: string): readonly string[] {
  return path.match(/\.[^.[]+|\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\]|.+?/g) ?? []
}
