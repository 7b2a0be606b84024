// One kind of action, and the parts that several have in common.

import { badRequest } from "../../kinds/refusal/failure.js"
import type { Resource } from "../../kinds/resource/resource.js"
import { metaText } from "../../schema/metadata.js"
import { textAt } from "../../value/fields.js"
import type { MapValue } from "../../value/value.js"
import type { Endpoint } from "../../write/endpoint.js"
import type { DeleteContext } from "../storage/delete.js"

/** The parts of the server that actions need. */
export interface ActionContext extends DeleteContext {
  readonly endpoint: (resource: Resource, subresource: string) => Endpoint
}

/** The object that an action is about. */
export interface ActionTarget {
  readonly namespace: string
  readonly name: string
  readonly dryRun: boolean
}

/** One kind of action. Its functions throw a RequestFailure to refuse the request. */
export interface Action {
  /** Fills in the defaults of the request. */
  readonly defaults?: (body: MapValue) => MapValue
  /** Completes the request as the server's own admission plugins do. */
  readonly admit?: (body: MapValue, context: ActionContext) => MapValue
  /** Checks the request, and completes it, before policies and webhooks check it. */
  readonly check: (body: MapValue, target: ActionTarget, context: ActionContext) => MapValue
  /** Acts, and returns the answer. */
  readonly act: (body: MapValue, target: ActionTarget, context: ActionContext) => MapValue
}

/** Throws a RequestFailure if the body is about another object than the URL. */
export function requireName(body: MapValue, { name }: ActionTarget): void {
  const kind = textAt(body, "kind")
  if (metaText(body, "name") !== name) throw badRequest(`name in URL does not match name in ${kind} object`)
}

/** The answer to an action that has no other. */
export const success: MapValue = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 }
