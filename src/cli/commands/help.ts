// What --help shows: all commands, or how to use one of them. Lines fit the narrowest terminals, so that no terminal breaks one
// inside a word.

import { helpOption, type Option } from "../input/options.js"
import { defineTerms, indent, wrap } from "../terminal/layout.js"
import type { Style } from "../terminal/terminal.js"
import type { Command } from "./command.js"

const columns = 80
const margin = 2

/** All commands, each with its summary. */
export function overview(commands: readonly Command[], style: Style): string {
  const rows = commands.map(({ name, summary }) => [name, summary] as const)
  return [
    `${paragraphs(["smd: apply, merge and compare objects as Kubernetes does, and see who owns which field"])}\n`,
    section("Usage", ["smd COMMAND [options] FILE..."], style),
    section("Commands", defineTerms(rows, columns - margin), style),
    `\n${paragraphs(closing)}\n`,
  ].join("")
}

const closing = [
  "Files are YAML or JSON; - is standard input. Types are the built-in ones of Kubernetes, unless --crd, --openapi or --schema",
  "gives others.",
  "",
  "smd COMMAND --help shows a command's options and examples.",
]

/** The operands, options and examples of a command. */
export function help({ name, alias, summary, operands, options, notes, examples }: Command, style: Style): string {
  const rows = [...options, helpOption].map(option => [spelling(option), meaning(option)] as const)
  const usage = ["smd", name, options.length === 0 ? "" : "[options]", operands].filter(word => word !== "").join(" ")
  return [
    `${paragraphs([`smd ${name}: ${summary}${alias === undefined ? "" : ` (also smd ${alias})`}`])}\n`,
    section("Usage", [usage], style),
    notes.length === 0 ? "" : `\n${paragraphs(notes)}\n`,
    section("Options", defineTerms(rows, columns - margin), style),
    section(
      "Examples",
      examples.flatMap(example => wrapCommand(example)),
      style,
    ),
  ].join("")
}

function spelling({ name, short, value, optional, repeated }: Option): string {
  const given = value === undefined ? "" : optional ? `[=${value}]` : ` ${value}`
  return `${short === undefined ? "" : `-${short}, `}--${name}${given}${repeated ? " ..." : ""}`
}

function meaning({ alias, help }: Option): string {
  return alias === undefined ? help : `${help} (also --${alias})`
}

function section(title: string, lines: readonly string[], style: Style): string {
  return lines.length === 0 ? "" : `\n${style.strong(title)}\n${indent(lines.join("\n"), margin)}\n`
}

/** Fills lines, as they are in the source, anew. An empty line ends a paragraph. */
function paragraphs(lines: readonly string[]): string {
  return lines
    .join("\n")
    .split("\n\n")
    .map(paragraph => wrap(paragraph, columns).join("\n"))
    .join("\n\n")
}

/** A command for a shell, continued on indented lines. */
export function wrapCommand(command: string, width = columns - margin): string[] {
  const lines = wrap(command, width - continued.length - continuation)
  return lines.map(
    (line, i) => `${i === 0 ? "" : " ".repeat(continuation)}${line}${i < lines.length - 1 ? continued : ""}`,
  )
}

const continued = " \\"
const continuation = 4
