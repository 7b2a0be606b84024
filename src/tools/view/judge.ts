// Works out the effect of a configuration on the object. The module is loaded when an element gets its first configuration.
import { hasCode } from "../../errors.js"
import { parseManifests } from "../../io/manifests.js"
import { applyTextEdits } from "../../io/yaml-edit.js"
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import type { MapValue } from "../../value/value.js"
import { type ExplainedConflict, type Explanation, explain } from "../ownership/explain.js"
import { objectName } from "../ownership/object-name.js"
import { type Plan, plan } from "../ownership/plan.js"
import type { Way } from "./conflict-card.js"

/** The apply of a configuration. */
export interface ConfiguredApply {
  /** YAML, possibly with several documents. */
  readonly configuration: string
  readonly manager: string
  readonly force: boolean
  readonly types: TypeFinder | undefined
}

/** The effect of an apply. */
export interface Judgement {
  readonly plan?: Plan
  /** The conflicts with their ways out; absent if the apply has none. */
  readonly explanation?: Explanation
  /** The reason why there is no plan. */
  readonly problem?: string
}

/** Returns the effect of an apply to the object. Problems of the configuration are part of the result. */
export function judge(live: MapValue | undefined, apply: ConfiguredApply): Judgement {
  const { configuration, manager, force, types } = apply
  if (types === undefined)
    return { problem: "set types, such as kubernetesTypes, to see what the configuration would change" }
  try {
    const config = documentFor(live, configuration)
    const request = { types, manager, source: { text: configuration } }
    const planned = plan(live, config, { ...request, force })
    return { plan: planned, ...(planned.outcome === "conflict" && { explanation: explain(live, config, request) }) }
  } catch (error) {
    if (hasCode(error) || error instanceof TypeError || error instanceof RangeError) return { problem: error.message }
    throw error
  }
}

/** Returns the document of a text that is about the live object; without a live object, or if the text has only one, the first. */
function documentFor(live: MapValue | undefined, text: string): object {
  const documents = parseManifests(text)
  const [first] = documents
  if (first === undefined) throw new TypeError("the configuration has no object")
  if (live === undefined || documents.length === 1) return first
  const { kind, name, namespace } = objectName(live)
  const found = documents.find(document => {
    const other = objectName(document as unknown as MapValue)
    return other.kind === kind && other.name === name && (other.namespace ?? namespace) === namespace
  })
  if (found === undefined) throw new TypeError(`the configuration has no ${kind} ${name}`)
  return found
}

/** Returns the text after a way out of a conflict; undefined if edits of the text can't be the way. */
export function textAfter(text: string, { ways }: ExplainedConflict, way: Way): string | undefined {
  const edits = way === "overwrite" ? undefined : ways[way].source?.edits
  return edits && applyTextEdits(text, edits)
}
