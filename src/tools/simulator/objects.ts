// Finds the object that is meant: the object that a value describes, or the one that a reference fits.

import { parseKind } from "../../schema/group-version-kind.js"
import { anObject, aString, either, requireArgument } from "../../value/argument.js"
import { compareStrings } from "../../value/compare.js"
import type { MapValue } from "../../value/value.js"
import { nameOf, type ObjectName } from "../ownership/object-name.js"
import type { ObjectRef } from "./request.js"

/** Objects by their keys. */
export type Objects = ReadonlyMap<string, MapValue>

/** The key of the object, which is the same for all versions and differs from those of all other objects: `Deployment.apps/default/web`. */
export function keyOf({ apiVersion, kind, namespace = "", name }: ObjectName): string {
  const { group } = parseKind(apiVersion, kind)
  return `${kind}${group === "" ? "" : `.${group}`}/${namespace === "" ? "default" : namespace}/${name}`
}

/** The key of the object that says this of itself. */
export function keyOfObject(object: MapValue): string {
  return keyOf(nameOf(object))
}

/** The keys in the order in which objects are listed. */
export function sortedKeys(objects: Objects): string[] {
  return [...objects.keys()].sort(compareStrings)
}

/**
 * The name of the only object that the reference fits. If it fits no object, this is the only name that it fits in `asked`, which has the
 * objects of earlier requests, or else the name that the reference gives. Throws a TypeError if several objects fit, or if nothing says
 * which object is meant.
 */
export function nameAt(
  objects: Objects,
  ref: ObjectRef | undefined,
  asked: () => ReadonlyMap<string, ObjectName> = () => new Map(),
): ObjectName {
  if (ref !== undefined) requireArgument("object", ref, aReference)
  const wanted = ref === undefined ? {} : typeof ref === "string" ? parseRef(ref) : partsOf(ref)
  const there = fitting(objects, wanted)
  if (there.length > 1) throw unclear(ref, there)
  if (there.length === 1) return nameOf(objects.get(there[0] as string) as MapValue)
  const gone = asked()
  const named = fitting(gone, wanted)
  if (named.length === 1) return gone.get(named[0] as string) as ObjectName
  const { group = "", kind, namespace, name } = wanted
  if (kind === undefined || name === undefined) throw unclear(ref, named)
  const apiVersion = group === "" ? "v1" : `${group}/v1`
  return { apiVersion, kind, ...(namespace !== undefined && { namespace }), name }
}

const aReference = either(aString, anObject)

function unclear(ref: ObjectRef | undefined, keys: readonly string[]): TypeError {
  const said = ref === undefined ? "no object named" : JSON.stringify(ref)
  return new TypeError(`${said}: ${keys.length > 1 ? `it may be ${keys.join(" or ")}` : "there is no such object"}`)
}

/** The keys that are wanted, sorted. */
function fitting(entries: ReadonlyMap<string, unknown>, wanted: Wanted): string[] {
  return [...entries.keys()].filter(key => fits(key, wanted)).sort(compareStrings)
}

interface Wanted {
  readonly group?: string | undefined
  readonly kind?: string | undefined
  readonly namespace?: string | undefined
  readonly name?: string | undefined
}

function parseRef(ref: string): Wanted {
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

function partsOf({ apiVersion, kind, namespace, name }: Exclude<ObjectRef, string>): Wanted {
  const group = apiVersion === undefined ? undefined : parseKind(apiVersion, "").group
  return { group, kind, namespace: namespace === "" ? "default" : namespace, name }
}

function fits(key: string, { group, kind, namespace, name }: Wanted): boolean {
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
