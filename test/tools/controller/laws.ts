// The law of an Applier: it sends every apply whose dry run by the server would change the object, whatever the story.
import { type ApiServer, createApiServer } from "../../../src/apiserver/index.js"
import { formatJson, parseJson } from "../../../src/json/json.js"
import { readManagedFields } from "../../../src/managedfields/index.js"
import { metaText, withMetadata } from "../../../src/schema/metadata.js"
import { type Applied, Applier, type ApplierApplyOptions, sendByFetch } from "../../../src/tools/controller/index.js"
import { compareStrings } from "../../../src/value/compare.js"
import { isList, isMap, type MapValue, type Value } from "../../../src/value/value.js"
import { mergePatch } from "../../../src/write/patches/merge-patch.js"
import { Random } from "../../fuzz/random.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { allKinds, definition, type Kind, kinds, metadata, resetFields, types } from "./kinds.js"

/** The number of cases, and the violations. */
export interface Verdict {
  /** The number of applies with each reason, and of those sent for nothing or refused. */
  readonly reasons: Record<string, { applies: number; forNothing: number; refused: number }>
  readonly broken: string[]
}

/** Checks the law on `count` stories, beginning with number `first`. */
export async function checkLaws(seed: number, first: number, count: number): Promise<Verdict> {
  const verdict: Verdict = { reasons: {}, broken: [] }
  let world = worldOf()
  for (let number = first; number < first + count; number++) {
    const report = (problem: string) => verdict.broken.push(`story ${number} of seed ${seed}, ${problem}`)
    if (number % 50 === 0) world = worldOf() // Servers get slower with the objects of earlier stories.
    await new Story(number, new Random(seed, "applier", number), world, verdict, report).run()
  }
  return verdict
}

/** The object with its owners in an order that does not depend on times, and without the times. */
function withoutTimes(object: Value): Value {
  if (!isMap(object)) return object
  const entries = readManagedFields(object) ?? []
  const timeless = entries.map(({ time: _, ...entry }) => entry)
  const ordered = timeless.toSorted((a, b) => compareStrings(formatJson({ ...a }), formatJson({ ...b })))
  return withMetadata(object, { managedFields: ordered as unknown as Value })
}

/** Servers for several stories, and their time. */
interface World {
  readonly time: { now: number }
  readonly plain: ApiServer
  readonly withWebhook: ApiServer
}

function worldOf(): World {
  const time = { now: Date.parse("2026-01-01T00:00:00Z") }
  const options = { clock: () => new Date(time.now), crds: [definition] }
  return { time, plain: createApiServer(options), withWebhook: createApiServer({ ...options, admit: webhook }) }
}

const minute = 60_000
const applyPatch = "application/apply-patch+yaml"

/** One object that the Applier and others write. */
class Story {
  private readonly kind: Kind
  private readonly server: ApiServer
  private readonly applier: Applier
  private readonly manager: string
  private readonly name: string
  private config: MapValue
  /** The fourth action on conflicts. */
  private readonly ifNot: "fail" | "report"
  /** States of the object that an informer may still hold. */
  private readonly seen: MapValue[] = []
  /** The resourceVersion of the last answer to the Applier. */
  private answered = 0

  constructor(
    number: number,
    private readonly random: Random,
    private readonly world: World,
    private readonly verdict: Verdict,
    private readonly report: (problem: string) => void,
  ) {
    this.name = `a${number}`
    this.ifNot = number % 7 === 5 ? "report" : "fail"
    this.kind = random.pick(kinds)
    this.server = random.chance(0.3) ? world.withWebhook : world.plain
    const clock = () => new Date(world.time.now)
    this.manager = random.pick(["me", "me", "kubectl"])
    const send = sendByFetch("http://test", { fetch: this.server.fetch })
    this.applier = new Applier({
      ...{ manager: this.manager, types: number % 2 === 0 ? types : allKinds, send, clock },
      ...(this.kind.kind === "Shop" && random.chance(0.7) && { resetFields }),
      ...(random.chance(0.1) && { recheckAfter: Infinity }),
    })
    this.config = this.object()
  }

