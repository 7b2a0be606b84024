// The law of `plan`: it predicts a server's answer to the same apply with dryRun=All, whatever the request.
import { type ApiServer, createApiServer } from "../../../src/apiserver/index.js"
import { formatJson, parseJson } from "../../../src/json/json.js"
import type { Kinds } from "../../../src/kinds/kinds.js"
import { kubernetes } from "../../../src/kinds/kubernetes.js"
import { noSuchResource } from "../../../src/kinds/refusal/failure.js"
import { loadCel } from "../../../src/kinds/rules/library.js"
import { metadataOf, metaText, withMetadata } from "../../../src/schema/metadata.js"
import { loadAdmission } from "../../../src/tools/ownership/admission.js"
import { type Plan, type PlanRequest, plan } from "../../../src/tools/ownership/plan.js"
import { own } from "../../../src/value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../../src/value/value.js"
import type { Admission } from "../../../src/write/attributes.js"
import { Random } from "../../fuzz/random.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { admissionWebhooks, configuredAdmission } from "./server-admission.js"
import { definitions, type ServedKind, servedKinds } from "./server-kinds.js"

/** The number of cases, and the violations. */
export interface Verdict {
  /** The number of applies. */
  applies: number
  /** The number of plans with each outcome; for refusals, with each code. */
  readonly outcomes: Record<string, number>
  /** The number of causes with each reason. */
  readonly reasons: Record<string, number>
  readonly broken: string[]
}

/** Checks the law on `count` stories, beginning with number `first`. */
export async function checkServerLaws(seed: number, first: number, count: number): Promise<Verdict> {
  await loadCel()
  const verdict: Verdict = { applies: 0, outcomes: {}, reasons: {}, broken: [] }
  const types = kubernetes.with(definitions)
  let world = await worldOf(types)
  for (let number = first; number < first + count; number++) {
    const report = (problem: string) => verdict.broken.push(`story ${number} of seed ${seed}, ${problem}`)
    if (number % 50 === 0) world = await worldOf(types) // Servers get slower with the objects of earlier stories.
    await new Story(number, new Random(seed, "server", number), world, verdict, report).run()
  }
  return verdict
}

/** A server for several stories, its time, and the kinds that it serves. */
interface World {
  readonly time: { now: number }
  readonly server: ApiServer
  readonly types: Kinds
  readonly admission: Admission
}

async function worldOf(types: Kinds): Promise<World> {
  const time = { now: Date.parse("2026-01-01T00:00:00Z") }
  const server = createApiServer({
    clock: () => new Date(time.now),
    crds: definitions,
    objects: configuredAdmission,
    webhooks: admissionWebhooks,
  })
  // The plans see the policies, limits, quotas and classes of the server, whoever has stored them.
  const known = { version: "", objects: [] as readonly MapValue[] }
  const current = () => {
    const version = server.resourceVersion
    if (known.version !== version) Object.assign(known, { version, objects: server.snapshot() })
    return known.objects
  }
  const admission = (await loadAdmission({ objects: [], webhooks: admissionWebhooks })).with(current)
  return { time, types, server, admission }
}

interface Answer {
  readonly status: number
  readonly body: MapValue
}

/** One object with several managers. */
class Story {
  private readonly kind: ServedKind
  private readonly name: string
  private step = 0

  constructor(
    number: number,
    private readonly random: Random,
    private readonly world: World,
    private readonly verdict: Verdict,
    private readonly report: (problem: string) => void,
  ) {
    this.kind = random.pick(servedKinds)
    this.name = `a${number}`
  }

  async run(): Promise<void> {
    const { random, world } = this
    for (const steps = random.between(3, 8); this.step < steps; this.step++) {
      world.time.now += random.pick([0, 1_000, 60_000])
      await random.weighted<() => Promise<unknown>>([
        [8, () => this.apply()],
        [2, () => this.update()],
        [1, () => this.patch()],
        [0.5, () => this.resetOwners()],
        [0.4, () => this.request("DELETE", this.path())],
      ])()
    }
  }

