import type { Issue } from "../errors.js"
import { formatElement, type PathElement } from "../fieldpath/element.js"
import { keepLayout } from "../value/layout.js"

/**
 * The issues that a walk has found. A problem is noted without a path; each step on the way back up puts its element in front of it. A walk
 * without problems, as nearly all are, therefore never deals with paths.
 */
export class Issues {
  static {
    keepLayout(new Issues())
  }

  readonly list: { path: string; message: string }[] = []

  get count(): number {
    return this.list.length
  }

  add(message: string): void {
    this.list.push({ path: "", message })
  }

  /** Puts `element` in front of the path of all issues from index `from` on. */
  prefix(element: PathElement, from: number): void {
    const step = formatElement(element)
    for (let i = from; i < this.list.length; i++) {
      const issue = this.list[i] as { path: string }
      issue.path = step + issue.path
    }
  }

  toArray(): Issue[] {
    return this.list
  }
}
