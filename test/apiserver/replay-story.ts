// Replays the recorded requests of a real API server, and reports the differences between the responses.
import { type ApiServer, createApiServer } from "../../src/apiserver/server.js"
import { formatGoJson, parseJson } from "../../src/json/json.js"
import { valueAtSteps } from "../../src/value/change.js"
import { identicalValues } from "../../src/value/equal.js"
import { isList, isMap, type MapValue, type Value } from "../../src/value/value.js"

/** A recorded story. */
export interface Story {
  readonly name: string
  readonly object: { readonly apiVersion: string; readonly kind: string; readonly metadata: MapValue }
  readonly crds: readonly MapValue[]
  readonly steps: readonly Step[]
}

interface Step {
  readonly verb: string
  readonly method?: string
  readonly path?: string
  readonly subresource?: string
  readonly dryRun?: boolean
  readonly contentType?: string
  readonly userAgent?: string
  readonly body?: Value
  readonly status: number
  /** The time of the response: `2026-11-21T23:00:26.517Z`. */
  readonly time?: string
  readonly response: Value
  /** The object afterwards, if the response is not the object; null if it is gone. */
  readonly live?: MapValue | null
}

/** The result of a replayed step. */
export interface Outcome {
  /** The first difference in the order status, Status body, managedFields, if there is any. */
  readonly differs: "" | "status" | "body" | "managedFields"
  /** Whether the rest of the object is equal, too. */
  readonly sameObject: boolean
  readonly where: string
  readonly step: Step
  readonly status: number
  readonly response: Value
}

/** The known differences, each with the reason why it stays. */
const known: readonly { readonly reason: string; readonly is: (outcome: Outcome) => boolean }[] = [
  {
    reason: "conflicts between several managers come in the order of a Go map there",
    is: ({ step, response }) => step.status === 409 && sameLines(step.response, response),
  },
  {
    reason: "YAML errors have the words of another parser there",
    is: ({ response }) => String(valueAtSteps(response, ["message"])).startsWith("error encoding patch: line "),
  },
  {
    reason: "an empty list that Go does not leave out is left out",
    is: ({ where }) => where === "s2163-roles: mix step 1",
  },
  {
    reason: "fields that an applier drops at one version are kept at another there",
    is: ({ where }) => /^s2543-horizontalpodautoscalers: .* step [4-8]$/.test(where),
  },
]

/** Whether a difference is known. */
export function isKnown(outcome: Outcome): boolean {
  return known.some(({ is }) => is(outcome))
}

/** Whether the messages of both Statuses have the same lines in any order. */
function sameLines(theirs: Value, ours: Value): boolean {
  const lines = (status: Value) =>
    String(valueAtSteps(status, ["message"]))
      .split("\n")
      .sort()
      .join("\n")
  return lines(theirs) === lines(ours)
}

/** Returns the server's clock at a request: a little before the response, which may be in the next second. */
function clockAt({ time = "", response }: Step): Date {
  const answered = new Date(time)
  const entries = managedFieldsOf(response)
  const times = (isList(entries) ? entries : []).map(entry => (isMap(entry) ? Date.parse(String(entry.time)) : 0))
  const latest = Math.max(0, ...times)
  const second = answered.getTime() - answered.getMilliseconds()
  return answered.getMilliseconds() < 20 && latest === second - 1000 ? new Date(latest) : answered
}

/** Replays the story. After a step with a difference, loads the recorded object into the server. */
export async function replay(story: Story): Promise<Outcome[]> {
  let now = new Date(0)
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "stories" } }
  const limits = { apiVersion: "v1", kind: "Namespace", metadata: { name: "limits" } }
  const server = createApiServer({ clock: () => now, crds: story.crds, objects: [namespace, limits] })
  const names = new Names()
  const outcomes: Outcome[] = []
  let last: Value = null
  for (const [index, step] of story.steps.entries()) {
    if (step.time !== undefined) now = clockAt(step)
    if (step.verb === "crd-update") {
      server.load([withUid(step.body as MapValue)])
      continue
    }
    if (step.verb !== "observe") outcomes.push(await replayStep(server, step, names, `${story.name} step ${index}`))
    if (step.status < 300 && step.dryRun !== true) last = step.live === undefined ? (step.response as Value) : step.live
    await resync(server, story, last, names)
  }
  return outcomes
}

