/**
 * Calls every function, constructor and method that package.json exports with wrong arguments. The error must be one of the package, or a
 * TypeError or RangeError that names the argument, never an error that JavaScript throws somewhere inside.
 */
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { createApiServer, TestClock } from "../src/apiserver/index.js"
import * as core from "../src/index.js"
import * as io from "../src/io/index.js"
import * as kinds from "../src/kinds/index.js"
import { kubernetesTypes } from "../src/kubernetes/index.js"
import * as managedfields from "../src/managedfields/index.js"
import * as openapi from "../src/openapi/index.js"
import { applierProfiles } from "../src/tools/appliers/index.js"
import { Cluster, type ClusterFetch } from "../src/tools/cluster/index.js"
import { Applier } from "../src/tools/controller/index.js"
import * as managers from "../src/tools/managers/index.js"
import * as ownership from "../src/tools/ownership/index.js"
import * as simulator from "../src/tools/simulator/index.js"
import * as validation from "../src/validation/index.js"
import { definitionOf } from "./support/definition.js"
import { projectRoot, readEntries } from "./support/entries.js"
import { nestedMap } from "./value/samples.js"

/** Messages of JavaScript for a value that is not what the code takes it for. */
const raw =
  /Cannot (read|set|convert|destructure|use|create|delete|mix|access|assign|define)|is not (iterable|a function|a constructor|an object|extensible|defined)|Maximum call stack|called on (null|incompatible)|private (member|field|method)|Invalid (array length|string length|time value|code point|regular|count)|Receiver must|Method .* called|object null is not|argument must be|must be an? (instance|function|object)|circular structure|number [^ ]* is not iterable|Iterator|Generator|proxy|rest element|undefined is not|null is not|Right-hand side|Spread syntax|Found non-callable/

const cycle: Record<string, unknown> = {}
cycle.self = cycle
// biome-ignore lint/suspicious/noSparseArray: that is the point
const sparse = [, 1]
const bad: readonly unknown[] = [null, {}, "no", cycle, sparse]
const names = ["null", "{}", '"no"', "a cycle", "a list with a hole"]

/** Functions without arguments, functions of vitest, and functions that start something a test would have to end. */
const withoutArguments = new Set(["ApiServer", "ValidationMetrics", "defineOwnersView", "expect", "listen", "test"])

type Arguments = readonly unknown[]
type Row = () => Arguments | { readonly on: object; readonly args: Arguments }

