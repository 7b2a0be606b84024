import { formatPath, type Path } from "../fieldpath/path.js"
import { equalValues } from "../value/equal.js"
import { own } from "../value/object.js"
import { isMap, type Value } from "../value/value.js"
import type { Row } from "./planned-change.js"

/**
 * Marks items of one list of which one goes and another comes, and which seem to be the same under another key: that agree in some
 * field that is no key; or, where items have only keys, that are the only two. Of several that may be the same, those that agree
 * most are paired. `valuesAt` gives what is at a path before and after.
 */
export function pairKeyChanges(rows: readonly Row[], valuesAt: ValuesAt): void {
  const gone = itemsOf(rows, "remove", "no-longer-applied", path => valuesAt(path)[0])
  const come = itemsOf(rows, "add", "configured", path => valuesAt(path)[1])
  const pairs = gone.flatMap(a => come.flatMap(b => (a.list === b.list ? [{ a, b, likeness: likeness(a, b) }] : [])))
  const paired = new Set<Row>()
  for (const { a, b, likeness } of pairs.toSorted((x, y) => y.likeness - x.likeness)) {
    const isOnly = pairs.filter(pair => pair.a.list === a.list).length === 1 && isKeys(a) && isKeys(b)
    if ((likeness === 0 && !isOnly) || paired.has(a.row) || paired.has(b.row)) continue
    for (const [row, other] of [
      [a.row, b.row],
      [b.row, a.row],
    ] as const) {
      paired.add(row)
      row.because = "list-key-changed"
      row.counterpart = other.path
    }
  }
}

interface Item {
  readonly row: Row
  /** The path of the list, printed. */
  readonly list: string
  readonly keys: ReadonlySet<string>
  readonly value: Value | undefined
}

type ValuesAt = (path: Path) => readonly [Value | undefined, Value | undefined]

function itemsOf(
  rows: readonly Row[],
  action: Row["action"],
  because: Row["because"],
  valueAt: (path: Path) => Value | undefined,
): Item[] {
  return rows.flatMap(row => {
    const last = row.path.at(-1)
    if (row.action !== action || row.because !== because || last?.kind !== "key") return []
    const keys = new Set(last.fields.map(({ name }) => name))
    return [{ row, list: formatPath(row.path.slice(0, -1) as Path), keys, value: valueAt(row.path) }]
  })
}

/** In how many fields other than keys both agree. */
function likeness(a: Item, b: Item): number {
  if (!isMap(a.value) || !isMap(b.value)) return 0
  let equal = 0
  for (const name in a.value) {
    const there = own(b.value, name)
    if (!a.keys.has(name) && there !== undefined && equalValues(own(a.value, name) as Value, there)) equal++
  }
  return equal
}

function isKeys({ value, keys }: Item): boolean {
  return isMap(value) && Object.keys(value).every(name => keys.has(name))
}
