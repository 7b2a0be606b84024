// The version-skew matrix: clients and servers that know different members of a union, and the requests and objects that follow from that.
//
// A situation is a point of the matrix: the union, the members that each side knows, the stored object, the client's intention, and its
// request. The situation determines the input of the engine: the client sees the live object (`clientView`) and makes the body of its
// request from it, and the server drops the fields that it does not know (`serverPrune`). Impossible situations are left out. Situations
// that give the engine the same input share a run (matrix-run.ts).
import type { Schema } from "../../src/schema/schema.js"
import type { UnionDef } from "../../src/schema/union.js"
import { compileSchema, type Type } from "../../src/typed/type.js"
import { deepFreeze } from "../support/deep-freeze.js"

/** Without a discriminator, with one that clients set, or with one that follows the member. */
const kinds = ["bare", "given", "deduced"] as const
export const cardinalities = ["exactlyOne", "atMostOne"] as const
/** Structured clients lose unknown fields when they decode an object. Raw ones keep them. */
const clients = ["structured", "raw"] as const
/** The members that a client or server knows; `c` is the new one. */
const knowledge = ["ab", "abc"] as const
/** The stored object, which p applied. `ab` was stored without a check of its unions. */
const lives = ["none", "a", "c", "ab"] as const
const actions = [
  /** Sends the object as it was read. */
  "echo",
  /** Changes something inside the member. */
  "edit",
  /** Replaces the known members by another one that all sides know. */
  "switch",
  /** Adds another member. */
  "add",
  /** Switches to another member, but keeps the discriminator. */
  "member",
  /** Changes the discriminator, but keeps the members. */
  "type",
  /** Like `switch`, to the member that old versions don't know. */
  "new",
  /** Removes the member, and empties the discriminator. */
  "clear",
  /** Removes the member and the discriminator. */
  "drop",
] as const
/** The last three are server-side apply: by the manager of the live fields, by another one, and by another one with force. */
const verbs = ["put", "patch", "apply", "other", "force"] as const

export interface Situation {
  readonly kind: (typeof kinds)[number]
  readonly cardinality: (typeof cardinalities)[number]
  readonly client: (typeof clients)[number]
  readonly clientKnows: (typeof knowledge)[number]
  readonly serverKnows: (typeof knowledge)[number]
  readonly live: (typeof lives)[number]
  readonly action: (typeof actions)[number]
  readonly verb: (typeof verbs)[number]
}

/** The contents of the struct. */
interface Thing {
  readonly type?: string
  readonly a?: Member
  readonly b?: Member
  readonly c?: Member
}
interface Member {
  readonly x: number
}
type Name = "a" | "b" | "c"

/** The input of the engine: an object for updates, a configuration for applies. */
export interface Input {
  readonly stored: Thing
  readonly body: Thing
}

/** Every possible situation, with the input that it leads to. */
export function situations(): (Situation & Input)[] {
  const all: (Situation & Input)[] = []
  for (const kind of kinds)
    for (const cardinality of cardinalities)
      for (const client of clients)
        for (const clientKnows of knowledge)
          for (const serverKnows of knowledge)
            for (const live of lives)
              for (const action of actions)
                for (const verb of verbs) {
                  const situation = { kind, cardinality, client, clientKnows, serverKnows, live, action, verb }
                  const input = inputOf(situation)
                  if (input !== null) all.push({ ...situation, ...input })
                }
  return all
}

/** The name of a situation: its coordinates. */
export function nameOf({ kind, cardinality, client, clientKnows, serverKnows, live, action, verb }: Situation): string {
  return [kind, cardinality, client, `${clientKnows}->${serverKnows}`, `live:${live}`, action, verb].join(" ")
}

/** Returns the input of the engine, or null for an impossible situation. */
function inputOf(situation: Situation): Input | null {
  const { kind, client, clientKnows, serverKnows, live, verb } = situation
  // A server that does not know c has none stored.
  if (live === "c" && serverKnows === "ab") return null
  const stored = storedObject(live, kind !== "bare")
  const seen = clientView(stored, client, clientKnows)
  const body = verb === "put" || verb === "patch" ? updated(situation, stored, seen) : configured(situation, seen)
  return body === null ? null : deepFreeze({ stored, body: serverPrune(body, serverKnows) })
}

function storedObject(live: Situation["live"], discriminated: boolean): Thing {
  if (live === "none") return {}
  const members = Object.fromEntries(Array.from(live, name => [name, { x: 1 }]))
  return { ...(discriminated && { type: upper(live[0] as Name) }), ...members }
}

/** Returns the live object as the client sees it after decoding. */
function clientView(stored: Thing, client: Situation["client"], knows: string): Thing {
  return client === "raw" ? stored : known(stored, knows)
}

/** Returns the body without the fields that the server does not know. The values of strings stay. */
function serverPrune(body: Thing, knows: string): Thing {
  return known(body, knows)
}

function known(thing: Thing, members: string): Thing {
  return Object.fromEntries(Object.entries(thing).filter(([key]) => key === "type" || members.includes(key)))
}

