import { describe, expect, it } from "vitest"
import { ApplyConflictError, InvalidError, statusOf } from "../../../src/managedfields/chain/status.js"
import { FieldManager } from "../../../src/managedfields/field-manager.js"
import type { FieldManagerOptions } from "../../../src/managedfields/request.js"
import type { TypeFinder } from "../../../src/managedfields/types/object-types.js"
import type { Schema } from "../../../src/schema/schema.js"
import { deducedSchema } from "../../../src/typed/deduced.js"
import { formatUnionChange } from "../../../src/union/report.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { clockFrom, owners, type Thing } from "../notation.js"

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
  it("are reported with the names of managers as in messages about conflicts", () => {
    const manager = shapes("extended")
    const applied = manager.apply(undefined, shape({ circle: { r: 1 } }), { manager: "a" }).object
    const live = manager.update(applied, shape({ type: "Circle", circle: { r: 1, x: 2 } }), { manager: "u" }).object
    const { unions } = manager.apply(live, shape({ square: { a: 1 } }), { manager: "b", force: true })
    expect(unions.map(formatUnionChange)).toEqual([
      '.spec: type "Circle" -> "Square" (implied by square); removed circle (owned by "a", "u" using g/v1)',
    ])
  })

  it("have no effect if they are off, as in an API server", () => {
    const manager = shapes("off")
    const live = manager.apply(undefined, shape({ circle: { r: 1 } }), { manager: "a" }).object
    const { object, unions } = manager.apply(live, shape({ square: { a: 1 } }), { manager: "b" })
    expect(object.spec).toEqual({ circle: { r: 1 }, square: { a: 1 } })
    expect(unions).toEqual([])
  })

  it("write and own the discriminator of the applied member by default", () => {
    const { object, unions } = shapes().apply(undefined, shape({ circle: { r: 1 } }), { manager: "a" })
    expect(object.spec).toEqual({ circle: { r: 1 }, type: "Circle" })
    expect(owners(object)).toEqual(["a Apply g/v1: .spec.type .spec.circle.r"])
    expect(unions).toMatchObject([{ policy: "extended", discriminator: { field: "type", to: "Circle" } }])
  })

  it("are left to validation in a new object under kep-2022", () => {
    const both = shape({ type: "Square", circle: { r: 1 }, square: { a: 1 } })
    expect(() => shapes("kep-2022").update(undefined, both, { manager: "a" })).toThrow(
      'spec.circle: Invalid value: "": may only be specified when `type` is "Circle"',
    )
    const lenient = new FieldManager({ types, clock: clockFrom(), unions: "kep-2022", validateUnions: false })
    const { object, unions } = lenient.update(undefined, both, { manager: "a" })
    expect([object.spec, unions]).toEqual([both.spec, []])
    expect(owners(object)).toEqual([
      "a Update g/v1: .spec .spec.circle .spec.square .spec.type .spec.circle.r .spec.square.a",
    ])
  })

  it("clear the replaced member", () => {
    const manager = shapes("v4")
    const live = manager.apply(undefined, shape({ circle: { r: 1 }, color: "red" }), { manager: "a" }).object
    const { object, unions } = manager.apply(live, shape({ square: { a: 1 } }), { manager: "b", force: true })
    expect(object.spec).toEqual({ color: "red", square: { a: 1 }, type: "Square" })
    expect(owners(object)).toEqual(["a Apply g/v1: .spec.color", "b Apply g/v1: .spec.type .spec.square.a"])
    expect(unions).toMatchObject([{ cleared: [{ field: "circle" }] }])
  })

  it("are named as the cause of a conflict", () => {
    const manager = shapes("v4")
    const live = manager.apply(undefined, shape({ circle: { r: 1 } }), { manager: "a" }).object
    const attempt = manager.tryApply(live, shape({ square: { a: 1 } }), { manager: "b" })
    expect(attempt.ok || attempt.error).toMatchObject({
      conflicts: [{ union: { effect: "implied", member: "square", policy: "v4" } }],
    })
    expect(attempt.ok || statusOf(attempt.error)).toMatchObject({
      message: 'Apply failed with 1 conflict: conflict with "a": .spec.type',
      details: {
        causes: [{ field: ".spec.type", message: 'conflict with "a": implied by .spec.square (union policy v4)' }],
      },
    })
  })

  it("have conflicts about the discriminator", () => {
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

  it("return the object itself if an apply changes nothing", () => {
    const manager = shapes("v4")
    const live = manager.apply(undefined, shape({ circle: { r: 1 } }), { manager: "a" }).object
    expect(manager.apply(live, shape({ circle: { r: 1 } }), { manager: "a" }).object).toBe(live)
  })

  it("are not settled in fields that belong to before-first-apply", () => {
    const live: Thing = { ...shape({ circle: {}, square: {} }), metadata: { name: "s", uid: "1" } }
    const { object } = shapes("v4").apply(live, shape({ color: "red" }), { manager: "a" })
    expect(object.spec).toEqual({ circle: {}, square: {}, color: "red" })
  })
})

