// Stories of field managers: appliers with their own configurations, controllers that update existing objects, kubectl before and
// after server-side apply, subresources, resets, more updaters than an object keeps, versions that come and go.
import { emptyMap, isMap, type Json, type JsonMap, mapOf } from "./json.js"
import { lastApplied, randomEntries } from "./kubernetes-entries.js"
import { apiVersionOf, randomSubject, type Subject } from "./kubernetes-subjects.js"
import { edited, overlaid, partOf } from "./object-edits.js"
import type { Random } from "./random.js"
import type { Request } from "./requests.js"
import { ValueMaker } from "./values.js"

export function fieldManagerStory(random: Random): Request {
  return new StoryMaker(random, randomSubject(random)).make()
}

const APPLIERS = ["alice", "bob", "kubectl", "ü<&>", ""]
const UPDATERS = ["kube-controller-manager", "kubelet", "kubectl-edit", "alice", "kubectl-client-side-apply"]
const annotation = "kubectl.kubernetes.io/last-applied-configuration"

class StoryMaker {
  private readonly maker: ValueMaker
  private readonly appliers: readonly string[]
  private readonly updaters: readonly string[]
  private readonly configs = new Map<string, JsonMap>()
  private readonly uid: boolean
  /** A rough copy of the current live object. */
  private state: JsonMap

  constructor(
    private readonly random: Random,
    private readonly subject: Subject,
  ) {
    const mistakes = random.chance(0.08) ? 0.02 : 0
    this.maker = new ValueMaker(random, subject.schema, { mistakes, duplicates: random.chance(0.1) ? 0.3 : 0 })
    this.appliers = random.sample(APPLIERS, random.between(1, 3))
    this.updaters = random.sample(UPDATERS, random.between(1, 2))
    this.uid = random.chance(0.25)
    this.state = mapOf({ apiVersion: this.apiVersion(), kind: subject.kind })
  }

  make(): Request {
    const { random, subject } = this
    const crowded = random.chance(0.08)
    const begin = random.chance(crowded ? 0.6 : 0.15) ? { live: this.planted(this.whole(), crowded ? 13 : 5) } : {}
    const steps = crowded ? this.crowd() : random.chance(0.004) ? this.largeAnnotation() : this.steps()
    return {
      op: "fieldManager",
      ...subject.source,
      gvk: mapOf({ group: subject.group, version: subject.version, kind: subject.kind }),
      ...(random.chance(0.06) && { subresource: "status" }),
      ...(random.chance(0.12) && { resetFields: this.resetFields() }),
      ...(random.chance(0.35) && { versions: this.knownVersions() }),
      ...begin,
      steps,
    }
  }

  private apiVersion(version = this.subject.version): string {
    return apiVersionOf(this.subject.group, version)
  }

  private knownVersions(): Json {
    const { random, subject } = this
    const others = subject.versions.filter(version => version !== subject.version)
    return [subject.version, ...(random.chance(0.7) ? others : [])].map(version => this.apiVersion(version))
  }

  private resetFields(): JsonMap {
    const { random } = this
    const path = random.pick(["f:status", "f:spec", "f:metadata"])
    const set = mapOf({
      [path]: random.chance(0.8) ? emptyMap() : mapOf({ "f:labels": emptyMap(), "f:replicas": emptyMap() }),
    })
    const versions = random.chance(0.85) ? this.subject.versions : ["v0"]
    return mapOf(Object.fromEntries(versions.map(version => [this.apiVersion(version), set])))
  }

  private steps(): JsonMap[] {
    const { random } = this
    const kinds: readonly (readonly [number, () => JsonMap])[] = [
      [40, () => this.apply()],
      [26, () => this.update()],
      [8, () => this.statusUpdate()],
      [6, () => this.clientSideApply()],
      [4, () => this.reset()],
      [4, () => this.replant()],
      [2, () => this.oddStep()],
    ]
    return Array.from({ length: random.between(2, 7) }, () => random.weighted(kinds)())
  }

  /** More updaters than an object keeps, each with its own change. */
  private crowd(): JsonMap[] {
    const { random } = this
    const steps: JsonMap[] = random.chance(0.5) ? [this.apply()] : []
    if (random.chance(0.5)) steps.push(this.replant())
    for (let i = random.between(11, 15); i > 0; i--) {
      const metadata = isMap(this.state.metadata) ? this.state.metadata : emptyMap()
      const labels = mapOf({ ...(isMap(metadata.labels) ? metadata.labels : {}), [`l${i}`]: `${i}` })
      this.state = mapOf({ ...this.state, metadata: mapOf({ ...metadata, labels }) })
      if (random.chance(0.2)) this.change(1)
      const other = random.chance(0.1) ? { apiVersion: this.apiVersion(random.pick(this.subject.versions)) } : {}
      steps.push(this.step("update", `updater-${i}`, mapOf({ ...this.identified(this.state), ...other })))
    }
    if (random.chance(0.5)) steps.push(this.apply())
    return steps
  }

  private step(op: string, manager: string, object: JsonMap, subresource?: string): JsonMap {
    return mapOf({ op, manager, object, ...(subresource !== undefined && { subresource }) })
  }

  private apply(): JsonMap {
    const { random, subject } = this
    const manager = random.pick(this.appliers)
    const before = this.configs.get(manager)
    const config =
      before === undefined || random.chance(0.1)
        ? partOf(random, this.maker, subject.ref, subject.object, random.pick([0.3, 0.6, 0.9]))
        : edited(random, this.maker, subject.ref, before, random.below(4))
    const object = this.identified(this.withoutServerFields(config))
    this.configs.set(manager, object)
    this.state = overlaid(this.state, object) as JsonMap
    const op = random.chance(0.3) ? "forceApply" : "apply"
    const subresource = random.chance(0.06) ? random.pick(["status", "scale"]) : undefined
    return this.step(op, manager, object, subresource)
  }

