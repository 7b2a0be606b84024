// The story that the page begins with: its state is made when the page is built, so that it is there before the engine.
import state from "../../examples/stories/autoscaled-replicas/story.yaml?state"
import type { State } from "./store.js"

/** The name of the file of that story. */
export const firstExample = "autoscaled-replicas"

export const firstStory: State = state
