// Shows people played stories: a line for each step, its changes, and the expectations that failed.

import { changeApiVersion } from "../../managedfields/types/version-converter.js"
import { explain } from "../../tools/ownership/explain.js"
import type { FieldChange } from "../../tools/ownership/field-changes.js"
import { verbOf } from "../../tools/simulator/simulation/request.js"
import type { Step } from "../../tools/simulator/simulation/step.js"
import type { StoryFailure, StoryStepResult } from "../../tools/simulator/story/run-story.js"
import { equalValues } from "../../value/equal.js"
import { isList, type MapValue, type Value } from "../../value/value.js"
import { counted, listAnd } from "../../value/words.js"
import { pointerSteps } from "../input/locate.js"
import { formatConflict } from "../output/explain.js"
import { showChange, showFlow } from "../output/flow.js"
import { objectTitle } from "../output/object-title.js"
import { actionSign } from "../output/plan.js"
import { shortPaths } from "../output/short-path.js"
import { ownershipRows } from "../output/transfers.js"
import type { Secrets } from "../secrets/secrets.js"
import { alignColumns, indent, labelled, printable, spread, wrap } from "../terminal/layout.js"
import type { Style } from "../terminal/style.js"
import type { Terminal } from "../terminal/terminal.js"
import { clampLines, cutMiddle } from "../terminal/width.js"
import type { PlayedStory } from "./stories.js"

/** Formats one story: its title, its steps and its failures. */
export function formatStory(played: PlayedStory, terminal: Terminal, secrets: Secrets): string {
  const { style, columns } = terminal
  const { source, steps } = played
  const title = spread(style.strong(printable(source.story.title)), style.faint(printable(source.file)), columns)
  const several = new Set(steps.map(({ step }) => step.key ?? "")).size > 1
  const rows = alignColumns(steps.map(({ step }) => stepCells(step, several, style)))
  const lines = steps.flatMap((result, i) => [`  ${rows[i]}`, ...detailRows(played, result, terminal, secrets)])
  return clampLines([title, ...lines, ""].join("\n"), columns)
}

/** Formats the number of stories and steps, and how many stories passed and failed. */
export function formatTotal(all: readonly PlayedStory[], style: Style): string {
  const failed = all.filter(({ passed }) => !passed).length
  const passed = all.length - failed
  const stories = counted(all.length, "story", "stories")
  const steps = counted(
    all.reduce((sum, played) => sum + played.steps.length, 0),
    "step",
  )
  const parts = [
    ...(passed > 0 ? [style.good(`${passed} passed`)] : []),
    ...(failed > 0 ? [style.bad(`${failed} failed`)] : []),
  ]
  return `${stories}, ${steps}: ${parts.join(", ")}.\n`
}

/** Formats the request of a step: `apply, scale, by force`. */
export function requestTitle({ request }: Step): string {
  if ("changeSchema" in request)
    return printable(`change schema${request.changeSchema === "" ? "" : ` to ${request.changeSchema}`}`)
  const {
    subresource = "",
    force = false,
    onConflict,
  } = request as { subresource?: string; force?: boolean; onConflict?: string }
  const parts = [verbOf(request), ...(subresource === "" ? [] : [subresource]), ...(force ? ["by force"] : [])]
  return printable([...parts, ...(onConflict === undefined ? [] : [onConflict])].join(", "))
}

const mostOfName = 24

function stepCells(step: Step, several: boolean, style: Style): string[] {
  const { index, manager, outcome, target } = step
  const shown = step.refused ? style.bad(outcome) : outcome === "unchanged" ? style.faint(outcome) : style.good(outcome)
  const object = several && target !== undefined ? [objectTitle(target)] : []
  return [`${index}`.padStart(2), cutMiddle(printable(manager), mostOfName), requestTitle(step), shown, ...object]
}

/** The indentation of the lines about a step. */
const margin = 6

function detailRows(played: PlayedStory, result: StoryStepResult, terminal: Terminal, secrets: Secrets): string[] {
  const inner = { ...terminal, columns: terminal.columns - margin, now: () => new Date(result.step.time) }
  const { step } = result
  const failures = secrets.hide(result.failures)
  const lines = [
    ...changeRows(step, inner, secrets),
    ...admittedRows(step, inner, secrets),
    ...othersRows(step, inner),
    ...step.unions.flatMap(({ text }) => labelled("union", [printable(text)], inner.columns)),
    ...conflictRows(played, step, inner, secrets),
    ...(step.outcome === "error" ? wrapMessage(`${step.error?.code} ${step.error?.message}`, inner.columns) : []),
    ...failures.flatMap(failure => failureRows(failure, played.source.file, inner)),
  ]
  return lines.map(line => (line === "" ? "" : " ".repeat(margin) + line))
}

const mostChanges = 8

function changeRows(step: Step, { style, columns }: Terminal, secrets: Secrets): string[] {
  if (step.outcome === "created") {
    const fields = step.ownership.reduce((sum, { gained }) => sum + gained.length, 0)
    return [`${style.good("+")} new, with ${counted(fields, "field")}`]
  }
  if (step.outcome !== "changed") return []
  const { target, changes } = step
  return fieldRows(secrets.hide({ target, changes }).changes, style, columns)
}