const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data: { a: "1" } }
const manager = "gitops"
const writer = { manager, user: "ann", dryRun: true, subresource: "status", fieldValidation: "Strict" }
const types = kubernetesTypes
const live = new managedfields.FieldManager({ types }).apply(undefined, object, { manager: "kubectl" }).object
const changed = { ...object, data: { a: "2" } }
const entry = managedfields.readManagedFields(live)?.[0] as managedfields.ManagedFieldsEntry
const set = core.FieldSet.of([core.pathOf("data", "a")])
const path = core.pathOf("data", "a")
const element = core.fieldElement("data")
const schema: core.Schema = {
  types: [{ name: "root", map: { fields: [{ name: "a", type: { scalar: "string" } }] } }],
}
const type = core.compileSchema(schema).type("root")
const typed = core.TypedValue.of({ a: "1" }, type)
const other = core.TypedValue.of({ a: "2" }, type)
const versioned = new Map([["m", { set, apiVersion: "v1", applied: true }]])
const request = { manager, types }
const server = createApiServer()
const fetchFromServer: ClusterFetch = (path, init) => server.fetch(new Request(`http://x${path}`, init))
const address = {
  resource: {
    ...{ group: "", version: "v1", apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", singular: "configmap" },
    ...{ shortNames: ["cm"], categories: [], namespaced: true, verbs: ["get", "list"] },
  },
  namespace: "default",
  name: "web",
}
const crd = definitionOf("Widget", { schema: { properties: { spec: { type: "object" } } } })
const v3 = openapi.openAPIv3FromSchema(schema)
const v2 = {
  swagger: "2.0",
  info: { title: "x", version: "1" },
  paths: {},
  definitions: { "io.x.A": { type: "object" } },
}
const overlay = { types: [{ name: "root", unions: [{ fields: [{ fieldName: "a", discriminatorValue: "A" }] }] }] }
const rules = {
  types: { Widget: { fields: [{ name: "Size", json: "size", type: "int32", rules: [{ tag: "minimum", value: 1 }] }] } },
}
const simulation = () =>
  simulator.simulate({ types, objects: [live] }).controller("c", () => ({ apply: changed, force: true }))
const applyRequest = { apply: object, manager }
const story =
  "title: x\nobjects: []\nsteps:\n  - apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n    manager: m\n"
const validator = validation.compileRules(rules as never, "Widget")
const send = async () => live
const converter = () => new openapi.TypeConverter([{ document: v3 }])
const applier = () => new Applier({ manager, types, send })

const rows: Record<string, Record<string, Row>> = {
  ".": {
    "new Comparison": () => [set, set, set],
    "Comparison.filter": () => ({ on: new core.Comparison(set, set, set), args: [core.excludeFilter(set)] }),
    "FieldSet.of": () => [[path]],
    "FieldSet.has": () => ({ on: set, args: [path] }),
    "FieldSet.find": () => ({ on: set, args: [element] }),
    "FieldSet.withPrefix": () => ({ on: set, args: [element] }),
    "FieldSet.insert": () => ({ on: set, args: [path] }),
    "FieldSet.union": () => ({ on: set, args: [set] }),
    "FieldSet.intersection": () => ({ on: set, args: [set] }),
    "FieldSet.difference": () => ({ on: set, args: [set] }),
    "FieldSet.recursiveDifference": () => ({ on: set, args: [set] }),
    "FieldSet.equals": () => ({ on: set, args: [set] }),
    "FieldSet.forEach": () => ({ on: set, args: [() => {}] }),
    "TypedValue.of": () => [{ a: "1" }, type, { allowDuplicates: true }],
    "TypedValue.unvalidated": () => [{ a: "1" }, type],
    "TypedValue.validate": () => ({ on: typed, args: [{ allowDuplicates: true }] }),
    "TypedValue.merge": () => ({ on: typed, args: [other, { keepEqual: true }] }),
    "TypedValue.compare": () => ({ on: typed, args: [other] }),
    "TypedValue.removeItems": () => ({ on: typed, args: [set] }),
    "TypedValue.extractItems": () => ({ on: typed, args: [set, { appendKeyFields: true }] }),
    "new Updater": () => [
      {
        ignoredFields: new Map([["v1", set]]),
        ignoreFilters: new Map(),
        returnInputOnNoop: true,
        unions: "v4",
        converter: { convert: (v: unknown) => v },
      },
    ],
    "Updater.apply": () => ({
      on: new core.Updater(),
      args: [typed, other, { manager, apiVersion: "v1", managers: core.noManagers, force: true, unions: "v4" }],
    }),
    "Updater.update": () => ({
      on: new core.Updater(),
      args: [typed, other, { manager, apiVersion: "v1", managers: core.noManagers, unions: "v4" }],
    }),
    comparePaths: () => [path, path],
    compileSchema: () => [schema],
    deducedType: () => [],
    equalElements: () => [element, core.fieldElement("b")],
    equalManagers: () => [versioned, new Map(versioned)],
    equalPaths: () => [path, core.pathOf("data", "b")],
    equalSchemas: () => [schema, { types: [] }],
    equalValues: () => [object, changed],
    excludeFilter: () => [set],
    fieldElement: () => ["a"],
    fieldSetFromValue: () => [object],
    formatElement: () => [element],
    formatFieldsV1: () => [set],
    formatFieldsV1Key: () => [element],
    formatPath: () => [path],
    formatValue: () => [object],
    includeFilter: () => [["a", core.anyElement]],
    indexElement: () => [1],
    isList: () => [[]],
    isMap: () => [{}],
    keyElement: () => [{ name: "a" }],
    managersDifference: () => [versioned, versioned],
    parseFieldsV1: () => ['{"f:a":{}}'],
    parseFieldsV1Key: () => ["f:a"],
    parsePath: () => [".a"],
    parseSchema: () => [schema],
    parseTypes: () => [schema],
    pathOf: () => ["a", { name: "b" }, 1],
    valueAt: () => [object, path],
    valueElement: () => ["a"],
  },
  "./apiserver": {
    createApiServer: () => [
      { types, crds: [crd], objects: [object], unions: "off", readOnly: false, history: 10, openapi: { "apis/x": v3 } },
    ],
    "ApiServer.answer": () => ({ on: createApiServer(), args: [{ method: "GET", path: "/version" }] }),
    "ApiServer.fetch": () => ({ on: createApiServer(), args: [new Request("http://x/version")] }),
    "ApiServer.load": () => ({ on: createApiServer(), args: [[object]] }),
    "ApiServer.compact": () => ({ on: createApiServer(), args: ["1"] }),
    "ApiServer.setUnions": () => ({ on: createApiServer(), args: ["off"] }),
    "ApiServer.apply": () => ({ on: createApiServer(), args: [object, { ...writer, force: true }] }),
    "ApiServer.create": () => ({ on: createApiServer(), args: [object, writer] }),
    "ApiServer.update": () => ({ on: createApiServer({ objects: [object] }), args: [object, writer] }),
    "ApiServer.patch": () => ({ on: createApiServer({ objects: [object] }), args: [object, { data: {} }, writer] }),
    "ApiServer.scale": () => ({ on: createApiServer({ objects: [object] }), args: [object, 2, writer] }),
    "ApiServer.get": () => ({ on: createApiServer({ objects: [object] }), args: [object, { user: "ann" }] }),
    "ApiServer.list": () => ({ on: createApiServer(), args: [object, { namespace: "a", labelSelector: "a" }] }),
    "ApiServer.delete": () => ({ on: createApiServer({ objects: [object] }), args: [object, { dryRun: true }] }),
    "ApiServer.waitFor": () => ({
      on: createApiServer({ objects: [object] }),
      args: [object, () => true, { timeout: 0 }],
    }),
    "ApiServer.waitForDeletion": () => ({ on: createApiServer(), args: [object, { timeout: 0 }] }),
    "ApiServer.at": () => ({ on: createApiServer(), args: ["5"] }),
    "TestClock.advance": () => ({ on: new TestClock(), args: [1] }),
    "TestClock.schedule": () => ({ on: new TestClock(), args: [1, () => {}] }),
    "new TestClock": () => ["2026-01-01T00:00:00Z"],
  },
  "./appliers": {
    readOrigin: () => [{ apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata: { name: "a" } }],
    readPulumiProgram: () => [{ name: "p", runtime: "yaml", resources: {} }],
    applierProfile: () => [applierProfiles.helm],
    readApplierProfile: () => [applierProfiles.flux],
  },
  "./cluster": {
    "new Cluster": () => [fetchFromServer, { concurrency: 1, timeout: 1000, maxBytes: 1000 }],
    "Cluster.resources": () => ({ on: new Cluster(fetchFromServer), args: [] }),
    "Cluster.resourcesNamed": () => ({ on: new Cluster(fetchFromServer), args: ["configmaps"] }),
    "Cluster.ownedResources": () => ({ on: new Cluster(fetchFromServer), args: [] }),
    "Cluster.get": () => ({ on: new Cluster(fetchFromServer), args: [[address]] }),
    "Cluster.list": () => ({ on: new Cluster(fetchFromServer), args: [[address.resource], { namespace: "default" }] }),
    "Cluster.pages": () => ({ on: new Cluster(fetchFromServer), args: [address.resource, { namespace: "default" }] }),
    "Cluster.liveOf": () => ({ on: new Cluster(fetchFromServer), args: [[object], { namespace: "default" }] }),
    "Cluster.pathOf": () => ({
      on: new Cluster(fetchFromServer),
      args: [{ apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "web" }],
    }),
    "Cluster.documents": () => ({ on: new Cluster(fetchFromServer), args: [[object]] }),
    "Cluster.documentsOfGroups": () => ({ on: new Cluster(fetchFromServer), args: [["apps"]] }),
    clusterKinds: () => [new Cluster(fetchFromServer), [object]],
  },
  "./controller": {
    "new Applier": () => [{ manager, types, send, unions: "off", rememberFor: 1, recheckAfter: 1, maxObjects: 1 }],
    "Applier.apply": () => ({
      on: applier(),
      args: [live, object, { force: true, onConflict: "share", subresource: "" }],
    }),
    sendByClient: () => [{ patch: async () => live }],
    sendByFetch: () => ["http://x", { headers: { a: "b" }, namespace: "n" }],
    withRetries: () => [send, { retries: 1, wait: async () => {} }],
    typesOfDefinitions: () => [[crd]],
  },
  "./gotypes": {
    readGoTypes: () => [
      { "a.go": 'package a\n\ntype A struct {\n\tB string `json:"b"`\n}\n' },
      { path: "x/a", types: schema, group: "g", dialect: "kep-1027", deduce: "never", unionExtension: "list" },
    ],
  },
  "./io": {
    formatJson: () => [object],
    formatYaml: () => [object],
    parseJson: () => ["{}"],
    parseManifests: () => ["a: 1"],
    parseYaml: () => ["a: 1", { lenient: true }],
    parseYamlDocuments: () => ["a: 1"],
    parseYamlWithPositions: () => ["a: 1", { acceptRepeatedKeys: true }],
    writeJson: () => [object, { indent: 2 }],
  },
  "./kinds": {
    "kubernetes.with": () => ({ on: kinds.kubernetes, args: [[crd]] }),
    "kubernetes.find": () => ({ on: kinds.kubernetes, args: ["v1", "Pod"] }),
    loadCel: () => [],
  },
  "./kubernetes": {
    kubernetesKeepsCreatedStatus: () => [{ apiVersion: "v1", kind: "Pod" }],
    kubernetesKinds: () => [],
    kubernetesResetFields: () => ["v1", "Pod"],
    kubernetesSchema: () => [],
    kubernetesSchemaWithUnions: () => [],
    kubernetesTypeName: () => ["v1", "Pod"],
    kubernetesUnions: () => [schema],
  },
  "./lint": {
    lintConfiguration: () => [typed],
    lintDefinition: () => [crd],
    lintObject: () => [live, { types, definition: {}, knownManagers: ["a"], changedSince: new Date(0) }],
    lintRepeatedKeys: () => [[{ key: "a", steps: ["a"], line: 2, firstLine: 1 }]],
    lintStoredForm: () => [object, { types }],
    lintTopology: () => [v3],
    lintUnions: () => [{ types: [] }, v3],
  },
  "./managedfields": {
    "new FieldManager": () => [
      {
        types,
        kind: { apiVersion: "v1", kind: "ConfigMap" },
        resetFields: new Map([["v1", set]]),
        unions: "off",
        hub: "v1",
        keepTimes: true,
        validateUnions: true,
      },
    ],
    "FieldManager.apply": () => ({
      on: new managedfields.FieldManager({ types }),
      args: [live, object, { manager, force: true, subresource: "" }],
    }),
    "FieldManager.tryApply": () => ({
      on: new managedfields.FieldManager({ types }),
      args: [live, object, { manager, force: true, subresource: "" }],
    }),
    "FieldManager.update": () => ({
      on: new managedfields.FieldManager({ types }),
      args: [live, object, { manager, subresource: "" }],
    }),
    "FieldManager.updateLeniently": () => ({
      on: new managedfields.FieldManager({ types }),
      args: [live, object, { manager, subresource: "" }],
    }),
    "FieldManager.extract": () => ({
      on: new managedfields.FieldManager({ types }),
      args: [live, { manager, subresource: "" }],
    }),
    "new ScaleHandler": () => [[entry], "v1", new Map([["v1", path]])],
    "ScaleHandler.toParent": () => ({
      on: new managedfields.ScaleHandler([entry], "v1", new Map([["v1", path]])),
      args: [[entry]],
    }),
    changeApiVersion: () => [types, { dropMissing: true }],
    customResourceResetFields: () => [crd, "example.com/v1"],
    decodeFields: () => [{ "f:a": {} }],
    decodeManagedFields: () => [[entry]],
    encodeFields: () => [set],
    extract: () => [live, { types, manager, subresource: "", unions: "off" }],
    findFieldsOwners: () => [live, "Apply", set],
    formatManager: () => ["m"],
    fromClient: () => [live],
    managerId: () => [entry],
    parseManagerId: () => ["m"],
    readManagedFields: () => [live],
    resetToLive: () => [object, live, set],
    statusOf: () => [new Error("x")],
    upgradeManagedFields: () => [live, { csaManagers: ["kubectl"], ssaManager: "m", subresource: "" }],
    upgradeManagedFieldsPatch: () => [live, { csaManagers: ["kubectl"], ssaManager: "m", subresource: "" }],
  },
  "./managers": {
    upgrade: () => [live, { types, csaManagers: ["a"], ssaManager: "b" }],
    formatPatch: () => [[{ op: "test", path: "/metadata", value: 1 }]],
    dropGoneVersions: () => [live, { types, gone: ["v2"], managers: { all: true } }],
    dropVersion: () => [live, { types, apiVersion: "v1", managers: { all: true } }],
    release: () => [
      live,
      { types, managers: "kubectl", paths: [".data"], operation: "Apply", subresource: "", apiVersion: "v1" },
    ],
    toVersion: () => [live, { types, apiVersion: "v1", managers: "kubectl", operation: "Apply", subresource: "" }],
    migrate: () => [live, { ...live }, { types, from: "helm3", to: "helm4", fromManagers: ["helm"] }],
    transfer: () => [live, { types, from: "kubectl", to: "b", paths: [".data"], toOperation: "Apply" }],
  },
  "./openapi": {
    "new TypeConverter": () => [[{ name: "a", document: v3 }], { metadata: [] }],
    "TypeConverter.find": () => ({ on: converter(), args: ["v1", "A"] }),
    "TypeConverter.typeFor": () => ({ on: converter(), args: ["v1", "A"] }),
    formatOf: () => [v3],
    openAPIv3FromSchema: () => [
      schema,
      { unionExtension: "list", title: "x", kinds: [{ typeName: "root", group: "", version: "v1", kind: "A" }] },
    ],
    schemaFromCRD: () => [crd, { unionMode: "repair", metadata: [], name: "x" }],
    schemaFromOpenAPIv2: () => [v2, { unionMode: "repair", name: "x" }],
    schemaFromOpenAPIv3: () => [v3, { unionMode: "repair", name: "x" }],
  },
  "./ownership": {
    planAll: () => [[object], [live], { types: kinds.kubernetes, manager: "me" }],
    loadAdmission: () => [{ objects: [live] }],
    "Blame.at": () => ({ on: ownership.blame(live), args: [".data.a"] }),
    blame: () => [live, { types }],
    explain: () => [live, changed, { ...request, source: { text: io.formatYaml(changed) } }],
    plan: () => [
      live,
      changed,
      { ...request, force: true, subresource: "", unions: "off", resetFields: new Map([["v1", set]]) },
    ],
    resolve: () => [live, changed, { ...request, onConflict: "share" }],
    writerRole: () => [{ manager, operation: "Apply", subresource: "status" }],
    schemaDiff: () => [
      { schema, kinds: [{ group: "", version: "v1", kind: "A", typeName: "root" }] },
      { schema },
      { objects: [object], type: "root" },
    ],
  },
  "./view": {
    ownedObject: () => [live, { types, showSecrets: true }],
  },
  "./simulator": {
    contend: () => [simulation(), { rounds: 3 }],
    explore: () => [
      simulation(),
      { managers: ["a"], actions: [{ apply: changed }], depth: 1, limit: 3, holds: () => true },
    ],
    permute: () => [simulation(), [applyRequest], { limit: 3 }],
    readStory: () => [story, { file: "x" }],
    requestsOf: () => [simulator.readStory(story).story],
    runStory: () => [simulator.readStory(story), { types }],
    simulate: () => [
      { types, objects: [object], schemas: { a: { types } }, unions: "off", resetFields: new Map([["v1", set]]) },
    ],
    "Simulation.apply": () => ({
      on: simulation(),
      args: [manager, object, { force: true, time: "2026-01-01T00:00:00Z" }],
    }),
    "Simulation.update": () => ({ on: simulation(), args: [manager, object, { time: "2026-01-01T00:00:00Z" }] }),
    "Simulation.patch": () => ({ on: simulation(), args: [manager, { data: {} }, { object: "ConfigMap/web" }] }),
    "Simulation.create": () => ({ on: simulation(), args: [manager, object, {}] }),
    "Simulation.delete": () => ({ on: simulation(), args: ["ConfigMap/web", {}] }),
    "Simulation.changeSchema": () => ({ on: simulation(), args: ["", { types }] }),
    "Simulation.controller": () => ({ on: simulation(), args: ["c", () => []] }),
    "Simulation.play": () => ({ on: simulation(), args: [applyRequest] }),
    "Simulation.get": () => ({ on: simulation(), args: ["ConfigMap/web"] }),
    "Simulation.at": () => ({ on: simulation(), args: [0] }),
    "Simulation.undo": () => ({ on: simulation(), args: [1] }),
    "Simulation.redo": () => ({ on: simulation(), args: [1] }),
    "Simulation.settle": () => ({ on: simulation(), args: [{ rounds: 3 }] }),
    "Simulation.diff": () => ({ on: simulation(), args: [0, 0] }),
    "Snapshot.get": () => ({ on: simulation().now(), args: ["ConfigMap/web"] }),
  },
  "./unions": {
    applyUnionOverlay: () => [schema, overlay, { missingTypes: "ignore" }],
    normalizeUnions: () => [typed, other, { policy: "v4" }],
    normalizeUnionsApply: () => [typed, other, { policy: "v4", live: typed }],
    parseUnionOverlay: () => [overlay],
    union: () => [{ discriminator: "type", members: { a: "A" } }],
    unionPolicy: () => ["v4"],
    validateUnions: () => [typed, other, { style: "dv", policy: "v4", ratchet: true }],
  },
  "./validation": {
    "ValidationMetrics.countMismatch": () => ({ on: new validation.ValidationMetrics(), args: ["x"] }),
    "ValidationMetrics.countPanic": () => ({ on: new validation.ValidationMetrics(), args: ["x"] }),
    compileRules: () => [rules, "Widget"],
    "Validator.validate": () => ({ on: validator, args: [{ size: 1 }, { size: 2 }, { subresource: "", options: {} }] }),
    rulesForSchema: () => [schema, { types: { root: { fields: [{ json: "a", rules: [] }] } } }],
    shadowed: () => [{ handwritten: validator, declarative: validator, gates: {}, kind: "x", normalizations: [] }],
  },
}

/**
 * These are not tried, because callers don't make their arguments: they accept only results of the package, as their types say. Constructors
 * of errors are left out for the same reason.
 */
const takesResults = new Set([
  "applyTextEdits",
  "encodeManagedFields",
  "fieldErrorMessage",
  "formatGoTypesIssue",
  "formatUnionChange",
  "fromJSON",
  "ignoreRules",
  "kubectlPatch",
  "unionFieldPath",
])

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

/**
 * Whether an argument is a function or an instance of a class, or contains one, such as a path or a filter. TypeScript reports JSON in their
 * place. Types and reset fields are tried anyway, because they come from other copies of the package and from configurations.
 */
function isInstance(value: unknown): boolean {
  if (typeof value === "function") return true
  if (typeof value !== "object" || value === null) return false
  if (Array.isArray(value)) return value.some(isInstance)
  return (
    !isPlain(value) || (Object.keys(value).length > 0 && Object.values(value).every(one => typeof one === "function"))
  )
}

/** Returns the arguments with each argument, or each property of one, replaced. */
function* mutations(args: Arguments): Generator<readonly [string, Arguments]> {
  for (const [i, arg] of args.entries()) {
    if (isInstance(arg)) continue
    for (const [b, value] of bad.entries()) {
      yield [`argument ${i + 1} is ${names[b]}`, args.with(i, value)]
      if (Array.isArray(arg)) yield [`argument ${i + 1} is a list of ${names[b]}`, args.with(i, [value])]
      if (!isPlain(arg)) continue
      for (const key of Object.keys(arg)) {
        if (isInstance(arg[key]) && key !== "resetFields" && key !== "types") continue
        yield [`argument ${i + 1} has ${names[b]} as ${key}`, args.with(i, { ...arg, [key]: value })]
      }
    }
  }
}

/** Returns the error that `run` throws if it comes from JavaScript itself. */
async function rawErrorOf(run: () => unknown): Promise<string | undefined> {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof Error)) return `threw ${String(error)}`
    if (!(error instanceof core.StructuredMergeError) && raw.test(error.message)) return error.message
  }
  return undefined
}

