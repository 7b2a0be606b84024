// Regular expressions of Go (RE2) as JavaScript's, with the flag u. Go has escapes and classes that JavaScript lacks, and lets
// characters stand for themselves that JavaScript wants escaped.

const spaces = "\\t\\n\\f\\r "
const posix: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7F",
  blank: "\\t ",
  cntrl: "\\x00-\\x1F\\x7F",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`\\{-~",
  space: "\\t\\n\\v\\f\\r ",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
}
const syntax = /[\^$\\.*+?()[\]{}|/]/
const known = new Map<string, RegExp | undefined>()

/** The pattern as a JavaScript expression; undefined if it is none, or one that JavaScript has no way to say. */
export function goPattern(pattern: string): RegExp | undefined {
  if (!known.has(pattern)) {
    if (known.size >= 1000) known.clear()
    known.set(pattern, compile(pattern))
  }
  return known.get(pattern)
}

function compile(pattern: string): RegExp | undefined {
  const [flags = "", start = "", letters = ""] = /^(\^?)\(\?([ims]+)\)/.exec(pattern) ?? []
  const rest = start + pattern.slice(flags.length)
  try {
    return new RegExp(new Translation(rest, letters.includes("s")).run(), `u${letters.replace("s", "")}`)
  } catch {
    return undefined
  }
}

class Translation {
  private at = 0
  private out = ""
  private readonly text: string
  private readonly dotTakesAll: boolean

  constructor(text: string, dotTakesAll: boolean) {
    this.text = text
    this.dotTakesAll = dotTakesAll
  }

  run(): string {
    while (this.at < this.text.length) this.step()
    return this.out
  }

  /** Takes what the expression matches at the current place; undefined if it does not. It has to be sticky. */
  private take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.at
    const found = expression.exec(this.text) ?? undefined
    if (found !== undefined) this.at += found[0].length
    return found
  }

  private step(): void {
    const escaped = this.takeEscape(false)
    if (escaped !== undefined) this.out += escaped
    else if (this.take(/\[/y)) this.class()
    else if (this.take(/\(\?P</y)) this.out += "(?<"
    else if (this.take(/\./y)) this.out += this.dotTakesAll ? "[^]" : "[^\\n]"
    else this.out += this.take(/\{\d+(?:,\d*)?\}/y)?.[0] ?? this.plain()
  }

  private plain(): string {
    const text = this.take(/[\s\S]/uy)?.[0] ?? ""
    return text === "{" || text === "}" || text === "]" ? `\\${text}` : text
  }

  /** What an escape means, undefined if there is none. */
  private takeEscape(inClass: boolean): string | undefined {
    const quoted = inClass ? undefined : this.take(/\\Q([\s\S]*?)(?:\\E|$)/y)
    if (quoted !== undefined) return [...(quoted[1] ?? "")].map(literal).join("")
    const [, group, sign] = this.take(/\\p(?:\{(\^?\w+)\}|(\w))/iy) ?? []
    if (group !== undefined || sign !== undefined) {
      const lower = this.text[this.at - (group === undefined ? 2 : group.length + 3)] === "p"
      return property((group ?? sign ?? "").replace("^", ""), lower !== group?.startsWith("^"))
    }
    const code = this.take(/\\x(?:\{([\da-f]+)\}|([\da-f]{2}))/iy)
    if (code !== undefined) return `\\u{${code[1] ?? code[2]}}`
    const escaped = this.take(/\\([\s\S])/uy)?.[1]
    return escaped === undefined ? undefined : meaning(escaped, inClass)
  }

  /** A class in brackets, the first of which is taken. */
  private class(): void {
    this.out += this.take(/\^/y) ? "[^" : "["
    if (this.take(/\]/y)) this.out += "\\]"
    while (!this.take(/\]/y)) {
      const [, negated = "", name = ""] = this.take(/\[:(\^?)(\w+):\]/y) ?? []
      if (negated !== "") throw new SyntaxError("a negated class within a class")
      const part = posix[name] ?? this.takeEscape(true) ?? this.take(/[\s\S]/uy)?.[0]
      if (part === undefined) throw new SyntaxError("a class without its end")
      this.out += part === "[" ? "\\[" : part
    }
    this.out += "]"
  }
}

function literal(character: string): string {
  return syntax.test(character) ? `\\${character}` : character
}

function meaning(character: string, inClass: boolean): string {
  switch (character) {
    case "A":
      return "(?<![^])"
    case "z":
      return "(?![^])"
    case "a":
      return "\\x07"
    case "s":
      return inClass ? spaces : `[${spaces}]`
    case "S":
      if (inClass) return "\\S"
      return `[^${spaces}]`
  }
  if (/[a-zA-Z0-9]/.test(character)) return `\\${character}`
  return inClass && character === "-" ? "\\-" : literal(character)
}

/** A class of Unicode: a category has one or two letters, anything else is a script. */
function property(name: string, positive: boolean): string {
  return `\\${positive ? "p" : "P"}{${name.length > 2 ? `Script=${name}` : name}}`
}
