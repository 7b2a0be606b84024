// The reasons other than conflicts for which a server refuses an apply, and their places in the configuration.

import { refusedFields } from "../../kinds/refusal/failure.js"
import { nowhere } from "../../kinds/refusal/field-error.js"
import type { Status } from "../../managedfields/chain/status.js"
import type { Type } from "../../typed/type.js"
import type { Steps } from "../../value/change.js"
import { equalValues } from "../../value/equal.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import type { WriteStep } from "../../write/step.js"
import { objectType } from "./fields.js"
import type { Finding } from "./finding.js"
import { isRefused, type RefusedApply, type Trial } from "./request.js"
import { findInSource, type SourcePlace, type SourceText } from "./source.js"

/** A refusal of an API server for a reason other than conflicts. */
export interface PlannedRefusal {
  /**
   * The step that refuses the request: `read` if no server serves the kind, `merge` if the live object and the configuration can't be
   * merged, `place` if the name or namespace is wrong, `admission`, `strategy` for a stale resourceVersion, and `validation`.
   */
  readonly step: WriteStep
  /** The server's message, for people. */
  readonly message: string
  /**
   * The causes that the server names, or the values that its message is about without naming their fields. As in a server's answer, there are
   * none if the configuration does not fit its type, such as with an unknown field, or if no server serves the kind: see `message`.
   */
  readonly causes: readonly RefusalCause[]
}

/** One reason for a refusal. */
export interface RefusalCause {
  /** A code for programs, such as `FieldValueInvalid`; "" if the server gives none, as for policies. */
  readonly reason: string
  /** The field as the server names it, such as `spec.containers[0].image`; "" if the server names none. */
  readonly field: string
  /** The reason, for people. */
  readonly message: string
  /**
   * The place of the field in the configuration's text, or of the closest field around it; absent without a text, or if the text has
   * neither.
   */
  readonly source?: SourcePlace
}

/** Returns a refusal with the server's response; nothing if the result is accepted. `source` is the texts of the configuration. */
export function plannedRefusal(
  result: Trial["result"],
  trial: Trial,
  source: SourceText | readonly SourceText[] | undefined,
): { readonly status?: Status; readonly refusal?: PlannedRefusal } {
  if (!isRefused(result)) return {}
  return { status: result.failure.status as unknown as Status, refusal: refusalOf(result, trial, source) }
}

function refusalOf(
  { step, failure, refused }: RefusedApply,
  { config, request: { types } }: Trial,
  source: SourceText | readonly SourceText[] | undefined,
): PlannedRefusal {
  const { message } = failure
  const text = findInSource(source, config)
  const type = objectType(types, config)
  const causes = refusedFields(failure).map(({ reason, field, message }) => {
    const place = text?.placeOf(stepsInConfig(fieldOf({ field, message }), refused ?? config, config, type))
    return { reason, field, message, ...(place !== undefined && { source: place }) }
  })
  return { step, message, causes }
}

/** Returns the finding that a server refuses the apply for a reason other than conflicts; empty if it does not. */
export function refusedAs({ refusal, result }: Trial): Finding[] {
  if (refusal !== null || !isRefused(result)) return []
  return [
    {
      code: "refused",
      message: `A server refuses the apply for another reason than conflicts: ${result.failure.message}`,
    },
  ]
}

/**
 * Returns the field that a cause is about; "" for the whole object. For alternatives (oneOf, anyOf, not) a server names the field only in
 * the message.
 */
export function fieldOf({ field, message }: Pick<RefusalCause, "field" | "message">): string {
  if (field !== nowhere) return field
  return /^Invalid value: "": "([^"]+)" must (?:not )?validate /.exec(message)?.[1] ?? ""
}

/**
 * Returns the steps to a field in the configuration, or to the closest field around it. The indexes in `field` count the items of the
 * refused object, which may differ from those of the configuration, so items are matched by their keys.
 */
export function stepsInConfig(field: string, refused: MapValue, config: MapValue, type: Type | undefined): Steps {
  const steps: (string | number)[] = []
  let [from, to, at]: [Value | undefined, Value | undefined, Type | undefined] = [refused, config, type]
  for (const [, name, bracketed] of field.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)) {
    if (isList(to ?? null)) {
      const item: Value | undefined = isList(from ?? null) ? (from as readonly Value[])[Number(bracketed)] : undefined
      const keys = at?.list?.keys ?? []
      const index = (to as readonly Value[]).findIndex(other => isSameItem(item, other, keys))
      if (index < 0) break
      steps.push(index)
      from = item
      to = (to as readonly Value[])[index]
      at = at?.list?.item
      continue
    }
    const key = name ?? bracketed ?? ""
    if (!isMap(to) || own(to as MapValue, key) === undefined) break
    steps.push(key)
    from = isMap(from) ? own(from as MapValue, key) : undefined
    to = own(to as MapValue, key)
    at = at?.map?.fields.get(key)?.type ?? at?.map?.rest
  }
  return steps
}

/** Whether the items have the same keys or, without keys, are equal. Keys that the configuration omits are not compared. */
function isSameItem(a: Value | undefined, b: Value, keys: readonly { readonly name: string }[]): boolean {
  if (a === undefined) return false
  if (keys.length === 0 || !isMap(a) || !isMap(b)) return equalValues(a, b)
  return keys.every(({ name }) => {
    const given = own(b, name)
    return given === undefined || equalValues(own(a, name) ?? null, given)
  })
}
