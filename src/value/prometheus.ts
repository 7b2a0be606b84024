// Counters, and the text format in which Prometheus reads them.
import { compareStrings } from "./compare.js"

/** The content type of the text format. */
export const prometheusType = "text/plain; version=0.0.4; charset=utf-8"

/** The names and values of labels. */
export type Labels = Readonly<Record<string, string>>

/** Adds to the count of these labels. The counts are kept by the text of the labels, which is how they are shown. */
export function increase(counts: Map<string, number>, labels: Labels, by: number): void {
  const key = labelText(labels)
  counts.set(key, (counts.get(key) ?? 0) + by)
}

/** `{code="200",verb="GET"}`, with the labels in order; nothing where there are none. */
export function labelText(labels: Labels): string {
  const parts = Object.keys(labels)
    .sort(compareStrings)
    .map(name => `${name}="${escaped(labels[name] as string)}"`)
  return parts.length === 0 ? "" : `{${parts.join(",")}}`
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
}

/** A metric as text: what it is, and its samples, each the text of its labels and a value, in the order of their text. */
export function metricText(
  name: string,
  type: "counter" | "gauge",
  help: string,
  samples: Iterable<readonly [labels: string, value: number]>,
): string {
  const lines = Array.from(samples, ([labels, value]) => `${name}${labels} ${value}\n`).sort(compareStrings)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`
}