/** Calls the function that a row names. */
function call(module: Record<string, unknown>, name: string, row: Row, args: Arguments): unknown {
  if (name.startsWith("new ")) return Reflect.construct(module[name.slice(4)] as never, args)
  const [owner = "", method] = name.split(".")
  if (method === undefined) return Reflect.apply(module[owner] as never, undefined, args)
  const given = row()
  const on = "on" in given ? given.on : module[owner]
  return Reflect.apply(Reflect.get(on as object, method), on, args)
}

describe.each(readEntries())("$name", entry => {
  const tried = rows[entry.key] ?? {}

  it("has a row for every function", async () => {
    const module: Record<string, unknown> = await import(join(projectRoot, entry.source))
    for (const [name, value] of Object.entries(module)) {
      if (typeof value !== "function" || takesResults.has(name)) continue
      const known = Object.keys(tried).some(row => row === name || row === `new ${name}` || row.startsWith(`${name}.`))
      expect(known || /Error$/.test(name) || withoutArguments.has(name), name).toBe(true)
    }
  })

  it.each(Object.entries(tried))("throws nothing raw: %s", async (name, row) => {
    const module: Record<string, unknown> = await import(join(projectRoot, entry.source))
    const given = row()
    const args = "on" in given ? given.args : given
    const found: string[] = []
    const check = async (what: string, list: Arguments) => {
      const message = await rawErrorOf(() => call(module, name, row, list))
      if (message !== undefined) found.push(`${what}: ${message}`)
    }
    await check("as it should be", args)
    for (const [what, list] of mutations(args)) await check(what, list)
    expect(found).toEqual([])
  })
})

