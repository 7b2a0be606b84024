// One of the clients of a load test that create, update, patch, apply and delete objects at random.
import type { MapValue } from "../../../src/value/value.js"
import type { Random } from "../../fuzz/random.js"
import type { Answer, Client } from "./client.js"
import { configMapOf, groups, type History, namespaceOf, stateOf } from "./world.js"

export class Writer {
  /** The number of requests that changed something, and of requests that lost a race against other writers. */
  writes = 0
  lost = 0
  /** The number of requests that a fault refused, and of those whose response was lost: the server may have carried them out. */
  refusedByFault = 0
  unanswered = 0
  private readonly client: Client
  private readonly history: History
  private readonly random: Random
  private readonly objects: number
  private readonly faults: boolean
  private step = 0

  /** With `faults`, refusals and lost connections are not reported. */
  constructor(client: Client, history: History, objects: number, random: Random, faults = false) {
    this.client = client
    this.faults = faults
    this.history = history
    this.objects = objects
    this.random = random
  }

  /** Creates this object with the two managers of later updates and applies, so its managedFields do not grow any more. */
  async createWhole(index: number): Promise<void> {
    await this.create(index)
    await this.apply(index)
  }

  private async create(index: number): Promise<void> {
    const body = configMapOf(index, this.random.below(groups), this.step++)
    this.took(await this.client.send("POST", collectionOf(index), body))
  }

  /** Sends a random request to a random object. */
  async write(): Promise<void> {
    try {
      await this.writeAny()
    } catch (error) {
      if (!this.faults) throw error
      this.unanswered++
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }

  private async writeAny(): Promise<void> {
    const index = this.random.below(this.objects)
    const path = `${collectionOf(index)}/object-${index}`
    const kind = this.random.below(20)
    this.step++
    if (kind < 2) this.wasDeleted(await this.client.send("DELETE", path))
    else if (kind < 4) await this.create(index)
    else if (kind < 9) await this.update(path)
    else if (kind < 14) {
      const group = String(this.random.below(groups))
      const patch = { metadata: { labels: { group } }, data: { step: String(this.step) } }
      this.took(await this.client.send("PATCH", path, patch, "application/merge-patch+json"))
    } else await this.apply(index)
  }

  private async apply(index: number): Promise<void> {
    const path = `${collectionOf(index)}/object-${index}?fieldManager=applier&force=true`
    const config = configMapOf(index, this.random.below(groups), this.step++)
    this.took(await this.client.send("PATCH", path, config, "application/apply-patch+yaml"))
  }

  private async update(path: string): Promise<void> {
    const { status, body } = await this.client.send("GET", path)
    if (status !== 200) this.refused(status, body)
    else this.took(await this.client.send("PUT", path, { ...body, data: { step: String(this.step) } }))
  }

  private took({ status, body }: Answer): void {
    if (status === 200 || status === 201) {
      this.writes++
      this.history.written(stateOf(body))
    } else this.refused(status, body)
  }

  private wasDeleted({ status, body }: Answer): void {
    if (status === 200) {
      this.writes++
      this.history.acknowledgedDeletion(String((body.details as MapValue).uid))
    } else this.refused(status, body)
  }

  private refused(status: number, body: MapValue): void {
    if (status === 404 || status === 409) this.lost++
    else if (this.faults) this.refusedByFault++
    else this.history.problems.push(`a write was answered ${status}: ${String(body.message)}`)
  }
}

function collectionOf(index: number): string {
  return `/api/v1/namespaces/load-${namespaceOf(index)}/configmaps`
}
