// Parts of objects and small edits of them, as managers make them: setting a field, adding an item, reordering a list.
import { emptyMap, isList, isMap, type Json, type JsonMap, mapOf } from "./json.js"
import type { Random } from "./random.js"
import { randomName } from "./scalars.js"
import type { ListType, MapType, TypeRef } from "./schemas.js"
import type { ValueMaker } from "./values.js"

/** Makes `times` small changes to the value. */
export function edited(random: Random, maker: ValueMaker, ref: TypeRef, value: Json, times: number): Json {
  let current = value
  for (let i = 0; i < times; i++) current = changeSomewhere(random, maker, ref, current)
  return current
}

function changeSomewhere(random: Random, maker: ValueMaker, ref: TypeRef, value: Json): Json {
  const atom = maker.schema.resolve(ref)
  if (isMap(value) && atom?.map !== undefined) return changeMap(random, maker, atom.map, value)
  if (isList(value) && atom?.list !== undefined) return changeList(random, maker, atom.list, value)
  return maker.value(ref)
}

function changeMap(random: Random, maker: ValueMaker, map: MapType, value: JsonMap): JsonMap {
  const keys = Object.keys(value)
  const out = mapOf(value)
  const choice = random.below(10)
  if (keys.length > 0 && choice < 7) {
    const key = random.pick(keys)
    out[key] = changeSomewhere(random, maker, typeAt(map, key), value[key] as Json)
  } else if (keys.length > 0 && choice < 8) delete out[random.pick(keys)]
  else {
    const free = (map.fields ?? []).map(field => field.name).filter(name => value[name] === undefined)
    const key = free.length > 0 ? random.pick(free) : randomName(random)
    if (free.length > 0 || map.elementType !== undefined) out[key] = maker.value(typeAt(map, key))
  }
  return out
}

function typeAt(map: MapType, key: string): TypeRef {
  const field = map.fields?.find(({ name }) => name === key)
  return field?.type ?? map.elementType ?? { namedType: "__untyped_deduced_" }
}

function changeList(random: Random, maker: ValueMaker, list: ListType, value: readonly Json[]): Json {
  const at = random.below(value.length)
  const item = value[at]
  const choice = random.below(10)
  if (item !== undefined && choice < 5 && list.elementType !== undefined) {
    return value.map((other, i) => (i === at ? changeItem(random, maker, list, item) : other))
  }
  if (choice < 6) return value.filter((_, i) => i !== at)
  if (choice < 7) return random.shuffled(value)
  const more = maker.value({ list })
  return isList(more) ? [...value, ...more.slice(0, 1)] : value
}

/** Changes the item, but not its keys. */
function changeItem(random: Random, maker: ValueMaker, list: ListType, item: Json): Json {
  const changed = changeSomewhere(random, maker, list.elementType as TypeRef, item)
  if (!isMap(changed) || !isMap(item)) return changed
  for (const key of list.keys ?? []) {
    if (item[key] === undefined) delete changed[key]
    else changed[key] = item[key] as Json
  }
  return changed
}

/** Returns a part of the value: each field and item with this probability, and all keys of items. */
export function partOf(random: Random, maker: ValueMaker, ref: TypeRef, value: Json, share: number): Json {
  const atom = maker.schema.resolve(ref)
  if (isMap(value)) {
    const { map } = atom ?? {}
    if (map === undefined) return value
    const out = emptyMap()
    for (const key of Object.keys(value)) {
      if (random.chance(share)) out[key] = partOf(random, maker, typeAt(map, key), value[key] as Json, share)
    }
    return out
  }
  if (isList(value) && atom?.list !== undefined) {
    const { list } = atom
    return value.filter(() => random.chance(share)).map(item => partOfItem(random, maker, list, item, share))
  }
  return value
}

function partOfItem(random: Random, maker: ValueMaker, list: ListType, item: Json, share: number): Json {
  const { elementType, keys } = list
  if (elementType === undefined) return item
  const part = partOf(random, maker, elementType, item, share)
  if (!isMap(part) || !isMap(item)) return part
  const kept = emptyMap()
  for (const key of keys ?? []) if (item[key] !== undefined) kept[key] = item[key] as Json
  return mapOf({ ...part, ...kept })
}

/** Returns roughly the object after this configuration was applied to it: maps are merged, anything else is replaced. */
export function overlaid(value: Json, config: Json): Json {
  if (!isMap(value) || !isMap(config)) return config
  const out = mapOf(value)
  for (const key of Object.keys(config)) {
    const before = value[key]
    out[key] = before === undefined ? (config[key] as Json) : overlaid(before, config[key] as Json)
  }
  return out
}
