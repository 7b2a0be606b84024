// The content of the element: an object as YAML with the owners of each line, details of the line that is selected, and the effect of a
// configuration.
import { objectOf } from "../../managedfields/request.js"
import type { MapValue } from "../../value/value.js"
import type { BlamedField, ManagerFields } from "../ownership/blame.js"
import type { ExplainedConflict } from "../ownership/explain.js"
import { type ObjectName, objectName } from "../ownership/object-name.js"
import type { Plan } from "../ownership/plan.js"
import { writerRole } from "../ownership/writers.js"
import { isSecret } from "../secrets/places.js"
import { conflictCard, type Way } from "./conflict-card.js"
import { h } from "./dom.js"
import type { Judgement } from "./judge.js"
import { LinesGrid } from "./lines.js"
import { type Looks, looksOf } from "./looks.js"
import { changesSection, outcomeSections } from "./outcome.js"
import { type OwnedLine, type OwnedObject, ownedObject, withHiddenValues } from "./owned-object.js"
import { ownerTag, pathText } from "./parts.js"
import type { ChosenWay, OwnersViewProperties, SelectedLine } from "./properties.js"
import { elementStyle } from "./style/element.js"
import { themeStyle } from "./style/theme.js"
import { adoptStyles, paneStyle } from "./style.js"
import { legendText, linesWith, messageOf, outcomeOf, roleWords, verdict, verdictKinds, verdictOf } from "./words.js"

/** The effect of the configuration, as it is shown: without the values of Secrets unless they are shown. */
type Shown = Judgement & { readonly isPending?: true }

/** The panes in the shadow root of an element. */
export class Panes {
  given: Readonly<OwnersViewProperties> = {
    ...{ object: undefined, types: undefined, configuration: undefined },
    ...{ manager: "kubectl", force: false },
  }
  private readonly host: HTMLElement
  private readonly head = h("div", { class: "head" })
  private readonly title = h("h2", {})
  private readonly legend = h("ul", { class: "legend", "aria-label": "Owners" })
  private readonly find = h("input", {
    type: "search",
    "aria-label": "Find fields, values or owners",
    placeholder: "Find",
  })
  private readonly secrets = h("button", { type: "button", "aria-pressed": "false" }, "Show values")
  private readonly notes = h("div", { class: "notes" })
  private readonly insight = h("div", { class: "insight", role: "region", "aria-label": "Details", tabindex: "-1" })
  private readonly said = h("p", { class: "hidden", role: "status" })
  private readonly grid = new LinesGrid(
    { onHover: path => this.hover(path), onSelect: line => this.select(line) },
    "The object with its owners",
  )
  private owned: OwnedObject | undefined
  private looks: Looks = new Map()
  private problem: string | undefined
  private judged: Shown | undefined
  private selected: OwnedLine | undefined
  private showsSecrets = false
  private hovered = ""
  private contested: ReadonlySet<string> = new Set()
  private filtered:
    | { readonly of: OwnedObject; readonly word: string; readonly lines: readonly OwnedLine[] }
    | undefined
  private isConnected = false
  private isScheduled = false
  /** Set if the object has to be read again, or the effect of the configuration worked out again. */
  private isStale = { object: true, effect: true }

  constructor(host: HTMLElement) {
    this.host = host
    const root = host.attachShadow({ mode: "open" })
    adoptStyles(root, [themeStyle, paneStyle, elementStyle])
    this.find.addEventListener("input", () => this.schedule())
    this.secrets.addEventListener("click", () => {
      this.showsSecrets = !this.showsSecrets
      this.isStale = { object: true, effect: true }
      this.schedule()
    })
    this.head.append(this.title, this.find, this.secrets, this.legend)
    const panes = h("div", { class: "panes" }, h("div", { class: "scroll" }, this.grid.element), this.insight)
    root.append(h("section", { class: "view" }, this.head, this.notes, panes, this.said))
  }

  connect(): void {
    this.isConnected = true
    this.schedule()
  }

  set(change: Partial<OwnersViewProperties>): void {
    this.given = { ...this.given, ...change }
    this.isStale = { object: this.isStale.object || "object" in change || "types" in change, effect: true }
    this.schedule()
  }

  /** Renders once after all properties that are set together. */
  private schedule(): void {
    if (this.isScheduled || !this.isConnected) return
    this.isScheduled = true
    queueMicrotask(() => {
      this.isScheduled = false
      if (this.isStale.object) this.read()
      if (this.isStale.effect) this.judge()
      this.isStale = { object: false, effect: false }
      this.render()
    })
  }

