// Plays requests of several field managers on the same objects, and records after each request what changed and who owns what.
//
// simulation/ holds the objects and their history: world.ts computes one request as an API server would, and step.ts holds its result. story/
// plays requests with expected results from files. search/ plays many requests to find fights, and orders and steps that break rules. export/
// writes stories as scripts and tests for other clients.

export type { FieldChange } from "../ownership/field-changes.js"
export type { Unsettled } from "./search/changing-fields.js"
export { type Contention, contend, type Fight } from "./search/contend.js"
export { type Exploration, type ExploreOptions, explore } from "./search/explore.js"
export {
  type Difference,
  type OrderOutcome,
  type OrderPair,
  type Permutation,
  type PermuteOptions,
  permute,
} from "./search/permute.js"
export type { ControllerRequest, Reconcile, SettleOptions, SettleResult } from "./simulation/controller.js"
export type { ObjectDifference } from "./simulation/difference.js"
export type {
  ApplyStepOptions,
  DeleteStepOptions,
  ManagerRequest,
  ObjectRef,
  Recipe,
  RequestBase,
  SimulatedApply,
  SimulatedCreate,
  SimulatedDelete,
  SimulatedPatch,
  SimulatedSchemaChange,
  SimulatedUpdate,
  SimulationRequest,
  UpdateStepOptions,
} from "./simulation/request.js"
export {
  fromJSON,
  type Simulation,
  type SimulationData,
  type SimulationOptions,
  simulate,
} from "./simulation/simulation.js"
export type { Snapshot } from "./simulation/snapshot.js"
export type { Outcome, Step, StepUnion } from "./simulation/step.js"
export type { SimulationSchema } from "./simulation/world.js"
export type { UnmetExpectation } from "./story/expectations.js"
export {
  requestsOf,
  runStory,
  type StoryFailure,
  type StoryOptions,
  type StoryResult,
  type StoryStepResult,
} from "./story/run-story.js"
export {
  readStory,
  type Story,
  type StoryApply,
  type StoryConflict,
  StoryError,
  type StoryExpectation,
  type StoryFile,
  type StoryManager,
  type StoryProblem,
  type StoryReadOptions,
  type StorySchema,
  type StoryStep,
  type StoryUpdate,
} from "./story/story.js"
