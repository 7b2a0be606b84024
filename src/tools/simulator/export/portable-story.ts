// Stories as requests that other programs can send. kubectl-script.ts and vitest-test.ts write them as text.
import { writeJson } from "../../../json/json.js"
import { lastAppliedOf } from "../../../managedfields/chain/last-applied.js"
import { extract } from "../../../managedfields/extract.js"
import { metadataOf, withMetadata } from "../../../schema/metadata.js"
import type { UnionPolicyName } from "../../../union/policy.js"
import { equalValues } from "../../../value/equal.js"
import { own } from "../../../value/object.js"
import { isMap, type MapValue, type Value } from "../../../value/value.js"
import { applierProfile } from "../../appliers/read-profile.js"
import { type ObjectName, objectName, withName } from "../../ownership/object-name.js"
import { keyOfObject } from "../simulation/objects.js"
import { type ObjectRequest, type SimulatedApply, verbOf, verbs } from "../simulation/request.js"
import type { Simulation } from "../simulation/simulation.js"
import type { Step } from "../simulation/step.js"
import type { StoryResult } from "../story/run-story.js"
import type { Story, StorySchema } from "../story/story.js"

/** A story as other programs can repeat it. */
export interface PortableStory {
  readonly title: string
  /** Remarks for people. */
  readonly notes: readonly string[]
  /** The namespaces of objects that a cluster does not have from the start. */
  readonly namespaces: readonly string[]
  /** The definitions at the start. */
  readonly crds: readonly MapValue[]
  /** The union policy; absent if nothing has unions. */
  readonly unions?: UnionPolicyName
  /** Whether built-in kinds have no unions under the policy. */
  readonly isPolicyOfDefinitions: boolean
  /** The objects at the start, with their owners. */
  readonly objects: readonly MapValue[]
  readonly steps: readonly PortableStep[]
  /** The objects after the last step. */
  readonly end: readonly MapValue[]
}

/** A step as a client repeats it: a request, an object, or a schema. All three are absent if the client can't do what the step does. */
export interface PortableStep {
  /** The step in words, and remarks about its copy. */
  readonly notes: readonly string[]
  readonly step: Step
  readonly request?: ObjectRequest
  /** The object to write in place of the request, with its owners. */
  readonly result?: MapValue
  readonly schema?: { readonly crds: readonly MapValue[]; readonly unions?: UnionPolicyName }
}

/** The sender of the requests. After an apply, kubectl also takes over the fields of its client-side apply. */
export type Client = "kubectl" | "server"

/** Returns the story for a client. Only `steps` are repeated, which are the first ones of the story. `remarks` are for people. */
export function portableStory(
  { story, steps, simulation }: Pick<StoryResult, "story" | "steps" | "simulation">,
  client: Client,
  remarks: readonly string[] = [],
): PortableStory {
  const { title, definitions, unions, defaults, objects = [] } = story
  const { crds, notes } = served(definitions)
  const isPolicyOfDefinitions = unions === undefined && writeJson(definitions ?? []).includes('"x-kubernetes-unions"')
  const policy = isPolicyOfDefinitions ? "extended" : unions
  return {
    title,
    notes: [
      ...remarks,
      ...(defaults === undefined ? [] : ["The defaults of the story are missing: a server has those of its kinds."]),
      ...notes,
    ],
    namespaces: namespacesOf(objects, steps),
    crds,
    ...(policy !== undefined && { unions: policy }),
    isPolicyOfDefinitions,
    objects: objects.map(object => {
      const { namespace } = metadataOf(simulation.at(0).get(keyOfObject(object)) ?? object)
      return withMetadata(object, { namespace })
    }),
    steps: steps.map(({ step, storyStep: { about } }, i) => {
      const fork = (): Simulation => {
        const before = simulation.fork()
        before.undo(before.length - i)
        return before
      }
      const { notes, ...copy } = copyOf(step, client, story, fork)
      return { step, ...copy, notes: [titleOf(step), ...(about === undefined ? [] : [about]), ...notes] }
    }),
    end: simulation.at(steps.length).objects,
  }
}

/** Returns the definitions that a server can have as objects, and a remark if there are others. */
function served(definitions: readonly MapValue[] = []): Pick<PortableStory, "crds" | "notes"> {
  const crds = definitions.filter(({ kind }) => kind === "CustomResourceDefinition")
  const hasOthers = crds.length < definitions.length
  return {
    crds,
    notes: hasOthers ? ["The kinds of OpenAPI documents are missing: only definitions can be created."] : [],
  }
}

