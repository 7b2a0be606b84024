// The steps of a story as requests that other clients can send. copy-kubectl.ts and copy-test.ts write them as text.
import { equalValues, isMap, type MapValue, type Value } from "structured-merge-diff"
import { applierProfile } from "structured-merge-diff/appliers"
import { extract } from "structured-merge-diff/managedfields"
import type {
  SimulatedApply,
  Simulation,
  SimulationRequest,
  Step,
  Story,
  StoryStepResult,
} from "structured-merge-diff/simulator"
import { withName } from "./imports.js"

/** A story that was played. */
export interface PlayedStory {
  readonly story: Story
  readonly results: readonly StoryStepResult[]
  readonly simulation: Simulation
}

/** The sender of the requests. After an apply, kubectl also takes over the fields of its client-side apply. */
export type Client = "kubectl" | "server"

/** The name of an object. */
export type ObjectName = NonNullable<Step["target"]>

/** A step as a client repeats it. */
export interface CopiedStep {
  /** The step in words, and remarks about its copy. */
  readonly notes: readonly string[]
  readonly step: Step
  /** The request to send; absent if the client has no such request. */
  readonly request?: SimulationRequest
  /** The object to write in place of the request, with its owners. */
  readonly result?: MapValue
}

/** Returns the first `at` steps as the client repeats them. */
export function copiedSteps({ results, simulation }: PlayedStory, at: number, client: Client): CopiedStep[] {
  return results.slice(0, at).map(({ step, storyStep: { about } }, i) => {
    const fork = (): Simulation => {
      const before = simulation.fork()
      before.undo(before.length - i)
      return before
    }
    const { notes, ...copy } = copyOf(step, client, fork)
    return { step, ...copy, notes: [titleOf(step), ...(about === undefined ? [] : [about]), ...notes] }
  })
}

type Copy = Pick<CopiedStep, "notes" | "request" | "result">

/** `fork` returns the simulation before the step. */
function copyOf(step: Step, client: Client, fork: () => Simulation): Copy {
  const { request, resolution, refused } = step
  if (!("apply" in request)) return { request: refused ? request : portable(request), notes: [] }
  const { as, onConflict, force = false, ...rest } = request
  const forces = force || resolution?.force === true || (as !== undefined && applierProfile(as).force === "always")
  const sent: SimulatedApply = { ...rest, force: forces, apply: resolution?.config ?? request.apply }
  const notes = onConflict === undefined ? [] : [`This is the configuration after onConflict: ${String(onConflict)}.`]
  const tool = client === "kubectl" ? "kubectl" : undefined
  const isPlain = as === tool || (as === undefined && !hasLastApplied(step.after))
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
  const whole = { ...sent, apply: { ...withName(applied ?? {}, after), apiVersion } }
  if (isSame(whole)) return { request: whole, notes: [`This is the configuration that ${who} sends.`] }
  return { result: after, notes: [`${who} does more than this apply: the copy writes the result, with its owners.`] }
}

function hasLastApplied(object: MapValue | undefined): boolean {
  const { metadata = null } = object ?? {}
  const { annotations = null } = isMap(metadata) ? metadata : {}
  return isMap(annotations) && Object.hasOwn(annotations, "kubectl.kubernetes.io/last-applied-configuration")
}

/** Returns the request without the uid and the resourceVersion of an object of this page: each server has its own. */
function portable(request: SimulationRequest): SimulationRequest {
  const entries = Object.entries(request).map(([key, value]) => {
    const hasObject = ["apply", "update", "create", "patch"].includes(key) && isMap(value as Value)
    return [key, hasObject ? withoutMetadata(value as MapValue, ["uid", "resourceVersion"]) : value]
  })
  return Object.fromEntries(entries) as SimulationRequest
}

/** Returns the object without these fields of its metadata. */
export function withoutMetadata(object: MapValue, names: readonly string[]): MapValue {
  const { metadata = null } = object
  if (!isMap(metadata) || !names.some(name => Object.hasOwn(metadata, name))) return object
  return { ...object, metadata: Object.fromEntries(Object.entries(metadata).filter(([key]) => !names.includes(key))) }
}

/** Returns the namespaces that the steps and the objects need and that a cluster does not have from the start. */
export function namespacesOf({ story, results }: PlayedStory, at: number): string[] {
  const targets = results.slice(0, at).flatMap(({ step: { target } }) => (target === undefined ? [] : [target]))
  const isNamespace = ({ apiVersion, kind }: ObjectName) => apiVersion === "v1" && kind === "Namespace"
  const known = ["default", "kube-system", "kube-public", "kube-node-lease"]
  const created = targets.filter(isNamespace).map(({ name }) => name)
  const objects = (story.objects ?? []).map(nameOf)
  const names = [...objects, ...targets].flatMap(({ namespace }) => (namespace === undefined ? [] : [namespace]))
  const isValid = (name: string) => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)
  return [...new Set(names)].filter(name => isValid(name) && ![...known, ...created].includes(name))
}

/** Returns the name of an object. */
export function nameOf({ apiVersion, kind, metadata = null }: MapValue): ObjectName {
  const { name, namespace } = isMap(metadata) ? metadata : {}
  const where = typeof namespace === "string" ? { namespace } : {}
  return { apiVersion: String(apiVersion), kind: String(kind), ...where, name: String(name) }
}

/** Returns the definitions that a server can have as objects, and a remark if there are others. */
export function servedDefinitions(definitions: readonly MapValue[] = []): {
  readonly crds: readonly MapValue[]
  readonly notes: readonly string[]
} {
  const crds = definitions.filter(({ kind }) => kind === "CustomResourceDefinition")
  const hasOthers = crds.length < definitions.length
  return {
    crds,
    notes: hasOthers ? ["The kinds of OpenAPI documents are missing: only definitions can be created."] : [],
  }
}

/** Returns a remark about the defaults of the story if it has some. */
export function notesOnDefaults({ defaults }: Story): string[] {
  return defaults === undefined ? [] : ["The defaults of the story are missing: a server has those of its kinds."]
}

/** Whether definitions have unions, which the page settles under any policy but `off`. */
export function hasUnions(definitions: readonly MapValue[] = []): boolean {
  return definitions.some(definition => JSON.stringify(definition, withoutBigInts).includes('"x-kubernetes-unions"'))
}

function withoutBigInts(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value
}

function titleOf(step: Step): string {
  const { index, request, target, manager } = step
  if ("changeSchema" in request)
    return `${index}. The schema changes to ${request.changeSchema || "that of the start"}.`
  const verb = Object.keys(verbs).find(name => name in request) ?? ""
  const force = "force" in request && request.force === true ? " by force" : ""
  const of = "subresource" in request && request.subresource ? ` (${request.subresource})` : ""
  return `${index}. ${manager || "Somebody"} ${verbs[verb]} ${target?.kind} ${target?.name}${of}${force}.`
}

const verbs: Readonly<Record<string, string>> = {
  apply: "applies",
  update: "updates",
  patch: "patches",
  create: "creates",
  delete: "deletes",
}