describe("what is wrong, and where", () => {
  const cases: [title: string, run: () => unknown, error: new (...args: never[]) => Error, message: RegExp][] = [
    [
      "rules without types",
      () => validation.compileRules({} as never, "A"),
      core.SchemaError,
      /^document\.types: expected a map of types/,
    ],
    [
      "a schema without types, for rules",
      () => validation.rulesForSchema({} as never, { types: {} }),
      core.SchemaError,
      /types are missing/,
    ],
    [
      "an overlay without types",
      () => validation.rulesForSchema(schema, {} as never),
      core.SchemaError,
      /^overlay\.types: expected a map/,
    ],
    [
      "a schema without types, for OpenAPI",
      () => openapi.openAPIv3FromSchema({} as never),
      core.SchemaError,
      /types are missing/,
    ],
    [
      "the owners of a cycle",
      () => ownership.blame(cycle),
      core.StructuredMergeError,
      /^\.self\.self.*nests deeper than 1000 levels, or contains itself/,
    ],
    [
      "the owners in 5,000 levels",
      () => ownership.blame({ spec: nestedMap(5_000) as object }),
      core.StructuredMergeError,
      /^\.spec.*nests deeper/,
    ],
    [
      "a list with a hole in an apply",
      () => fieldManager().apply(live, { ...object, data: sparse }, { manager }),
      core.StructuredMergeError,
      /\.data: expected map, got .*undefined/,
    ],
    [
      "no options",
      () => new managedfields.FieldManager(null as never),
      TypeError,
      /^options: expected an object, got null$/,
    ],
    [
      "no types",
      () => new managedfields.FieldManager({} as never),
      TypeError,
      /^options\.types: expected types with a function find, such as kubernetesTypes, got undefined$/,
    ],
    [
      "a kind without a version",
      () => new managedfields.FieldManager({ types, kind: { kind: "A" } } as never),
      TypeError,
      /^options\.kind\.apiVersion: expected a string/,
    ],
    [
      "reset fields that are no Map",
      () => new managedfields.FieldManager({ types, resetFields: { v1: set } } as never),
      TypeError,
      /^options\.resetFields: expected a Map or a function, got an object$/,
    ],
    [
      "a FieldSet of another copy",
      () => resetting({ entries: set.entries }).apply(live, changed, { manager }),
      TypeError,
      /^resetFields of v1: expected a FieldSet of this copy of the package or a Filter, got an object$/,
    ],
    [
      "inherited keys in YAML",
      () => io.formatYaml(Object.create({ a: 1 })),
      core.ValidationError,
      /expected a plain object/,
    ],
    [
      "an empty name",
      () => managers.transfer(live, { from: "a" } as never),
      TypeError,
      /^options\.to: expected a string, got undefined$/,
    ],
    [
      "a controller that is no function",
      () => simulation().controller("c", { reconcile: () => [] } as never),
      TypeError,
      /^reconcile: expected a function, got an object$/,
    ],
    [
      "a controller without a name",
      () => simulation().controller((() => []) as never, () => []),
      TypeError,
      /^name: expected a string, got a function$/,
    ],
    [
      "names of managers",
      () => managers.release(live, { managers: 5 } as never),
      TypeError,
      /^options\.managers: expected names of managers or \{ all: true \}, got/,
    ],
  ]
  it.each(cases)("names it: %s", (_, run, error, message) => {
    expect(run).toThrow(error)
    expect(run).toThrow(message)
  })

  it("takes no inherited keys into YAML, whatever else an object has", () => {
    expect(() => io.formatYaml({ x: Object.assign(Object.create({ b: 2 }), { a: 1 }) })).toThrow(core.ValidationError)
    expect(io.formatYaml(Object.assign(Object.create(null), { a: 1 }))).toBe("a: 1\n")
  })
})

function fieldManager(): managedfields.FieldManager {
  return new managedfields.FieldManager({ types })
}

function resetting(fields: object): managedfields.FieldManager {
  return new managedfields.FieldManager({ types, resetFields: new Map([["v1", fields as core.FieldSet]]) })
}
