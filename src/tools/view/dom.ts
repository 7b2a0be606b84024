// Makes elements. Text is only ever added as text nodes, so nothing in an object is read as HTML.
/// <reference lib="dom" />

/** A part of an element; false, null and undefined stand for nothing. */
export type Part = Node | string | false | null | undefined

/** Attributes, and handlers of events under names such as `onclick`. Attributes that are false or undefined are left out. */
type Attributes = Readonly<Record<string, string | boolean | undefined | ((event: Event) => void)>>

/** Makes an element with these parts. */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...parts: readonly Part[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key.slice(2), value)
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value)
  }
  append(element, parts)
  return element
}

/** Adds the parts at the end of the element. */
export function append(element: Element, parts: readonly Part[]): void {
  for (const part of parts) if (part !== undefined && part !== null && part !== false) element.append(part)
}

/** Text for screen readers only. */
export function hiddenText(text: string): HTMLElement {
  return h("span", { class: "hidden" }, text)
}
