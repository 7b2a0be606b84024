import { managerProblems } from "../../kinds/refusal/manager-name.js"
import { type Option, option, required, UsageError } from "./options.js"

/** `--manager`, which is required; `help` says what the manager does. */
export function managerOption(help: string): Option<string> {
  return { ...required(option("NAME", `${help} (required)`, parseManagerName)), alias: "field-manager" }
}

/** Returns `name`. Throws a UsageError, in an API server's words, unless it has at most 128 bytes, all of printable characters. */
export function parseManagerName(name: string, option: string): string {
  const [problem] = managerProblems(name, option)
  if (problem !== undefined) throw new UsageError(`${problem.field}: ${problem.message}`)
  return name
}