  /** Compares the plan of an apply with the server's answer to a dry run, then mostly applies it. */
  private async apply(): Promise<void> {
    const { random, kind, verdict } = this
    const live = await this.live()
    const apiVersion =
      random.chance(0.12) && kind.otherVersions.length > 0 ? random.pick(kind.otherVersions) : kind.apiVersion
    const subresource = random.chance(0.12) ? "status" : ""
    // A body has sorted keys, and problems are listed in the order of keys.
    const config = deepFreeze(parseJson(formatJson(this.configOf(apiVersion, subresource, live)))) as MapValue
    const manager = random.pick(["me", "me", "you", "kubectl", random.chance(0.05) ? "x".repeat(129) : "me"])
    const force = random.chance(0.5)
    const query = `fieldManager=${manager}&force=${force}`
    const path = this.path(subresource, apiVersion)
    const made = this.planned(live, config, { manager, force, subresource })
    if (made === undefined) return
    const answer = await this.request("PATCH", `${path}?${query}&dryRun=All`, config, applyPatch)
    verdict.applies++
    count(verdict, made, answer.status)
    const problem = difference(made, answer, await this.live(apiVersion))
    if (problem !== undefined) {
      const asked = `${manager}${force ? " by force" : ""} ${subresource} ${formatJson(config)}`
      this.report(`step ${this.step}: ${problem}\n  applied: ${asked}\n  live: ${formatJson(live ?? null)}`)
    }
    if (random.chance(0.75))
      await this.checkStored(live, made, () => this.request("PATCH", `${path}?${query}`, config, applyPatch))
  }

  private planned(
    live: MapValue | undefined,
    config: MapValue,
    asked: Pick<PlanRequest, "manager" | "force" | "subresource">,
  ): Plan | undefined {
    const { types, time, admission } = this.world
    try {
      return plan(live, config, { ...asked, types, unions: "off", clock: () => new Date(time.now), admission })
    } catch (error) {
      this.report(`step ${this.step}: plan throws ${(error as Error).stack}\n  applied: ${formatJson(config)}`)
      return undefined
    }
  }

  /** Checks that storage changes if and only if the plan says so. */
  private async checkStored(live: MapValue | undefined, made: Plan, send: () => Promise<Answer>): Promise<void> {
    await send()
    const now = await this.live()
    const isWritten = versionOf(now) !== versionOf(live)
    const isPlanned = made.outcome === "create" || made.outcome === "change"
    if (isWritten !== isPlanned)
      this.report(`step ${this.step}: ${made.outcome}, and storage ${isWritten ? "changes" : "stays"}`)
  }

  private configOf(apiVersion: string, subresource: string, live: MapValue | undefined): MapValue {
    const { random, kind } = this
    const content = kind.content(random)
    const whole = this.named({ ...content, apiVersion }, true)
    const status = kind.status !== undefined && (subresource === "status" || random.chance(0.05))
    const given = status
      ? { ...(random.chance(0.3) ? whole : only(whole)), status: kind.status?.(random) ?? null }
      : whole
    const parted = random.chance(0.2) ? part(random, given) : given
    const spoiled = random.chance(0.35) ? spoil(random, parted) : parted
    const config = this.named(spoiled, live === undefined || random.chance(0.8))
    if (random.chance(0.96)) return config
    return withMetadata(
      config,
      random.pick<MapValue>([
        { uid: random.pick([metaText(live ?? {}, "uid"), "another"]) },
        { resourceVersion: random.pick(["0", "1", metaText(live ?? {}, "resourceVersion")]) },
        { generation: 7, creationTimestamp: "2020-01-01T00:00:00Z" },
      ]),
    )
  }

  /** Replaces the object as another manager, or creates it. */
  private async update(): Promise<void> {
    const { random, kind } = this
    const live = await this.live()
    const content = kind.content(random)
    const to = random.chance(0.3) && kind.status !== undefined ? "status" : ""
    const status = kind.status === undefined ? {} : { status: kind.status(random) }
    const next: MapValue = this.named({ ...live, ...content, ...status, apiVersion: kind.apiVersion }, true)
    const query = `fieldManager=${random.pick(["ci", "you"])}`
    if (live === undefined) await this.request("POST", `${this.collection()}?${query}`, next)
    else {
      const kept = withMetadata(next, { ...metadataOf(live), ...metadataOf(next) })
      await this.request("PUT", `${this.path(to)}?${query}`, kept)
    }
  }

