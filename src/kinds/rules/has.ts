// Calls of `has`. The library does not check whether the schema declares the field that they ask about; a server does.
import { forEachNode, type Node } from "./cost.js"
import { withWrittenNames } from "./source.js"

/** The types of the fields of objects, by the names of their types. */
export type FieldTypes = ReadonlyMap<string, Readonly<Record<string, string>>>

/** A problem of an expression, and its offset in the text. */
export interface Located {
  readonly at: number
  readonly message: string
}

/** Returns the problems of the calls of `has` in an expression, which must have been checked. */
export function hasProblems(root: unknown, types: FieldTypes): Located[] {
  // A macro that contains a call may have several copies of it.
  const problems = new Map<number, Located>()
  forEachNode(root, node => {
    const problem = hasProblem(node, types)
    if (problem !== undefined) problems.set(problem.at, problem)
  })
  return [...problems.values()]
}

function hasProblem({ pos, meta }: Node, types: FieldTypes): Located | undefined {
  const [subject, ...selections] = meta.macro?.macroHasProps?.toReversed() ?? []
  let type = subject?.checkedType?.name ?? "dyn"
  for (const { op, args } of selections) {
    const name = (args as readonly unknown[])[1] as string
    const [, entry] = /^map<string, (.*)>$/.exec(type) ?? []
    const fields = types.get(type)
    if (op !== "." || (entry === undefined && fields === undefined)) return undefined
    if (fields !== undefined && !Object.hasOwn(fields, name)) {
      return { at: pos + "has".length, message: `undefined field '${name}'` }
    }
    type = entry ?? (fields?.[name] as string)
  }
  return undefined
}

/** Words problems as cel-go does: with the line of the expression, and a mark below the position. */
export function celErrors(text: string, problems: readonly Located[]): string {
  const written = withWrittenNames(text)
  return problems
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, message }) => {
      const before = withWrittenNames(text.slice(0, at)).split("\n")
      const line = written.split("\n")[before.length - 1]
      const column = before.at(-1)?.length ?? 0
      return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${".".repeat(column)}^`
    })
    .join("\n")
}
