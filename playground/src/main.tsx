// The playground. The fragment of the URL contains the state, so a link contains a story.
import { render } from "preact"
import { themeStyle } from "../../src/tools/view/style/theme.js"
import { adoptStyles, paneStyle } from "../../src/tools/view/style.js"
import { followAddress, stateInAddress } from "./address.js"
import { App } from "./app.js"
import { isLink } from "./share.js"
import { Store } from "./store.js"
import "./style.css"
import { firstStory } from "./first-story.js"
import { restoreTheme } from "./theme.js"
import { claimFirstVisit } from "./tour.js"
import { startEngine } from "./use-engine.js"

// Early; the page reports it if this fails.
startEngine().catch(() => {})
restoreTheme()
adoptStyles(document, [themeStyle, paneStyle])
const linked = await stateInAddress()
const store = new Store(linked ?? firstStory)
followAddress(store)

const place = document.getElementById("app")
if (place !== null) {
  const isOfLink = isLink(location.hash)
  const message =
    linked === undefined && isOfLink
      ? "The link can't be read; it may have been cut off. The page shows the first story instead."
      : ""
  // Nothing lies on top of a story that somebody has shared.
  render(<App store={store} message={message} isFirstVisit={!isOfLink && claimFirstVisit()} />, place)
}
