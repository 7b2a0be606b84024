// The state of the page. Everything on the page is computed from it, and a shared link contains all of it.

import { useEffect, useState } from "preact/hooks"
import type { MapValue, UnionPolicyName } from "structured-merge-diff"
import type { Story } from "structured-merge-diff/simulator"

/** The kinds of requests that managers can make. */
export const verbs = ["apply", "update", "patch", "create"] as const
export type Verb = (typeof verbs)[number]

/** What answers requests: a server with defaults, validation and admission, or the merge and its owners alone. */
export const servers = ["cluster", "merge"] as const
export type Server = (typeof servers)[number]

/** The text in a manager's tab, with the options of its request. */
export interface Draft {
  readonly manager: string
  readonly verb: Verb
  readonly text: string
  readonly force: boolean
  /** "" for the main resource. */
  readonly subresource: string
}

/** A request of a story with its expected result, as in a story file. */
export type StoryStep = Story["steps"][number]

/** One sequence of steps. *New branch* adds another one. */
export interface Branch {
  readonly name: string
  readonly steps: readonly StoryStep[]
  /** The number of steps that are played; the steps after it are undone. */
  readonly at: number
}

/** The state of the page, as plain data. */
export interface State {
  readonly title: string
  readonly about: string
  /** The objects at the start. */
  readonly objects: readonly MapValue[]
  /** CustomResourceDefinitions, OpenAPI documents or Go source; "" for the built-in kinds only. */
  readonly types: string
  /** The union policy; "" means that built-in kinds have no unions, and the unions of definitions follow `extended`. */
  readonly unions: UnionPolicyName | ""
  readonly server: Server
  /** The parts of a story file that the page does not edit. */
  readonly rest: Pick<Story, "managers" | "schemas" | "defaults">
  readonly drafts: readonly Draft[]
  /** The index of the draft whose tab is open. */
  readonly draft: number
  readonly branches: readonly Branch[]
  /** The index of the branch that is shown. */
  readonly branch: number
}

/** A change of the state, as listeners see it. */
export interface Change {
  readonly before: State
  /** Whether another story took the place of the one before. */
  readonly isNewStory: boolean
}

/** A state to which the user can return. */
interface Saved {
  readonly state: State
  /** The change after it, for people: "the text of web-team". */
  readonly change: string
}

/** The number of changes that can be undone. */
const mostSaved = 200

/** Holds the state, notifies listeners of changes, and undoes them. */
export class Store {
  private current: State
  private past: readonly Saved[] = []
  private future: readonly Saved[] = []
  private readonly listeners = new Set<(change: Change) => void>()

  constructor(state: State) {
    this.current = state
  }

  get state(): State {
    return this.current
  }

  /** The change that `undo` would undo; undefined if there is none. */
  get undoable(): string | undefined {
    return this.past.at(-1)?.change
  }

  /** The change that `redo` would make again; undefined if there is none. */
  get redoable(): string | undefined {
    return this.future.at(-1)?.change
  }

  /** Changes parts of the state. If the change has a name, it can be undone; changes in a row with the same name are one. */
  set(parts: Partial<State>, change = ""): void {
    this.save(change)
    this.become({ ...this.current, ...parts }, false)
  }

  /** Replaces the story. */
  replace(state: State): void {
    this.save(`the change from ${this.current.title} to ${state.title}`)
    this.become(state, true)
  }

  /** Changes one draft. */
  setDraft(index: number, parts: Partial<Draft>): void {
    const { drafts } = this.current
    const { manager = "" } = drafts[index] ?? {}
    const change = parts.text === undefined ? `the options of ${manager}` : `the text of ${manager}`
    this.set({ drafts: drafts.map((draft, i) => (i === index ? { ...draft, ...parts } : draft)) }, change)
  }

  /** Changes the branch that is shown. */
  setBranch(parts: Partial<Branch>, change = ""): void {
    const { branches, branch } = this.current
    this.set({ branches: branches.map((known, i) => (i === branch ? { ...known, ...parts } : known)) }, change)
  }

  /** Restores the state before the last change. Returns the name of the change; undefined if nothing can be undone. */
  undo(): string | undefined {
    const saved = this.past.at(-1)
    if (saved === undefined) return undefined
    this.past = this.past.slice(0, -1)
    this.future = [...this.future, { state: this.current, change: saved.change }]
    this.become(saved.state, false)
    return saved.change
  }

  /** Makes the last undone change again. Returns its name; undefined if nothing was undone. */
  redo(): string | undefined {
    const saved = this.future.at(-1)
    if (saved === undefined) return undefined
    this.future = this.future.slice(0, -1)
    this.past = [...this.past, { state: this.current, change: saved.change }]
    this.become(saved.state, false)
    return saved.change
  }

  /** Calls `listener` after each change. Returns a function that removes the listener. */
  onChange(listener: (change: Change) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  private save(change: string): void {
    if (change === "") return
    this.future = []
    if (this.undoable === change && change.startsWith("the text of ")) return
    this.past = [...this.past, { state: this.current, change }].slice(-mostSaved)
  }

  private become(state: State, isNewStory: boolean): void {
    const before = this.current
    this.current = state
    for (const listener of this.listeners) listener({ before, isNewStory })
  }
}

/** Returns the state and renders the component again when the state changes. */
export function useStore(store: Store): State {
  const [state, setState] = useState(store.state)
  useEffect(() => {
    setState(store.state)
    return store.onChange(() => setState(store.state))
  }, [store])
  return state
}

/** Returns the branch that is shown. */
export function branchOf({ branches, branch }: State): Branch {
  return branches[branch] ?? { name: "main", steps: [], at: 0 }
}

/** A state with one manager and no steps. */
export const emptyState: State = {
  title: "New story",
  about: "",
  objects: [],
  types: "",
  unions: "",
  server: "cluster",
  rest: {},
  drafts: [{ manager: "web-team", verb: "apply", text: "", force: false, subresource: "" }],
  draft: 0,
  branches: [{ name: "main", steps: [], at: 0 }],
  branch: 0,
}