  private update(): JsonMap {
    const { random } = this
    this.change(random.between(1, 3))
    const op = random.chance(0.04) ? "updateNoErrors" : "update"
    const subresource = random.chance(0.12) ? random.pick(["status", "scale"]) : undefined
    return this.step(op, random.pick(this.updaters), this.identified(this.state), subresource)
  }

  private change(times: number): void {
    const { random, subject } = this
    const known = Object.keys(this.state).length > 3 || random.chance(0.3) ? this.state : this.whole()
    this.state = this.identified(this.withoutServerFields(edited(random, this.maker, subject.ref, known, times)))
  }

  private statusUpdate(): JsonMap {
    const { random, subject } = this
    const status = subject.object.status ?? this.state.status
    if (status === undefined) return this.update()
    const before = mapOf({ ...this.state, status: this.state.status ?? status })
    const changed = edited(
      random,
      this.maker,
      subject.ref,
      mapOf({ status: before.status as Json }),
      random.between(1, 2),
    )
    this.state = this.identified(overlaid(this.state, changed) as JsonMap)
    return this.step(random.chance(0.85) ? "update" : "apply", random.pick(this.updaters), this.state, "status")
  }

  /** kubectl's client-side apply: an update of the object with the configuration in an annotation. */
  private clientSideApply(): JsonMap {
    const { random, subject } = this
    const part = partOf(random, this.maker, subject.ref, subject.object, 0.7)
    const config = this.identified(this.withoutServerFields(this.configs.get("kubectl") ?? part))
    this.configs.set("kubectl", config)
    const shown = random.chance(0.1) ? mapOf({ ...config, apiVersion: "gone.example.com/v1" }) : config
    const merged = overlaid(this.state, config) as JsonMap
    const metadata = isMap(merged.metadata) ? merged.metadata : emptyMap()
    const before = isMap(metadata.annotations) ? metadata.annotations : emptyMap()
    const annotations = mapOf({ ...before, [annotation]: lastApplied(random, shown) })
    this.state = mapOf({ ...merged, metadata: mapOf({ ...metadata, annotations }) })
    return this.step("update", "kubectl-client-side-apply", this.identified(this.state))
  }

  /** kubectl applies a configuration of about the largest size that its annotation may have. */
  private largeAnnotation(): JsonMap[] {
    const first = this.clientSideApply()
    const config = this.identified(this.configs.get("kubectl") ?? emptyMap())
    const metadata = config.metadata as JsonMap
    const note = "x".repeat((262_144 >> 1) - this.random.below(1200))
    const large = mapOf({ ...config, metadata: mapOf({ ...metadata, annotations: mapOf({ note }) }) })
    return [first, this.step("forceApply", "kubectl", large), this.apply()]
  }

  private reset(): JsonMap {
    const { random } = this
    if (random.chance(0.5)) this.change(1)
    const managedFields: Json = random.pick<Json>([[], [], [emptyMap()], [emptyMap(), emptyMap()], null])
    const object = withMetadata(this.identified(this.state), { managedFields })
    return this.step(random.chance(0.9) ? "update" : "apply", random.pick(this.updaters), object)
  }

  /** An update that sets managedFields. */
  private replant(): JsonMap {
    const { random } = this
    if (random.chance(0.5)) this.change(1)
    return this.step("update", random.pick(this.updaters), this.planted(this.identified(this.state)))
  }

  private oddStep(): JsonMap {
    const { random, subject } = this
    const object = this.identified(this.state)
    const other = random.pick<{ [key: string]: Json }>([
      { kind: "Other" },
      { apiVersion: this.apiVersion("v0") },
      { apiVersion: this.apiVersion(random.pick(subject.versions)) },
      { apiVersion: "other.example.com/v1" },
      { metadata: null },
    ])
    return this.step(
      random.pick(["apply", "forceApply", "update"]),
      random.pick(this.appliers),
      mapOf({ ...object, ...other }),
    )
  }

  private planted(object: JsonMap, most = 5): JsonMap {
    const mistakes = this.random.chance(0.1) ? 0.1 : 0
    const managedFields = randomEntries(this.random, this.subject, object, most, { mistakes })
    return withMetadata(object, { managedFields })
  }

  private whole(): JsonMap {
    this.state = this.identified(this.subject.object)
    return this.state
  }

  private withoutServerFields(value: Json): JsonMap {
    const content = isMap(value) ? mapOf(value) : emptyMap()
    if (!isMap(content.metadata)) return content
    const metadata = mapOf(content.metadata)
    if (this.random.chance(0.99)) delete metadata.managedFields
    return mapOf({ ...content, metadata })
  }

  /** Returns the object with its name and the fields that a server sets. */
  private identified(content: JsonMap): JsonMap {
    const { random, subject } = this
    const { name, namespace } = subject.object.metadata as JsonMap
    const server = this.uid ? { uid: "0a1b", ...(random.chance(0.2) && { resourceVersion: `${random.below(9)}` }) } : {}
    const names = { name: name as Json, ...(namespace !== undefined && { namespace }) }
    return withMetadata(mapOf({ ...content, apiVersion: this.apiVersion(), kind: subject.kind }), {
      ...names,
      ...server,
    })
  }
}

function withMetadata(object: JsonMap, members: { readonly [key: string]: Json }): JsonMap {
  const metadata = isMap(object.metadata) ? object.metadata : {}
  return mapOf({ ...object, metadata: mapOf({ ...metadata, ...members }) })
}
