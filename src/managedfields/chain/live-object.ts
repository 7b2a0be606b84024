// Remembers facts about live objects that earlier requests found, for a FieldManager whose objects never change.
import type { Type } from "../../typed/type.js"
import type { TypedValue } from "../../typed/typed-value.js"
import type { MapValue } from "../../value/value.js"
import { withHollowEntries } from "../entries/entry.js"

const known = new WeakMap<MapValue, LiveObject>()

/** A live object and the known facts about it. */
export class LiveObject {
  /** The object with empty fieldsV1 in its managedFields: nobody owns those, so the engine need not look into them. */
  readonly hollow: MapValue
  private typed: TypedValue | undefined

  constructor(object: MapValue) {
    this.hollow = withHollowEntries(object)
  }

  /** Returns the known instance for an object that never changes. */
  static of(object: MapValue): LiveObject {
    let live = known.get(object)
    if (live === undefined) known.set(object, (live = new LiveObject(object)))
    return live
  }

  /** Notes that `typed` has the value of a stored object, except for its managedFields. */
  static note(stored: MapValue, typed: TypedValue): void {
    if (!typed.isValidated) return
    const live = LiveObject.of(stored)
    live.typed = typed.withEdits(live.hollow, true)
  }

  /** Returns `hollow` as an instance of the type if that is known, otherwise the result of `validate`. */
  as(type: Type | undefined, validate: () => TypedValue): TypedValue {
    if (this.typed === undefined || this.typed.type !== type) this.typed = validate()
    return this.typed
  }
}
