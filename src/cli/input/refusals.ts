// Finds the problems for which an API server refuses an object of a known kind: everything beyond types that it validates in a write.
// Loaded when needed, because it imports the code of all built-in kinds.
import { compilesExpressions } from "../../kinds/families/registry.js"
import type { Kinds } from "../../kinds/kinds.js"
import { hasRules } from "../../kinds/rules/compile.js"
import { celLibrary, celPackage, loadCel } from "../../kinds/rules/library.js"
import { objectKindOf } from "../../schema/group-version-kind.js"
import { metaText, withMetadata } from "../../schema/metadata.js"
import type { Type } from "../../typed/type.js"
import type { MapValue } from "../../value/value.js"
import { DryRun } from "../../write/dry-run.js"
import { printable } from "../terminal/layout.js"
import { DefinedKinds } from "./defined-kinds.js"
import type { Document } from "./document.js"
import { causesOf, notServedAt, placeCauses, type Refusal, type RefusedObject } from "./refused-write.js"
import type { Types } from "./types.js"

/** An object that is written. */
interface ObjectWrite {
  /** The object of a document, with its unions settled. */
  readonly object: MapValue
  /** The object that it replaces; undefined for a new object. */
  readonly old: MapValue | undefined
  /** The type of the object. */
  readonly type: Type
}

/** Returns every reason for which a server refuses a write; none if only the type of the object's kind is known. */
export type FindRefusals = (document: Document, written: ObjectWrite) => readonly Refusal[]

export interface RefusalOptions {
  /** The documents of the objects; undefined if these may need the library for CEL, as in a stream or with definitions. */
  readonly documents: readonly Document[] | undefined
  /** Whether types of another Kubernetes release are given, which may serve other API versions. */
  readonly otherReleases: boolean
  /** Shows a line to the user. */
  readonly remark: (line: string) => void
}

export async function refusalsBy(types: Types, options: RefusalOptions): Promise<FindRefusals> {
  const { documents } = options
  if (documents === undefined || documents.some(({ value }) => compilesExpressions(value))) await loadCel()
  const refusals = new Refusals(types, options)
  return (document, written) => refusals.of(document, written)
}

class Refusals {
  private readonly options: RefusalOptions
  private readonly defined: DefinedKinds
  private readonly runs = new Map<Kinds, Map<string, DryRun | "not served" | undefined>>()

  constructor(types: Types, options: RefusalOptions) {
    this.options = options
    this.defined = new DefinedKinds(types, (document, { message }) => {
      const { kind } = objectKindOf(document.value)
      this.remark(`${kind} is checked by its type alone, because no server serves its definition: ${message}`)
    })
  }

  of(document: Document, written: ObjectWrite): readonly Refusal[] {
    const kinds = this.defined.of(document)
    if (kinds === undefined) return []
    const run = this.runOf(kinds, written.object)
    if (run === undefined) return []
    if (run === "not served") return [notServedAt(document, kinds)]
    return placeCauses(document, refusedBy(run, written), written.type)
  }

  private remark(warning: string): void {
    this.options.remark(`${printable(`warning: ${warning}`)}\n`)
  }

  /** The dry run for the kind of the object; undefined for objects that are never stored. */
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
        this.remark(`the CEL rules of ${kind} are not checked: install ${celPackage} to check them`)
    }
    known.set(id, run)
    return run
  }
}

function refusedBy(run: DryRun, { object, old }: ObjectWrite): RefusedObject {
  // An object with a uid comes from a server, and has fields that a create must not set.
  if (old === undefined && metaText(object, "uid") !== "") return storedBy(run, object)
  const given = withMetadata(object, { resourceVersion: undefined, managedFields: undefined })
  const outcome = old === undefined ? run.create(given, { manager }) : run.update(run.live(old), given, { manager })
  if (outcome.ok) return { causes: [], refused: object }
  const { failure, refused = object } = outcome
  // A webhook would have to convert the object, which is not possible here.
  return failure.code === 501 ? storedBy(run, object) : { causes: causesOf(failure), refused }
}

function storedBy(run: DryRun, object: MapValue): RefusedObject {
  const { object: refused, problems: causes } = run.check(object)
  return { causes, refused }
}

/** Owners don't affect validation. */
const manager = "smd"
