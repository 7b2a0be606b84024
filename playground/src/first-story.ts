// The first story of the page. Its state and its conflict are computed when the page is built, so the page can show them before the engine is
// loaded.

import preview from "../../examples/stories/autoscaled-replicas/story.yaml?preview"
import state from "../../examples/stories/autoscaled-replicas/story.yaml?state"
import type { State } from "./state.js"
import type { Preview } from "./view.js"

export const firstStory: State = state

/** The preview of the tab that is open in the first story. */
export const firstPreview: Preview = preview
