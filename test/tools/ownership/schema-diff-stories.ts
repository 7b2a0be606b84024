/** A kind of change of a definition, played on the test API server: the applies before the change, and the owners after it. */
import { type ApiServer, createApiServer } from "../../../src/apiserver/server.js"
import { fieldElement } from "../../../src/fieldpath/create-element.js"
import { decodeFields } from "../../../src/fieldpath/fieldsv1/object.js"
import { formatPath } from "../../../src/fieldpath/path.js"
import { readManagedFields } from "../../../src/managedfields/entries/entry.js"
import { schemaFromCRD } from "../../../src/openapi/crd.js"
import type { SchemaChangeCode } from "../../../src/tools/ownership/schema-changes.js"
import { type SchemaDiff, schemaDiff } from "../../../src/tools/ownership/schema-diff.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { type Sent, send } from "../../apiserver/requests.js"
import { widgets } from "../../apiserver/union-server.js"
import { definitionOf } from "../../support/definition.js"

export interface SchemaStory {
  /** The schema of `spec.x`, before and after; null if the field does not exist. */
  readonly old: MapValue | null
  readonly now: MapValue | null
  /** The applied `spec` of each manager. */
  readonly applied: Readonly<Record<string, MapValue>>
  /** Other values of `x` to apply after the change, one at a time. */
  readonly tries?: readonly (readonly [manager: string, x: Value])[]
  /** Further changes to make together with it. */
  readonly also?: readonly SchemaChangeCode[]
  /** A value of `x` that fits the new schema, if the object's value does not. */
  readonly mended?: Value
}

export interface Played {
  /** The object as it was, and its definitions. */
  readonly object: MapValue
  readonly diff: SchemaDiff
  /** The owners before, after another write, and after each manager has repeated its apply. */
  readonly lines: readonly string[]
  /** The managers for which these differ. */
  readonly concerned: readonly string[]
}

const definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com"
const path = `${widgets}/w`

export async function play(story: SchemaStory): Promise<Played> {
  const [before, after] = [definitionWith(story.old), definitionWith(story.now)]
  // All within one second, so that owners are in the order of their names.
  const clock = () => new Date("2026-01-01T00:00:00Z")
  const server = createApiServer({ crds: [before], unions: "v4", clock })
  for (const manager in story.applied) await apply(server, manager, story.applied[manager] as MapValue)
  const object = (await send(server, "GET", path)).body as MapValue
  const { metadata } = (await send(server, "GET", definition)).body
  const replaced = await send(server, "PUT", definition, { ...after, metadata })
  if (replaced.status !== 200) throw new Error(JSON.stringify(replaced.body))

  const wrote = await send(server, "PATCH", `${path}?fieldManager=ctl`, { spec: { y: "z" } }, "merge")
  const lines = [`before: ${owners(object)}`, `a write: ${told(wrote)}`]
  for (const [manager, x] of story.tries ?? []) {
    lines.push(`${manager} with ${JSON.stringify(x)}: ${told(await apply(server, manager, { x }, "&dryRun=All"))}`)
  }
  const concerned = new Set(changed(object, wrote))
  for (const manager in story.applied) {
    const config = story.applied[manager] as MapValue
    const tried = await apply(server, manager, config, "&dryRun=All&force=true")
    for (const name of [...changed(object, tried), ...(isRefused(tried) ? [manager] : [])]) concerned.add(name)
    lines.push(`${manager} again: ${told(await apply(server, manager, config))}`)
  }
  if (story.mended !== undefined) lines.push(...(await mend(server, story, story.mended)))
  const diff = schemaDiff(schemaFromCRD(before), schemaFromCRD(after), { objects: [object] })
  return { object, diff, lines, concerned: [...concerned].sort() }
}

/** The managers whose sets differ between the answer and the object. `cid` owns only what the first write takes. */
function changed(object: MapValue, { status, body }: Sent): string[] {
  if (status !== 200) return []
  const has = sets(body)
  return [...sets(object)].flatMap(([manager, set]) => (has.get(manager) === set || manager === "cid" ? [] : [manager]))
}

/** Whether the configuration does not fit the type. A live object that does not fit counts for nobody. */
function isRefused({ status, body }: Sent): boolean {
  return status === 500 && !String(body.message).includes("live object")
}

/** An update that makes the object fit again, and repeated applies. */
async function mend(server: ApiServer, { applied }: SchemaStory, x: Value): Promise<string[]> {
  const mended = await send(server, "PATCH", `${path}?fieldManager=ctl`, { spec: { x } }, "merge")
  const lines = [`mended: ${told(mended)}`]
  for (const manager in applied) lines.push(`${manager} with it: ${told(await apply(server, manager, { x }))}`)
  return lines
}

function definitionWith(x: MapValue | null): MapValue {
  const properties = { ...(x !== null && { x }), y: { type: "string" } }
  return definitionOf("Widget", { schema: { properties: { spec: { type: "object", properties } } } })
}

function apply(server: ApiServer, manager: string, spec: MapValue, options = "") {
  const object = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" }, spec }
  return send(server, "PATCH", `${path}?fieldManager=${manager}${options}`, object, "apply")
}

function told({ status, body }: Sent): string {
  return status === 200 ? owners(body) : `${String(body.code)} ${String(body.message)}`
}

/** The paths below `spec` that each manager owns. */
function sets(object: MapValue): Map<string, string> {
  return new Map(
    (readManagedFields(object) ?? []).map(({ manager = "", fieldsV1 }) => {
      const paths = [...decodeFields(fieldsV1 as Value).set.withPrefix(fieldElement("spec"))]
      return [manager, paths.map(formatPath).sort().join(" ")]
    }),
  )
}

function owners(object: MapValue): string {
  return `${JSON.stringify(object.spec)} ${[...sets(object)].map(([manager, set]) => `${manager} ${set}`).join("; ")}`
}
