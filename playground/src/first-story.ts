// The first story of the page. Its state is computed when the page is built, so the page can show it before the engine is loaded.
import state from "../../examples/stories/autoscaled-replicas/story.yaml?state"
import type { State } from "./store.js"

export const firstStory: State = state
