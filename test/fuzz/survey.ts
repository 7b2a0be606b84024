import { isMap, type ParsedMap } from "../support/answers.js"

/** Counts answers by operation and outcome: how many generated requests succeed, conflict or are refused. */
export class Survey {
  private readonly counts = new Map<string, Map<string, number>>()
  private readonly texts = new Map<string, number>()

  /** Counts the answer, or each step of a story. */
  add(op: string, answer: ParsedMap): void {
    if (Array.isArray(answer.steps)) {
      for (const step of answer.steps) if (isMap(step)) this.count("step", step)
    }
    this.count(op, answer)
  }

  private count(op: string, answer: ParsedMap): void {
    const outcome = outcomeOf(answer)
    const row = this.counts.get(op) ?? new Map<string, number>()
    row.set(outcome, (row.get(outcome) ?? 0) + 1)
    this.counts.set(op, row)
    const text = answer.panic ?? answer.error
    if (typeof text !== "string" || outcome === "conflict") return
    const pattern = `${op} ${outcome}: ${text
      .split("\n")[0]
      ?.replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
      .replace(/\d+/g, "0")
      .slice(0, 90)}`
    this.texts.set(pattern, (this.texts.get(pattern) ?? 0) + 1)
  }

  /** Returns a line for each operation, then the most frequent errors. */
  text(): string {
    const lines: string[] = []
    for (const [op, row] of [...this.counts].sort()) {
      const shares = [...row].sort((a, b) => b[1] - a[1]).map(([outcome, count]) => `${count} ${outcome}`)
      lines.push(`${op}: ${shares.join(", ")}`)
    }
    const commonest = [...this.texts].sort((a, b) => b[1] - a[1]).slice(0, 40)
    for (const [pattern, count] of commonest) lines.push(`${String(count).padStart(6)} ${pattern}`)
    return `${lines.join("\n")}\n`
  }
}

function outcomeOf(answer: ParsedMap): string {
  if (Object.hasOwn(answer, "panic")) return "panic"
  if (Object.hasOwn(answer, "conflicts")) return "conflict"
  if (Object.hasOwn(answer, "error")) return "error"
  return answer.noop === true ? "noop" : "ok"
}
