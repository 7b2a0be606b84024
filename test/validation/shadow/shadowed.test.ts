/** Feature gates decide which of two validators has authority, even if they change. */
import { beforeEach, describe, expect, it } from "vitest"
import { compileRules } from "../../../src/validation/compile.js"
import type { FieldError } from "../../../src/validation/rules/report.js"
import type { HandwrittenError, Mismatch } from "../../../src/validation/shadow/compare.js"
import { ValidationMetrics } from "../../../src/validation/shadow/metrics.js"
import { type ShadowOptions, shadowed, type ValidationGates } from "../../../src/validation/shadow/shadowed.js"
import { own } from "../../../src/value/object.js"
import { isMap, type Value } from "../../../src/value/value.js"
import { samplesOf } from "./samples.js"

/** A handwritten validator. The size must be at least 0. */
const handwritten: ShadowOptions["handwritten"] = {
  validate(next) {
    const size = sizeOf(next)
    return size < 0 ? [{ ...invalid("size", size), coveredByDeclarative: true }] : []
  },
}

function sizeOf(widget: Value): number {
  const size = isMap(widget) ? own(widget, "size") : undefined
  return typeof size === "number" ? size : 0
}

function invalid(field: string, badValue: Value): HandwrittenError {
  return {
    type: "FieldValueInvalid",
    field,
    badValue,
    detail: "must be greater than or equal to 0",
    origin: "minimum",
  }
}

/** A declarative validator. The size must be at least `minimum`, by a rule of this level. */
function declared(minimum: number, level?: "alpha" | "beta") {
  const rule = { tag: "minimum", value: minimum }
  const rules = [level === undefined ? rule : { tag: level, payload: rule }]
  return compileRules(
    { types: { Widget: { fields: [{ name: "Size", json: "size", type: "int32", rules }] } } },
    "Widget",
  )
}

const broken: ShadowOptions["declarative"] = {
  validate() {
    throw new TypeError("x is not a function")
  },
}

let mismatches: Mismatch[]
let metrics: ValidationMetrics
let gates: { -readonly [Name in keyof ValidationGates]: ValidationGates[Name] }

beforeEach(() => {
  mismatches = []
  metrics = new ValidationMetrics()
  gates = {}
})

function widgets(declarative: ShadowOptions["declarative"], options: Partial<ShadowOptions> = {}) {
  return shadowed({
    handwritten,
    declarative,
    gates,
    kind: "Widget",
    onMismatch: mismatch => mismatches.push(mismatch),
    metrics,
    ...options,
  })
}

/** Returns the source of each error. Only handwritten errors have `coveredByDeclarative`. */
function sources(errors: readonly FieldError[]): string[] {
  return errors.map(error => ("coveredByDeclarative" in error ? "handwritten" : (error.level ?? "standard")))
}

describe("the level of a rule", () => {
  it.each([
    ["alpha", {}, ["handwritten"]],
    ["beta", {}, ["beta"]],
    ["beta", { DeclarativeValidationBeta: false }, ["handwritten"]],
    ["beta", { DeclarativeValidation: false }, ["beta"]],
    [undefined, {}, ["handwritten", "standard"]],
    [undefined, { DeclarativeValidationBeta: false }, ["handwritten", "standard"]],
  ] as const)("%s decides which validator has authority with the gates %j", (level, given, expected) => {
    Object.assign(gates, given)
    expect(sources(widgets(declared(0, level)).validate({ size: -1 }))).toEqual(expected)
  })

  it("decides whether errors that only rules find are reported", () => {
    const found = (level?: "alpha" | "beta") => sources(widgets(declared(5, level)).validate({ size: 3 }))
    expect([found("alpha"), found("beta"), found()]).toEqual([[], ["beta"], ["standard"]])
    expect(mismatches.map(({ kind, error }) => [kind, error.level])).toEqual([
      ["extra", "alpha"],
      ["extra", "beta"],
    ])
  })

  it("keeps handwritten errors that no rule finds", () => {
    expect(sources(widgets(declared(-5, "beta")).validate({ size: -1 }))).toEqual(["handwritten"])
    expect(mismatches.map(({ kind }) => kind)).toEqual(["unmatched"])
  })
})

describe("the gate for all rules at once", () => {
  it.each([
    [true, true, ["beta"]],
    [true, false, ["handwritten"]],
    [false, true, ["handwritten"]],
    [false, false, ["handwritten"]],
  ])("with DeclarativeValidation %s and DeclarativeValidationTakeover %s", (compares, takeover, expected) => {
    Object.assign(gates, { DeclarativeValidation: compares, DeclarativeValidationTakeover: takeover })
    expect(sources(widgets(declared(0, "beta")).validate({ size: -1 }))).toEqual(expected)
  })

  it("has no effect without DeclarativeValidation: rules do not even run", () => {
    Object.assign(gates, { DeclarativeValidation: false, DeclarativeValidationTakeover: true })
    expect(widgets(broken).validate({ size: 1 })).toEqual([])
    expect(samplesOf(metrics.text())).toEqual({
      apiserver_validation_declarative_validation_mismatch_total: 0,
      apiserver_validation_declarative_validation_panic_total: 0,
    })
  })
})

