// What earlier requests found out about live objects, for a FieldManager whose objects never change.
import type { Type } from "../../typed/type.js"
import type { TypedValue } from "../../typed/typed-value.js"
import type { MapValue } from "../../value/value.js"
import { withHollowEntries } from "../entries/entry.js"

const known = new WeakMap<MapValue, LiveObject>()

/** A live object, and what is known about it. */
export class LiveObject {
  /** The object with managedFields that have no fields in them: nobody owns those, so there is no need to look into them. */
  readonly hollow: MapValue
  private typed: TypedValue | undefined

  constructor(object: MapValue) {
    this.hollow = withHollowEntries(object)
  }

  /** The known one of an object that never changes. */
  static of(object: MapValue): LiveObject {
    let live = known.get(object)
    if (live === undefined) known.set(object, (live = new LiveObject(object)))
    return live
  }

  /** Notes that `typed` has the value of a stored object, but for its managedFields. */
  static note(stored: MapValue, typed: TypedValue): void {
    if (!typed.isValidated) return
    const live = LiveObject.of(stored)
    live.typed = typed.withEdits(live.hollow, true)
  }

  /** `hollow` as an instance of the type, if that is known; else what `validate` makes of it. */
  as(type: Type | undefined, validate: () => TypedValue): TypedValue {
    if (this.typed === undefined || this.typed.type !== type) this.typed = validate()
    return this.typed
  }
}
