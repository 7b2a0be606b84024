// What a command line says: options and operands, checked against what the command declares.
import { parseArgs } from "node:util"

export interface Option {
  /** Without the dashes. */
  readonly name: string
  /** One letter, with one dash. */
  readonly short?: string
  /** Another name: that of kubectl, if ours differs. */
  readonly alias?: string
  /** The name of the value in the help (`FILE`); a flag has none. */
  readonly value?: string
  /** Whether the value may be left out. If it is given, it is joined with "=" and one of those that `value` lists. */
  readonly optional?: true
  /** May be given several times. */
  readonly repeated?: true
  readonly help: string
}

/** A command line that does not fit the command. */
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
export const outputOption: Option = { name: "output", short: "o", value: "yaml|json", help: "the form of the result" }
export const objectOutputOption: Option = { ...outputOption, value: "yaml|json|name" }
export const reportOption: Option = { ...outputOption, value: "text|json|yaml", help: "for people or for programs" }
export const outOption: Option = {
  name: "out",
  value: "FILE",
  help: "the file to write the result to, in one step at the end; it may be one of those that are read",
}
/** The options of `kubectl apply` that change nothing here. */
export const acceptedOptions: readonly Option[] = [
  { name: "server-side", help: "accepted, for every apply here is one" },
  { name: "dry-run", value: "server|client|none", optional: true, help: "accepted, for nothing is ever written" },
]
export const managedFieldsOption: Option = {
  name: "show-managed-fields",
  help: "metadata.managedFields are printed, for the next --live, unless this is false",
}

/** `--manager` of a command; `help` says what the manager does. */
export function managerOption(help: string): Option {
  return { name: "manager", alias: "field-manager", value: "NAME", help }
}

/** The options and operands of a command line. */
export class Arguments {
  readonly operands: readonly string[]
  /** Those of the operands that stand after `--`. */
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

  /** Whether the flag was given. */
  has(name: string): boolean {
    return this.flag(name, false)
  }

  /** Whether the flag is set: `--name` and `--name=true` set it, `--name=false` does not; `byDefault` if it was not given. */
  flag(name: string, byDefault: boolean): boolean {
    const given = this.get(name)
    return given === undefined ? byDefault : given !== "false"
  }

  /** The value of the option; undefined if it was not given. */
  get(name: string): string | undefined {
    return this.options.get(name)?.[0]
  }

  /** Every value of an option that may be given several times. */
  all(name: string): readonly string[] {
    return this.options.get(name) ?? []
  }

  /** The value of an option that must be given. Throws a UsageError if it was not. */
  needed(name: string): string {
    const value = this.get(name)
    if (value === undefined || value === "") throw new UsageError(`--${name} is required`)
    return value
  }

  /** The form of the result that `--output` asks for. */
  get output(): "yaml" | "json" | undefined {
    return this.choice("output", ["yaml", "json"])
  }

  /** The value of an option that must be one of `allowed`. Throws a UsageError for any other. */
  choice<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const given = this.get(name)
    const found = allowed.find(choice => choice === given)
    if (found !== undefined || given === undefined) return found
    throw new UsageError(`--${name} is ${orList(allowed)}, not ${given}`)
  }

  /**
   * These arguments with the first operand as the value of an option. Throws a UsageError unless there is an operand for each name.
   */
  withFirstAs(option: string, ...names: readonly string[]): Arguments {
    const [first = "", ...others] = this.expect(...names)
    return new Arguments(others, new Map([...this.options, [option, [first]]]))
  }

  /** These arguments with other values of an option. */
  withValue(option: string, value: string): Arguments {
    return this.withValues(option, [value])
  }

  /** The same for an option that may be given several times. */
  withValues(option: string, values: readonly string[]): Arguments {
    return new Arguments(this.operands, new Map([...this.options, [option, values]]), this.afterDashes)
  }

  /** These arguments with other operands. */
  withOperands(operands: readonly string[]): Arguments {
    return new Arguments(operands, this.options, this.afterDashes)
  }

  /** The operands. Throws a UsageError unless there are as many as names. */
  expect(...names: readonly string[]): readonly string[] {
    const missing = names[this.operands.length]
    if (missing !== undefined) throw new UsageError(`${missing} is missing`)
    const surplus = this.operands[names.length]
    if (surplus !== undefined) throw new UsageError(`unexpected ${surplus}`)
    return this.operands
  }
}

/**
 * Reads a command line. Throws a UsageError for an option that is unknown or given twice, and for a missing or superfluous value.
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

/** The option as `parseArgs` wants it. */
function forNode({ name, short, value, optional }: Option, spelled: string) {
  const type = value === undefined || optional ? ("boolean" as const) : ("string" as const)
  return { type, multiple: true, ...(short !== undefined && spelled === name && { short }) }
}

interface OptionToken {
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

/** The value that a command line gives to an option; "" if it needs none. */
function givenTo(option: Option, { rawName, value, inlineValue = false }: OptionToken): string {
  if (option.value === undefined) {
    if (value === undefined || value === "true" || value === "false") return value ?? ""
    throw new UsageError(`${rawName} is true or false, not ${value}`)
  }
  if (option.optional) {
    const choices = option.value.split("|")
    if (value === undefined || choices.includes(value)) return value ?? ""
    throw new UsageError(`${rawName} is ${orList(choices)}, not ${value}`)
  }
  // What looks like the next option is not taken for a value, unless it was joined with "=".
  if (value === undefined || (!inlineValue && value.startsWith("--"))) {
    throw new UsageError(`${rawName} needs a value: ${option.value}`)
  }
  // `-o=json` is `-o json`.
  return rawName.startsWith("--") ? value : value.replace(/^=/, "")
}

/** `a`, `a or b`, `a, b or c`. */
function orList(words: readonly string[]): string {
  return words.join(", ").replace(/, ([^,]*)$/, " or $1")
}
