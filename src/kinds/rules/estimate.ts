// The greatest cost that an expression can have, estimated from its schema: a server refuses definitions with rules that may cost too much.
//
// An expression costs what its parts cost, times the greatest length of the lists that it goes through. Sizes are characters, items or entries;
// their bounds come from the schema (`most` of `Declared`), or else from the greatest size of a request.
import { countCharacters } from "../../value/bytes.js"
import { type Comprehension, comparison, isComprehension, type Node, nodesIn } from "./cost.js"
import { type Declared, escapeName, leaf } from "./types.js"

/** The estimate of a part of an expression. */
interface Estimate {
  readonly cost: number
  /** The greatest size of the value; undefined if its type decides. */
  readonly size?: number | undefined
  /** The greatest size of the items, if the value is a list that the expression makes. */
  readonly itemSize?: number | undefined
  /** The declaration of the value, if it is a part of the object. */
  readonly declared?: Declared | undefined
}

/** The greatest number of a server. Sums and products stop here. */
const unbounded = 2 ** 64

/** Multiplies costs. The product stops at the greatest number. */
export function times(a: number, b: number): number {
  return a === 0 ? 0 : Math.min(unbounded, a * b)
}

/** Returns the cost of going through `size` characters. */
function through(size: number, factor = 0.1): number {
  return Math.min(unbounded, Math.ceil(size * factor))
}

const scalars = new Set("bool int uint double google.protobuf.Duration google.protobuf.Timestamp".split(" "))

/** Returns the greatest cost of a checked expression about `self`. */
export function estimateCost(root: unknown, self: Declared): number {
  return estimate(root as Node, new Map(), self).cost
}

type Variables = ReadonlyMap<string, Estimate>

function estimate(node: Node, variables: Variables, self: Declared): Estimate {
  const { op, args, meta } = node
  if (meta.alternate !== undefined) return estimateMacro(node, meta.alternate, variables, self)
  if (op === "value") return { cost: 0, size: typeof args === "string" ? countCharacters(args) : 1 }
  if (op === "id") {
    const variable = variables.get(args as string)
    // Go: a name that is not a variable of a macro has the size of `self`.
    return variable === undefined ? { cost: 1, declared: self } : { ...variable, cost: 1 }
  }
  const [name] = Array.isArray(args) ? args : []
  const nodes = nodesIn(node)
  // The field that `has` asks about costs nothing, but the object that it belongs to does.
  if (name === "has" && nodes[0] !== undefined) return { cost: estimate(nodes[0], variables, self).cost - 1, size: 1 }
  const parts = nodes.map(part => estimate(part, variables, self))
  const sizes = nodes.map((part, i) => sizeOf(part, parts[i] as Estimate))
  const sum = parts.reduce((total, { cost }) => total + cost, 0)
  const skipped = op === "?:" ? Math.min(...parts.slice(1).map(({ cost }) => cost)) : 0
  const isCall = op === "call" || op === "rcall"
  const own = isCall ? callOf(name as string, nodes, parts, sizes) : operatorOf(node, nodes, parts, sizes)
  return { ...own, cost: Math.min(unbounded, own.cost + sum - skipped) }
}

/** Estimates a macro such as `all`, by the loop that a server makes of it. */
function estimateMacro({ args }: Node, loop: Node, variables: Variables, self: Declared): Estimate {
  if (!isComprehension(loop.args)) return estimate(loop, variables, self)
  const [name] = args as readonly unknown[]
  const { iterable, iterVarName, init, step }: Comprehension = loop.args
  const range = estimate(iterable, variables, self)
  const count = sizeOf(iterable, range)
  // Go: the items of a list that is not a part of the object have the size of `self`.
  const item = range.declared === undefined ? self : (range.declared.items ?? keys)
  const body = estimate(step, new Map(variables).set(iterVarName, { cost: 1, declared: item }), self)
  const each = body.cost + (name === "all" ? 3 : name === "exists" ? 4 : 0)
  const once = init.op === "list" ? 11 : name === "all" || name === "exists" ? 1 : 2
  const cost = range.cost + once + times(count, each)
  return { cost: Math.min(unbounded, cost), size: init.op === "list" ? count : 1, itemSize: body.itemSize }
}

/** The declaration of the keys of a map. */
const keys: Declared = { ...leaf, type: "string", read: value => value }

function checkedTypeOf({ checkedType }: Node): string {
  return checkedType?.name ?? "dyn"
}

function isText(node: Node | undefined): boolean {
  return node !== undefined && ["string", "bytes", "dyn"].includes(checkedTypeOf(node))
}

function sizeOf(node: Node, { size, declared }: Estimate): number {
  return size ?? declared?.most ?? scalarSize(node) ?? unbounded
}

function scalarSize(node: Node): number | undefined {
  return scalars.has(checkedTypeOf(node)) ? 1 : undefined
}

