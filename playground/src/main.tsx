// The playground. The fragment of the URL contains the state, so a link contains a story.
import { render } from "preact"
import { themeStyle } from "../../src/tools/view/style/theme.js"
import { adoptStyles, paneStyle } from "../../src/tools/view/style.js"
import { followAddress } from "./address.js"
import { App } from "./app.js"
import { fromFragment, isLink } from "./share.js"
import { Store } from "./store.js"
import "./style.css"
import { firstStory } from "./first-story.js"
import { restoreTheme } from "./theme.js"
import { claimFirstVisit } from "./tour.js"

restoreTheme()
adoptStyles(document, [themeStyle, paneStyle])
const linked = await fromFragment(location.hash)
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
