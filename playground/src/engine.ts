// Everything that needs the engine, in one chunk that is loaded after the page is painted.

export { ownedObject } from "structured-merge-diff/view"
export { stateOfText } from "./imports.js"
export {
  changedPaths,
  loadServer,
  objectLabel,
  openPreview,
  playCourse,
  previewDraft,
  requestText,
  resolveDraft,
  serverParts,
  takeWay,
  typesAt,
  updateText,
} from "./play.js"
export { stepLines } from "./step-lines.js"
export { stateOfStory, storyText } from "./stories.js"
export { builtInTypes, isGo, typesOfText } from "./types.js"
