/** An undefined option counts as absent: for the compiler, with exactOptionalPropertyTypes, and at run time. */
import { expect, it } from "vitest"
import { type ApiServerOptions, createApiServer } from "../src/apiserver/index.js"
import { type GoTypesOptions, readGoTypes } from "../src/gotypes/index.js"
import { deducedType, noManagers, TypedValue, Updater, type UpdaterOptions } from "../src/index.js"
import { kubernetes } from "../src/kinds/index.js"
import {
  type ApplyOptions,
  type ExtractOptions,
  extract,
  FieldManager,
  type FieldManagerOptions,
} from "../src/managedfields/index.js"
import { type ConversionOptions, schemaFromOpenAPIv3 } from "../src/openapi/index.js"
import { Applier, type ApplierApplyOptions, type ApplierOptions } from "../src/tools/controller/index.js"
import { type LintObjectOptions, lintObject } from "../src/tools/lint/index.js"
import { type TransferOptions, transfer, type UpgradeOptions, upgrade } from "../src/tools/managers/index.js"
import {
  blame,
  type ExplainRequest,
  explain,
  type PlanAllRequest,
  type PlanRequest,
  plan,
  planAll,
  resolve,
} from "../src/tools/ownership/index.js"
import {
  type ApplyStepOptions,
  type ObjectRef,
  type SimulationOptions,
  simulate,
} from "../src/tools/simulator/index.js"
import { normalizeUnions, type UnionOptions } from "../src/union/index.js"
import { compileRules, type ValidatorOptions } from "../src/validation/index.js"
import type { MapValue } from "../src/value/value.js"
import { configMap as configMapOf } from "./support/config-map.js"

/** The optional members of a type, each undefined. */
type Undefined<T> = { [K in keyof T as Partial<Pick<T, K>> extends Pick<T, K> ? K : never]-?: undefined }

/** These options, undefined. The type has all optional members of T, so a call does not compile if one of them refuses undefined. */
function noOptions<T extends object>(...names: readonly (keyof Undefined<T> & string)[]): Undefined<T> {
  return Object.fromEntries(names.map(name => [name, undefined])) as unknown as Undefined<T>
}

const clock = () => new Date("2026-01-01T00:00:00Z")
const types = kubernetes
const configMap = (data: MapValue) => configMapOf("settings", data, { namespace: "default" })
const fields = ["kind", "converter", "hub", "resetFields", "defaults", "prepare", "keepTimes", "unions"] as const
const noFields = noOptions<FieldManagerOptions>(...fields, "validateUnions")
const manager = new FieldManager({ types, clock })
const { object: live } = manager.apply(undefined, configMap({ a: "1", b: "1" }), { manager: "web" })

it("in an Updater", () => {
  const of = (value: { readonly a?: number; readonly b?: number }) => TypedValue.of(value, deducedType(), {})
  const run = (options: Undefined<UpdaterOptions> | object, request: object) => {
    const updater = new Updater(options)
    const bob = { manager: "bob", apiVersion: "v1", managers: noManagers }
    const { object, managers } = updater.apply(of({ a: 1 }), of({ b: 2 }), { ...bob, ...request })
    return [object.value, managers]
  }
  const options = noOptions<UpdaterOptions>(
    "converter",
    "ignoredFields",
    "ignoreFilters",
    "returnInputOnNoop",
    "unions",
  )
  expect(run({ ...options, validateUnions: undefined }, { force: undefined, unions: undefined })).toEqual(run({}, {}))
})

it("in a FieldManager", () => {
  const run = (options: Undefined<FieldManagerOptions>, request: Undefined<ApplyOptions>) => {
    const manager = new FieldManager({ types, ...options, clock })
    const applied = manager.apply(live, configMap({ a: "1" }), { manager: "web", ...request })
    const update = { manager: "hpa", subresource: request.subresource }
    const { object } = manager.update(applied.object, configMap({ a: "2" }), update)
    return [object, manager.extract(object, { manager: "web" })]
  }
  const absent = {} as Undefined<FieldManagerOptions & ApplyOptions>
  expect(run(noFields, noOptions<ApplyOptions>("force", "subresource"))).toEqual(run(absent, absent))
  const nothing = noOptions<ExtractOptions>("subresource", "unions")
  expect(extract(live, { types, manager: "web", ...nothing })).toEqual(extract(live, { types, manager: "web" }))
})

it("in plans", () => {
  const request = { types, manager: "ops", clock }
  const none = { ...noFields, ...noOptions<PlanRequest>("force", "source", "subresource"), clock }
  const one: Undefined<Omit<ExplainRequest, "clock">> = none
  const next = configMap({ a: "2" })
  expect(plan(live, next, { types, manager: "ops", ...none })).toEqual(plan(live, next, request))
  expect(explain(live, next, { types, manager: "ops", ...one, clock })).toEqual(explain(live, next, request))
  const onConflict = "share" as const
  expect(resolve(live, next, { ...request, ...none, onConflict })).toEqual(
    resolve(live, next, { ...request, onConflict }),
  )
  const all = noOptions<PlanAllRequest>("namespace", "prune", "force", "subresource")
  expect(planAll([next], [live], { types, manager: "ops", ...all, clock })).toEqual(planAll([next], [live], request))
  const prune = { manager: undefined, selector: undefined }
  expect(planAll([], [live], { ...request, prune })).toEqual(planAll([], [live], { ...request, prune: {} }))
  expect(blame(live, { types: undefined })).toEqual(blame(live))
})