function namespacesOf(objects: readonly MapValue[], steps: StoryResult["steps"]): string[] {
  const targets = steps.flatMap(({ step: { target } }) => (target === undefined ? [] : [target]))
  const isNamespace = ({ apiVersion, kind }: ObjectName) => apiVersion === "v1" && kind === "Namespace"
  const known = ["default", "kube-system", "kube-public", "kube-node-lease"]
  const created = targets.filter(isNamespace).map(({ name }) => name)
  const names = [...objects.map(objectName), ...targets].flatMap(({ namespace = "" }) => namespace)
  const isValid = (name: string) => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)
  return [...new Set(names)].filter(name => isValid(name) && ![...known, ...created].includes(name))
}

type Copy = Omit<PortableStep, "step">

/** `fork` returns the simulation before the step. */
function copyOf(step: Step, client: Client, story: Story, fork: () => Simulation): Copy {
  const { request, resolution, refused } = step
  if ("changeSchema" in request) {
    const name = request.changeSchema
    const { definitions = story.definitions, unions }: StorySchema = name === "" ? story : (story.schemas?.[name] ?? {})
    const { crds, notes } = served(definitions)
    return { notes, schema: { crds, ...(unions !== undefined && { unions }) } }
  }
  if (!("apply" in request)) return { request: refused ? request : portable(request), notes: [] }
  const { as, onConflict, force = false, ...rest } = request
  const forces = force || resolution?.force === true || (as !== undefined && applierProfile(as).force === "always")
  const sent: SimulatedApply = { ...rest, force: forces, apply: resolution?.config ?? request.apply }
  const notes = onConflict === undefined ? [] : [`This is the configuration after onConflict: ${String(onConflict)}.`]
  const tool = client === "kubectl" ? "kubectl" : undefined
  const isPlain = as === tool || (as === undefined && lastAppliedOf(step.after ?? {}) === "")
  if (isPlain) return { request: refused ? sent : portable(sent), notes }
  const copy = copyOfTool(step, sent, tool, fork)
  return { ...copy, notes: [...notes, ...copy.notes] }
}

/** Returns the copy of an apply with whose steps another tool surrounds it: the same requests may have another result. */
function copyOfTool(step: Step, sent: SimulatedApply, tool: "kubectl" | undefined, fork: () => Simulation): Copy {
  const { request, after, refused } = step
  const isSame = (apply: SimulatedApply): boolean => {
    const again = fork().play(tool === undefined ? apply : { ...apply, as: tool })
    return again.error?.message === step.error?.message && equalValues(again.after ?? null, after ?? null)
  }
  if (isSame(sent)) return { request: refused ? sent : portable(sent), notes: [] }
  const as = "as" in request ? request.as : undefined
  const who = as === undefined ? "kubectl" : applierProfile(as).tool
  if (refused || after === undefined) return { notes: [`${who} does more than this apply, which has no copy.`] }
  const { manager, subresource = "" } = sent
  const applied = extract(after, { types: fork().types, manager, subresource, unions: "off" })
  const { apiVersion = null } = sent.apply as MapValue
  const whole = { ...sent, apply: withName({ ...applied, apiVersion }, after) }
  if (isSame(whole)) return { request: whole, notes: [`This is the configuration that ${who} sends.`] }
  return { result: after, notes: [`${who} does more than this apply: the copy writes the result, with its owners.`] }
}

/** Returns the request without the uid and the resourceVersion of an object of the story: each server has its own. */
function portable<T extends ObjectRequest>(request: T): T {
  const entries = Object.entries(request).map(([key, value]) => {
    const hasMetadata = key === verbOf(request) && isMap(value as Value) && isMap(own(value as MapValue, "metadata"))
    return [key, hasMetadata ? withMetadata(value as MapValue, { uid: undefined, resourceVersion: undefined }) : value]
  })
  return Object.fromEntries(entries) as T
}

function titleOf(step: Step): string {
  const { index, request, target, manager } = step
  if ("changeSchema" in request)
    return `${index}. The schema changes to ${request.changeSchema || "that of the start"}.`
  const force = "force" in request && request.force === true ? " by force" : ""
  const of = "subresource" in request && request.subresource ? ` (${request.subresource})` : ""
  return `${index}. ${manager || "Somebody"} ${verbs[verbOf(request)]} ${target?.kind} ${target?.name}${of}${force}.`
}
