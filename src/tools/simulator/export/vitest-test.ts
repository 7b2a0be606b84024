// Writes a story as a test for vitest on a test API server.
import { writeJson } from "../../../json/json.js"
import { kindsOf } from "../../../kinds/kinds.js"
import { metadataOf } from "../../../schema/metadata.js"
import { textAt } from "../../../value/fields.js"
import { isList, type MapValue, type Value } from "../../../value/value.js"
import { blame } from "../../ownership/blame.js"
import { type ObjectName, objectName } from "../../ownership/object-name.js"
import type { Owner } from "../../ownership/owners.js"
import { bodyOf } from "../simulation/objects.js"
import type { ObjectRequest, SimulatedApply } from "../simulation/request.js"
import type { Step } from "../simulation/step.js"
import type { PortableStep, PortableStory } from "./portable-story.js"
import { comment, withEscapes } from "./text.js"

/** Returns a test that sends the requests of the story and expects their outcomes, and the owners after them. */
export function vitestTest(story: PortableStory): string {
  const { title, notes, crds, unions, isPolicyOfDefinitions, steps, end } = story
  const namespaces = story.namespaces.map(name => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }))
  const objects = [...namespaces, ...story.objects.map(withUid)]
  const serverOptions = {
    ...(unions !== undefined && { unions }),
    // The policy would also give unions to built-in kinds, unless the server gets kinds without them.
    ...(isPolicyOfDefinitions && { types: new Code("kubernetesTypes") }),
    ...(crds.length > 0 && { crds }),
    ...(objects.length > 0 && { objects }),
  }
  const hasOptions = Object.keys(serverOptions).length > 0
  const parts = [...steps.map(codeOf), ...end.map(ownersOf).filter(part => part !== "")]
  return [
    isPolicyOfDefinitions ? `import { kubernetesTypes } from "structured-merge-diff/kubernetes"\n` : "",
    `import { expect, test } from "structured-merge-diff/vitest"\n\n`,
    comment(notes, "//"),
    hasOptions ? `test.override(${literal({ serverOptions })})\n\n` : "",
    `test(${literal(title)}, async ({ server }) => {\n${parts.join("\n")}})\n`,
  ].join("")
}

/** Returns the object with a uid: a server keeps the owners of objects that have one. */
function withUid(object: MapValue, index: number): MapValue {
  const uid = `00000000-0000-4000-8000-${String(index + 1).padStart(12, "0")}`
  return { ...object, metadata: { uid, ...metadataOf(object) } }
}

function codeOf({ notes, step, request, result, schema }: PortableStep): string {
  const { index, target, before } = step
  const heading = comment(notes, "  //")
  if (result !== undefined) return `${heading}  server.load([${code(result)}])\n`
  if (schema !== undefined) {
    const { crds, unions } = schema
    const applies = crds.map(crd => `  await server.apply(${code(crd)}, { manager: "definitions", force: true })\n`)
    return [heading, ...applies, unions === undefined ? "" : `  server.setUnions(${code(unions)})\n`].join("")
  }
  if (request === undefined || target === undefined) return heading
  if ("apply" in request && request.subresource === "scale" && textAt(bodyOf(request) ?? {}, "kind") === "Scale") {
    return heading + answered(step, scaleCallOf(step, request, target))
  }
  if (!("update" in request) || before === undefined) return heading + expected(step, callOf(request, target))
  const live = `live${index}`
  const update = withVersion(request.update as MapValue, new Code(`${live}.metadata.resourceVersion`))
  const read = `  const ${live} = await server.get(${code(headerOf(target))})\n`
  return heading + read + expected(step, callOf({ ...request, update }, target))
}

/** Returns the code that sends a request and expects its outcome. */
function expected({ index, error, conflicts }: Step, call: string): string {
  if (error === undefined) return `  await ${call}\n`
  if (conflicts.length === 0) {
    // The methods of the server have messages of their own for kinds that are not served.
    return `  await expect(${call}).rejects.toThrow(${error.code === 404 ? "" : code(error.message)})\n`
  }
  const refused = `refused${index}`
  const expectations = conflicts.map(({ owner, path }) => {
    return `  await expect(${refused}).toConflictWith(${code(owner.manager)}, ${code(path)})\n`
  })
  return `  const ${refused} = ${call}\n${expectations.join("")}`
}

