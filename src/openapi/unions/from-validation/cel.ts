// Reads those rules of `x-kubernetes-validations` that only test which fields of `self` are set and which texts they hold.
//
// controller-tools has written ExactlyOneOf, AtMostOneOf and AtLeastOneOf in two ways, and people write them in many more:
//
//   [has(self.a),has(self.b)].filter(x,x==true).size() == 1      until 0.20
//   (has(self.a)?1:0)+(has(self.b)?1:0) == 1, has(self.a)||has(self.b)      since then
//   !(has(self.a) && self.type != 'A')
import { type Condition, checkTypes, type Operator, Unreadable } from "./condition.js"

/** Returns the condition that a rule states. Throws Unreadable for a rule that tests anything else. */
export function readRule(rule: string): Condition {
  const reader = new Reader(tokensOf(rule))
  const condition = reader.ternary()
  reader.expectEnd()
  checkTypes(condition)
  return condition
}

interface Token {
  readonly kind: "name" | "text" | "number" | "sign"
  readonly text: string
}

const rawText = /\s*[rRbB]{1,2}["']/y
const token = /\s*(?:([A-Za-z_]\w*)|(\d+)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(&&|\|\||[=!<>]=|[<>!?:+,.()[\]]))/y
const mostNested = 100

function tokensOf(rule: string): Token[] {
  const tokens: Token[] = []
  const text = rule.trimEnd()
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    const at = token.lastIndex
    rawText.lastIndex = at
    if (rawText.test(text)) throw new Unreadable("it has a raw string")
    const found = token.exec(text)
    if (found === null) throw new Unreadable(`it has \`${text.slice(at).trim().slice(0, 1)}\``)
    const [, name, number, quoted, sign] = found
    if (name !== undefined) tokens.push({ kind: "name", text: name })
    else if (number !== undefined) tokens.push({ kind: "number", text: number })
    else if (quoted !== undefined) tokens.push({ kind: "text", text: unquoted(quoted) })
    else tokens.push({ kind: "sign", text: sign as string })
  }
  return tokens
}

function unquoted(quoted: string): string {
  return quoted.slice(1, -1).replaceAll(/\\(.)/g, (written, character: string) => {
    if ("\\'\"`?".includes(character)) return character
    throw new Unreadable(`it has the escape \`${written}\``)
  })
}

type List = { readonly kind: "list"; readonly parts: readonly Condition[] }
type Filtered = { readonly kind: "filtered"; readonly parts: readonly Condition[] }
type Operand = Condition | List | Filtered

