// An object as lines of YAML, with the lines of each of its parts.
import { maxYamlDepth, tooDeepForYaml } from "../../io/syntax/depth.js"
import { blockText, isContainer } from "../../io/yaml-format.js"
import type { Steps } from "../../value/change.js"
import { own, put } from "../../value/object.js"
import { isList, type MapValue, type Value } from "../../value/value.js"

/** The lines of a part, 0-based. */
export interface LineSpan {
  readonly first: number
  readonly last: number
}

interface Part extends LineSpan {
  /** The parts of a list or map; absent for other values. */
  readonly parts?: ReadonlyMap<string | number, Part>
}

/** The lines that `formatYaml` gives an object. Throws what it throws. */
export class YamlLines {
  readonly lines: string[] = []
  private readonly root: Part

  constructor(object: MapValue) {
    this.root = { first: 0, last: 0, parts: this.container(object, "", 0) }
  }

  /** Returns the lines of the part, from the line of its key to its last; undefined if there is no such part. */
  spanOf(steps: Steps): LineSpan | undefined {
    let part: Part | undefined = this.root
    for (const step of steps) part = part?.parts?.get(step)
    return part
  }

  /** Returns the steps to the smallest part on the line; undefined if there is no such line. */
  stepsAt(line: number): Steps | undefined {
    const steps: (string | number)[] = []
    let parts = this.root.parts
    for (let found = partAt(parts, line); found !== undefined; found = partAt(parts, line)) {
      steps.push(found[0])
      parts = found[1].parts
    }
    return steps.length === 0 ? undefined : steps
  }

  private container(value: Value, indent: string, depth: number): Map<string | number, Part> {
    if (depth >= maxYamlDepth) throw tooDeepForYaml()
    const parts = new Map<string | number, Part>()
    if (isList(value)) value.forEach((item, i) => parts.set(i, this.item(item, indent, depth)))
    else {
      const map = value as MapValue
      for (const key in map) parts.set(key, this.entry(key, own(map, key) as Value, indent, depth))
    }
    return parts
  }

  private entry(key: string, value: Value, indent: string, depth: number): Part {
    const first = this.lines.length
    if (!isContainer(value)) {
      this.write(blockText(single(key, value), indent))
      return { first, last: this.lines.length - 1 }
    }
    // The key alone: the text of an entry without its value.
    this.write(`${blockText(single(key, 0), indent).slice(0, -" 0\n".length)}\n`)
    const parts = this.container(value, isList(value) ? indent : `${indent}  `, depth + 1)
    return { first, last: this.lines.length - 1, parts }
  }

  private item(value: Value, indent: string, depth: number): Part {
    const first = this.lines.length
    if (!isContainer(value)) {
      this.write(blockText([value], indent))
      return { first, last: this.lines.length - 1 }
    }
    const parts = this.container(value, `${indent}  `, depth + 1)
    // The first line of a nested list or map follows the dash.
    this.lines[first] = `${indent}- ${this.lines[first]?.slice(indent.length + 2)}`
    return { first, last: this.lines.length - 1, parts }
  }

  /** Adds lines that end with a line break. */
  private write(text: string): void {
    for (let start = 0; start < text.length; ) {
      const end = text.indexOf("\n", start)
      this.lines.push(text.slice(start, end))
      start = end + 1
    }
  }
}

function partAt(parts: Part["parts"], line: number): readonly [string | number, Part] | undefined {
  for (const entry of parts ?? []) if (entry[1].first <= line && line <= entry[1].last) return entry
  return undefined
}

function single(key: string, value: Value): MapValue {
  const map: Record<string, Value> = {}
  put(map, key, value)
  return map
}
