/** Returns the samples of a text in Prometheus' format, by name and labels. */
export function samplesOf(text: string): Record<string, number> {
  const lines = text.split("\n").filter(line => line !== "" && !line.startsWith("#"))
  return Object.fromEntries(
    lines.map(line => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  )
}
