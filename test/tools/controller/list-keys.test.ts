import { expect, it } from "vitest"
import { kubernetesRelease, kubernetesSchema } from "../../../src/kubernetes/index.js"
import type { StructField, TypeRef } from "../../../src/schema/schema.js"

/** A list in Kubernetes' types: the keys of its items without a default, [] if the list is not keyed, and all fields of its items. */
interface Listed {
  readonly keys: readonly string[]
  readonly fields: readonly string[]
}

/** The lists of structs, by the name of their field. */
function listsByName(): Map<string, Listed[]> {
  const types = new Map(kubernetesSchema().types.map(type => [type.name, type]))
  const atomOf = (ref: TypeRef = {}) => (ref.namedType === undefined ? ref : types.get(ref.namedType))
  const found = new Map<string, Listed[]>()
  for (const { map } of types.values()) {
    for (const { name, type } of map?.fields ?? []) {
      const list = atomOf(type)?.list
      const fields = list === undefined ? [] : (atomOf(list.elementType)?.map?.fields ?? [])
      if (list === undefined || fields.length === 0 || !/^[A-Za-z]\w*$/.test(name)) continue
      const hasDefault = (key: string) => Boolean(fields.find((field: StructField) => field.name === key)?.default)
      const keys = list.elementRelationship === "associative" ? (list.keys ?? []).filter(key => !hasDefault(key)) : []
      found.set(name, [...(found.get(name) ?? []), { keys, fields: fields.map(field => field.name) }])
    }
  }
  return found
}

/**
 * The keys of these lists, each with the field that identifies the items: a key, or a field that all these items have and items of
 * other lists lack. If no such field exists, because the items have one type, all the lists count as keyed.
 */
function marksOf(lists: readonly Listed[]): string[] {
  const groups = new Map(lists.filter(({ keys }) => keys.length > 0).map(({ keys }) => [String(keys), keys]))
  return [...groups].map(([id, keys]) => {
    const ours = lists.filter(list => String(list.keys) === id)
    const rivals = lists.filter(list => String(list.keys) !== id)
    const has = ({ fields }: Listed, field: string) => fields.includes(field)
    const isMark = (field: string) => ours.every(list => has(list, field)) && !rivals.some(list => has(list, field))
    const mark = [...keys, ...(ours[0]?.fields ?? [])].find(isMark) ?? keys[0]
    return `${JSON.stringify(mark)}, ${keys.map(key => JSON.stringify(key)).join(" | ")}`
  })
}

it("has the keys of all lists of built-in types: `npx vitest run test/tools/controller/list-keys.test.ts -u` writes them", async () => {
  const rows = [...listsByName()]
    .map(([name, lists]) => [name, marksOf(lists)] as const)
    .filter(([, marks]) => marks.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, marks]) => marks.map(mark => `  | readonly [${JSON.stringify(name)}, ${mark}]`))
  await expect(`// Written by test/tools/controller/list-keys.test.ts from the bundled schema: the lists of Kubernetes ${kubernetesRelease}.

/** The name of a list, a field that identifies its items, and the keys without default that tell them apart. */
export type ListKeys =
${rows.join("\n")}
`).toMatchFileSnapshot("../../../src/tools/controller/list-keys.ts")
})
