// Requests of a recording in a form that two runs of one program share: without uids, resourceVersions, generated names and times.

import { nameInGroup } from "../../schema/group-version-kind.js"
import { metaText, withMetadata } from "../../schema/metadata.js"
import { mapAt, textAt } from "../../value/fields.js"
import { own, put } from "../../value/object.js"
import { isList, isMap, type Value } from "../../value/value.js"
import { escapePattern } from "../../value/words.js"
import type { Exchange } from "./exchange.js"

/** Keys of metadata that a server sets. */
const setByServer = ["uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"]

const uid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi
const time = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g
/** Marks of hidden values, as they are and in base64. Their numbers depend on the order of requests. */
const mark = /^(?:\(hidden \d+\)|KGhpZGRlbi[A-Za-z0-9+/]*=*)$/
/** The end of the name of an Event, which clients make of the time. */
const eventSuffix = /\.[0-9a-f]{14,}$/

/** A time in a body counts as one of the run if it is within a day of it. */
const day = 24 * 3600 * 1000

/** Brings the requests of one recording into normal form. */
export class NormalForm {
  /** Matches the names that the server has generated. */
  private readonly generated: RegExp | undefined
  private readonly prefixes: ReadonlyMap<string, string>
  private readonly begin: number
  private readonly end: number

  constructor(exchanges: readonly Exchange[]) {
    const prefixes = new Map<string, string>()
    for (const { verb, body, answer } of exchanges) {
      if (verb !== "create" || body === undefined || !isMap(body) || answer === undefined || !isMap(answer)) continue
      const prefix = metaText(body, "generateName")
      const name = metaText(answer, "name")
      if (prefix !== "" && metaText(body, "name") === "" && name !== "") prefixes.set(name, `${prefix}*`)
    }
    this.prefixes = prefixes
    const names = [...prefixes.keys()].sort((a, b) => b.length - a.length)
    this.generated = names.length === 0 ? undefined : new RegExp(names.map(escapePattern).join("|"), "g")
    const times = exchanges.flatMap(exchange => exchange.time ?? [])
    this.begin = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY) - day
    this.end = times.reduce((most, time) => Math.max(most, time), Number.NEGATIVE_INFINITY) + day
  }

  /** Returns the name of the object: `deployments.apps/status shop/web`. A new object without a name has its generateName there. */
  object({ group, resource, subresource, namespace, name, body }: Exchange): string {
    const metadata = body !== undefined && isMap(body) ? mapAt(body, "metadata") : {}
    const own = name || textAt(metadata, "name")
    const prefix = textAt(metadata, "generateName")
    const called =
      own === "" && prefix !== ""
        ? `${prefix}*`
        : this.text(resource === "events" ? own.replace(eventSuffix, ".*") : own)
    const which = [namespace, called].filter(part => part !== "").join("/")
    return `${resourceTitle({ group, resource, subresource })} ${which}`.trimEnd()
  }

  /** Returns the body; undefined if the request has none. */
  body({ body, resource }: Exchange): Value | undefined {
    if (body === undefined || !isMap(body)) return body === undefined ? undefined : this.value(body)
    const name = metaText(body, "name")
    const named =
      resource === "events" && name !== "" ? withMetadata(body, { name: name.replace(eventSuffix, ".*") }) : body
    const removed = Object.fromEntries(setByServer.map(key => [key, undefined]))
    const hasMetadata = own(named, "metadata") !== undefined
    return this.value(hasMetadata ? withMetadata(named, removed) : named)
  }

  private value(value: Value): Value {
    if (typeof value === "string") return this.text(value)
    if (isList(value)) return value.map(item => this.value(item))
    if (!isMap(value)) return value
    const copy: Record<string, Value> = {}
    for (const [key, child] of Object.entries(value)) {
      const isVersion = key === "resourceVersion" && typeof child === "string" && child !== ""
      put(copy, this.text(key), isVersion ? "<version>" : this.value(child))
    }
    return copy
  }

  private text(text: string): string {
    if (mark.test(text)) return "(hidden)"
    const timed = text.replace(time, found => {
      const at = Date.parse(found)
      return at >= this.begin && at <= this.end ? "<time>" : found
    })
    const named =
      this.generated === undefined ? timed : timed.replace(this.generated, name => this.prefixes.get(name) ?? name)
    return named.replace(uid, "<uid>")
  }
}

/** Returns the name of a resource with its subresource: `deployments.apps/status`. */
export function resourceTitle({
  group,
  resource,
  subresource,
}: Pick<Exchange, "group" | "resource" | "subresource">): string {
  return nameInGroup(resource, group) + (subresource === "" ? "" : `/${subresource}`)
}
