// Computed when the page is built: states and previews that the page shows before the engine is loaded.
import { Engine } from "./engine.js"
import { changeOf, sceneOf } from "./scene.js"
import { emptyState } from "./state.js"
import { stateOfStory } from "./stories.js"
import type { Preview } from "./view.js"

export { stateOfStory }

/** Returns the preview of the tab that is open after `stateOfStory`. */
export async function previewOfStory(text: string): Promise<Preview | undefined> {
  const engine = new Engine()
  engine.sync(changeOf(sceneOf(emptyState), sceneOf(stateOfStory(text))))
  return (await engine.look({ object: "" }))?.preview
}
