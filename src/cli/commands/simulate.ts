import { UsageError } from "../input/options.js"
import { simulateOptions } from "../simulate/options.js"
import { command } from "./command.js"

export const simulate = command({
  name: "simulate",
  summary: "Play stories of managers, and check what is expected of them",
  operands: "[STORY...]",
  options: simulateOptions,
  notes: [
    "A STORY is a YAML file: who applies, updates or patches what, and what is expected of it (docs/simulator.md). Of folders, all",
    "files are played that are no objects. Tells of each step who asked for what, and what came of it: fields that changed, owners that",
    "lost some, unions, and conflicts as smd explain shows them.",
    "",
    "--permute leaves steps first that create what others can only write. --contend goes by the last that a manager asked for: of each",
    "object, through each subresource, applied or written; of an update, by what it changed.",
    "",
    "--record makes a story of an object's history, with what the log says as expectations, and a summary on standard error: who changed",
    "what, which writes changed nothing, who fights. FILE has the object as it is now, and may have the definition of its kind.",
    "",
    "Exits with 1 where something is not as expected, which is shown with its file, line and column, and with 2 for a story that can't be",
    "played.",
  ],
  examples: [
    "smd simulate story.yaml",
    "smd simulate --permute --contend story.yaml",
    "smd simulate -R stories --output junit --out report.xml",
    "smd simulate --record live.yaml --record-from audit.jsonl --out story.yaml",
    "kubectl get deploy web -w -o json --show-managed-fields | smd simulate --record live.yaml --record-from -",
  ],
  async run(context) {
    const { args } = context
    if (args.record !== undefined || args.recordFrom !== undefined) {
      const { recordStory } = await import("../record/record.js")
      return await recordStory(context)
    }
    if (args.output === "junit" && (args.permute || args.contend)) {
      throw new UsageError("a JUnit report has only the steps: use --permute and --contend with --output text or json")
    }
    // The simulator is loaded by this command alone.
    const { simulateStories } = await import("../simulate/run.js")
    return await simulateStories(context)
  },
})
