import {
  type CompareOptions,
  type Difference,
  difference,
  isMap,
  type ParsedMap,
  parseExact,
} from "../support/answers.js"
import { isIntended } from "./parity.js"
import type { Answerer } from "./process.js"
import type { Request } from "./requests.js"

/** A request line whose answers differ. */
export interface Finding {
  readonly line: string
  readonly ours: string
  readonly reference: string
  readonly difference: Difference
}

/** Compares the answers of two programs to the same request lines. */
export class Comparison {
  /** How many requests the reference answered differently from run to run, and in one run as we do. */
  varying = 0

  constructor(
    private readonly ours: Answerer,
    private readonly reference: Answerer,
    private readonly options: CompareOptions,
  ) {}

  /** Returns for each line the difference of the answers, or null. Both programs work at the same time. */
  async findings(lines: readonly string[]): Promise<(Finding | null)[]> {
    const [ours, reference] = await Promise.all([this.ours.ask(lines), this.reference.ask(lines)])
    const found: (Finding | null)[] = []
    for (let i = 0; i < lines.length; i++) {
      found.push(await this.confirmed(lines[i] as string, ours[i] as string, reference[i] as string))
    }
    return found
  }

  // The reference walks its maps in random order, so a difference counts only if repeated requests never give our answer. If the
  // reference's own error texts vary, a different text from us does not count either. Some orders of a small Go map come up only
  // one time in eight, hence the many repeats.
  private async confirmed(line: string, ours: string, reference: string): Promise<Finding | null> {
    const differs = this.differs(reference, ours)
    if (differs === null || isIntended(JSON.parse(line) as Request, differs)) return null
    let again = await this.reference.ask(repeated(line, 100))
    const varies = again.some(answer => difference(parsed(reference), parsed(answer), { words: true }) !== null)
    const matches = (): boolean => again.some(answer => this.differs(answer, ours) === null)
    if (varies && !matches()) again = again.concat(await this.reference.ask(repeated(line, 600)))
    if (!matches() && !(varies && differs.kind === "words")) return { line, ours, reference, difference: differs }
    this.varying++
    return null
  }

  private differs(reference: string, ours: string): Difference | null {
    return reference === ours ? null : difference(parsed(reference), parsed(ours), this.options)
  }
}

function repeated(line: string, times: number): string[] {
  return Array.from({ length: times }, () => line)
}

/** Parses an answer line as a map. Any other line counts as a crash. */
export function parsed(line: string): ParsedMap {
  try {
    const answer = parseExact(line)
    if (isMap(answer)) return answer
  } catch {
    // The code below reports it.
  }
  return { panic: `not an answer: ${line.slice(0, 200)}` }
}
