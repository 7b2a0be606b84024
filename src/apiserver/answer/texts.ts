// The JSON of stored objects, which is kept: lists, watches and gets write the same objects again and again.
import { formatGoJson } from "../../json/json.js"
import { isList, type MapValue } from "../../value/value.js"

/** How many characters are kept, unless the server is told otherwise. */
const defaultCharacters = 64 * 1024 * 1024

/** Writes objects that never change. */
export class ObjectTexts {
  private readonly most: number
  private texts = new WeakMap<MapValue, string>()
  private characters = 0

  constructor(most: number = defaultCharacters) {
    this.most = most
  }

  /** The JSON of an object, on one line. */
  of(object: MapValue): string {
    const known = this.texts.get(object)
    if (known !== undefined) return known
    const text = formatGoJson(object, { sorted: false })
    this.keep(object, text)
    return text
  }

  /** The JSON of a list of objects, whose last key is `items`. */
  ofList(list: MapValue): string {
    if (!isList(list.items)) return formatGoJson(list, { sorted: false })
    const items = (list.items as readonly MapValue[]).map(item => this.of(item))
    const empty = formatGoJson({ ...list, items: [] }, { sorted: false })
    return `${empty.slice(0, -"]}".length)}${items.join(",")}]}`
  }

  private keep(object: MapValue, text: string): void {
    if (text.length > this.most) return
    this.characters += text.length
    if (this.characters > this.most) {
      // How many of them are of objects that are gone is not known.
      this.texts = new WeakMap()
      this.characters = text.length
    }
    this.texts.set(object, text)
  }
}
