/** Unions defined in code: what they become, and what the compiler refuses. */
import { describe, expect, it } from "vitest"
import { SchemaError } from "../../src/errors.js"
import { parseSchema } from "../../src/typed/parser.js"
import { compileSchema } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { union } from "../../src/union/define.js"
import { normalizeUnions } from "../../src/union/normalize.js"
import { applyUnionOverlay } from "../../src/union/overlay.js"

interface Strategy {
  readonly type?: "RollingUpdate" | "Recreate" | "Canary" | undefined
  readonly rollingUpdate?: { readonly maxSurge?: number }
  readonly canary?: { readonly share?: number }
  readonly replicas?: number
}

/** A type of a struct whose discriminator is any string, as those of @kubernetes/client-node are. */
class Backup {
  target?: string
  bucket?: object
  volume?: object
}

interface Status {
  readonly conditions?: readonly { readonly type: "Approved" | "Denied"; readonly reason?: string }[]
  readonly others?: readonly { readonly type: string }[]
  readonly names?: readonly string[]
}

/** For what the compiler refuses and nothing else would: it must compile, and is never called. */
const compileOnly = (_: () => unknown): void => {}

describe("union", () => {
  it("returns the members with their values in the given order", () => {
    const made = union<Strategy>({
      discriminator: "type",
      deduceInvalidDiscriminator: true,
      members: { rollingUpdate: { value: "RollingUpdate", optional: true }, canary: "Canary" },
      emptyValues: ["Recreate"],
      noneValue: "",
      values: ["", "RollingUpdate", "Canary", "Recreate"],
      cardinality: "atMostOne",
    })
    expect(made).toEqual({
      discriminator: "type",
      deduceInvalidDiscriminator: true,
      fields: [
        { fieldName: "rollingUpdate", discriminatorValue: "RollingUpdate", optional: true },
        { fieldName: "canary", discriminatorValue: "Canary" },
      ],
      emptyValues: ["Recreate"],
      noneValue: "",
      values: ["", "RollingUpdate", "Canary", "Recreate"],
      cardinality: "atMostOne",
    })
  })

  it("accepts the keys of list items", () => {
    const expected = {
      fields: [
        { fieldName: "conditions", item: { type: "Approved" } },
        { fieldName: "conditions", item: { type: "Denied" } },
      ],
      cardinality: "atMostOne",
    }
    const members = { conditions: [{ type: "Approved" }, { type: "Denied" }] } as const
    expect(union<Status>({ members, cardinality: "atMostOne" })).toEqual(expected)
    expect(union({ members, cardinality: "atMostOne" })).toEqual(expected)
    expect(() => union({ members: { conditions: [{ type: "A" }, { type: "A" }] } })).toThrow(
      new SchemaError('invalid union: field conditions[type="A"] occurs twice'),
    )
    expect(() => union<Status>({ members: { conditions: [{ type: "Approved" }], others: [{ type: "x" }] } })).toThrow(
      "all items must be in one list",
    )
  })

  it("accepts a list of fields without a discriminator, or the options of each field", () => {
    expect(union({ members: ["a", "b"], cardinality: "exactlyOne" })).toEqual({
      fields: [{ fieldName: "a" }, { fieldName: "b" }],
      cardinality: "exactlyOne",
    })
    expect(union({ name: "when", members: { cron: { zeroIsUnset: true }, interval: {} } })).toEqual({
      name: "when",
      fields: [{ fieldName: "cron", zeroIsUnset: true }, { fieldName: "interval" }],
    })
  })

  it("fits schemas and overlays", () => {
    const shape = union({ discriminator: "kind", members: { circle: "Circle", square: "Square" } })
    const fields = ["kind", "circle", "square"].map(name => ({ name, type: { scalar: "string" } as const }))
    const bare = { types: [{ name: "shape", map: { fields } }] }
    const held = parseSchema({ types: [{ name: "shape", map: { fields, unions: [shape] } }] } as never)
    expect(applyUnionOverlay(bare, { types: [{ name: "shape", unions: [shape] }] })).toEqual(held)
    const type = compileSchema(held).type("shape")
    const old = TypedValue.of({ kind: "Circle", circle: "c" }, type)
    const next = TypedValue.of({ kind: "Square", circle: "c", square: "s" }, type)
    expect(normalizeUnions(old, next).object.value).toEqual({ kind: "Square", square: "s" })
  })

  it.each([
    [() => union({ members: [] }), "there are no members"],
    [() => union({ members: ["a", "a"] }), "field a occurs twice"],
    [() => union({ discriminator: "type", members: { a: "A", b: "A" } }), 'value "A" is given to a and to b'],
    [() => union({ discriminator: "type", members: { type: "T" } }), "field type occurs twice"],
    [() => union({ members: ["a"], noneValue: "" } as never), "noneValue has no effect without a discriminator"],
  ])("refuses unions that no struct could have: %s", (make, problem) => {
    expect(make).toThrow(new SchemaError(`invalid union: ${problem}`))
  })

  it("is checked by the compiler", () => {
    compileOnly(() => [
      union<Backup>({ discriminator: "target", members: { bucket: "Bucket", volume: "Volume" } }),
      union<Strategy>({ members: ["rollingUpdate", "canary"] }),
      union<Strategy>({ members: { replicas: { zeroIsUnset: true } } }),
      // @ts-expect-error The list has no items with such a key.
      union<Status>({ members: { conditions: [{ kind: "Approved" }] } }),
      // @ts-expect-error The key has no such value.
      union<Status>({ members: { conditions: [{ type: "Other" }] } }),
      // @ts-expect-error This is not a list of structs.
      union<Status>({ members: { names: [{ type: "Approved" }] } }),
      // @ts-expect-error This option does not exist.
      union({ discriminator: "type", members: { a: "A" }, emptyValue: "B" }),
      // @ts-expect-error A union without a discriminator has no values.
      union({ members: ["a", "b"], emptyValues: ["C"] }),
      // @ts-expect-error Nor may a member be absent while it is selected.
      union({ members: { a: { optional: true } } }),
      // @ts-expect-error A member needs the value that selects it.
      union({ discriminator: "type", members: { a: { optional: true } } }),
      // @ts-expect-error A struct has no such field.
      union<Strategy>({ discriminator: "type", members: { rollingUpdates: "RollingUpdate" } }),
      // @ts-expect-error Nor such a discriminator.
      union<Strategy>({ discriminator: "kind", members: { rollingUpdate: "RollingUpdate" } }),
      // @ts-expect-error This field holds no string.
      union<Strategy>({ discriminator: "replicas", members: { rollingUpdate: "RollingUpdate" } }),
      // @ts-expect-error The discriminator is not a member.
      union<Strategy>({ discriminator: "type", members: { type: "RollingUpdate" } }),
      // @ts-expect-error The discriminator can't have this value.
      union<Strategy>({ discriminator: "type", members: { rollingUpdate: "Rolling" } }),
      // @ts-expect-error Nor this one.
      union<Strategy>({ discriminator: "type", members: { canary: "Canary" }, emptyValues: ["Blue"] }),
      // @ts-expect-error The struct does not have this field.
      union<Strategy>({ members: ["rollingUpdate", "blue"] }),
      // @ts-expect-error One has to be set, or at most one.
      union<Strategy>({ members: ["rollingUpdate"], cardinality: "one" }),
    ])
  })
})
