// The law of every operation: the patch, sent to a server, makes exactly the object of the record, whatever the history.

import { type ApiServer, createApiServer } from "../../../src/apiserver/index.js"
import { hasCode } from "../../../src/errors.js"
import { formatPath, type Path } from "../../../src/fieldpath/path.js"
import { formatJson, parseJson } from "../../../src/json/json.js"
import { builtInConverter } from "../../../src/kinds/resource/conversion.js"
import { kubernetesResetFields, kubernetesTypes } from "../../../src/kubernetes/index.js"
import { lastAppliedOf } from "../../../src/managedfields/chain/last-applied.js"
import { changeApiVersion, type ExtractOptions, extract, type TypeFinder } from "../../../src/managedfields/index.js"
import { TypeConverter } from "../../../src/openapi/index.js"
import { withMetadata } from "../../../src/schema/metadata.js"
import {
  toVersion as changeVersion,
  dropGoneVersions,
  dropVersion,
  type ManagersChange,
  type ManagersOptions,
  type NextApply,
  release,
  StillOwnedError,
  transfer,
  upgrade,
  VersionsDifferError,
} from "../../../src/tools/managers/index.js"
import { withName } from "../../../src/tools/ownership/object-name.js"
import { readShares } from "../../../src/tools/ownership/owners.js"
import { pathsOf } from "../../../src/tools/ownership/place.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { Random } from "../../fuzz/random.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { definition, type Kind, kinds, metadata, resetFields } from "../controller/kinds.js"
import { schemaErrors } from "../ownership/schema.js"
import { collectionOf, Subject, unversioned } from "./world.js"

/** The number of cases, and the violations. */
export interface Verdict {
  /** How many operations ended with each outcome, by operation. */
  readonly outcomes: Record<string, Record<string, number>>
  /** How many next applies were compared with the server, by outcome. */
  readonly applies: Record<string, number>
  readonly broken: string[]
}

/** Checks the laws on `count` histories, beginning with number `first`. */
export async function checkLaws(seed: number, first: number, count: number): Promise<Verdict> {
  const verdict: Verdict = { outcomes: {}, applies: {}, broken: [] }
  let server = createServer()
  for (let number = first; number < first + count; number++) {
    if (number % 25 === 0) server = createServer()
    const random = new Random(seed, "managers", number)
    const fades = random.chance(0.3)
    const report = (problem: string) => verdict.broken.push(`history ${number} of seed ${seed}: ${problem}`)
    await new History(number, random, fades ? createServer() : server, fades, verdict, report).run()
  }
  return verdict
}

function createServer(): ApiServer {
  let now = Date.parse("2026-01-01T00:00:00Z")
  return createApiServer({ crds: [definition], clock: () => new Date((now += 400)) })
}

const csa = "kubectl-client-side-apply"
const names = ["me", "other", "kubectl", csa, "editor"]

/** One object with several managers, and operations on its managedFields. */
class History {
  private readonly kind: Kind
  private readonly subject: Subject

  constructor(
    number: number,
    private readonly random: Random,
    server: ApiServer,
    /** Whether the custom resource loses its other version in the end. */
    private readonly fades: boolean,
    private readonly verdict: Verdict,
    private readonly report: (problem: string) => void,
  ) {
    this.kind = fades ? (kinds.find(({ kind }) => kind === "Shop") as Kind) : random.pick(kinds)
    this.subject = new Subject(server, collectionOf(this.kind.plural), this.kind.apiVersion, `a${number}`)
  }

  async run(): Promise<void> {
    const { random } = this
    for (let steps = random.between(3, 9); steps > 0; steps--) await this.step()
    if (this.fades) await this.subject.server.fetch(loseVersion())
    for (let operations = random.between(1, 3); operations > 0; operations--) {
      const { status, body } = await this.subject.get()
      if (status !== 200) return
      await this.operation(deepFreeze(body) as MapValue)
    }
  }

  private step(): Promise<unknown> {
    const { random, subject, kind } = this
    const manager = random.pick(names)
    const apiVersion = random.chance(0.4) ? random.pick([kind.apiVersion, ...kind.otherVersions]) : kind.apiVersion
    return random.weighted<() => Promise<unknown>>([
      [8, () => subject.apply({ ...this.object(), apiVersion }, manager, { force: random.chance(0.7) })],
      [4, () => subject.merge({ ...this.object(), apiVersion }, manager, { apiVersion })],
      [2, async () => subject.put({ ...(await subject.live()), ...kind.content(random) }, manager)],
      [2, () => this.clientSideApply()],
      [2, () => this.writeStatus(manager)],
      [0.3, () => subject.merge({ metadata: { managedFields: [{}] } }, manager)],
    ])()
  }

