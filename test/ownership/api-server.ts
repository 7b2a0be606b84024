// What `plan` predicts of the answers of a kube-apiserver to PATCH requests that apply: the status and the owners afterwards of each that got
// as far as the FieldManager, and the body, but for what other parts of the server write.

import { isDeepStrictEqual } from "node:util"
import { hasCode } from "../../src/errors.js"
import { parseYaml } from "../../src/io/index.js"
import { type FieldManagerOptions, statusOf } from "../../src/managedfields/index.js"
import { type Plan, plan } from "../../src/ownership/index.js"
import { equalValues } from "../../src/value/equal.js"
import { own } from "../../src/value/object.js"
import { formatQuantity } from "../../src/value/quantity.js"
import { isList, isMap, type MapValue, type Value } from "../../src/value/value.js"
import { entriesOf } from "../managedfields/notation.js"
import { newTime, Server, type Stored, sorted, storedAfter, withEntries } from "../support/api-server-replay.js"
import type { Step, Story } from "../support/api-server-stories.js"
import { schemaErrors } from "./schema.js"

/** What came of the predictions. */
export interface Tally {
  /** The outcomes, and the exceptions that are known beside them, each with the number of requests. */
  readonly counts: Record<string, number>
  /** The predictions that are wrong for no known reason. */
  readonly wrong: string[]
}

/** What came of one prediction: as it is counted, and all that is wrong with it. */
interface Verdict {
  readonly counted: string
  readonly wrong: readonly string[]
}

/** Predicts the answer to each request of the stories that applies. */
export function tally(stories: Iterable<Story>): Tally {
  const found: Tally = { counts: {}, wrong: [] }
  for (const story of stories) {
    let server = new Server(story, story.crds)
    let live: Stored | undefined
    story.steps.forEach((step, index) => {
      if (step.verb === "observe") live = { object: step.response }
      else if (step.verb === "crd-update") server = new Server(story, [step.body as MapValue])
      else {
        if (step.verb === "apply") {
          const { counted, wrong } = predict(server, step, live, index)
          found.counts[counted] = (found.counts[counted] ?? 0) + 1
          for (const problem of wrong) found.wrong.push(`${story.name}, step ${index}: ${problem}`)
        }
        if (step.status < 300 && step.dryRun !== true) live = storedAfter(step)
      }
    })
  }
  return found
}

function predict(server: Server, step: Step, stored: Stored | undefined, index: number): Verdict {
  const { subresource = "", apiVersion, manager = "", force = false, status } = step
  const { object, calls } = server.story
  if (subresource === "scale") return known("a ScaleHandler translates the owners of a Scale")
  const refusedElsewhere = status >= 300 && calls[index]?.some(({ error }) => error !== undefined) !== true
  if (refusedElsewhere) return known("refused by another part of the server")
  const view = stored?.views?.[apiVersion]
  const live = view?.kind === object.kind ? view : stored?.object
  const kept = step.dryRun === true ? undefined : step.views?.[apiVersion]
  const response = kept ?? step.response
  const call = calls[index]?.find(({ result }) => result !== undefined)
  const endpoint = { apiVersion, kind: object.kind, subresource }
  const time = newTime(call?.live, call?.result)
  const config = (typeof step.body === "string" ? parseYaml(step.body, { lenient: true }) : step.body) as MapValue
  const planned = (more: Partial<FieldManagerOptions>): Plan =>
    plan(live, config, { ...server.options(endpoint, time, more), manager, subresource, force })
  try {
    const bare = planned({})
    const errors = schemaErrors(bare)
    if (errors !== "") return { counted: "not what the schema says", wrong: [errors] }
    if (status >= 300) return refusal(bare.status, step)
    // What a server does to an object before it is stored is known from the answer.
    const prepare = (made: MapValue): MapValue => withEntries(response, entriesOf(made))
    return success(bare, planned({ prepare, keepTimes: true }), step, response)
  } catch (error) {
    if (!hasCode(error)) throw error
    return refusal(statusOf(error), step)
  }
}

function known(counted: string): Verdict {
  return { counted, wrong: [] }
}

function refusal(status: object | undefined, { response }: Step): Verdict {
  if (status === undefined) return { counted: "not refused", wrong: ["not refused"] }
  if (isDeepStrictEqual(sorted(status), sorted(response))) return known("refused alike")
  return { counted: "refused otherwise", wrong: [`refused otherwise: ${JSON.stringify(status)}`] }
}

