// All that needs the engine, in one part that is loaded once the page is there.
export { stateOfText } from "./imports.js"
export { ownedObject } from "./live-rows.js"
export {
  changedPaths,
  objectLabel,
  playCourse,
  previewDraft,
  resolveDraft,
  storyStep,
  takeWay,
  updateText,
} from "./play.js"
export { isInStoryFile, stateOfStory, storyText } from "./stories.js"
export { builtInTypes, typesOfText } from "./types.js"