  private async clientSideApply(): Promise<void> {
    const config = this.object()
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": formatJson(config) }
    const { status } = await this.subject.create(withMetadata(config, { annotations }), csa)
    if (status >= 300) await this.subject.merge(withMetadata(config, { annotations }), csa)
  }

  private async writeStatus(manager: string): Promise<void> {
    const { status, apiVersion, kind } = this.kind
    if (status === undefined) return
    const config = { apiVersion, kind, metadata: { name: this.subject.name }, status: status(this.random) }
    const options = { subresource: "status", force: true }
    if (this.random.chance(0.5)) await this.subject.apply(config, manager, options)
    else await this.subject.merge({ status: config.status }, manager, options)
  }

  private object(): MapValue {
    const { apiVersion, kind, content } = this.kind
    return {
      apiVersion,
      kind,
      metadata: { ...metadata(this.random), name: this.subject.name },
      ...content(this.random),
    }
  }

  /** Runs an operation, and compares its result with the server's answer to the patch. */
  private async operation(live: MapValue): Promise<void> {
    const options = this.options()
    const { name, run } = this.chosen(live)
    let made: ManagersChange
    try {
      made = run(options)
    } catch (error) {
      if (error instanceof StillOwnedError || error instanceof VersionsDifferError) return this.count(name, "refused")
      if (!hasCode(error)) throw error
      return this.report(`${name} throws ${error.message}`)
    }
    const hasEffect = made.findings.every(({ code }) => code !== "no-effect")
    this.count(name, hasEffect ? made.outcome : "no-effect")
    if (schemaErrors(made) !== "") this.report(`${name} does not fit the schema: ${schemaErrors(made)}`)
    if (made.outcome === "change") return await this.compare(name, live, made, options)
    if (made.patch.length > 0) this.report(`${name} has a patch that changes nothing`)
    if (made.object !== live) this.report(`${name} is ${made.outcome}, but has another object`)
    if (hasEffect) return
    const { types: _, ...untyped } = options
    const { body } = await this.subject.patch(run(untyped).patch)
    if (formatJson(unversioned(body)) !== formatJson(unversioned(live))) {
      this.report(`${name} has an effect, on ${formatJson(live)}\nwhich becomes ${formatJson(body)}`)
    }
  }

  private async compare(
    name: string,
    live: MapValue,
    made: ManagersChange,
    { types }: { readonly types: TypeFinder },
  ): Promise<void> {
    const { status, body } = await this.subject.patch(made.patch)
    const [stored, foreseen] = [unversioned(body), unversioned(made.object)]
    if (status !== 200 || formatJson(stored) !== formatJson(foreseen)) {
      const patch = formatJson(made.patch as unknown as Value)
      return this.report(
        `${name}, ${status}: ${formatJson(live)}\nbecomes ${formatJson(stored)}\nnot ${formatJson(foreseen)}\nby ${patch}`,
      )
    }
    for (const next of made.next) {
      const { manager, subresource = "", basis, outcome } = next
      const config = withName(configOf(live, basis, { types, manager, subresource }), live)
      const answer = await this.subject.apply(config, manager, { subresource, dryRun: true })
      const happens = answer.status === 409 ? "conflict" : answer.status >= 400 ? "refused" : "accepted"
      const expected = outcome === "conflict" || outcome === "refused" ? outcome : "accepted"
      this.verdict.applies[outcome] = (this.verdict.applies[outcome] ?? 0) + 1
      // A server also refuses objects for reasons that the engine does not know, such as a missing required field.
      if (happens !== expected && !(answer.status === 422 && expected === "accepted")) {
        this.report(
          `${name}: the next apply of ${manager} is ${answer.status} ${formatJson(answer.body)}, not ${outcome}`,
        )
      }
    }
  }

