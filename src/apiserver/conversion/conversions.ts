// Converts custom resources by the webhooks of their definitions. The code that converts cannot wait: an object whose conversion is not known
// yet stops the request with a PendingCall, and the request is computed again once the webhook has answered.

import { formatJson, parseJson } from "../../json/json.js"
import { RequestFailure } from "../../kinds/refusal/failure.js"
import type { Resource } from "../../kinds/resource/resource.js"
import { metadataOf, metaText, withMetadata } from "../../schema/metadata.js"
import { listAt, mapAt, textAt, textsAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { quoteGo } from "../../value/quote.js"
import { isMap, type MapValue } from "../../value/value.js"
import { CallFailed, callWebhook, type WebhookClient } from "../../write/admission/webhook-client.js"
import type { Cluster } from "../../write/attributes.js"
import { PendingCall } from "../../write/calls.js"
import type { Endpoint } from "../../write/endpoint.js"

/** An object to convert. */
interface Task {
  readonly key: string
  readonly object: MapValue
  readonly done: () => void
}

/** The objects to convert to one version, which go to the webhook in one review. */
interface Batch {
  readonly resource: Resource
  readonly apiVersion: string
  readonly tasks: Task[]
}

type Answer = { readonly object: MapValue } | { readonly error: string }

/** How many answers are kept. */
const mostAnswers = 20_000

/** The conversions of a server. */
export class Conversions {
  private readonly client: WebhookClient
  private readonly cluster: Cluster
  /** Answers by version and object. */
  private readonly answers = new Map<string, Answer>()
  private readonly batches = new Map<string, Batch>()
  private waiting = 0

  constructor(client: WebhookClient, cluster: Cluster) {
    this.client = client
    this.cluster = cluster
  }

  /** Returns the object at a version. Throws a PendingCall if the webhook has to be asked, and a RequestFailure if that has failed. */
  convert(resource: Resource, object: MapValue, apiVersion: string): MapValue {
    if (own(object, "apiVersion") === apiVersion) return object
    // The webhook doesn't see the changes that a write makes at its end.
    const sent = withMetadata(object, { managedFields: undefined, resourceVersion: undefined })
    const key = `${resource.kind} ${apiVersion} ${formatJson(sent)}`
    const known = this.answers.get(key)
    if (known === undefined) throw new PendingCall(this.ask(resource, sent, apiVersion, key))
    if ("error" in known) {
      // The next request asks again.
      this.answers.delete(key)
      const from = `${textAt(object, "apiVersion")}, Kind=${resource.kind}`
      throw new RequestFailure(500, `conversion webhook for ${from} ${known.error}`)
    }
    return withOwnMetadata(known.object, object)
  }

  /** Converts stored objects, in one review. */
  async prepare(endpoint: Endpoint, stored: readonly MapValue[]): Promise<void> {
    const arrivals = stored.flatMap(object => {
      try {
        endpoint.view(object)
        return []
      } catch (error) {
        if (error instanceof PendingCall) return [error.arrival]
        throw error
      }
    })
    this.waiting++
    await Promise.all(arrivals)
    this.waiting--
    for (const object of stored) endpoint.view(object)
  }

  /** Enters an object into the next review. Resolves when the webhook has answered. */
  private ask(resource: Resource, object: MapValue, apiVersion: string, key: string): Promise<void> {
    const id = `${resource.group} ${resource.kind} ${apiVersion}`
    let batch = this.batches.get(id)
    if (batch === undefined) {
      batch = { resource, apiVersion, tasks: [] }
      this.batches.set(id, batch)
      queueMicrotask(() => {
        this.batches.delete(id)
        void this.send(batch as Batch)
      })
    }
    const { tasks } = batch
    return new Promise(done => void tasks.push({ key, object, done }))
  }

  private async send({ resource, apiVersion, tasks }: Batch): Promise<void> {
    if (this.waiting === 0 && this.answers.size > mostAnswers) this.answers.clear()
    const objects = tasks.map(({ object }) => object)
    let converted: readonly MapValue[] = []
    let failure: string | undefined
    try {
      converted = await this.review(resource, apiVersion, objects)
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error
      failure = error.message
    }
    for (const [index, { key, done }] of tasks.entries()) {
      const object = converted[index]
      this.answers.set(key, object === undefined ? { error: failure ?? "failed" } : { object })
      done()
    }
  }

  /** Returns the converted objects. Throws a CallFailed with a server's words. */
  private async review(
    resource: Resource,
    apiVersion: string,
    objects: readonly MapValue[],
  ): Promise<readonly MapValue[]> {
    const definition = resource.custom?.definition ?? {}
    const webhook = mapAt(mapAt(mapAt(definition, "spec"), "conversion"), "webhook")
    const version = textsAt(webhook, "conversionReviewVersions").find(each => each === "v1" || each === "v1beta1")
    if (version === undefined) throw new CallFailed("failed: no supported conversion review versions")
    const uid = this.client.newUid?.() ?? crypto.randomUUID()
    const sent: MapValue = {
      kind: "ConversionReview",
      apiVersion: `apiextensions.k8s.io/${version}`,
      request: { uid, desiredAPIVersion: apiVersion, objects: parseJson(formatJson(objects)) },
    }
    const answered = await this.call(metaText(definition, "name"), mapAt(webhook, "clientConfig"), sent)
    const failed = (why: string) => new CallFailed(`failed: ${why}`)
    const response = own(answered, "response")
    if (!isMap(response)) throw failed("no response provided")
    const given = textAt(response, "uid")
    if (given !== uid) throw failed(`expected response.uid=${quoteGo(uid)}, got ${quoteGo(given)}`)
    const result = mapAt(response, "result")
    const status = textAt(result, "status")
    const isPlain = own(response, "result") === undefined && own(response, "convertedObjects") !== undefined
    if (status !== "Success" && !isPlain) {
      throw failed(textAt(result, "message") || `response.result.status was '${status}', not 'Success'`)
    }
    const converted = listAt(response, "convertedObjects").filter(isMap)
    if (converted.length !== objects.length) {
      throw new CallFailed(`returned ${converted.length} objects, expected ${objects.length}`)
    }
    for (const [index, object] of converted.entries()) {
      const [expected, received] = [apiVersion, textAt(object, "apiVersion")]
      if (expected === received) continue
      const why = `invalid groupVersion (expected ${expected}, received ${received})`
      throw new CallFailed(`returned invalid converted object at index ${index}: ${why}`)
    }
    return converted
  }

  private async call(name: string, clientConfig: MapValue, review: MapValue): Promise<MapValue> {
    try {
      return await callWebhook(this.client, this.cluster, name, clientConfig, 30, review)
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error
      throw new CallFailed(`failed: ${error.message.replace(/^failed to call webhook: /, "")}`)
    }
  }
}

/** Returns a converted object with the metadata of the original. A webhook may change only labels and annotations. */
function withOwnMetadata(converted: MapValue, original: MapValue): MapValue {
  const { labels, annotations } = metadataOf(converted)
  return withMetadata({ ...converted, metadata: metadataOf(original) }, { labels, annotations })
}
