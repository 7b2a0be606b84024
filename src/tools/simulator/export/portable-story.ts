// Stories as requests that other programs can send. kubectl-script.ts and vitest-test.ts write them as text.
import { writeJson } from "../../../json/json.js"
import { lastAppliedOf } from "../../../managedfields/chain/last-applied.js"
import { extract } from "../../../managedfields/extract.js"
import { metadataOf, metaText, withMetadata } from "../../../schema/metadata.js"
import type { UnionPolicyName } from "../../../union/policy.js"
import { equalValues } from "../../../value/equal.js"
import { mapAt, textAt, withKeys } from "../../../value/fields.js"
import { own } from "../../../value/object.js"
import { isMap, type MapValue, type Value } from "../../../value/value.js"
import { applierProfile } from "../../appliers/read-profile.js"
import { type ObjectName, objectName, withName } from "../../ownership/object-name.js"
import { bodyOf, keyOfObject } from "../simulation/objects.js"
import {
  type ObjectRequest,
  type SimulatedApply,
  type SimulatedCreate,
  type SimulatedUpdate,
  subresourceOf,
  verbOf,
  verbs,
} from "../simulation/request.js"
import type { Simulation } from "../simulation/simulation.js"
import type { Step } from "../simulation/step.js"
import type { StoryResult } from "../story/run-story.js"
import type { Story, StorySchema } from "../story/story.js"

