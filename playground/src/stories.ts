// Story files: the files that `smd simulate` runs, as states of the page and back.
import { isMap, type MapValue, type Value } from "structured-merge-diff"
import { formatYaml, parseYamlDocuments, parseYamlWithPositions, type YamlDocument } from "structured-merge-diff/io"
import { readStory, type Story } from "structured-merge-diff/simulator"
import { branchOf, type Draft, emptyState, type State, type StoryStep, type Verb, verbs } from "./store.js"
import { isGo } from "./types.js"

/**
 * The state of a story, played to the first conflict that it tells of, or to its end, with the tab of the last writer open. Throws a
 * StoryError for a text that is no story.
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

/** For each manager what it wrote last, up to a step; what it writes first, where that comes later. */
function draftsOf({ steps, managers = {} }: Story, text: string, at: number): Draft[] {
  const [document] = parseYamlWithPositions(text)
  const drafts = new Map<string, Draft>()
  steps.forEach((step, index) => {
    const found = verbs.find(name => name in step)
    if (found === undefined || !("manager" in step) || step.manager === undefined) return
    if (index >= at && drafts.has(step.manager)) return
    const common = Object.hasOwn(managers, step.manager) ? managers[step.manager] : undefined
    const value = (step as unknown as Readonly<Record<Verb, Value>>)[found]
    drafts.set(step.manager, {
      manager: step.manager,
      verb: found,
      text: (document && sourceOf(document, text, ["steps", index, found])) ?? formatYaml(value),
      force: "force" in step && step.force === true,
      subresource: ("subresource" in step ? step.subresource : undefined) ?? common?.subresource ?? "",
    })
  })
  return [...drafts.values()]
}

/** A part of the text, comments included; undefined where it is not one piece of lines. */
function sourceOf(document: YamlDocument, text: string, steps: readonly (string | number)[]): string | undefined {
  const place = document.placeOf(steps)
  if (place === undefined || place.through !== undefined) return undefined
  const { start, end } = place.value
  const lines = text.slice(start.offset, end.offset).trimEnd().split("\n")
  if (lines.length === 1 || lines[0]?.startsWith("&")) return undefined
  const margin = " ".repeat(start.column - 1)
  const isBlock = lines.every((line, i) => i === 0 || line.trim() === "" || line.startsWith(margin))
  return isBlock ? `${lines.map((line, i) => (i === 0 ? line : line.slice(margin.length))).join("\n")}\n` : undefined
}

/** The story of the course that is shown, with all of its steps. */
export function storyOf(state: State): Story {
  const { title, about, unions, types, objects, rest } = state
  const { steps } = branchOf(state)
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

/** The documents of pasted types. Those of the last text are kept: every step asks for them. */
function definitionsOf(text: string): readonly MapValue[] {
  if (text !== parsed.text) {
    const definitions = isGo(text) ? [] : parseYamlDocuments(text).filter(value => isMap(value))
    parsed = { text, definitions }
  }
  return parsed.definitions
}

/** A story that lists its managers has to list those who came later too. */
function allManagers(listed: NonNullable<Story["managers"]>, steps: readonly StoryStep[]) {
  const names = steps.flatMap(step => ("manager" in step && step.manager !== undefined ? [step.manager] : []))
  const missing = names.filter(name => !Object.hasOwn(listed, name))
  return { ...listed, ...Object.fromEntries(missing.map(name => [name, {}])) }
}

/** The text of a story file. Types of Go source are not in it: a story has definitions only. */
export function storyText(state: State): string {
  return formatYaml(storyOf(state) as unknown as MapValue)
}
