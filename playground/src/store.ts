// The one place of the page's state. Everything that is shown follows from it; everything in it goes into a shared link.

import { useEffect, useState } from "preact/hooks"
import type { MapValue, UnionPolicyName } from "structured-merge-diff"
import type { Story } from "structured-merge-diff/simulator"

/** How managers write. */
export const verbs = ["apply", "update", "patch", "create"] as const
export type Verb = (typeof verbs)[number]

/** What a manager is about to write. */
export interface Draft {
  readonly manager: string
  readonly verb: Verb
  readonly text: string
  readonly force: boolean
  /** "" for the main resource. */
  readonly subresource: string
}

/** A request of a story as its file has it, with what is expected of it. */
export type StoryStep = Story["steps"][number]

/** One course of events. */
export interface Branch {
  readonly name: string
  readonly steps: readonly StoryStep[]
  /** How many of the steps are played. */
  readonly at: number
}

/** The state. Plain data. */
export interface State {
  readonly title: string
  readonly about: string
  /** Objects that are there before the first step. */
  readonly objects: readonly MapValue[]
  /** CustomResourceDefinitions, OpenAPI or Go source; "" for the built-in kinds alone. */
  readonly types: string
  /** "" for what a story does that says nothing: built-in kinds have no unions, those of definitions are settled. */
  readonly unions: UnionPolicyName | ""
  /** What else the story has. */
  readonly rest: Pick<Story, "managers" | "schemas" | "defaults">
  readonly drafts: readonly Draft[]
  /** The manager whose tab is open, by its place. */
  readonly draft: number
  readonly branches: readonly Branch[]
  readonly branch: number
}

/** Holds the state, and tells of changes. */
export class Store {
  private current: State
  private readonly listeners = new Set<() => void>()

  constructor(state: State) {
    this.current = state
  }

  get state(): State {
    return this.current
  }

  /** Puts these parts in. */
  set(parts: Partial<State>): void {
    this.current = { ...this.current, ...parts }
    for (const listener of this.listeners) listener()
  }

  /** Changes the draft of one manager. */
  setDraft(index: number, parts: Partial<Draft>): void {
    this.set({ drafts: this.current.drafts.map((draft, i) => (i === index ? { ...draft, ...parts } : draft)) })
  }

  /** Changes the course of events that is shown. */
  setBranch(parts: Partial<Branch>): void {
    const { branches, branch } = this.current
    this.set({ branches: branches.map((known, i) => (i === branch ? { ...known, ...parts } : known)) })
  }

  /** Calls `listener` after each change. Returns how to end that. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
}

/** The state, in a component that follows it. */
export function useStore(store: Store): State {
  const [state, setState] = useState(store.state)
  useEffect(() => {
    setState(store.state)
    return store.onChange(() => setState(store.state))
  }, [store])
  return state
}

/** The course of events that is shown. */
export function branchOf({ branches, branch }: State): Branch {
  return branches[branch] ?? { name: "main", steps: [], at: 0 }
}

/** A state with one manager who has written nothing yet. */
export const emptyState: State = {
  title: "New story",
  about: "",
  objects: [],
  types: "",
  unions: "",
  rest: {},
  drafts: [{ manager: "web-team", verb: "apply", text: "", force: false, subresource: "" }],
  draft: 0,
  branches: [{ name: "main", steps: [], at: 0 }],
  branch: 0,
}
