// What an API server refuses in objects whose kinds it knows: everything that it validates in a write, beyond types. Loaded when it is
// needed, as it has the code of all built-in kinds.
import { SchemaError } from "../../errors.js"
import type { Kinds } from "../../kinds/kinds.js"
import { kubernetes } from "../../kinds/kubernetes.js"
import { hasRules } from "../../kinds/rules/compile.js"
import { celLibrary, celPackage, loadCel } from "../../kinds/rules/library.js"
import { metaText, withMetadata } from "../../requests/metadata.js"
import { objectKindOf } from "../../schema/group-version-kind.js"
import type { Type } from "../../typed/type.js"
import type { MapValue, Value } from "../../value/value.js"
import { DryRun } from "../../write/dry-run.js"
import { printable } from "../terminal/layout.js"
import type { Document } from "./document.js"
import { causesOf, notServedAt, placed, type Refusal, type Refused } from "./refused-write.js"
import type { Types } from "./types.js"

/** What is written. */
export interface Written {
  /** The object of a document, with its unions settled. */
  readonly object: MapValue
  /** The object that it replaces; undefined if it is new. */
  readonly old: MapValue | undefined
  /** The type that it fits. */
  readonly type: Type
}

/** Finds everything for which a server refuses to write an object. Finds nothing in objects of kinds of which only types are known. */
export type FindRefusals = (document: Document, written: Written) => readonly Refusal[]

export interface RefusalOptions {
  /** Whether there may be definitions of custom resources. Their rules in CEL are run by a library that takes time to load. */
  readonly mayHaveDefinitions: boolean
  /** Whether types of other releases are given, which may serve versions that are gone. */
  readonly otherReleases: boolean
  /** Shows a line to the user. */
  readonly remark: (line: string) => void
}

export async function refusalsBy(types: Types, options: RefusalOptions): Promise<FindRefusals> {
  if (options.mayHaveDefinitions) await loadCel()
  const refusals = new Refusals(types, options)
  return (document, written) => refusals.of(document, written)
}

class Refusals {
  private readonly types: Types
  private readonly options: RefusalOptions
  /** The built-in kinds with those of a definition; undefined if no server would serve it. */
  private readonly defined = new Map<Value, Kinds | undefined>()
  private readonly runs = new Map<Kinds, Map<string, DryRun | "not served" | undefined>>()

  constructor(types: Types, options: RefusalOptions) {
    this.types = types
    this.options = options
  }

  of(document: Document, written: Written): readonly Refusal[] {
    const kinds = this.kindsOf(document)
    if (kinds === undefined) return []
    const run = this.runOf(kinds, written.object)
    if (run === undefined) return []
    if (run === "not served") return [notServedAt(document, kinds)]
    return placed(document, refusedBy(run, written), written.type)
  }

  /** The kinds among which that of the document is; undefined if no server's answer can be known. */
  private kindsOf(document: Document): Kinds | undefined {
    const { definition, builtIn } = this.types.sourceOf(document)
    if (definition === undefined) return builtIn ? kubernetes : undefined
    if (this.defined.has(definition)) return this.defined.get(definition)
    let kinds: Kinds | undefined
    try {
      kinds = kubernetes.with([definition as MapValue])
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
      const { kind } = objectKindOf(document.value)
      this.remark(`${kind} is checked by its type alone, because no server serves its definition: ${error.message}`)
    }
    this.defined.set(definition, kinds)
    return kinds
  }

  private remark(warning: string): void {
    this.options.remark(`${printable(`warning: ${warning}`)}\n`)
  }

  /** Undefined for objects that are never stored. */
  private runOf(kinds: Kinds, object: MapValue): DryRun | "not served" | undefined {
    const { apiVersion, kind } = objectKindOf(object)
    const known = this.runs.get(kinds) ?? new Map<string, DryRun | "not served" | undefined>()
    this.runs.set(kinds, known)
    const id = `${apiVersion} ${kind}`
    if (known.has(id)) return known.get(id)
    const resource = kinds.resource({ apiVersion, kind })
    let run: DryRun | "not served" | undefined
    if (resource === undefined) run = this.options.otherReleases ? undefined : "not served"
    else if (resource.verbs.includes("get")) {
      run = new DryRun(resource, "", { types: kinds, unions: "off", validateUnions: false })
      if (resource.custom !== undefined && celLibrary() === undefined && hasRules(resource.custom.schema))
        this.remark(`the rules in CEL of ${kind} are not run: install ${celPackage} to have them run`)
    }
    known.set(id, run)
    return run
  }
}

function refusedBy(run: DryRun, { object, old }: Written): Refused {
  // A server has stored it, and wrote fields that nobody may create it with.
  if (old === undefined && metaText(object, "uid") !== "") return storedBy(run, object)
  const given = withMetadata(object, { resourceVersion: undefined, managedFields: undefined })
  const outcome = old === undefined ? run.create(given, { manager }) : run.update(run.live(old), given, { manager })
  if (outcome.ok) return { causes: [], refused: object }
  const { failure, refused = object } = outcome
  // The object would be converted by a webhook, which nobody can call here.
  return failure.code === 501 ? storedBy(run, object) : { causes: causesOf(failure), refused }
}

function storedBy(run: DryRun, object: MapValue): Refused {
  const { object: refused, problems: causes } = run.check(object)
  return { causes, refused }
}

/** Owners don't matter to what is valid. */
const manager = "smd"
