// Stages with their expressions compiled.

import { metadataOf, metaText } from "../../schema/metadata.js"
import { mapAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { oncePer } from "../../value/once-per.js"
import type { MapValue, Value } from "../../value/value.js"
import { functions } from "./functions/functions.js"
import type { ClusterView, Step } from "./functions/request.js"
import { actionsOf, type Stage, type StageAction } from "./stages.js"
import { compileCondition, compileTemplate, type Variables } from "./template.js"

type Steps = (object: MapValue, variables: Variables, cluster: ClusterView) => readonly Step[]

/** A stage, ready to run. */
export interface RunningStage {
  readonly stage: Stage
  readonly manager: string
  readonly delay: number
  readonly user: (variables: Variables) => string | undefined
  readonly selects: (object: MapValue, variables: Variables) => boolean
  readonly steps: Steps
}

/** Returns a stage with its expressions compiled, once. Throws a StructuredMergeError for an expression that is not right. */
export const runningStage = oncePer((stage: Stage): RunningStage => {
  const where = `stage ${stage.name}`
  const { selector = {}, manager = stage.name, delay = 0 } = stage
  const labels = Object.entries(selector.matchLabels ?? {})
  const conditions = (selector.matchConditions ?? []).map(text => compileCondition(text, where))
  const user = stage.user === undefined ? undefined : compileTemplate(stage.user, where)
  const actions = actionsOf(stage).map(action => compileAction(action, where))
  return {
    ...{ stage, manager, delay },
    user: variables => (user === undefined ? undefined : String(user(variables))),
    selects: (object, variables) => {
      const given = mapAt(metadataOf(object), "labels")
      return labels.every(([key, value]) => own(given, key) === value) && conditions.every(holds => holds(variables))
    },
    steps: (object, variables, cluster) => actions.flatMap(action => action(object, variables, cluster)),
  }
})

function compileAction({ call, create, patch, subresource = "", type }: StageAction, where: string): Steps {
  if (call !== undefined) return (object, _, cluster) => functions[call]?.(object, cluster) ?? []
  if (patch !== undefined) {
    const template = compileTemplate(patch as Value, where)
    return (object, variables) => [{ verb: "patch", object, patch: template(variables), subresource, type }]
  }
  if (create === undefined) return object => [{ verb: "delete", object, isForced: true }]
  const template = compileTemplate(create as Value, where)
  return (selected, variables, { find }) => {
    const object = template(variables) as MapValue
    const namespace = metaText(object, "namespace") || metaText(selected, "namespace") || "default"
    const name = metaText(object, "name")
    const found = name === "" ? undefined : find(textAt(object, "apiVersion"), textAt(object, "kind"), namespace, name)
    return found === undefined ? [{ verb: "create", object, namespace }] : []
  }
}
