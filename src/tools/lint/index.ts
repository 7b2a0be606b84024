// Checks definitions, configurations and live objects for things that will not work or will surprise, and for owners that get in an
// applier's way.
//
// Each finding has a stable code, which docs/lint.md explains. definitions.ts checks definitions, with list-types.ts for the merging of
// lists and maps. configurations.ts checks configurations, repeated.ts finds keys that they have twice, and stored-form.ts values that a server
// stores in another form. objects.ts checks live objects: owners.ts entry by entry, leftovers.ts for updates next to appliers, co-owners.ts for
// owners of the same fields, mixed-versions.ts for entries at other versions, idle-managers.ts for managers that nobody expects, and size.ts.
// finding.ts has the table of codes.
export { lintConfiguration } from "./configurations.js"
export { lintDefinition, lintTopology, lintUnions } from "./definitions.js"
export { type LintCode, type LintFinding, type LintSeverity, lintSeverities } from "./finding.js"
export type { ExpectedManagers } from "./idle-managers.js"
export { type LintObjectOptions, lintObject } from "./objects.js"
export { lintRepeatedKeys } from "./repeated.js"
export type { SizeLimits } from "./size.js"
export { lintStoredForm, type StoredFormOptions } from "./stored-form.js"
