// Plays requests of several field managers on the same objects, and records after each request what changed and who owns what.
//
// simulation.ts holds the objects and their history, world.ts computes one request as an API server would, and step.ts holds its result.

export type { FieldChange } from "../ownership/field-changes.js"
export type { Unsettled } from "./changing-fields.js"
export { type Contention, contend, type Fight } from "./contend.js"
export type { ControllerRequest, Reconcile, SettleOptions, SettleResult } from "./controller.js"
export type { ObjectDifference } from "./difference.js"
export type { UnmetExpectation } from "./expectations.js"
export { type Exploration, type ExploreOptions, explore } from "./explore.js"
export {
  type Difference,
  type OrderOutcome,
  type OrderPair,
  type Permutation,
  type PermuteOptions,
  permute,
} from "./permute.js"
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
} from "./request.js"
export {
  requestsOf,
  runStory,
  type StoryFailure,
  type StoryOptions,
  type StoryResult,
  type StoryStepResult,
} from "./run-story.js"
export {
  fromJSON,
  type Simulation,
  type SimulationData,
  type SimulationOptions,
  simulate,
} from "./simulation.js"
export type { Snapshot } from "./snapshot.js"
export type { Outcome, Step, StepUnion } from "./step.js"
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
} from "./story.js"
export type { SimulationSchema } from "./world.js"
