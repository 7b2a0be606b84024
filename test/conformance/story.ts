// The `updater` operation: changes one object and its managers step by step.
import type { Managers } from "../../src/fieldpath/managers.js"
import { formatGoPath } from "../../src/fieldpath/path.js"
import { ConflictError } from "../../src/merge/conflict.js"
import type { UpdateResult } from "../../src/merge/request.js"
import { Updater, type UpdaterOptions } from "../../src/merge/updater.js"
import type { Converter } from "../../src/merge/versions.js"
import { deducedType } from "../../src/typed/deduced.js"
import type { CompiledSchema, Type } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import type { Value } from "../../src/value/value.js"
import { converterOf, type Versioned } from "./converters.js"
import { ReleasedUpdater } from "./released-unions.js"
import {
  type Answer,
  managersAnswer,
  pathAnswer,
  Request,
  RequestError,
  readFilter,
  readSchema,
  readSet,
} from "./request.js"

export function tellStory(request: Request): Answer {
  const story = new Story(request)
  const steps = request.list("steps").map(step => story.take(new Request(step)))
  const version = request.text("finalApiVersion")
  return version === "" ? { steps } : { steps, ...story.finally(version) }
}

class Story implements Versioned {
  acceptedVersions: readonly string[]
  private readonly request: Request
  private readonly typesByVersion: ReadonlyMap<string, string>
  private readonly converter: Converter
  private types: CompiledSchema | null
  private live: TypedValue | null = null
  private managers: Managers = new Map()

  constructor(request: Request) {
    this.request = request
    this.types = request.flag("deduced") ? null : readSchema(request.text("schema"))
    this.typesByVersion = new Map(request.entries("typesByVersion").map(([version, name]) => [version, String(name)]))
    this.acceptedVersions = request.list("acceptedVersions").map(String)
    this.converter = converterOf(request, this)
  }

  typeAt(apiVersion: string): Type {
    if (this.types === null) return deducedType()
    if (this.request.get("typeRef") !== undefined) return this.request.type()
    const namedType = this.request.text("type") || (this.typesByVersion.get(apiVersion) ?? apiVersion)
    return this.types.typeOf({ namedType })
  }

  versionOf(object: TypedValue): string {
    for (const [version, name] of this.typesByVersion) if (name === object.type.name) return version
    return object.type.name
  }

  /** Runs one step and returns the state after it. A step that fails does not change the state. */
  take(step: Request): Answer {
    const before = { live: this.live, managers: this.managers, types: this.types }
    const out: Record<string, Value> = {}
    try {
      if (this.run(step)) out.noop = true
    } catch (error) {
      Object.assign(this, before)
      Object.assign(out, describe(error))
    }
    return { live: this.live?.value ?? null, managers: managersAnswer(this.managers), ...out }
  }

  finally(apiVersion: string): Answer {
    if (this.live === null) return {}
    try {
      const live = this.converter.convert(this.live, apiVersion)
      return { finalLive: live === undefined ? { error: this.missing(apiVersion) } : live.value }
    } catch (error) {
      return { finalLive: failure(error) }
    }
  }

  /** Returns whether the step was an apply that changed nothing. */
  private run(step: Request): boolean {
    const op = step.text("op")
    switch (op) {
      case "acceptedVersions":
        this.acceptedVersions = step.list("versions").map(String)
        return false
      case "changeSchema":
        this.changeSchema(readSchema(step.text("schema")))
        return false
      case "update":
        return this.update(step)
      case "apply":
      case "forceApply":
      case "extractApply":
        return this.apply(step, op)
      default:
        throw new RequestError(`unknown step "${op}"`)
    }
  }

  private changeSchema(types: CompiledSchema): void {
    if (this.types === null) throw new RequestError("a deduced type has no schema to change")
    this.types = types
    if (this.live !== null) this.live = TypedValue.of(this.live.value, types.typeOf(this.live.type.ref))
  }

