// What a command line says: options and operands, checked against what the command declares.
import { parseArgs } from "node:util"

export interface Option {
  /** Without the dashes. */
  readonly name: string
  /** What stands for the value in the help (`FILE`); a flag has none. */
  readonly value?: string
  /** May be given several times. */
  readonly repeated?: true
  readonly help: string
}

/** A command line that does not fit the command. */
export class UsageError extends Error {}

export const helpOption: Option = { name: "help", help: "show this help" }
const documentOptions: readonly Option[] = [
  { name: "openapi", value: "FILE", repeated: true, help: "an OpenAPI document (v2 or v3) to find types in" },
  { name: "crd", value: "FILE", repeated: true, help: "CustomResourceDefinitions to find types in" },
]
export const schemaOptions: readonly Option[] = [
  { name: "schema", value: "FILE", help: "the schema; without it, the built-in Kubernetes types" },
  { name: "type", value: "NAME", help: "a type of the schema; without it, the schema's first type" },
  ...documentOptions,
]
export const outputOption: Option = { name: "output", value: "yaml|json", help: "the form of the result" }

/** The options and operands of a command line. */
export class Arguments {
  readonly operands: readonly string[]
  private readonly options: ReadonlyMap<string, readonly string[]>

  constructor(operands: readonly string[], options: ReadonlyMap<string, readonly string[]>) {
    this.operands = operands
    this.options = options
  }

  /** Whether the flag was given. */
  has(name: string): boolean {
    return this.options.has(name)
  }

  /** The value of the option, where it was given. */
  get(name: string): string | undefined {
    return this.options.get(name)?.[0]
  }

  /** Every value of an option that may be given several times. */
  all(name: string): readonly string[] {
    return this.options.get(name) ?? []
  }

  /** The value of an option that has to be given. */
  needed(name: string): string {
    const value = this.get(name)
    if (value === undefined || value === "") throw new UsageError(`--${name} is required`)
    return value
  }

  /** The form the result is asked in. */
  get output(): "yaml" | "json" | undefined {
    const output = this.get("output")
    if (output === undefined || output === "yaml" || output === "json") return output
    throw new UsageError(`--output is yaml or json, not ${output}`)
  }

  /** The operands, of which there have to be as many as names. */
  expect(...names: readonly string[]): readonly string[] {
    const missing = names[this.operands.length]
    if (missing !== undefined) throw new UsageError(`${missing} is missing`)
    const surplus = this.operands[names.length]
    if (surplus !== undefined) throw new UsageError(`unexpected ${surplus}`)
    return this.operands
  }
}

/** Reads a command line. Throws a UsageError on an unknown option, one given twice, a missing or a surplus value. */
export function parseArguments(argv: readonly string[], options: readonly Option[]): Arguments {
  const declared = new Map([...options, helpOption].map(option => [option.name, option]))
  const { positionals, tokens } = parseArgs({
    args: [...argv],
    options: {
      ...Object.fromEntries(
        options.map(({ name, value }) => [name, { type: value === undefined ? "boolean" : "string", multiple: true }]),
      ),
      help: { type: "boolean", short: "h" },
    },
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
    if (option.value === undefined && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value`)
    // What looks like the next option is not taken for a value, unless it was joined with "=".
    if (
      option.value !== undefined &&
      (token.value === undefined || (!token.inlineValue && token.value.startsWith("--")))
    ) {
      throw new UsageError(`${token.rawName} needs a value: ${option.value}`)
    }
    given.set(option.name, [...values, token.value ?? ""])
  }
  return new Arguments(positionals, given)
}
