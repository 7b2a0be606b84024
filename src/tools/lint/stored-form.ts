// Finds values of configurations that a server stores in another form: zeros that Go omits, quantities, atomic values that get defaults.
//
// No rule is written down here. The configuration is applied twice, by different managers: whatever is in conflict the second time has been
// stored in another form.
import { hasCode } from "../../errors.js"
import { fieldElement, indexElement } from "../../fieldpath/create-element.js"
import type { PathElement } from "../../fieldpath/element.js"
import { Lookup } from "../../fieldpath/lookup.js"
import { formatPath } from "../../fieldpath/path.js"
import { formatJson } from "../../json/json.js"
import { kindsOf } from "../../kinds/kinds.js"
import { RequestFailure } from "../../kinds/refusal/failure.js"
import type { ApplyConflictError, FieldConflict } from "../../managedfields/chain/status.js"
import { withoutManagedFields } from "../../managedfields/entries/entry.js"
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { objectKindOf } from "../../schema/group-version-kind.js"
import { anObject, aTypeFinder, requireArgument, requireOptions } from "../../value/argument.js"
import { type ValueChange, withChanges } from "../../value/change.js"
import { equalValues } from "../../value/equal.js"
import { isEmptyMap, own } from "../../value/object.js"
import { formatPointer } from "../../value/pointer.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { listAnd } from "../../value/words.js"
import { Endpoint, endpointOptions } from "../../write/endpoint.js"
import { finding, type LintFinding } from "./finding.js"

/** The options of `lintStoredForm`. */
export interface StoredFormOptions {
  /** Finds types. `kubernetes` also knows how servers store built-in kinds, and `kubernetes.with(crds)` custom resources. */
  readonly types: TypeFinder
}

/**
 * Finds values of a configuration that a server stores in another form, such as `hostNetwork: false`, which it omits, or `1024Mi`, which
 * becomes `1Gi`. A second manager that applies the same configuration is in conflict about them. If the stored object stays the same without
 * the value or with another one, the finding has a `patch` of the configuration. Finds nothing in objects of unknown kinds, and in those
 * that no server could merge.
 *
 * @example
 * ```ts
 * import { kubernetes } from "structured-merge-diff/kinds"
 * import { lintStoredForm } from "structured-merge-diff/lint"
 *
 * const spec = { hostNetwork: false, containers: [{ name: "web", image: "web", resources: { limits: { memory: "1024Mi" } } }] }
 * const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec }
 * for (const { path, patch } of lintStoredForm(pod, { types: kubernetes })) console.log(path, JSON.stringify(patch))
 * // .spec.hostNetwork [{"op":"remove","path":"/spec/hostNetwork"}]
 * // .spec.containers[name="web"].resources.limits.memory [{"op":"replace","path":"/spec/containers/0/resources/limits/memory","value":"1Gi"}]
 * ```
 */
export function lintStoredForm(config: object, options: StoredFormOptions): readonly LintFinding[] {
  requireArgument("config", config, anObject)
  requireOptions("options", options, { types: aTypeFinder })
  const { types } = options
  const given = config as MapValue
  const resource = kindsOf(types).resource(objectKindOf(given))
  if (resource === undefined || resource.plain) return []
  const endpoint = new Endpoint(resource, "", endpointOptions({ types, unions: "off", clock: () => epoch }, undefined))
  const stored = storedForm(endpoint, given)
  if (stored === undefined) return []
  const differences = conflictsOfSecond(endpoint, stored, given).flatMap(conflict => differencesIn(given, conflict))
  const isSame = (changes: readonly ValueChange[]): boolean => {
    const other = storedForm(endpoint, withChanges(given, changes) as MapValue)
    return other !== undefined && equalValues(withoutManagedFields(other), withoutManagedFields(stored))
  }
  const areSame = isSame(differences.map(({ change }) => change))
  return differences.map(difference => differenceFinding(difference, areSame || isSame([difference.change])))
}

const epoch = new Date(0)

/** Returns the object that a server stores if a manager applies the configuration; undefined if it can't merge the configuration. */
function storedForm(endpoint: Endpoint, config: MapValue): MapValue | undefined {
  return unlessRefused(() => {
    const { object } = endpoint.manager.apply(undefined, config, { manager: "first" })
    return endpoint.throughStorage(endpoint.shape(object, undefined, true).object)
  })
}

