// Shows an object with its owners in a page: an element for any framework, and the data it shows.
//
// owned-object.ts finds the owners of each line. element.ts is the element, and panes.ts has its content. The playground shows
// the parts that lines.ts, conflict-card.ts and outcome.ts make too. judge.ts works out the effect of a configuration, and is loaded for the
// first one.

export { defineOwnersView, type OwnersView } from "./element.js"
export { type OwnedLine, type OwnedObject, type OwnedObjectOptions, ownedObject } from "./owned-object.js"
export type { ChosenWay, OwnersViewProperties, SelectedLine } from "./properties.js"
