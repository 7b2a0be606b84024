// Parses command lines: options and operands, checked against the declaration of the command.

import { parseArgs } from "node:util"
import { listOr } from "../../value/words.js"

export interface Option {
  /** The name without the dashes. */
  readonly name: string
  /** One letter, with one dash. */
  readonly short?: string
  /** kubectl's name for the option, if ours differs. */
  readonly alias?: string
  /** The name of the value in the help (`FILE`); absent for a flag. */
  readonly value?: string
  /** Whether the value may be left out. If present, it follows "=" and is one of the words of `value`. */
  readonly optional?: true
  /** Set if the option may be given several times. */
  readonly repeated?: true
  readonly help: string
}

/** Reports a command line that does not fit the command. */
export class UsageError extends Error {}

export const helpOption: Option = { name: "help", short: "h", help: "show this help" }
const documentOptions: readonly Option[] = [
  { name: "openapi", value: "FILE", repeated: true, help: "an OpenAPI document (v2 or v3) to find types in" },
  { name: "crd", value: "FILE", repeated: true, help: "CustomResourceDefinitions to find types in" },
]
export const schemaOptions: readonly Option[] = [
  { name: "schema", value: "FILE", help: "the schema; without it, the built-in Kubernetes types" },
  { name: "type", value: "NAME", help: "a type of the schema; without it, the schema's first type" },
  ...documentOptions,
]
export const outputOption: Option = { name: "output", short: "o", value: "yaml|json", help: "the format of the result" }
export const objectOutputOption: Option = { ...outputOption, value: "yaml|json|name" }
export const reportOption: Option = {
  ...outputOption,
  value: "text|json|yaml",
  help: "text for people, or data for programs",
}
export const outOption: Option = {
  name: "out",
  value: "FILE",
  help: "the file to write the result to, all at once at the end; it may be an input too",
}
/** The options of `kubectl apply` that have no effect here. */
export const acceptedOptions: readonly Option[] = [
  { name: "server-side", help: "accepted, because every apply here is server-side" },
  {
    name: "dry-run",
    value: "server|client|none",
    optional: true,
    help: "accepted, because nothing is ever written to a cluster",
  },
]
export const managedFieldsOption: Option = {
  name: "show-managed-fields",
  help: "print metadata.managedFields, as the next --live needs them, unless this is false",
}

/** Returns the option `--manager`; `help` says what the manager does. */
export function managerOption(help: string): Option {
  return { name: "manager", alias: "field-manager", value: "NAME", help }
}

/** The options and operands of a command line. */
export class Arguments {
  readonly operands: readonly string[]
  /** The operands after `--`. */
  readonly afterDashes: readonly string[]
  private readonly options: ReadonlyMap<string, readonly string[]>

  constructor(
    operands: readonly string[],
    options: ReadonlyMap<string, readonly string[]>,
    afterDashes: readonly string[] = [],
  ) {
    this.operands = operands
    this.options = options
    this.afterDashes = afterDashes
  }

  /** Whether the flag was given, and not as `--name=false`. */
  has(name: string): boolean {
    return this.flag(name, false)
  }

  /** Whether the flag is set: true for `--name` and `--name=true`, false for `--name=false`, otherwise `byDefault`. */
  flag(name: string, byDefault: boolean): boolean {
    const given = this.get(name)
    return given === undefined ? byDefault : given !== "false"
  }

  /** Returns the value of the option; undefined if it was not given. */
  get(name: string): string | undefined {
    return this.options.get(name)?.[0]
  }

  /** Returns every value of an option that may be given several times. */
  all(name: string): readonly string[] {
    return this.options.get(name) ?? []
  }

  /** Returns the value of a required option. Throws a UsageError if it is absent or empty. */
  needed(name: string): string {
    const value = this.get(name)
    if (value === undefined || value === "") throw new UsageError(`--${name} is required`)
    return value
  }

  /** The form of the result that `--output` requests. */
  get output(): "yaml" | "json" | undefined {
    return this.choice("output", ["yaml", "json"])
  }

