import { type DecodedFields, decodeFields } from "../../fieldpath/fieldsv1/object.js"
import type { ParityOptions } from "../../json/json.js"
import { oncePer } from "../../value/once-per.js"
import type { ListValue, MapValue, Value } from "../../value/value.js"

/**
 * The decoded sets of fieldsV1 objects that do not change, so that each is decoded only once. Encoded sets are decoded too. Go: the least
 * int64 in a key is read as a float, so a set may change when it is written and read.
 */
export class DecodedSets {
  private readonly decodeOnce = oncePer((fieldsV1: ListValue | MapValue) => decodeFields(fieldsV1))

  /** Like `decodeFields`. */
  decode(fieldsV1: Value | undefined, options?: ParityOptions): DecodedFields {
    if (typeof fieldsV1 !== "object" || fieldsV1 === null) return decodeFields(fieldsV1, options)
    try {
      return this.decodeOnce(fieldsV1)
    } catch {
      return decodeFields(fieldsV1, options) // throws the error in the words of the parity
    }
  }
}
