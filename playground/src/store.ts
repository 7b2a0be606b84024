// Holds the state of the page, with undo and redo.
import { useEffect, useState } from "preact/hooks"
import type { Branch, Draft, State } from "./state.js"

/** A change of the state, as listeners see it. */
export interface Change {
  readonly before: State
  /** Whether another story replaced the one before. */
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

  /** The change that `redo` would redo; undefined if there is none. */
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

  /** Redoes the change that was undone last. Returns its name; undefined if nothing was undone. */
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
