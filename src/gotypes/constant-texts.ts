// The values of constants that are texts, with the names of other constants in them replaced.
import type { GoConst, GoFile } from "./go-file.js"
import { importPath } from "./imports.js"

/** A constant, where it stands. */
export interface DeclaredConst extends GoConst {
  readonly home: ConstScope
  readonly file: GoFile
}

/** The constants of a package, by their names. */
export interface ConstScope {
  readonly consts: ReadonlyMap<string, DeclaredConst>
}

/** How many characters a constant may have. */
const maxText = 1 << 20

/** Finds the texts of constants. */
export class ConstantTexts {
  /** By import path. */
  private readonly packages: ReadonlyMap<string, ConstScope | undefined>
  private readonly texts = new Map<GoConst, string | undefined>()

  constructor(packages: ReadonlyMap<string, ConstScope | undefined>) {
    this.packages = packages
  }

  /** The text of a constant. Constants may refer to each other in long chains, so a stack holds those that wait for others. */
  of(constant: DeclaredConst): string | undefined {
    const stack = [constant]
    const waiting = new Set<unknown>(stack)
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const parts = this.partsOf(top)
      const missing = parts?.find((part): part is DeclaredConst => typeof part !== "string" && !this.texts.has(part))
      if (missing === undefined) {
        this.texts.set(top, this.joined(parts))
        stack.pop()
      } else if (waiting.has(missing)) this.texts.set(missing, undefined)
      else {
        waiting.add(missing)
        stack.push(missing)
      }
    }
    return this.texts.get(constant)
  }

  /** The parts of a constant: texts and other constants. Undefined if one of them does not exist. */
  private partsOf({ home, file, value }: DeclaredConst): (string | DeclaredConst)[] | undefined {
    const parts = value?.map(part => {
      if (typeof part === "string") return part
      const path = part.package === "" ? undefined : importPath(file, part.package)
      const there = part.package === "" ? home : path === undefined ? undefined : this.packages.get(path)
      return there?.consts.get(part.name)
    })
    return parts?.every(part => part !== undefined) ? parts : undefined
  }

  private joined(parts: readonly (string | DeclaredConst)[] | undefined): string | undefined {
    const texts = parts?.map(part => (typeof part === "string" ? part : this.texts.get(part)))
    if (!texts?.every(text => text !== undefined)) return undefined
    const length = texts.reduce((sum, text) => sum + text.length, 0)
    return length > maxText ? undefined : texts.join("")
  }
}
