// Lists the commands. Loading code takes most of the time of a start, so each command is loaded only when it runs.
import { nearest } from "../../value/nearest.js"
import type { Command } from "./command.js"

/** A command before it is loaded. */
export interface ListedCommand extends Pick<Command, "name" | "alias"> {
  load(): Promise<Command>
}

export interface CommandGroup {
  readonly title: string
  readonly commands: readonly ListedCommand[]
}

/** All commands, in the order of the help. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: "Requests",
    commands: [
      { name: "apply", load: async () => (await import("./apply.js")).apply },
      { name: "update", load: async () => (await import("./update.js")).update },
      { name: "plan", load: async () => (await import("./plan.js")).plan },
      { name: "explain", load: async () => (await import("./explain.js")).explain },
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
      { name: "help", load: async () => (await import("./help.js")).helpCommand },
      { name: "completion", load: async () => (await import("./completion.js")).completion },
      { name: "version", load: async () => (await import("./version.js")).version },
    ],
  },
]
export const commands: readonly ListedCommand[] = commandGroups.flatMap(group => group.commands)

/** Commands of earlier releases, with the commands that replace them. */
const replaced: Readonly<Record<string, string>> = { upgrade: "managers upgrade" }

/** Returns the command whose name is at the start of these words. A name may have several words. */
export function commandAt(words: readonly string[]): ListedCommand | undefined {
  const [first] = words
  return commands.find(
    command =>
      (first !== undefined && command.alias === first) || wordsOf(command).every((word, i) => words[i] === word),
  )
}

/** Returns the words of the command's name. */
export function wordsOf({ name }: ListedCommand): string[] {
  return name.split(" ")
}

/** Returns the name of the command that the user probably meant by this word, or of another thing with a name in `others`. */
export function closestCommand(word: string, others: readonly string[] = []): string | undefined {
  if (Object.hasOwn(replaced, word)) return replaced[word]
  const begun = commands.find(command => wordsOf(command)[0] === word)
  return begun === undefined ? nearest(word, [...commands.map(({ name }) => name), ...others]) : begun.name
}
