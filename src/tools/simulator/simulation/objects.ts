// The objects of requests, keys of objects, and the search for the object that a reference identifies.
import { objectOf } from "../../../managedfields/request.js"
import { nameInGroup, parseKind } from "../../../schema/group-version-kind.js"
import { anObject, aString, either, requireArgument } from "../../../value/argument.js"
import { compareStrings } from "../../../value/compare.js"
import type { MapValue } from "../../../value/value.js"
import { listOr } from "../../../value/words.js"
import { type ObjectName, objectName } from "../../ownership/object-name.js"
import type { ObjectRef, ObjectRequest } from "./request.js"

/** Objects by key. */
export type Objects = ReadonlyMap<string, MapValue>

/** Returns the unique key of the object, which does not depend on the version: `Deployment.apps/default/web`. */
export function keyOf({ apiVersion, kind, namespace = "", name }: ObjectName): string {
  const { group } = parseKind(apiVersion, kind)
  return `${nameInGroup(kind, group)}/${namespace === "" ? "default" : namespace}/${name}`
}

/** Returns the key of the object. */
export function keyOfObject(object: MapValue): string {
  return keyOf(objectName(object))
}

/** Returns the keys in the order in which objects are listed. */
export function sortedKeys(objects: Objects): string[] {
  return [...objects.keys()].sort(compareStrings)
}

/**
 * Returns the name of the only object that matches the reference. If no object matches, returns the only matching name in `earlier` (the
 * objects of earlier requests), or else the name in the reference. Throws a TypeError if several objects match, or if the reference does
 * not identify an object.
 */
export function resolveRef(
  objects: Objects,
  ref: ObjectRef | undefined,
  earlier: () => ReadonlyMap<string, ObjectName> = () => new Map(),
): ObjectName {
  if (ref !== undefined) requireArgument("object", ref, aReference)
  const wanted = ref === undefined ? {} : typeof ref === "string" ? parseRef(ref) : partsOf(ref)
  const keys = matchingKeys(objects, wanted)
  if (keys.length > 1) throw ambiguousRef(ref, keys)
  if (keys.length === 1) return objectName(objects.get(keys[0] as string) as MapValue)
  const earlierNames = earlier()
  const earlierKeys = matchingKeys(earlierNames, wanted)
  if (earlierKeys.length === 1) return earlierNames.get(earlierKeys[0] as string) as ObjectName
  const { group = "", kind, namespace, name } = wanted
  if (kind === undefined || name === undefined) throw ambiguousRef(ref, earlierKeys)
  const apiVersion = group === "" ? "v1" : `${group}/v1`
  return { apiVersion, kind, ...(namespace !== undefined && { namespace }), name }
}

const aReference = either(aString, anObject)

function ambiguousRef(ref: ObjectRef | undefined, keys: readonly string[]): TypeError {
  const subject = ref === undefined ? "no object named" : JSON.stringify(ref)
  return new TypeError(`${subject}: ${keys.length > 1 ? `it may be ${listOr(keys)}` : "there is no such object"}`)
}

/** Returns the keys that match the reference, sorted. */
function matchingKeys(entries: ReadonlyMap<string, unknown>, wanted: RefParts): string[] {
  return [...entries.keys()].filter(key => matches(key, wanted)).sort(compareStrings)
}

/** The parts of a reference. An absent part matches anything. */
interface RefParts {
  readonly group?: string | undefined
  readonly kind?: string | undefined
  readonly namespace?: string | undefined
  readonly name?: string | undefined
}

function parseRef(ref: string): RefParts {
  const parts = ref.split("/")
  const [kind = "", second = "", third] = parts
  if (parts.length < 2 || parts.length > 3) {
    throw new TypeError(`expected KIND/NAME or KIND/NAMESPACE/NAME, got ${JSON.stringify(ref)}`)
  }
  const dot = kind.indexOf(".")
  return {
    ...(dot < 0 ? { kind } : { kind: kind.slice(0, dot), group: kind.slice(dot + 1) }),
    ...(third === undefined ? { name: second } : { namespace: second, name: third }),
  }
}

function partsOf({ apiVersion, kind, namespace, name }: Exclude<ObjectRef, string>): RefParts {
  const group = apiVersion === undefined ? undefined : parseKind(apiVersion, "").group
  return { group, kind, namespace: namespace === "" ? "default" : namespace, name }
}

function matches(key: string, { group, kind, namespace, name }: RefParts): boolean {
  const [type = "", inNamespace, ...rest] = key.split("/")
  const dot = type.indexOf(".")
  const [ownKind, ownGroup] = dot < 0 ? [type, ""] : [type.slice(0, dot), type.slice(dot + 1)]
  return (
    (kind === undefined || kind === ownKind) &&
    (group === undefined || group === ownGroup) &&
    (namespace === undefined || namespace === inNamespace) &&
    (name === undefined || name === rest.join("/"))
  )
}

/** Returns the object that the request sends; undefined if it refers to one. */
export function bodyOf(request: ObjectRequest): MapValue | undefined {
  if ("create" in request) return objectOf(request.create)
  if ("apply" in request) return objectOf(request.apply)
  return "update" in request && typeof request.update !== "function" ? objectOf(request.update) : undefined
}