/** Returns the code that applies a Scale. The methods of the server would look for a resource that serves the kind Scale. */
function scaleCallOf({ types }: Step, request: SimulatedApply, target: ObjectName): string {
  const { apiVersion, namespace, name } = target
  const { plural = "", namespaced = false } = kindsOf(types).resource(target) ?? {}
  const inNamespace = namespaced && namespace !== undefined ? ["namespaces", namespace] : []
  const path = [...inNamespace, plural, name, request.subresource ?? ""].map(encodeURIComponent).join("/")
  const { manager, force = false } = request
  const query = new URLSearchParams({ fieldManager: manager, ...(force && { force: "true" }) })
  const body = writeJson(request.apply as MapValue)
  const headers = { "content-type": "application/apply-patch+yaml" }
  const base = apiVersion.includes("/") ? "/apis" : "/api"
  return `server.answer(${code({ method: "PATCH", path: `${base}/${apiVersion}/${path}?${query}`, headers, body })})`
}

/** Returns the code that sends a request by `answer`, which never rejects, and expects its outcome. */
function answered({ index, error, conflicts }: Step, call: string): string {
  const answer = `answer${index}`
  const expectations = conflicts.map(({ owner, path }) => {
    return `  await expect(${answer}).toConflictWith(${code(owner.manager)}, ${code(path)})\n`
  })
  const status = `  expect(${answer}.status).toBe(${error?.code ?? 200})\n`
  return `  const ${answer} = await ${call}\n${status}${expectations.join("")}`
}

function callOf(request: ObjectRequest, target: ObjectName): string {
  if ("delete" in request) return `server.delete(${code(headerOf(target))})`
  const { manager, subresource = "" } = request
  const by = { manager, ...(subresource !== "" && { subresource }) }
  if ("apply" in request) {
    return `server.apply(${code(request.apply)}, ${code({ ...by, ...(request.force === true && { force: true }) })})`
  }
  const strictly = { ...by, fieldValidation: "Strict" }
  if ("create" in request) return `server.create(${code(request.create)}, ${code(strictly)})`
  if ("update" in request) return `server.update(${code(request.update)}, ${code(strictly)})`
  const type = isList(request.patch as Value) ? "json" : "merge"
  return `server.patch(${code(headerOf(target))}, ${code(request.patch)}, ${code({ type, ...strictly })})`
}

/** Returns the object of an update with this resourceVersion, unless it has one. */
function withVersion(object: MapValue, resourceVersion: Code): object {
  return { ...object, metadata: { resourceVersion, ...metadataOf(object) } }
}

/** Returns the code that expects the owners of the object. */
function ownersOf(object: MapValue, index: number): string {
  const name = `object${index + 1}`
  const fields = blame(object).fields.filter(({ owners }) => owners.length > 0)
  if (fields.length === 0) return ""
  const managers = Object.fromEntries(fields.map(({ path, owners }) => [path, namesOf(owners)]))
  return [
    `  const ${name} = await server.get(${code(headerOf(objectName(object)))})\n`,
    `  for (const [path, managers] of Object.entries(${code(managers)})) {\n`,
    `    expect(${name}).toHaveManagers(managers, path)\n  }\n`,
  ].join("")
}

function namesOf(owners: readonly Owner[]): string[] {
  return [...new Set(owners.map(({ manager }) => manager))]
}

function headerOf({ apiVersion, kind, name, namespace }: ObjectName): MapValue {
  return { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } }
}

/** A piece of code in a value. */
class Code {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Returns code for a value inside the test. */
function code(value: unknown): string {
  return literal(value, "  ")
}

const width = 110

/** Returns code for a value: on one line if that is short. */
function literal(value: unknown, indent = ""): string {
  if (value instanceof Code) return value.text
  if (typeof value === "bigint") return `${value}n`
  if (typeof value === "string") return textLiteral(value)
  if (typeof value !== "object" || value === null) return String(value)
  const inner = `${indent}  `
  const isArray = Array.isArray(value)
  const parts = isArray
    ? value.map(part => literal(part, inner))
    : Object.entries(value).map(([key, part]) => `${keyOf(key)}: ${literal(part, inner)}`)
  const [open, close] = isArray ? ["[", "]"] : ["{", "}"]
  if (parts.length === 0) return open + close
  const line = isArray ? `[${parts.join(", ")}]` : `{ ${parts.join(", ")} }`
  if (indent.length + line.length <= width && !line.includes("\n")) return line
  return `${open}\n${parts.map(part => `${inner}${part},\n`).join("")}${indent}${close}`
}

function textLiteral(text: string): string {
  return text.includes('"') && !/['\\\p{C}\u2028\u2029]/u.test(text) ? `'${text}'` : withEscapes(JSON.stringify(text))
}

/** Returns code for a key. A key `__proto__` would otherwise set the prototype. */
function keyOf(key: string): string {
  if (key === "__proto__") return `["__proto__"]`
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : withEscapes(JSON.stringify(key))
}
