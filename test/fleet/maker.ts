// Makes hundreds of thousands of live objects like those of a cluster. They are recorded answers of a real API server
// (test/vectors/api-server.json.gz) with other names, namespaces, managers, uids, versions and times, and with the troubles that owners get
// into over the years. The same seed makes the same objects. Memory does not depend on their number.
import { isMap, type MapValue, type Value } from "../../src/value/value.js"
import { Random } from "../fuzz/random.js"
import { readStories } from "../support/api-server-stories.js"
import { type Entry, type Recorded, troubles } from "./troubles.js"

export interface FleetOptions {
  readonly objects: number
  readonly seed: number
}

/** Yields the objects as JSON, one at a time. */
export function* fleet({ objects, seed }: FleetOptions): Generator<string> {
  const random = new Random(seed, "fleet", 0)
  const templates = templatesOf(random)
  for (let i = 0; i < objects; i++) yield random.pick(templates)(i, random)
}

/** Returns the JSON of the object with this number. */
type Template = (number: number, random: Random) => string

/** How many templates are made of each recorded object. */
const variants = 4

/** The largest recorded object to use, in bytes. It makes the mean 1.4 kB. */
const largest = 2200

function templatesOf(random: Random): Template[] {
  return recordedObjects().flatMap(object =>
    Array.from({ length: variants }, () => {
      const renamed = withManagers(object, random)
      const trouble = random.weighted(troubles)
      return templateOf(trouble(renamed, random))
    }),
  )
}

/** Returns the recorded states of objects of built-in kinds, each once. */
function recordedObjects(): Recorded[] {
  const found = new Map<string, Recorded>()
  for (const { object, steps } of readStories()) {
    if (/example/.test(object.apiVersion)) continue
    for (const { live, response } of steps) {
      const state = (live ?? response) as unknown as Recorded
      const text = JSON.stringify(state)
      if (hasOwners(state) && text.length <= largest) found.set(text, JSON.parse(text))
    }
  }
  return [...found.values()]
}

function hasOwners(state: Recorded): boolean {
  const { metadata } = state
  return (
    isMap(metadata as Value) && metadata.creationTimestamp !== undefined && (metadata.managedFields?.length ?? 0) > 0
  )
}

/** Real names for each manager of the recording. No name is in two rows. */
const people: Readonly<Record<string, readonly string[]>> = {
  alice: ["argocd-controller", "kustomize-controller", "pulumi-kubernetes"],
  bob: ["helm", "terraform", "kubectl"],
  carol: ["keda-operator", "vpa-recommender", "cert-manager-cainjector"],
  dave: ["kubectl-edit", "kubectl-patch", "rancher"],
}

function withManagers(object: Recorded, random: Random): Recorded {
  const names = Object.entries(people).map(([person, names]) => [person, random.pick(names)] as const)
  const nameOf = new Map(names)
  const managedFields = object.metadata.managedFields.map(entry => ({
    ...entry,
    manager: nameOf.get(entry.manager) ?? entry.manager,
  }))
  return { ...object, metadata: { ...object.metadata, managedFields: managedFields.toSorted(inOrder) } }
}

/** Compares entries of one subresource as an API server orders them. */
function inOrder(a: Entry, b: Entry): number {
  const keys = (entry: Entry) => [entry.operation, entry.time ?? "", entry.manager]
  const [left, right] = [keys(a), keys(b)]
  const at = left.findIndex((key, i) => key !== right[i])
  return at < 0 ? 0 : (left[at] as string) < (right[at] as string) ? -1 : 1
}

const words = ["api", "web", "cart", "search", "billing", "mail", "auth", "queue", "cache", "report", "ingest", "edge"]
/** The number of namespaces for each word. */
const stages = 16
/** Seconds since 1970. Objects were created in the year before. */
const newest = 1_790_000_000
const year = 365 * 24 * 3600

/** Returns a template of the object's text, with gaps for its name, times and other parts that differ between objects. */
function templateOf(object: Recorded): Template {
  const { metadata } = object
  const start = Date.parse(metadata.creationTimestamp)
  const later = (time: string) => `@{${Math.max(0, Math.round((Date.parse(time) - start) / 1000))}}`
  const gaps: MapValue = {
    ...metadata,
    name: "@{name}",
    ...(metadata.namespace !== undefined && { namespace: "@{namespace}" }),
    uid: "@{uid}",
    resourceVersion: "@{version}",
    creationTimestamp: "@{0}",
    managedFields: metadata.managedFields.map(entry => ({
      ...entry,
      ...(entry.time !== undefined && { time: later(entry.time) }),
    })),
  }
  const parts = JSON.stringify({ ...object, metadata: gaps }).split(/@\{(\w+)\}/)
  return (number, random) => {
    const made = (newest - random.below(year)) * 1000
    const texts: Record<string, string> = {
      name: `${random.pick(words)}-${number.toString(36)}`,
      namespace: `${random.pick(words)}-${random.below(stages)}`,
      uid: uid(random),
      version: String(10_000_000 + number * 7 + random.below(7)),
    }
    let text = parts[0] as string
    for (let i = 1; i < parts.length; i += 2) {
      const gap = parts[i] as string
      text += (texts[gap] ?? timeOf(made + Number(gap) * 1000)) + parts[i + 1]
    }
    return text
  }
}

function uid(random: Random): string {
  const hex = (digits: number) =>
    random
      .below(16 ** digits)
      .toString(16)
      .padStart(digits, "0")
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(6)}${hex(6)}`
}

/** Formats a time as RFC 3339, in whole seconds. */
export function timeOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`
}
