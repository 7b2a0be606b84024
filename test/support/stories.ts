/** The stories of examples/stories. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { parseYaml } from "../../src/io/yaml.js"
import { formatYaml } from "../../src/io/yaml-format.js"
import { kubernetesTypes } from "../../src/kubernetes/types.js"
import { runStory, type StoryResult } from "../../src/tools/simulator/story/run-story.js"
import { readStory, type StoryFile } from "../../src/tools/simulator/story/story.js"
import { equalValues } from "../../src/value/equal.js"
import type { MapValue } from "../../src/value/value.js"
import { read } from "./documents.js"
import { projectRoot } from "./entries.js"

export const storiesFolder = "examples/stories"

/** The names of all stories. */
export const allStories: readonly string[] = readdirSync(join(projectRoot, storiesFolder), { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(({ name }) => name)
  .sort()

/** The stories that have a configuration and a live object for the commands. */
export const storiesToPlan: readonly string[] = allStories.filter(name =>
  existsSync(join(projectRoot, storiesFolder, name, "config.yaml")),
)

export function storyFile(name: string): StoryFile {
  const file = `${storiesFolder}/${name}/story.yaml`
  return readStory(read(file), { file })
}

/**
 * Returns the live object of a story before its configuration is applied, as `kubectl get -o yaml --show-managed-fields` prints it. Throws
 * if no step applies the configuration.
 */
export function liveOf(name: string): string {
  const result = runStory(storyFile(name), { types: kubernetesTypes })
  const live = result.simulation.at(stepWith(name, result) - 1).get()
  const { metadata, apiVersion, kind, ...contents } = live as { readonly metadata: MapValue } & MapValue
  const { managedFields = [], resourceVersion: _, ...others } = metadata
  const stored = { ...others, resourceVersion: "41", managedFields }
  return formatYaml({ apiVersion, kind, metadata: stored, ...contents } as MapValue)
}

/** Returns the number of the step that applies config.yaml. */
function stepWith(name: string, { steps }: StoryResult): number {
  const config = parseYaml(read(`${storiesFolder}/${name}/config.yaml`))
  const found = steps.find(({ storyStep }) => "apply" in storyStep && equalValues(storyStep.apply as MapValue, config))
  if (found === undefined) throw new Error(`no step of ${name} applies config.yaml`)
  return found.step.index
}