it("in operations on managers and in lint", () => {
  const selection = ["operation", "subresource", "apiVersion", "paths", "toOperation", "toVersion"] as const
  const none = { ...noFields, ...noOptions<TransferOptions>(...selection, "types", "guard"), clock }
  expect(transfer(live, { from: "web", to: "ops", ...none })).toEqual(transfer(live, { from: "web", to: "ops", clock }))
  const csa = { ...noFields, ...noOptions<UpgradeOptions>("ssaManager", "csaManagers", "types", "guard"), clock }
  expect(upgrade(live, csa)).toEqual(upgrade(live, { clock }))
  const options = noOptions<LintObjectOptions>("types", "maxEntries", "maxBytes", "maxShare")
  expect(lintObject(live, options)).toEqual(lintObject(live))
})

it("in an Applier and a test API server", async () => {
  const run = async (
    options: Undefined<Omit<ApplierOptions, "clock">>,
    apply: Undefined<ApplierApplyOptions>,
    server: Undefined<Omit<ApiServerOptions, "clock">>,
  ) => {
    const { fetch } = createApiServer({ ...server, clock })
    const path = "http://a/api/v1/namespaces/default/configmaps/settings?fieldManager=web"
    const headers = { "content-type": "application/apply-patch+yaml" }
    const send = async ({ config }: { readonly config: object }) => {
      return (await (
        await fetch(new Request(path, { method: "PATCH", headers, body: JSON.stringify(config) }))
      ).json()) as object
    }
    const applier = new Applier({ manager: "web", types, send, ...options, clock })
    const first = await applier.apply(undefined, configMap({ a: "1" }), apply)
    const { reason } = await applier.apply(first.object, configMap({ a: "1" }), apply)
    return [{ ...first.object, metadata: {} }, reason]
  }
  const limits = ["resetFields", "unions", "rememberFor", "recheckAfter", "maxObjects", "warn"] as const
  const parts = ["types", "crds", "objects", "unions", "defaults", "admit", "validate", "openapi", "readOnly"] as const
  const absent = {} as Undefined<Omit<ApplierOptions, "types"> & ApplierApplyOptions & ApiServerOptions>
  expect(
    await run(
      noOptions<ApplierOptions>(...limits),
      noOptions<ApplierApplyOptions>("force", "onConflict", "subresource"),
      noOptions<ApiServerOptions>(...parts, "history"),
    ),
  ).toEqual(await run(absent, absent, absent))
})

it("in a simulation", () => {
  const run = (
    options: Undefined<Omit<SimulationOptions, "clock">>,
    request: Undefined<ApplyStepOptions>,
    object: Undefined<Exclude<ObjectRef, string>>,
    asked: { readonly manager?: undefined },
  ) => {
    const simulation = simulate({ types, ...options, clock })
    simulation.apply("web", configMap({ a: "1" }), request)
    simulation.controller("hpa", () => ({ ...asked, ...request, apply: configMap({ b: "2" }) }))
    simulation.settle()
    simulation.delete({ ...object, name: "settings" })
    return simulation.steps.map(({ manager, outcome, after }) => [manager, outcome, after])
  }
  const world = ["converter", "hub", "unions", "resetFields", "defaults", "objects", "schemas"] as const
  const request = noOptions<ApplyStepOptions>("force", "onConflict", "subresource", "time")
  const object = noOptions<Exclude<ObjectRef, string>>("apiVersion", "kind", "namespace")
  const absent = {} as Undefined<SimulationOptions & ApplyStepOptions & Exclude<ObjectRef, string>>
  const played = run(noOptions<SimulationOptions>(...world), request, object, { manager: undefined })
  expect(played).toEqual(run(absent, absent, absent, {}))
})

it("in what reads and validates", async () => {
  const source = { "types.go": 'package v1\n\ntype Widget struct {\n\tSize int32 `json:"size"`\n}\n' }
  const go = ["path", "resolve", "types", "group", "dialect", "deduce", "unionExtension"] as const
  expect((await readGoTypes(source, noOptions<GoTypesOptions>(...go))).schema).toEqual(
    (await readGoTypes(source)).schema,
  )
  const document = {
    openapi: "3.0.0",
    components: { schemas: { a: { type: "object", properties: { b: { type: "string" } } } } },
  }
  const conversion = noOptions<ConversionOptions>("name", "preserveUnknownFields", "unionMode", "deduce")
  expect(schemaFromOpenAPIv3(document, conversion)).toEqual(schemaFromOpenAPIv3(document))
  const value = TypedValue.of({ a: 1 }, deducedType(), { allowDuplicates: undefined })
  expect(normalizeUnions(value, value, noOptions<UnionOptions>("policy"))).toEqual(normalizeUnions(value, value))
  const rules = [{ tag: "minimum", value: 1 }]
  const widget = { types: { Widget: { fields: [{ name: "Size", json: "size", type: "int32", rules }] } } }
  const { validate } = compileRules(widget, "Widget")
  const none = noOptions<ValidatorOptions>("options", "subresource")
  expect(validate({ size: 0 }, undefined, none)).toEqual(validate({ size: 0 }))
})
