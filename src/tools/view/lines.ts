// The lines of an object as a grid, with the owners of each line in the gutter.
import { counted } from "../../value/words.js"
import type { Owner } from "../ownership/owners.js"
import { h, hiddenText } from "./dom.js"
import { type Looks, ownerId, ownerName, ownerVerb } from "./looks.js"
import type { OwnedLine } from "./owned-object.js"
import { swatch } from "./parts.js"
import { RowBlocks, rowHeight } from "./row-blocks.js"
import { partsOfLine } from "./yaml-line.js"

/** A line, with its change since an earlier state of the object. */
export interface ShownLine extends OwnedLine {
  /** `owners` if the line has only other owners now. Absent if nothing changed, or if no states are compared. */
  readonly change?: "added" | "removed" | "owners"
  /** The line in the earlier state, if it was another one without being `added` or `removed`. */
  readonly before?: OwnedLine
  /** The number of lines that are left out here. */
  readonly leftOut?: number
}

/** The lines, and their marks. */
export interface ShownLines {
  readonly lines: readonly ShownLine[]
  readonly looks: Looks
  /** The paths of fields that a step has changed. */
  readonly changed?: ReadonlySet<string>
  /** The paths of fields in conflict. */
  readonly contested: ReadonlySet<string>
  /** The path in conflict at which the user points, in any pane; "" for none. */
  readonly hovered: string
}

/** Called when the user does something with a line. */
export interface LineHandlers {
  readonly onHover: (path: string) => void
  /** Absent if lines can't be selected. */
  readonly onSelect?: (line: OwnedLine) => void
}

/** The longest text of a line that is shown. Longer lines make browsers slow. */
const longestLine = 1000

const nothing: ReadonlySet<string> = new Set()

/** A grid that shows lines, inside an element with the class `scroll`. */
export class LinesGrid {
  readonly element: HTMLTableElement
  private shown: ShownLines = { lines: [], looks: new Map(), contested: nothing, hovered: "" }
  private readonly handlers: LineHandlers
  private readonly rows: RowBlocks
  /** The row in the order of tabs. */
  private active = 0
  private selected: OwnedLine | undefined

  constructor(handlers: LineHandlers, label: string) {
    this.handlers = handlers
    const head = h("tr", {}, h("th", { scope: "col" }, "Owners"), h("th", { scope: "col" }, "Field"))
    this.element = h("table", { class: "lines", role: "grid", "aria-label": label }, h("thead", {}, head))
    this.rows = new RowBlocks(this.element, 2, index => this.makeRow(index))
    this.element.addEventListener("keydown", event => this.onKey(event))
    this.element.addEventListener("click", event => this.onClick(event))
  }

  /** Shows other lines or marks. Makes rows again only if they change. */
  update(shown: ShownLines): void {
    const before = this.shown
    this.shown = shown
    this.element.classList.toggle(
      "compared",
      shown.lines.some(({ change }) => change !== undefined),
    )
    const hadFocus = this.element.contains(activeIn(this.element))
    if (shown.lines !== before.lines || shown.looks !== before.looks) this.rebuild(shown.lines !== before.lines)
    else if (shown.contested !== before.contested || shown.changed !== before.changed) this.rows.refresh()
    if (hadFocus) this.rows.rowIfMade(this.active)?.focus({ preventScroll: true })
    if (shown.hovered !== before.hovered) this.markHovered()
  }

  /** Marks the line as selected; undefined for none. */
  select(line: OwnedLine | undefined): void {
    const before = this.selected
    this.selected = line
    for (const one of [before, line]) {
      const row = one && this.rows.rowIfMade(this.shown.lines.indexOf(one))
      row?.setAttribute("aria-selected", String(one === line))
    }
  }

  /** Scrolls the list, and not the page, so that the first line in conflict is in its middle, unless it is visible. */
  revealContested(): void {
    const { lines, contested } = this.shown
    if (contested.size === 0) return
    const index = lines.findIndex(({ fields }) => fields.some(({ path }) => contested.has(path)))
    if (index >= 0) this.reveal(index)
  }

  private reveal(index: number): HTMLTableRowElement | undefined {
    const row = this.rows.rowAt(index)
    const list = this.element.closest(".scroll")
    if (row === undefined || list === null) return row
    const { top, height, bottom } = list.getBoundingClientRect()
    const place = row.getBoundingClientRect()
    if (place.top < top + rowHeight || place.bottom > bottom) list.scrollTop += place.top - top - height / 2
    return row
  }

  private rebuild(isOther: boolean): void {
    const { lines } = this.shown
    if (isOther) this.active = Math.min(this.active, Math.max(0, lines.length - 1))
    this.rows.rebuild(lines.length)
    this.rows.rowAt(this.active)
  }