  /** Returns the value of an option; undefined if it was not given. Throws a UsageError for a value that is not in `allowed`. */
  choice<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const given = this.get(name)
    const found = allowed.find(choice => choice === given)
    if (found !== undefined || given === undefined) return found
    throw new UsageError(`--${name} must be ${listOr(allowed)}, not ${given}`)
  }

  /**
   * Returns these arguments with the first operand as the value of an option. Throws a UsageError unless there is an operand for each
   * name.
   */
  withFirstAs(option: string, ...names: readonly string[]): Arguments {
    const [first = "", ...others] = this.expect(...names)
    return new Arguments(others, new Map([...this.options, [option, [first]]]))
  }

  /** Returns these arguments with another value of an option. */
  withValue(option: string, value: string): Arguments {
    return this.withValues(option, [value])
  }

  /** Returns these arguments with other values of an option that may be given several times. */
  withValues(option: string, values: readonly string[]): Arguments {
    return new Arguments(this.operands, new Map([...this.options, [option, values]]), this.afterDashes)
  }

  /** Returns these arguments with other operands. */
  withOperands(operands: readonly string[]): Arguments {
    return new Arguments(operands, this.options, this.afterDashes)
  }

  /** Returns the operands. Throws a UsageError unless there is one for each name. */
  expect(...names: readonly string[]): readonly string[] {
    const missing = names[this.operands.length]
    if (missing !== undefined) throw new UsageError(`${missing} is missing`)
    const surplus = this.operands[names.length]
    if (surplus !== undefined) throw new UsageError(`unexpected ${surplus}`)
    return this.operands
  }
}

/**
 * Parses a command line. Throws a UsageError for an unknown option, for an option that is given twice, and for a missing or unexpected
 * value.
 */
export function parseArguments(argv: readonly string[], options: readonly Option[]): Arguments {
  const declared = new Map<string, Option>()
  for (const option of [...options, helpOption]) {
    declared.set(option.name, option)
    if (option.alias !== undefined) declared.set(option.alias, option)
  }
  const { positionals, tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries([...declared].map(([name, option]) => [name, forNode(option, name)])),
    strict: false,
    tokens: true,
  })
  const given = new Map<string, string[]>()
  for (const token of tokens) {
    if (token.kind !== "option") continue
    const option = declared.get(token.name)
    if (option === undefined) throw new UsageError(`unknown option ${token.rawName}`)
    const values = given.get(option.name) ?? []
    if (values.length > 0 && option.repeated === undefined) throw new UsageError(`${token.rawName} is given twice`)
    given.set(option.name, [...values, givenTo(option, token)])
  }
  const dashes = tokens.find(token => token.kind === "option-terminator")
  return new Arguments(positionals, given, dashes === undefined ? [] : argv.slice(dashes.index + 1))
}

/** Returns the option in the form that `parseArgs` takes. */
function forNode({ name, short, value, optional }: Option, spelled: string) {
  const type = value === undefined || optional ? ("boolean" as const) : ("string" as const)
  return { type, multiple: true, ...(short !== undefined && spelled === name && { short }) }
}

interface OptionToken {
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

/** Returns the value that a command line gives to an option; "" for an option without a value. */
function givenTo(option: Option, { rawName, value, inlineValue = false }: OptionToken): string {
  if (option.value === undefined) {
    if (value === undefined || value === "true" || value === "false") return value ?? ""
    throw new UsageError(`${rawName} must be true or false, not ${value}`)
  }
  if (option.optional) {
    const choices = option.value.split("|")
    if (value === undefined || choices.includes(value)) return value ?? ""
    throw new UsageError(`${rawName} must be ${listOr(choices)}, not ${value}`)
  }
  // A word that looks like the next option is a value only after "=".
  if (value === undefined || (!inlineValue && value.startsWith("--"))) {
    throw new UsageError(`${rawName} needs a value: ${option.value}`)
  }
  // `-o=json` is `-o json`.
  return rawName.startsWith("--") ? value : value.replace(/^=/, "")
}
