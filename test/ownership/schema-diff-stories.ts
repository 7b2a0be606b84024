/** A kind of change of a definition, played on the test API server: what is applied before, and what then becomes of owners. */
import { type ApiServer, createApiServer } from "../../src/apiserver/server.js"
import { fieldElement } from "../../src/fieldpath/element.js"
import { decodeFields } from "../../src/fieldpath/fieldsv1/object.js"
import { formatPath } from "../../src/fieldpath/path.js"
import { readManagedFields } from "../../src/managedfields/entries/entry.js"
import { schemaFromCRD } from "../../src/openapi/crd.js"
import type { SchemaChangeCode } from "../../src/ownership/schema-changes.js"
import { type SchemaDiff, schemaDiff } from "../../src/ownership/schema-diff.js"
import type { MapValue, Value } from "../../src/value/value.js"
import { type Sent, send, widgets } from "../apiserver/union-server.js"
import { definitionOf } from "../support/definition.js"

export interface SchemaStory {
  /** The schema of `spec.x`, before and after; null for a field that is not there. */
  readonly old: MapValue | null
  readonly now: MapValue | null
  /** What `spec` says beside its properties, before and after. */
  readonly spec?: readonly [MapValue, MapValue]
  /** Who has applied what to `spec`. */
  readonly applied: Readonly<Record<string, MapValue>>
  /** What else somebody may apply as `x` after the change, each on its own. */
  readonly tries?: readonly (readonly [manager: string, x: Value])[]
  /** Other changes that go with it. */
  readonly also?: readonly SchemaChangeCode[]
  /** A value of `x` that fits the new schema, where that of the object does not. */
  readonly mended?: Value
}

export interface Played {
  /** The object as it was, and its definitions. */
  readonly object: MapValue
  readonly diff: SchemaDiff
  /** What everybody owned, then after somebody has written something else, and after each has applied the same again. */
  readonly lines: readonly string[]
  /** The managers of whom that is not always the same. */
  readonly concerned: readonly string[]
}

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
const path = `${widgets}/w`

export async function play(story: SchemaStory): Promise<Played> {
  const [before, after] = ([0, 1] as const).map(i => definition(story, i)) as [MapValue, MapValue]
  const server = createApiServer({ crds: [before], unions: "v4" })
  for (const manager in story.applied) await apply(server, manager, story.applied[manager] as MapValue)
  const object = (await send(server, "GET", path)).body as MapValue
  const lines = [`before: ${owners(object)}`]
  const { body } = await send(server, "GET", `${definitions}/widgets.example.com`)
  const replaced = await send(server, "PUT", `${definitions}/widgets.example.com`, {
    ...after,
    metadata: body.metadata,
  })
  if (replaced.status !== 200) throw new Error(JSON.stringify(replaced.body))
  const wrote = await send(server, "PATCH", `${path}?fieldManager=ctl`, { spec: { y: "z" } }, "merge")
  lines.push(`a write: ${wrote.status === 200 ? owners(wrote.body) : problem(wrote.body)}`)
  const concerned = new Set<string>()
  const had = sets(object)
  const note = ({ status, body }: Sent, own?: string) => {
    if (status === 500 && own !== undefined && !String(body.message).includes("live object")) concerned.add(own)
    if (status !== 200) return
    const has = sets(body)
    for (const [manager, set] of had) {
      const changed = has.get(manager) !== set && manager !== "cid"
      if (changed) concerned.add(manager)
    }
  }
  note(wrote)
  for (const [manager, x] of story.tries ?? []) {
    const { status, body } = await apply(server, manager, { x }, "&dryRun=All")
    lines.push(`${manager} with ${JSON.stringify(x)}: ${status === 200 ? owners(body) : problem(body)}`)
  }
  for (const manager in story.applied) {
    note(await apply(server, manager, story.applied[manager] as MapValue, "&dryRun=All&force=true"), manager)
    const sent = await apply(server, manager, story.applied[manager] as MapValue)
    lines.push(`${manager} again: ${sent.status === 200 ? owners(sent.body) : problem(sent.body)}`)
  }
  if (story.mended !== undefined) {
    const sent = await send(server, "PATCH", `${path}?fieldManager=ctl`, { spec: { x: story.mended } }, "merge")
    lines.push(`mended: ${sent.status === 200 ? owners(sent.body) : problem(sent.body)}`)
    for (const manager in story.applied) {
      const sent = await apply(server, manager, { x: story.mended })
      lines.push(`${manager} with it: ${sent.status === 200 ? owners(sent.body) : problem(sent.body)}`)
    }
  }
  const diff = schemaDiff(schemaFromCRD(before), schemaFromCRD(after), { objects: [object] })
  return { object, diff, lines, concerned: [...concerned].sort() }
}

function definition({ old, now, spec = [{}, {}] }: SchemaStory, side: 0 | 1): MapValue {
  const x = side === 0 ? old : now
  const properties = { ...(x !== null && { x }), y: { type: "string" } }
  return definitionOf("Widget", { schema: { properties: { spec: { type: "object", properties, ...spec[side] } } } })
}

function apply(server: ApiServer, manager: string, spec: MapValue, options = "") {
  const object = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" }, spec }
  return send(server, "PATCH", `${path}?fieldManager=${manager}${options}`, object, "apply")
}

function problem({ code, message }: { code: Value; message: string }): string {
  return `${String(code)} ${message}`
}

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
