// The fields that requests to an object or a subresource can't write. A server resets them, and nobody owns them through such a request.

import { kubernetesResetFields } from "../../kubernetes/reset-fields.js"
import type { FieldManagerOptions, ResetFields } from "../../managedfields/request.js"
import { customResourceResetFields } from "../../managedfields/subresources/custom-resource.js"
import type { ObjectKind } from "../../schema/group-version-kind.js"
import type { Resource } from "./resource.js"

/** Returns the fields that requests to a subresource ("" for the main resource) reset, by version. Undefined if they reset nothing. */
export type ResetFieldsOf = (subresource: string) => ResetFields | undefined

/**
 * Returns the fields that requests to objects of a kind reset. `chosen` is the caller's choice: a function decides where it returns fields, a
 * map decides for every subresource. Otherwise the definition of the kind decides, or the tables of the built-in kinds if there is none.
 * Undefined if nothing of this knows the kind.
 */
export function resetFieldsOf(
  { apiVersion, kind, plain }: ObjectKind & Pick<Resource, "plain">,
  definition: object | undefined,
  chosen?: FieldManagerOptions["resetFields"],
): ResetFieldsOf | undefined {
  if (chosen !== undefined && typeof chosen !== "function") return () => chosen
  const known = plain
    ? undefined
    : definition === undefined
      ? kubernetesResetFields(apiVersion, kind)
      : customResourceResetFields(definition, apiVersion)
  if (chosen === undefined) return known
  return subresource => chosen(subresource, { apiVersion, kind }) ?? known?.(subresource)
}
