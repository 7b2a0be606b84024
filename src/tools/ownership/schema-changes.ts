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

const nextApply = "After its next apply, an applier owns the fields that it then specifies."
const omitted =
  "Parts that this apply omits stay without an owner; they are removed only together with the whole, if nobody else owns a part of it."

/** Every kind of change and its effect on owners. */
export const schemaChangeRules: Readonly<Record<SchemaChangeCode, SchemaChangeRule>> = {
  "map-atomic": {
    what: "a map or struct becomes atomic",
    ownership: "yes",
    effect:
      "At the next write by any manager, every owner of a part becomes an owner of the whole, so the whole may have several owners. An " +
      "applier that specifies only its part is then in conflict with the others; with force it removes their parts.",
  },
  "map-granular": {
    what: "a map or struct becomes granular",
    ownership: "yes",
    effect:
      "Owners of the whole still own its path but nothing below it, so others can change its fields without a conflict. " +
      `${nextApply} ${omitted}`,
  },
  "list-atomic": {
    what: "a set, or a list of items with keys, becomes atomic",
    ownership: "yes",
    effect:
      "At the next write by any manager, every owner of an item becomes an owner of the whole list, so the list may have several owners. An " +
      "applier that specifies only its items is then in conflict with the others; with force it removes their items.",
  },
  "list-granular": {
    what: "an atomic list becomes a set, or a list of items with keys",
    ownership: "yes",
    effect:
      "Owners of the list still own its path but no items, so others can change items without a conflict. " +
      `${nextApply} ${omitted}`,
  },
  "untyped-atomic": {
    what: "an untyped value, or a value that loses its type, becomes atomic",
    ownership: "yes",
    effect:
      "Reconciliation skips untyped values, so the owners of a part still own its path, which no longer exists. Others can change the whole " +
      "without a conflict, and an apply of a part removes the parts of others. " +
      nextApply,
  },
  "list-type": {
    what: "a set becomes a list of items with keys, or the other way round",
    ownership: "yes",
    effect:
      "Items of the old type do not fit the new one. As long as the object has such items, nobody can apply, and updates leave managedFields " +
      "unchanged, including the update that replaces the items. The paths of old items stay in the sets of their owners but match nothing. " +
      nextApply,
  },
  "list-unfit": {
    what: "a list loses its relationship, or gets one",
    ownership: "yes",
    effect:
      "A list that is neither atomic nor associative can't be merged or compared, so requests that change it fail. The paths of owned items " +
      "stay in the sets of their owners.",
  },
  "list-keys": {
    what: "the keys of a list change",
    ownership: "yes",
    effect:
      "The paths of owned items no longer match any item. Nobody owns the items, and others can change them without a conflict. " +
      `${nextApply} ${omitted} An item that omits a new key with a default may then appear twice.`,
  },
  "list-key-default": {
    what: "the default of a key changes",
    ownership: "depends",
    effect:
      "If an applier omits the key, its next apply is about another item: the item that it applied before is removed, unless somebody else " +
      "owns it, and a new item is added. If the object has items without the key, their old paths match no item, and nobody owns them.",
  },
  "field-removed": {
    what: "a field is gone",
    ownership: "yes",
    effect:
      "The API server drops the value when it reads the object. The path stays in the sets of its owners until they apply without the field; " +
      "an apply that still has the field fails.",
  },
  "field-added": {
    what: "a field is new",
    ownership: "no",
    effect: "Nobody owns the field until a manager sets it.",
  },
  "field-declared": {
    what: "a key of a map becomes a declared field",
    ownership: "depends",
    effect:
      "An applier of the key owns the key and its contents. After its next apply, it owns only the contents, unless the value is a leaf.",
  },
  "field-undeclared": {
    what: "a declared field becomes a key of a map",
    ownership: "depends",
    effect:
      "An applier of the field owns only its contents. After its next apply, it also owns the key itself. A leaf has the same owner either way.",
  },
  "unknown-pruned": {
    what: "fields that are not declared are dropped from now on",
    ownership: "depends",
    effect:
      "The API server drops the values of undeclared fields when it reads the object. Their paths stay in the sets of their owners until " +
      "they apply without these fields; an apply that still has one of them fails.",
  },
  "unknown-kept": {
    what: "fields that are not declared are kept from now on",
    ownership: "no",
    effect: "Nobody owns such a field until a manager sets it.",
  },
  type: {
    what: "another kind of value: scalar, list or map",
    ownership: "yes",
    effect:
      "As long as the object has an old value, nobody can apply, and updates leave managedFields unchanged, including the update that " +
      "replaces the value, so its manager does not own the new value. The old paths stay in the sets of their owners but match nothing. " +
      nextApply,
  },
  "type-narrowed": {
    what: "fewer kinds of values are allowed",
    ownership: "depends",
    effect:
      "If the object has a value of a kind that is no longer allowed, the effect is that of `type`. Otherwise nothing changes.",
  },
  scalar: {
    what: "another scalar: string, number, boolean",
    ownership: "no",
    effect:
      "Paths and their owners stay the same. As long as the object has a value that does not fit, nobody can apply, and updates leave " +
      "managedFields unchanged, including the update that replaces the value.",
  },
  union: {
    what: "a union is new, gone or different",
    ownership: "depends",
    effect:
      "An API server ignores unions. If they are settled (policy `extended`), owners stay the same until a request changes the union. An apply " +
      "of a member then clears the members that exclude it, and their owners lose them. An update may be refused while several members are set.",
  },
  "version-removed": {
    what: "a version is gone",
    ownership: "yes",
    effect:
      "For a built-in kind, the next write drops the owners at that version. For a custom resource, applies fail as long as managedFields name " +
      "the version, and updates leave managedFields unchanged.",
  },
  "version-added": {
    what: "a version is new",
    ownership: "no",
    effect: "Nobody has written at this version yet.",
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
