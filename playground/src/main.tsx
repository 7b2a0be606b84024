// The playground. The fragment of the URL contains the state, so a link contains a story.
import { render } from "preact"
import { App } from "./app.js"
import { fromFragment, toFragment } from "./share.js"
import { Store } from "./store.js"
import "./style.css"
import { firstExample, firstStory } from "./first-story.js"
import { restoreTheme } from "./theme.js"

restoreTheme()
const linked = fromFragment(location.hash)
const isBroken = linked === undefined && location.hash.startsWith("#s=")
const store = new Store(linked ?? firstStory)

let timer: ReturnType<typeof setTimeout> | undefined
let written = ""
store.onChange(() => {
  clearTimeout(timer)
  timer = setTimeout(() => {
    written = `#${toFragment(store.state)}`
    history.replaceState(null, "", written)
  }, 400)
})
addEventListener("hashchange", () => {
  if (location.hash === written) return
  const state = fromFragment(location.hash)
  if (state !== undefined) store.set(state)
})

const place = document.getElementById("app")
if (place !== null) {
  const message = isBroken
    ? "The link can't be read; it may have been cut off. The page shows the first story instead."
    : ""
  render(<App store={store} message={message} example={linked === undefined ? firstExample : ""} />, place)
}
