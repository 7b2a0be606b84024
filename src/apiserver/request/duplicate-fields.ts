import { parseJson } from "../../json/json.js"

/** A map or list that is open: the keys that were met, or how many items there were. */
interface Open {
  /** Its path, as far as its own fields go on from it. */
  readonly path: string
  /** The keys of a map; undefined for a list. */
  readonly keys: Set<string> | undefined
  /** The path of the value that comes next. */
  next: string
  /** Whether a key of a map comes next, and not its value. */
  expectsKey: boolean
  /** How many items a list had before the next. */
  index: number
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

/**
 * The paths of the fields that JSON text has more than once in a map, such as `spec.items[0].name`, each path once, in the order of
 * the text. The text has to be valid JSON. With `fieldValidation=Strict` an API server refuses them (`duplicate field "spec.a"`).
 */
export function duplicateFields(text: string): readonly string[] {
  const found = new Set<string>()
  const open: Open[] = []
  for (const [token] of text.matchAll(tokens)) {
    const around = open.at(-1)
    if (token === "{" || token === "[") open.push(opened(token, around))
    else if (token === "}" || token === "]") open.pop()
    else if (around === undefined) continue
    else if (token === ",") moveOn(around)
    else if (token === ":") around.expectsKey = false
    else if (around.expectsKey && around.keys !== undefined) {
      const key = String(parseJson(token))
      around.next = around.path === "" ? key : `${around.path}.${key}`
      if (around.keys.has(key)) found.add(around.next)
      around.keys.add(key)
    }
  }
  return [...found]
}

function opened(token: string, around: Open | undefined): Open {
  const path = around?.next ?? ""
  return token === "{"
    ? { path, keys: new Set(), next: path, expectsKey: true, index: 0 }
    : { path, keys: undefined, next: `${path}[0]`, expectsKey: false, index: 0 }
}

function moveOn(around: Open): void {
  if (around.keys !== undefined) around.expectsKey = true
  else around.next = `${around.path}[${++around.index}]`
}
