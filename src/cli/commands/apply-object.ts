// Applies a configuration to a live object, both with known types. The engine checks whether they fit.
import { hasCode } from "../../errors.js"
import { equalManagers } from "../../fieldpath/managers.js"
import type { Kinds } from "../../kinds/kinds.js"
import { beforeFirstApply } from "../../managedfields/chain/skip-non-applied.js"
import { readManagedFields, withManagedFields } from "../../managedfields/entries/entry.js"
import {
  decodeManagedFields,
  encodeManagedFields,
  type Managed,
  nobody,
  withoutTimes,
} from "../../managedfields/entries/managed.js"
import { managerId } from "../../managedfields/entries/manager-id.js"
import { Updater } from "../../merge/updater.js"
import { objectKindOf } from "../../schema/group-version-kind.js"
import type { ApplierOrigin } from "../../tools/appliers/origin.js"
import type { ApplierProfile } from "../../tools/appliers/profile.js"
import { applyWithTool } from "../../tools/appliers/run.js"
import type { AsApplier } from "../../tools/ownership/appliers.js"
import type { ExplainRequest } from "../../tools/ownership/explain.js"
import { type Finding, liveIncomplete, rulesNotRun } from "../../tools/ownership/finding.js"
import { dryRunOf, type OwnershipRequest } from "../../tools/ownership/request.js"
import type { Type } from "../../typed/type.js"
import { TypedValue } from "../../typed/typed-value.js"
import type { UnionPolicy } from "../../union/policy.js"
import type { UnionChange } from "../../union/report.js"
import type { MapValue, Value } from "../../value/value.js"
import type { Admission } from "../../write/attributes.js"
import type { DryRun, DryRunOutcome } from "../../write/dry-run.js"
import { type Document, InputError } from "../input/document.js"
import { isKubernetes, takeOffManagedFields } from "../input/managed-fields.js"
import { notServedAt, type Refusal, refusalsOf } from "../input/refused-write.js"
import type { Endpoint } from "./endpoint.js"

interface WriteRequest {
  /** The type of both objects. */
  readonly type: Type
  /** The object that stands for one of this kind before it exists. */
  readonly emptyObject: MapValue | undefined
  /** The built-in kinds, as `loadKinds` gives them. */
  readonly kinds: Kinds
  /** The definition of the kind; undefined for built-in kinds. */
  readonly definition: Value | undefined
  readonly endpoint: Endpoint
  readonly manager: string
  /** The union policy that the user named; undefined without one. */
  readonly unions: UnionPolicy | undefined
  readonly now: Date
  /** The admission that the user named; undefined without one. */
  readonly admission?: Admission | undefined
}

/** The tool that applies. */
export interface Tool {
  readonly profile: ApplierProfile
  readonly origin: ApplierOrigin | undefined
}

/** An object and the configuration that is applied to it. */
export interface ObjectApply extends WriteRequest {
  /** The tool that applies, with its own steps; `manager` is then "" for the tool's own name. */
  readonly tool?: Tool
  /** The object with its managedFields; undefined for a new object. */
  readonly live: MapValue | undefined
  readonly config: MapValue
  readonly force: boolean
}

/** An object and the one that replaces it. */
export interface ObjectUpdate extends WriteRequest {
  /** The object with its managedFields. */
  readonly live: MapValue
  /** The object that replaces it. */
  readonly next: MapValue
}

/** An object that was written. */
export interface Applied {
  /** With managedFields. */
  readonly object: MapValue
  /** The changes to unions. Owners are identifiers. */
  readonly unions: readonly UnionChange[]
  /** The warnings of a server. */
  readonly warnings: readonly string[]
  /** Findings that make the result doubtful. */
  readonly findings: readonly Finding[]
}

/** A write that a server refuses. */
export interface RefusedWrite {
  /** The reasons. */
  readonly refusals: readonly Refusal[]
}

/**
 * Returns the live object after an apply of `config`, with managedFields, or the reasons why a server refuses the apply. An object with
 * apiVersion and kind is applied as by an API server; any other goes to the Updater unchanged. The result has times only if the live object
 * has some. `document` is the source of `config`. Throws a ConflictError, in which managers are identifiers
 * (managedfields/entries/manager-id.ts); for objects of an API server, it is an ApplyConflictError. Throws a ValidationError for values
 * that don't fit their types.
 */
export function applyObject(request: ObjectApply, document: Document): Applied | RefusedWrite {
  const { live, config, manager, force, tool } = request
  if (!isKubernetes(config)) return { ...applyPlainly(request), warnings: [], findings: [] }
  if (tool !== undefined) {
    const asTool = { ...tool, manager, force }
    return dryRun(request, document, config, run => applyWithTool(run, live, config, asTool))
  }
  return dryRun(request, document, config, run => run.apply(live && run.live(live), config, { manager, force }))
}

/** Returns the live object after a PUT of `next`, with managedFields, or the reasons why a server refuses it. For times see `applyObject`. */
export function updateObject(request: ObjectUpdate, document: Document): Applied | RefusedWrite {
  const { live, next, manager } = request
  return dryRun(request, document, next, run => run.update(run.live(live), next, { manager }))
}

