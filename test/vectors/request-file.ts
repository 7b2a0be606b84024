// Reads test/vectors/requests/*.json: requests of the conformance protocol, in a notation with one line for each case:
//
//   {about: text, groups: [{shared: members, columns: [member names], cases: {name: members or list of values}}]}
//
// A case has the group's shared members and its own. If the group has columns, its own members are a list in their order.
//
// - `schema: {file: "shop"}` is the text of requests/schemas/shop.yaml; another object stands for its JSON text.
// - A step of a story may be a list: [op, manager, object] or [op, manager, apiVersion, object]. The default of apiVersion is v1,
//   and an object that is a string is YAML.
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { isList, isMap, type Json, type JsonMap, jsonText, mapOf, parseJson, yamlSafeJsonText } from "../fuzz/json.js"

export interface NamedRequest {
  readonly name: string
  readonly request: JsonMap
}

/** Returns the requests of a file, each named `prefix/case`. Throws if a name is used twice or a case can't be read. */
export function readRequests(file: string, prefix: string): NamedRequest[] {
  const content = parseJson(readFileSync(file, "utf8"))
  const groups = isMap(content) && isList(content.groups) ? content.groups : fail(file, "has no groups")
  const requests: NamedRequest[] = []
  const names = new Set<string>()
  for (const group of groups) {
    if (!isMap(group) || !isMap(group.cases)) return fail(file, "has a group without cases")
    for (const name in group.cases) {
      if (names.has(name)) return fail(file, `has two cases named ${name}`)
      names.add(name)
      const own = membersOf(group.cases[name] as Json, group.columns) ?? fail(file, `can't be read at ${name}`)
      const shared = isMap(group.shared) ? group.shared : {}
      requests.push({ name: `${prefix}/${name}`, request: expand(mapOf({ ...shared, ...own }), dirname(file)) })
    }
  }
  return requests
}

function fail(file: string, why: string): never {
  throw new TypeError(`${file} ${why}`)
}

function membersOf(own: Json, columns: Json | undefined): JsonMap | null {
  if (!isList(columns)) return isMap(own) ? own : null
  if (!isList(own) || own.length !== columns.length) return null
  return mapOf(Object.fromEntries(columns.map((column, i) => [String(column), own[i] as Json])))
}

function expand(request: JsonMap, folder: string): JsonMap {
  if (request.schema !== undefined) request.schema = schemaText(request.schema, folder)
  if (isList(request.steps)) request.steps = request.steps.map(step => expandStep(step, folder))
  return request
}

function schemaText(schema: Json, folder: string): Json {
  if (!isMap(schema)) return schema
  if (schema.file === undefined) return yamlSafeJsonText(schema)
  return readFileSync(join(folder, "schemas", `${schema.file}.yaml`), "utf8")
}

function expandStep(step: Json, folder: string): Json {
  if (isMap(step)) return step.schema === undefined ? step : mapOf({ ...step, schema: schemaText(step.schema, folder) })
  if (!isList(step) || step.length < 3) throw new TypeError(`not a step: ${jsonText(step)}`)
  const [op, manager] = step as [Json, Json]
  const apiVersion = step.length > 3 ? (step[2] as Json) : "v1"
  const object = step[step.length - 1] as Json
  return mapOf({ op, manager, apiVersion, [typeof object === "string" ? "objectYAML" : "object"]: object })
}
