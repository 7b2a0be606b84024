// Random YAML texts with the known place of every part.

import type { Steps } from "../../src/value/change.js"
import type { Value } from "../../src/value/value.js"
import type { Random } from "../fuzz/random.js"

/** A key or an item, and where it was written. */
interface Written {
  readonly document: number
  readonly steps: Steps
  /** Where the key, or the item, begins. */
  readonly offset: number
  /** Whether an anchor or an alias is written for it or something inside it. */
  readonly shared: boolean
}

/** A comment: its text is found once, and it is about the entry that `steps` lead to or something inside it. */
interface Remark {
  readonly document: number
  readonly steps: Steps
  readonly text: string
}

export interface WrittenYaml {
  readonly text: string
  readonly values: readonly Value[]
  readonly entries: readonly Written[]
  readonly remarks: readonly Remark[]
}

/** One or several documents, with anchors and aliases if `anchors` is true. */
export function writtenYaml(random: Random, anchors: boolean): WrittenYaml {
  return new Writer(random, anchors).stream()
}

const names = ["name", "image", "replicas", "a b", "ключ", "😀", "x.y/z", "true", "8080", "it's", '"q"', "env", "ports"]
const texts = [
  "nginx:1.27",
  "a b",
  "yes",
  "10",
  "",
  "#no",
  "été 😀",
  "x: y",
  "- x",
  "it's",
  '"q"',
  "tab\there",
  "{a}",
  "a, b",
]

class Writer {
  private text = ""
  private document = 0
  private readonly entries: { document: number; steps: Steps; offset: number; shared: boolean }[] = []
  private readonly remarks: Remark[] = []
  private readonly values: Value[] = []
  private readonly lineBreak: string
  private anchored: { readonly name: string; readonly value: Value }[] = []
  private names = 0
  private afterBlock = false

  constructor(
    private readonly random: Random,
    private readonly anchors: boolean,
  ) {
    this.lineBreak = random.chance(0.25) ? "\r\n" : "\n"
  }

  stream(): WrittenYaml {
    const { random } = this
    const count = random.chance(0.3) ? random.between(2, 3) : 1
    for (; this.document < count; this.document++) {
      if (this.document > 0 || random.chance(0.2)) this.line("---")
      this.anchored = []
      this.remarkLine([], "")
      this.values.push(random.chance(0.2) ? this.objects() : this.root())
      if (random.chance(0.1)) this.line("...")
    }
    if (random.chance(0.15) && !this.afterBlock) this.text = this.text.slice(0, -this.lineBreak.length)
    const { text, values, entries, remarks } = this
    return { text, values, entries, remarks }
  }

  private line(text: string): void {
    this.afterBlock = false
    this.text += text + this.lineBreak
  }

  private root(): Value {
    if (this.random.chance(0.2)) {
      const value = this.flow([], 3, "")
      this.endOfLine([])
      return value
    }
    return this.random.chance(0.85) ? this.map([], "", 0) : this.list([], "", 0)
  }

  /** A `kind: List`. */
  private objects(): Value {
    this.entry(["kind"])
    this.line("kind: List")
    this.entry(["items"])
    this.line("items:")
    return { kind: "List", items: this.list(["items"], this.random.pick(["", "  "]), 1) }
  }

  private entry(steps: Steps): void {
    this.entries.push({ document: this.document, steps, offset: this.text.length, shared: false })
  }

  private share(steps: Steps): void {
    for (const entry of this.entries) {
      if (entry.document !== this.document) continue
      if (entry.steps.every((step, i) => step === steps[i])) entry.shared = true
    }
  }

  private remark(steps: Steps): string {
    const text = `# c${this.remarks.length}.`
    this.remarks.push({ document: this.document, steps, text })
    return text
  }

  /** Perhaps a line for a comment, or an empty one. */
  private remarkLine(steps: Steps, indent: string): void {
    if (this.random.chance(0.15)) this.line(`${indent}${this.remark(steps)} words: [`)
    // After a block of text, an empty line may be part of it.
    if (this.random.chance(0.05) && !this.afterBlock) this.line("")
  }

  private endOfLine(steps: Steps): void {
    this.line(this.random.chance(0.2) ? ` ${this.remark(steps)}` : "")
  }

  private map(steps: Steps, indent: string, depth: number): Value {
    const keys = this.random.sample(names, this.random.between(1, 4))
    return this.mapOf(keys, steps, indent, depth)
  }

  private mapOf(keys: readonly string[], steps: Steps, indent: string, depth: number): Value {
    const out: Record<string, Value> = {}
    keys.forEach((key, i) => {
      const inside = [...steps, key]
      if (i > 0) {
        this.remarkLine(steps, indent)
        this.text += indent
      } else if (!this.text.endsWith("- ")) this.text += indent
      this.entry(inside)
      this.text += `${this.key(key)}:`
      out[key] = this.below(inside, indent, depth, false)
    })
    return out
  }

  private list(steps: Steps, indent: string, depth: number): Value {
    const out: Value[] = []
    for (let i = 0, count = this.random.between(1, 4); i < count; i++) {
      if (i > 0) this.remarkLine(steps, indent)
      if (i > 0 || !this.text.endsWith("- ")) this.text += indent
      this.text += "-"
      const inside = [...steps, i]
      // The place of an item is where it is written, after its anchor.
      this.entry(inside)
      out.push(this.below(inside, indent, depth, true))
    }
    return out
  }

