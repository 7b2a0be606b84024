// Shows the facts about a field. All of it is text.
import { h } from "../../src/tools/view/dom.js"
import type { FieldFacts } from "./field-facts.js"

export function factsElement({ path, type, merge, rows, description, hint }: FieldFacts): HTMLElement {
  return h(
    "div",
    { class: "field-facts" },
    h("p", {}, h("code", { class: "field-path" }, path), " ", h("span", { class: "field-type" }, type)),
    h("p", {}, merge),
    rows.length > 0 && h("dl", {}, ...rows.map(([label, text]) => h("div", {}, h("dt", {}, label), h("dd", {}, text)))),
    description !== undefined && h("p", { class: "field-description" }, description),
    hint !== undefined && h("p", { class: "muted" }, hint),
  )
}

/** The facts as one text, for screen readers. */
export function factsText({ path, type, merge, rows, description, hint }: FieldFacts): string {
  const lines = [path, type, merge, ...rows.map(([label, text]) => `${label}: ${text}`), description, hint]
  return lines.filter(line => line !== undefined).join("\n")
}