  /** A random operation with random options. */
  private chosen(live: MapValue): Operation {
    const { random, kind, fades } = this
    const selection = {
      ...(random.chance(0.2) && { operation: random.pick(["Apply", "Update"] as const) }),
      ...(random.chance(0.2) && { subresource: random.pick(["", "status"]) }),
      ...(random.chance(0.3) && { guard: random.pick(["test", "replace"] as const) }),
    }
    const paths = random.chance(0.4) && { paths: somePaths(random, live) }
    const there = readShares(live).map(({ owner }) => owner.manager)
    const known = there.length > 0 && random.chance(0.9) ? there : names
    const managers = random.chance(0.8) && {
      managers: random.chance(0.3) ? ({ all: true } as const) : random.sample(known, 2),
    }
    const apiVersion = random.pick([...kind.otherVersions, kind.apiVersion])
    const [from, to] = [random.sample(known, random.between(1, 2)), random.pick([...names, "new"])]
    const toVersion = random.chance(0.5) && kind.kind !== "HorizontalPodAutoscaler" && { toVersion: kind.apiVersion }
    const toOperation = random.chance(0.2) && { toOperation: "Update" as const }
    const csaManagers = random.chance(0.5) && { csaManagers: csa }
    const gone = ["v1beta1"]
    return random.weighted<Operation>([
      [
        4,
        {
          name: "transfer",
          run: o => transfer(live, { ...o, ...selection, ...paths, ...toVersion, ...toOperation, from, to }),
        },
      ],
      [3, { name: "release", run: o => release(live, { ...o, ...selection, ...paths, ...managers }) }],
      [
        fades ? 6 : 1,
        {
          name: "drop-gone-versions",
          run: o => dropGoneVersions(live, { ...o, ...managers, ...(o.types === undefined && { gone }) }),
        },
      ],
      [
        kind.otherVersions.length > 0 ? 2 : 0.5,
        { name: "drop-version", run: o => dropVersion(live, { ...o, ...managers, apiVersion }) },
      ],
      [
        kind.otherVersions.length > 0 ? 2 : 0.5,
        {
          name: "to-version",
          run: o => changeVersion(live, { managers: { all: true }, ...o, ...managers, apiVersion }),
        },
      ],
      [2, { name: "upgrade", run: o => upgrade(live, { ...o, ...csaManagers, ssaManager: to }) }],
    ])
  }

  /** The server's knowledge of the kind. */
  private options(): ManagersOptions & { readonly types: TypeFinder } {
    const { apiVersion, kind } = this.kind
    const resets = this.random.chance(0.5)
    if (kind !== "Shop") {
      const resetFields = resets ? kubernetesResetFields(apiVersion, kind) : undefined
      return { types: kubernetesTypes, converter: builtInConverter, ...(resetFields && { resetFields }) }
    }
    const types = this.fades ? fadedTypes : shopTypes
    return { types, converter: changeApiVersion(types), ...(resets && { resetFields }) }
  }

  private count(name: string, outcome: string): void {
    const row = (this.verdict.outcomes[name] ??= {})
    row[outcome] = (row[outcome] ?? 0) + 1
  }
}

/** The configuration that the next apply of a manager is expected to send. */
function configOf(live: MapValue, basis: NextApply["basis"], options: ExtractOptions): MapValue {
  if (basis === "applied") return extract(live, options) ?? {}
  return basis === "nothing" ? {} : (parseJson(lastAppliedOf(live)) as MapValue)
}

interface Operation {
  readonly name: string
  readonly run: (options: ManagersOptions) => ManagersChange
}

/** Some of the owned paths, or of the paths above them, as paths or as text. */
function somePaths(random: Random, live: MapValue): (Path | string)[] {
  const all = readShares(live).flatMap(({ set }) => pathsOf(set))
  return random.sample(all, random.between(1, 4)).map(path => {
    const chosen = path.slice(0, random.between(1, path.length))
    return random.chance(0.5) ? chosen : formatPath(chosen)
  })
}

const spec = definition.spec as MapValue
const faded: MapValue = {
  ...definition,
  spec: { ...spec, versions: (spec.versions as MapValue[]).filter(({ name }) => name === "v1") },
}
const shopTypes = new TypeConverter([{ document: definition }])
const fadedTypes = new TypeConverter([{ document: faded }])

/** The request that removes a version from the definition. */
function loseVersion(): Request {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/shops.example.com"
  const headers = { "content-type": "application/merge-patch+json" }
  return new Request(`http://test${path}`, {
    method: "PATCH",
    headers,
    body: formatJson({ spec: faded.spec as MapValue }),
  })
}
