import { maxDepth } from "../value/depth.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import { OpenAPIError, type OpenAPIIssue, placeOf } from "./errors.js"
import type { ConversionOptions, DeduceOption, Diagnostic, DiagnosticCode, UnionMode } from "./options.js"
import { SchemaNode } from "./schema-node.js"

/** How many levels deep a conversion goes. A level takes up to four calls, and all have to fit a worker's stack of one megabyte. */
const deepest = (maxDepth * 3) / 4
/** How many steps of a path that is too deep a message shows. */
const shownOfDeepest = 20

export interface NamedType {
  readonly namedType: string
}

/** The state of one conversion: where the walk is, and the issues and diagnostics that it has found. */
export class Conversion {
  readonly document: string
  readonly unionMode: UnionMode
  readonly deduce: DeduceOption
  /** Whether unions that can't be read are left out with a diagnostic, instead of being an error. */
  leavesOutBadUnions = false
  /** Where the walk is, as the parts of a JSON pointer. Pushed and popped by the walk. */
  readonly path: string[] = []
  /** The type being converted. */
  typeName = ""
  readonly issues: OpenAPIIssue[] = []
  readonly diagnostics: Diagnostic[] = []
  /** The types referred to that the document does not define, and the path of the first reference. */
  readonly references = new Map<string, readonly string[]>()
  /** The types referred to, by the text of the reference. */
  private readonly named = new Map<string, NamedType>()
  /** Where the last slash of a reference was. */
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

  /** Adds an error for which upstream has a text; the walk goes on. `depth` counts the types written in place around it. */
  report(depth: number, message: string): void {
    const text = `${"inlined in ".repeat(depth)}${this.typeName}: ${message}`
    this.issues.push({ document: this.document, path: this.pointer(), message: text })
  }

  warn(code: DiagnosticCode, message: string, path = this.pointer()): void {
    this.diagnostics.push({ code, document: this.document, path, message })
  }

  /** Stops the conversion with an OpenAPIError, because upstream fails here too, without looking further. */
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

  /** Throws an OpenAPIError with everything that was reported, if anything was. */
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

  /** As `enter` and `leave`, for an entry of the map at `step`. */
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
   * The type that `reference`, found where the walk is, names: the same object for the same text; undefined if it names none.
   * `defined` are the names that the document defines.
   */
  refersTo(reference: string, defined: ReadonlySet<string>): NamedType | undefined {
    const known = this.named.get(reference)
    if (known !== undefined) return known
    const namedType = this.nameIn(reference)
    if (namedType === "") return undefined
    if (!defined.has(namedType) && !this.references.has(namedType)) {
      this.references.set(namedType, this.path.slice())
    }
    const type = { namedType }
    this.named.set(reference, type)
    return type
  }

  /** As `referredName`, but faster: the slash is nearly always in the same position as in the reference before. */
  nameIn(reference: string): string {
    if (reference[this.slash] !== "/" || reference.indexOf("/", this.slash + 1) >= 0)
      this.slash = reference.lastIndexOf("/")
    return reference.slice(this.slash + 1)
  }

  /** The keywords of the schema where the walk is. Valid until another schema at the same depth is read, which reuses the node. */
  read(schema: MapValue): SchemaNode {
    const depth = this.path.length
    const node = (this.nodes[depth] ??= new SchemaNode())
    node.read(schema)
    return node
  }

  pointer(): string {
    return pointerOf(this.path)
  }
}

function asItIs(value: Value): Value {
  return value
}

/** The part of a reference that names a type: everything after the last slash. */
export function referredName(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1)
}

/** The parts as a JSON pointer. */
export function pointerOf(parts: readonly string[]): string {
  return parts.map(part => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
}

/** The kind of the value, for messages. */
export function describe(value: unknown): string {
  if (value === undefined) return "nothing"
  if (value === null) return "null"
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

/** The value as a map; undefined for null and absent. Stops the conversion if it is neither. */
export function mapAt(c: Conversion, value: Value | undefined, what: string): MapValue | undefined {
  if (value === undefined || value === null) return undefined
  return isMap(value) ? value : c.malformed(`${what} must be an object, found ${describe(value)}`)
}

/** The value as a string; "" for null and absent. Stops the conversion if it is neither. */
export function stringAt(c: Conversion, value: Value | undefined, what: string): string {
  if (value === undefined || value === null) return ""
  return typeof value === "string" ? value : c.malformed(`${what} must be a string, found ${describe(value)}`)
}

/** The value as a boolean; false for null and absent. Stops the conversion if it is neither. */
export function booleanAt(c: Conversion, value: Value | undefined, what: string): boolean {
  if (value === undefined || value === null) return false
  return typeof value === "boolean" ? value : c.malformed(`${what} must be true or false, found ${describe(value)}`)
}
