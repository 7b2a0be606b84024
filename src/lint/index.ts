// Checks of definitions and configurations: what will not work, or will surprise, before anything is applied.
//
// Each finding has a stable code, which docs/lint.md explains. definitions.ts has the checks of definitions, configurations.ts those of
// configurations, and finding.ts the table of codes.
export { lintConfiguration } from "./configurations.js"
export { lintDefinition, lintUnions } from "./definitions.js"
export { type LintCode, type LintFinding, type LintSeverity, lintSeverities } from "./finding.js"
