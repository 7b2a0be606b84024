// Declares options, and parses command lines by these declarations.
//
// A command has a table of options. The key of an option is its name in camel case: `allManagers` is `--all-managers`. The types of the
// values that the command gets follow from the table.
import { parseArgs } from "node:util"
import { nearest } from "../../value/nearest.js"
import { listOr } from "../../value/words.js"

/** The sections of the help that list options, in their order. Options without a group come first, as "Options". */
export const optionGroups = ["Input", "Cluster", "Types", "Unions", "Output", "Streams", "Other"] as const
export type OptionGroup = (typeof optionGroups)[number]

/** An option. Commands get a value of type `T`. */
export interface Option<T> {
  readonly help: string
  readonly group?: OptionGroup
  /** One letter, for use with one dash. */
  readonly short?: string
  /** Another name: kubectl's, if ours differs. */
  readonly alias?: string
  /** The name of the value in the help (`FILE`). Flags have none. */
  readonly value?: string
  /** All values that the option accepts, if they are few. */
  readonly choices?: readonly string[]
  /** Whether the option may be given without a value. A value has to be joined with "=" then. */
  readonly isOptional?: true
  /** Whether the option may be given several times. */
  readonly isRepeated?: true
  /**
   * Returns the value of the option. `texts` has a text for each time that the command line has the option with a value; a flag without a
   * value has the text "true". `name` is the option with its dashes, for messages. Throws a UsageError for a text that the option does not accept.
   */
  parse(texts: readonly string[], name: string): T
}

/** The table of options whose values are `V`. */
export type Options<V> = { readonly [K in keyof V]: Option<V[K]> }
/** The values of the options of a table. */
export type ValuesOf<O> = { readonly [K in keyof O]: O[K] extends Option<infer T> ? T : never }

/** The parts of a command line that are not options. */
export interface Operands {
  readonly operands: readonly string[]
  /** The operands after `--`. */
  readonly afterDashes: readonly string[]
}

/** Reports a command line that does not fit the command. */
export class UsageError extends Error {}

/** Returns the value of a text. Throws a UsageError, in which `name` is the option, for a text that has none. */
type TextParser<T> = (text: string, name: string) => T

/** Declares an option without a value: `--name` and `--name=true` set it, `--name=false` does not. */
export function flag(help: string): Option<boolean> {
  return {
    help,
    parse([text], name) {
      if (text === undefined || text === "true" || text === "false") return text === "true"
      throw new UsageError(`${name} must be true or false, not ${text}`)
    },
  }
}

/** Declares an option with a value, which the help calls `value`. Commands get undefined if the option is absent. */
export function option(value: string, help: string): Option<string | undefined>
export function option<T>(value: string, help: string, parse: TextParser<T>): Option<T | undefined>
export function option(value: string, help: string, parse: TextParser<unknown> = text => text): Option<unknown> {
  return { value, help, parse: ([text], name) => (text === undefined ? undefined : parse(text, name)) }
}

/** Declares an option that may be given several times. */
export function repeated(value: string, help: string): Option<readonly string[]>
export function repeated<T>(value: string, help: string, parse: TextParser<T>): Option<readonly T[]>
export function repeated(value: string, help: string, parse: TextParser<unknown> = text => text): Option<unknown> {
  return { value, help, isRepeated: true, parse: (texts, name) => texts.map(text => parse(text, name)) }
}

/** Declares an option whose value is one of `choices`. */
export function choice<const T extends string>(choices: readonly T[], help: string): Option<T | undefined> {
  const parse = (text: string, name: string): T => {
    const chosen = choices.find(each => each === text)
    if (chosen === undefined) throw new UsageError(`${name} must be ${listOr(choices)}, not ${text}`)
    return chosen
  }
  return { ...option(choices.join("|"), help, parse), choices }
}

/** Returns the options, which the help lists under this title. */
export function grouped<O extends OptionTable>(group: OptionGroup, options: O): O {
  const entries = Object.entries(options).map(([key, option]) => [key, { ...option, group }])
  return Object.fromEntries(entries) as O
}

/** Returns the option as a required one. */
export function required<T>(other: Option<T>): Option<Exclude<T, undefined>> {
  return {
    ...other,
    parse(texts, name) {
      const value = other.parse(texts, name)
      if (value === undefined || value === "") throw new UsageError(`${name} is required`)
      return value as Exclude<T, undefined>
    },
  }
}

const colorChoices = ["auto", "always", "never"] as const
type ColorChoice = (typeof colorChoices)[number]

/** The options of every command. */
export const commonOptions = grouped("Other", {
  color: choice(colorChoices, "when to color text; auto if absent: on terminals, unless NO_COLOR is set"),
  help: { ...flag("show this help"), short: "h" },
})
export const documentOptions = grouped("Types", {
  openapi: repeated("FILE|DIR", "an OpenAPI document (v2 or v3) to find types in"),
  crd: repeated("FILE|DIR", "CustomResourceDefinitions to find types in"),
})
export const schemaOption = {
  ...option("FILE", "the schema; without it, the built-in Kubernetes types"),
  group: "Types" as const,
}
export const schemaOptions = {
  ...grouped("Types", {
    schema: schemaOption,
    type: option("NAME", "a type of the schema; without it, the schema's first type"),
  }),
  ...documentOptions,
}
export const outOption = {
  ...option("FILE", "the file to write the result to, all at once at the end; it may be an input too"),
  group: "Output" as const,
}
/** `--in-place`. `what` names the file that the result replaces. */
export function inPlaceOption(what: string) {
  return { ...flag(`write the result to ${what}, as --out would`), group: "Output" as const }
}
/** The options of `kubectl apply` that have no effect here. */
export const acceptedOptions = grouped("Other", {
  serverSide: flag("accepted, because every apply here is server-side"),
  dryRun: {
    ...choice(["server", "client", "none"], "accepted, because nothing is ever written to a cluster"),
    isOptional: true as const,
  },
})
const managedFieldsFlag = flag("print metadata.managedFields, as the next --live needs them, unless this is false")
export const managedFieldsOption: Option<boolean> = {
  ...managedFieldsFlag,
  group: "Output",
  parse: (texts, name) => texts.length === 0 || managedFieldsFlag.parse(texts, name),
}
export const recursiveOption = { ...flag("read inner folders too"), short: "R", group: "Input" as const }

