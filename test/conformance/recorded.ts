// Cases of the conformance suite from recorded stories of a kube-apiserver: HTTP stories, and the effects of single applies.
import { formatJson } from "../../src/json/json.js"
import { withoutManagedFields } from "../../src/managedfields/entries/entry.js"
import { equalValues } from "../../src/value/equal.js"
import { isList, isMap, type MapValue, type Value } from "../../src/value/value.js"
import { mapAt } from "../support/api-server-replay.js"
import { readStories, type Step, type Story } from "../support/api-server-stories.js"

export interface RecordedCase {
  readonly id: string
  readonly origin: { readonly module: string; readonly version: string }
  /** JSON. */
  readonly request: string
  readonly expect: string
}

/** The most characters of a case. */
const longest = { matches: 4_000, http: 30_000 }
/** The most HTTP stories about one kind and topic. */
const storiesPerTopic = 2
/** Members of metadata that each server chooses. */
const chosen = ["uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "managedFields"]

const module = "k8s.io/kubernetes"

type HttpStep = Step & { readonly method?: string; readonly path?: string; readonly contentType?: string }

/** Returns applies of each kind with each effect, the shortest ones. */
export function recordedMatches(): RecordedCase[] {
  const found = new Map<string, RecordedCase>()
  for (const story of readStories()) {
    for (const { key, ...one } of appliesOf(story)) {
      const most = found.get(key)?.request.length ?? longest.matches
      if (one.request.length < most) found.set(key, one)
    }
  }
  return [...found.values()]
}

/** The applies of a story to an object that is known before and after. */
function appliesOf(story: Story): (RecordedCase & { readonly key: string })[] {
  const found: (RecordedCase & { readonly key: string })[] = []
  let live: MapValue | undefined
  for (const [index, step] of story.steps.entries()) {
    const changes = live && effectOf(step, live)
    if (live !== undefined && changes !== undefined) {
      const { body, manager = "", force = false } = step
      const [crd] = story.crds
      const types = crd === undefined ? { kubernetes: true } : { crd }
      const request = { op: "wouldChange", ...types, manager, force, live, object: body }
      const isContained = contains(live, body)
      found.push({
        key: `${story.object.kind} ${changes} ${isContained}`,
        id: `recorded/${story.name}, step ${index + 1}`,
        origin: { module, version: serverVersion(story) },
        request: formatJson(request),
        expect: formatJson({ changes }),
      })
    }
    live = liveAfter(step, story, live)
  }
  return found
}

/** Returns what an apply to the live object changed; undefined for other steps, and for other errors than conflicts. */
function effectOf(step: Step, live: MapValue): string | undefined {
  const { verb, subresource = "", body, status, response } = step
  if (verb !== "apply" || subresource !== "" || !isMap(body) || body.apiVersion !== live.apiVersion) return undefined
  if (status === 409) return causesOf(response).length > 0 ? "conflict" : undefined
  if (status !== 200) return undefined
  const same = equalValues(withoutChosen(live), withoutChosen(response))
  return !same ? "object" : equalValues(ownersOf(live), ownersOf(response)) ? "nothing" : "owners"
}

function liveAfter(step: Step, story: Story, before: MapValue | undefined): MapValue | undefined {
  if (step.verb === "crd-update") return undefined
  if (step.status >= 300 || step.dryRun === true) return before
  const object = step.live === undefined ? step.response : step.live
  const isStory = isMap(object) && object.kind === story.object.kind
  return isStory && mapAt(object, "metadata").deletionTimestamp === undefined ? object : undefined
}

/** Whether the live object has all values of a configuration, as a matcher without field owners would compare. */
function contains(live: Value | undefined, config: Value): boolean {
  if (isMap(config)) return isMap(live) && Object.keys(config).every(key => contains(live[key], config[key] ?? null))
  if (isList(config)) return isList(live) && config.every((item, i) => contains(live[i], item))
  return live !== undefined && equalValues(live, config)
}

/** Returns the shortest stories of each kind and topic that every server can play. */
export function recordedHttp(): RecordedCase[] {
  const perTopic = new Map<string, RecordedCase[]>()
  for (const story of readStories().filter(isPortable)) {
    const one = httpStory(story)
    const [, topic = ""] = story.name.split(": ")
    const key = `${story.object.kind} ${topic}`
    if (sizeOf(one) <= longest.http) perTopic.set(key, [...(perTopic.get(key) ?? []), one])
  }
  return [...perTopic.values()]
    .flatMap(found => found.sort((a, b) => sizeOf(a) - sizeOf(b)).slice(0, storiesPerTopic))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

function sizeOf({ request, expect }: RecordedCase): number {
  return request.length + expect.length
}

/** Whether all requests of a story are in its steps, and its answers have nothing that a server chooses but members of metadata. */
function isPortable({ steps }: Story): boolean {
  return steps.every((step, index) => {
    const sent = formatJson(steps.slice(0, index + 1).map(({ body }) => body ?? null))
    const { path, response, status } = step as HttpStep
    if (path === undefined || /limits/.test(path)) return false
    if (status >= 300 || !isMap(response)) return true
    const uid = String(mapAt(response, "metadata").uid)
    const shown = formatJson(withoutChosen(response))
    const times = shown.match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g) ?? []
    if (shown.includes("system:masters")) return false
    return !shown.includes(uid) && !/"(clusterIP|nodePort)"/.test(shown) && times.every(time => sent.includes(time))
  })
}

function httpStory(story: Story): RecordedCase {
  const steps = story.steps as readonly HttpStep[]
  const requests = steps.map((step, index) => {
    const { method = "GET", path = "", contentType, userAgent, body } = step
    const sends = method !== "DELETE" && method !== "GET" && body !== undefined
    return {
      method,
      path,
      ...(userAgent !== undefined && { userAgent }),
      ...(sends && {
        contentType: contentType ?? "application/json",
        body: withReferences(body, steps.slice(0, index)),
      }),
    }
  })
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "stories" } }
  const isNamespaced = steps.some(({ path = "" }) => path.includes("/namespaces/stories/"))
  const setup = [...(isNamespaced ? [namespace] : []), ...story.crds]
  return {
    id: `http/${story.name}`,
    origin: { module, version: serverVersion(story) },
    request: formatJson({ op: "http", setup, cleanup: pathsOf(story), requests } as Value),
    expect: formatJson({ responses: steps.map(responseOf) } as Value),
  }
}

