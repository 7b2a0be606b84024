// An apply whose configuration is to be edited, with everything that is computed once for all its fields.
import { hasCode } from "../../errors.js"
import { uniteSets } from "../../fieldpath/builder.js"
import { Lookup, valueAt } from "../../fieldpath/lookup.js"
import { hasFrom } from "../../fieldpath/parts.js"
import type { Path } from "../../fieldpath/path.js"
import type { FieldSet } from "../../fieldpath/set.js"
import { ObjectTypes, type TypeFinder } from "../../managedfields/types/object-types.js"
import type { Type } from "../../typed/type.js"
import { TypedValue } from "../../typed/typed-value.js"
import { own, sizeOf } from "../../value/object.js"
import type { MapValue, Value } from "../../value/value.js"
import type { Share } from "./owners.js"

/** An apply. */
export interface GivenApply {
  readonly config: MapValue
  readonly live: MapValue | undefined
  /** The owners of the live object. */
  readonly shares: readonly Share[]
  /** The identifier of the applier. */
  readonly applier: string
  readonly types: TypeFinder
}

/** An apply, with lookups of paths in its configuration, in the live object and among the owners. */
export class Scene {
  readonly config: MapValue
  readonly live: MapValue | undefined
  readonly applier: string
  /** Looks up paths in the configuration. */
  readonly configured: Lookup
  private readonly there: Lookup
  private readonly shares: readonly Share[]
  private readonly types: TypeFinder
  private readonly sizes = new Map<MapValue, number>()
  private knownType: Type | undefined
  private knownMine: FieldSet | undefined
  private knownOthers: FieldSet | undefined

  constructor({ config, live, shares, applier, types }: GivenApply) {
    this.config = config
    this.live = live
    this.applier = applier
    this.types = types
    this.configured = new Lookup(config)
    this.there = new Lookup(live ?? {})
    this.shares = shares
  }

  /** The type of the configuration. Throws a NoTypeError if it has none, as no configuration in conflict does. */
  get type(): Type {
    return (this.knownType ??= new ObjectTypes(this.types).typeOf(this.config))
  }

  /** Returns the value at the path of the live object; undefined if it has none. */
  liveAt(path: Path): Value | undefined {
    return this.there.valueAt(path)
  }

  /** Returns the steps to the path in the live object; undefined if it does not have the path. */
  stepsInLive(path: Path): readonly (string | number)[] | undefined {
    return this.there.stepsTo(path)
  }

  /** Returns the number of keys that a map of the configuration has in addition to these. */
  sizeOf(map: MapValue, keys: readonly string[]): number {
    const size = this.sizes.get(map) ?? sizeOf(map)
    this.sizes.set(map, size)
    return size - keys.filter(key => own(map, key) !== undefined).length
  }

  /** The fields that the applier owns. */
  get mine(): FieldSet {
    return (this.knownMine ??= this.setOf(id => id === this.applier))
  }

  /** The fields that others own. */
  get others(): FieldSet {
    return (this.knownOthers ??= this.setOf(id => id !== this.applier))
  }

  /** Whether only the applier owns the path, so that the object loses it if the applier omits it. */
  isSoleOwner(path: Path): boolean {
    return this.mine.has(path) && !this.others.has(path)
  }

  /** Whether the applier owns the path or something below it, and nobody else does. */
  ownsAlone(path: Path): boolean {
    return hasFrom(this.mine, path) && !hasFrom(this.others, path)
  }

  /** Returns the live value at the path, reduced to these fields and the keys of items. Undefined if the object does not fit its type. */
  partOfLive(fields: FieldSet, path: Path): Value | undefined {
    if (this.live === undefined) return undefined
    try {
      const typed = TypedValue.of(this.live, this.type, { allowDuplicates: true })
      return valueAt(typed.extractItems(fields.leaves(), { appendKeyFields: true }).value, path)
    } catch (error) {
      if (!hasCode(error)) throw error
      return undefined
    }
  }

  private setOf(isMeant: (id: string) => boolean): FieldSet {
    return uniteSets(this.shares.filter(({ id }) => isMeant(id)).map(({ set }) => set))
  }
}
