// Finds commands by the words of a command line.
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

/** Commands of earlier releases, with the commands that replace them. */
const replaced: Readonly<Record<string, string>> = { upgrade: "managers upgrade" }

/** Returns the command whose name is at the start of these words. A name may have several words. */
export function commandAt(words: readonly string[], commands: readonly ListedCommand[]): ListedCommand | undefined {
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

/** Returns a message about words that don't begin with a command, with the commands, or `others`, that the user probably meant. */
export function unknownCommand(
  words: readonly string[],
  commands: readonly ListedCommand[],
  { what = "command", others = [] }: { readonly what?: string; readonly others?: readonly string[] } = {},
): string {
  const [first = "", second = "-"] = words
  const names = commands.map(({ name }) => name)
  const family = names.filter(name => name.startsWith(`${first} `))
  const both = second.startsWith("-") ? first : `${first} ${second}`
  if (family.length > 0) {
    if (both === first) return `${first} is not a whole command: ${family.join(", ")}`
    return `no ${what} ${both}; did you mean ${nearest(both, family) ?? family.join(" or ")}?`
  }
  const close = Object.hasOwn(replaced, first)
    ? replaced[first]
    : (nearest(first, [...names, ...others]) ?? nearest(both, names))
  return `no ${what} ${first}${close === undefined ? "" : `; did you mean ${close}?`}`
}
