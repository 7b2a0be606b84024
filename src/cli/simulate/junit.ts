// Writes played stories as a report in JUnit's XML, which most CI systems read.
import type { StoryFailure } from "../../tools/simulator/run-story.js"
import { currentSecrets } from "../secrets/scope.js"
import { printable } from "../terminal/layout.js"
import type { PlayedStory } from "./stories.js"
import { requestTitle } from "./text.js"

/** Writes a suite for each story, with a test case for each step. */
export function formatJUnit(all: readonly PlayedStory[]): string {
  const totals = attributes({ name: "smd simulate", ...tally(all) })
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites${totals}>`,
    ...all.flatMap(suiteElement),
    "</testsuites>",
    "",
  ].join("\n")
}

function suiteElement(played: PlayedStory): string[] {
  const { story, source, steps } = played
  const cases = steps.flatMap(({ told, step, failures }, i) => {
    const name = [step.index, step.manager, requestTitle(step)].filter(word => word !== "").join(" ")
    const { line } = source.positionOf(["steps", i]) ?? {}
    const title = told.about === undefined ? name : `${name}: ${told.about}`
    const about = attributes({ name: title, classname: story.title, file: source.file, line })
    if (failures.length === 0) return [`    <testcase${about}/>`]
    return [
      `    <testcase${about}>`,
      ...failures.map(failure => failureElement(failure, source.file)),
      "    </testcase>",
    ]
  })
  const about = attributes({ name: story.title, ...tally([played]), file: source.file })
  return [`  <testsuite${about}>`, ...cases, "  </testsuite>"]
}

function failureElement({ message, steps, line, column }: StoryFailure, file: string): string {
  const place = line === undefined ? file : `${file}:${line}:${column}`
  return `      <failure${attributes({ message, type: String(steps[3] ?? "outcome") })}>${escapeXml(`${place}: ${message}`)}</failure>`
}

function tally(all: readonly PlayedStory[]): {
  readonly tests: number
  readonly failures: number
  readonly errors: number
} {
  const results = all.flatMap(({ steps }) => steps)
  return { tests: results.length, failures: results.filter(({ failures }) => failures.length > 0).length, errors: 0 }
}

function attributes(values: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? "" : ` ${name}="${escapeXml(String(value))}"`))
    .join("")
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
}

/** Text for XML 1.0 on one line. Characters that XML can't contain, such as control characters, become their numbers. */
function escapeXml(text: string): string {
  return printable(currentSecrets().hideText(text))
    .replaceAll(/\p{Cs}|[\ufffe\uffff]/gu, "\ufffd")
    .replaceAll(/[&<>"']/g, char => entities[char] as string)
}
