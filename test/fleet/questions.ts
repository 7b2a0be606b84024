// Asks DuckDB the questions of docs/fleets.md, and compares its answers with those of a few lines of plain code.
import { createReadStream } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { projectRoot } from "../support/entries.js"
import { isFoughtOver } from "./audit.js"
import { queries, recipe } from "./recipes.js"
import type { Report } from "./report.js"
import type { Workplace } from "./shell.js"

/** A row of an answer. */
type Row = readonly (string | number | null | readonly string[])[]

/** A record of `smd blame --stream`, with the parts that the questions use. Records of errors are left out. */
interface Owned {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly uid: string
  readonly blame: {
    readonly fields: readonly { readonly path: string; readonly owners: readonly { manager: string }[] }[]
  }
}

/** An object, with the parts that the questions use. */
interface Live {
  readonly kind: string
  readonly metadata: { readonly namespace?: string; readonly name: string; readonly managedFields: object }
  readonly spec?: object
}

/** Computes the answer to each question, by its heading. */
const plain: Readonly<Record<string, (place: Workplace) => Promise<Row[]>>> = {
  "Which managers own how many fields?": async place => {
    const fields = new Map<string, number>()
    const objects = new Map<string, Set<string>>()
    for await (const { uid, blame } of records<Owned>(place, "owners.ndjson")) {
      for (const { manager } of blame.fields.flatMap(({ owners }) => owners)) {
        fields.set(manager, (fields.get(manager) ?? 0) + 1)
        objects.set(manager, (objects.get(manager) ?? new Set()).add(uid))
      }
    }
    const rows = [...fields].map(([manager, count]): Row => [manager, count, objects.get(manager)?.size ?? 0])
    return rows.toSorted((a, b) => compare([-Number(a[1]), a[0]], [-Number(b[1]), b[0]]))
  },
  "Whose managedFields are larger than their spec?": async place => {
    const rows: Row[] = []
    for await (const { kind, metadata, spec } of records<Live>(place, "objects.ndjson")) {
      const [bytes, specBytes] = [sizeOf(metadata.managedFields), spec === undefined ? Number.NaN : sizeOf(spec)]
      if (bytes > specBytes) rows.push([kind, metadata.namespace ?? null, metadata.name, bytes, specBytes])
    }
    return rows.toSorted((a, b) => compare([-Number(a[3]), a[2]], [-Number(b[3]), b[2]])).slice(0, 100)
  },
  "Which fields have three owners or more?": async place => {
    const rows: Row[] = []
    for await (const { kind, namespace = null, name, blame } of records<Owned>(place, "owners.ndjson")) {
      for (const { path, owners } of blame.fields) {
        const managers = owners.map(({ manager }) => manager)
        if (managers.length >= 3) rows.push([kind, namespace, name, path, managers])
      }
    }
    const key = ([, , name, path, managers]: Row) => [-(managers as string[]).length, name, path]
    return rows.toSorted((a, b) => compare(key(a), key(b))).slice(0, 100)
  },
  "Who fights?": async place => {
    const last = new Map<string, string>()
    const found = new Map<string, { row: Row; changes: number; managers: Set<string> }>()
    for await (const { uid, kind, namespace = null, name, blame } of records<Owned>(place, "history.ndjson")) {
      for (const { path, owners } of blame.fields) {
        const managers = owners.map(({ manager }) => manager)
        const key = `${uid} ${path}`
        const [before, now] = [last.get(key), JSON.stringify(managers)]
        last.set(key, now)
        if (before === undefined || before === now) continue
        const fight = found.get(key) ?? { row: [kind, namespace, name, path], changes: 0, managers: new Set() }
        fight.changes++
        for (const manager of managers) fight.managers.add(manager)
        found.set(key, fight)
      }
    }
    const fights = [...found.values()].filter(({ changes }) => changes >= 3)
    const rows = fights.map(({ row, changes, managers }): Row => [...row, changes, [...managers].toSorted()])
    return rows.toSorted((a, b) => compare([-Number(a[4]), a[2], a[3]], [-Number(b[4]), b[2], b[3]]))
  },
}

/** An object that can't be read. It must not affect the others. */
const unreadable = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "unreadable", managedFields: {} } }

/** How many objects the audit log is about. */
const watched = 60

/** Asks each question of `objects` objects, and of an audit log. */
export async function askQuestions(place: Workplace, report: Report, objects: number): Promise<void> {
  await place.make("objects.ndjson", objects, "ndjson")
  place.append("objects.ndjson", `${JSON.stringify(unreadable)}\n`)
  await place.make("audit.log", watched, "audit")
  for (const heading of ["What can go wrong", "Audit logs"]) {
    const { status, said } = await place.run(recipe(heading, "sh"))
    report.check(status === 0, `${heading}: exit status ${status}\n${said}`)
    if (status !== 0) return
  }
  const [errors, all] = await place.ask('grep -c \',"error":{"code":\' owners.ndjson; wc -l < owners.ndjson')
  report.check(
    errors === "1" && Number(all) === objects + 1,
    `${errors} errors in ${all} records of ${objects + 1} objects`,
  )
  const asked = queries()
  report.check(sameText(Object.keys(plain), [...asked.keys()]), "docs/fleets.md has other questions than are tested")
  for (const [question, sql] of asked) {
    place.write("query.sql", sql)
    const lines = await place.ask(`python3 "${join(projectRoot, "test/fleet/ask.py")}" < query.sql`)
    const answer = lines.filter(line => line !== "").map(line => JSON.parse(line) as Row)
    const wanted = (await plain[question]?.(place)) ?? []
    report.check(wanted.length > 0 && sameText(answer, wanted), `${question} ${firstDifference(answer, wanted)}`)
    report.say(`${question} ${answer.length} rows, the first ${JSON.stringify(answer[0])}`)
    if (question === "Who fights?") {
      const fights = Array.from({ length: watched }, (_, i) => i).filter(isFoughtOver).length
      report.check(answer.length === fights, `${question} ${answer.length} fields, not ${fights}`)
    }
  }
}

/** Reads the records of a file, without those of errors. */
async function* records<T>(place: Workplace, file: string): AsyncGenerator<Awaited<T>> {
  const lines = createInterface({ input: createReadStream(place.path(file)), crlfDelay: Number.POSITIVE_INFINITY })
  for await (const line of lines) {
    const record: object = JSON.parse(line)
    if (!("error" in record)) yield record as Awaited<T>
  }
}

function sizeOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Compares part by part. All texts are ASCII, so `<` orders them by bytes. */
function compare(a: readonly unknown[], b: readonly unknown[]): number {
  const at = a.findIndex((part, i) => part !== b[i])
  if (at < 0) return 0
  return (a[at] as string | number) < (b[at] as string | number) ? -1 : 1
}

function sameText(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function firstDifference(answer: readonly Row[], wanted: readonly Row[]): string {
  const at = wanted.findIndex((row, i) => !sameText(row, answer[i]))
  return `${answer.length} rows, not ${wanted.length}; row ${at} is ${JSON.stringify(answer[at])}, not ${JSON.stringify(wanted[at])}`
}