  private makeRow(index: number): HTMLTableRowElement {
    const { lines, looks, changed = nothing, contested, hovered } = this.shown
    const line = lines[index] as ShownLine
    const names = line.owners.map(ownerName).join(", ")
    const { change, leftOut } = line
    const isRepeated = change !== "owners" && index > 0 && lines[index - 1]?.owners.map(ownerName).join(", ") === names
    const isChanged = line.fields.some(({ path }) => changed.has(path))
    const conflict = line.fields.find(({ path }) => contested.has(path))?.path
    const isByHand = line.fields.some(({ byHand }) => byHand)
    const isSelectable = this.handlers.onSelect !== undefined
    const classes = [
      ...(change === undefined ? [] : [change]),
      ...(leftOut === undefined ? [] : ["left-out"]),
      ...(isChanged ? ["changed"] : []),
      ...(conflict === undefined ? [] : ["contested"]),
      ...(conflict !== undefined && conflict === hovered ? ["linked"] : []),
    ]
    const row = h(
      "tr",
      {
        class: classes.join(" ") || undefined,
        tabindex: index === this.active ? "0" : "-1",
        "aria-rowindex": String(index + 2),
        "aria-selected": isSelectable && String(line === this.selected),
        "data-path": conflict,
      },
      h(
        "td",
        { class: "gutter", title: names || undefined },
        ...line.owners.map(({ manager }) => swatch(looks.get(manager))),
        isByHand && h("span", { class: "hand", title: "changed by hand" }, "✎"),
        !isRepeated && h("span", { class: "gutter-name", "aria-hidden": "true" }, ownersText(line)),
        hiddenText(`${names}${isByHand ? ", by hand" : ""}`),
      ),
      h(
        "td",
        { class: "line" },
        change !== undefined && h("span", { class: "sign", "aria-hidden": "true" }, signs[change]),
        leftOut === undefined
          ? h("code", {}, ...yamlParts(line.text))
          : h("span", { class: "muted" }, `⋯ ${counted(leftOut, "line")}`),
        change !== undefined && hiddenText(` (${changeText(line)})`),
        isChanged && hiddenText(" (changed by this step)"),
        conflict !== undefined && hiddenText(" (in conflict)"),
      ),
    )
    if (conflict !== undefined) {
      row.addEventListener("pointerenter", () => this.handlers.onHover(conflict))
      row.addEventListener("pointerleave", () => this.handlers.onHover(""))
    }
    return row
  }

  private markHovered(): void {
    for (const row of this.element.getElementsByClassName("contested")) {
      row.classList.toggle("linked", (row as HTMLElement).dataset.path === this.shown.hovered)
    }
  }

  private onKey(event: KeyboardEvent): void {
    const last = this.shown.lines.length - 1
    const targets: Readonly<Record<string, number>> = {
      ArrowUp: this.active - 1,
      ArrowDown: this.active + 1,
      PageUp: this.active - 20,
      PageDown: this.active + 20,
      Home: 0,
      End: last,
    }
    const target = event.altKey || event.ctrlKey || event.metaKey ? undefined : targets[event.key]
    if (target !== undefined) this.activate(Math.max(0, Math.min(last, target)))
    else if (event.key === "Enter" || event.key === " ") this.choose(this.active)
    else return
    event.preventDefault()
  }

  private onClick(event: Event): void {
    const row = event.target instanceof Element ? event.target.closest("tr[aria-rowindex]") : null
    const selection = getSelection()
    // Nothing is chosen if the user has selected text to copy it.
    if (row === null || (selection !== null && !selection.isCollapsed && selection.type === "Range")) return
    const index = Number(row.getAttribute("aria-rowindex")) - 2
    this.activate(index)
    this.choose(index)
  }

  private activate(index: number): void {
    this.rows.rowIfMade(this.active)?.setAttribute("tabindex", "-1")
    this.active = index
    const row = this.reveal(index)
    row?.setAttribute("tabindex", "0")
    row?.focus({ preventScroll: true })
  }

  private choose(index: number): void {
    const line = this.shown.lines[index]
    if (line === undefined || this.handlers.onSelect === undefined) return
    this.select(line)
    this.handlers.onSelect(line)
  }
}

const signs = { added: "+", removed: "−", owners: "~" }

/** Returns the names of the owners, or of those that came and went if only the owners changed. */
function ownersText({ change, owners, before }: ShownLine): string {
  if (change !== "owners" || before === undefined) return owners.map(({ manager }) => manager).join(", ")
  const [came, went] = comings(owners, before.owners)
  return [...came.map(name => `+${name}`), ...went.map(name => `−${name}`)].join(" ")
}

/** Returns the names of the owners that are only in the first list, and of those that are only in the second. */
function comings(now: readonly Owner[], old: readonly Owner[]): [string[], string[]] {
  const without = (some: readonly Owner[], others: readonly Owner[]) => {
    const ids = others.map(ownerId)
    const names = others.map(ownerName)
    return some
      .filter(owner => !ids.includes(ownerId(owner)))
      .map(owner => (names.includes(ownerName(owner)) ? `${ownerName(owner)} ${ownerVerb(owner)}` : ownerName(owner)))
  }
  return [without(now, old), without(old, now)]
}

/** Returns the change for screen readers. */
function changeText({ change, owners, before }: ShownLine): string {
  if (change !== "owners") return change ?? ""
  if (before === undefined) return "its owners change"
  const [came, went] = comings(owners, before.owners)
  const parts = [...came.map(name => `gains ${name}`), ...went.map(name => `loses ${name}`)]
  return `owners: ${parts.join(", ")}`
}

/** Returns the element that has the focus, in the page or in the shadow root of the grid. */
function activeIn(element: Element): Element | null {
  return (element.getRootNode() as Document | ShadowRoot).activeElement ?? null
}

/** One line, with different colors for its key and its value. */
function yamlParts(text: string): (string | HTMLElement)[] {
  const { before, key, colon, value, comment } = partsOfLine(text.slice(0, longestLine))
  const rest = value + comment
  return [
    before,
    ...(key === "" ? [] : [h("span", { class: "yaml-key" }, key)]),
    colon,
    ...(rest === "" ? [] : [h("span", { class: "yaml-value" }, rest)]),
    ...(text.length > longestLine ? [h("i", {}, ` … ${text.length - longestLine} more characters`)] : []),
  ]
}