/** Returns a server's result for the request that `attempt` tries. */
function dryRun(
  request: WriteRequest & { readonly live: MapValue | undefined },
  document: Document,
  object: MapValue,
  attempt: (run: DryRun) => DryRunOutcome,
): Applied | RefusedWrite {
  const run = dryRunOf(engineOptions(request, object), object)
  if (run === undefined) return { refusals: [notServedAt(document, kindsOf(request, object))] }
  const outcome = attempt(run)
  if (!outcome.ok) {
    const { error } = outcome
    if (error !== undefined && !hasCode(error, "union")) throw error
    return { refusals: refusalsOf(document, outcome, request.type) }
  }
  const { unions, excused, warnings } = outcome
  const findings = [...(excused.length > 0 ? [liveIncomplete(excused)] : []), ...rulesNotRun(run.endpoint.resource)]
  return { object: timedAs(request.live, outcome.object), unions, warnings, findings }
}

/** Returns the object, without times if the live object has none. */
function timedAs(live: MapValue | undefined, object: MapValue): MapValue {
  const timed = (live === undefined ? [] : (readManagedFields(live) ?? [])).some(({ time }) => time !== undefined)
  if (timed) return object
  return withManagedFields(object, withoutTimes(readManagedFields(object) ?? []))
}

/** Returns the options of the functions in tools/ownership for this request, without the manager. */
function engineOptions(request: WriteRequest, object: MapValue): Omit<OwnershipRequest, "manager"> {
  const { endpoint, unions, now, admission } = request
  const policies = { ...(unions && { unions }), ...(admission && { admission }) }
  return { ...endpoint, types: kindsOf(request, object), ...policies, clock: () => now }
}

/**
 * Returns the kinds of a server that has the kind of the object, whose type the request has. Other versions of the kind have their own
 * types. Without a definition, unknown versions have the type of the request too. They are cached by type, because most applications use few kinds.
 */
function kindsOf({ type, emptyObject, kinds: builtIn, definition }: WriteRequest, object: MapValue): Kinds {
  const known = kindsOfTypes.get(type)
  if (known !== undefined && known.emptyObject === emptyObject && known.definition === definition) return known.kinds
  const found = { schema: type.schema.schema, typeName: type.name, emptyObject }
  const base = definition === undefined ? builtIn : builtIn.with([definition as MapValue])
  const own = objectKindOf(object)
  const unknown = definition === undefined ? found : undefined
  const kinds = base.typedBy({
    find: (apiVersion, kind) => {
      const isOwn = apiVersion === own.apiVersion && kind === own.kind
      return isOwn ? found : (base.find(apiVersion, kind) ?? unknown)
    },
  })
  kindsOfTypes.set(type, { emptyObject, definition, kinds })
  return kinds
}

const kindsOfTypes = new WeakMap<Type, Pick<WriteRequest, "emptyObject" | "definition"> & { readonly kinds: Kinds }>()

/**
 * Returns the options of the functions in tools/ownership for this request; `document` is the source of its configuration. Throws an
 * InputError for a configuration without apiVersion and kind, because only Kubernetes objects have managedFields.
 */
export function ownershipRequest(request: ObjectApply, document: Document): ExplainRequest {
  requireKubernetes(request, document)
  const { manager, force } = request
  return { ...engineOptions(request, request.config), manager, force, source: document.source }
}

/** Does the same for a request that may name a tool. */
export function toolRequest(request: ObjectApply, document: Document): ExplainRequest | AsApplier<ExplainRequest> {
  return { ...ownershipRequest(request, document), ...asTool(request.tool) }
}

/** Returns the part of a request that names the tool; empty without one. */
export function asTool(tool: Tool | undefined): Pick<AsApplier<ExplainRequest>, "as" | "origin"> | object {
  return tool === undefined ? {} : { as: tool.profile, origin: tool.origin }
}

function requireKubernetes({ config }: ObjectApply, document: Document): void {
  if (isKubernetes(config)) return
  throw new InputError(`${document.at([])}: an object must have apiVersion and kind`)
}

/** The version in the entries of objects without an apiVersion. */
const apiVersion = "v1"

function applyPlainly({
  live,
  config,
  type,
  manager,
  force,
  unions,
  now,
}: ObjectApply): Pick<Applied, "object" | "unions"> {
  const owners = live === undefined ? nobody : decodeManagedFields(readManagedFields(live) ?? [])
  const before = TypedValue.of(live === undefined ? {} : takeOffManagedFields(live), type, { allowDuplicates: true })
  const managers = owners.fields.size > 0 ? owners.fields : ownedBefore(before)
  const id = managerId({ manager, operation: "Apply" })
  const configured = TypedValue.of(config, type)
  const updateRequest = { manager: id, apiVersion, managers, force, ...(unions && { unions }) }
  const result = new Updater().apply(before, configured, updateRequest)
  const changed = result.changed || !equalManagers(owners.fields, result.managers)
  const times = new Map(owners.times)
  if (changed) times.set(id, `${now.toISOString().slice(0, 19)}Z`)
  const entries = encodeManagedFields({ ...owners, fields: result.managers, times })
  return { object: timedAs(live, withManagedFields(result.object.value as MapValue, entries)), unions: result.unions }
}

/** Returns the owners of an object without managedFields: `before-first-apply` owns all of its fields. */
function ownedBefore(live: TypedValue): Managed["fields"] {
  const manager = managerId({ manager: beforeFirstApply, operation: "Update", apiVersion })
  const nothing = TypedValue.of({}, live.type)
  const request = { manager, apiVersion, managers: new Map(), unions: "off" } as const
  return new Updater().update(nothing, live, request).managers
}
