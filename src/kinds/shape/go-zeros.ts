// Which fields of built-in types Go writes otherwise than they were given: go-zeros-data.ts as sets, by type.
import { goZerosData } from "./go-zeros-data.js"

/** Names of fields of a type. */
export interface Zeros {
  /** Fields that are left out if they are zero: "", 0 or false. */
  readonly dropped: ReadonlySet<string>
  /** Times that are written as null if there is none. */
  readonly nulls: readonly string[]
}

const none: Zeros = { dropped: new Set(), nulls: [] }
let byType: Map<string, Zeros> | undefined

/** Those of the type of this name in `kubernetesSchema()`. */
export function zerosOf(typeName: string): Zeros {
  byType ??= readData()
  return byType.get(typeName) ?? none
}

function readData(): Map<string, Zeros> {
  const groups = JSON.parse(goZerosData) as Readonly<Record<string, Readonly<Record<string, string>>>>
  const found = new Map<string, Zeros>()
  for (const [group, types] of Object.entries(groups)) {
    for (const [type, text] of Object.entries(types)) {
      const [dropped = "", nulls = ""] = text.split("|")
      found.set(group + type, { dropped: new Set(dropped.split(" ")), nulls: nulls === "" ? [] : nulls.split(" ") })
    }
  }
  return found
}
