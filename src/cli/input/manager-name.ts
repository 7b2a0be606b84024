import { managerProblems } from "../../kinds/refusal/manager-name.js"
import { type Arguments, UsageError } from "./options.js"

/** Returns the value of `--manager`, or of another option that names a manager. Checks it as `checkManagerName` does. */
export function managerName(args: Arguments, option = "manager"): string {
  return checkManagerName(args.needed(option), option)
}

/** Returns `name`. Throws a UsageError, in an API server's words, unless it has at most 128 bytes, all of printable characters. */
export function checkManagerName(name: string, option: string): string {
  const [problem] = managerProblems(name, `--${option}`)
  if (problem !== undefined) throw new UsageError(`${problem.field}: ${problem.message}`)
  return name
}
