import { describe, expect, it } from "vitest"
import { FieldManager, type FieldManagerOptions } from "../../src/managedfields/field-manager.js"
import type { TypeFinder } from "../../src/managedfields/types.js"
import type { Schema } from "../../src/schema/schema.js"
import { deducedSchema } from "../../src/typed/deduced.js"
import type { MapValue } from "../../src/value/value.js"
import { clockFrom, owners, type Thing } from "./notation.js"

const schema: Schema = {
  types: [
    ...(deducedSchema.types ?? []),
    {
      name: "Shape",
      map: {
        fields: [
          { name: "apiVersion", type: { scalar: "string" } },
          { name: "kind", type: { scalar: "string" } },
          { name: "metadata", type: { namedType: "__untyped_deduced_" } },
          { name: "spec", type: { namedType: "Spec" } },
        ],
      },
    },
    {
      name: "Spec",
      map: {
        fields: [
          { name: "type", type: { scalar: "string" } },
          { name: "circle", type: { namedType: "__untyped_deduced_" } },
          { name: "square", type: { namedType: "__untyped_deduced_" } },
          { name: "color", type: { scalar: "string" } },
        ],
        unions: [
          {
            discriminator: "type",
            deduceInvalidDiscriminator: true,
            fields: [
              { fieldName: "circle", discriminatorValue: "Circle" },
              { fieldName: "square", discriminatorValue: "Square" },
            ],
          },
        ],
      },
    },
  ],
}
const types: TypeFinder = { find: () => ({ schema, typeName: "Shape" }) }
const shapes = (unions?: FieldManagerOptions["unions"]) =>
  new FieldManager({ types, clock: clockFrom(), ...(unions !== undefined && { unions }) })
const shape = (spec: MapValue): Thing => ({ apiVersion: "g/v1", kind: "Shape", metadata: { name: "s" }, spec })

describe("unions", () => {
  it("are off, as in an API server", () => {
    const manager = shapes()
    const live = manager.apply(undefined, shape({ circle: { r: 1 } }), { manager: "a" }).object
    const { object, unions } = manager.apply(live, shape({ square: { a: 1 } }), { manager: "b" })
    expect(object.spec).toEqual({ circle: { r: 1 }, square: { a: 1 } })
    expect(unions).toEqual([])
  })

  it("write the discriminator of the member applied, and own it", () => {
    const { object, unions } = shapes("v4").apply(undefined, shape({ circle: { r: 1 } }), { manager: "a" })
    expect(object.spec).toEqual({ circle: { r: 1 }, type: "Circle" })
    expect(owners(object)).toEqual(["a Apply g/v1: .spec.type .spec.circle.r"])
    expect(unions).toMatchObject([{ policy: "v4", discriminator: { field: "type", to: "Circle" } }])
  })

  it("take out the member that is replaced", () => {
    const manager = shapes("v4")
    const live = manager.apply(undefined, shape({ circle: { r: 1 }, color: "red" }), { manager: "a" }).object
    const { object, unions } = manager.apply(live, shape({ square: { a: 1 } }), { manager: "b", force: true })
    expect(object.spec).toEqual({ color: "red", square: { a: 1 }, type: "Square" })
    expect(owners(object)).toEqual(["a Apply g/v1: .spec.color", "b Apply g/v1: .spec.type .spec.square.a"])
    expect(unions).toMatchObject([{ cleared: [{ field: "circle" }] }])
  })

  it("are in conflict over the discriminator", () => {
    const manager = shapes("v4")
    const live = manager.apply(undefined, shape({ circle: { r: 1 } }), { manager: "a" }).object
    const attempt = manager.tryApply(live, shape({ square: { a: 1 } }), { manager: "b" })
    expect(attempt.ok || attempt.error.message).toBe('Apply failed with 1 conflict: conflict with "a": .spec.type')
  })

  it("are settled by updates too", () => {
    const manager = shapes("v4")
    const live = manager.update(undefined, shape({ circle: { r: 1 } }), { manager: "u" }).object
    expect(live.spec).toEqual({ circle: { r: 1 }, type: "Circle" })
    const { object } = manager.update(
      live,
      { ...live, spec: { ...(live.spec as MapValue), type: "Square", square: {} } },
      { manager: "u" },
    )
    expect(object.spec).toEqual({ type: "Square", square: {} })
  })

  it("return the object itself where an apply changes nothing", () => {
    const manager = shapes("v4")
    const live = manager.apply(undefined, shape({ circle: { r: 1 } }), { manager: "a" }).object
    expect(manager.apply(live, shape({ circle: { r: 1 } }), { manager: "a" }).object).toBe(live)
  })

  it("leave alone what is only recorded before the first apply", () => {
    const live: Thing = { ...shape({ circle: {}, square: {} }), metadata: { name: "s", uid: "1" } }
    const { object } = shapes("v4").apply(live, shape({ color: "red" }), { manager: "a" })
    expect(object.spec).toEqual({ circle: {}, square: {}, color: "red" })
  })
})

describe("extract, change and apply", () => {
  it("leaves out the discriminator, so that another member can be applied", () => {
    const manager = shapes("v4")
    const live = manager.apply(undefined, shape({ circle: { r: 1 }, color: "red" }), { manager: "a" }).object
    const config = manager.extract(live, { manager: "a" })
    expect(config).toEqual({ apiVersion: "g/v1", kind: "Shape", spec: { circle: { r: 1 }, color: "red" } })
    const { object } = manager.apply(live, { ...config, spec: { square: { a: 1 } } }, { manager: "a" })
    expect(object.spec).toEqual({ square: { a: 1 }, type: "Square" })
  })

  it("keeps a discriminator that is not the engine's to write", () => {
    const manager = shapes("v4")
    const live = manager.apply(undefined, shape({ type: "None" }), { manager: "a" }).object
    expect(manager.extract(live, { manager: "a" })?.spec).toEqual({ type: "None" })
  })

  it("keeps it where unions are off", () => {
    const manager = shapes()
    const live = manager.apply(undefined, shape({ type: "Circle", circle: {} }), { manager: "a" }).object
    expect(manager.extract(live, { manager: "a" })?.spec).toEqual({ type: "Circle", circle: {} })
  })

  it("keeps all where members contradict each other", () => {
    const live = shapes().apply(undefined, shape({ type: "Circle", circle: {}, square: {} }), { manager: "a" }).object
    expect(shapes("v4").extract(live, { manager: "a" })?.spec).toEqual({ type: "Circle", circle: {}, square: {} })
  })
})
