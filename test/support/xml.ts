/** A reader of XML that accepts only well-formed texts, without doctypes and namespaces. */

export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
  /** The text directly in the element. */
  readonly text: string
}

/** Returns the root of the document. Throws an Error at the first character that is not well-formed. */
export function wellFormed(document: string): Element {
  const reader = new Reader(document)
  reader.take(/<\?xml version="1\.0" encoding="UTF-8"\?>\s*/y)
  const root = reader.element()
  reader.take(/\s*$/y)
  return root
}

const names = "[A-Za-z_][\\w.-]*"
// The characters of XML 1.0, except those that have to be escaped.
const textual = /[\t\n\r -%'-;=-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]+/uy
const quoted = /[\t\n\r -!#-%'-;=-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]+/uy
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

class Reader {
  private readonly document: string
  private at = 0

  constructor(document: string) {
    this.document = document
  }

  element(): Element {
    const name = this.take(new RegExp(`<(${names})`, "y"))[1] as string
    const attributes: Record<string, string> = {}
    for (;;) {
      const attribute = this.try(new RegExp(`\\s+(${names})="`, "y"))
      if (attribute === undefined) break
      const key = attribute[1] as string
      if (key in attributes) throw new Error(`${key} is there twice, at ${this.at}`)
      attributes[key] = this.text(quoted)
      this.take(/"/y)
    }
    this.take(/\s*/y)
    if (this.try(/\/>/y) !== undefined) return { name, attributes, children: [], text: "" }
    this.take(/>/y)
    const children: Element[] = []
    let text = ""
    for (;;) {
      const part = this.text(textual)
      if (part.includes("]]>")) throw new Error(`]]> before ${this.at}`)
      text += part
      if (this.try(new RegExp(`</${name}\\s*>`, "y")) !== undefined) return { name, attributes, children, text }
      children.push(this.element())
    }
  }

  private text(plain: RegExp): string {
    let text = ""
    for (;;) {
      const part = this.try(plain)
      const entity = part === undefined ? this.try(/&(amp|lt|gt|quot|apos);/y) : undefined
      if (part === undefined && entity === undefined) return text
      text += part?.[0] ?? entities[entity?.[1] as string]
    }
  }

  take(pattern: RegExp): RegExpExecArray {
    const found = this.try(pattern)
    if (found === undefined)
      throw new Error(`not well-formed at ${this.at}: ${this.document.slice(this.at, this.at + 40)}`)
    return found
  }

  private try(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.document)
    if (found === null) return undefined
    this.at = pattern.lastIndex
    return found
  }
}