/** The paths of the objects of a story, for deleting them. */
function pathsOf({ steps, object }: Story): string[] {
  const { name } = mapAt(object as object as MapValue, "metadata")
  const paths = steps.map(step => (step as HttpStep).path ?? "")
  const found = paths.flatMap(path => new RegExp(`^[^?]*/${name}(?=[/?]|$)`).exec(path) ?? [])
  return [...new Set(found)].slice(0, 1)
}

/** Replaces what the server has chosen in an earlier response by a reference to it. */
function withReferences(body: Value, earlier: readonly HttpStep[]): Value {
  if (!isMap(body) || !isMap(body.metadata)) return body
  const metadata = { ...body.metadata }
  for (const name of ["uid", "resourceVersion", "creationTimestamp", "deletionTimestamp"]) {
    const index = earlier.findLastIndex(({ response }) => {
      return metadata[name] !== undefined && mapAt(response, "metadata")[name] === metadata[name]
    })
    if (index >= 0) metadata[name] = `{{${index + 1}.${name}}}`
  }
  return { ...body, metadata }
}

function responseOf({ method, status, response }: HttpStep): MapValue {
  if (status >= 500) return { status }
  if (status >= 300) return { status, reason: response.reason ?? "", causes: causesOf(response) }
  if (method === "DELETE" || response.kind === "Status") return { status }
  return { status, object: withoutChosen(response), owners: ownersOf(response) }
}

/** The reasons and fields of a Status, sorted: a server finds conflicts in a random order. */
function causesOf(status: Value): MapValue[] {
  const details = isMap(status) ? mapAt(status, "details") : {}
  const causes = isList(details.causes) ? details.causes.filter(isMap) : []
  return sorted(causes.map(({ reason = "", field = "" }) => ({ reason, field })))
}

function withoutChosen(object: MapValue): MapValue {
  const metadata = Object.entries(mapAt(object, "metadata")).filter(([name]) => !chosen.includes(name))
  return { ...withoutManagedFields(object), metadata: Object.fromEntries(metadata) }
}

/** The entries of managedFields without times, sorted: their order depends on the times. */
function ownersOf(object: MapValue): MapValue[] {
  const entries = mapAt(object, "metadata").managedFields
  return sorted((isList(entries) ? entries : []).filter(isMap).map(({ time: _, ...entry }) => entry))
}

function sorted(list: readonly MapValue[]): MapValue[] {
  return [...list].sort((a, b) => (formatJson(a) < formatJson(b) ? -1 : 1))
}

function serverVersion(story: Story): string {
  const { serverVersion } = story as unknown as { serverVersion: string }
  return serverVersion
}
