// Reads the stories of files and folders, plays them, and reports doubtful results.
import { hasCode, ParseError } from "../../errors.js"
import { parseYaml, parseYamlDocuments } from "../../io/yaml.js"
import { loadCel } from "../../kinds/rules/library.js"
import { isPulumiProgram } from "../../tools/appliers/pulumi-program.js"
import { loadAdmission } from "../../tools/ownership/admission.js"
import type { StoryParts } from "../../tools/simulator/story/needs.js"
import { requestsOf, runStory, type StoryOptions, type StoryResult } from "../../tools/simulator/story/run-story.js"
import { readStory, StoryError, type StoryFile } from "../../tools/simulator/story/story.js"
import { own } from "../../value/object.js"
import { isMap } from "../../value/value.js"
import { loadKubernetes } from "../input/built-in-types.js"
import { forEach, formatPlace, InputError, whyUnparsable } from "../input/document.js"
import { type Context, fileName, type Input } from "../input/input.js"
import { UsageError } from "../input/options.js"
import type { Secrets } from "../secrets/secrets.js"
import { printable } from "../terminal/layout.js"
import type { Terminal } from "../terminal/terminal.js"
import type { SimulateArguments } from "./options.js"

/** A story with the name of its file in messages. */
export interface NamedStory extends StoryFile {
  readonly file: string
  /** The text of the file. */
  readonly text: string
}

/** A played story and its source. */
export interface PlayedStory extends StoryResult {
  readonly source: NamedStory
}

/** Reads the stories that the operands name. Throws an InputError with the problems of all stories. */
export async function readStories({ args, input }: Context<SimulateArguments>): Promise<NamedStory[]> {
  if (args.operands.length === 0) throw new UsageError("STORY is missing")
  const found = await forEach(args.operands, async path => {
    const files = await input.filesOf(path, args.recursive)
    const stories = await forEach(files ?? [path], file => storyOf(file, files !== undefined, input))
    if (files !== undefined && stories.every(story => story === undefined)) {
      throw new InputError(`${path}: contains no story${args.recursive ? "" : "; -R reads inner folders too"}`)
    }
    return stories
  })
  return found.flat().filter(story => story !== undefined)
}

/** Reads the story of a file; undefined for a file of a folder that holds an object instead. */
async function storyOf(file: string, listed: boolean, input: Input): Promise<NamedStory | undefined> {
  const text = await input.text(file)
  const name = fileName(file)
  try {
    learnSecrets(text, input.secrets)
    const story = readStory(text, { file: name })
    return { ...story, file: name, text }
  } catch (error) {
    if (listed && isObject(text)) return undefined
    if (error instanceof StoryError) throw new InputError(error.message.split("\n"))
    if (error instanceof ParseError) throw new InputError(`${name}${whyUnparsable(error, text, input.secrets)}`)
    throw error
  }
}

/** Learns the secrets of a story before it is read, because messages about a wrong story quote its values. */
function learnSecrets(text: string, secrets: Secrets): void {
  for (const value of parseYamlDocuments(text)) secrets.learn(value)
}

/** Throws an InputError that names the stories with hidden values, which the result would contain. */
export function refuseHidden(stories: readonly NamedStory[], result: string, secrets: Secrets): void {
  const secret = stories.filter(({ text, story }) => secrets.hideText(text) !== text || secrets.hide(story) !== story)
  if (secret.length === 0) return
  const reason = `${result} would contain values that are hidden, such as those of Secrets; --show-secrets allows that`
  throw new InputError(secret.map(({ file }) => `${file}: ${reason}`))
}

function isObject(text: string): boolean {
  try {
    const value = parseYaml(text)
    return (
      (isMap(value) && own(value, "apiVersion") !== undefined && own(value, "kind") !== undefined) ||
      isPulumiProgram(value)
    )
  } catch (error) {
    // A file with several documents is not a story either.
    if (hasCode(error, "parse")) return /^kind:/m.test(text)
    throw error
  }
}

/** Returns options with the built-in kinds. Loads the parts of a server that these stories need. */
export async function storyOptions(stories: readonly StoryParts[]): Promise<StoryOptions> {
  const { needsAdmission, needsCel } = await import("../../tools/simulator/story/needs.js")
  const needsRules = stories.some(needsCel)
  if (needsRules) await loadCel()
  const types = needsRules
    ? (await import("../../kinds/kubernetes.js")).kubernetes
    : (await loadKubernetes()).kubernetesTypes
  if (!stories.some(needsAdmission)) return { types }
  return { types, admission: await loadAdmission({ objects: [] }) }
}

/** Plays the story, and calls `onStep` after each step. */
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

/** Adds the place of the step to an error about a step that can't be played, such as a step without an object or with a wrong time. */
function placedError(error: unknown, { file, positionOf }: NamedStory, step: number): unknown {
  if (!(error instanceof TypeError || error instanceof RangeError)) return error
  return new InputError(`${formatPlace({ file, position: positionOf(["steps", step]) })}: ${error.message}`)
}

/** Reports each finding that makes a story doubtful, and each warning of the server, at the first step that has it. */
export function reportFindings({ source: { file, positionOf }, steps }: PlayedStory, terminal: Terminal): void {
  const reported = new Set<string>()
  for (const [i, { step }] of steps.entries()) {
    // The text of the story shows changes of unions.
    const warnings = step.warnings.filter(warning => !warning.startsWith("union "))
    for (const message of [...step.findings.map(({ message }) => message), ...warnings]) {
      if (reported.has(message)) continue
      reported.add(message)
      const place = formatPlace({ file, position: positionOf(["steps", i]) })
      terminal.report(`${printable(`${place}: warning: ${message}`)}\n`)
    }
  }
}

/** Returns the requests of a played story, each with its object, so that they mean the same in any order. */
export function namedRequests({ story, steps }: StoryResult): ReturnType<typeof requestsOf> {
  return requestsOf(story).map((request, i) => {
    const target = steps[i]?.step.target
    return "patch" in request && target !== undefined ? { ...request, object: target } : request
  })
}
