// Stages: what the controllers of a server do with objects, as data. controllers.schema.json describes the same format for editors.

import { StructuredMergeError } from "../../errors.js"
import { didYouMean } from "../../value/nearest.js"
import { own } from "../../value/object.js"
import { anyOf, record, type Shape, type ShapeProblem, shapeProblems } from "../../value/shape.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { wildcardPattern } from "../../value/words.js"

/** One stage: the objects that it is for, and the requests that a controller sends next. */
export interface Stage {
  /** The name of the stage. It replaces an earlier stage of the same name. */
  readonly name: string
  /** The resource of the objects: `pods`, `deployments.apps`. */
  readonly resource: string
  /** Selects objects of the resource. If absent: all. */
  readonly selector?: StageSelector | undefined
  /** How long an object has to be selected before the requests are sent, in milliseconds by the clock of the server; 0 if absent. */
  readonly delay?: number | undefined
  /**
   * Resources whose changes make the stage look at its objects again: at the controller in the ownerReferences of the changed object, at all objects
   * in its namespace, or at all objects.
   */
  readonly watches?: Readonly<Record<string, "owner" | "namespace" | "all">> | undefined
  /** The name of the field manager; the name of the stage if absent. */
  readonly manager?: string | undefined
  /** The user that policies and webhooks see; the administrator if absent. */
  readonly user?: string | undefined
  /** The requests, in their order. */
  readonly next: StageAction | readonly StageAction[]
}

/** The objects of a stage. An object must fit all members that are given. */
export interface StageSelector {
  /** Labels that the object has. */
  readonly matchLabels?: Readonly<Record<string, string>> | undefined
  /** Expressions in CEL that are true for the `object`. An expression that fails, for example because a field is missing, counts as false. */
  readonly matchConditions?: readonly string[] | undefined
}

/** A request of a stage: one of `create`, `patch`, `delete` and `call`. */
export interface StageAction {
  /** Creates this object, unless one of its name exists. Texts may have expressions in CEL: `${object.metadata.name}`. */
  readonly create?: object | undefined
  /** Patches the object. Texts may have expressions, as in `create`. */
  readonly patch?: object | undefined
  /** The subresource to patch: `status`. */
  readonly subresource?: string | undefined
  /** The kind of patch. If absent: `strategic`, or `merge` for custom resources. */
  readonly type?: "strategic" | "merge" | "apply" | undefined
  /** Deletes the object; a Pod at once, without a grace period. */
  readonly delete?: true | undefined
  /** The name of a function of the built-in stages, which decides on the requests. */
  readonly call?: string | undefined
}

const text = anyOf("name")
const action = record(
  {
    create: anyOf("map"),
    patch: anyOf("map"),
    subresource: text,
    type: { is: "one of", texts: ["strategic", "merge", "apply"] },
    delete: anyOf("flag"),
    call: text,
  },
  [],
  ["create", "patch", "delete", "call"],
)
const actionOnly = record({ next: action })
const actionList = record({ next: { is: "list", of: action } })
const selector = record({ matchLabels: { is: "map", of: anyOf("text") }, matchConditions: { is: "list", of: text } })
const stage = record(
  {
    ...{ name: text, resource: text, manager: text, user: text },
    ...{ selector, delay: anyOf("number"), next: anyOf("map", "list") },
    watches: { is: "map", of: { is: "one of", texts: ["owner", "namespace", "all"] } },
  },
  ["name", "resource", "next"],
)
const document: Shape = record({ $schema: text, stages: { is: "list", of: anyOf("map", "name") } }, ["stages"])

/** A resource as stages name it. */
const resourceName = /^[a-z0-9]+(\.[a-z0-9.-]+)?$/

/** The names of the functions of the built-in stages, and of the stages themselves. */
export interface BuiltInNames {
  readonly stages: readonly string[]
  readonly functions: readonly string[]
}

