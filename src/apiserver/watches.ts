// The open watches of a server.
import type { Labels } from "../value/prometheus.js"
import type { Endpoints } from "./endpoints.js"
import { type Metrics, requestLabels } from "./metrics.js"
import type { ServerTime } from "./reproducible/clock.js"
import type { ServerRequest } from "./request/request.js"
import type { ResourceRoute } from "./request/route.js"
import { readSelector } from "./request/selectors.js"
import type { ResponseForm } from "./response/form.js"
import { type ApiAnswer, jsonHeaders, warningHeader } from "./response/response.js"
import type { EventEncoder } from "./storage/event-encoder.js"
import type { Store } from "./storage/store.js"
import { Watch } from "./storage/watch.js"

/** The parts of a server that its watches need. */
interface WatchesParts {
  readonly store: Store
  readonly time: ServerTime
  readonly endpoints: Endpoints
  readonly encoder: EventEncoder
  readonly metrics: Metrics
  /** Returns the time, in seconds, for the duration of requests. */
  readonly seconds: () => number
}

export class Watches {
  private readonly parts: WatchesParts
  private readonly open = new Map<Watch, Labels>()

  constructor(parts: WatchesParts) {
    this.parts = parts
  }

  /** The labels of the request of each open watch. */
  get labels(): Iterable<Labels> {
    return this.open.values()
  }

  /** Answers a request for a watch. */
  answer(request: ServerRequest, route: ResourceRoute, form: ResponseForm): ApiAnswer {
    const { store, time, endpoints, encoder, metrics, seconds } = this.parts
    const { query } = request
    const { resource, namespace, name } = route
    const began = seconds()
    const labels = requestLabels(request, route)
    const selects = readSelector(query, resource, name)
    const subject = { endpoint: endpoints.of(resource), namespace, query, selects, form, encoder, time }
    const watch: Watch = new Watch(store, subject, () => {
      this.open.delete(watch)
      metrics.observe(labels, seconds() - began)
    })
    this.open.set(watch, labels)
    return { status: 200, headers: { ...jsonHeaders, ...warningHeader([resource.deprecation ?? ""]) }, body: watch }
  }

  /** Ends all watches. */
  close(): void {
    for (const watch of [...this.open.keys()]) watch.close()
  }
}