  /** The text after a colon or a dash. */
  private below(steps: Steps, indent: string, depth: number, item: boolean): Value {
    const { random } = this
    const kind = random.below(10)
    const own = this.entries[this.entries.length - 1] as { offset: number }
    const begin = (): void => {
      if (item) own.offset = this.text.length
    }
    if (kind < 3 && depth < 4) {
      const deeper = `${indent}  `
      if (item && random.chance(0.7)) {
        this.text += " "
        begin()
        return random.chance(0.8) ? this.map(steps, deeper, depth + 1) : this.list(steps, deeper, depth + 1)
      }
      if (this.anchors && random.chance(0.15)) return this.anchor(steps, () => this.lines(steps, deeper, depth, begin))
      const isList = random.chance(0.4)
      const inner = isList && !item && random.chance(0.5) ? indent : deeper
      this.endOfLine(steps)
      this.remarkLine(steps, inner)
      this.text += inner
      begin()
      this.text = this.text.slice(0, this.text.length - inner.length)
      return isList ? this.list(steps, inner, depth + 1) : this.map(steps, inner, depth + 1)
    }
    if (kind === 3) {
      this.text += " "
      begin()
      return this.blockScalar(`${indent}  `)
    }
    if (kind === 4 && random.chance(0.4)) {
      if (item) begin()
      this.endOfLine(steps)
      return null
    }
    if (this.anchors && this.anchored.length > 0 && random.chance(0.2)) {
      const { name, value } = random.pick(this.anchored)
      this.text += " "
      begin()
      this.text += `*${name}`
      this.share(steps)
      this.endOfLine(steps)
      return value
    }
    const scalarOrFlow = (): Value => {
      this.text += " "
      begin()
      const value = random.chance(0.25) ? this.flow(steps, 2, `${indent}  `) : this.scalar(false)
      this.endOfLine(steps)
      return value
    }
    return this.anchors && random.chance(0.1) ? this.anchor(steps, scalarOrFlow) : scalarOrFlow()
  }

  private lines(steps: Steps, indent: string, depth: number, begin: () => void): Value {
    this.endOfLine(steps)
    this.text += indent
    begin()
    this.text = this.text.slice(0, this.text.length - indent.length)
    return this.map(steps, indent, depth + 1)
  }

  private anchor(steps: Steps, write: () => Value): Value {
    const name = `n${this.names++}`
    this.text += ` &${name}`
    this.share(steps)
    const value = write()
    for (const entry of this.entries) {
      if (entry.document === this.document && steps.every((step, i) => step === entry.steps[i])) entry.shared = true
    }
    this.anchored.push({ name, value })
    return value
  }

  private blockScalar(indent: string): Value {
    const { random } = this
    const chomp = random.pick(["", "-", "+"])
    this.line(`|${chomp}`)
    const lines = Array.from({ length: random.between(1, 3) }, () =>
      random.pick(["one", "# no comment", "x: y", "été"]),
    )
    for (const line of lines) this.line(indent + line)
    this.afterBlock = true
    return lines.join("\n") + (chomp === "-" ? "" : "\n")
  }

  /** Writes flow style, on several lines unless `indent` is empty. */
  private flow(steps: Steps, depth: number, indent: string): Value {
    const { random } = this
    if (depth === 0 || random.chance(0.3)) return this.scalar(true)
    const several = random.chance(0.3) && indent !== ""
    const isList = random.chance(0.4)
    const keys = isList ? [0, 1, 2].slice(0, random.below(4)) : random.sample(names, random.below(4))
    const out: Value[] = []
    this.text += isList ? "[" : "{"
    const padding = random.chance(0.3) ? " " : ""
    if (!several) this.text += padding
    keys.forEach((key, i) => {
      const inside = [...steps, key]
      if (several) {
        this.endOfLine(i === 0 ? steps : [...steps, keys[i - 1] as string | number])
        this.remarkLine(steps, indent)
        this.text += indent
      }
      this.entry(inside)
      if (typeof key === "string") this.text += `${this.key(key)}: `
      out.push(this.flow(inside, depth - 1, several ? `${indent}  ` : indent))
      if (i < keys.length - 1) this.text += several || random.chance(0.5) ? "," : ", "
      else if (random.chance(0.1)) this.text += ","
    })
    if (several) {
      this.endOfLine(keys.length === 0 ? steps : [...steps, keys[keys.length - 1] as string | number])
      this.text += indent
    } else this.text += padding
    this.text += isList ? "]" : "}"
    return isList ? out : Object.fromEntries(keys.map((key, i) => [key, out[i] as Value]))
  }

  private key(key: string): string {
    const plain = /^[a-zа-яA-Z]+$/.test(key) && key !== "true"
    return plain && this.random.chance(0.8) ? key : this.quoted(key)
  }

  private scalar(_flow: boolean): Value {
    const { random } = this
    const value = random.weighted<() => Value>([
      [3, () => random.pick(texts)],
      [2, () => random.between(-5, 9000)],
      [1, () => random.chance(0.5)],
      [1, () => null],
      [1, () => 123456789012345678901n % 9223372036854775807n],
      [2, () => "word"],
    ])()
    if (typeof value === "string") this.text += value === "word" && random.chance(0.7) ? value : this.quoted(value)
    else this.text += value === null ? random.pick(["null", "~"]) : String(value)
    return value
  }

  private quoted(text: string): string {
    const single = this.random.chance(0.5) && !text.includes("\t")
    return single ? `'${text.replaceAll("'", "''")}'` : JSON.stringify(text)
  }
}
