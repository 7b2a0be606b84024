// Counters, and the text format that Prometheus reads.
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