/** Returns the estimate of an operator without its operands. */
function operatorOf(
  node: Node,
  [first, second]: readonly Node[],
  [left, right]: readonly Estimate[],
  sizes: readonly number[],
): Estimate {
  const { op, args } = node
  const declared = left?.declared
  switch (op) {
    case ".": {
      const name = (args as readonly unknown[])[1]
      const [, field] = [...(declared?.fields ?? [])].find(([key]) => escapeName(key) === name) ?? []
      const isOpen = declared === undefined && first !== undefined && checkedTypeOf(first) === "dyn"
      return { cost: isOpen ? 0 : 1, declared: field }
    }
    case "[]":
      return { cost: 1, declared: declared?.items ?? declared?.rest, size: left?.itemSize ?? scalarSize(node) }
    case "&&":
    case "||":
      return { cost: 0, size: 1 }
    case "?:":
      return { cost: 0, size: Math.max(...sizes.slice(1)), itemSize: right?.itemSize }
    case "list":
      return { cost: 10, size: sizes.length, itemSize: Math.max(0, ...sizes) }
    case "map":
      return { cost: 30, size: sizes.length / 2 }
    case "in":
      return { cost: isMapNode(second, right) ? 1 : (sizes[1] ?? 0), size: 1 }
    case "==":
    case "!=":
      return { cost: isOpaque(first) ? 1 : through(Math.min(...sizes)), size: 1 }
    case "+": {
      const size = sizes.reduce((a, b) => Math.min(unbounded, a + b), 0)
      const isList = declared?.items !== undefined || itemType(first) !== undefined
      if (isList) return { cost: 1, size, itemSize: left?.itemSize }
      return isText(first) ? { cost: through(size), size } : { cost: 1 }
    }
    case "accuPush":
      return { cost: 12, itemSize: sizes[0] }
    case "accuInc":
      return { cost: 2 }
  }
  const comparesTexts = op in comparison && isText(first) && isText(second)
  return { cost: comparesTexts ? Math.max(1, through(Math.min(...sizes))) : 1 }
}

/** Returns the type of the items of a list; undefined if the type is not that of a list. */
function itemType(node: Node | undefined): string | undefined {
  return node && /^list<(.*)>$/.exec(checkedTypeOf(node))?.[1]
}

function isMapNode(node: Node | undefined, estimated: Estimate | undefined): boolean {
  return estimated?.declared?.rest !== undefined || (node !== undefined && checkedTypeOf(node).startsWith("map<"))
}

function isOpaque(node: Node | undefined): boolean {
  return node !== undefined && /^(net\.|kubernetes\.)/.test(checkedTypeOf(node))
}

/** Functions that read their first argument, the object of a method included. */
const readers = new Set(
  "url quantity isQuantity cidr isIP isCIDR semver isSemver lowerAscii upperAscii substring trim format bytes".split(
    " ",
  ),
)
/** Functions that look at each item of a list, or read a text. */
const searches = new Set("isSorted sum max min indexOf lastIndexOf".split(" "))

/** Returns the estimate of a call without its arguments. The object of a method is the first of them. */
function callOf(
  name: string,
  [first, replaced, limit]: readonly Node[],
  [object]: readonly Estimate[],
  [size = 0, second = 0, third = 0]: readonly number[],
): Estimate {
  const elements = object?.declared?.items?.most ?? object?.itemSize ?? unbounded
  if (readers.has(name) || (name === "ip" && isText(first))) return { cost: through(size), size }
  if (searches.has(name)) {
    const type = object?.declared?.items?.type ?? itemType(first)
    if (type === undefined) return { cost: through(size) }
    return { cost: times(size, type === "string" || type === "bytes" ? 1 + through(elements) : 1) }
  }
  switch (name) {
    case "startsWith":
    case "endsWith":
      return { cost: through(second) }
    case "contains":
      return { cost: times(through(size), through(second)) }
    case "goMatches":
    case "find":
    case "findAll":
      return { cost: times(through(size + 1), through(second, 0.25)), size: name === "goMatches" ? 1 : size }
    case "join": {
      const length = Math.min(unbounded, times(size, elements) + times(second, Math.max(0, size - 1)))
      return { cost: through(length), size: length }
    }
    case "split":
      return { cost: through(size, 0.2), size: limit?.op === "value" ? Number(limit.args) : size }
    case "replace":
      return { cost: through(size, 0.2), size: replacedSize(size, replaced?.op === "value" ? second : 0, third) }
  }
  return { cost: 1 }
}

/** Returns the greatest size of a text in which texts of at least `least` characters are replaced by `next` characters. */
function replacedSize(size: number, least: number, next: number): number {
  if (least === 0) return Math.min(unbounded, size + times(size + 1, next))
  return next <= least ? size : times(Math.ceil(size / least), next)
}
