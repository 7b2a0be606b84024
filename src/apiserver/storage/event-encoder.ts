import { formatGoJson } from "../../json/json.js"
import type { MapValue } from "../../value/value.js"
import type { JsonCache } from "../response/json-cache.js"

const textEncoder = new TextEncoder()

/** How many lines an encoder keeps. A watch sends the events of one turn of the event loop together. */
const maxLines = 64

/** Encodes events of watches as lines of JSON. It keeps the latest lines, since one write goes to many watches. */
export class EventEncoder {
  private readonly json: JsonCache
  private readonly latest = new Map<MapValue, { readonly type: string; readonly line: Uint8Array }>()

  constructor(json: JsonCache) {
    this.json = json
  }

  /** Encodes an event. The returned bytes are shared and must not be changed. `isStored` says whether to cache the JSON of the object. */
  encode(type: string, object: MapValue, isStored: boolean): Uint8Array {
    const known = this.latest.get(object)
    if (known?.type === type) return known.line
    const line = textEncoder.encode(this.format(type, object, isStored))
    this.latest.set(object, { type, line })
    if (this.latest.size > maxLines) this.latest.delete(this.latest.keys().next().value as MapValue)
    return line
  }

  /** Formats an event as text, with a newline at the end. */
  format(type: string, object: MapValue, isStored: boolean): string {
    const text = isStored ? this.json.format(object) : formatGoJson(object, { sorted: false })
    return `{"type":"${type}","object":${text}}\n`
  }
}
