import { maxDepth } from "../value/depth.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import { OpenAPIError, type OpenAPIIssue, placeOf } from "./errors.js"
import type { ConversionOptions, DeduceOption, Diagnostic, DiagnosticCode, UnionMode } from "./options.js"

/** The state of one conversion: where the walk is, and what it has found to say. */
export class Conversion {
  readonly document: string
  readonly unions: UnionMode
  readonly deduce: DeduceOption
  /** The place of the walk, as the parts of a JSON pointer. Pushed and popped by the walk. */
  readonly path: string[] = []
  /** The type being converted. */
  typeName = ""
  readonly issues: OpenAPIIssue[] = []
  readonly diagnostics: Diagnostic[] = []
  /** The types that others refer to, and the path of the first reference. */
  readonly references = new Map<string, readonly string[]>()
  /** The names in references read so far. */
  private readonly names = new Map<string, string>()

  /** What a default or an extension's value is to the reader of this format. */
  readonly literal: (value: Value) => Value

  constructor(options: ConversionOptions, document = options.name ?? "document", literal = asItIs) {
    this.document = document
    this.unions = options.unions ?? "upstream"
    this.deduce = options.deduce ?? "never"
    this.literal = literal
  }

  /** Notes an error upstream has a text for; the walk goes on. `depth` counts the types written in place around it. */
  report(depth: number, message: string): void {
    const text = `${"inlined in ".repeat(depth)}${this.typeName}: ${message}`
    this.issues.push({ document: this.document, path: this.pointer(), message: text })
  }

  warn(code: DiagnosticCode, message: string, path = this.pointer()): void {
    this.diagnostics.push({ code, document: this.document, path, message })
  }

  /** Stops the conversion: upstream, too, fails here without looking further. */
  fail(message: string): never {
    throw new OpenAPIError(message, [{ document: this.document, path: this.pointer(), message }])
  }

  /** Stops the conversion of a document that isn't what it should be at this place. */
  malformed(problem: string): never {
    const path = this.pointer()
    throw new OpenAPIError(`${placeOf(this.document, path)}: ${problem}`, [
      { document: this.document, path, message: problem },
    ])
  }

  /** Throws everything reported, if anything was. */
  finish(): void {
    if (this.issues.length > 0) {
      throw new OpenAPIError(this.issues.map(({ message }) => message).join("\n"), this.issues)
    }
  }

  enter(step: string): void {
    this.path.push(step)
    if (this.path.length > 2 * maxDepth) this.malformed(`schemas nest deeper than ${maxDepth} levels`)
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

  /** The type that `reference`, found at the place of the walk, names: one string for all references to it; "" for none. */
  refersTo(reference: string): string {
    const known = this.names.get(reference)
    if (known !== undefined) return known
    const name = referredName(reference)
    this.names.set(reference, name)
    if (name !== "" && !this.references.has(name)) this.references.set(name, this.path.slice())
    return name
  }

  pointer(): string {
    return pointerOf(this.path)
  }
}

function asItIs(value: Value): Value {
  return value
}

/** The part of a reference that names a type: all after the last slash. */
export function referredName(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1)
}

/** The parts as a JSON pointer. */
export function pointerOf(parts: readonly string[]): string {
  return parts.map(part => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
}

/** What kind of value this is, for messages. */
export function describe(value: unknown): string {
  if (value === undefined) return "nothing"
  if (value === null) return "null"
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

/** The value as a map; null and absent are undefined. */
export function mapAt(c: Conversion, value: Value | undefined, what: string): MapValue | undefined {
  if (value === undefined || value === null) return undefined
  return isMap(value) ? value : c.malformed(`${what} must be an object, found ${describe(value)}`)
}

/** The value as a string; null and absent are "". */
export function stringAt(c: Conversion, value: Value | undefined, what: string): string {
  if (value === undefined || value === null) return ""
  return typeof value === "string" ? value : c.malformed(`${what} must be a string, found ${describe(value)}`)
}

/** The value as a boolean; null and absent are false. */
export function booleanAt(c: Conversion, value: Value | undefined, what: string): boolean {
  if (value === undefined || value === null) return false
  return typeof value === "boolean" ? value : c.malformed(`${what} must be true or false, found ${describe(value)}`)
}