async function replayStep(server: ApiServer, step: Step, names: Names, where: string): Promise<Outcome> {
  const { method = "GET", path = "/", contentType, userAgent = "recorder" } = step
  const headers = new Headers({ "user-agent": userAgent })
  if (contentType !== undefined) headers.set("content-type", contentType)
  const body = bodyText(names.toOurs(step.body))
  const url = `http://server${path}`
  const init = body === undefined || method === "DELETE" ? { method, headers } : { method, headers, body }
  const answer = await server.fetch(new Request(url, init))
  const response = parseJson(await answer.text())
  const theirs = names.toOurs(step.response as Value) ?? null
  const outcome = { where, step, status: answer.status, response }
  if (answer.status !== step.status) return { ...outcome, differs: "status", sameObject: false }
  if (step.status < 300 && !isStatus(step.response)) names.learn(step.response, response)
  if (isStatus(step.response)) {
    const same = identicalValues(unnamed(theirs), unnamed(response))
    return { ...outcome, differs: same ? "" : "body", sameObject: same }
  }
  const same = identicalValues(managedFieldsOf(step.response), managedFieldsOf(response))
  const sameObject = identicalValues(unnamed(step.response), unnamed(response))
  return { ...outcome, differs: same ? "" : "managedFields", sameObject }
}

function bodyText(body: Value | undefined): string | undefined {
  if (body === undefined || body === null) return undefined
  return typeof body === "string" ? body : formatGoJson(body, { sorted: false })
}

/** Loads the last recorded object into the server, unless the server has the same object. */
async function resync(server: ApiServer, story: Story, theirs: Value, names: Names): Promise<void> {
  const { apiVersion, kind, metadata } = story.object
  const findOurs = () =>
    server
      .snapshot()
      .find(object => object.kind === kind && isMap(object.metadata) && object.metadata.name === metadata.name)
  const ours = findOurs()
  if (!isMap(theirs) || theirs.kind === "Status") {
    // If the recorded server refused the request that created the object, the object may exist in this server alone.
    if (ours !== undefined) await discard(server, story)
    return
  }
  if (theirs.kind !== kind || isGone(theirs)) return
  if (ours !== undefined) names.learn(theirs, ours)
  if (ours !== undefined && (ours.apiVersion !== theirs.apiVersion || identicalValues(whole(theirs), whole(ours))))
    return
  server.load([names.toOurs(theirs) as MapValue])
  const stored = findOurs()
  if (stored === undefined) throw new Error(`${apiVersion} ${kind} was not stored`)
  names.learn(theirs, stored)
}

/** Sends a request that deletes the object of the story. */
async function discard(server: ApiServer, { steps, object }: Story): Promise<void> {
  const name = String(object.metadata.name)
  const path = steps.find(step => step.path?.includes(`/${name}`))?.path ?? ""
  const main = path.slice(0, path.indexOf(name) + name.length)
  await server.fetch(new Request(`http://server${main}`, { method: "DELETE" }))
}

function isGone(object: MapValue): boolean {
  const { metadata } = object
  if (!isMap(metadata) || metadata.deletionTimestamp === undefined) return false
  return metadata.finalizers === undefined || (isList(metadata.finalizers) && metadata.finalizers.length === 0)
}

/** Maps uids and resourceVersions of the recorded server to those of this server. */
class Names {
  private readonly ours = new Map<string, Value>()

  learn(theirs: Value, here: Value): void {
    for (const key of ["uid", "resourceVersion"]) {
      const [their, our] = [valueAtSteps(theirs, ["metadata", key]), valueAtSteps(here, ["metadata", key])]
      if (typeof their === "string" && our !== undefined) this.ours.set(`${key} ${their}`, our)
    }
  }

  toOurs<T extends Value | undefined>(value: T): T {
    if (isList(value)) return value.map(item => this.toOurs(item)) as unknown as T
    if (!isMap(value)) return value
    const out = Object.entries(value as MapValue).map(([key, child]) => {
      const known = typeof child === "string" ? this.ours.get(`${key} ${child}`) : undefined
      return [key, known ?? this.toOurs(child)]
    })
    return Object.fromEntries(out) as T
  }
}

const isStatus = (value: Value): boolean => isMap(value) && value.kind === "Status"
const managedFieldsOf = (value: Value): Value => valueAtSteps(value, ["metadata", "managedFields"]) ?? []

/** Returns the object without the values that differ from server to server. */
function unnamed(value: Value): Value {
  if (!isMap(value) || !isMap(value.metadata)) return value
  const { uid: _, resourceVersion: __, managedFields: ___, ...metadata } = value.metadata
  const details = isMap(value.details) ? { details: { ...value.details, uid: null } } : {}
  return { ...value, ...details, metadata }
}

function whole(value: Value): Value {
  return [unnamed(value), managedFieldsOf(value)]
}

function withUid(object: MapValue): MapValue {
  const metadata = isMap(object.metadata) ? object.metadata : {}
  return { ...object, metadata: { uid: "replayed", ...metadata } }
}
