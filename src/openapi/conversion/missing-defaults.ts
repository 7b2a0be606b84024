import type { Atom, TypeDef, TypeRef } from "../../schema/schema.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue } from "../../value/value.js"
import type { Conversion } from "./conversion.js"

/**
 * Warns about keys of associative lists that may be absent and have no default: items without the key can't be told apart. `keyed` are the
 * types that have such a list.
 *
 * Looks only at items of named types, as Kubernetes writes them, since required fields are known only for those.
 */
export function warnOfMissingDefaults(
  conversion: Conversion,
  keyed: readonly TypeDef[],
  types: readonly TypeDef[],
): void {
  const byName = new Map<string, TypeDef>()
  for (const type of types) byName.set(type.name, type)
  const warned = new Set<string>()
  const visitRef = (ref: TypeRef | undefined): void => {
    if (ref !== undefined && ref.namedType === undefined) visit(ref)
  }
  const visit = ({ list, map }: Atom): void => {
    const item = list?.keys === undefined ? undefined : byName.get(list.elementType?.namedType ?? "")
    for (const key of item === undefined ? [] : (list?.keys ?? [])) {
      const name = (item as TypeDef).name
      const field = item?.map?.fields?.find(candidate => candidate.name === key)
      if (field === undefined || field.default !== undefined || isRequired(conversion.definitions, name, key)) continue
      if (warned.has(`${name}.${key}`)) continue
      warned.add(`${name}.${key}`)
      const message = `${name}.${key} is a key that may be absent, and the document gives no default; OpenAPI v3 has it`
      conversion.warn("missing-default", message, `/definitions/${name}/properties/${key}`)
    }
    visitRef(list?.elementType)
    visitRef(map?.elementType)
    for (const { type } of map?.fields ?? []) visitRef(type)
  }
  keyed.forEach(visit)
}

function isRequired(definitions: MapValue, typeName: string, field: string): boolean {
  const definition = own(definitions, typeName)
  const required = isMap(definition) ? own(definition, "required") : undefined
  return isList(required) && required.includes(field)
}