  private update(step: Request): boolean {
    const apiVersion = step.text("apiVersion")
    const next = TypedValue.of(step.value("object"), this.typeAt(apiVersion), { allowDuplicates: true })
    const live = this.liveAt(apiVersion)
    const manager = step.text("manager")
    this.keep(this.updater(step).update(live, next, { apiVersion, manager, managers: this.managers }))
    return false
  }

  private apply(step: Request, op: string): boolean {
    const apiVersion = step.text("apiVersion")
    const manager = step.text("manager")
    let config = TypedValue.of(step.value("object"), this.typeAt(apiVersion))
    if (op === "extractApply" && this.live !== null) config = this.extended(this.live, config, apiVersion, manager)
    const live = this.liveAt(apiVersion)
    const request = { apiVersion, manager, managers: this.managers, force: op !== "apply" }
    const result = this.updater(step).apply(live, config, request)
    this.keep(result)
    return !result.changed && !this.request.flag("returnInputOnNoop")
  }

  private keep(result: UpdateResult): void {
    this.live = result.object
    this.managers = result.managers
  }

  /** Returns the live object at a version. Before the first step, it is null. */
  private liveAt(apiVersion: string): TypedValue {
    const live = this.live ?? TypedValue.of(null, this.typeAt(apiVersion))
    const converted = this.converter.convert(live, apiVersion)
    if (converted === undefined) throw new RequestError(this.missing(apiVersion))
    return converted
  }

  /** Returns the converters' message about a version that does not exist. */
  private missing(apiVersion: string): string {
    return this.request.text("converter") === "specificVersions"
      ? `Unknown version: ${apiVersion}`
      : "cannot convert to invalid version"
  }

  /** Merges `config` into the fields of live that the manager owns. */
  private extended(live: TypedValue, config: TypedValue, apiVersion: string, manager: string): TypedValue {
    const owner = this.managers.get(manager)
    if (owner !== undefined && owner.apiVersion !== apiVersion) {
      throw new RequestError(
        `existing managed fieldpath set APIVersion (${owner.apiVersion}) differs from desired (${apiVersion}), unable to extract`,
      )
    }
    const there = this.converter.convert(live, apiVersion)
    if (there === undefined) throw new RequestError(this.missing(apiVersion))
    return there.extractItems(owner?.set.leaves() ?? readSet(null)).merge(config)
  }

  private updater(_step: Request): ReleasedUpdater {
    const unions = this.request.policy("off")
    const updater = new Updater({
      converter: this.converter,
      returnInputOnNoop: this.request.flag("returnInputOnNoop"),
      unions,
      ...this.ignored(),
    })
    return new ReleasedUpdater(updater, unions, this.converter)
  }

  private ignored(): UpdaterOptions {
    const sets = this.request.entries("ignoredFields")
    const filters = this.request.entries("ignoreFilter")
    return {
      ...(sets.length > 0 && { ignoredFields: new Map(sets.map(([version, set]) => [version, readSet(set)])) }),
      ...(filters.length > 0 && {
        ignoreFilters: new Map(filters.map(([version, filter]) => [version, readFilter(filter)])),
      }),
    }
  }
}

function describe(error: unknown): Answer {
  if (!(error instanceof Error)) throw error
  if (error instanceof ConflictError) {
    const conflicts = error.conflicts.map(({ manager, path }) => ({
      manager,
      path: pathAnswer(path),
      pathString: formatGoPath(path),
    }))
    return { error: error.message, conflicts }
  }
  return failure(error)
}

/** Returns the answer for an error: `error` for an error of the package or the driver, `panic` for a bug. */
export function failure(error: unknown): Answer {
  const expected = error instanceof Error && (error instanceof RequestError || "code" in error)
  const both = error instanceof TypeError && error.message.startsWith("IgnoreFilter")
  const text = error instanceof Error ? error.message : String(error)
  return expected || both ? { error: text } : { panic: text }
}
