import { parseArgs } from "node:util"

/** The options of the fuzzer. */
export interface Options {
  readonly seed: number
  /** The number of cases, starting with `first`. */
  readonly cases: number
  readonly first: number
  /** Ends the run after this many seconds, even if cases are left. */
  readonly seconds: number
  readonly layer: string
  readonly only: string | undefined
  /** Whether error texts must be equal too. */
  readonly words: boolean
  /** The number of differences after which the run ends. */
  readonly show: number
  readonly shrink: boolean
  /** Writes the requests to this file instead of comparing answers. */
  readonly write: string | undefined
  /** The command of this project's program; undefined for the driver. */
  readonly ours: string | undefined
  /** The release of the reference, or another command that takes its place. */
  readonly reference: string
  /** Sends requests to the reference only, and counts its answers by operation. */
  readonly survey: boolean
}

export const usage = `Sends random requests to this project and to the reference, and reports where their answers differ.

  npm run fuzz -- [--cases N] [--seed S] [--layer core|unions|kubernetes|apiserver|yaml] [--only OP]

  --cases N       how many requests (default 10000)
  --seed S        where the random choices start (default: the clock)
  --layer NAME    core (default), unions, kubernetes, apiserver or yaml
  --only OP       requests of this operation alone
  --case I        case I of the seed alone
  --seconds T     stop after T seconds
  --words         error texts must be equal too
  --show N        report up to N differences (default 1)
  --no-shrink     report requests as they were generated
  --write FILE    write the requests as JSON lines {name, request}, ask nobody
  --survey        ask the reference alone, count its answers by operation
  --reference R   v6 (default), v7, or the command of another program that takes the reference's place
  --ours CMD      the command of another program that takes this project's place
`

/** Parses the arguments. Returns null for `--help`. Throws a TypeError about unknown arguments. */
export function parseOptions(args: readonly string[], clock: number): Options | null {
  const { values } = parseArgs({ args: [...args], options: KNOWN, strict: true, allowPositionals: false })
  if (values.help === true) return null
  const one = values.case !== undefined
  return {
    seed: wholeNumber("seed", values.seed ?? String(clock % 1_000_000_007)),
    cases: one ? 1 : wholeNumber("cases", values.cases ?? "10000"),
    first: one ? wholeNumber("case", values.case ?? "") : 0,
    seconds: values.seconds === undefined ? Number.POSITIVE_INFINITY : wholeNumber("seconds", values.seconds),
    layer: values.layer ?? "core",
    only: values.only,
    words: values.words ?? false,
    show: wholeNumber("show", values.show ?? "1"),
    shrink: values["no-shrink"] !== true,
    write: values.write,
    ours: values.ours,
    reference: values.reference ?? "v6",
    survey: values.survey ?? false,
  }
}

const KNOWN = {
  cases: { type: "string" },
  seed: { type: "string" },
  layer: { type: "string" },
  only: { type: "string" },
  case: { type: "string" },
  seconds: { type: "string" },
  words: { type: "boolean" },
  show: { type: "string" },
  "no-shrink": { type: "boolean" },
  write: { type: "string" },
  survey: { type: "boolean" },
  ours: { type: "string" },
  reference: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new TypeError(`--${name} takes a whole number, not ${text}`)
  return Number(text)
}