class Reader {
  private readonly tokens: readonly Token[]
  private at = 0
  private depth = 0
  /** The variable of the macro that is being read. */
  private variable: string | undefined

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }

  expectEnd(): void {
    const left = this.tokens[this.at]
    if (left !== undefined) throw new Unreadable(`it has \`${left.text}\``)
  }

  private sign(...texts: readonly string[]): string | undefined {
    const next = this.tokens[this.at]
    if (next?.kind !== "sign" || !texts.includes(next.text)) return undefined
    this.at++
    return next.text
  }

  private need(text: string): void {
    if (this.sign(text) === undefined) throw new Unreadable(`it has \`${this.tokens[this.at]?.text ?? "no end"}\``)
  }

  private name(): string {
    const next = this.tokens[this.at]
    if (next?.kind !== "name") throw new Unreadable(`it has \`${next?.text ?? "no end"}\``)
    this.at++
    return next.text
  }

  ternary(): Condition {
    if (++this.depth > mostNested) throw new Unreadable("it nests too deep")
    const test = this.junction("||", () => this.junction("&&", () => this.relation()))
    this.depth--
    if (this.sign("?") === undefined) return test
    const yes = this.ternary()
    this.need(":")
    return { kind: "if", test, yes, no: this.ternary() }
  }

  private junction(sign: "||" | "&&", part: () => Condition): Condition {
    const parts = [part()]
    while (this.sign(sign) !== undefined) parts.push(part())
    return parts.length === 1 ? (parts[0] as Condition) : { kind: sign === "&&" ? "and" : "or", parts }
  }

  private relation(): Condition {
    const left = this.sum()
    const next = this.tokens[this.at]
    if (next?.kind === "name" && next.text === "in") {
      this.at++
      const list = this.operand()
      if (list.kind !== "list") throw new Unreadable("it uses `in` with something other than a list of strings")
      const parts = list.parts.map((right): Condition => ({ kind: "compare", operator: "==", left, right }))
      return { kind: "or", parts }
    }
    const operator = this.sign("==", "!=", "<=", ">=", "<", ">") as Operator | undefined
    return operator === undefined ? left : { kind: "compare", operator, left, right: this.sum() }
  }

  private sum(): Condition {
    const parts = [this.value()]
    while (this.sign("+") !== undefined) parts.push(this.value())
    return parts.length === 1 ? (parts[0] as Condition) : { kind: "sum", parts }
  }

  /** Reads an operand that is not a list. */
  private value(): Condition {
    const found = this.operand()
    if (found.kind === "list" || found.kind === "filtered") throw new Unreadable("it has a list")
    return found
  }

  private operand(): Operand {
    if (this.sign("!") !== undefined) {
      if (++this.depth > mostNested) throw new Unreadable("it nests too deep")
      const part = this.value()
      this.depth--
      return { kind: "not", part }
    }
    let found = this.primary()
    while (this.sign(".") !== undefined) found = this.method(found)
    if (this.sign("[") !== undefined) throw new Unreadable("it looks inside a field")
    return found
  }

  private primary(): Operand {
    if (this.sign("(") !== undefined) {
      const inner = this.ternary()
      this.need(")")
      return inner
    }
    if (this.sign("[") !== undefined) return { kind: "list", parts: this.list("]") }
    const next = this.tokens[this.at]
    if (next === undefined || next.kind === "sign") throw new Unreadable(`it has \`${next?.text ?? "no end"}\``)
    this.at++
    if (next.kind === "text") return { kind: "literal", value: next.text }
    if (next.kind === "number") return { kind: "literal", value: Number(next.text) }
    return this.named(next.text)
  }

  private named(name: string): Operand {
    if (name === "true" || name === "false") return { kind: "literal", value: name === "true" }
    if (name === this.variable) return { kind: "has", field: variable }
    if (name === "self") return { kind: "text", field: this.field() }
    if (name === "oldSelf") throw new Unreadable("it compares with the old object")
    if (name === "has") {
      this.need("(")
      if (this.name() !== "self") throw new Unreadable("it tests something other than fields of self")
      const field = this.field()
      this.need(")")
      return { kind: "has", field }
    }
    if (name !== "size") throw new Unreadable(`it uses ${name}`)
    this.need("(")
    const list = this.operand()
    this.need(")")
    return sizeOf(list)
  }

  /** Reads the name after `self`, which must be one of its own fields. */
  private field(): string {
    this.need(".")
    const field = unescaped(this.name())
    const next = this.tokens[this.at]
    if (next?.kind === "sign" && (next.text === "." || next.text === "[" || next.text === "(")) {
      throw new Unreadable(`it looks inside ${field}`)
    }
    return field
  }

  private list(end: string): Condition[] {
    const parts: Condition[] = []
    while (this.sign(end) === undefined) {
      if (parts.length > 0) this.need(",")
      parts.push(this.ternary())
    }
    return parts
  }

  private method(of: Operand): Operand {
    const name = this.name()
    this.need("(")
    if (name === "size") {
      this.need(")")
      return sizeOf(of)
    }
    if ((name !== "filter" && name !== "exists_one") || of.kind !== "list") throw new Unreadable(`it uses ${name}`)
    this.selfTest()
    this.need(")")
    if (name === "filter") return { kind: "filtered", parts: of.parts }
    const one: Condition = { kind: "literal", value: 1 }
    return { kind: "compare", operator: "==", left: { kind: "count", parts: of.parts }, right: one }
  }

  /** Reads `x, x` or `x, x == true`: whether an item holds. */
  private selfTest(): void {
    const outer = this.variable
    this.variable = this.name()
    this.need(",")
    const test = this.ternary()
    this.variable = outer
    const isItem = (part: Condition) => part.kind === "has" && part.field === variable
    const isTrue = (part: Condition) => part.kind === "literal" && part.value === true
    const compares =
      test.kind === "compare" &&
      test.operator === "==" &&
      ((isItem(test.left) && isTrue(test.right)) || (isTrue(test.left) && isItem(test.right)))
    if (!isItem(test) && !compares) throw new Unreadable("it filters by something other than whether an item is true")
  }
}

/** Stands for the variable of a macro; no field has this name. */
const variable = "\u0000item"

function sizeOf(list: Operand): Condition {
  if (list.kind !== "filtered") throw new Unreadable("it asks for a size")
  return { kind: "count", parts: list.parts }
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["underscores", "__"],
  ["dot", "."],
  ["dash", "-"],
  ["slash", "/"],
])

/** Returns the field that an identifier of CEL stands for: `x__dot__y` is `x.y`, and `__namespace__` is `namespace`. */
function unescaped(name: string): string {
  const keyword = /^__([a-z]+)__$/.exec(name)?.[1]
  if (keyword !== undefined && !escapes.has(keyword)) return keyword
  return name.replaceAll(/__(underscores|dot|dash|slash)__/g, (_, word: string) => escapes.get(word) as string)
}
