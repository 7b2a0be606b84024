// What /metrics shows, in the text format of Prometheus: requests, open watches and stored objects under the names and labels that
// kube-apiserver gives them, and what happened to unions under names of our own.
import { increase, type Labels, labelText, metricText } from "../../value/prometheus.js"
import type { UnionEvent, UnionEvents } from "../../write/unions.js"
import { mediaTypeOf, patchTypes } from "../request/body.js"
import { booleanOf } from "../request/options.js"
import type { ServerRequest } from "../request/request.js"
import { type ResourceRoute, verbOf } from "../request/route.js"
import type { Store } from "../storage/store.js"

/** The labels of a request as kube-apiserver chooses them; those of a request for no resource are empty but for the verb. */
export function requestLabels(request: ServerRequest, route: ResourceRoute | undefined): Labels {
  const { query } = request
  const { group = "", version = "", plural = "" } = route?.resource ?? {}
  return {
    verb: metricVerb(request, route, booleanOf(query, "watch") === true),
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
  // Any text may be a method; labels are not for the clients to choose.
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

/** The counters of a server. */
export class Metrics {
  // By the values of their labels, which are put in order only where they are shown.
  private readonly requests = new Map<string, { readonly labels: Labels; count: number }>()
  // By the text of their labels.
  private readonly unions = new Map<string, number>()

  /** Counts a request that was answered, and what it did to unions: of one that failed, only what it was refused for. */
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

  /** Everything as text. `open` has the labels of each watch that is open. */
  text(store: Store, open: Iterable<Labels>): string {
    const watches = new Map<string, number>()
    for (const { dry_run: _, ...labels } of open) increase(watches, labels, 1)
    const requests = Array.from(this.requests.values(), ({ labels, count }): [string, number] => [
      labelText(labels),
      count,
    ])
    const stored = store.counts().map(({ resource, count }) => {
      const [group = "", plural = ""] = resource.split("/")
      return { group, resource: plural, count }
    })
    const byName = stored.map(({ group, resource, count }): [string, number] => [
      labelText({ resource: group === "" ? resource : `${resource}.${group}` }),
      count,
    ])
    const byGroup = stored.map(({ count, ...labels }): [string, number] => [labelText(labels), count])
    return [
      metricText("apiserver_request_total", "counter", "Requests that were answered.", requests),
      metricText("apiserver_longrunning_requests", "gauge", "Watches that are open.", watches),
      metricText(
        "apiserver_storage_objects",
        "gauge",
        "Objects that are stored, by resource and group in one.",
        byName,
      ),
      metricText("apiserver_resource_objects", "gauge", "Objects that are stored.", byGroup),
      metricText("structured_merge_diff_union_events_total", "counter", unionHelp, this.unions),
    ].join("")
  }
}

const meanings: Readonly<Record<UnionEvent, string>> = {
  settled: "unions that the engine changed",
  implied: "discriminators that it wrote because of a member",
  cleared: "members that it took out",
  refused: "problems that requests were refused for",
  ratcheted: "problems that stayed because the stored object had them",
}
const unionHelp = `What happened to unions in requests: ${Object.entries(meanings)
  .map(([event, meaning]) => `${event} (${meaning})`)
  .join(", ")}.`