/** `--output`. */
export function outputOption<const T extends string>(forms: readonly T[], help = "the format of the result") {
  return { ...choice(forms, help), short: "o", group: "Output" as const }
}
/** `--output` of a command that prints data. */
export const dataOutputOption = outputOption(["yaml", "json"])

/** Returns the name of an option, with its dashes. */
export function optionName(key: string): string {
  return `--${key.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
}

/** Returns the name of the first of these options on the command line; undefined if all are absent. */
export function firstGiven<V>(values: V, keys: readonly (keyof V & string)[]): string | undefined {
  const key = keys.find(key => {
    const value: unknown = values[key]
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false
  })
  return key === undefined ? undefined : optionName(key)
}

/** Returns the operands. Throws a UsageError unless there is one for each name. */
export function requireOperands<N extends readonly string[]>(
  { operands }: Operands,
  ...names: N
): { readonly [K in keyof N]: string } {
  const missing = names[operands.length]
  if (missing !== undefined) throw new UsageError(`${missing} is missing`)
  const surplus = operands[names.length]
  if (surplus !== undefined) throw new UsageError(`unexpected ${surplus}`)
  return operands as { readonly [K in keyof N]: string }
}

/** A parsed command line. */
export interface CommandLine<V> {
  readonly color: ColorChoice
  /** The operands and the values of the command's options; undefined if the user asks for help. */
  readonly args: (Operands & V) | undefined
}

/**
 * Parses a command line. Throws a UsageError for an option that is unknown or given twice, and for a value that is missing, superfluous or
 * not accepted.
 */
export function parseArguments<V>(argv: readonly string[], options: Options<V>): CommandLine<V> {
  const table: OptionTable = { ...options, ...commonOptions }
  const keys = new Map<string, string>()
  for (const [key, { alias }] of Object.entries(table)) {
    keys.set(optionName(key), key)
    if (alias !== undefined) keys.set(`--${alias}`, key)
  }
  const { positionals, tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries([...keys].map(([name, key]) => [name.slice(2), forNode(table, key, name)])),
    strict: false,
    tokens: true,
  })
  const texts = new Map<string, readonly string[]>()
  for (const token of tokens) {
    if (token.kind !== "option") continue
    const key = keys.get(`--${token.name}`)
    if (key === undefined) throw new UsageError(unknownOption(token.rawName, argv[token.index] ?? "", [...keys.keys()]))
    const declared = table[key] as Option<unknown>
    const earlier = texts.get(key)
    if (earlier !== undefined && !declared.isRepeated) throw new UsageError(`${token.rawName} is given twice`)
    texts.set(key, [...(earlier ?? []), ...optionTexts(declared, token)])
  }
  const { color = "auto" } = valuesOf({ color: commonOptions.color }, texts)
  if (texts.has("help")) return { color, args: undefined }
  const dashes = tokens.find(token => token.kind === "option-terminator")
  const afterDashes = dashes === undefined ? [] : argv.slice(dashes.index + 1)
  return { color, args: { operands: positionals, afterDashes, ...valuesOf(options, texts) } }
}

function valuesOf<V>(options: Options<V>, texts: ReadonlyMap<string, readonly string[]>): V {
  const values = Object.entries<Option<unknown>>(options).map(([key, { parse }]) => {
    return [key, parse(texts.get(key) ?? [], optionName(key))]
  })
  return Object.fromEntries(values) as V
}

/** Returns a message about an unknown option, which is part of this word of the command line. */
function unknownOption(option: string, word: string, names: readonly string[]): string {
  const [typed = ""] = word.replace(/^-+/, "").split("=")
  const close = nearest(
    typed,
    names.map(name => name.slice(2)),
  )
  // With one dash, a word stands for several options of one letter.
  const isWord = word.startsWith("--") || typed.length > 2
  return isWord && close !== undefined
    ? `unknown option ${/^-+/.exec(word)?.[0]}${typed}; did you mean --${close}?`
    : `unknown option ${option}`
}

type OptionTable = Readonly<Record<string, Option<unknown>>>

/** Returns the option in the form of `parseArgs`. */
function forNode(table: OptionTable, key: string, name: string) {
  const { short, value, isOptional } = table[key] as Option<unknown>
  const type = value === undefined || isOptional ? ("boolean" as const) : ("string" as const)
  return { type, multiple: true, ...(short !== undefined && name === optionName(key) && { short }) }
}

interface OptionToken {
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

/** Returns the text of an option on a command line; no text if an optional value is absent. */
function optionTexts(
  declared: Option<unknown>,
  { rawName, value, inlineValue = false }: OptionToken,
): readonly string[] {
  if (declared.value === undefined) return [value ?? "true"]
  if (declared.isOptional) return value === undefined ? [] : [value]
  // A word that looks like the next option is a value only after "=".
  if (value === undefined || (!inlineValue && value.startsWith("--"))) {
    throw new UsageError(`${rawName} needs a value: ${declared.value}`)
  }
  // `-o=json` is `-o json`.
  return [rawName.startsWith("--") ? value : value.replace(/^=/, "")]
}
