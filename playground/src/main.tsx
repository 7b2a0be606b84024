// The playground. The fragment of the URL contains the state, so a link contains a story.
import { render } from "preact"
import { themeStyle } from "../../src/tools/view/style/theme.js"
import { adoptStyles, paneStyle } from "../../src/tools/view/style.js"
import { followAddress, stateInAddress } from "./address.js"
import { App } from "./app.js"
import { isLink } from "./share.js"
import type { State } from "./state.js"
import { Store } from "./store.js"
import "./style.css"
import { firstStory } from "./first-story.js"
import { Opening } from "./opening.js"
import { restoreTheme } from "./theme.js"
import { claimFirstVisit } from "./tour.js"
import { startEngine } from "./use-engine.js"

// Early; the page reports it if this fails.
startEngine().catch(() => {})
restoreTheme()
adoptStyles(document, [themeStyle, paneStyle])
const place = document.getElementById("app")
if (place !== null) void show(place)

/** Shows the page, after the story in its address is read. Without the engine, a story file can't be read. */
async function show(app: HTMLElement): Promise<void> {
  if (isLink(location.hash)) render(<Opening />, app)
  let linked: State | undefined
  let fragment: string
  // The user may go to another link meanwhile.
  do {
    fragment = location.hash
    try {
      linked = await stateInAddress()
    } catch {
      return render(<Opening onRetry={() => void show(app)} />, app)
    }
  } while (location.hash !== fragment)
  const isOfLink = isLink(fragment)
  const store = new Store(linked ?? firstStory)
  followAddress(store)
  const message =
    linked === undefined && isOfLink
      ? "The link can't be read; it may have been cut off. The page shows the first story instead."
      : ""
  // Nothing lies on top of a story that somebody has shared.
  render(<App store={store} message={message} isFirstVisit={!isOfLink && claimFirstVisit()} />, app)
}
