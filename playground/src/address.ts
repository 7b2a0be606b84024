// The address of the page contains the state, so that a link to it contains the story. Each story is an entry of the browser's history.
import { fromFragment, toFragment } from "./share.js"
import type { State, Store } from "./store.js"

/** The delay between the last change of the state and that of the address, in milliseconds. */
const pause = 400

/** Keeps the address and the state in step: writes changes to the address, and reads it when the user goes back or forward. */
export function followAddress(store: Store): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let written = location.hash
  let writing = Promise.resolve()
  const write = (state: State, isNewEntry: boolean): void => {
    // In order, because compression takes a moment.
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
    written = location.hash
    const state = await fromFragment(location.hash)
    if (state !== undefined) store.set(state, `the return to ${state.title}`)
  })
}