/** `bare` knows nothing of what a server does to an object before it is stored; `whole` does. */
function success(bare: Plan, whole: Plan, { status }: Step, response: MapValue): Verdict {
  const { outcome } = whole
  const expected = { conflict: 409, create: 201, change: 200, none: 200 }[outcome]
  if (expected !== status) return { counted: "another status", wrong: [`status ${expected} instead of ${status}`] }
  if (!isDeepStrictEqual(entriesOf(whole.object), entriesOf(response)))
    return { counted: "other owners", wrong: ["other owners"] }
  const found = differences(bare.object, response, [])
  const reasons = new Set(found.map(difference => exceptionOf(difference, bare.object)))
  const wrong = found
    .filter(difference => exceptionOf(difference, bare.object) === unexplained)
    .map(({ path, predicted, answer }) => `${path} is ${JSON.stringify(answer)}, not ${JSON.stringify(predicted)}`)
  if (reasons.size === 0) return known(outcome)
  return { counted: `${outcome}, but ${Array.from(reasons).sort().join(", ")}`, wrong }
}

const unexplained = "for no known reason"

/** A part of the predicted object that the answer does not have so. */
interface Difference {
  readonly path: string
  readonly predicted: Value
  readonly answer: Value | undefined
}

/** Where an answer has not what was predicted; what a server has put beside it does not count. */
function differences(predicted: Value, answer: Value | undefined, steps: readonly (string | number)[]): Difference[] {
  if (isMap(predicted) && isMap(answer)) {
    return Object.entries(predicted).flatMap(([key, value]) => differences(value, own(answer, key), [...steps, key]))
  }
  if (isList(predicted) && isList(answer) && predicted.length === answer.length) {
    return predicted.flatMap((item, i) => differences(item, answer[i], [...steps, i]))
  }
  if (answer !== undefined && equalValues(predicted, answer)) return []
  const path = steps.join(".")
  return ofStorage.test(path) ? [] : [{ path, predicted, answer }]
}

/** What storage writes. */
const ofStorage = /^metadata\.(managedFields|generation|resourceVersion|uid|creationTimestamp)/

interface Exception {
  readonly reason: string
  /** `object` is the whole object that was predicted. */
  is(difference: Difference, object: MapValue): boolean
}

/** What parts of a server beside the FieldManager write: the table in docs/ownership.md has the same. */
const exceptions: readonly Exception[] = [
  { reason: "Go leaves out what is empty, or defaults it", is: ({ predicted }) => isEmpty(predicted) },
  {
    reason: "Go writes quantities in its own form",
    is: ({ path, predicted, answer }) => quantities.test(path) && answer === formatQuantity(predicted),
  },
  {
    reason: "admission adds tolerations",
    is: ({ path, predicted, answer = null }) =>
      path === "spec.tolerations" && isList(predicted) && isList(answer) && startsWith(answer, predicted),
  },
  {
    reason: "the strategy puts back what this endpoint does not write",
    is: ({ path }) => path.startsWith("status."),
  },
  {
    reason: "the strategy counts generations",
    is: ({ path }) => path === "metadata.annotations.deprecated.daemonset.template.generation",
  },
  {
    reason: "the strategy takes what goes with external addresses from a Service without any",
    is: ({ path, answer }, { kind }) =>
      kind === "Service" && path === "spec.externalTrafficPolicy" && answer === undefined,
  },
  { reason: "stringData of a Secret is written into data", is: isStringData },
]

const quantities = /\.(cpu|memory|storage|requests\.storage|nvidia\.com\/gpu)$/

function exceptionOf(difference: Difference, object: MapValue): string {
  return exceptions.find(({ is }) => is(difference, object))?.reason ?? unexplained
}

function isStringData({ path, answer }: Difference, { kind, stringData }: MapValue): boolean {
  if (kind !== "Secret" || !isMap(stringData)) return false
  if (path === "stringData") return answer === undefined
  const written = path.startsWith("data.") ? own(stringData, path.slice("data.".length)) : undefined
  return typeof written === "string" && answer === Buffer.from(written).toString("base64")
}

function isEmpty(value: Value): boolean {
  return !value || (typeof value === "object" && Object.values(value).every(isEmpty))
}

function startsWith(list: readonly Value[], start: readonly Value[]): boolean {
  return start.every((item, i) => list[i] !== undefined && equalValues(item, list[i]))
}
