/** Compares the answers of `schemaDiff` for random objects with the engine, which applies the objects again under the new schema. */
import { hasCode, ParseError } from "../../../src/errors.js"
import { formatFieldsV1 } from "../../../src/fieldpath/fieldsv1/text.js"
import type { Managers } from "../../../src/fieldpath/managers.js"
import type { FieldSet } from "../../../src/fieldpath/set.js"
import { Updater } from "../../../src/merge/updater.js"
import { isUntypedName } from "../../../src/schema/untyped.js"
import { schemaDiff } from "../../../src/tools/ownership/schema-diff.js"
import { declared } from "../../../src/tools/ownership/schema-owners.js"
import { parseTypes } from "../../../src/typed/parser.js"
import { toFieldSet } from "../../../src/typed/to-field-set.js"
import type { CompiledSchema, Type } from "../../../src/typed/type.js"
import { reconcileFieldSetWithSchema, TypedValue } from "../../../src/typed/typed-value.js"
import { isList, isMap, type MapValue, type Value } from "../../../src/value/value.js"
import { jsonText } from "../../fuzz/json.js"
import { Random } from "../../fuzz/random.js"
import {
  type ListType,
  type MapType,
  randomSchema,
  Schema,
  type TypeDef,
  type TypeRef,
  UNTYPED,
} from "../../fuzz/schemas.js"
import { ValueMaker } from "../../fuzz/values.js"
import { parseExact } from "../../support/answers.js"

const updater = new Updater({ unions: "off" })
const root = "root"

export interface LawsTally {
  objects: number
  unaffected: number
  affected: number
  /** Changes by their codes. */
  readonly codes: Map<string, number>
  /** Changes that concerned an owner of a random object. */
  readonly concerned: Map<string, number>
}

export function newTally(): LawsTally {
  return { objects: 0, unaffected: 0, affected: 0, codes: new Map(), concerned: new Map() }
}

/** The problems of the answer for this random case, as text; "" for a right answer. */
export function checkCase(seed: number, number: number, tally: LawsTally): string {
  const random = new Random(seed, "schema-diff", number)
  const before = randomSchema(random, { root })
  const after = mutated(random, before)
  const [oldTypes, newTypes] = [parsed(before), parsed(after)]
  if (oldTypes.type(root).map === null) return ""
  const story = applied(random, before, oldTypes.type(root))
  if (story === null) return ""
  const { live, managers, configs } = story
  const object = asObject(live, managers)
  const diff = schemaDiff({ schema: oldTypes.schema }, { schema: newTypes.schema }, { objects: [object], type: root })
  for (const { code, affected } of diff.changes) {
    tally.codes.set(code, (tally.codes.get(code) ?? 0) + 1)
    if (affected?.owners) tally.concerned.set(code, (tally.concerned.get(code) ?? 0) + 1)
  }
  const concerned = [...configs.keys()].filter(name => isConcerned(newTypes.type(root), managers, name, configs)).sort()
  const said = diff.objects?.affected.managers ?? []
  tally.objects++
  if (concerned.length > 0) tally.affected++
  else tally.unaffected++
  if (concerned.join() !== said.join()) return report(`said ${said.join()}, found ${concerned.join()}`)
  if (concerned.length > 0) return ""
  const answers = [oldTypes, newTypes].map(types =>
    [...configs].map(([name, config]) => answer(types.type(root), live, managers, name, config)),
  )
  return answers[1]?.includes(undefined) || JSON.stringify(answers[0]) === JSON.stringify(answers[1])
    ? ""
    : report(`answers differ: ${answers.map(a => JSON.stringify(a)).join("\n")}`)

  function report(what: string): string {
    const sets = [...managers].map(([name, { set }]) => `${name}: ${formatFieldsV1(set)}`)
    return `case ${number}: ${what}\nOLD ${before.text()}\nNEW ${after.text()}\nobject ${jsonText(live as never)}\n${sets.join("\n")}\n${JSON.stringify(diff.changes.map(({ code, places, affected }) => [code, places[0]?.path, affected?.owners]))}`
  }
}

