// Counters, histograms, and the text format that Prometheus reads.
import { compareStrings } from "./compare.js"

/** The content type of the text format. */
export const prometheusType = "text/plain; version=0.0.4; charset=utf-8"

/** Labels: their values by name. */
export type Labels = Readonly<Record<string, string>>

/** Adds `by` to the count of these labels. The key of a count is the text of its labels. */
export function increase(counts: Map<string, number>, labels: Labels, by: number): void {
  const key = labelText(labels)
  counts.set(key, (counts.get(key) ?? 0) + by)
}

/** Returns the labels as `{code="200",verb="GET"}`, sorted by name; "" without labels. */
export function labelText(labels: Labels): string {
  const parts = Object.keys(labels)
    .sort(compareStrings)
    .map(name => `${name}="${escaped(labels[name] as string)}"`)
  return parts.length === 0 ? "" : `{${parts.join(",")}}`
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
}

/** Returns a metric as text: its help and type, then its sorted samples. A sample is the text of its labels and a value. */
export function metricText(
  name: string,
  type: "counter" | "gauge",
  help: string,
  samples: Iterable<readonly [labels: string, value: number]>,
): string {
  const lines = Array.from(samples, ([labels, value]) => `${name}${labels} ${value}\n`).sort(compareStrings)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`
}

/** Counts values in buckets, by labels. */
export class Histogram {
  private readonly name: string
  private readonly bounds: readonly number[]
  // Keyed by the values of the labels. A bucket counts the values that fit no smaller one; the last has no bound.
  private readonly series = new Map<string, { readonly labels: Labels; readonly buckets: number[]; sum: number }>()

  /** `bounds` are the upper bounds of the buckets, in ascending order. */
  constructor(name: string, bounds: readonly number[]) {
    this.name = name
    this.bounds = bounds
  }

  /** Counts one value. */
  observe(labels: Labels, value: number): void {
    const key = Object.values(labels).join(" ")
    let series = this.series.get(key)
    if (series === undefined) {
      this.series.set(key, (series = { labels, buckets: Array(this.bounds.length + 1).fill(0), sum: 0 }))
    }
    const at = this.bounds.findIndex(bound => value <= bound)
    const bucket = at < 0 ? this.bounds.length : at
    series.buckets[bucket] = (series.buckets[bucket] as number) + 1
    series.sum += value
  }

  /** Returns the metric as text. Each bucket includes those before it. */
  text(help: string): string {
    const { name, bounds } = this
    const parts = Array.from(this.series.values(), ({ labels, buckets, sum }) => {
      let count = 0
      const lines = buckets.map((size, index) => {
        count += size
        return `${name}_bucket${labelText({ ...labels, le: String(bounds[index] ?? "+Inf") })} ${count}\n`
      })
      const text = labelText(labels)
      return [text, `${lines.join("")}${name}_sum${text} ${sum}\n${name}_count${text} ${count}\n`] as const
    })
    const sorted = parts.sort(([a], [b]) => compareStrings(a, b)).map(([, lines]) => lines)
    return `# HELP ${name} ${help}\n# TYPE ${name} histogram\n${sorted.join("")}`
  }
}
