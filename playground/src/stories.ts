// Converts story files, which `smd simulate` runs, to states of the page and back.
import { isMap, type MapValue, type Value } from "structured-merge-diff"
import { formatYaml, parseYamlDocuments, parseYamlWithPositions, type YamlDocument } from "structured-merge-diff/io"
import { readStory, type Story } from "structured-merge-diff/simulator"
import type { Scene } from "./scene.js"
import { type Draft, emptyState, isGo, type State, type StoryStep, type Verb, verbs } from "./state.js"

/**
 * Returns the state of a story: played to the first step that expects conflicts, or else to its end, with the tab of the last manager open.
 * Throws a StoryError if the text is not a story.
 */
export function stateOfStory(text: string): State {
  const { story } = readStory(text)
  const { title, about = "", unions = "", definitions = [], objects = [], steps, managers, schemas, defaults } = story
  const conflict = steps.findIndex(({ expect }) => (expect?.conflicts ?? []).length > 0)
  const at = conflict < 0 ? steps.length : conflict + 1
  const drafts = draftsOf(story, text, at)
  const last = steps.slice(0, at).findLast(step => "manager" in step)
  return {
    ...emptyState,
    title,
    about: about.trim(),
    objects,
    types: definitions.map(document => formatYaml(document)).join("---\n"),
    unions,
    rest: { ...(managers && { managers }), ...(schemas && { schemas }), ...(defaults && { defaults }) },
    drafts: drafts.length === 0 ? emptyState.drafts : drafts,
    draft: Math.max(
      0,
      drafts.findIndex(({ manager }) => last !== undefined && "manager" in last && manager === last.manager),
    ),
    branches: [{ name: "main", steps, at }],
  }
}

/** Returns a draft of each manager's last request before step `at`, or of its first request if that is later. */
function draftsOf({ steps, managers = {} }: Story, text: string, at: number): Draft[] {
  const [document] = parseYamlWithPositions(text)
  const drafts = new Map<string, Draft>()
  steps.forEach((step, index) => {
    const verb = verbs.find(name => name in step)
    if (verb === undefined || !("manager" in step) || step.manager === undefined) return
    if (index >= at && drafts.has(step.manager)) return
    const common = Object.hasOwn(managers, step.manager) ? managers[step.manager] : undefined
    const value = (step as unknown as Readonly<Record<Verb, Value>>)[verb]
    drafts.set(step.manager, {
      manager: step.manager,
      verb,
      text: (document && sourceOf(document, text, ["steps", index, verb])) ?? formatYaml(value),
      force: "force" in step && step.force === true,
      subresource: ("subresource" in step ? step.subresource : undefined) ?? common?.subresource ?? "",
    })
  })
  return [...drafts.values()]
}

/**
 * Returns the part of the text with these steps, including comments; undefined if it is not a block of whole lines, or if it seems to have
 * aliases, whose anchors may be in other parts of the story.
 */
function sourceOf(document: YamlDocument, text: string, steps: readonly (string | number)[]): string | undefined {
  const place = document.placeOf(steps)
  if (place === undefined || place.through !== undefined) return undefined
  const { start, end } = place.value
  const lines = text.slice(start.offset, end.offset).trimEnd().split("\n")
  if (lines.length === 1 || lines[0]?.startsWith("&")) return undefined
  const margin = " ".repeat(start.column - 1)
  const isBlock = lines.every((line, i) => i === 0 || line.trim() === "" || line.startsWith(margin))
  if (!isBlock || lines.some(line => anAlias.test(line))) return undefined
  return `${lines.map((line, i) => (i === 0 ? line : line.slice(margin.length))).join("\n")}\n`
}
const anAlias = /[-:,[{] *\*[^\s,\]}]/

/** Returns the story of the branch that is shown, with all its steps. */
export function storyOf(scene: Scene): Story {
  const { title, about, unions, types, objects, rest, steps } = scene
  const definitions = definitionsOf(types)
  return {
    title,
    ...(about !== "" && { about }),
    ...(rest.managers !== undefined && { managers: allManagers(rest.managers, steps) }),
    ...(unions !== "" && { unions }),
    ...(definitions.length > 0 && { definitions }),
    ...(rest.schemas !== undefined && { schemas: rest.schemas }),
    ...(rest.defaults !== undefined && { defaults: rest.defaults }),
    ...(objects.length > 0 && { objects }),
    steps,
  }
}

let parsed: { readonly text: string; readonly definitions: readonly MapValue[] } = { text: "", definitions: [] }

/** Returns the documents of pasted types. Keeps the documents of the last text, since every step needs them. */
function definitionsOf(text: string): readonly MapValue[] {
  if (text !== parsed.text) {
    const definitions = isGo(text) ? [] : parseYamlDocuments(text).filter(value => isMap(value))
    parsed = { text, definitions }
  }
  return parsed.definitions
}

/** Adds the managers that were added on the page, since a story that lists managers must list all of them. */
function allManagers(listed: NonNullable<Story["managers"]>, steps: readonly StoryStep[]) {
  const names = steps.flatMap(step => ("manager" in step && step.manager !== undefined ? [step.manager] : []))
  const missing = names.filter(name => !Object.hasOwn(listed, name))
  return { ...listed, ...Object.fromEntries(missing.map(name => [name, {}])) }
}

/** Returns the text of a story file. It does not contain types of Go source, since a story can only contain definitions. */
export function storyText(scene: Scene): string {
  return formatYaml(storyOf(scene) as unknown as MapValue)
}