  /** Reads the object. The next state of the same object leaves the choices of the user alone. */
  private read(): void {
    const { object, types } = this.given
    const before = this.owned?.target
    const path = this.selected?.fields[0]?.path
    this.owned = undefined
    this.problem = undefined
    this.selected = undefined
    if (object === undefined || object === null) return
    try {
      const isSame = before !== undefined && isSameName(objectName(objectOf(object)), before)
      if (!isSame) this.showsSecrets = false
      this.owned = ownedObject(object, { types, showSecrets: this.showsSecrets })
      if (isSame && path !== undefined) {
        this.selected = this.owned.lines.find(({ fields }) => fields[0]?.path === path)
        this.grid.select(this.selected)
      }
      const owners = this.owned.managers.map(({ owner }) => owner)
      this.looks = looksOf([], owners, this.looks)
    } catch (error) {
      this.problem = messageOf(error)
    }
  }

  /** Works out the effect of the configuration, with a part of the package that is loaded on first use. */
  private judge(): void {
    const { given, showsSecrets } = this
    const { object, configuration } = given
    if (configuration === undefined || this.problem !== undefined) {
      this.judged = undefined
      return
    }
    this.judged = { ...this.judged, isPending: true }
    import("./judge.js")
      .then(({ judge }) => {
        const live = object === undefined || object === null ? undefined : objectOf(object)
        const found = judge(live, { ...given, configuration })
        const target = found.plan?.target
        return showsSecrets || target === undefined ? found : withHiddenValues(found, target as unknown as MapValue)
      })
      .catch((error: unknown): Judgement => ({ problem: messageOf(error) }))
      .then(found => {
        if (given !== this.given || showsSecrets !== this.showsSecrets) return
        this.judged = found
        const text = found.plan === undefined ? (found.problem ?? "") : verdictOf(found.plan)
        if (this.said.textContent !== text) this.said.textContent = text
        const before = this.contested
        this.render()
        if (this.contested !== before && this.selected === undefined) this.grid.revealContested()
      })
  }

  private render(): void {
    const { owned, given } = this
    const conflicts = this.judged?.explanation?.conflicts ?? []
    const paths = conflicts.map(({ path }) => path)
    if (paths.join("\n") !== [...this.contested].join("\n")) this.contested = new Set(paths)
    const { kind = "", namespace, name = "" } = owned?.target ?? {}
    this.title.textContent =
      owned === undefined ? "No object" : `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`
    this.legend.replaceChildren(...this.legendItems(owned?.managers ?? []))
    this.secrets.hidden = owned === undefined || !isSecret(owned.target as unknown as MapValue)
    this.secrets.setAttribute("aria-pressed", String(this.showsSecrets))
    const problems = [this.problem, ...(owned?.findings ?? [])].filter(text => text !== undefined)
    this.notes.replaceChildren(...problems.map(text => h("p", { class: "note warn" }, text)))
    this.grid.update({ lines: this.foundLines(), looks: this.looks, contested: this.contested, hovered: this.hovered })
    this.insight.replaceChildren(
      ...this.selectionParts(),
      ...(given.configuration === undefined ? [] : this.effectParts()),
    )
  }

  private legendItems(managers: readonly ManagerFields[]): HTMLElement[] {
    const items = managers
      .slice(0, mostOwners)
      .map(({ owner, fields }) =>
        h("li", {}, ownerTag(owner, this.looks), h("span", { class: "muted" }, ` ${legendText(owner, fields.length)}`)),
      )
    const rest = managers.length - items.length
    return rest > 0 ? [...items, h("li", { class: "muted" }, `and ${rest} more`)] : items
  }

  /** Returns the lines that have the word, each with the lines that contain it; all lines without a word. */
  private foundLines(): readonly OwnedLine[] {
    if (this.owned === undefined) return noLines
    const word = this.find.value.trim().toLowerCase()
    if (this.filtered?.of !== this.owned || this.filtered.word !== word) {
      const { lines } = this.owned
      this.filtered = { of: this.owned, word, lines: word === "" ? lines : linesWith(lines, word) }
    }
    return this.filtered.lines
  }

  private select(line: OwnedLine): void {
    this.selected = line
    this.render()
    const { fields } = line
    this.host.dispatchEvent(
      new CustomEvent<SelectedLine>("smd-select", { detail: { fields }, bubbles: true, composed: true }),
    )
  }