  async run(): Promise<void> {
    const { random } = this
    for (let steps = random.between(4, 12); steps > 0; steps--) {
      this.world.time.now += random.pick([0, 1_000, minute, 11 * minute, 61 * minute])
      const step = random.weighted<() => Promise<unknown>>([
        [10, () => this.apply()],
        [3, () => this.otherApply()],
        [3, () => this.otherUpdate()],
        [2, () => this.otherPatch()],
        [1, () => this.statusUpdate()],
        [1, () => this.clientSideApply()],
        [0.5, () => this.reset()],
        [0.3, () => this.request("DELETE", this.path())],
      ])
      await step()
    }
    await this.apply()
  }

  /** Applies with the Applier: the last configuration or another one. */
  private async apply(): Promise<void> {
    const { random } = this
    if (random.chance(0.35)) this.config = this.edited(this.config)
    else if (random.chance(0.05)) this.config = this.object()
    const live = await this.live()
    const known = live !== undefined && this.seen.length > 0 && random.chance(0.2) ? random.pick(this.seen) : live
    const { config, options } = this.asked()
    if (live !== undefined) this.seen.push(live)
    const made = await this.applier.apply(known, config, options).catch((error: unknown) => error as Error)
    if (made instanceof Error) {
      if (made.name !== "RefusedError") this.report(`it throws ${made.stack}`)
      this.answered = Number.POSITIVE_INFINITY
      return this.count(isKnown(known) ? "refused" : "create", "refused")
    }
    this.count(made.reason, made.sent && versionOf(made.object) === versionOf(known) ? "forNothing" : undefined)
    if (made.sent) this.answered = Number(versionOf(made.object))
    else if (known === live) await this.check(live, config, options, made)
    else if (made.reason !== "conflict" && Number(versionOf(known)) < this.answered)
      this.report(`by an old object it is ${made.reason}`)
  }

  /** A configuration: mostly for the whole object, sometimes for the status. */
  private asked(): { readonly config: MapValue; readonly options: ApplierApplyOptions } {
    const { random, kind, config } = this
    const force = random.chance(0.5)
    const onConflict = random.pick(["relinquish", "share", "overwrite", this.ifNot] as const)
    const options = { force, ...(random.chance(0.5) && { onConflict }) }
    if (kind.status === undefined || random.chance(0.8)) return { config: deepFreeze(config) as MapValue, options }
    const status = deepFreeze({ ...this.named(), status: kind.status(random) }) as MapValue
    return { config: status, options: { ...options, ...(random.chance(0.8) && { subresource: "status" }) } }
  }

  /** Checks that an apply that was not sent would have changed nothing, or would have been refused. */
  private async check(
    live: MapValue | undefined,
    given: MapValue,
    { force = false, subresource = "" }: ApplierApplyOptions,
    { reason, resolution }: Applied,
  ): Promise<void> {
    const config = resolution?.config ?? given
    const query = `fieldManager=${this.manager}&force=${resolution?.force ?? force}&dryRun=All`
    const path = this.path(subresource)
    const { status, body } = await this.request("PATCH", `${path}?${query}`, config, applyPatch)
    // A server may store a repeated apply with a new time. The entry then moves behind others of the same second.
    const told = reason === "remembered" ? withoutTimes : (object: Value) => object
    if (status < 300 && formatJson(told(body)) !== formatJson(told(live ?? null))) {
      this.report(
        `${reason}, but a server would change ${formatJson(live ?? null)}\nto ${formatJson(body)}\nby ${formatJson(config)}`,
      )
    }
  }

  private count(reason: string, what?: "forNothing" | "refused"): void {
    const row = (this.verdict.reasons[reason] ??= { applies: 0, forNothing: 0, refused: 0 })
    row.applies++
    if (what !== undefined) row[what]++
  }

  private async otherApply(): Promise<void> {
    const config = this.edited(this.config)
    const query = `fieldManager=${this.random.pick(["other", "argo"])}&force=${this.random.chance(0.7)}`
    await this.request("PATCH", `${this.path("", this.version())}?${query}`, this.atVersion(config), applyPatch)
  }

  private async otherUpdate(): Promise<void> {
    const live = await this.live()
    if (live === undefined) return
    await this.request(
      "PUT",
      `${this.path()}?fieldManager=${this.random.pick(["editor", this.manager])}`,
      this.edited(live),
    )
  }

  private async otherPatch(): Promise<void> {
    const patch = this.edited({ ...this.named() })
    const path = `${this.path("", this.version())}?fieldManager=patcher`
    await this.request("PATCH", path, this.atVersion(patch), "application/merge-patch+json")
  }

