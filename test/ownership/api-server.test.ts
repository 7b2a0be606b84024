/**
 * `plan` predicts what a kube-apiserver answered to PATCH requests that apply: the status and the owners afterwards of each that got as
 * far as the FieldManager, and the body, but for what other parts of the server write.
 */
import { isDeepStrictEqual } from "node:util"
import { expect, it } from "vitest"
import { hasCode } from "../../src/errors.js"
import { parseYaml } from "../../src/io/index.js"
import { type FieldManagerOptions, statusOf } from "../../src/managedfields/index.js"
import { type Plan, plan } from "../../src/ownership/index.js"
import { equalValues } from "../../src/value/equal.js"
import { isList, isMap, type MapValue, type Value } from "../../src/value/value.js"
import { entriesOf } from "../managedfields/notation.js"
import { newTime, Server, type Stored, sorted, storedAfter, withEntries } from "../support/api-server-replay.js"
import { readStories, type Step, type Story } from "../support/api-server-stories.js"
import { schemaErrors } from "./schema.js"

/** What came of the predictions, each with the number of requests. */
function tally(stories: readonly Story[]): Record<string, number> {
  const found: Record<string, number> = {}
  for (const story of stories) {
    let server = new Server(story, story.crds)
    let live: Stored | undefined
    story.steps.forEach((step, index) => {
      if (step.verb === "observe") live = { object: step.response }
      else if (step.verb === "crd-update") server = new Server(story, [step.body as MapValue])
      else {
        if (step.verb === "apply") {
          const verdict = predict(server, step, live, index)
          found[verdict] = (found[verdict] ?? 0) + 1
        }
        if (step.status < 300 && step.dryRun !== true) live = storedAfter(step)
      }
    })
  }
  return found
}

function predict(server: Server, step: Step, stored: Stored | undefined, index: number): string {
  const { subresource = "", apiVersion, manager = "", force = false, status } = step
  const { object, calls } = server.story
  if (subresource === "scale") return "a ScaleHandler translates the owners of a Scale"
  const refusedElsewhere = status >= 300 && calls[index]?.some(({ error }) => error !== undefined) !== true
  if (refusedElsewhere) return "refused by another part of the server"
  const view = stored?.views?.[apiVersion]
  const live = view?.kind === object.kind ? view : stored?.object
  const kept = step.dryRun === true ? undefined : step.views?.[apiVersion]
  const response = kept ?? step.response
  const call = calls[index]?.find(({ result }) => result !== undefined)
  const endpoint = { apiVersion, kind: object.kind, subresource }
  const time = newTime(call?.live, call?.result)
  const config = (typeof step.body === "string" ? parseYaml(step.body, { lenient: true }) : step.body) as MapValue
  const planned = (more: Partial<FieldManagerOptions>): Plan => {
    const made = plan(live, config, { ...server.options(endpoint, time, more), manager, subresource, force })
    expect(schemaErrors(made)).toBe("")
    return made
  }
  try {
    if (status >= 300) return planned({}).status === undefined ? "not refused" : refusal(planned({}).status, step)
    // What a server does to an object before it is stored is known from the answer.
    const prepare = (made: MapValue): MapValue => withEntries(response, entriesOf(made))
    return success(planned({}), planned({ prepare, keepTimes: true }), step, response)
  } catch (error) {
    if (!hasCode(error)) throw error
    return refusal(statusOf(error), step)
  }
}

function refusal(status: object | undefined, { response }: Step): string {
  return isDeepStrictEqual(sorted(status ?? {}), sorted(response))
    ? "refused alike"
    : `refused otherwise: ${JSON.stringify(status)}`
}

/** `bare` knows nothing of what a server does to an object before it is stored; `whole` does. */
function success(bare: Plan, whole: Plan, { status }: Step, response: MapValue): string {
  const expected = { conflict: 409, create: 201, change: 200, none: 200 }[whole.outcome]
  if (expected !== status) return `status ${expected} instead of ${status}`
  if (!isDeepStrictEqual(entriesOf(whole.object), entriesOf(response))) return "other owners"
  const reasons = new Set(differences(bare.object, response, []))
  return reasons.size === 0 ? whole.outcome : `${whole.outcome}, but ${Array.from(reasons).sort().join(", ")}`
}

/** Why an answer has not what was predicted; what a server has put beside it does not count. */
function differences(predicted: Value, answer: Value | undefined, path: readonly (string | number)[]): string[] {
  if (isMap(predicted) && isMap(answer)) {
    return Object.entries(predicted).flatMap(([key, value]) => differences(value, answer[key], [...path, key]))
  }
  if (isList(predicted) && isList(answer) && predicted.length === answer.length) {
    return predicted.flatMap((item, i) => differences(item, answer[i], [...path, i]))
  }
  if (answer !== undefined && equalValues(predicted, answer)) return []
  const text = path.join(".")
  if (ofStorage.test(text)) return []
  if (isEmpty(predicted)) return ["Go leaves out what is empty, or defaults it"]
  return [exceptions.find(([pattern]) => pattern.test(text))?.[1] ?? `${text} is ${JSON.stringify(answer)}`]
}

function isEmpty(value: Value): boolean {
  return !value || (typeof value === "object" && Object.values(value).every(isEmpty))
}

/** What storage writes. */
const ofStorage = /^metadata\.(managedFields|generation|resourceVersion|uid|creationTimestamp)/

/** What parts of a server beside the FieldManager write. */
const exceptions: readonly (readonly [RegExp, string])[] = [
  [/\.(cpu|memory|storage|requests\.storage|nvidia\.com\/gpu)$/, "Go writes quantities in its own form"],
  [/^spec\.tolerations$/, "admission adds tolerations"],
  [/^status\./, "the strategy puts back what this endpoint does not write"],
  [/deprecated\.daemonset\.template\.generation$/, "the strategy counts generations"],
]

it("predicts the answers to requests that apply", () => {
  expect(tally(readStories())).toEqual({
    create: 88,
    "create, but Go leaves out what is empty, or defaults it": 2,
    "create, but Go writes quantities in its own form": 2,
    "create, but admission adds tolerations": 2,
    change: 298,
    "change, but Go leaves out what is empty, or defaults it": 18,
    "change, but Go writes quantities in its own form": 11,
    "change, but Go writes quantities in its own form, the strategy counts generations": 2,
    "change, but admission adds tolerations": 6,
    "change, but the strategy counts generations": 1,
    "change, but the strategy puts back what this endpoint does not write": 2,
    none: 32,
    "none, but Go leaves out what is empty, or defaults it": 1,
    "none, but Go writes quantities in its own form": 2,
    "refused alike": 141,
    "refused by another part of the server": 87,
    "a ScaleHandler translates the owners of a Scale": 6,
  })
})
