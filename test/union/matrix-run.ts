// Runs of the version-skew matrix: the engine's inputs, every policy's answer to each, and that answer in a line of text.
import type { Managers } from "../../src/fieldpath/managers.js"
import { formatPath } from "../../src/fieldpath/path.js"
import { ConflictError } from "../../src/merge/conflict.js"
import type { UpdateResult } from "../../src/merge/request.js"
import { Updater, type UpdaterOptions } from "../../src/merge/updater.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import type { UnionFieldError } from "../../src/union/check-union.js"
import { type UnionPolicyName, unionPolicies } from "../../src/union/policy.js"
import { formatUnionChange } from "../../src/union/report.js"
import { validateUnions } from "../../src/union/validate.js"
import type { Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { type Input, nameOf, type Situation, serverType, situations } from "./matrix.js"

export const policies = Object.keys(unionPolicies) as UnionPolicyName[]

/** One input of the engine, and the situations that lead to it. It has the coordinates of the first. */
export interface Run extends Situation, Input {
  readonly situations: Situation[]
}

/** Returns every run of the matrix, each once. */
export function runs(): Run[] {
  const found = new Map<string, Run>()
  for (const situation of situations()) {
    const { kind, cardinality, serverKnows, verb, stored, body } = situation
    const key = JSON.stringify([kind, cardinality, serverKnows, verb, stored, body])
    const run = found.get(key)
    if (run === undefined) found.set(key, { ...situation, situations: [situation] })
    else run.situations.push(situation)
  }
  return [...found.values()]
}

/** The object before the request, which p applied without a check of its unions. */
export interface Scene {
  readonly live: TypedValue
  readonly body: TypedValue
  readonly managers: Managers
  readonly manager: string
  readonly applies: boolean
}

const apiVersion = "v1"

/** The scene on a server with or without unions in its schema. */
export function sceneOf(run: Run, unions = true): Scene {
  const type = serverType(run, unions)
  const empty = TypedValue.of({}, type)
  const request = { manager: "p", apiVersion, managers: new Map(), unions: "off" } as const
  const { object: live, managers } = new Updater().apply(empty, TypedValue.of(run.stored as Value, type), request)
  const applies = run.verb !== "put" && run.verb !== "patch"
  const manager = run.verb === "apply" ? "p" : applies ? "q" : "u"
  return { live, managers, body: TypedValue.of(run.body as Value, type), manager, applies }
}

/** The outcome of a request. */
export interface Answer {
  readonly result: UpdateResult | null
  /** The reason for a missing result. */
  readonly error: unknown
  /** The problems that validation finds in the result, without ratcheting. */
  readonly problems: readonly UnionFieldError[]
}

/** Settles the request by a policy and validates the result as the policy says, unless `validateUnions` is false. */
export function answer(
  run: Run,
  { live, body, managers, manager, applies }: Scene,
  policy: UnionPolicyName,
  options: Pick<UpdaterOptions, "validateUnions"> = {},
): Answer {
  const request = { manager, apiVersion, managers }
  const updater = new Updater({ ...options, unions: policy })
  try {
    const result = applies
      ? updater.apply(live, body, { ...request, force: run.verb === "force" })
      : updater.update(live, body, request)
    deepFreeze(result.object.value)
    const problems = validateUnions(live, result.object, { style: "kep-2022", ratchet: false })
    return { result, error: null, problems }
  } catch (error) {
    return { result: null, error, problems: [] }
  }
}

/**
 * An answer in a line: the object, who owns what, what was reported, and which rules validation finds broken; or the
 * conflict or problem.
 */
export function showAnswer({ result, error, problems }: Answer): string {
  if (result === null) {
    if (!(error instanceof Error)) throw error
    return `${error instanceof ConflictError ? "" : "error: "}${error.message.replaceAll("\n", " ")}`
  }
  const owners = Array.from(result.managers, ([name, { set }]) => `${name}:${[...set].map(formatPath).join("")}`)
  const report = result.unions.map(change => `[${formatUnionChange(change)}]`)
  const rules = problems.map(({ rule, field }) => `!${rule}${field === "" ? "" : `(${field})`}`)
  return [showThing(result.object.value), ...owners, ...report, ...rules].join(" ")
}

/** Writes an object as `{type:B b:3}`, without `x`; null if pruning removed it. */
export function showThing(value: Value): string {
  if (value === null) return "null"
  const entries = Object.entries(value as Record<string, string | { x?: number }>)
  return `{${entries.map(([key, member]) => `${key}:${typeof member === "string" ? member || '""' : (member.x ?? "{}")}`).join(" ")}}`
}

/** Writes a run and the answers of all policies as a line of the record. Policies with the same answer share it. */
export function recordLine(run: Run, answers: ReadonlyMap<UnionPolicyName, Answer>): string {
  const byText = new Map<string, UnionPolicyName[]>()
  for (const [policy, given] of answers) {
    const text = showAnswer(given)
    byText.set(text, [...(byText.get(text) ?? []), policy])
  }
  return JSON.stringify({
    live: showThing(run.stored as Value),
    body: showThing(run.body as Value),
    answers: Object.fromEntries(Array.from(byText, ([text, names]) => [names.join(" "), text])),
    situations: run.situations.map(nameOf),
  })
}