/** Formats changed fields as `smd plan` does. */
export function fieldRows(changes: readonly FieldChange[], style: Style, columns: number): string[] {
  const shown = changes.slice(0, mostChanges)
  const room = Math.floor(columns / 2)
  const paths = shortPaths(shown, room)
  const rows = shown.map((change, i) => [
    `${actionSign(change, style)} ${paths[i]}`,
    valuesOf(change, columns - room - 4),
  ])
  const rest = changes.length - shown.length
  return [...alignColumns(rows), ...(rest > 0 ? [style.faint(`… ${counted(rest, "more field")}`)] : [])]
}

function valuesOf({ action, from, to }: FieldChange, width: number): string {
  if (action !== "change") return showFlow(action === "add" ? to : from, width)
  return showChange(from, to, width) ?? `-> ${showFlow(to, width - 3)}`
}

/** The fields that admission changed, with their owners afterwards. */
function admittedRows(step: Step, { style, columns }: Terminal, secrets: Secrets): string[] {
  const { target, admitted } = step
  if (step.outcome !== "created" && step.outcome !== "changed") return []
  const shown = secrets.hide({ target, admitted }).admitted.slice(0, mostChanges)
  return shown.flatMap(({ owners, ...change }) => {
    const names = listAnd([...new Set(owners.map(({ manager }) => manager))])
    const who = names === "" ? "nobody owns it" : `owned by ${printable(names)}`
    return [...fieldRows([change], style, columns), ...indented(wrap(`set by admission, ${who}`, columns - 4))]
  })
}

/** The fields that owners gain and lose, unless the writer only gains fields. */
function othersRows({ ownership, manager, outcome }: Step, { columns }: Terminal): string[] {
  const isOfOthers = ownership.some(({ owner, lost }) => owner.manager !== manager || lost.length > 0)
  return outcome !== "deleted" && isOfOthers ? ownershipRows(ownership, "owners", columns) : []
}

function wrapMessage(message: string, columns: number): string[] {
  return wrap(printable(message.replaceAll(/\s+/g, " ")), columns)
}

/** The conflicts in the form of `smd explain`, each at its place in the story. */
function conflictRows(
  { story, source, simulation }: PlayedStory,
  step: Step,
  terminal: Terminal,
  secrets: Secrets,
): string[] {
  const { request, before, types } = step
  if (step.outcome !== "conflict" || !("apply" in request)) return []
  const { manager, subresource = "" } = request
  const { schema } = simulation.at(step.index)
  const unions = (schema === "" ? undefined : story.schemas?.[schema])?.unions ?? story.unions
  const explanation = explain(before, request.apply as MapValue, {
    types,
    converter: changeApiVersion(types),
    manager,
    subresource,
    ...(unions !== undefined && { unions }),
  })
  const { conflicts } = secrets.hide(explanation)
  return conflicts.flatMap((conflict, i) => {
    const pointer = conflict.configuredPointer
    const steps = pointer === undefined ? undefined : pointerSteps(request.apply as MapValue, pointer)
    const at = steps && source.positionOf(["steps", step.index - 1, "apply", ...steps])
    const place = at === undefined ? "" : `${source.file}:${at.line}:${at.column}`
    return formatConflict(conflict, i + 1, "", terminal, place).flatMap(line => line.split("\n"))
  })
}

/** The expected and the actual value, under the place of the expectation. */
function failureRows(
  { steps, line, column, expected, found, message }: StoryFailure,
  file: string,
  { style, columns }: Terminal,
): string[] {
  const place = line === undefined ? file : `${file}:${line}:${column}`
  const what = printable(
    steps
      .slice(3)
      .filter(step => typeof step === "string")
      .join(" of "),
  )
  const isCompared = expected !== undefined || (found !== undefined && what !== "")
  const title = spread(`${style.bad("x")} ${isCompared ? what : "not as expected"}`, printable(place), columns).split(
    "\n",
  )
  if (!isCompared) return [...title, ...indented(wrapMessage(message, columns - 4))]
  return [...title, ...indented(differenceRows(expected, found, style, columns - 4))]
}

function indented(lines: readonly string[]): string[] {
  return lines.map(line => indent(line, 4))
}

/** Both values, or for two lists the items that only one of them has. */
function differenceRows(
  expected: Value | undefined,
  found: Value | undefined,
  style: Style,
  columns: number,
): string[] {
  const room = columns - 12
  const row = (sign: "add" | "remove", value: Value | undefined, said: string) => [
    `${actionSign({ action: sign }, style)} ${showFlow(value, room)}`,
    said,
  ]
  if (isList(expected) && isList(found)) {
    const missing = expected.filter(item => !found.some(other => equalValues(item, other)))
    const surplus = found.filter(item => !expected.some(other => equalValues(item, other)))
    if (missing.length + surplus.length > 0) {
      return alignColumns([
        ...missing.map(item => row("remove", item, "expected")),
        ...surplus.map(item => row("add", item, "found")),
      ])
    }
  }
  return alignColumns([row("remove", expected, "expected"), row("add", found, "found")])
}
