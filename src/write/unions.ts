// Unions in requests: the gate that says whether they mean anything at the moment, and what is invalid of an object to be stored.
//
// The FieldManager of an endpoint settles unions. Unions that admission changes are settled again. The object is then validated, after the
// strategy, against the stored object: a union that was invalid there in the same way may stay invalid, if the policy ratchets.
import type { VersionedSet } from "../fieldpath/managers.js"
import { FieldSet } from "../fieldpath/set.js"
import { builtInKindOf } from "../kinds/families/registry.js"
import type { Problem } from "../kinds/refusal/failure.js"
import type { Resource } from "../kinds/resource/resource.js"
import { kubernetesTypes } from "../kubernetes/types.js"
import { readManagedFields, withManagedFields } from "../managedfields/entries/entry.js"
import { decodeManagedFields, encodeManagedFields } from "../managedfields/entries/managed.js"
import { withManagerNames } from "../managedfields/entries/manager-id.js"
import type { TypeFinder } from "../managedfields/types/object-types.js"
import { schemaFromCRD } from "../openapi/crd.js"
import type { Schema, TypeDef } from "../schema/schema.js"
import { offerUnions, withOfferedUnions } from "../schema/unions-on-request.js"
import { untypedName } from "../schema/untyped.js"
import type { Type } from "../typed/type.js"
import { TypedValue } from "../typed/typed-value.js"
import { changesOf } from "../union/finding.js"
import { settleAdmitted } from "../union/normalize.js"
import { normalizationPlan } from "../union/plan.js"
import { type UnionPolicy, type UnionPolicyName, unionPolicies, unionPolicy } from "../union/policy.js"
import { formatUnionChange, type UnionChange, unionFieldPath } from "../union/report.js"
import { bodyOf, seesUnions, type UnionFieldError, validateUnions } from "../union/validate.js"
import { compareStrings } from "../value/compare.js"
import { mapAt, textAt } from "../value/fields.js"
import type { MapValue } from "../value/value.js"

/** What is done about unions at the moment. */
export class UnionGate {
  private chosen: UnionPolicy
  /** The kinds that lost unions with their definition. */
  private readonly stripped = new Set<string>()
  /** The kinds whose unions were looked for, to warn of each once. */
  private readonly checked = new Set<string>()
  /** Whether the server was ever told about unions. One that was not is a cluster of today. */
  private known: boolean

  /** Throws a RangeError for the name of a policy that does not exist. */
  constructor(choice: UnionPolicyName | UnionPolicy | undefined) {
    this.chosen = unionPolicy(choice ?? "off")
    this.known = choice !== undefined
  }

  get policy(): UnionPolicy {
    return this.chosen
  }

  /** Throws a RangeError for the name of a policy that does not exist. */
  set(choice: UnionPolicyName | UnionPolicy): void {
    this.chosen = unionPolicy(choice)
    this.known = true
  }

  /**
   * The types of built-in kinds. Once the server was told about unions, definitions may hold `x-kubernetes-unions`, which a cluster
   * does not know.
   */
  types(given: TypeFinder = kubernetesTypes): TypeFinder {
    return {
      find: (apiVersion, kind) => {
        const found = given.find(apiVersion, kind)
        const defines = this.known && builtInKindOf({ apiVersion, kind })?.definesKinds === true
        return found !== undefined && defines ? { ...found, schema: withExtension(found.schema) } : found
      },
    }
  }

  /** Notes what reading a definition has taken from it: `unknown` has the paths of the fields that a cluster does not know. */
  noteRead(definition: MapValue, unknown: readonly string[]): void {
    if (unknown.some(path => path.endsWith(`.${unionsField}`))) this.stripped.add(definedKind(definition))
  }

  /**
   * Warns once for each kind whose unions are ignored, as nobody named a policy, not even `off`: with its definition or the first object that
   * is written. Undefined if there is nothing to warn about.
   */
  ignoredUnions({ resource, type }: Checked, object: MapValue): string | undefined {
    if (this.known) return undefined
    const defines = resource.builtIn?.definesKinds === true
    const kind = defines ? definedKind(object) : kindId(resource.group, resource.kind)
    if (this.checked.has(kind)) return undefined
    const hasUnions = !defines && type !== undefined && seesUnions(unionPolicies.extended, type, true)
    if (!this.stripped.has(kind) && !hasUnions) return undefined
    this.checked.add(kind)
    return `unions of ${kind} have no effect, as in a cluster; to settle them, name a union policy when the server is made`
  }

  /** Why unions of a definition mean nothing, for its author; none while the policy is off. */
  problemsOf(definition: MapValue): string[] {
    if (!this.policy.enabled) return []
    const wrong = schemaFromCRD(definition).diagnostics.filter(({ code }) => code === "wrong-union")
    return wrong.map(({ path, message }) => `${path}: ${message}`)
  }
}

/** An endpoint, as far as its kind matters. */
interface Checked {
  readonly resource: Pick<Resource, "group" | "kind" | "builtIn">
  readonly type: Type | undefined
}

const unionsField = "x-kubernetes-unions"

/** The kind that a definition defines: `Widget.example.com`. */
function definedKind(definition: MapValue): string {
  const spec = mapAt(definition, "spec")
  return kindId(textAt(spec, "group"), textAt(mapAt(spec, "names"), "kind"))
}

function kindId(group: string, kind: string): string {
  return group === "" ? kind : `${kind}.${group}`
}

const extended = new WeakMap<Schema, Schema>()

