// The address of the page contains the state, so that a link to it contains the story. Each story is an entry of the browser's history.
import { fromFragment, isStoryFile, toFragment } from "./share.js"
import type { State } from "./state.js"
import type { Store } from "./store.js"
import { startEngine } from "./use-engine.js"

/** The delay between the last change of the state and the change of the address, in milliseconds. */
const pause = 400

/** Returns the state in the address; undefined if there is none or it can't be read. Rejects if it needs the engine, which can't be loaded. */
export async function stateInAddress(): Promise<State | undefined> {
  const fragment = location.hash
  if (isStoryFile(fragment)) await startEngine()
  return fromFragment(fragment, async text => (await startEngine()).remote.stateOfStory(text))
}

/** Keeps the address and the state in step: writes changes to the address, and reads it when the user goes back or forward. */
export function followAddress(store: Store): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let written = location.hash
  let writing = Promise.resolve()
  const write = (state: State, isNewEntry: boolean): void => {
    // One after the other: compression takes a moment, and the last state must be the one that stays.
    writing = writing.then(async () => {
      written = `#${await toFragment(state)}`
      if (isNewEntry) history.pushState(null, "", written)
      else history.replaceState(null, "", written)
    })
  }
  store.onChange(({ before, isNewStory }) => {
    clearTimeout(timer)
    if (isNewStory) {
      write(before, false)
      write(store.state, true)
    } else timer = setTimeout(() => write(store.state, false), pause)
  })
  addEventListener("hashchange", async () => {
    if (location.hash === written) return
    clearTimeout(timer)
    const fragment = location.hash
    written = fragment
    const state = await stateInAddress().catch(() => undefined)
    if (state !== undefined && written === fragment) store.set(state, `the return to ${state.title}`)
  })
}