  private async patch(): Promise<void> {
    const body = part(this.random, this.kind.content(this.random))
    await this.request("PATCH", `${this.path()}?fieldManager=ops`, body, "application/merge-patch+json")
  }

  private async resetOwners(): Promise<void> {
    const body = { metadata: { managedFields: [{}] } }
    await this.request("PATCH", this.path(), body, "application/merge-patch+json")
  }

  private async live(apiVersion = this.kind.apiVersion): Promise<MapValue | undefined> {
    const { status, body } = await this.request("GET", this.path("", apiVersion))
    return status === 200 ? (deepFreeze(body) as MapValue) : undefined
  }

  private async request(method: string, path: string, value?: MapValue, type = "application/json"): Promise<Answer> {
    const init = value === undefined ? {} : { body: formatJson(value), headers: { "content-type": type } }
    const response = await this.world.server.fetch(new Request(`http://test${path}`, { method, ...init }))
    const text = await response.text()
    // A server answers with plain text where it has no such group. Clients report that with this Status.
    const body = response.status === 404 && text === "404 page not found\n" ? noSuchResource().status : parseJson(text)
    return { status: response.status, body: body as MapValue }
  }

  /** The object with the name of the story and, if `says`, its namespace. */
  private named(object: MapValue, says: boolean): MapValue {
    const { kind } = this.kind
    const namespace = this.resource.namespaced && says ? "default" : undefined
    return withMetadata({ ...object, kind, metadata: metadataOf(object) }, { name: this.name, namespace })
  }

  private get resource(): { readonly plural: string; readonly namespaced: boolean } {
    const found = this.world.types.resource(this.kind)
    if (found === undefined) throw new Error(`${this.kind.apiVersion} ${this.kind.kind} is not served`)
    return found
  }

  private collection(apiVersion = this.kind.apiVersion): string {
    const { plural, namespaced } = this.resource
    return `${apiVersion.includes("/") ? "/apis" : "/api"}/${apiVersion}/${namespaced ? "namespaces/default/" : ""}${plural}`
  }

  private path(subresource = "", apiVersion = this.kind.apiVersion): string {
    return `${this.collection(apiVersion)}/${this.name}${subresource === "" ? "" : `/${subresource}`}`
  }
}

const applyPatch = "application/apply-patch+yaml"

function versionOf(object: MapValue | undefined): string {
  return object === undefined ? "" : metaText(object, "resourceVersion")
}

function count({ outcomes, reasons }: Verdict, { outcome, refusal }: Plan, code: number): void {
  const name = outcome === "refused" ? `refused with ${code}` : outcome
  outcomes[name] = (outcomes[name] ?? 0) + 1
  for (const { reason } of refusal?.causes ?? []) reasons[reason] = (reasons[reason] ?? 0) + 1
}

/** The difference between the plan and the answer; undefined if they agree. `live` is at the version of the configuration. */
function difference(made: Plan, { status, body }: Answer, live: MapValue | undefined): string | undefined {
  const refuses = made.status !== undefined
  if (status >= 300 || refuses) {
    const said = [(made.status ?? {}) as unknown as Value, body].map(formatJson)
    const [planned, answered] = live === undefined ? said.map(unnumbered) : said
    return refuses && planned === answered
      ? undefined
      : `the plan is ${made.outcome} ${planned}, the answer ${answered}`
  }
  const [planned, answered] = [made.object, live === undefined ? unborn(body) : body].map((object, index, [plan]) =>
    formatJson(index === 0 ? object : unallocated(object as MapValue, plan as MapValue)),
  )
  if (planned !== answered) return `the plan makes ${planned}\n  the server ${answered}`
  const outcome = live === undefined ? "create" : formatJson(body) === formatJson(live) ? "unchanged" : "change"
  return outcome === made.outcome ? undefined : `the outcome is ${made.outcome}, not ${outcome}`
}

