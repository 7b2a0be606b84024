// Shows people the results of other orders, and the managers that fight.

import { fieldChanges, ownerChanges } from "../../tools/ownership/field-changes.js"
import type { Contention, Fight } from "../../tools/simulator/search/contend.js"
import type { LeftOutField } from "../../tools/simulator/search/ending-fields.js"
import type { OrderOutcome, Permutation } from "../../tools/simulator/search/permute.js"
import type { Step } from "../../tools/simulator/simulation/step.js"
import { counted, listAnd, listOr } from "../../value/words.js"
import { showFlow } from "../output/flow.js"
import { objectTitle } from "../output/object-title.js"
import { ownershipRows } from "../output/transfers.js"
import type { Secrets } from "../secrets/secrets.js"
import { alignColumns, indent, printable, wrap } from "../terminal/layout.js"
import type { Terminal } from "../terminal/terminal.js"
import { clampLines } from "../terminal/width.js"
import type { StoryOrders } from "./searches.js"
import { fieldRows, requestTitle } from "./text.js"

/** Says whether the order of the steps matters, and for which fields, and shows two short orders that differ. */
export function formatOrders({ permutation, first }: StoryOrders, terminal: Terminal, secrets: Secrets): string {
  const { style, columns } = terminal
  const { total, played, differs, outcomes, shortest } = permutation
  const label = style.strong("orders")
  const all = played === total ? counted(total, "order") : `${played} of ${total} orders`
  const of = first === 0 ? all : `${all} of the steps after step ${first}`
  if (differs.length === 0)
    return `  ${label}  ${of}: ${total === 1 ? "there is nothing to reorder" : "all lead to the same result"}\n`
  const numbers = (requests: readonly number[]) => requests.map(number => number + first + 1).join(" ")
  const rows = outcomes
    .slice(0, mostEnds)
    .map(({ orders, example, refused }) => [
      `${orders}`.padStart(3),
      `as ${numbers(example)}`,
      refused.length === 0 ? "" : `refused: ${numbers(refused)}`,
    ])
  const rest = outcomes.length - rows.length
  const lines = [
    ...wrap(
      `${of} lead to ${counted(outcomes.length, "result")}, which differ in ${style.bad(listAnd(differs))}`,
      columns - 10,
    ).map((line, i) => `${i === 0 ? label : "      "}  ${line}`),
    ...alignColumns(rows).map(line => indent(line, 2)),
    ...(rest > 0 ? [style.faint(`    … ${counted(rest, "more result")}`)] : []),
    ...(shortest === undefined ? [] : pairRows(shortest, first, terminal, secrets)),
  ]
  return `${clampLines(lines.map(line => indent(line, 2)).join("\n"), columns)}\n`
}

const mostEnds = 8

type Pair = NonNullable<Permutation["shortest"]>

function pairRows(pair: Pair, first: number, terminal: Terminal, secrets: Secrets): string[] {
  const orders = [pair.first, pair.second]
  const rows = alignColumns(orders.flatMap(order => cellsOf(order, first)))
  const half = pair.first.steps.length
  return [
    "  first",
    ...rows.slice(0, half).map(line => indent(line, 4)),
    "  second",
    ...rows.slice(half).map(line => indent(line, 4)),
    ...endsRows(pair, terminal, secrets),
  ]
}

function cellsOf({ example, steps }: OrderOutcome, first: number): string[][] {
  return steps.map((step, i) => {
    const about = listAnd(step.conflicts.map(({ path }) => printable(path)))
    const number = `${(example[i] ?? 0) + first + 1}`
    return [
      number,
      printable(step.manager),
      requestTitle(step),
      `${step.outcome}${about === "" ? "" : ` about ${about}`}`,
    ]
  })
}

/** The differences between the two ends: values of the first and the second, and owners with other fields in the second. */
function endsRows({ first, second }: Pair, { style, columns }: Terminal, secrets: Secrets): string[] {
  const [ends, others] = [endsOf(first), endsOf(second)]
  const lines = [...new Set([...ends.keys(), ...others.keys()])].flatMap(key => {
    const [one, other] = [ends.get(key), others.get(key)]
    const step = one ?? other
    if (step === undefined) return []
    const changes = fieldChanges(step.types, one?.after, other?.after)
    return [
      ...fieldRows(secrets.hide({ target: step.target, changes }).changes, style, columns - 8),
      ...ownershipRows(ownerChanges(one?.after, other?.after), "owners", columns - 8),
    ]
  })
  return lines.length === 0 ? [] : ["  difference", ...lines.map(line => indent(line, 4))]
}

/** The last step for each object. */
function endsOf({ steps }: OrderOutcome): Map<string, Step> {
  return new Map(steps.flatMap(step => (step.key === undefined ? [] : [[step.key, step] as const])))
}

/** Formats the fields that managers fight over if each keeps repeating its last request. */
export function formatFights(
  { settled, rounds, fights, unsettled }: Contention,
  ending: readonly LeftOutField[] | undefined,
  terminal: Terminal,
): string {
  const { style, columns } = terminal
  const label = style.strong("fights")
  if (settled) return `  ${label}  none: stable after ${counted(rounds, "round")}\n`
  const lines = [
    `${label}  ${fights.length === 0 ? "none found" : style.bad(counted(fights.length, "field"))} in ${counted(rounds, "round")}`,
    ...fights.flatMap(fight => fightRows(fight, columns)),
    ...unsettled.flatMap(field => [
      `  ${fieldTitle(field)}`,
      `    keeps changing, written by ${managerNames(field.managers)}`,
    ]),
    ...endingRows(ending, columns),
  ]
  return `${clampLines(lines.map(line => indent(line, 2)).join("\n"), columns)}\n`
}

/** The fields that end all fights if their managers leave them out. */
function endingRows(ending: readonly LeftOutField[] | undefined, columns: number): string[] {
  if (ending === undefined) return ["  no set of fields to leave out was found that ends everything"]
  const fields = ending.map(field => `${printable(field.manager)} leaves out ${fieldTitle(field)}`)
  return wrap(`all of it ends if ${listAnd(fields)}`, columns - 6).map((line, i) => `  ${i > 0 ? "  " : ""}${line}`)
}

function fightRows(fight: Fight, columns: number): string[] {
  const { managers, period, writesPerRound, values, endedBy } = fight
  const writes = Number.isInteger(writesPerRound) ? writesPerRound : writesPerRound.toFixed(1)
  const about = values.map(value => showFlow(value, mostOfValue)).join(", ")
  const texts = [
    `${managerNames(managers)}${about === "" ? "" : `, with ${about}`}`,
    `repeats after ${counted(period, "round")}, with ${writes === 1 ? "1 write" : `${writes} writes`} per round`,
    endedBy.length === 0
      ? "no single manager ends it by leaving the field out"
      : `ends if ${printable(listOr(endedBy))} leaves the field out`,
  ]
  return [`  ${fieldTitle(fight)}`, ...texts.flatMap(text => wrap(text, columns - 6)).map(line => `    ${line}`)]
}

const mostOfValue = 40

function managerNames(managers: readonly string[]): string {
  return printable(listAnd(managers))
}

function fieldTitle({ target, path }: Pick<Fight, "target" | "path">): string {
  return `${printable(path)} of ${objectTitle(target)}`
}
