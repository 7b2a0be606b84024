import { execFileSync } from "node:child_process"
import { cpus, loadavg, release as systemRelease, type as systemType, totalmem } from "node:os"
import { go, root } from "./build.js"
import { groupOf } from "./plan.js"

/** One line of results/compare.json. */
export interface ComparedCase {
  readonly name: string
  readonly ours_us: number
  readonly go_us: number
  /** The time of the reference divided by ours. */
  readonly ratio: number
  /** The same ratio for the processor time of all threads. */
  readonly cpu_ratio: number
  readonly ours_bytes: number
  readonly go_bytes: number
  /** The same ratio as `ratio`, and the bytes, for v7 of the reference. */
  readonly v7_ratio: number
  readonly v7_bytes: number
}

/** Returns Markdown: the machine, then a table for each group of cases. */
export function formatTables(results: readonly ComparedCase[], means: { readonly [group: string]: number }): string {
  const parts = [describeMachine()]
  parts.push(
    table(
      ["group", "geometric mean of ratios", "lowest ratio"],
      Object.entries(means).map(([group, mean]) => {
        const lowest = results.filter(({ name }) => groupOf(name) === group).toSorted((a, b) => a.ratio - b.ratio)[0]
        return [group, mean.toFixed(2), `${lowest?.ratio.toFixed(2)} (${lowest?.name.slice(group.length + 1)})`]
      }),
    ),
  )
  for (const group of Object.keys(means)) {
    const jsonOf = (name: string) => results.find(other => other.name === `JSON/${name.split("/")[1]}`)
    const comparesWithJson = results.some(({ name }) => group === "FieldManager" && jsonOf(name) !== undefined)
    const rows = results
      .filter(({ name }) => groupOf(name) === group)
      .map(({ name, ours_us, go_us, ratio, cpu_ratio, ours_bytes, go_bytes, v7_ratio, v7_bytes }) => {
        const label = `\`${name.slice(group.length + 1)}\``
        return [
          label,
          time(ours_us),
          time(go_us),
          ratio.toFixed(2),
          cpu_ratio.toFixed(2),
          bytes(ours_bytes),
          bytes(go_bytes),
          v7_ratio.toFixed(2),
          bytes(v7_bytes),
          ...(comparesWithJson ? [(ours_us / (jsonOf(name)?.ours_us ?? Number.NaN)).toFixed(2)] : []),
        ]
      })
    const head = ["case", "ours µs", "Go µs", "ratio", "CPU ratio", "ours B/op", "Go B/op", "v7 ratio", "v7 B/op"]
    parts.push(`### ${group}`, table(comparesWithJson ? [...head, "P"] : head, rows))
  }
  return parts.join("\n\n")
}

/** Returns `text` with the part between the two marks of this name replaced. */
export function replaceTables(text: string, tables: string, name: "results" | "growth" | "apiserver"): string {
  const start = `<!-- ${name} -->`
  const end = `<!-- end of ${name} -->`
  const from = text.indexOf(start)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error(`no ${start} ... ${end}`)
  return `${text.slice(0, from + start.length)}\n\n${tables}\n\n${text.slice(to)}`
}

export function describeMachine(): string {
  const [cpu] = cpus()
  const compiler = execFileSync(go, ["env", "GOVERSION"], { cwd: `${root}oracle`, encoding: "utf8" }).trim()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  // Our load is one core. A higher load means that other programs ran at the same time.
  const load = `Load average at the end: ${(loadavg()[0] ?? 0).toFixed(1)}.`
  const versions = `Node ${process.versions.node} (V8 ${process.versions.v8}), ${compiler}`
  return `${cpu?.model.trim()}, ${cpus().length} cores, ${memory}, ${systemType()} ${systemRelease()}. ${versions}. ${load}`
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const align = head.map((_, i) => (i === 0 ? ":--" : "--:"))
  return [head, align, ...rows].map(cells => `| ${cells.join(" | ")} |`).join("\n")
}

function time(microseconds: number): string {
  return microseconds >= 100 ? microseconds.toFixed(0) : microseconds.toPrecision(3)
}

function bytes(count: number): string {
  return count.toLocaleString("en-US").replaceAll(",", " ")
}