  private hover(path: string): void {
    this.hovered = path
    const { contested, looks } = this
    this.grid.update({ lines: this.foundLines(), looks, contested, hovered: path })
    for (const card of this.insight.getElementsByClassName("conflict-card")) {
      card.classList.toggle("linked", (card as HTMLElement).dataset.path === path)
    }
  }

  private selectionParts(): HTMLElement[] {
    if (this.selected === undefined) return []
    const { fields } = this.selected
    const parts = fields.length === 0 ? [h("p", { class: "muted" }, "No field of its own begins on this line.")] : []
    return [
      h(
        "section",
        { class: "selection" },
        h("h3", {}, "Selected"),
        ...parts,
        ...fields.flatMap(field => this.fieldParts(field)),
      ),
    ]
  }

  private fieldParts({ path, owners, byHand }: BlamedField): HTMLElement[] {
    const items = owners.map(owner => {
      const { apiVersion, time } = owner
      const words = [
        roleWords[writerRole(owner)],
        `${owner.operation} at ${apiVersion}`,
        ...(time === undefined ? [] : [time]),
      ]
      return h("li", {}, ownerTag(owner, this.looks), h("span", { class: "muted" }, ` ${words.join(", ")}`))
    })
    return [
      h("p", {}, pathText(path), byHand && " ", byHand && h("span", { class: "badge warn" }, "changed by hand")),
      items.length === 0 ? h("p", { class: "muted" }, "Nobody owns it.") : h("ul", { class: "plain owned" }, ...items),
    ]
  }

  private effectParts(): HTMLElement[] {
    const { plan, explanation, problem, isPending } = this.judged ?? {}
    if (plan === undefined) {
      return [
        problem === undefined
          ? h("p", { class: "muted" }, isPending ? "Working out what it would change …" : "")
          : verdict("error", `The configuration can't be applied: ${problem}`),
      ]
    }
    const conflicts = explanation?.conflicts ?? []
    if (conflicts.length > 0) {
      const { changes } = outcomeOf(plan)
      const others = changes.filter(({ path }) => !this.contested.has(path))
      return [
        verdict("conflict", verdictOf(plan)),
        ...conflicts.map(conflict => this.card(conflict)),
        ...changesSection("Other fields it would change", others),
      ]
    }
    return [
      verdict(verdictKinds[plan.outcome], verdictOf(plan)),
      ...this.refusalParts(plan),
      ...outcomeSections(outcomeOf(plan), this.looks),
    ]
  }

  private card(conflict: ExplainedConflict): HTMLElement {
    const card = conflictCard(conflict, this.looks, {
      onWay: (way, chosen) => void this.take(way, chosen),
      onHover: path => this.hover(path),
    })
    card.dataset.path = conflict.path
    return card
  }

  private refusalParts({ outcome, status }: Plan): HTMLElement[] {
    if (outcome !== "refused" || status === undefined) return []
    const isHidden =
      this.owned !== undefined && isSecret(this.owned.target as unknown as MapValue) && !this.showsSecrets
    return [h("p", { class: "pre" }, isHidden ? "The reason may contain hidden values." : String(status.message))]
  }

  private async take(way: Way, shown: ExplainedConflict): Promise<void> {
    const { configuration = "", object, types, manager } = this.given
    const { judge, textAfter } = await import("./judge.js")
    // The conflict that is shown may lack the values of a Secret, which its edits need.
    const live = object === undefined ? undefined : objectOf(object)
    const { explanation } = judge(live, { configuration, manager, types, force: false })
    const conflict = explanation?.conflicts.find(({ path }) => path === shown.path) ?? shown
    const text = textAfter(configuration, conflict, way)
    const detail: ChosenWay = { way, conflict, ...(text !== undefined && { configuration: text }) }
    const event = new CustomEvent("smd-way", { detail, bubbles: true, composed: true, cancelable: true })
    if (!this.host.dispatchEvent(event)) return
    this.insight.focus()
    if (way === "overwrite") this.set({ force: true })
    else if (text !== undefined) this.set({ configuration: text })
  }
}

const noLines: readonly OwnedLine[] = []
/** The number of owners that the legend names. */
const mostOwners = 12

function isSameName(a: ObjectName, b: ObjectName): boolean {
  return a.apiVersion === b.apiVersion && a.kind === b.kind && a.namespace === b.namespace && a.name === b.name
}
