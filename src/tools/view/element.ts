// The custom element and its properties and events. panes.ts has its content.
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { aString, requireArgument } from "../../value/argument.js"
import { Panes } from "./panes.js"
import type { ChosenWay, OwnersViewProperties, SelectedLine } from "./properties.js"

/** The element of an owners view. */
export type OwnersView = HTMLElement & OwnersViewProperties

declare global {
  interface HTMLElementTagNameMap {
    "smd-owners": OwnersView
  }
  // The events bubble, so every element around the view can listen to them.
  interface HTMLElementEventMap {
    "smd-select": CustomEvent<SelectedLine>
    "smd-way": CustomEvent<ChosenWay>
  }
}

/**
 * Defines the custom element `smd-owners`, or another name, and returns its class. Does nothing if the name is already defined. Throws a
 * TypeError where there are no elements, as in Node.
 *
 * @example
 * ```ts
 * import { defineOwnersView } from "structured-merge-diff/view"
 *
 * export function show(live: object): void {
 *   defineOwnersView()
 *   const view = document.createElement("smd-owners")
 *   view.object = live
 *   view.addEventListener("smd-select", ({ detail }) => console.log(detail.fields))
 *   document.body.append(view)
 * }
 * console.log(typeof show)
 * // function
 * ```
 */
export function defineOwnersView(name = "smd-owners"): new () => OwnersView {
  requireArgument("name", name, aString)
  if (typeof customElements === "undefined") throw new TypeError("an owners view needs a browser")
  const known = customElements.get(name)
  if (known !== undefined) return known as new () => OwnersView
  const made = ownersViewClass()
  customElements.define(name, made)
  return made
}

/** Makes the class. It is made when it is defined, so that the module can be imported where there are no elements. */
function ownersViewClass(): new () => OwnersView {
  return class extends HTMLElement implements OwnersViewProperties {
    static readonly observedAttributes = ["manager"]
    private readonly panes: Panes

    constructor() {
      super()
      this.panes = new Panes(this)
    }

    connectedCallback(): void {
      // A page may have set properties before the element was defined.
      for (const name of ["object", "types", "configuration", "manager", "force"] as const) {
        if (!Object.hasOwn(this, name)) continue
        const value = this[name]
        delete (this as Partial<OwnersViewProperties>)[name]
        this.panes.set({ [name]: value })
      }
      this.panes.connect()
    }

    attributeChangedCallback(_: string, __: string | null, value: string | null): void {
      if (value !== null) this.panes.set({ manager: value })
    }

    get object(): object | undefined {
      return this.panes.given.object
    }
    set object(object: object | undefined) {
      this.panes.set({ object })
    }
    get types(): TypeFinder | undefined {
      return this.panes.given.types
    }
    set types(types: TypeFinder | undefined) {
      this.panes.set({ types })
    }
    get configuration(): string | undefined {
      return this.panes.given.configuration
    }
    set configuration(configuration: string | undefined) {
      this.panes.set({ configuration })
    }
    get manager(): string {
      return this.panes.given.manager
    }
    set manager(manager: string) {
      this.panes.set({ manager })
    }
    get force(): boolean {
      return this.panes.given.force
    }
    set force(force: boolean) {
      this.panes.set({ force })
    }
  }
}
