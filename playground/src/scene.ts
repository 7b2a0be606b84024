// The part of the page's state that the engine reads. The worker has a copy of it, and the page sends it the changes.
import { branchOf, type Draft, type State, type StoryStep } from "./state.js"

/** A story with the branch that is shown and the draft whose tab is open. */
export interface Scene extends Pick<State, "title" | "about" | "objects" | "types" | "unions" | "server" | "rest"> {
  readonly steps: readonly StoryStep[]
  /** The number of steps that are not undone. */
  readonly at: number
  readonly draft: Draft | undefined
}

/** The parts of a scene that changed. */
export interface SceneChange extends Partial<Omit<Scene, "steps">> {
  /** The number of steps that both scenes begin with, and the steps after them. */
  readonly steps?: { readonly kept: number; readonly added: readonly StoryStep[] }
}

export function sceneOf(state: State): Scene {
  const { title, about, objects, types, unions, server, rest, drafts, draft } = state
  const { steps, at } = branchOf(state)
  return { title, about, objects, types, unions, server, rest, steps, at, draft: drafts[draft] }
}

/** Returns the parts that changed. Compares parts by identity. */
export function changeOf(before: Scene, after: Scene): SceneChange {
  const { steps: stepsBefore, ...partsBefore } = before
  const { steps, ...parts } = after
  const change = Object.entries(parts).filter(([key, part]) => part !== partsBefore[key as keyof typeof partsBefore])
  if (steps === stepsBefore) return Object.fromEntries(change)
  const kept = commonLength(stepsBefore, steps)
  return { ...Object.fromEntries(change), steps: { kept, added: steps.slice(kept) } }
}

/** Returns the scene after the change. Shares all parts that did not change. */
export function changed(scene: Scene, { steps, ...parts }: SceneChange): Scene {
  return { ...scene, ...parts, ...(steps && { steps: [...scene.steps.slice(0, steps.kept), ...steps.added] }) }
}

/** Returns the number of items that both lists begin with. Compares items by identity. */
export function commonLength<T>(one: readonly T[], other: readonly T[]): number {
  const most = Math.min(one.length, other.length)
  let count = 0
  while (count < most && one[count] === other[count]) count++
  return count
}
