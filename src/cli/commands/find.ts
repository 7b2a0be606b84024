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

/** Returns the name that the user probably meant by this word: of a command, or one of `others`. */
export function closestCommand(
  word: string,
  commands: readonly ListedCommand[],
  others: readonly string[] = [],
): string | undefined {
  if (Object.hasOwn(replaced, word)) return replaced[word]
  const begun = commands.find(command => wordsOf(command)[0] === word)
  return begun === undefined ? nearest(word, [...commands.map(({ name }) => name), ...others]) : begun.name
}
