// The fields of built-in types that Go omits or writes as null. The data is in go-zeros-data.ts.
import { goZerosData } from "./go-zeros-data.js"

/** Names of a type's fields. */
export interface Zeros {
  /** Fields that Go omits if they are zero: "", 0 or false. */
  readonly dropped: ReadonlySet<string>
  /** Times and lists that Go writes as null if they are absent. */
  readonly nulls: readonly string[]
}

const none: Zeros = { dropped: new Set(), nulls: [] }
let byType: Map<string, Zeros> | undefined

/** Returns the fields of the type with this name in `kubernetesSchema()`. */
export function zerosOf(typeName: string): Zeros {
  byType ??= readData()
  return byType.get(typeName) ?? none
}

function readData(): Map<string, Zeros> {
  const groups = JSON.parse(goZerosData) as Readonly<Record<string, Readonly<Record<string, string>>>>
  const zeros = new Map<string, Zeros>()
  for (const [group, types] of Object.entries(groups)) {
    for (const [type, text] of Object.entries(types)) {
      const [dropped = "", nulls = ""] = text.split("|")
      zeros.set(group + type, { dropped: new Set(dropped.split(" ")), nulls: nulls === "" ? [] : nulls.split(" ") })
    }
  }
  return zeros
}