/** A new object without metadata that only a server knows; a new Job also without its uid in labels. */
function unborn(object: MapValue): MapValue {
  const uid = metaText(object, "uid")
  const known = withMetadata(object, { uid: undefined, creationTimestamp: undefined, resourceVersion: undefined })
  return own(object, "kind") === "Job" ? (parseJson(formatJson(known).replaceAll(uid, "")) as MapValue) : known
}

/** The text of a refusal without the uids in the labels of a new Job, which the server adds before it refuses the Job. */
function unnumbered(refusal: string): string {
  return refusal.replace(/(controller-uid\\":\\")[0-9a-f-]{36}/g, "$1")
}

/** A Service without the addresses and ports that it has just received. */
function unallocated(service: MapValue, planned: MapValue): MapValue {
  const [spec, known] = [own(service, "spec"), own(planned, "spec")]
  if (own(service, "kind") !== "Service" || !isMap(spec) || !isMap(known)) return service
  const next: Record<string, Value> = { ...spec }
  for (const key of ["clusterIP", "clusterIPs"]) if (own(known, key) === undefined) delete next[key]
  const ports = own(known, "ports")
  if (isList(spec.ports) && isList(ports)) {
    next.ports = spec.ports.map((port, index) => {
      const { nodePort, ...rest } = port as MapValue
      return own(ports[index] as MapValue, "nodePort") === undefined ? rest : port
    })
  }
  return { ...service, spec: next }
}

function only({ apiVersion = "", kind = "", metadata = {} }: MapValue): MapValue {
  return { apiVersion, kind, metadata }
}

/** A random part of the object: each field of a map stays with a certain chance. */
function part(random: Random, object: MapValue): MapValue {
  const cut = (value: Value, depth: number): Value =>
    isMap(value) && depth < 3
      ? Object.fromEntries(
          Object.entries(value).flatMap(([key, inner]) => (random.chance(0.75) ? [[key, cut(inner, depth + 1)]] : [])),
        )
      : value
  return { ...(cut(object, 0) as MapValue), apiVersion: object.apiVersion ?? "" }
}

/** The object with one wrong or odd value somewhere. */
function spoil(random: Random, object: MapValue): MapValue {
  const spoiled = (value: Value, depth: number): Value => {
    const keys = isMap(value)
      ? Object.keys(value).filter(key => depth > 0 || !["apiVersion", "kind"].includes(key))
      : []
    if (isMap(value) && keys.length > 0 && !(depth > 0 && random.chance(0.15))) {
      const key = random.pick(keys)
      return { ...value, [key]: spoiled(value[key] as Value, depth + 1) }
    }
    if (isList(value) && value.length > 0 && random.chance(0.7)) {
      const at = random.below(value.length)
      return value.map((item, index) => (index === at ? spoiled(item, depth + 1) : item))
    }
    return depth === 0 ? value : odd(random, value)
  }
  return spoiled(object, 0) as MapValue
}

function odd(random: Random, value: Value): Value {
  const texts = ["", "Bad Value!", "-x", "a".repeat(300), "2026-01-01T00:00:00Z", "1Gi", "10%", "0"]
  if (isMap(value)) {
    return random.pick<Value>([{}, null, { ...value, unheardOf: 1 }, [value], "map", without(random, value)])
  }
  if (isList(value)) return random.pick<Value>([[], null, [...value, ...value], value.slice(1), value.toReversed(), {}])
  if (typeof value === "number") return random.pick<Value>([-1, 0, 70_000, 2 ** 40, 1.5, null, String(value)])
  if (typeof value === "boolean") return random.pick<Value>([!value, null, "true"])
  return random.pick<Value>([...texts, null, 3, { a: 1 }])
}

function without(random: Random, map: MapValue): MapValue {
  const gone = random.pick([...Object.keys(map), ""])
  return Object.fromEntries(Object.entries(map).filter(([key]) => key !== gone))
}
