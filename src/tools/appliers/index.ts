// The behavior of tools when they apply an object: Helm, kubectl, Argo CD, Flux and others, as data.
//
// A profile (profile.ts) names the manager and the steps of a tool; profiles.ts has the built-in ones, and read-profile.ts reads those of
// users. configuration.ts makes the configuration that a tool sends, origin.ts reads Applications, Kustomizations and HelmReleases, ignored.ts
// leaves fields to others, steps.ts has the requests of its steps, and run.ts plays them on the write path of a server. plan and explain of
// structured-merge-diff/ownership show the result. pulumi-program.ts reads the objects of Pulumi programs.

export { type ApplierOrigin, type IgnoredFields, type OriginDocument, readOrigin } from "./origin.js"
export type {
  ApplierAlias,
  ApplierName,
  ApplierProfile,
  ApplierStep,
  ClearManagersStep,
  ConfigurationChange,
  EntryRule,
  KeepLastAppliedStep,
  MigrateVersionsStep,
  ReplaceManagersStep,
  SkipRule,
  ToolCommand,
  ToolWay,
  UpgradeManagersStep,
} from "./profile.js"
export { applierProfiles } from "./profiles.js"
export { type PulumiObject, type PulumiProgram, type PulumiRemark, readPulumiProgram } from "./pulumi-program.js"
export { applierProfile, readApplierProfile } from "./read-profile.js"
