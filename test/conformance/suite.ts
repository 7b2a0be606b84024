// Writes the cases of the conformance suite (conformance/) from the recorded answers in test/vectors, and names the rules of
// docs/semantics.md that each case exercises.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseYaml } from "../../src/io/index.js"
import { formatJson } from "../../src/json/json.js"
import type { ParsedMap } from "../support/answers.js"
import { projectRoot } from "../support/entries.js"
import { loadVectors, type Vector } from "../support/vectors.js"
import { kepUnions } from "./kep-unions.js"
import { type RecordedCase, recordedHttp, recordedMatches } from "./recorded.js"
import { rulesOf } from "./suite-rules.js"

/** The levels of the suite, from the simplest on, and the files of test/vectors whose cases they have. */
export const levels = {
  paths: ["values", "path-elements", "fieldsv1"],
  sets: ["sets"],
  typed: ["schemas", "merge", "parts"],
  merge: ["apply", "versions"],
  managers: ["field-manager", "object-versions"],
  extract: ["applied-fields"],
  matches: ["matches"],
  unions: ["unions"],
  yaml: ["schemas", "apply"],
  http: [],
} as const satisfies Record<string, readonly string[]>
export type Level = keyof typeof levels

/** Cases that are not in the files of vectors. */
const otherSources: { readonly [level in Level]?: () => RecordedCase[] } = {
  http: recordedHttp,
  matches: recordedMatches,
  unions: kepUnions,
}

export interface Case {
  readonly id: string
  readonly rules: readonly string[]
  /** The line of the file. */
  readonly text: string
}

/** A rule of docs/semantics.md. */
export interface Rule {
  readonly id: string
  readonly text: string
  readonly cases: readonly string[]
}

/** Returns the rules that docs/semantics.md states, in order. */
export function readRules(): Rule[] {
  const page = readFileSync(join(projectRoot, "docs", "semantics.md"), "utf8")
  return Array.from(
    page.matchAll(/^\*\*([A-Z]\d+)\. ([\s\S]*?)\nCases: ([\s\S]*?)\n(?:\n|$)/gm),
    ([, id, text, cases]) => ({
      id: String(id),
      text: String(text)
        .replaceAll("**", "")
        .replaceAll(/\]\([^)]*\)/g, "]")
        .replaceAll(/\s+/g, " ")
        .trim(),
      cases: String(cases)
        .split(";")
        .map(name => name.replaceAll(/\s+/g, " ").trim()),
    }),
  )
}

/** Returns the cases of a level. */
export function casesOf(level: Level, rules: readonly Rule[]): Case[] {
  const vectors = levels[level].flatMap(name => loadVectors(join(projectRoot, "test", "vectors", `${name}.jsonl`)))
  const ofVectors = vectors
    .filter(vector => isYaml(vector) === (level === "yaml") && !isCrash(vector))
    .map(vector => caseOf(level, vector, rules))
  const others = otherSources[level]?.() ?? []
  return [...ofVectors, ...others.map(one => recordedCase(level, one, rules))]
}

const operation: { readonly [level in Level]?: string } = {
  http: "http",
  matches: "wouldChange",
  unions: "normalizeUnions",
}

function recordedCase(level: Level, { id, origin, request, expect }: RecordedCase, rules: readonly Rule[]): Case {
  const ids = rulesInOrder(id, operation[level] ?? "", rules)
  const members = [
    `"id":${JSON.stringify(id)}`,
    `"level":"${level}"`,
    `"rules":${JSON.stringify(ids)}`,
    `"origin":${JSON.stringify(origin)}`,
    `"request":${request}`,
    `"expect":${expect}`,
  ]
  return { id, rules: ids, text: `{${members.join(",")}}\n` }
}

/** The rules that a case exercises, in the order of the page. */
function rulesInOrder(name: string, operation: string, rules: readonly Rule[]): string[] {
  const exercised = new Set([
    ...rules.filter(({ cases }) => cases.includes(name)).map(({ id }) => id),
    ...rulesOf(name, operation),
  ])
  return rules.map(({ id }) => id).filter(id => exercised.has(id))
}

function caseOf(level: Level, { name, request, requestText, expect, accept }: Vector, rules: readonly Rule[]): Case {
  const ids = rulesInOrder(name, String(request.op), rules)
  const members = [
    `"id":${JSON.stringify(name)}`,
    `"level":"${level}"`,
    `"rules":${JSON.stringify(ids)}`,
    `"origin":${JSON.stringify(originOf(level, request))}`,
    `"request":${level === "yaml" ? requestText : withJsonSchemas(requestText)}`,
    `"expect":${exactText(expect)}`,
    ...(accept.length > 0 ? [`"accept":[${accept.map(exactText).join(",")}]`] : []),
  ]
  return { id: name, rules: ids, text: `{${members.join(",")}}\n` }
}

/** Whether a case needs a reader of YAML. */
function isYaml({ name, request, requestText }: Vector): boolean {
  return ["parse", "parseSchema"].includes(String(request.op)) || /YAML/.test(name) || /YAML":/.test(requestText)
}

/** Whether the reference crashes, which says nothing about the right answer. */
function isCrash({ expect }: Vector): boolean {
  return JSON.stringify(expect).includes('"panic":')
}

/** Replaces the YAML of schemas by JSON, so that an adapter needs no YAML reader. */
function withJsonSchemas(request: string): string {
  return request.replaceAll(/"schema":("(?:[^"\\]|\\.)*")/g, (member, text: string) => {
    try {
      return `"schema":${JSON.stringify(formatJson(parseYaml(JSON.parse(text) as string)))}`
    } catch {
      return member // a schema that can't be read is part of the case
    }
  })
}

/** The JSON text of an answer, with integers in all their digits. */
function exactText(answer: ParsedMap): string {
  return JSON.stringify(answer).replaceAll(/\{"\$int":"(-?\d+)"\}/g, "$1")
}

function originOf(level: Level, request: ParsedMap): { module: string; version: string } {
  const module = moduleOf(level, request)
  const version = new RegExp(`${module} (v\\S+)`).exec(readFileSync(join(projectRoot, "oracle", "go.mod"), "utf8"))
  if (version?.[1] === undefined) throw new Error(`oracle/go.mod does not require ${module}`)
  return { module, version: version[1] }
}

function moduleOf(level: Level, { op, unions, enableUnions }: ParsedMap): string {
  const isUnion = String(op).startsWith("normalizeUnions") || unions === "v4" || enableUnions === true
  if (level === "managers" || level === "matches") return "k8s.io/apimachinery"
  if (level === "extract") return op === "extract" ? "k8s.io/apimachinery" : "k8s.io/client-go"
  return `sigs.k8s.io/structured-merge-diff/${isUnion ? "v4" : "v6"}`
}

/** Returns the files of the suite that are made from other files, by their paths in the folder. */
export function suiteFiles(): Map<string, string> {
  const rules = readRules()
  const files = new Map<string, string>()
  for (const level of Object.keys(levels) as Level[]) {
    files.set(
      `cases/${level}.jsonl`,
      casesOf(level, rules)
        .map(({ text }) => text)
        .join(""),
    )
  }
  files.set("rules.json", `${JSON.stringify(Object.fromEntries(rules.map(({ id, text }) => [id, text])), null, 2)}\n`)
  return files
}

/** Returns the names of the case files that the folder has. */
export function presentCaseFiles(): string[] {
  return readdirSync(join(projectRoot, "conformance", "cases")).map(name => `cases/${name}`)
}
