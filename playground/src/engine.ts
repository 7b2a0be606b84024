// Everything that needs the engine, in one chunk that is loaded after the page is painted.

export { ownedObject } from "structured-merge-diff/view"
export { stateOfText } from "./imports.js"
export {
  changedPaths,
  objectLabel,
  openPreview,
  playCourse,
  previewDraft,
  requestText,
  resolveDraft,
  takeWay,
  typesAt,
  updateText,
} from "./play.js"
export { stateOfStory, storyText } from "./stories.js"
export { builtInTypes, isGo, typesOfText } from "./types.js"