/** Returns the conflicts of a second manager that applies the same configuration. */
function conflictsOfSecond(endpoint: Endpoint, stored: MapValue, config: MapValue): readonly FieldConflict[] {
  const attempt = unlessRefused(() => endpoint.manager.tryApply(stored, config, { manager: "second" }))
  if (attempt === undefined || attempt.ok || !hasCode(attempt.error, "conflict")) return []
  return (attempt.error as ApplyConflictError).conflicts
}

function unlessRefused<T>(request: () => T): T | undefined {
  try {
    return request()
  } catch (error) {
    if (error instanceof RequestFailure || hasCode(error)) return undefined
    throw error
  }
}

/** A part of the configuration that is stored in another form. */
interface Difference {
  readonly conflict: FieldConflict
  /** The elements from the field in conflict to the part, which is inside an atomic value; none for the field itself. */
  readonly inside: readonly PathElement[]
  readonly configured: Value
  /** The part as it is stored; undefined if it is not. */
  readonly stored: Value | undefined
  readonly change: ValueChange
}

/** Returns the innermost parts of a field in conflict that are stored in another form. */
function differencesIn(config: MapValue, conflict: FieldConflict): Difference[] {
  const steps = new Lookup(config).stepsTo(conflict.path)
  const found: Difference[] = []
  const visit = (configured: Value, stored: Value | undefined, inside: readonly PathElement[]): void => {
    if (stored !== undefined && isMap(configured) && isMap(stored) && addedKeys(configured, stored).length === 0) {
      for (const key of Object.keys(configured)) {
        visit(own(configured, key) as Value, own(stored, key), [...inside, fieldElement(key)])
      }
    } else if (stored !== undefined && isList(configured) && isList(stored) && configured.length === stored.length) {
      configured.forEach((item, i) => visit(item, stored[i], [...inside, indexElement(i)]))
    } else if (stored === undefined || !equalValues(configured, stored)) {
      const more = inside.map(element =>
        element.kind === "field" ? element.name : Number(Reflect.get(element, "index")),
      )
      found.push({
        conflict,
        inside,
        configured,
        stored,
        change: { steps: [...(steps ?? []), ...more], value: stored },
      })
    }
  }
  if (steps !== undefined && conflict.configured !== undefined) visit(conflict.configured, conflict.live, [])
  return found
}

/** Returns the keys that only the stored map has. */
function addedKeys(configured: MapValue, stored: MapValue): string[] {
  return Object.keys(stored).filter(key => own(configured, key) === undefined)
}

function differenceFinding({ conflict, inside, configured, stored, change }: Difference, isSame: boolean): LintFinding {
  const path = formatPath([...conflict.path, ...inside])
  const about = inside.length === 0 ? "it" : formatPath(conflict.path)
  const [does, remedy] = formsOf(configured, stored)
  const message = `a server ${does}, so a second manager that applies the same is in conflict about ${about}`
  const other = `let a single manager apply ${about}`
  const found = finding("config-not-canonical", path, message, isSame ? remedy : other)
  if (!isSame) return found
  const op = stored === undefined ? "remove" : "replace"
  const operation = { op, path: formatPointer(change.steps), ...(stored !== undefined && { value: stored }) } as const
  return { ...found, patch: [operation] }
}

/** Returns what a server does with the configured value, and what to do about it. */
function formsOf(configured: Value, stored: Value | undefined): readonly [does: string, remedy: string] {
  if (stored === undefined)
    return [`does not store ${isNothing(configured) ? formatJson(configured) : "this"}`, "omit it"]
  const added = isMap(configured) && isMap(stored) ? addedKeys(configured, stored) : []
  if (added.length > 0) return [`adds ${listAnd(added)}`, "configure what is stored"]
  const isShort = !isMap(stored) && !isList(stored)
  if (!isShort) return ["stores another value", "configure what is stored"]
  return [`stores ${formatJson(stored)} instead of ${formatJson(configured)}`, `write ${formatJson(stored)}`]
}

/** Whether the value says nothing: it is null, empty or zero. */
function isNothing(value: Value): boolean {
  if (isList(value)) return value.length === 0
  return isMap(value) ? isEmptyMap(value) : !value
}
