// The parts of a server that a story needs and that are loaded only on demand.
import { compilesExpressions } from "../../../kinds/families/registry.js"
import { objectKindOf, parseKind } from "../../../schema/group-version-kind.js"
import { own } from "../../../value/object.js"
import { isMap, type MapValue } from "../../../value/value.js"
import type { Story } from "./story.js"

/** The parts of a story that have objects. */
export type StoryParts = Partial<Pick<Story, "definitions" | "schemas" | "objects" | "steps">>

/** Returns the objects in a story: those at the start and those of requests. */
export function objectsOf({ objects = [], steps = [] }: StoryParts): MapValue[] {
  const sent = steps.flatMap(step => {
    return ["apply", "update", "create"].map(verb => own(step as unknown as MapValue, verb) ?? null)
  })
  return [...objects, ...sent.filter(isMap)]
}

/** Whether the story may have rules in CEL: it has definitions, or objects whose expressions a server compiles. */
export function needsCel(story: StoryParts): boolean {
  const { definitions, schemas } = story
  return definitions !== undefined || schemas !== undefined || objectsOf(story).some(compilesExpressions)
}

/** Whether the story has objects by which the admission of a server decides about others. */
export function needsAdmission(story: StoryParts): boolean {
  return objectsOf(story).some(object => {
    const { apiVersion, kind } = objectKindOf(object)
    const { group } = parseKind(apiVersion, kind)
    return group === "admissionregistration.k8s.io" || deciding.has(`${group}/${kind}`)
  })
}
const deciding = new Set([
  "/LimitRange",
  "/Namespace",
  "/ResourceQuota",
  "scheduling.k8s.io/PriorityClass",
  "storage.k8s.io/StorageClass",
])
