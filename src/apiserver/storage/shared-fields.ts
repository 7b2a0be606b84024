// Lets stored objects share equal fieldsV1. Most objects of a kind come from the same programs, which own the same fields in all of them.
import { formatGoJson } from "../../json/json.js"
import { own } from "../../value/object.js"
import { Table } from "../../value/table.js"
import { isList, isMap, type Value } from "../../value/value.js"

/** The fieldsV1 that were stored lately, by their text. A table keeps no long texts, so large sets are not shared. */
export class SharedFields {
  private readonly known = new Table<string, { readonly fields: Value }>()

  /** Returns managedFields with the fieldsV1 of earlier objects, where these are equal. */
  share(managedFields: Value | undefined): Value | undefined {
    if (managedFields === undefined || !isList(managedFields)) return managedFields
    const shared = managedFields.map(entry => this.shareEntry(entry))
    return shared.every((entry, i) => entry === managedFields[i]) ? managedFields : shared
  }

  private shareEntry(entry: Value): Value {
    const fields = isMap(entry) ? own(entry, "fieldsV1") : undefined
    if (!isMap(entry) || fields === undefined || !isMap(fields)) return entry
    const text = formatGoJson(fields, { sorted: false })
    const known = this.known.get(text) ?? this.known.add(text, { fields })
    return known.fields === fields ? entry : { ...entry, fieldsV1: known.fields }
  }
}
