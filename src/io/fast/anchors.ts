// Anchors and their aliases, for the fast reader.
import { isList, isMap, type Value } from "../../value/value.js"

/** The nodes that a document may always repeat by aliases. The full reader knows how many more it may repeat. */
const mostRepeated = 100

/** The anchors of a document. */
export class Anchors {
  private readonly values = new Map<string, Value>()
  private room = mostRepeated

  /** Notes that the value of an anchor follows. No alias may refer to it before its end. */
  begin(name: string): void {
    this.values.delete(name)
  }

  end(name: string, value: Value): void {
    this.values.set(name, value)
  }

  /** Returns the value of an anchor for an alias; undefined if there is none, and if aliases repeat too many nodes. */
  valueAt(name: string): Value | undefined {
    const value = this.values.get(name)
    if (value !== undefined) this.count(value)
    return this.room < 0 ? undefined : value
  }

  private count(value: Value): void {
    if (--this.room < 0) return
    if (isList(value)) for (const item of value) this.count(item)
    else if (isMap(value)) {
      for (const key in value) {
        this.room--
        this.count(value[key] as Value)
      }
    }
  }
}