/** Returns the object after a PUT, or after a merge patch with the client's changes. */
function updated(situation: Situation, stored: Thing, seen: Thing): Thing | null {
  const wanted = desired(situation, seen)
  if (wanted === null || situation.verb === "put") return wanted
  const patched: Record<string, unknown> = { ...stored }
  for (const key of Object.keys(seen)) if (!(key in wanted)) delete patched[key]
  return { ...patched, ...wanted }
}

/** Returns the object that the client wants, starting from the object it sees; null if it can't want that. */
function desired({ kind, clientKnows, live, action }: Situation, seen: Thing): Thing | null {
  const discriminated = kind !== "bare"
  const target = targetOf(live)
  const others = without(seen, clientKnows)
  switch (action) {
    case "echo":
      return seen
    case "edit": {
      const member = Array.from(clientKnows as Iterable<Name>).find(name => name in seen)
      return member === undefined ? null : { ...seen, [member]: { x: 2 } }
    }
    case "switch":
      return { ...others, ...memberOf(target, discriminated) }
    case "add":
      // Without a known member, adding one is the same as switching.
      return Object.keys(others).length === Object.keys(seen).length
        ? null
        : { ...seen, ...memberOf(target, discriminated) }
    case "member":
      return discriminated ? { ...others, ...memberOf(target, false) } : null
    case "type":
      return discriminated ? { ...seen, type: upper(target) } : null
    case "new":
      return clientKnows === "ab" || live === "c" ? null : { ...others, ...memberOf("c", discriminated) }
    case "clear":
      return live === "none" ? null : { ...others, ...(discriminated && { type: "" }) }
    case "drop": {
      if (!discriminated || live === "none") return null
      const { type: _, ...rest } = others
      return rest
    }
  }
}

/** Returns a configuration with this intention; null if an apply by that manager can't express it. */
function configured(situation: Situation, seen: Thing): Thing | null {
  const { kind, clientKnows, live, action, verb } = situation
  // No other manager owns a field that could conflict.
  if (live === "none" && verb !== "apply") return null
  const wanted = desired(situation, seen)
  if (wanted === null) return null
  const discriminated = kind !== "bare"
  switch (action) {
    case "edit":
      if (verb === "apply") return wanted
      return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => key !== "type" && value.x === 2))
    case "switch":
      return memberOf(targetOf(live), discriminated)
    case "member":
      return memberOf(targetOf(live), false)
    case "type":
      return { type: upper(targetOf(live)) }
    case "new":
      return memberOf("c", discriminated)
    case "clear":
      // A configuration says that no member is set by naming the discriminator, or by leaving out the member that its manager applied.
      if (discriminated) return { type: "" }
      return verb === "apply" ? without(wanted, clientKnows) : null
    case "drop":
      return verb === "apply" ? {} : null
    default:
      return wanted
  }
}

/** Returns the member to switch to: one that all sides know, and that is not set. */
function targetOf(live: Situation["live"]): Name {
  return live === "a" || live === "ab" ? "b" : "a"
}

function memberOf(name: Name, discriminated: boolean): Thing {
  return { ...(discriminated && { type: upper(name) }), [name]: { x: 3 } }
}

function without(thing: Thing, members: string): Thing {
  return Object.fromEntries(Object.entries(thing).filter(([key]) => key === "type" || !members.includes(key)))
}

function upper(name: Name): string {
  return name.toUpperCase()
}

/** The type of these objects on a server, also without unions, for comparison. */
export function serverType({ kind, cardinality, serverKnows }: Situation, unions = true): Type {
  const key = [kind, cardinality, serverKnows, unions].join(" ")
  const type = serverTypes.get(key) ?? compileSchema(serverSchema(kind, cardinality, serverKnows, unions)).type("root")
  serverTypes.set(key, type)
  return type
}

const serverTypes = new Map<string, Type>()

function serverSchema(
  kind: Situation["kind"],
  cardinality: Situation["cardinality"],
  serverKnows: Situation["serverKnows"],
  unions: boolean,
): Schema {
  const names = Array.from(serverKnows as Iterable<Name>)
  const fields = names.map(name => ({ name, type: { namedType: "member" } }))
  const union: UnionDef = {
    cardinality,
    fields: names.map(fieldName => ({ fieldName, ...(kind !== "bare" && { discriminatorValue: upper(fieldName) }) })),
    ...(kind !== "bare" && {
      discriminator: "type",
      ...(cardinality === "atMostOne" ? { noneValue: "" } : { values: names.map(upper) }),
    }),
    ...(kind === "deduced" && { deduceInvalidDiscriminator: true }),
  }
  return deepFreeze({
    types: [
      {
        name: "root",
        map: { fields: [{ name: "type", type: { scalar: "string" } }, ...fields], ...(unions && { unions: [union] }) },
      },
      { name: "member", map: { fields: [{ name: "x", type: { scalar: "numeric" } }] } },
    ],
  })
}

/** A struct with a discriminator and three members, and this union of them. */
export function unionType(union: UnionDef): Type {
  const members = ["a", "b", "c"].map(name => ({ name, type: { scalar: "numeric" as const } }))
  const fields = [{ name: "type", type: { scalar: "string" as const } }, ...members]
  return compileSchema({ types: [{ name: "root", map: { fields, unions: [union] } }] }).type("root")
}
