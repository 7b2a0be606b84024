import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { deducedTypes } from "../../managedfields/types/object-types.js"
import { isMap, type Value } from "../../value/value.js"
import { InputError } from "../input/document.js"
import type { Input } from "../input/input.js"
import { logValues } from "../input/log-values.js"
import { documentOptions, flag, outOption, outputOption, requireOperands } from "../input/options.js"
import { finderOf, loadTypes } from "../input/types.js"
import { formatRecordDiff } from "../output/record-diff.js"
import { formatResults } from "../output/results.js"
import { compareRecordings } from "../traffic/compare.js"
import { type Exchange, exchangeOf } from "../traffic/exchange.js"
import { redacted } from "../traffic/redaction.js"
import { command } from "./command.js"

export const recordDiff = command({
  name: "record diff",
  summary: "Show the differences between the requests of two runs of a program",
  operands: "BEFORE AFTER",
  options: {
    writes: flag("compare only requests that write"),
    ...documentOptions,
    output: outputOption(["text", "json", "yaml"]),
    out: outOption,
  },
  notes: [
    "BEFORE and AFTER are files of smd serve --record, or audit logs.",
    "",
    "Compares the number of requests by verb, resource and manager, the bodies of writes with the fields that differ, the fields that each",
    "manager writes, the applies that are forced, and refusals with their conflicts. Requests about different objects, or by different managers, may",
    "come in any order; repeated equal writes count as one body.",
    "",
    "uids, resourceVersions, generated names, the names of Events and times of the run do not count, and neither do the values of Secrets.",
    "Fields of custom resources have their own lines if --crd names the definitions; otherwise lists differ as a whole.",
    "",
    "Exits with 1 if there is a difference.",
  ],
  examples: [
    "smd serve --record before.ndjson -- ./operator-1.0 --once",
    "smd serve --record after.ndjson -- ./operator-1.1 --once",
    "smd record diff before.ndjson after.ndjson",
    "smd record diff --writes --output json before.ndjson after.ndjson",
  ],
  async run({ args, input, terminal }) {
    const names = requireOperands(args, "BEFORE", "AFTER")
    const sides: (readonly Exchange[])[] = []
    for (const file of names) sides.push(await readExchanges(file, args.writes, input))
    const [before = [], after = []] = sides
    const known = finderOf(await loadTypes({ ...args, schema: undefined }, input))
    const types: TypeFinder = { find: (version, kind) => known.find(version, kind) ?? deducedTypes.find(version, kind) }
    const diff = compareRecordings(before, after, types)
    const { output: form = "text" } = args
    if (form === "text") terminal.write(formatRecordDiff(diff, names, terminal))
    else terminal.write(formatResults([diff as unknown as Value], form))
    return Object.values(diff).every(part => part.length === 0) ? 0 : 1
  },
})

/** Reads the requests of a file. Throws an InputError for a line of another kind. */
async function readExchanges(file: string, onlyWrites: boolean, input: Input): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = []
  for await (const { line, value, at } of logValues(file, input)) {
    const exchange = isMap(value) ? exchangeOf(value, line) : undefined
    if (exchange === undefined)
      throw new InputError(`${at}: is neither a line of --record nor an event of an audit log`)
    if (exchange === "other") continue
    const isWrite = !["get", "list", "watch"].includes(exchange.verb)
    const { body, answer } = exchange
    const kept = (content: Value | undefined) => content && redacted(content, exchange, input.secrets)
    if (isWrite || !onlyWrites) exchanges.push({ ...exchange, body: kept(body), answer: kept(answer) })
  }
  return exchanges
}