describe("an exception of the declarative validator", () => {
  const failure = {
    type: "InternalError",
    field: "",
    detail: "panic during declarative validation: x is not a function",
    origin: "",
    badValue: {},
  }

  it.each([
    ["is dropped if the handwritten one has authority", false, []],
    ["is an error if the declarative one has authority", true, [failure]],
  ])("%s", (_, takeover, expected) => {
    gates.DeclarativeValidationTakeover = takeover
    expect(widgets(broken).validate({ size: 1 })).toEqual(expected)
  })

  it("is an error with levels, since rules without a level have authority", () => {
    expect(widgets(broken).validate({ size: -1 })).toEqual([
      { ...invalid("size", -1), coveredByDeclarative: true },
      failure,
    ])
  })

  it("is counted and passed to onPanic", () => {
    const thrown: unknown[] = []
    const onPanic = (error: unknown, identifier: string) => thrown.push(`${identifier}: ${error}`)
    widgets(broken, { onPanic }).validate({}, {}, { subresource: "status" })
    expect(thrown).toEqual(["widget_status_update: TypeError: x is not a function"])
    expect(samplesOf(metrics.text())).toEqual({
      apiserver_validation_declarative_validation_mismatch_total: 0,
      apiserver_validation_declarative_validation_panic_total: 1,
      'apiserver_validation_declarative_validation_panics_total{validation_identifier="widget_status_update"}': 1,
    })
  })

  it("is reported even if it is not an Error", () => {
    const text = { toString: () => "no more memory" }
    const declarative = {
      validate() {
        throw text
      },
    }
    const [error] = widgets(declarative, { handwritten: { validate: () => [] } }).validate({})
    expect(error?.detail).toBe("panic during declarative validation: no more memory")
  })
})

it("passes on exceptions of the handwritten validator", () => {
  const validator = widgets(declared(0), { handwritten: { validate: broken.validate as () => [] } })
  expect(() => validator.validate({})).toThrow("x is not a function")
})

describe("mismatches", () => {
  it("are counted by kind, subresource and operation", () => {
    const validator = widgets(declared(5, "beta"))
    validator.validate({ size: 1 })
    validator.validate({ size: 2 }, { size: 1 })
    validator.validate({ size: 3 }, null)
    widgets(declared(5, "alpha"), { kind: "" }).validate({ size: 3 })
    expect(metrics.text()).toBe(
      [
        "# HELP apiserver_validation_declarative_validation_mismatch_total Errors that only one of handwritten and declarative validation found.",
        "# TYPE apiserver_validation_declarative_validation_mismatch_total counter",
        "apiserver_validation_declarative_validation_mismatch_total 4",
        "# HELP apiserver_validation_declarative_validation_panic_total Exceptions that declarative validation threw.",
        "# TYPE apiserver_validation_declarative_validation_panic_total counter",
        "apiserver_validation_declarative_validation_panic_total 0",
        "# HELP apiserver_validation_declarative_validation_parity_discrepancies_total Errors that only one of handwritten and declarative validation found, by what was validated.",
        "# TYPE apiserver_validation_declarative_validation_parity_discrepancies_total counter",
        'apiserver_validation_declarative_validation_parity_discrepancies_total{validation_identifier="unknown_resource_create"} 1',
        'apiserver_validation_declarative_validation_parity_discrepancies_total{validation_identifier="widget_create"} 2',
        'apiserver_validation_declarative_validation_parity_discrepancies_total{validation_identifier="widget_update"} 1',
        "# HELP apiserver_validation_declarative_validation_panics_total Exceptions that declarative validation threw, by what was validated.",
        "# TYPE apiserver_validation_declarative_validation_panics_total counter",
        "",
      ].join("\n"),
    )
  })

  it("are not searched while DeclarativeValidation is off", () => {
    gates.DeclarativeValidation = false
    widgets(declared(5, "beta")).validate({ size: 1 })
    expect(mismatches).toEqual([])
  })

  it("normalize paths with patterns of any flags without changing the patterns", () => {
    const pattern = /size/gy
    pattern.lastIndex = 3
    const old = { validate: () => [{ ...invalid("spec.size", -1), coveredByDeclarative: true }] }
    widgets(declared(0, "beta"), {
      handwritten: old,
      normalizations: [{ pattern, replacement: "spec.$&" }],
    }).validate({ size: -1 })
    expect(mismatches).toEqual([])
    expect(pattern.lastIndex).toBe(3)
  })
})

describe("rolling back", () => {
  // The author of the rule meant `minimum: 0`.
  const wrong = declared(-5)

  it("blocks updates of objects that the gate for all rules accepted", () => {
    const validator = widgets(wrong)
    Object.assign(gates, { DeclarativeValidation: true, DeclarativeValidationTakeover: true })
    const stored = { size: -1, color: "red" }
    expect(validator.validate(stored)).toEqual([])
    expect(mismatches.map(({ kind }) => kind)).toEqual(["unmatched"])

    gates.DeclarativeValidationTakeover = false
    const repainted = { size: -1, color: "blue" }
    expect(sources(validator.validate(repainted, stored))).toEqual(["handwritten"])
    expect(validator.validate({ size: 1, color: "blue" }, stored)).toEqual([])
  })

  it("is not needed with levels: objects that only handwritten validation refuses are still refused", () => {
    const validator = widgets(declared(-5, "beta"))
    for (const beta of [true, false]) {
      gates.DeclarativeValidationBeta = beta
      expect(sources(validator.validate({ size: -1 }))).toEqual(["handwritten"])
    }
  })

  it("accepts objects again for which a rule was too strict", () => {
    const validator = widgets(declared(5, "beta"))
    expect(sources(validator.validate({ size: 3 }))).toEqual(["beta"])
    gates.DeclarativeValidationBeta = false
    expect(validator.validate({ size: 3 })).toEqual([])
  })
})
