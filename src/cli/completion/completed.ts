// The words that shells complete, as data from the tables of options.
import { addToGroup } from "../../value/groups.js"
import { commonOptions, type Option, optionName } from "../input/options.js"
import type { DescribedCommand } from "../output/help.js"

/** The words that a shell offers in some place: files, these words, or nothing. */
export type Completion = "files" | readonly string[]

export interface CompletedOption {
  /** The names with their dashes: the long one, its alias, the short one. */
  readonly names: readonly string[]
  readonly help: string
  /** The values; undefined for a flag. */
  readonly values: Completion | undefined
  /** The name of the value in the help. */
  readonly value: string
  /** Whether a value has to follow "=". */
  readonly isOptional: boolean
  readonly isRepeated: boolean
}

export interface CompletedCommand {
  /** The words of its name, and of its alias. */
  readonly names: readonly (readonly string[])[]
  readonly summary: string
  readonly options: readonly CompletedOption[]
  readonly operands: Completion
}

/** Returns the words of these commands. */
export function completedCommands(commands: readonly DescribedCommand[]): CompletedCommand[] {
  return commands.map(({ name, alias, summary, options, operands, firstOperands }) => ({
    names: [name.split(" "), ...(alias === undefined ? [] : [[alias]])],
    summary,
    options: Object.entries<Option<unknown>>({ ...options, ...commonOptions }).map(completedOption),
    operands: firstOperands ?? (operands === "" ? [] : "files"),
  }))
}

function completedOption([key, { help, short, alias, value, choices, isOptional, isRepeated }]: [
  string,
  Option<unknown>,
]): CompletedOption {
  const isFile = /\b(?:FILE|DIR|LOG)\b/.test(value ?? "")
  return {
    names: [
      optionName(key),
      ...(alias === undefined ? [] : [`--${alias}`]),
      ...(short === undefined ? [] : [`-${short}`]),
    ],
    help,
    values: value === undefined ? undefined : isFile ? "files" : (choices ?? []),
    value: value ?? "",
    isOptional: isOptional === true,
    isRepeated: isRepeated === true,
  }
}

/** Returns the first words of all commands, and for each the second words if it has some. */
export function firstWords(commands: readonly CompletedCommand[]): ReadonlyMap<string, readonly CompletedCommand[]> {
  const found = new Map<string, CompletedCommand[]>()
  for (const command of commands) {
    for (const [first = ""] of command.names) addToGroup(found, first, command)
  }
  return found
}

/** Quotes the text for a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
