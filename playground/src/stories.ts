// Story files: the files that `smd simulate` runs, as states of the page and back.
import { isList, isMap, type MapValue, type Value } from "structured-merge-diff"
import { formatYaml, parseYamlDocuments, parseYamlWithPositions, type YamlDocument } from "structured-merge-diff/io"
import { type Draft, emptyState, type State, type StoryStep, type Verb } from "./store.js"
import { isGo } from "./types.js"

/** The state of a story, with all of its steps played and the last writer's tab open. Throws an error for people for other texts. */
export function stateOfStory(text: string): State {
  const [document] = parseYamlWithPositions(text)
  const value = document?.value
  if (document === undefined || !isMap(value ?? null) || !isList((value as MapValue).steps ?? null)) {
    throw new TypeError("the text is no story: a story is a map with steps")
  }
  const { story, about, unions, definitions, objects, steps } = value as MapValue
  const known = listOf(steps)
  const drafts = draftsOf(known, document, text)
  const last = known.findLast(({ manager }) => typeof manager === "string")
  return {
    ...emptyState,
    title: typeof story === "string" ? story : "A story",
    description: typeof about === "string" ? about.trim() : "",
    objects: listOf(objects),
    types: listOf(definitions).map(formatYaml).join("---\n"),
    unions: (typeof unions === "string" ? unions : "v4") as State["unions"],
    drafts: drafts.length === 0 ? emptyState.drafts : drafts,
    draft: Math.max(
      0,
      drafts.findIndex(({ manager }) => manager === last?.manager),
    ),
    branches: [{ name: "main", steps: known as unknown as StoryStep[], at: known.length }],
  }
}

/** For each manager what it wrote last. */
function draftsOf(steps: readonly MapValue[], document: YamlDocument, text: string): Draft[] {
  const drafts = new Map<string, Draft>()
  steps.forEach((step, index) => {
    const verb = (["apply", "update", "patch"] as const).find(name => step[name] !== undefined)
    if (verb === undefined || typeof step.manager !== "string") return
    drafts.set(step.manager, {
      manager: step.manager,
      verb,
      text: sourceOf(document, text, index, verb) ?? formatYaml(step[verb] as Value),
      force: step.force === true,
      subresource: typeof step.subresource === "string" ? step.subresource : "",
    })
  })
  return [...drafts.values()]
}

/** What a step writes as the file has it, comments included; undefined where that is not one piece of text. */
function sourceOf(document: YamlDocument, text: string, index: number, verb: Verb): string | undefined {
  const place = document.placeOf(["steps", index, verb])
  if (place === undefined || place.through !== undefined) return undefined
  const { start, end } = place.value
  const lines = text.slice(start.offset, end.offset).trimEnd().split("\n")
  const margin = " ".repeat(start.column - 1)
  const isBlock = lines.every((line, i) => i === 0 || line.trim() === "" || line.startsWith(margin))
  return isBlock ? `${lines.map((line, i) => (i === 0 ? line : line.slice(margin.length))).join("\n")}\n` : undefined
}

/** The text of a story file with the steps of the course that is shown. */
export function storyText(state: State): string {
  const { title, description, unions, types, objects, branches, branch } = state
  const definitions = types === "" || isGo(types) ? [] : parseYamlDocuments(types).filter(isDefinition)
  const { steps = [] } = branches[branch] ?? {}
  return formatYaml({
    story: title,
    ...(description !== "" && { about: description }),
    ...(unions !== "v4" && { unions }),
    ...(definitions.length > 0 && { definitions }),
    ...(objects.length > 0 && { objects: objects as readonly MapValue[] }),
    steps: steps as readonly MapValue[],
  })
}

/** Whether a story file can have the types: it has definitions only, no OpenAPI and no Go. */
export function isInStoryFile(types: string): boolean {
  return types === "" || (!isGo(types) && parseYamlDocuments(types).every(isDefinition))
}

function isDefinition(document: Value): boolean {
  return isMap(document) && document.kind === "CustomResourceDefinition"
}

function listOf(value: Value | undefined): MapValue[] {
  return isList(value ?? null) ? (value as readonly Value[]).filter(isMap) : []
}
