import { formatGoJson } from "../../json/json.js"
import type { MapValue } from "../../value/value.js"
import type { JsonCache } from "../response/json-cache.js"

const textEncoder = new TextEncoder()

/** Encodes events of watches as lines of JSON. It keeps the last line of each type, since one write goes to many watches. */
export class EventEncoder {
  private readonly json: JsonCache
  private readonly last = new Map<string, { readonly object: MapValue; readonly line: Uint8Array }>()

  constructor(json: JsonCache) {
    this.json = json
  }

  /** Encodes an event. The returned bytes are shared and must not be changed. `isStored` says whether to cache the JSON of the object. */
  encode(type: string, object: MapValue, isStored: boolean): Uint8Array {
    const previous = this.last.get(type)
    if (previous?.object === object) return previous.line
    const line = textEncoder.encode(this.format(type, object, isStored))
    this.last.set(type, { object, line })
    return line
  }

  /** Formats an event as text, with a newline at the end. */
  format(type: string, object: MapValue, isStored: boolean): string {
    const text = isStored ? this.json.format(object) : formatGoJson(object, { sorted: false })
    return `{"type":"${type}","object":${text}}\n`
  }
}
