// Computed when the page is built: states and previews that the page shows before the engine is loaded.
import { openPreview, type Preview } from "./play.js"
import { stateOfStory } from "./stories.js"
import { builtInTypes } from "./types.js"

const types = await builtInTypes(false)

export { stateOfStory }

/** Returns the preview of the tab that is open after `stateOfStory`. */
export function previewOfStory(text: string): Preview {
  return openPreview(stateOfStory(text), types)
}