/** Returns the problems of a document `{ stages: [...] }`, each with its path. */
export function stageProblems(given: Value, names: BuiltInNames): readonly ShapeProblem[] {
  const problems = shapeProblems(given, document)
  if (problems.length > 0) return problems
  return (own(given as MapValue, "stages") as readonly Value[]).flatMap((item, i) => {
    const at = ["stages", i]
    if (!isMap(item)) return nameProblems(String(item), at, names)
    const inside = shapeProblems(item, stage, at)
    if (inside.length > 0) return inside
    const next = { next: own(item, "next") as Value }
    return [
      ...shapeProblems(next, isMap(next.next) ? actionOnly : actionList, at),
      ...stageMemberProblems(item, i, names),
    ]
  })
}

function nameProblems(name: string, steps: readonly (string | number)[], { stages }: BuiltInNames): ShapeProblem[] {
  const pattern = wildcardPattern(name.replace(/^!/, ""))
  if (stages.some(each => pattern.test(each))) return []
  const message = `.stages[${steps[1]}]: there is no built-in stage ${name}${didYouMean(name, stages)}`
  return [{ steps, message }]
}

function stageMemberProblems(item: MapValue, index: number, { functions }: BuiltInNames): ShapeProblem[] {
  const problems: ShapeProblem[] = []
  const at = (key: string, message: string) =>
    problems.push({ steps: ["stages", index, key], message: `.stages[${index}].${key} ${message}` })
  if (/\s/.test(String(own(item, "name")))) at("name", "must not have blanks")
  const delay = own(item, "delay")
  if (delay !== undefined && !(Number(delay) >= 0)) at("delay", "must be milliseconds of at least 0")
  for (const name of [own(item, "resource"), ...Object.keys((own(item, "watches") ?? {}) as MapValue)]) {
    if (!resourceName.test(String(name)))
      at(
        name === own(item, "resource") ? "resource" : "watches",
        'must be the plural with its group: "deployments.apps"',
      )
  }
  for (const action of actionsOf(item as unknown as Stage)) {
    const { call, patch } = action
    if (call !== undefined && !functions.includes(call))
      at("next", `calls ${call}, which is no function${didYouMean(call, functions)}`)
    if (action.delete !== undefined && action.delete !== true) at("next", "has delete: false; leave it out")
    if (patch === undefined && (action.type !== undefined || action.subresource !== undefined))
      at("next", "has type or subresource without patch")
  }
  return problems
}

/** Returns the actions of a stage. */
export function actionsOf({ next }: Stage): readonly StageAction[] {
  return Array.isArray(next) ? next : [next as StageAction]
}

/** An item of a list of stages: a stage, or the name of built-in ones: `*`, `pod-*`, or `!pod-ready` for all named before but that one. */
export type StageItem = Stage | string

/** Returns the stages of a list. Throws a StructuredMergeError with all problems. */
export function readStages(
  items: readonly StageItem[],
  builtIn: readonly Stage[],
  functions: readonly string[],
): readonly Stage[] {
  const names = { stages: builtIn.map(({ name }) => name), functions }
  const problems = stageProblems({ stages: items as unknown as readonly Value[] }, names)
  if (problems.length > 0) throw new StructuredMergeError("bad-request", problems.map(each => each.message).join("\n"))
  const stages = new Map<string, Stage>()
  for (const item of items) {
    if (typeof item !== "string") stages.set(item.name, item)
    else {
      const pattern = wildcardPattern(item.replace(/^!/, ""))
      for (const each of builtIn) {
        if (!pattern.test(each.name)) continue
        if (item.startsWith("!")) stages.delete(each.name)
        else stages.set(each.name, each)
      }
    }
  }
  return [...stages.values()]
}

/** Returns the key of a resource in the store: `apps/deployments` for `deployments.apps`. */
export function keyOfResource(resource: string): string {
  const [plural, ...group] = resource.split(".")
  return `${group.join(".")}/${plural}`
}
