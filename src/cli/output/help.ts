// Formats the help: all commands, the usage of one of them, or another subject. Lines have at most 80 columns.

import { commonOptions, type Option, optionGroups, optionName } from "../input/options.js"
import { defineTerms, indent, widestIn, wrap } from "../terminal/layout.js"
import type { Style } from "../terminal/style.js"

const columns = 80
const margin = 2

/** The parts of a command that the help and the completion need. */
export interface DescribedCommand {
  readonly name: string
  readonly alias?: string
  readonly summary: string
  readonly operands: string
  readonly firstOperands?: readonly string[]
  readonly options: Readonly<Record<string, Option<unknown> | undefined>>
  readonly notes: readonly string[]
  readonly examples: readonly string[]
}

/** Commands that belong together. */
export interface DescribedGroup {
  readonly title: string
  readonly commands: readonly DescribedCommand[]
}

/** Formats all commands, in their groups, each with its summary. */
export function overview(groups: readonly DescribedGroup[], style: Style, program: string): string {
  const width = Math.max(...groups.flatMap(({ commands }) => commands.map(({ name }) => name.length)))
  const sections = groups.map(({ title, commands }) => {
    const rows = commands.map(({ name, summary }) => [name.padEnd(width), summary] as const)
    return section(title, defineTerms(rows, columns - margin), style)
  })
  return [
    `${paragraphs(["smd: apply, merge and compare objects as Kubernetes does, and see who owns which field"])}\n`,
    section("Usage", [`${program} COMMAND [options] FILE...`], style),
    ...sections,
    `\n${paragraphs(closing)}\n`,
  ].join("")
}

const closing = [
  "Files are YAML or JSON; - is standard input. The built-in Kubernetes types are used unless --crd, --openapi or --schema names",
  "others.",
  "",
  "smd COMMAND --help shows a command's options and examples. smd help exit-codes and smd help formats explain the exit statuses",
  "and the values of --output.",
]

/** Formats the operands, options and examples of a command. */
export function commandHelp(
  { name, alias, summary, operands, options, notes, examples }: DescribedCommand,
  style: Style,
  program: string,
): string {
  const usage = [program, name, Object.keys(options).length === 0 ? "" : "[options]", operands]
    .filter(word => word !== "")
    .join(" ")
  const all = Object.entries<Option<unknown>>({ ...options, ...commonOptions }).map(([key, option]) => ({
    group: option.group,
    row: [spelling(optionName(key), option), meaning(option)] as const,
  }))
  const column = widestIn(
    all.map(({ row }) => row),
    widestTerm,
  )
  const sections = [undefined, ...optionGroups].map(title => {
    const rows = all.filter(({ group }) => group === title).map(({ row }) => row)
    return section(title ?? "Options", defineTerms(rows, columns - margin, column), style)
  })
  return [
    `${paragraphs([`smd ${name}: ${summary}${alias === undefined ? "" : ` (also smd ${alias})`}`])}\n`,
    section("Usage", [usage], style),
    notes.length === 0 ? "" : `\n${paragraphs(notes)}\n`,
    ...sections,
    section(
      "Examples",
      examples.flatMap(example => wrapCommand(example)),
      style,
    ),
  ].join("")
}

/** The columns of options before their meanings. */
const widestTerm = 28

/** A subject that `smd help` explains. */
export interface Topic {
  readonly name: string
  readonly summary: string
  /** As the notes of a command. */
  readonly notes: readonly string[]
  readonly rows: readonly (readonly [term: string, meaning: string])[]
}

/** Formats a subject. */
export function topicHelp({ name, summary, notes, rows }: Topic): string {
  return [
    `${paragraphs([`smd help ${name}: ${summary}`])}\n`,
    `\n${indent(defineTerms(rows, columns - margin).join("\n"), margin)}\n`,
    notes.length === 0 ? "" : `\n${paragraphs(notes)}\n`,
  ].join("")
}

function spelling(name: string, { short, value, isOptional, isRepeated }: Option<unknown>): string {
  const suffix = value === undefined ? "" : isOptional ? `[=${value}]` : ` ${value}`
  return `${short === undefined ? "" : `-${short}, `}${name}${suffix}${isRepeated ? " ..." : ""}`
}

function meaning({ alias, help }: Option<unknown>): string {
  return alias === undefined ? help : `${help} (also --${alias})`
}

function section(title: string, lines: readonly string[], style: Style): string {
  return lines.length === 0 ? "" : `\n${style.strong(title)}\n${indent(lines.join("\n"), margin)}\n`
}

/** Wraps the text of these lines again, for the width of the help. An empty line ends a paragraph. */
function paragraphs(lines: readonly string[]): string {
  return lines
    .join("\n")
    .split("\n\n")
    .map(paragraph => wrap(paragraph, columns).join("\n"))
    .join("\n\n")
}

/** Wraps a shell command, which continues on indented lines. */
export function wrapCommand(command: string, width = columns - margin): string[] {
  const lines = wrap(command, width - continued.length - continuation)
  return lines.map(
    (line, i) => `${i === 0 ? "" : " ".repeat(continuation)}${line}${i < lines.length - 1 ? continued : ""}`,
  )
}

const continued = " \\"
const continuation = 4
