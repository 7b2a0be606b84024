// The stories of files and folders, played.
import { hasCode, ParseError } from "../../errors.js"
import { parseYaml } from "../../io/yaml.js"
import { loadCel } from "../../kinds/rules/library.js"
import { requestsOf, runStory, type StoryOptions, type StoryResult } from "../../tools/simulator/run-story.js"
import { readStory, type Story, StoryError, type StoryFile } from "../../tools/simulator/story.js"
import { own } from "../../value/object.js"
import { isMap } from "../../value/value.js"
import { loadKubernetes } from "../input/built-in-types.js"
import { forEach, formatPlace, InputError } from "../input/document.js"
import { type Context, fileName, type Input } from "../input/input.js"
import { UsageError } from "../input/options.js"

/** A story with the name of its file for messages. */
export interface NamedStory extends StoryFile {
  readonly file: string
}

/** A story that was played. */
export interface PlayedStory extends StoryResult {
  readonly source: NamedStory
}

/** The stories that the operands name. Throws an InputError with all that is wrong with any of them. */
export async function readStories({ args, input }: Context): Promise<NamedStory[]> {
  if (args.operands.length === 0) throw new UsageError("STORY is missing")
  const found = await forEach(args.operands, async path => {
    const files = await input.filesOf(path, args.has("recursive"))
    const stories = await forEach(files ?? [path], file => storyOf(file, files !== undefined, input))
    if (files !== undefined && stories.every(story => story === undefined)) {
      throw new InputError(`${path}: holds no story${args.has("recursive") ? "" : "; -R reads inner folders too"}`)
    }
    return stories
  })
  return found.flat().filter(story => story !== undefined)
}

/** The story of a file. A file of a folder that holds an object instead is left out. */
async function storyOf(file: string, listed: boolean, input: Input): Promise<NamedStory | undefined> {
  const text = await input.text(file)
  const name = fileName(file)
  try {
    const story = readStory(text, { file: name })
    return { ...story, file: name }
  } catch (error) {
    if (listed && isObject(text)) return undefined
    if (error instanceof StoryError) throw new InputError(error.message.split("\n"))
    if (error instanceof ParseError) throw new InputError(`${name}${placeInFront(error.message)}`)
    throw error
  }
}

/** `line 3, column 5: …` as `:3:5: …`. */
function placeInFront(message: string): string {
  return message.replace(/^(?:line (\d+), column (\d+))?/, (_, line, column) => (line ? `:${line}:${column}` : ": "))
}

function isObject(text: string): boolean {
  try {
    const value = parseYaml(text)
    return isMap(value) && own(value, "apiVersion") !== undefined && own(value, "kind") !== undefined
  } catch (error) {
    // Several documents are no story either.
    if (hasCode(error, "parse")) return /^kind:/m.test(text)
    throw error
  }
}

/** The built-in kinds, for these stories. Their definitions may have rules in CEL. */
export async function storyOptions(stories: readonly Pick<Story, "definitions" | "schemas">[]): Promise<StoryOptions> {
  if (stories.some(({ definitions, schemas }) => definitions !== undefined || schemas !== undefined)) await loadCel()
  const { kubernetesTypes } = await loadKubernetes()
  return { types: kubernetesTypes }
}

/** Plays the story. `onStep` is told how far it has come. */
export function playStory(
  source: NamedStory,
  options: StoryOptions,
  onStep: (step: number, steps: number) => void,
): PlayedStory {
  let step = 0
  try {
    return { ...runStory(source, { ...options, onStep: (_, steps) => onStep(++step, steps) }), source }
  } catch (error) {
    throw placedError(error, source, step)
  }
}

/** What can't be played, at its step: one that does not say which object it means, or a time that is none. */
function placedError(error: unknown, { file, positionOf }: NamedStory, step: number): unknown {
  if (!(error instanceof TypeError || error instanceof RangeError)) return error
  return new InputError(`${formatPlace({ file, position: positionOf(["steps", step]) })}: ${error.message}`)
}

/** The requests of a played story, each with the object that it was for, so that they mean the same in any order. */
export function namedRequests({ story, steps }: StoryResult): ReturnType<typeof requestsOf> {
  return requestsOf(story).map((request, i) => {
    const target = steps[i]?.step.target
    return "patch" in request && target !== undefined ? { ...request, object: target } : request
  })
}
