import { maxDepth } from "../../value/depth.js"
import { formatPointer } from "../../value/pointer.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { OpenAPIError, type OpenAPIIssue, placeOf } from "./errors.js"
import type { ConversionOptions, DeduceOption, Diagnostic, DiagnosticCode, UnionMode } from "./options.js"
import { SchemaNode } from "./schema-node.js"

/** The maximum depth of a conversion. A level takes up to four calls, and all must fit a worker's stack of one megabyte. */
const deepest = (maxDepth * 3) / 4
/** The number of steps that a message shows of a path that is too deep. */
const shownOfDeepest = 20

export interface NamedType {
  readonly namedType: string
}

/** The state of one conversion: the current place, and the issues and diagnostics so far. */
export class Conversion {
  readonly document: string
  readonly unionMode: UnionMode
  readonly deduce: DeduceOption
  /** The definitions of the document, which references name. Empty in a CustomResourceDefinition. */
  definitions: MapValue = {}
  /** Whether unreadable unions are left out with a diagnostic, instead of being an error. */
  leavesOutBadUnions = false
  /** The current place, as the parts of a JSON pointer. Pushed and popped by the walk. */
  readonly path: string[] = []
  /** The type being converted. */
  typeName = ""
  readonly issues: OpenAPIIssue[] = []
  readonly diagnostics: Diagnostic[] = []
  /** Referenced types that the document does not define, and the path of the first reference to each. */
  readonly references = new Map<string, readonly string[]>()
  /** The referenced types, by the text of the reference. */
  private readonly named = new Map<string, NamedType>()
  /** The position of the last slash in the previous reference. */
  private slash = 0
  private readonly nodes: SchemaNode[] = []

  /** Converts a default or the value of an extension as the reader of this format does. */
  readonly literal: (value: Value) => Value

  constructor(options: ConversionOptions, document = options.name ?? "document", literal = asItIs) {
    this.document = document
    this.unionMode = options.unionMode ?? "off"
    this.deduce = options.deduce ?? "never"
    this.literal = literal
  }

  /** Adds an error for which upstream has a message; the walk goes on. `depth` counts the inlined types around the place. */
  report(depth: number, message: string): void {
    const text = `${"inlined in ".repeat(depth)}${this.typeName}: ${message}`
    this.issues.push({ document: this.document, path: this.pointer(), message: text })
  }

  warn(code: DiagnosticCode, message: string, path = this.pointer()): void {
    this.diagnostics.push({ code, document: this.document, path, message })
  }

  /** Stops the conversion with an OpenAPIError, because upstream fails at the same point. */
  fail(message: string): never {
    throw new OpenAPIError(message, [{ document: this.document, path: this.pointer(), message }])
  }

  /** Stops the conversion with an OpenAPIError, because the document is malformed at this place. */
  malformed(problem: string): never {
    const path = this.pointer()
    throw new OpenAPIError(`${placeOf(this.document, path)}: ${problem}`, [
      { document: this.document, path, message: problem },
    ])
  }

  /** Throws an OpenAPIError with all reported issues, if there are any. */
  finish(): void {
    if (this.issues.length > 0) {
      throw new OpenAPIError(this.issues.map(({ message }) => message).join("\n"), this.issues)
    }
  }

  enter(step: string): void {
    this.path.push(step)
    this.checkDepth()
  }

  private checkDepth(): void {
    if (this.path.length <= deepest) return
    this.path.length = shownOfDeepest
    this.malformed(`schemas nest deeper than ${deepest} levels of the document`)
  }

  leave(): void {
    this.path.pop()
  }

  /** Like `enter` and `leave`, for an entry of the map at `step`. */
  enterEntry(step: string, key: string): void {
    this.path.push(step)
    this.enter(key)
  }

  leaveEntry(): void {
    this.path.pop()
    this.path.pop()
  }

  /** Begins a loop over the entries of the map at `step`: `nextEntry` goes to each entry, `leaveEntry` ends the loop. */
  enterEntries(step: string): void {
    this.path.push(step, "")
  }

  nextEntry(key: string): void {
    this.path[this.path.length - 1] = key
    this.checkDepth()
  }

  /**
   * Returns the type that `reference` names, found at the current place; undefined if it does not name one. The same text always gives the
   * same object.
   */
  refersTo(reference: string): NamedType | undefined {
    const known = this.named.get(reference)
    if (known !== undefined) return known
    const namedType = this.nameIn(reference)
    if (namedType === "") return undefined
    if (!Object.hasOwn(this.definitions, namedType) && !this.references.has(namedType)) {
      this.references.set(namedType, this.path.slice())
    }
    const type = { namedType }
    this.named.set(reference, type)
    return type
  }

  /** Like `referredName`, but faster: the slash is nearly always in the same position as in the previous reference. */
  nameIn(reference: string): string {
    if (reference[this.slash] !== "/" || reference.indexOf("/", this.slash + 1) >= 0)
      this.slash = reference.lastIndexOf("/")
    return reference.slice(this.slash + 1)
  }

  /**
   * Returns the keywords of the schema at the current place. Valid until another schema at the same depth is read, which reuses the node: with
   * a new node for each schema, the conversion of all Kubernetes types takes a quarter longer.
   */
  read(schema: MapValue): SchemaNode {
    const depth = this.path.length
    const node = (this.nodes[depth] ??= new SchemaNode())
    node.read(schema)
    return node
  }

  pointer(): string {
    return formatPointer(this.path)
  }
}

function asItIs(value: Value): Value {
  return value
}

/** Returns the part of a reference that names a type: everything after the last slash. */
export function referredName(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1)
}

/** Returns the kind of the value, for messages. */
export function valueKind(value: unknown): string {
  if (value === undefined) return "nothing"
  if (value === null) return "null"
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

/** Returns the value as a map; undefined for null and absent. Stops the conversion for other values. */
export function optionalMapAt(conversion: Conversion, value: Value | undefined, what: string): MapValue | undefined {
  if (value === undefined || value === null) return undefined
  return isMap(value) ? value : conversion.malformed(`${what} must be an object, found ${valueKind(value)}`)
}

/** Returns the value as a string; "" for null and absent. Stops the conversion for other values. */
export function stringAt(conversion: Conversion, value: Value | undefined, what: string): string {
  if (value === undefined || value === null) return ""
  return typeof value === "string" ? value : conversion.malformed(`${what} must be a string, found ${valueKind(value)}`)
}

/** Returns the value as a boolean; false for null and absent. Stops the conversion for other values. */
export function booleanAt(conversion: Conversion, value: Value | undefined, what: string): boolean {
  if (value === undefined || value === null) return false
  return typeof value === "boolean"
    ? value
    : conversion.malformed(`${what} must be true or false, found ${valueKind(value)}`)
}
