// Writes reports in JUnit's XML, which most CI systems read.
import { groupBy } from "../../../value/groups.js"
import { formatPlace } from "../../input/document.js"
import { printable } from "../../terminal/layout.js"
import type { CheckedObject, Report, ReportedFinding } from "./report.js"

/** A group of test cases. */
export interface TestSuite {
  readonly name: string
  readonly file: string
  readonly cases: readonly TestCase[]
}

/** A test case; it passed if it has no failures. */
export interface TestCase {
  readonly name: string
  /** The title under which readers group cases. */
  readonly group: string
  readonly file: string
  readonly line: number | undefined
  readonly failures: readonly TestFailure[]
  /** Lines to show with the case, whether it passed or not. */
  readonly notes?: readonly string[]
}

/** A reason why a case failed. */
interface TestFailure {
  readonly message: string
  /** The kind of failure, in one word. */
  readonly type: string
  /** Lines. */
  readonly details: readonly string[]
}

/** Writes a suite for each file, with a case for each of its objects, which fails if the command fails because of it. */
export function formatJUnit({ command, objects, failing }: Report): string {
  const files = groupBy(objects, ({ place }) => place.file)
  const suites = Array.from(files, ([file, inFile]): TestSuite => {
    return { name: file, file, cases: inFile.map(object => caseOf(object, failing)) }
  })
  return formatSuites(`smd ${command}`, suites)
}

/** Many readers show only one failure of a case, so one failure has all messages. */
function caseOf({ title, place: { file, position }, findings }: CheckedObject, failing: Report["failing"]): TestCase {
  const fails = ({ severity }: ReportedFinding) => failing.includes(severity)
  const bad = findings.filter(fails)
  const [first] = bad
  const more = bad.length > 1 ? ` (and ${bad.length - 1} more)` : ""
  const failures =
    first === undefined ? [] : [{ message: `${first.message}${more}`, type: first.code, details: bad.flatMap(linesOf) }]
  const notes = findings.filter(finding => !fails(finding)).flatMap(linesOf)
  return { name: title, group: file, file, line: position?.line, failures, notes }
}

function linesOf({ place, severity, message, code }: ReportedFinding): string[] {
  const [first = "", ...others] = message.split("\n")
  return [`${formatPlace(place)}: ${severity}: ${first} (${code})`, ...others.map(line => `  ${line}`)]
}

/** Writes suites as a report with this name. */
export function formatSuites(name: string, suites: readonly TestSuite[]): string {
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites${attributes({ name, ...tally(suites) })}>`,
    ...suites.flatMap(suiteElement),
    "</testsuites>",
    "",
  ].join("\n")
}

function suiteElement(suite: TestSuite): string[] {
  const { name, file, cases } = suite
  return [
    `  <testsuite${attributes({ name, ...tally([suite]), file })}>`,
    ...cases.flatMap(caseElement),
    "  </testsuite>",
  ]
}

function caseElement({ name, group, file, line, failures, notes = [] }: TestCase): string[] {
  const about = attributes({ name, classname: group, file, line })
  if (failures.length === 0 && notes.length === 0) return [`    <testcase${about}/>`]
  return [
    `    <testcase${about}>`,
    ...failures.map(({ message, type, details }) => {
      return `      <failure${attributes({ message, type })}>${escapeLines(details)}</failure>`
    }),
    ...(notes.length === 0 ? [] : [`      <system-out>${escapeLines(notes)}</system-out>`]),
    "    </testcase>",
  ]
}

function tally(suites: readonly TestSuite[]): {
  readonly tests: number
  readonly failures: number
  readonly errors: number
} {
  const cases = suites.flatMap(suite => suite.cases)
  return { tests: cases.length, failures: cases.filter(({ failures }) => failures.length > 0).length, errors: 0 }
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

function escapeLines(lines: readonly string[]): string {
  return lines.map(escapeXml).join("\n")
}

/** Text for XML 1.0 on one line. Characters that XML can't contain, such as control characters, become their numbers. */
function escapeXml(text: string): string {
  return printable(text)
    .replaceAll(/\p{Cs}|[\ufffe\uffff]/gu, "\ufffd")
    .replaceAll(/[&<>"']/g, char => entities[char] as string)
}
