// Checks of definitions, configurations and live objects: what will not work, or will surprise, and who stands in an applier's way.
//
// Each finding has a stable code, which docs/lint.md explains. definitions.ts has the checks of definitions (list-types.ts of how lists and maps are merged), configurations.ts those of
// configurations, objects.ts those of live objects (owners.ts entry by entry, leftovers.ts of updates beside appliers, size.ts), and
// finding.ts the table of codes.
export { lintConfiguration } from "./configurations.js"
export { lintDefinition, lintTopology, lintUnions } from "./definitions.js"
export { type LintCode, type LintFinding, type LintSeverity, lintSeverities } from "./finding.js"
export { type LintObjectOptions, lintObject } from "./objects.js"
export type { SizeLimits } from "./size.js"
