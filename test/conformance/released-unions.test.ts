/** The accidents of v4.3.0, with which requests with the policy `v4` are answered. */
import { expect, it } from "vitest"
import type { UnionError } from "../../src/errors.js"
import { fieldElement } from "../../src/fieldpath/create-element.js"
import { noManagers } from "../../src/fieldpath/managers.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import { Updater } from "../../src/merge/updater.js"
import { compileSchema } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { unionPolicies } from "../../src/union/policy.js"
import type { Value } from "../../src/value/value.js"
import { normalizeAsReleased, ReleasedUpdater } from "./released-unions.js"

const text = { scalar: "string" } as const
const oneOf = {
  fields: ["name", "a", "b"].map(name => ({ name, type: text })),
  unions: [{ fields: [{ fieldName: "a" }, { fieldName: "b" }] }],
}
const type = compileSchema({
  types: [
    {
      name: "object",
      map: {
        fields: [
          { name: "other", type: { scalar: "numeric" } },
          {
            name: "items",
            type: { list: { elementRelationship: "associative", keys: ["name"], elementType: { map: oneOf } } },
          },
        ],
      },
    },
  ],
}).type("object")
const { v4, extended } = unionPolicies

function typed(value: Value): TypedValue {
  return TypedValue.of(value, type, { allowDuplicates: true })
}

function problems(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return (error as UnionError).issues
  }
}

it("makes null of what is empty before and after", () => {
  expect(normalizeAsReleased(v4, typed({}), typed({})).object.value).toBe(null)
  expect(normalizeAsReleased(extended, typed({}), typed({})).object.value).toEqual({})
  expect(normalizeAsReleased(v4, typed({}), typed({ other: 1 })).object.value).toEqual({ other: 1 })
})

it("refuses duplicate items, of the new object and of the old one", () => {
  const next = typed({ items: [{ name: "x", a: "1", b: "1" }, { name: "x" }] })
  expect(problems(() => normalizeAsReleased(v4, typed({}), next))).toEqual([
    { path: '.items[name="x"]', message: "multiple fields set without discriminator change: a, b" },
    { path: ".items", message: 'duplicate entries for key [name="x"]' },
  ])
  const old = typed({ items: [{ name: "x" }, { name: "x" }] })
  expect(problems(() => normalizeAsReleased(v4, old, typed({})))).toEqual([
    { path: ".items", message: 'duplicate entries for key [name="x"]' },
  ])
})

it("loses an empty object in updates and applies, and stumbles over it the next time", () => {
  const updater = new ReleasedUpdater(new Updater(), v4)
  const request = { manager: "m", apiVersion: "v1", managers: noManagers }
  const { object } = updater.update(typed({}), typed({}), request)
  expect(object.value).toBe(null)
  const missing = "at least one of lhs and rhs must be provided"
  expect(() => updater.update(object, typed({}), request)).toThrow(`failed to compare objects: ${missing}`)
  expect(() => updater.apply(object, typed({}), request)).toThrow(`failed to merge config: ${missing}`)
  expect(updater.apply(typed({}), typed({}), request).object.value).toBe(null)
})

it("finds an ordinary null again where pruning converts what was lost to another version and back", () => {
  const converter = { convert: ({ value }: TypedValue) => typed(value) }
  const updater = new ReleasedUpdater(new Updater({ converter }), v4, converter)
  const last = { set: FieldSet.of([[fieldElement("other")]]), apiVersion: "v0", applied: true }
  const request = { manager: "m", apiVersion: "v1" }
  const { object } = updater.apply(typed({}), typed({}), { ...request, managers: new Map([["m", last]]) })
  expect(object.value).toBe(null)
  expect(updater.apply(object, typed({}), { ...request, managers: noManagers }).changed).toBe(false)
})
