import { UnionError } from "../errors.js"
import { fieldElement } from "../fieldpath/create-element.js"

import type { Path } from "../fieldpath/path.js"
import { FieldSet } from "../fieldpath/set.js"
import { during } from "../merge/versions.js"
import { objectKindOf } from "../schema/group-version-kind.js"
import type { TypedValue } from "../typed/typed-value.js"
import { settleApply } from "../union/normalize.js"
import { normalizationPlan } from "../union/plan.js"
import { defaultUnionPolicy, type UnionPolicy, type UnionPolicyName, unionPolicy } from "../union/policy.js"
import { aString, optional, requireOptions } from "../value/argument.js"
import { textAt } from "../value/fields.js"
import { own, put } from "../value/object.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import { DecodedSets } from "./entries/decoded-sets.js"
import { type ManagedFieldsEntry, readManagedFields } from "./entries/entry.js"
import { managerOptions } from "./request.js"
import { ObjectTypes, type TypeFinder, typesUnder } from "./types/object-types.js"

/** The manager whose fields are extracted, and how. */
export interface ExtractOptions {
  /** Finds the type of the object. */
  readonly types: TypeFinder
  /** The name of the manager that applied. */
  readonly manager: string
  /** The subresource through which the manager applied; "" or absent for the main resource. */
  readonly subresource?: string | undefined
  /**
   * Leave out the discriminators that the engine writes under this policy anyway: they would contradict another member if the caller
   * replaces the present one. `extended` if absent; `off` leaves out nothing.
   */
  readonly unions?: UnionPolicyName | UnionPolicy | undefined
}

/**
 * Returns the configuration that `manager` has applied to the object: its apiVersion and kind, and the fields that the manager owns, with
 * their current values, which are shared with the object. To change and apply it again, add the name (and namespace). Undefined if the
 * manager has applied nothing, or no longer owns anything. Fields that the object does not have are left out; if it has none of them,
 * apiVersion and kind remain.
 *
 * `T` is the configuration's type as the caller knows it, such as `Partial<V1Deployment>`; it is not checked.
 *
 * Throws a StructuredMergeError if the object has no type or does not fit it, or if fieldsV1 is malformed.
 *
 * @example
 * ```ts
 * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
 * import { extract, FieldManager } from "structured-merge-diff/managedfields"
 *
 * const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { color: "red" } }
 * const { object } = new FieldManager({ types: kubernetesTypes }).apply(undefined, config, { manager: "web" })
 * console.log(JSON.stringify(extract(object, { types: kubernetesTypes, manager: "web" })))
 * // {"apiVersion":"v1","kind":"ConfigMap","data":{"color":"red"}}
 * ```
 */
export function extract<T extends object = MapValue>(object: object, options: ExtractOptions): T | undefined {
  const { types, unions } = managerOptions
  requireOptions("options", options, { types, unions, manager: aString, subresource: optional(aString) })
  return new AppliedFields(object as MapValue, options).of(options.manager, options.subresource) as T | undefined
}

/**
 * The configurations that managers have applied to an object, which is validated once for all of them. Throws the same errors as `extract`.
 */
export class AppliedFields {
  private readonly source: MapValue
  private readonly typed: TypedValue
  private readonly policy: UnionPolicy
  private readonly entries: ReadonlyMap<string, ManagedFieldsEntry>
  private readonly sets: DecodedSets

  constructor(
    source: MapValue,
    { types, unions }: Pick<ExtractOptions, "types" | "unions">,
    sets: DecodedSets = new DecodedSets(),
  ) {
    this.source = source
    this.sets = sets
    this.policy = unionPolicy(unions ?? defaultUnionPolicy)
    this.typed = during("error converting obj to typed", () =>
      new ObjectTypes(typesUnder(types, unions)).toTyped(source),
    )
    const applied = (readManagedFields(source) ?? []).filter(({ operation }) => operation === "Apply")
    // If a manager has several entries, the first one counts.
    this.entries = new Map(applied.map(entry => [idOf(entry), entry] as const).reverse())
  }

  /** Returns the result of `extract` for a manager. */
  of(manager: string, subresource = ""): MapValue | undefined {
    const entry = this.entries.get(idOf({ manager, subresource }))
    if (entry === undefined) return undefined
    const { set } = during("error marshalling FieldsV1 to JSON", () => this.sets.decode(entry.fieldsV1))
    const { value } = withoutImplied(this.typed.extractItems(set.leaves()), this.policy)
    const extracted: MapValue = isMap(value) ? value : {}
    if (own(extracted, "kind") !== undefined || textAt(this.source, "kind") === "") return extracted
    const out: Record<string, Value> = { ...objectKindOf(this.source) }
    for (const key in extracted) put(out, key, extracted[key] as Value)
    return out
  }
}

function idOf({ manager = "", subresource = "" }: Pick<ManagedFieldsEntry, "manager" | "subresource">): string {
  return JSON.stringify([manager, subresource])
}

/** Returns the value without the discriminators that the engine would write from the only member that is set. */
function withoutImplied(extracted: TypedValue, policy: UnionPolicy): TypedValue {
  const plan = normalizationPlan(policy, extracted.type)
  if (plan === null) return extracted
  const implied: Path[] = []
  try {
    const { decisions } = settleApply(
      { ...policy, applyBasis: "applied-fields" },
      plan,
      undefined,
      extracted,
      extracted,
    )
    for (const { path, union, decision, before } of decisions) {
      if (union.discriminator === undefined || decision.write === undefined) continue
      if (union.rawSelection(before) === decision.write) implied.push([...path, fieldElement(union.discriminator)])
    }
  } catch (error) {
    if (!(error instanceof UnionError)) throw error // the next apply refuses a contradiction
  }
  return extracted.removeItems(FieldSet.of(implied))
}
