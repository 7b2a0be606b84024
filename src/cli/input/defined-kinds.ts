// The kinds of a server that serves the kind of a document. Loaded when needed, because it imports the code of all built-in kinds.
import { SchemaError } from "../../errors.js"
import type { Kinds } from "../../kinds/kinds.js"
import { kubernetes } from "../../kinds/kubernetes.js"
import type { MapValue, Value } from "../../value/value.js"
import type { Document } from "./document.js"
import type { Types } from "./types.js"

/** Finds the kinds of a server for each document. */
export class DefinedKinds {
  private readonly types: Types
  private readonly unserved: (document: Document, error: SchemaError) => void
  /** The built-in kinds with the kinds of a definition; undefined if no server would serve the definition. */
  private readonly defined = new Map<Value, Kinds | undefined>()

  /** Calls `unserved` with the first document of each definition that no server would serve. */
  constructor(types: Types, unserved: (document: Document, error: SchemaError) => void = () => {}) {
    this.types = types
    this.unserved = unserved
  }

  /** Returns the kinds that include the document's kind; undefined if a server's answer can't be known. */
  of(document: Document): Kinds | undefined {
    const { definition, builtIn } = this.types.sourceOf(document)
    if (definition === undefined) return builtIn ? kubernetes : undefined
    if (this.defined.has(definition)) return this.defined.get(definition)
    let kinds: Kinds | undefined
    try {
      kinds = kubernetes.with([definition as MapValue])
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
      this.unserved(document, error)
    }
    this.defined.set(definition, kinds)
    return kinds
  }
}