function parsed(schema: Schema): CompiledSchema {
  return parseTypes(parseExact(schema.text()) as Value)
}

interface Applied {
  readonly live: MapValue
  readonly managers: Managers
  /** The last configuration of each manager. */
  readonly configs: ReadonlyMap<string, MapValue>
}

/** An object that several managers have applied; null if the random schema allows no object. */
function applied(random: Random, schema: Schema, type: Type): Applied | null {
  const maker = new ValueMaker(random, schema, { mistakes: 0, duplicates: 0 })
  let live = TypedValue.of({}, type)
  let managers: Managers = new Map()
  const configs = new Map<string, MapValue>()
  let last = maker.value({ namedType: root })
  for (const manager of ["ann", "bob", "ann", "cid"]) {
    const config = parseExact(jsonText(last)) as Value
    last = maker.edit({ namedType: root }, last)
    // An empty list leaves no trace in a set, so nobody can know about its apply.
    if (!isMap(config) || hasEmptyList(config)) continue
    try {
      const result = updater.apply(live, TypedValue.of(config, type), { manager, apiVersion: "v1", managers })
      if (!isMap(result.object.value)) continue
      ;({ object: live, managers } = result)
      configs.set(manager, config)
    } catch (error) {
      if (!hasCode(error)) throw error
    }
  }
  const held = [...configs].filter(([name, config]) => managers.get(name)?.set.equals(toFieldSet(type, config).set))
  if (held.length < configs.size) return null
  for (const name of configs.keys()) if (!managers.has(name)) configs.delete(name)
  return configs.size === 0 || ![...managers.values()].every(({ set }) => isStable(set, type))
    ? null
    : { live: live.value as MapValue, managers, configs }
}

/**
 * FieldsV1 can't hold a set with an item that has no path element. And if a type allows several kinds of values,
 * reconciliation takes the first kind: it may rewrite a set although nothing has changed for it.
 */
function isStable(set: FieldSet, type: Type): boolean {
  try {
    formatFieldsV1(set)
    return reconcileFieldSetWithSchema(set, type) === null
  } catch (error) {
    if (error instanceof ParseError) return false
    throw error
  }
}

function hasEmptyList(value: Value): boolean {
  if (isList(value)) return value.length === 0 || value.some(hasEmptyList)
  return isMap(value) && Object.values(value).some(hasEmptyList)
}

function asObject(live: MapValue, managers: Managers): MapValue {
  const managedFields = [...managers].map(([manager, { set, apiVersion }]) => ({
    manager,
    operation: "Apply",
    apiVersion,
    fieldsType: "FieldsV1",
    fieldsV1: parseExact(formatFieldsV1(set)) as Value,
  }))
  return { ...live, metadata: { ...(isMap(live.metadata) ? live.metadata : {}), managedFields } }
}

/** Whether the set of the manager changes under the new type, either by the change or when the manager applies the same again. */
function isConcerned(type: Type, managers: Managers, name: string, configs: ReadonlyMap<string, MapValue>): boolean {
  const { set } = managers.get(name) as { set: FieldSet }
  if (reconcileFieldSetWithSchema(set, type) !== null) return true
  return !toFieldSet(type, declared(type, configs.get(name) as MapValue)).set.equals(set)
}

/** The result of repeating the apply; undefined if something does not fit the type. */
function answer(type: Type, live: MapValue, managers: Managers, manager: string, config: MapValue): unknown {
  try {
    const object = TypedValue.of(live, type, { allowDuplicates: true })
    const result = updater.apply(object, TypedValue.of(config, type), { manager, apiVersion: "v1", managers })
    return [
      jsonText(result.object.value as never),
      [...result.managers].map(([name, { set }]) => [name, formatFieldsV1(set)]),
    ]
  } catch (error) {
    if (!hasCode(error)) throw error
    return hasCode(error, "conflict") ? String(error) : undefined
  }
}