  private async statusUpdate(): Promise<void> {
    const { status } = this.kind
    if (status === undefined) return
    const body = { status: status(this.random) }
    await this.request("PATCH", `${this.path("status")}?fieldManager=kcm`, body, "application/merge-patch+json")
  }

  private async clientSideApply(): Promise<void> {
    const config = this.edited(this.config)
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": formatJson(config) }
    const live = await this.live()
    const query = "fieldManager=kubectl-client-side-apply"
    const next = mergePatch(live ?? {}, mergePatch(config, { metadata: { annotations } })) as MapValue
    if (live === undefined) await this.request("POST", `${this.collection()}?${query}`, next)
    else await this.request("PUT", `${this.path()}?${query}`, next)
  }

  /** Makes the server forget all owners. */
  private async reset(): Promise<void> {
    const patch = { metadata: { managedFields: [{}] } }
    await this.request("PATCH", this.path(), patch, "application/merge-patch+json")
  }

  private async live(): Promise<MapValue | undefined> {
    const { status, body } = await this.request("GET", this.path())
    return status === 200 ? (deepFreeze(body) as MapValue) : undefined
  }

  private async request(
    method: string,
    path: string,
    value?: MapValue,
    type = "application/json",
  ): Promise<{ readonly status: number; readonly body: MapValue }> {
    const init = value === undefined ? {} : { body: formatJson(value), headers: { "content-type": type } }
    const response = await this.server.fetch(new Request(`http://test${path}`, { method, ...init }))
    return { status: response.status, body: parseJson(await response.text()) as MapValue }
  }

  private named(): MapValue {
    const { apiVersion, kind } = this.kind
    return { apiVersion, kind, metadata: { name: this.name } }
  }

  private object(): MapValue {
    return {
      ...this.named(),
      metadata: { name: this.name, ...metadata(this.random) },
      ...this.kind.content(this.random),
    }
  }

  /** The object with some parts exchanged for those of another random object, or removed. */
  private edited(object: MapValue): MapValue {
    const { random } = this
    const other = this.object()
    const edit = (value: Value | undefined, by: Value | undefined): Value | undefined => {
      if (!isMap(value) || !isMap(by)) return random.chance(0.3) ? by : value
      const out: Record<string, Value> = {}
      for (const key of new Set([...Object.keys(value), ...Object.keys(by)])) {
        const next = edit(value[key], by[key])
        if (next !== undefined) out[key] = next
      }
      return out
    }
    const made = { ...object, ...(edit(object, other) as MapValue) }
    const keep = { name: this.name, uid: metaText(object, "uid"), resourceVersion: metaText(object, "resourceVersion") }
    const kept = Object.fromEntries(Object.entries(keep).filter(([, value]) => value !== ""))
    return withMetadata({ ...made, ...this.named(), metadata: made.metadata as MapValue }, kept)
  }

  private version(): string {
    const { apiVersion, otherVersions } = this.kind
    this.written = this.random.chance(0.2) && otherVersions.length > 0 ? this.random.pick(otherVersions) : apiVersion
    return this.written
  }
  private written = ""

  private atVersion(object: MapValue): MapValue {
    return { ...object, apiVersion: this.written }
  }

  private collection(apiVersion = this.kind.apiVersion): string {
    return `${apiVersion.includes("/") ? "/apis" : "/api"}/${apiVersion}/namespaces/default/${this.kind.plural}`
  }

  private path(subresource = "", apiVersion = this.kind.apiVersion): string {
    return `${this.collection(apiVersion)}/${this.name}${subresource === "" ? "" : `/${subresource}`}`
  }
}

function isKnown(live: MapValue | undefined): boolean {
  return live !== undefined
}

function versionOf(object: MapValue | undefined): string {
  return object === undefined ? "" : metaText(object, "resourceVersion")
}

/** A webhook that exists from the start: it changes images and adds missing fields, whoever writes. */
function webhook({ object }: { readonly object: MapValue }): MapValue {
  const labelled = withMetadata(object, { labels: { ...labelsOf(object), injected: "yes" } })
  return pinned(labelled) as MapValue
}

function labelsOf({ metadata }: MapValue): MapValue {
  const labels = isMap(metadata) ? metadata.labels : undefined
  return isMap(labels) ? labels : {}
}

function pinned(value: Value): Value {
  if (value === "web:2") return "web@sha256:2"
  if (isList(value)) return value.map(pinned)
  if (!isMap(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === "managedFields" ? inner : pinned(inner)]),
  )
}
