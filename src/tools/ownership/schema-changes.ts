// The changes that a type can have from one schema to the next, and their effect on the owners of fields.
//
// The table records observed behavior of the engine: test/tools/ownership/schema-diff.test.ts plays every row. docs/schema-diff.md shows it.

/** Whether a schema change changes owners: always, never, or for some objects only. */
export type OwnershipEffect = "yes" | "depends" | "no"

/** A kind of schema change. */
export type SchemaChangeCode =
  | "map-atomic"
  | "map-granular"
  | "list-atomic"
  | "list-granular"
  | "untyped-atomic"
  | "list-type"
  | "list-unfit"
  | "list-keys"
  | "list-key-default"
  | "field-removed"
  | "field-added"
  | "field-declared"
  | "field-undeclared"
  | "unknown-pruned"
  | "unknown-kept"
  | "type"
  | "type-narrowed"
  | "scalar"
  | "union"
  | "version-removed"
  | "version-added"

/** Describes a kind of schema change and its consequences. */
export interface SchemaChangeRule {
  /** The change, in a few words. */
  readonly what: string
  /** `yes` if it affects all owners of the place, `depends` if it affects only some of them, `no` if it affects nobody. */
  readonly ownership: OwnershipEffect
  /** The effect on owners, and when it occurs. */
  readonly effect: string
}

const nextApply = "At its next apply an applier owns what it then specifies."
const leftOut =
  "What it leaves out of that apply stays, and is nobody's; it goes only with all the rest, where nobody else owns a part."