/** A story as other programs can repeat it. */
export interface PortableStory {
  readonly title: string
  /** Remarks for people. */
  readonly notes: readonly string[]
  /** The namespaces that the story uses before it creates them, if at all. */
  readonly namespaces: readonly string[]
  /** The definitions at the start. */
  readonly crds: readonly MapValue[]
  /** The union policy; absent if nothing has unions. */
  readonly unions?: UnionPolicyName
  /** Whether built-in kinds have no unions under the policy. */
  readonly isPolicyOfDefinitions: boolean
  /** The objects at the start, with their owners. Namespaces come first. */
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
  const namespaces = namespacesOf(objects, steps)
  return {
    title,
    notes: [
      ...remarks,
      ...(defaults === undefined ? [] : ["The defaults of the story are missing: a server has those of its kinds."]),
      ...notes,
    ],
    namespaces,
    crds,
    ...(policy !== undefined && { unions: policy }),
    isPolicyOfDefinitions,
    objects: [...objects].sort(namespacesFirst).map(object => {
      const stored = simulation.at(0).get(keyOfObject(object)) ?? object
      // The test server stores an object as it is, and a cluster fills in the defaults.
      return client === "server" ? stored : withMetadata(object, { namespace: metadataOf(stored).namespace })
    }),
    steps: steps.map(({ step, storyStep: { about } }, i) => {
      const fork = (): Simulation => {
        const before = simulation.fork()
        before.undo(before.length - i)
        return before
      }
      const isThere = step.outcome === "created" && isNamespaceIn([...clusterNamespaces, ...namespaces], step.target)
      const { notes, ...copy } = isThere
        ? resultOf(step, "The namespace already exists")
        : copyOf(step, client, story, fork)
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

/** The namespaces that a cluster has from the start. */
export const clusterNamespaces: readonly string[] = ["default", "kube-system", "kube-public", "kube-node-lease"]

/** Whether the object is one of these namespaces. */
export function isNamespaceIn(names: readonly string[], object: ObjectName | undefined): boolean {
  return object !== undefined && isNamespace(object) && names.includes(object.name)
}

function isNamespace({ apiVersion, kind }: Pick<ObjectName, "apiVersion" | "kind">): boolean {
  return apiVersion === "v1" && kind === "Namespace"
}

function namespacesFirst(a: MapValue, b: MapValue): number {
  return Number(isNamespace(objectName(b))) - Number(isNamespace(objectName(a)))
}

function namespacesOf(objects: readonly MapValue[], steps: StoryResult["steps"]): string[] {
  const names = objects.map(objectName)
  const known = new Set([...clusterNamespaces, ...names.filter(isNamespace).map(({ name }) => name)])
  const missing = new Set<string>()
  const use = ({ namespace = "" }: ObjectName) => {
    const isValid = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace)
    if (isValid && !known.has(namespace)) missing.add(namespace)
  }
  names.forEach(use)
  for (const { step } of steps) {
    const { target, outcome } = step
    if (target === undefined) continue
    if (isNamespace(target) && outcome === "created" && !missing.has(target.name)) known.add(target.name)
    use(target)
  }
  return [...missing]
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
  const subresource = subresourceOf(request) ?? ""
  if ("create" in request && subresource !== "") return resultOf(step, "A copy can't create a subresource")
  const isScale = subresource === "scale" && textAt(bodyOf(request) ?? {}, "kind") === "Scale"
  if (isScale && "update" in request) return copyOfScale(step, request, fork)
  if (isScale && client === "kubectl") return resultOf(step, "kubectl can't apply a Scale")
  if ("create" in request) return copyOfCreate(step, request)
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

/** Returns a copy that writes the result of a request that can't be sent. A refused request has no copy. */
function resultOf({ after, refused }: Step, why: string): Copy {
  if (refused || after === undefined) return { notes: [`${why}: the step is missing.`] }
  return { result: after, notes: [`${why}: the copy writes the result, with its owners.`] }
}

/** Returns the copy of a create. Each server would generate another name, and later steps use the name of the story. */
function copyOfCreate({ after, refused }: Step, request: SimulatedCreate): Copy {
  if (refused) return { request, notes: [] }
  const create = request.create as MapValue
  const name = metaText(after ?? {}, "name")
  if (metaText(create, "name") !== "" || name === "") return { request: portable(request), notes: [] }
  return {
    request: portable({ ...request, create: withMetadata(create, { name }) }),
    notes: ["The server would generate the name: the copy has the name of the story."],
  }
}

/** Returns the copy of the update of a Scale, which clients only send as a patch of the object that has the Scale. */
function copyOfScale(step: Step, request: SimulatedUpdate, fork: () => Simulation): Copy {
  const { update, ...rest } = request
  const { uid, resourceVersion } = metadataOf(update as MapValue)
  const replicas = own(mapAt(update as MapValue, "spec"), "replicas") ?? 0
  // Each server has its own uid and resourceVersion, so a copy that succeeds names none.
  const patch = { ...(step.refused && { metadata: withKeys({}, { uid, resourceVersion }) }), spec: { replicas } }
  const copy = { ...rest, ...(step.target && { object: step.target }), patch }
  if (!isSame(step, copy, fork)) return resultOf(step, "A copy can't update this Scale")
  return { request: copy, notes: ["The copy patches the Scale instead, with the same owners."] }
}

/** Whether the request has the same result as the step. */
function isSame({ after, error }: Step, request: ObjectRequest, fork: () => Simulation): boolean {
  const again = fork().play(request)
  return again.error?.message === error?.message && equalValues(again.after ?? null, after ?? null)
}

/** Returns the copy of an apply with whose steps another tool surrounds it: the same requests may have another result. */
function copyOfTool(step: Step, sent: SimulatedApply, tool: "kubectl" | undefined, fork: () => Simulation): Copy {
  const { request, after, refused } = step
  const isCopy = (apply: SimulatedApply) => isSame(step, tool === undefined ? apply : { ...apply, as: tool }, fork)
  if (isCopy(sent)) return { request: refused ? sent : portable(sent), notes: [] }
  const as = "as" in request ? request.as : undefined
  const who = as === undefined ? "kubectl" : applierProfile(as).tool
  if (refused || after === undefined) return { notes: [`${who} does more than this apply, which has no copy.`] }
  const { manager, subresource = "" } = sent
  const applied = extract(after, { types: fork().types, manager, subresource, unions: "off" })
  const { apiVersion = null } = sent.apply as MapValue
  const whole = { ...sent, apply: withName({ ...applied, apiVersion }, after) }
  if (isCopy(whole)) return { request: whole, notes: [`This is the configuration that ${who} sends.`] }
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
