// Evaluates build constraints, which select the files of a package that an ordinary build uses.

/** Whether a file is built without tags: it has no `//go:build` line, or its constraint is satisfied without tags. */
export function isBuilt(text: string): boolean {
  const [, constraint] = /^\/\/go:build\s+(.*)$/m.exec(text.replace(/^package\s[\s\S]*/m, "")) ?? []
  return constraint === undefined || new Constraint(constraint).holds()
}

class Constraint {
  private readonly tokens: readonly string[]
  private at = 0

  constructor(text: string) {
    this.tokens = text.match(/&&|\|\||[!()]|[\w.]+/g) ?? []
  }

  /** Evaluates parts joined by `||`. */
  holds(): boolean {
    let result = this.all()
    while (this.take("||")) result = this.all() || result
    return result
  }

  private all(): boolean {
    let result = this.one()
    while (this.take("&&")) result = this.one() && result
    return result
  }

  private one(): boolean {
    if (this.take("!")) return !this.one()
    if (this.take("(")) {
      const result = this.holds()
      this.take(")")
      return result
    }
    // Tags of Go's version are always set. Other tags that Go sets itself depend on the machine.
    return (this.tokens[this.at++] ?? "").startsWith("go1.")
  }

  private take(token: string): boolean {
    if (this.tokens[this.at] !== token) return false
    this.at++
    return true
  }
}
