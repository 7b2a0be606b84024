// Operands that name objects of a cluster, as kubectl reads them: TYPE/NAME..., TYPE NAME... or TYPE,TYPE.
import type { LiveObjectValues } from "./cluster-options.js"
import { UsageError } from "./options.js"

/** The objects that operands name. */
export type NamedObjects =
  /** Single objects. */
  | { readonly names: readonly { readonly type: string; readonly name: string }[]; readonly types?: never }
  /** All objects of types; of every type without `types`. */
  | { readonly names?: never; readonly types: readonly string[] | undefined }

/** Reads the operands. Throws a UsageError for words that kubectl would refuse. */
export function namedObjects(operands: readonly string[], args: LiveObjectValues): NamedObjects {
  const slashed = operands.filter(operand => operand.includes("/"))
  if (slashed.length > 0) {
    const names = operands.map(operand => {
      const [type = "", name = "", ...rest] = operand.split("/")
      if (type !== "" && name !== "" && rest.length === 0 && !type.includes(",")) return { type, name }
      throw new UsageError(`${operand} is not TYPE/NAME, as ${slashed[0]} is`)
    })
    return { names: checked(names, args) }
  }
  const [first, ...rest] = operands
  if (first === undefined) return { types: undefined }
  const types = first.split(",").filter(type => type !== "")
  if (rest.length === 0) return { types }
  return {
    names: checked(
      types.flatMap(type => rest.map(name => ({ type, name }))),
      args,
    ),
  }
}

function checked<T>(names: T, { selector, fieldSelector, allNamespaces }: LiveObjectValues): T {
  if (allNamespaces) throw new UsageError("--all-namespaces can't be used with names of objects: choose a --namespace")
  const option = selector !== undefined ? "--selector" : fieldSelector !== undefined ? "--field-selector" : undefined
  if (option !== undefined) throw new UsageError(`${option} can't be used with names of objects`)
  return names
}

/** Whether the operands may name objects of a cluster, if there are no such files. */
export function mayNameObjects(operands: readonly string[]): boolean {
  return (
    operands.length > 0 &&
    operands.every(operand => /^[A-Za-z][\w.:,-]*(?:\/[\w.:-]+)?$/.test(operand) && !ending.test(operand))
  )
}

/** The endings of files, which no kind has. */
const ending = /\.(?:ya?ml|json|jsonl|ndjson|log|txt|gz)$/i
