// Remembers facts about objects that earlier requests found, for a FieldManager whose objects do not change.
import type { Type } from "../../typed/type.js"
import type { TypedValue } from "../../typed/typed-value.js"
import { oncePer } from "../../value/once-per.js"
import type { MapValue } from "../../value/value.js"
import { DecodedSets } from "../entries/decoded-sets.js"
import { withHollowEntries } from "../entries/entry.js"

/** Facts about objects that do not change, kept as long as the objects are in memory. */
export class ObjectFacts {
  /** The decoded sets of managedFields. */
  readonly sets: DecodedSets = new DecodedSets()
  /** Returns the facts about an object. */
  readonly of: (object: MapValue) => LiveFacts = oncePer(object => new LiveFacts(object))

  /** Notes that `typed` has the value of a stored object, except for its managedFields. */
  note(stored: MapValue, typed: TypedValue): void {
    if (typed.isValidated) this.of(stored).note(typed)
  }
}

/** The facts about objects that never change, whatever FieldManager receives them. */
export const lastingFacts: ObjectFacts = new ObjectFacts()

/** A live object and the known facts about it. */
export class LiveFacts {
  /** The object with empty fieldsV1 in its managedFields: nobody owns those, so the engine need not look into them. */
  readonly hollow: MapValue
  private typed: TypedValue | undefined

  constructor(object: MapValue) {
    this.hollow = withHollowEntries(object)
  }

  /** Notes a validated value that is equal to the object, except for its managedFields. */
  note(typed: TypedValue): void {
    this.typed = typed.withEdits(this.hollow, true)
  }

  /** Returns `hollow` as an instance of the type if that is known, otherwise the result of `validate`. */
  as(type: Type | undefined, validate: () => TypedValue): TypedValue {
    if (this.typed === undefined || this.typed.type !== type) this.typed = validate()
    return this.typed
  }
}
