import { UsageError } from "../input/options.js"
import { simulateOptions } from "../simulate/options.js"
import { command } from "./command.js"

export const simulate = command({
  name: "simulate",
  summary: "Play stories of managers, and check their expected results",
  operands: "[STORY...]",
  options: simulateOptions,
  notes: [
    "A STORY is a YAML file with the applies, updates and patches of managers, and the expected results (docs/simulator.md). In",
    "folders, all files without objects are stories. For each step smd reports the manager, the request and its result: changed",
    "fields, owners that lost fields, unions, and conflicts in the form of smd explain.",
    "",
    "--permute plays steps first that create objects which the others only write. --contend repeats the last request of each",
    "manager for each object and subresource, applied or written; for an update it repeats the change.",
    "",
    "--link prints a link for each story, which contains the text of the file (docs/playground.md). There is no link for a story",
    "with values of Secrets, unless --show-secrets is given.",
    "",
    "--output kubectl prints one story as a shell script, and --output vitest as a test on the test API server that expects the same",
    "results (docs/simulator.md). smd prints neither for a story with values of Secrets, unless --show-secrets is given.",
    "",
    "--record makes a story from the history of an object, with the results in the log as expectations. A summary on standard",
    "error lists who changed what, the writes without effect, and the fights. FILE contains the current object, and may contain",
    "the definition of its kind. With --live cluster, TYPE/NAME is an object of the cluster.",
    "",
    "Exits with 1 if a result differs from the expectation, which is shown with its file, line and column, and with 2 for a story",
    "that can't be played.",
  ],
  examples: [
    "smd simulate story.yaml",
    "smd simulate --permute --contend story.yaml",
    "smd simulate --link story.yaml",
    "smd simulate story.yaml --output vitest --out story.test.ts",
    "smd simulate -R stories --output junit --out report.xml",
    "smd simulate --record live.yaml --record-from audit.jsonl --out story.yaml",
    "kubectl get deploy web -w -o json --show-managed-fields | smd simulate --record live.yaml --record-from -",
  ],
  async run(context) {
    const { args } = context
    if (args.output === "kubectl" || args.output === "vitest") {
      const { exportStory } = await import("../simulate/export.js")
      return await exportStory(context, args.output)
    }
    if (args.record !== undefined || args.recordFrom !== undefined) {
      const { recordStory } = await import("../record/record.js")
      return await recordStory(context)
    }
    if (args.output === "junit" && (args.permute || args.contend)) {
      throw new UsageError("a JUnit report has only the steps: use --permute and --contend with --output text or json")
    }
    if (args.link || args.playground !== undefined) {
      const { linkStories } = await import("../simulate/link.js")
      return await linkStories(context)
    }
    // Only this command loads the simulator.
    const { simulateStories } = await import("../simulate/run.js")
    return await simulateStories(context)
  },
})
