// Computes the values of string constants, which may refer to other constants.

import type { GoConst, GoFile } from "../source/go-file.js"
import { importPath } from "./imports.js"

/** A constant with its file and package. */
export interface DeclaredConst extends GoConst {
  readonly home: ConstScope
  readonly file: GoFile
}

/** The constants of a package by name. */
export interface ConstScope {
  readonly consts: ReadonlyMap<string, DeclaredConst>
}

/** The maximum number of characters of a constant. */
const maxText = 1 << 20

/** Computes the values of constants. */
export class ConstantTexts {
  /** The constants by import path. */
  private readonly packages: ReadonlyMap<string, ConstScope | undefined>
  private readonly texts = new Map<GoConst, string | undefined>()

  constructor(packages: ReadonlyMap<string, ConstScope | undefined>) {
    this.packages = packages
  }

  /** Returns the value of a constant. Chains of constants may be long, so a stack holds the constants that wait for others. */
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

  /** Returns the parts of a constant: strings and other constants. Undefined if one of them does not exist. */
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
