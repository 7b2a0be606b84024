// Shows an object with its owners in a page: an element for any framework, and the data it shows.
//
// owned-object.ts finds the owners of each line, and element.ts is the element. lines.ts, conflict-card.ts and outcome.ts make its panes,
// which the playground uses too. judge.ts works out the effect of a configuration and is loaded when there is one.

export {
  type ChosenWay,
  defineOwnersView,
  type OwnersView,
  type OwnersViewProperties,
  type SelectedLine,
} from "./element.js"
export { type OwnedLine, type OwnedObject, type OwnedObjectOptions, ownedObject } from "./owned-object.js"
