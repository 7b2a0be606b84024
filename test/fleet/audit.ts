// Writes an audit log of managers at work on Deployments. Every third object has two managers that fight over its replicas.
import { kubernetesTypes } from "../../src/kubernetes/index.js"
import { FieldManager } from "../../src/managedfields/index.js"
import type { MapValue } from "../../src/value/value.js"
import { type FleetOptions, timeOf } from "./maker.js"

/** The number of times that a manager sets its value again. */
const rounds = 4
/** Seconds since 1970. */
const begin = 1_790_000_000

/** Yields the events of an audit log at level RequestResponse as JSON. The events of all objects take turns. */
export function* auditLog({ objects, seed }: FleetOptions): Generator<string> {
  const states = Array.from({ length: objects }, (_, i) => new Watched(i, seed))
  let second = begin
  for (let round = 0; round < rounds; round++) {
    for (const watched of states) {
      for (const event of watched.write(round, () => second++)) yield JSON.stringify(event)
    }
  }
}

/** Whether managers fight over the object with this number. */
export function isFoughtOver(number: number): boolean {
  return number % 3 === 0
}

/** An object in the log. */
class Watched {
  readonly #fields = new FieldManager({ types: kubernetesTypes, clock: () => this.#now })
  #now = new Date(0)
  readonly #number: number
  readonly #seed: number
  #live: MapValue | undefined
  #version = 0

  constructor(number: number, seed: number) {
    this.#number = number
    this.#seed = seed
  }

  /** Yields the writes of a round: an apply, and in a fight an update by another manager that undoes it. */
  write(round: number, nextSecond: () => number): MapValue[] {
    const replicas = isFoughtOver(this.#number) ? 3 : 3 + round
    const applied = this.#state(this.#apply(replicas, nextSecond()))
    const live = this.#live as MapValue
    const spec = live.spec as MapValue
    const next = isFoughtOver(this.#number)
      ? { ...live, spec: { ...spec, replicas: 5 + round } }
      : { ...live, metadata: { ...(live.metadata as MapValue), labels: { seen: String(round) } } }
    const updated = this.#state(this.#update(next, nextSecond()))
    return [applied, updated]
  }

  #apply(replicas: number, second: number): { readonly object: MapValue; readonly event: MapValue } {
    const containers = [{ name: "web", image: "web:1" }]
    const metadata = { name: `shop-${this.#number}`, namespace: "fights" }
    const template = { metadata: { labels: { app: "web" } }, spec: { containers } }
    const selector = { matchLabels: { app: "web" } }
    const config = { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { replicas, selector, template } }
    this.#now = new Date(second * 1000)
    const { object } = this.#fields.apply(this.#live, config, { manager: "gitops", force: true })
    return { object, event: this.#event("patch", "gitops", second, config) }
  }

  #update(next: MapValue, second: number): { readonly object: MapValue; readonly event: MapValue } {
    const manager = isFoughtOver(this.#number) ? "autoscaler" : "labeller"
    this.#now = new Date(second * 1000)
    const { object } = this.#fields.update(this.#live, next, { manager })
    return { object, event: this.#event("update", manager, second, next) }
  }

  /** Returns the event with the object as it is stored at that time. */
  #state({ object, event }: { readonly object: MapValue; readonly event: MapValue }): MapValue {
    this.#version++
    const uid = `${String(this.#seed).padStart(8, "0")}-0000-4000-a000-${String(this.#number).padStart(12, "0")}`
    const metadata = { ...(object.metadata as MapValue), uid, resourceVersion: String(this.#version) }
    const live = { ...object, metadata }
    this.#live = live
    return { ...event, responseObject: live }
  }

  #event(verb: string, manager: string, second: number, requestObject: MapValue): MapValue {
    const name = `shop-${this.#number}`
    const time = `${timeOf(second * 1000).slice(0, -1)}.000000Z`
    return {
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      level: "RequestResponse",
      auditID: `${this.#number}-${this.#version}`,
      stage: "ResponseComplete",
      requestURI: `/apis/apps/v1/namespaces/fights/deployments/${name}?fieldManager=${manager}`,
      verb,
      user: { username: `system:serviceaccount:tools:${manager}` },
      userAgent: `${manager}/1.0`,
      objectRef: { resource: "deployments", namespace: "fights", name, apiGroup: "apps", apiVersion: "v1" },
      responseStatus: { metadata: {}, code: 200 },
      requestObject,
      requestReceivedTimestamp: time,
      stageTimestamp: time,
    }
  }
}
