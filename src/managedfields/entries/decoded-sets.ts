import { type DecodedFields, decodeFields } from "../../fieldpath/fieldsv1/object.js"
import type { Value } from "../../value/value.js"

/**
 * The decoded sets of fieldsV1 objects that do not change, so that each is decoded only once. Encoded sets are decoded too. Go: the least
 * int64 in a key is read as a float, so a set may change when it is written and read.
 */
export class DecodedSets {
  private readonly known = new WeakMap<object, DecodedFields>()

  /** Like `decodeFields`. */
  decode(fieldsV1: Value | undefined): DecodedFields {
    if (typeof fieldsV1 !== "object" || fieldsV1 === null) return decodeFields(fieldsV1)
    let decoded = this.known.get(fieldsV1)
    if (decoded === undefined) this.known.set(fieldsV1, (decoded = decodeFields(fieldsV1)))
    return decoded
  }
}
