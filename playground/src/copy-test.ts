// Writes a story as a test for vitest on a test API server.
import { isList, isMap, type MapValue, type Value } from "structured-merge-diff"
import { blame, type Owner } from "structured-merge-diff/ownership"
import type { SimulationRequest, Step } from "structured-merge-diff/simulator"
import {
  type CopiedStep,
  copiedSteps,
  hasUnions,
  nameOf,
  namespacesOf,
  notesOnDefaults,
  type ObjectName,
  type PlayedStory,
  servedDefinitions,
} from "./copied-steps.js"

/** Returns a test that sends the requests of the first `at` steps and expects their outcomes, and the owners after them. `remarks` are for people. */
export function testText(played: PlayedStory, at: number, remarks: readonly string[] = []): string {
  const { story, simulation } = played
  const { definitions, objects = [], unions } = story
  const { crds, notes } = servedDefinitions(definitions)
  const namespaces = namespacesOf(played, at).map(name => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }))
  // A policy of the server also gives unions to its built-in kinds, unless it gets kinds without them.
  const onlyOfDefinitions = unions === undefined && hasUnions(definitions)
  const options = {
    ...(unions !== undefined && { unions }),
    ...(onlyOfDefinitions && { unions: "extended", types: new Code("kubernetesTypes") }),
    ...(crds.length > 0 && { crds }),
    ...(namespaces.length + objects.length > 0 && { objects: [...namespaces, ...objects.map(withUid)] }),
  }
  const hasOptions = Object.keys(options).length > 0
  const parts = [
    ...copiedSteps(played, at, "server").map(step => copied(step, played)),
    ...simulation
      .at(Math.min(at, simulation.length))
      .objects.map(ownersOf)
      .filter(part => part !== ""),
  ]
  return [
    onlyOfDefinitions ? `import { kubernetesTypes } from "structured-merge-diff/kubernetes"\n` : "",
    `import { expect, test${hasOptions ? " as base" : ""} } from "structured-merge-diff/vitest"\n\n`,
    comments([...remarks, ...notesOnDefaults(story), ...notes], ""),
    hasOptions ? `const test = base.extend(${literal({ serverOptions: options })})\n\n` : "",
    `test(${literal(story.title)}, async ({ server }) => {\n${parts.join("\n")}})\n`,
  ].join("")
}

/** Returns the object with a uid: a server keeps the owners of objects that have one. */
function withUid(object: MapValue, index: number): MapValue {
  const { metadata = null } = object
  const uid = `00000000-0000-4000-8000-${String(index + 1).padStart(12, "0")}`
  return { ...object, metadata: { uid, ...(isMap(metadata) && metadata) } }
}

function copied({ notes, step, request, result }: CopiedStep, { story }: PlayedStory): string {
  const { index, target, before } = step
  const heading = comments(notes)
  if (result !== undefined) return `${heading}  server.load([${code(result)}])\n`
  if (request === undefined) return heading
  if ("changeSchema" in request) {
    const schema = story.schemas?.[request.changeSchema]
    const { crds, notes: more } = servedDefinitions(schema?.definitions ?? story.definitions)
    const applies = crds.map(crd => `  await server.apply(${code(crd)}, { manager: "definitions", force: true })\n`)
    const policy = schema?.unions === undefined ? "" : `  server.setUnions(${code(schema.unions)})\n`
    return [heading, comments(more), ...applies, policy].join("")
  }
  if (target === undefined) return heading
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

function callOf(request: Exclude<SimulationRequest, { changeSchema: string }>, target: ObjectName): string {
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
  const { metadata = null } = object
  return { ...object, metadata: { resourceVersion, ...(isMap(metadata) && metadata) } }
}

/** Returns the code that expects the owners of the object. */
function ownersOf(object: MapValue, index: number): string {
  const name = `object${index + 1}`
  const fields = blame(object).fields.filter(({ owners }) => owners.length > 0)
  if (fields.length === 0) return ""
  const managers = Object.fromEntries(fields.map(({ path, owners }) => [path, namesOf(owners)]))
  return [
    `  const ${name} = await server.get(${code(headerOf(nameOf(object)))})\n`,
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
  return text.includes('"') && !/['\\\p{C}]/u.test(text) ? `'${text}'` : JSON.stringify(text)
}

/** Returns code for a key. A key `__proto__` would otherwise set the prototype. */
function keyOf(key: string): string {
  if (key === "__proto__") return `["__proto__"]`
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)
}

function comments(notes: readonly string[], indent = "  "): string {
  const lines = notes.flatMap(note => note.trim().split(/[\n\r\u2028\u2029]/))
  return lines.map(line => `${indent}// ${line.trim()}\n`).join("")
}
