// Caches the JSON of stored objects, since lists, watches and gets encode the same objects again and again.
import { formatGoJson } from "../../json/json.js"
import type { ObjectKind } from "../../schema/group-version-kind.js"
import { withKeys } from "../../value/fields.js"
import { isList, type MapValue } from "../../value/value.js"

/** How many characters a cache holds by default. */
const defaultLimit = 64 * 1024 * 1024

/** Returns an item of a list of a built-in kind as a server writes it. */
export function withoutKind(item: MapValue): MapValue {
  return withKeys(item, { kind: undefined, apiVersion: undefined })
}

/** The texts with which objects of the kind begin, most of them. */
function prefixesOf({ apiVersion, kind }: ObjectKind): string[] {
  return [`{"apiVersion":"${apiVersion}","kind":"${kind}",`, `{"kind":"${kind}","apiVersion":"${apiVersion}",`]
}

/** Formats immutable objects as JSON, and caches the text of each object. */
export class JsonCache {
  private readonly limit: number
  private texts = new WeakMap<MapValue, string>()
  private characters = 0

  /** `limit` is in characters. */
  constructor(limit: number = defaultLimit) {
    this.limit = limit
  }

  /** Formats an object as one line of JSON. */
  format(object: MapValue): string {
    const known = this.texts.get(object)
    if (known !== undefined) return known
    const text = formatGoJson(object, { sorted: false })
    this.store(object, text)
    return text
  }

  /**
   * Formats a list of objects, whose last key must be `items`. The items of a built-in kind have no kind and no apiVersion in a list: `typed`
   * tells both.
   */
  formatList(list: MapValue, typed?: ObjectKind): string {
    if (!isList(list.items)) return formatGoJson(list, { sorted: false })
    const prefixes = typed === undefined ? [] : prefixesOf(typed)
    const items = (list.items as readonly MapValue[]).map(item => {
      const text = this.format(item)
      const prefix = prefixes.find(each => text.startsWith(each))
      if (prefix !== undefined) return `{${text.slice(prefix.length)}`
      return typed === undefined ? text : formatGoJson(withoutKind(item), { sorted: false })
    })
    const empty = formatGoJson({ ...list, items: [] }, { sorted: false })
    return `${empty.slice(0, -"]}".length)}${items.join(",")}]}`
  }

  private store(object: MapValue, text: string): void {
    if (text.length > this.limit) return
    this.characters += text.length
    if (this.characters > this.limit) {
      // A WeakMap can't tell how many of its texts are still in use, so all of them are dropped.
      this.texts = new WeakMap()
      this.characters = text.length
    }
    this.texts.set(object, text)
  }
}