/** The schema with `x-kubernetes-unions` as a field of the schemas in definitions. */
function withExtension(schema: Schema): Schema {
  let found = extended.get(schema)
  if (found === undefined) {
    const types = schema.types.map(type => (type.name.endsWith(".JSONSchemaProps") ? withUnionsField(type) : type))
    extended.set(schema, (found = { ...schema, types }))
    offerUnions(found, () => withExtension(withOfferedUnions(schema)))
  }
  return found
}

function withUnionsField(type: TypeDef): TypeDef {
  const field = { name: unionsField, type: { namedType: untypedName } }
  return { ...type, map: { ...type.map, fields: [...(type.map?.fields ?? []), field] } }
}

/** An object at the steps of a request. */
interface AdmittedObject {
  /** The stored object; undefined for a new one. */
  readonly live: MapValue | undefined
  /** The object as the request made it, before admission. */
  readonly made: MapValue
  /** The object as admission made it. */
  readonly admitted: MapValue
}

/**
 * The admitted object with those unions settled that admission changed. Owners stay as they are, like after any other
 * change by admission, but nobody owns a cleared member any more; `unions` names its owners. Throws a UnionError if the
 * policy can't settle a union.
 */
export function settledAgain(
  policy: UnionPolicy,
  type: Type | undefined,
  { live, made, admitted }: AdmittedObject,
): { readonly object: MapValue; readonly unions: readonly UnionChange[] } {
  const plan = type === undefined || admitted === made ? null : normalizationPlan(policy, type)
  if (type === undefined || plan === null) return { object: admitted, unions: [] }
  const typed = (object: MapValue) => TypedValue.unvalidated(object, type)
  const { object, findings } = settleAdmitted(policy, plan, live && typed(live), typed(made), typed(admitted))
  const changes = changesOf(policy, findings)
  return changes.length === 0 ? { object: admitted, unions: [] } : withoutCleared(object.value as MapValue, changes)
}

/** The object whose managers own nothing of the members that were cleared, and the changes with those who owned them. */
function withoutCleared(object: MapValue, changes: readonly UnionChange[]) {
  const managed = decodeManagedFields(readManagedFields(object) ?? [])
  const lost = FieldSet.of(changes.flatMap(change => change.cleared.map(({ field }) => unionFieldPath(change, field))))
  const fields = new Map<string, VersionedSet>()
  for (const [manager, owner] of managed.fields) {
    const set = owner.set.recursiveDifference(lost)
    if (!set.isEmpty()) fields.set(manager, { ...owner, set })
  }
  const unions = changes.map(change => ({
    ...change,
    cleared: change.cleared.map(member => {
      const path = FieldSet.of([unionFieldPath(change, member.field)])
      const owns = ({ set }: VersionedSet) => !set.recursiveDifference(path).equals(set)
      const owners = Array.from(managed.fields).flatMap(([manager, owner]) => (owns(owner) ? [manager] : []))
      return { ...member, owners: owners.sort(compareStrings) }
    }),
  }))
  return { object: withManagedFields(object, encodeManagedFields({ ...managed, fields })), unions }
}

/** What is wrong with the unions of an object. */
export interface UnionFindings {
  /** What the request is refused for. */
  readonly refused: readonly UnionFieldError[]
  /** How many problems more there are that may stay, as the stored object has them too. */
  readonly ratcheted: number
}

const nothing: UnionFindings = { refused: [], ratcheted: 0 }

/** Validates the unions of an object that is to be stored in the place of `live`, which is undefined for a new one. */
export function unionFindings(
  policy: UnionPolicy,
  type: Type | undefined,
  object: MapValue,
  live: MapValue | undefined,
): UnionFindings {
  if (type === undefined || policy.invalidResult === "accept" || !seesUnions(policy, type, true)) return nothing
  // Values that do not fit their types are the business of other checks.
  const next = TypedValue.unvalidated(object, type)
  const all = validateUnions(undefined, next, { policy, ratchet: false })
  if (all.length === 0 || live === undefined) return { refused: all, ratcheted: 0 }
  const refused = validateUnions(TypedValue.unvalidated(live, type), next, { policy })
  return { refused, ratcheted: all.length - refused.length }
}

export function problemOf(error: UnionFieldError): Problem {
  return { reason: error.type, field: error.field, message: bodyOf(error) }
}

/** What may happen to a union in a request. */
export type UnionEvent = "settled" | "implied" | "cleared" | "refused" | "ratcheted"

/** What happened to unions in one request. */
export class UnionEvents {
  /** The name of the policy. */
  readonly policy: string
  readonly counts = new Map<UnionEvent, number>()

  constructor(policy: string) {
    this.policy = policy
  }

  add(event: UnionEvent, count: number): void {
    if (count > 0) this.counts.set(event, (this.counts.get(event) ?? 0) + count)
  }

  /** Adds what the engine did. Returns a warning for each change that took a member from managers other than the one that asked. */
  addChanges(changes: readonly UnionChange[], manager: string): string[] {
    this.add("settled", changes.length)
    for (const { discriminator, cleared } of changes) {
      this.add("implied", discriminator?.implied === true ? 1 : 0)
      this.add("cleared", cleared.length)
    }
    const takes = ({ cleared }: UnionChange) => cleared.some(({ owners }) => owners.some(owner => owner !== manager))
    return changes
      .map(withManagerNames)
      .filter(takes)
      .map(change => `union ${formatUnionChange(change)}`)
  }
}