/** Every kind of change and its effect on owners. */
export const schemaChangeRules: Readonly<Record<SchemaChangeCode, SchemaChangeRule>> = {
  "map-atomic": {
    what: "a map or struct becomes atomic",
    ownership: "yes",
    effect:
      "With the next write of anybody, whoever owns a part of it owns the whole, so it may have several owners. An applier that has " +
      "only its part is then in conflict with the others, and by force removes theirs.",
  },
  "map-granular": {
    what: "a map or struct becomes granular",
    ownership: "yes",
    effect:
      "Whoever owns the whole goes on owning the path and nothing below it, so others change its fields without a conflict. " +
      `${nextApply} ${leftOut}`,
  },
  "list-atomic": {
    what: "a set, or a list of items with keys, becomes atomic",
    ownership: "yes",
    effect:
      "With the next write of anybody, whoever owns an item owns the whole list, so it may have several owners. An applier that has " +
      "only its items is then in conflict with the others, and by force removes theirs.",
  },
  "list-granular": {
    what: "an atomic list becomes a set, or a list of items with keys",
    ownership: "yes",
    effect:
      "Whoever owns the list goes on owning the path and no item, so others change items without a conflict. " +
      `${nextApply} ${leftOut}`,
  },
  "untyped-atomic": {
    what: "what is untyped, or becomes so, turns atomic",
    ownership: "yes",
    effect:
      "Reconciliation passes over what has no types: whoever owns a part goes on owning the path of that part, which leads nowhere now. " +
      "Others change the whole without a conflict, and an apply of a part removes the parts of others. " +
      nextApply,
  },
  "list-type": {
    what: "a set becomes a list of items with keys, or the other way round",
    ownership: "yes",
    effect:
      "Items of the old type do not fit. While the object has some, nobody can apply, and updates leave managedFields as they are, also " +
      "the one that replaces the items. The paths of old items stay in the sets of their owners and lead nowhere. " +
      nextApply,
  },
  "list-unfit": {
    what: "a list loses its relationship, or gets one",
    ownership: "yes",
    effect:
      "A list that is neither atomic nor associative can't be merged or compared: requests that touch it fail. The paths of items that " +
      "were owned stay in the sets of their owners.",
  },
  "list-keys": {
    what: "the keys of a list change",
    ownership: "yes",
    effect:
      "The paths of owned items match no item any more: the items are nobody's, and others change them without a conflict. " +
      `${nextApply} ${leftOut} An item whose new keys it leaves to their defaults may then be there a second time.`,
  },
  "list-key-default": {
    what: "the default of a key changes",
    ownership: "depends",
    effect:
      "An applier that leaves the key out means another item from its next apply on: the item that it had applied goes, unless somebody " +
      "else owns it, and a new one comes. Where the object has items without the key, their old paths match no item, and they are nobody's.",
  },
  "field-removed": {
    what: "a field is gone",
    ownership: "yes",
    effect:
      "The API server drops the value when it reads the object. The path stays in the sets of its owners and leads nowhere, until an " +
      "applier applies without the field; an apply that still has it fails.",
  },
  "field-added": {
    what: "a field is new",
    ownership: "no",
    effect: "Nobody owns it before somebody sets it.",
  },
  "field-declared": {
    what: "a key of a map becomes a declared field",
    ownership: "depends",
    effect:
      "Who applied the key owns it, and what is in it. At its next apply an applier owns only what is in it, unless that is a leaf.",
  },
  "field-undeclared": {
    what: "a declared field becomes a key of a map",
    ownership: "depends",
    effect: "At its next apply an applier owns the key itself too, and not only what is in it, unless that is a leaf.",
  },
  "unknown-pruned": {
    what: "fields that are not declared are dropped from now on",
    ownership: "depends",
    effect:
      "The API server drops the values of fields that are not declared when it reads the object. Their paths stay in the sets of their " +
      "owners and lead nowhere, until an applier applies without them; an apply that still has one fails.",
  },
  "unknown-kept": {
    what: "fields that are not declared are kept from now on",
    ownership: "no",
    effect: "Nobody owns one of them before somebody sets it.",
  },
  type: {
    what: "another kind of value: scalar, list or map",
    ownership: "yes",
    effect:
      "While the object has an old value, nobody can apply, and updates leave managedFields as they are, also the one that replaces the " +
      "value: who writes the new one does not own it. The old paths stay in the sets of their owners and lead nowhere. " +
      nextApply,
  },
  "type-narrowed": {
    what: "fewer kinds of values are allowed",
    ownership: "depends",
    effect:
      "Where the object has a value of a kind that is not allowed any more, it is as with `type`; elsewhere nothing changes.",
  },
  scalar: {
    what: "another scalar: string, number, boolean",
    ownership: "no",
    effect:
      "Paths stay as they are, and so do their owners. While the object has a value that does not fit, nobody can apply, and updates " +
      "leave managedFields as they are, also the one that replaces the value.",
  },
  union: {
    what: "a union is new, gone or different",
    ownership: "depends",
    effect:
      "An API server does nothing about unions. Where they are settled (policy `extended`), owners stay until a request touches the union: an " +
      "apply of one member clears others that exclude it, and who owned these loses them; an update may be refused while several are set.",
  },
  "version-removed": {
    what: "a version is gone",
    ownership: "yes",
    effect:
      "Of a kind built into the API server, owners at that version are dropped with the next write. Of a custom resource, applies " +
      "fail as long as managedFields name the version, and updates leave managedFields as they are.",
  },
  "version-added": {
    what: "a version is new",
    ownership: "no",
    effect: "Nobody has written at it yet.",
  },
}

/** A place in a schema. */
export interface SchemaPlace {
  /** The kind, `example.com/v1 Widget`, or the name of a type. */
  readonly type: string
  /**
   * The path in the type: `.spec.ports[*].name`. `[*]` stands for the items of a list, `.*` for the values of a map. "" is the type itself.
   */
  readonly path: string
  /** The same path in steps: `f:spec`, `f:ports`, `[*]`, `f:name`. */
  readonly steps: readonly string[]
}

/** Objects whose owners change. */
export interface AffectedObjects {
  /** The number of objects. */
  readonly objects: number
  /** The number of affected entries in their managedFields. */
  readonly owners: number
  /** The names of the managers, sorted. */
  readonly managers: readonly string[]
}

/** A schema change, with all places where it appears. */
export interface SchemaChange {
  /** The kind of change. */
  readonly code: SchemaChangeCode
  /** Whether it changes owners. */
  readonly ownership: OwnershipEffect
  /** A short description of the place before the change. */
  readonly before: string
  /** The same after the change. */
  readonly after: string
  /** The effect on owners. */
  readonly effect: string
  /** The places where the change appears: those with the shortest paths first, at most 20. */
  readonly places: readonly SchemaPlace[]
  /** Set if the change appears in further places. */
  readonly more?: true
  /** The given objects whose owners it changes. Absent without objects. */
  readonly affected?: AffectedObjects
}
