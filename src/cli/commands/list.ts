// Lists the commands. Loading code takes most of the time of a start, so each command is loaded only when it runs.
import type { CommandGroup, ListedCommand } from "./find.js"

/** All commands, in the order of the help. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: "Requests",
    commands: [
      { name: "apply", load: async () => (await import("./apply.js")).apply },
      { name: "update", load: async () => (await import("./update.js")).update },
      { name: "plan", load: async () => (await import("./plan.js")).plan },
      { name: "explain", load: async () => (await import("./explain.js")).explain },
      { name: "migrate", load: async () => (await import("./migrate.js")).migrate },
      { name: "ignore", load: async () => (await import("./ignore.js")).ignore },
    ],
  },
  {
    title: "Owners",
    commands: [
      { name: "blame", alias: "owners", load: async () => (await import("./blame.js")).blame },
      { name: "managers", load: async () => (await import("./managers.js")).managers },
      { name: "extract", load: async () => (await import("./extract.js")).extract },
    ],
  },
  {
    title: "Checks and schemas",
    commands: [
      { name: "validate", load: async () => (await import("./validate.js")).validate },
      { name: "lint", load: async () => (await import("./lint.js")).lint },
      { name: "schema diff", load: async () => (await import("./schema-diff.js")).schemaDiff },
      { name: "schema convert", load: async () => (await import("./schema-convert.js")).schemaConvert },
    ],
  },
  {
    title: "Simulations",
    commands: [
      { name: "simulate", load: async () => (await import("./simulate.js")).simulate },
      { name: "serve", load: async () => (await import("./serve.js")).serve },
      { name: "record diff", load: async () => (await import("./record-diff.js")).recordDiff },
      { name: "story", load: async () => (await import("./story.js")).story },
    ],
  },
  {
    title: "Tools of the engine",
    commands: [
      { name: "merge", load: async () => (await import("./merge.js")).merge },
      { name: "compare", load: async () => (await import("./compare.js")).compare },
      { name: "fieldset", load: async () => (await import("./fieldset.js")).fieldset },
      { name: "list-types", load: async () => (await import("./list-types.js")).listTypes },
      { name: "types", load: async () => (await import("./types.js")).types },
    ],
  },
  {
    title: "This program",
    commands: [
      { name: "help", load: async () => (await import("./help.js")).helpFor(commandGroups) },
      { name: "completion", load: async () => (await import("./completion.js")).completionOf(commands) },
      { name: "version", load: async () => (await import("./version.js")).version },
    ],
  },
]
export const commands: readonly ListedCommand[] = commandGroups.flatMap(group => group.commands)