/** The unions of `schema` in full, for validation. */
const strictSchema: Schema = {
  types: schema.types.map(type =>
    type.name !== "Spec" || type.map === undefined
      ? type
      : {
          ...type,
          map: { ...type.map, unions: type.map.unions?.map(union => ({ ...union, emptyValues: ["None"] })) ?? [] },
        },
  ),
}
const strict = (options: Partial<FieldManagerOptions> = {}) =>
  new FieldManager({
    types: { find: () => ({ schema: strictSchema, typeName: "Shape" }) },
    clock: clockFrom(),
    unions: "kep-2022",
    ...options,
  })

describe("unions that are invalid in the result", () => {
  const both = shape({ type: "Circle", circle: { r: 1 }, square: { a: 1 } })
  const invalid = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: 'Shape.g "s" is invalid: spec.square: Invalid value: "": may only be specified when `type` is "Square"',
    reason: "Invalid",
    details: {
      name: "s",
      group: "g",
      kind: "Shape",
      causes: [
        {
          reason: "FieldValueInvalid",
          message: 'Invalid value: "": may only be specified when `type` is "Square"',
          field: "spec.square",
        },
      ],
    },
    code: 422,
  }
  const statusOfThrown = (run: () => unknown) => {
    try {
      run()
    } catch (error) {
      if (error instanceof InvalidError) return error.toStatus()
      throw error
    }
    return undefined
  }

  it("fail every request that would store them, with the error of an API server", () => {
    const manager = strict()
    const live = manager.apply(undefined, shape({ type: "Circle", circle: { r: 1 } }), { manager: "a" }).object
    const update = { ...live, spec: both.spec as Value } as Thing
    expect(statusOfThrown(() => manager.apply(live, both, { manager: "a", force: true }))).toEqual(invalid)
    const created = shape({ square: { a: 1 } })
    expect(statusOfThrown(() => manager.apply(undefined, created, { manager: "a" }))).toEqual(invalid)
    expect(statusOfThrown(() => manager.update(undefined, created, { manager: "a" }))).toEqual(invalid)
    expect(statusOfThrown(() => manager.update(live, update, { manager: "a" }))).toEqual(invalid)
    expect(statusOfThrown(() => manager.updateLeniently(live, update, { manager: "a" }))).toEqual(invalid)
    expect(statusOfThrown(() => manager.update(live, update, { manager: "a", subresource: "status" }))).toEqual(invalid)
    const attempt = manager.tryApply(live, both, { manager: "a" })
    expect(attempt.ok || attempt.error).toBeInstanceOf(InvalidError)
  })

  it("fail an update of an object that is not tracked", () => {
    const live = { ...shape({ type: "Circle", circle: { r: 1 } }), metadata: { name: "s", uid: "1" } }
    const next = { ...live, spec: both.spec as Value }
    expect(statusOfThrown(() => strict().update(live, next, { manager: "u" }))).toEqual(invalid)
    const switched = { ...live, spec: { type: "Square", circle: { r: 1 }, square: { a: 1 } } }
    const { object, unions } = strict().update(live, switched, { manager: "u" })
    expect(object).toEqual({ ...live, spec: { type: "Square", square: { a: 1 } } })
    expect(unions).toHaveLength(1)
  })

  it("fail an update of such an object even inside an atomic list, where nothing is settled", () => {
    const inList: Schema = {
      types: strictSchema.types.map(type =>
        type.name !== "Shape" || type.map === undefined
          ? type
          : {
              ...type,
              map: {
                fields: (type.map.fields ?? []).map(field => {
                  const list = { elementType: field.type, elementRelationship: "atomic" as const }
                  return field.name === "spec" ? { name: "spec", type: { list } } : field
                }),
              },
            },
      ),
    }
    const live = { ...shape({}), spec: [], metadata: { name: "s", uid: "1" } }
    const next = { ...live, spec: [both.spec as Value] }
    const update = (options: Partial<FieldManagerOptions>) => {
      const types = { find: () => ({ schema: inList, typeName: "Shape" }) }
      return new FieldManager({ types, clock: clockFrom(), ...options }).update(live, next, { manager: "u" }).object
    }
    expect(() => update({ unions: "extended" })).toThrow(InvalidError)
    expect(update({ unions: "extended", validateUnions: false })).toEqual(next)
    expect(update({ unions: "v4" })).toEqual(next)
  })

  it("have several causes, without a name and a group if there are none", () => {
    const config = { apiVersion: "v1", kind: "Shape", metadata: {}, spec: { type: "", square: { a: 1 } } }
    const status = statusOfThrown(() => strict().apply(undefined, config, { manager: "a" }))
    expect(Object.keys(status?.details ?? {})).toEqual(["kind", "causes"])
    expect(status).toMatchObject({
      message:
        'Shape "" is invalid: [spec.type: Unsupported value: "": supported values: "Circle", "Square", "None", ' +
        'spec.square: Invalid value: "": may only be specified when `type` is "Square"]',
      details: { kind: "Shape", causes: [{ reason: "FieldValueNotSupported", field: "spec.type" }, {}] },
    })
  })

  it("come after conflicts", () => {
    const manager = strict()
    const live = manager.apply(undefined, shape({ type: "Circle", circle: { r: 1 }, color: "red" }), {
      manager: "a",
    }).object
    const attempt = manager.tryApply(live, shape({ square: { a: 1 }, color: "blue" }), { manager: "b" })
    expect(attempt.ok || attempt.error).toBeInstanceOf(ApplyConflictError)
  })

  it("may be made valid by defaults", () => {
    const defaults = (object: MapValue): MapValue => ({
      ...object,
      spec: { type: "Square", ...(object.spec as MapValue) },
    })
    expect(strict().tryApply(undefined, shape({ square: { a: 1 } }), { manager: "a" }).ok).toBe(false)
    const { object } = strict({ defaults }).apply(undefined, shape({ square: { a: 1 } }), { manager: "a" })
    expect(object.spec).toEqual({ type: "Square", square: { a: 1 } })
  })

  it("pass in the root of an object only if they were invalid before", () => {
    const rootSchema: Schema = {
      types: strictSchema.types.map(type =>
        type.name === "Shape" && type.map !== undefined
          ? {
              ...type,
              map: {
                ...type.map,
                fields: [...(type.map.fields ?? []), { name: "data", type: { namedType: "__untyped_deduced_" } }],
                unions: [{ cardinality: "exactlyOne", fields: [{ fieldName: "spec" }, { fieldName: "data" }] }],
              },
            }
          : type,
      ),
    }
    const manager = strict({ unions: "extended", types: { find: () => ({ schema: rootSchema, typeName: "Shape" }) } })
    const empty = { apiVersion: "g/v1", kind: "Shape", metadata: { name: "s" } }
    expect(manager.tryApply(undefined, empty, { manager: "a" }).ok).toBe(false)
    expect(manager.tryApply(empty, { ...empty, metadata: { name: "s", labels: {} } }, { manager: "a" }).ok).toBe(true)
  })

  it("are left to the caller with validateUnions: false", () => {
    const created = shape({ square: { a: 1 } })
    const { object } = strict({ validateUnions: false }).apply(undefined, created, { manager: "a" })
    expect(object.spec).toEqual(created.spec)
    const updated = strict({ validateUnions: false }).update(undefined, created, { manager: "a" })
    expect(updated.object.spec).toEqual(created.spec)
  })

  it("pass in fields that belong to before-first-apply", () => {
    const live = { ...both, metadata: { name: "s", uid: "1" } }
    const valid = shape({ type: "Circle", circle: { r: 1 }, square: null })
    const attempt = strict().tryApply(live, valid, { manager: "a" })
    expect(attempt.ok || attempt.error.message).toBe(invalid.message)
    const mended = strict().apply({ ...live, spec: { square: { a: 1 } } }, shape({ type: "Square" }), { manager: "a" })
    expect(mended.object.spec).toEqual({ square: { a: 1 }, type: "Square" })
  })

  it("that can't be settled are also invalid", () => {
    const manager = shapes("v4")
    const expected = {
      message:
        'Shape.g "s" is invalid: spec: Invalid value: "": applied discriminator (Circle) doesn\'t match applied field (square)',
      details: { causes: [{ reason: "FieldValueInvalid", field: "spec" }] },
      code: 422,
    }
    const config = shape({ type: "Circle", square: {} })
    expect(statusOfThrown(() => manager.apply(undefined, config, { manager: "a" }))).toMatchObject(expected)
    const update = statusOfThrown(() => manager.update(undefined, both, { manager: "a" }))
    expect(update).toMatchObject({ details: { causes: [{ field: "spec" }] }, code: 422 })
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

  it("keeps a discriminator that the engine does not write", () => {
    const manager = shapes("v4")
    const live = manager.apply(undefined, shape({ type: "None" }), { manager: "a" }).object
    expect(manager.extract(live, { manager: "a" })?.spec).toEqual({ type: "None" })
  })

  it("keeps it if unions are off", () => {
    const manager = shapes("off")
    const live = manager.apply(undefined, shape({ type: "Circle", circle: {} }), { manager: "a" }).object
    expect(manager.extract(live, { manager: "a" })?.spec).toEqual({ type: "Circle", circle: {} })
  })

  it("keeps everything if members contradict each other", () => {
    const both = shape({ type: "Circle", circle: {}, square: {} })
    const live = shapes("off").apply(undefined, both, { manager: "a" }).object
    expect(shapes().extract(live, { manager: "a" })?.spec).toEqual({ type: "Circle", circle: {}, square: {} })
  })
})
