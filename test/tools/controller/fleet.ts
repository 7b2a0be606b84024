// A fleet of Deployments that one tool applies again and again while others change them: how many requests does it need?
import { createApiServer } from "../../../src/apiserver/index.js"
import { kubernetesTypes } from "../../../src/kubernetes/index.js"
import { metaText } from "../../../src/schema/metadata.js"
import { Applier, type ApplierOptions, type Reason, sendByFetch } from "../../../src/tools/controller/index.js"
import type { MapValue } from "../../../src/value/value.js"
import { Random } from "../../fuzz/random.js"

/** The requests of a fleet's reconciles. */
export interface Tally {
  readonly reconciles: number
  /** The number of applies that were sent. */
  readonly requests: number
  /** The number of these applies that changed an object. */
  readonly needed: number
  readonly reasons: Readonly<Partial<Record<Reason, number>>>
}

const collection = "/apis/apps/v1/namespaces/default/deployments"

/**
 * Reconciles `objects` objects `rounds` times, once a minute. Of a hundred objects, in that time ten get another status, three another
 * number of replicas, two an annotation, one is edited against its configuration, and one gets a new configuration.
 */
export async function reconcileFleet(
  objects: number,
  rounds: number,
  options: Partial<ApplierOptions> = {},
): Promise<Tally> {
  const random = new Random(1, "fleet", 0)
  let now = Date.parse("2026-01-01T00:00:00Z")
  const clock = () => new Date(now)
  const { fetch } = createApiServer({ clock })
  const send = sendByFetch("http://test", { fetch })
  const applier = new Applier({ manager: "platform", types: kubernetesTypes, send, clock, ...options })
  const images = Array.from({ length: objects }, () => 1)
  const reasons: Partial<Record<Reason, number>> = {}
  let [requests, needed] = [0, 0]

  const list = async () => {
    const { items } = (await (await fetch(new Request(`http://test${collection}`))).json()) as { items: MapValue[] }
    return new Map(items.map(item => [metaText(item, "name"), item]))
  }
  const patch = (i: number, manager: string, body: object, subresource = "") => {
    const headers = { "content-type": "application/merge-patch+json" }
    const path = `${collection}/web-${i}${subresource}?fieldManager=${manager}`
    return fetch(new Request(`http://test${path}`, { method: "PATCH", headers, body: JSON.stringify(body) }))
  }
  const disturb = async (i: number) => {
    const conditions = [{ type: "Available", status: random.pick(["True", "False"]), message: `${random.below(1e6)}` }]
    if (random.chance(0.1)) await patch(i, "kube-controller-manager", { status: { conditions } }, "/status")
    if (random.chance(0.03)) await patch(i, "autoscaler", { spec: { replicas: random.between(1, 9) } })
    if (random.chance(0.02)) await patch(i, "notes", { metadata: { annotations: { seen: `${random.below(1e6)}` } } })
    if (random.chance(0.01)) await patch(i, "kubectl-edit", { spec: { minReadySeconds: random.between(6, 9) } })
    if (random.chance(0.01)) images[i] = (images[i] ?? 0) + 1
  }

  for (let round = 0; round < rounds; round++, now += 60_000) {
    const live = await list()
    for (let i = 0; i < objects; i++) {
      const before = live.get(`web-${i}`)
      const made = await applier.apply(before, deployment(i, images[i] ?? 0), { force: true })
      reasons[made.reason] = (reasons[made.reason] ?? 0) + 1
      if (!made.sent) continue
      requests++
      if (before === undefined || metaText(before, "resourceVersion") !== metaText(made.object, "resourceVersion"))
        needed++
    }
    for (let i = 0; i < objects; i++) await disturb(i)
  }
  return { reconciles: objects * rounds, requests, needed, reasons }
}

/** The configuration of one object. One in ten spells a quantity differently from an API server. */
export function deployment(i: number, image: number): MapValue {
  const labels = { app: `web-${i}` }
  const limits = { memory: i % 10 === 0 ? "1024Mi" : "1Gi" }
  const ports = [{ containerPort: 8080, name: "http" }]
  const web = { name: "web", image: `registry.example/web:${image}`, resources: { limits }, ports }
  const proxy = {
    name: "proxy",
    image: "registry.example/proxy:1",
    env: [{ name: "UPSTREAM", value: "localhost:8080" }],
  }
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: `web-${i}`, labels },
    spec: {
      minReadySeconds: 5,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [web, proxy] } },
    },
  }
}
