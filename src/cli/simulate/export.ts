// `smd simulate --output kubectl` and `--output vitest`: a story as a script, or as a test.
import { kubectlScript } from "../../tools/simulator/export/kubectl-script.js"
import { portableStory } from "../../tools/simulator/export/portable-story.js"
import { vitestTest } from "../../tools/simulator/export/vitest-test.js"
import { formatPlace } from "../input/document.js"
import type { Context } from "../input/input.js"
import { firstGiven, UsageError } from "../input/options.js"
import { printable } from "../terminal/layout.js"
import type { SimulateArguments } from "./options.js"
import { playStory, readStories, refuseHidden, reportFindings, storyOptions } from "./stories.js"

/** Plays the story of the operand, prints it in the form, reports expectations that were not met, and returns the exit status. */
export async function exportStory(context: Context<SimulateArguments>, form: "kubectl" | "vitest"): Promise<number> {
  const { args, input, terminal } = context
  const other = firstGiven(args, ["record", "recordFrom", "link", "playground", "permute", "contend", "admission"])
  if (other !== undefined) throw new UsageError(`${other} can't be used with --output ${form}`)
  const stories = await readStories(context)
  const [source, another] = stories
  if (source === undefined || another !== undefined) {
    throw new UsageError(`--output ${form} is for one story, not for ${stories.length}`)
  }
  refuseHidden(stories, form === "kubectl" ? "a script" : "a test", input.secrets)
  const played = playStory(source, await storyOptions([source.story]), () => {})
  reportFindings(played, terminal)
  for (const { message, line, column } of played.steps.flatMap(({ failures }) => failures)) {
    const position = line === undefined || column === undefined ? undefined : { line, column }
    terminal.report(`${printable(`${formatPlace({ file: source.file, position })}: ${message}`)}\n`)
  }
  const text =
    form === "kubectl" ? kubectlScript(portableStory(played, "kubectl")) : vitestTest(portableStory(played, "server"))
  terminal.write(text)
  return played.passed ? 0 : 1
}
