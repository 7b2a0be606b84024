// The predictions of `plan` for PATCH requests that apply, next to the answers of a kube-apiserver: the whole body, or the whole refusal.

import { isDeepStrictEqual } from "node:util"
import { hasCode } from "../../../src/errors.js"
import { parseYaml } from "../../../src/io/index.js"
import { parseJson } from "../../../src/json/json.js"
import type { Kinds } from "../../../src/kinds/kinds.js"
import { kubernetes } from "../../../src/kinds/kubernetes.js"
import { metadataOf, metaText, withMetadata } from "../../../src/schema/metadata.js"
import { type Plan, plan } from "../../../src/tools/ownership/index.js"
import type { MapValue } from "../../../src/value/value.js"
import { newTime, Server, type Stored, sorted, storedAfter } from "../../support/api-server-replay.js"
import type { Step, Story } from "../../support/api-server-stories.js"
import { schemaErrors } from "./schema.js"

/** The comparison of the predictions with the answers. */
export interface Tally {
  /** The number of requests for each kind of prediction: `right`, and the ways to be wrong. */
  readonly counts: Record<string, number>
  /** The wrong predictions. */
  readonly wrong: string[]
}

/** One prediction: the kind that it counts as, and its mistakes. */
interface Verdict {
  readonly counted: string
  readonly wrong: readonly string[]
}

/** Predicts the answer to each apply of the stories. */
export function tally(stories: Iterable<Story>): Tally {
  const found: Tally = { counts: {}, wrong: [] }
  for (const story of stories) {
    let server = new Server(story, story.crds)
    let kinds = kubernetes.with(story.crds)
    let live: Stored | undefined
    story.steps.forEach((step, index) => {
      if (step.verb === "observe") live = { object: step.response }
      else if (step.verb === "crd-update") {
        server = new Server(story, [step.body as MapValue])
        kinds = kubernetes.with([step.body as MapValue])
      } else {
        if (step.verb === "apply") {
          const { counted, wrong } = predict(server, kinds, step, live, index)
          found.counts[counted] = (found.counts[counted] ?? 0) + 1
          for (const problem of wrong) found.wrong.push(`${story.name}, step ${index}: ${problem}`)
        }
        if (step.status < 300 && step.dryRun !== true) live = storedAfter(step)
      }
    })
  }
  return found
}

function predict(server: Server, types: Kinds, step: Step, stored: Stored | undefined, index: number): Verdict {
  const { subresource = "", apiVersion, manager = "", force = false } = step
  const { object, calls } = server.story
  if (subresource === "scale") return { counted: "left out: plan is not about Scales", wrong: [] }
  const view = stored?.views?.[apiVersion]
  const live = view?.kind === object.kind ? view : stored?.object
  const call = calls[index]?.find(({ result }) => result !== undefined)
  const time = newTime(call?.live, call?.result)
  const config = configOf(step.body)
  if (config === undefined) return { counted: "left out: the body is not YAML", wrong: [] }
  const message = step.status < 300 ? "" : String(step.response.message)
  if (message.includes("error strict decoding patch"))
    return { counted: "left out: fieldValidation is Strict, and plan has only the value of the text", wrong: [] }
  if (message.includes("dryRun: Unsupported value"))
    return { counted: "left out: another option of the request is wrong", wrong: [] }
  let predicted: Plan
  try {
    predicted = plan(live, config, {
      types,
      kind: { apiVersion, kind: object.kind },
      manager,
      subresource,
      force,
      unions: "off",
      clock: () => new Date(time ?? 0),
    })
  } catch (error) {
    if (error instanceof TypeError)
      return { counted: "left out: the body names another object than the address", wrong: [] }
    if (!hasCode(error)) throw error
    return { counted: "left out: the body is not an object", wrong: [] }
  }
  const errors = schemaErrors(predicted)
  if (errors !== "") return { counted: "not what the schema says", wrong: [errors] }
  return compare(predicted, step)
}

/** Undefined if the text is not YAML. */
function configOf(body: unknown): MapValue | undefined {
  if (typeof body !== "string") return body as MapValue
  try {
    return parseYaml(body, { lenient: true }) as MapValue
  } catch (error) {
    if (hasCode(error)) return undefined
    throw error
  }
}

function compare({ outcome, status, object }: Plan, step: Step): Verdict {
  const isRefused = outcome === "conflict" || outcome === "refused"
  const expected = step.status < 300 ? 200 : step.status
  const predicted = isRefused ? status?.code : 200
  if (predicted !== expected) {
    return {
      counted: `${step.status} predicted as ${predicted}`,
      wrong: [`${predicted} instead of ${JSON.stringify(step.response)}`],
    }
  }
  if (isRefused) {
    if (isDeepStrictEqual(sorted(status as object), sorted(step.response)))
      return { counted: "right: refused alike", wrong: [] }
    return {
      counted: "refused with other words",
      wrong: [`${JSON.stringify(status)} instead of ${JSON.stringify(step.response)}`],
    }
  }
  const [made, answered] = [comparable(object), comparable(step.response)]
  if (isDeepStrictEqual(made, answered)) return { counted: "right: the whole body", wrong: [] }
  for (const [what, without] of Object.entries(unpredictable)) {
    if (isDeepStrictEqual(without(made, object), without(answered, step.response)))
      return { counted: `right: the whole body, but for ${what}`, wrong: [] }
  }
  return { counted: "another body", wrong: [`${JSON.stringify(made)} instead of ${JSON.stringify(answered)}`] }
}

/** The values that do not come from the request, and how to take them out of an answer. */
const unpredictable: Readonly<Record<string, (body: MapValue, object: MapValue) => MapValue>> = {
  "the uid in the labels of a Job": (body, object) => {
    const uid = metaText(object, "uid")
    return uid === "" ? body : (parseJson(JSON.stringify(body).replaceAll(uid, "")) as MapValue)
  },
  "addresses and node ports of a Service": ({ spec, ...body }) => {
    const { clusterIP: _, clusterIPs: __, ports = [], ...rest } = spec as MapValue
    const unallocated = (ports as readonly MapValue[]).map(({ nodePort: _, ...port }) => port)
    return { ...body, spec: { ...rest, ports: unallocated } }
  },
  "the user who asks for a certificate": ({ spec, ...body }) => {
    const { username: _, uid: __, groups: ___, ...rest } = spec as MapValue
    return { ...body, spec: rest }
  },
}

/** The object without the metadata that only a server knows. */
function comparable(object: MapValue): MapValue {
  const { managedFields = null } = metadataOf(object)
  return withMetadata(object, {
    uid: undefined,
    creationTimestamp: undefined,
    resourceVersion: undefined,
    managedFields,
  })
}