/** The schema after some changes of every kind. */
function mutated(random: Random, schema: Schema): Schema {
  const types = JSON.parse(JSON.stringify(schema.types)) as TypeDef[]
  if (!types.some(({ name }) => isUntypedName(name))) types.push(...(JSON.parse(JSON.stringify(UNTYPED)) as TypeDef[]))
  const atoms = usedAtoms(types)
  for (let i = random.between(1, 3); i > 0; i--) {
    const [lists, maps] = [atoms.filter(({ list }) => list !== undefined), atoms.filter(({ map }) => map !== undefined)]
    const some = random.weighted([
      [5, lists],
      [4, maps],
      [1, atoms],
    ])
    const isScalar = (name: string) => schema.resolve({ namedType: name })?.scalar !== undefined
    if (some.length > 0) mutate(random, random.pick(some), isScalar)
  }
  return new Schema(types)
}

/** The types between the root and the leaves of its objects, each once. */
function usedAtoms(types: readonly TypeDef[]): TypeRef[] {
  const found = new Set<TypeRef>(types.filter(({ name }) => name === root))
  for (const { namedType, list, map } of found) {
    const named = types.find(({ name }) => name === namedType && !name.startsWith("__"))
    const refs = [named, list?.elementType, map?.elementType, ...(map?.fields ?? []).map(({ type }) => type)]
    for (const ref of refs) if (ref !== undefined) found.add(ref)
  }
  return [...found]
}

function mutate(random: Random, atom: TypeRef, isScalar: (name: string) => boolean): void {
  const { list, map } = atom
  if (atom.namedType !== undefined) {
    // For a scalar, an override makes a reference to nothing.
    if (random.chance(0.3) && !isScalar(atom.namedType)) atom.elementRelationship = random.pick(["atomic", "separable"])
    else delete atom.elementRelationship
  } else if (list !== undefined) mutateList(random, list)
  else if (map !== undefined) mutateMap(random, map)
  else if (random.chance(0.5)) atom.scalar = random.pick(["string", "numeric", "untyped"])
  else {
    delete atom.scalar
    atom.map = { elementType: { scalar: "untyped" } }
  }
}

function mutateList(random: Random, list: ListType): void {
  const { keys, elementType } = list
  const field = elementType?.map?.fields?.find(({ name }) => name === keys?.[0])
  switch (random.below(4)) {
    case 0:
      list.elementRelationship = list.elementRelationship === "atomic" ? "associative" : "atomic"
      break
    case 1:
      if (keys !== undefined && keys.length > 1) list.keys = keys.slice(1)
      else if (keys !== undefined) list.keys = [...keys, random.pick(["a", "id", "key"])]
      break
    case 2:
      if (field !== undefined) field.default = field.default === undefined ? "a" : "b"
      break
    default:
      if (keys === undefined || random.chance(0.2)) list.elementType = { scalar: "untyped" }
  }
}

function mutateMap(random: Random, map: MapType): void {
  const fields = map.fields ?? []
  const field = fields.length > 0 ? random.pick(fields) : undefined
  switch (random.below(7)) {
    case 0:
      map.elementRelationship = map.elementRelationship === "atomic" ? "separable" : "atomic"
      break
    case 1:
      map.fields = fields.filter(other => other !== field)
      break
    case 2:
      map.fields = fields.filter(other => other !== field)
      map.elementType ??= field?.type ?? { namedType: "__untyped_deduced_" }
      break
    case 3:
      if (map.elementType !== undefined && !fields.some(({ name }) => name === "a")) {
        map.fields = [...fields, { name: "a", type: map.elementType }]
      }
      break
    case 4:
      if (map.elementType === undefined) map.elementType = { namedType: "__untyped_deduced_" }
      else delete map.elementType
      break
    case 5:
      if (field !== undefined) field.type = random.pick(fields).type
      break
    default:
      if (field?.type.scalar === undefined) break
      if (field.default !== undefined) delete field.default
      else field.default = field.type.scalar === "numeric" ? 1 : field.type.scalar === "boolean" ? true : "a"
  }
}
