// The subjects that `smd help` explains apart from the commands.
import { addToGroup } from "../../value/groups.js"
import type { DescribedCommand, Topic } from "../output/help.js"

export const exitCodes: Topic = {
  name: "exit-codes",
  summary: "the exit statuses of all commands",
  rows: [
    ["0", "success; for compare, schema diff and record diff, no difference"],
    [
      "1",
      "apply, update, plan, explain: conflicts, or objects that a server would refuse; lint: errors, or with --fail-on warning " +
        "warnings; simulate: failed expectations, or with --contend a fight; compare, schema diff, record diff: a difference",
    ],
    ["2", "bad input or options, and for validate invalid objects; each problem is printed with its place"],
    [
      "3",
      "plan --detailed-exitcode: something would change, even if only an owner; --stream: some objects could not be read or processed",
    ],
    ["4", "smd failed, or a thread of --jobs died: the output is incomplete"],
    ["130", "interrupted during --stream"],
  ],
  notes: ["smd serve -- COMMAND exits with the status of COMMAND."],
}

/** The meanings of the values of `--output`, in the order of the help. */
const meanings: Readonly<Record<string, string>> = {
  text: "for people, as wide as the terminal or as COLUMNS says",
  json: "data for programs: the results of the library as a list, or objects",
  yaml: "the same as YAML documents",
  name: "the kind and the name of each object, as kubectl prints them",
  github: "annotations, which GitHub shows next to the lines of the files",
  markdown: "a comment for a pull request",
  sarif: "a report for code scanning",
  gitlab: "a code quality report for GitLab",
  junit: "a report for CI",
  object: "the objects after the change",
  patch: "the JSON Patch of one object",
  kubectl: "commands that send the patches or the requests",
  vitest: "a test on the test API server",
}

/** Explains the values of `--output` that these commands have. */
export function formatsTopic(commands: readonly DescribedCommand[]): Topic {
  const users = new Map<string, string[]>()
  for (const { name, options } of commands) {
    for (const form of options.output?.choices ?? []) addToGroup(users, form, name)
  }
  const known = Object.keys(meanings)
  const names = [...users.keys()].sort((a, b) => known.indexOf(a) - known.indexOf(b))
  return {
    name: "formats",
    summary: "the values of --output",
    rows: names.map(form => [form, `${meanings[form] ?? ""} (${users.get(form)?.join(", ")})`]),
    notes: [
      "Text is the default of commands that have it. Other commands print YAML, or lines of text without --output.",
      "",
      "With --stream, the output is a line of JSON for each object.",
    ],
  }
}
