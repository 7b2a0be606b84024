// The metrics at /metrics in the text format of Prometheus: requests, open watches and stored objects under kube-apiserver's names and
// labels, and events of unions under a name of our own.
import { nameInGroup } from "../schema/group-version-kind.js"
import { type ValidationCounters, ValidationMetrics } from "../validation/shadow/metrics.js"
import { Histogram, increase, type Labels, labelText, metricText } from "../value/prometheus.js"
import type { UnionEvent, UnionEvents } from "../write/unions.js"
import { mediaTypeOf, patchTypes } from "./request/body.js"
import { booleanParameter } from "./request/options.js"
import type { ServerRequest } from "./request/request.js"
import { type ResourceRoute, verbOf } from "./request/route.js"
import type { Store } from "./storage/store.js"

/** Returns kube-apiserver's labels for a request. The labels of the resource are empty for a request to another path. */
export function requestLabels(request: ServerRequest, route: ResourceRoute | undefined): Labels {
  const { query } = request
  const { group = "", version = "", plural = "" } = route?.resource ?? {}
  return {
    verb: metricVerb(request, route, booleanParameter(query, "watch") === true),
    dry_run: query.has("dryRun") ? "All" : "",
    group,
    version,
    resource: plural,
    subresource: route?.subresource?.name ?? "",
    scope: route === undefined ? "" : scopeOf(request, route),
    component: "apiserver",
  }
}

const verbs: Readonly<Record<string, string>> = { create: "POST", update: "PUT" }

function metricVerb(request: ServerRequest, route: ResourceRoute | undefined, watches: boolean): string {
  // A method can be any text, and clients must not be able to create labels.
  if (route === undefined) return request.method === "GET" || request.method === "HEAD" ? request.method : "other"
  const verb = verbOf(request.method, route, watches)
  if (verb === undefined) return "other"
  const applies = verb === "patch" && mediaTypeOf(request) === patchTypes.apply
  return applies ? "APPLY" : (verbs[verb] ?? verb.toUpperCase())
}

function scopeOf(request: ServerRequest, { name, namespace }: ResourceRoute): string {
  if (name !== "" || request.method === "POST") return "resource"
  return namespace === "" ? "cluster" : "namespace"
}

/** Collects the differences between handwritten and declarative validation in one request. */
export class ValidationEvents implements ValidationCounters {
  private mismatches: string[] = []
  private panics: string[] = []

  countMismatch(identifier: string): void {
    this.mismatches.push(identifier)
  }

  countPanic(identifier: string): void {
    this.panics.push(identifier)
  }

  /** Forgets everything, because the request is computed again. */
  clear(): void {
    this.mismatches = []
    this.panics = []
  }

  /** Adds the differences to those of the server. */
  addTo(counters: ValidationCounters): void {
    for (const identifier of this.mismatches) counters.countMismatch(identifier)
    for (const identifier of this.panics) counters.countPanic(identifier)
  }
}

/** The upper bounds of kube-apiserver's buckets for the durations of requests, in seconds. */
const durationBounds = [
  ...[0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5],
  ...[2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60],
]

/** The counters of a server. */
export class Metrics {
  readonly validation = new ValidationMetrics()
  private readonly durations = new Histogram("apiserver_request_duration_seconds", durationBounds)
  // Keyed by the status and the label values; `labelText`, which sorts labels, is called only for output.
  private readonly requests = new Map<string, { readonly labels: Labels; count: number }>()
  // Keyed by label text.
  private readonly unions = new Map<string, number>()

  /** Counts an answered request and its union events. A failed request counts only its `refused` events, since it stored nothing. */
  count(labels: Labels, code: number, { policy, counts }: UnionEvents): void {
    const key = `${code} ${Object.values(labels).join(" ")}`
    const known = this.requests.get(key)
    if (known !== undefined) known.count++
    else this.requests.set(key, { labels: { ...labels, code: String(code) }, count: 1 })
    const { group = "", resource = "" } = labels
    for (const [event, count] of counts) {
      if (code < 400 || event === "refused") increase(this.unions, { event, policy, group, resource }, count)
    }
  }

  /** Counts the duration of a request that has ended. */
  observe(labels: Labels, seconds: number): void {
    this.durations.observe(labels, seconds)
  }

  /** Formats all metrics. `openWatches` has the labels of each open watch. */
  format(store: Store, openWatches: Iterable<Labels>): string {
    const watches = new Map<string, number>()
    for (const { dry_run: _, ...labels } of openWatches) increase(watches, labels, 1)
    const requests = Array.from(this.requests.values(), ({ labels, count }): [string, number] => [
      labelText(labels),
      count,
    ])
    const stored = store.counts().map(({ resource, count }) => {
      const [group = "", plural = ""] = resource.split("/")
      return { group, resource: plural, count }
    })
    const byName = stored.map(({ group, resource, count }): [string, number] => [
      labelText({ resource: nameInGroup(resource, group) }),
      count,
    ])
    const byGroup = stored.map(({ count, ...labels }): [string, number] => [labelText(labels), count])
    return [
      metricText("apiserver_request_total", "counter", "Answered requests.", requests),
      this.durations.text("Seconds from the arrival of a request to its answer; for a watch, to its end."),
      metricText("apiserver_longrunning_requests", "gauge", "Open watches.", watches),
      metricText("apiserver_storage_objects", "gauge", "Stored objects, by RESOURCE.GROUP.", byName),
      metricText("apiserver_resource_objects", "gauge", "Stored objects.", byGroup),
      this.validation.text(),
      metricText("structured_merge_diff_union_events_total", "counter", unionHelp, this.unions),
    ].join("")
  }
}

const meanings: Readonly<Record<UnionEvent, string>> = {
  settled: "unions that the engine changed",
  implied: "discriminators that the engine set because a member was set",
  cleared: "members that the engine removed",
  refused: "problems for which requests were refused",
  ratcheted: "problems that were accepted because the stored object already had them",
}
const unionHelp = `Events of unions in requests: ${Object.entries(meanings)
  .map(([event, meaning]) => `${event} (${meaning})`)
  .join(", ")}.`
