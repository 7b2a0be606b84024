import type { Blame } from "../../tools/ownership/blame.js"
import type { MapValue, Value } from "../../value/value.js"
import { filesOptions } from "../input/application.js"
import { liveObjectOptions } from "../input/cluster-options.js"
import { type Document, forEach, InputError, requested } from "../input/document.js"
import { isDefinition } from "../input/document-types.js"
import { readLiveObjects } from "../input/live-objects.js"
import { readLiveObject } from "../input/managed-fields.js"
import { flag, outOption, outputOption, schemaOptions, UsageError, type ValuesOf } from "../input/options.js"
import { loadTypes, type Types } from "../input/types.js"
import { formatBlame } from "../output/blame.js"
import { formatResults, reportFindings } from "../output/results.js"
import type { StreamedCommand } from "../stream/judge.js"
import { auditOption, streamNotes, streamOptions } from "../stream/options.js"
import { command } from "./command.js"

const options = {
  ...filesOptions,
  ...liveObjectOptions,
  ...schemaOptions,
  output: outputOption(["text", "json", "yaml"], "text for people, or data for programs"),
  out: outOption,
  ...streamOptions,
  summary: {
    ...flag("with --stream: write how many objects and fields each manager owns, instead of a line for each object"),
    group: "Streams" as const,
  },
  from: auditOption,
}

const stream: StreamedCommand<ValuesOf<typeof options>> = {
  result: "blame",
  readsAudit: true,
  async summaryOf({ summary }) {
    return summary ? new (await import("../output/owner-summary.js")).OwnerSummary() : undefined
  },
  async prepare(args, input) {
    if (args.summary) {
      const { ownedCounts } = await import("../output/owner-summary.js")
      return document => ({ result: ownedCounts(readLiveObject(document)), status: 0 })
    }
    const types = await loadTypes(args, input)
    const blameOf = await blamer(types)
    return document => ({ result: blameOf(readLiveObject(document), document), status: 0 })
  },
}

export const blame = command({
  name: "blame",
  alias: "owners",
  summary: "Show who owns each field and item of live objects",
  operands: "LIVE...",
  options,
  notes: [
    "Prints the fields of each object as a tree, with their values and the managers that own them. Then it prints the managers: the",
    "operation and time of their last change, and the number of fields that they own. The value (gone) marks a field that has an",
    "owner but is no longer in the object. A version other than the object's is marked as such.",
    "",
    "LIVE is a file, a folder or -, with any number of objects and Lists, or an object of a cluster as kubectl get names it. kubectl",
    "omits managedFields unless it is told to show them.",
    ...streamNotes("each gives a line of JSON, with the data of --output json."),
    "With --summary, the output has a line for each manager and operation instead: how many objects and fields it owns, and the time of its",
    "last change. The memory that this takes does not grow with the number of objects.",
  ],
  examples: [
    "smd blame deployment/web -n shop",
    "kubectl get deployment web -o yaml --show-managed-fields | smd blame -",
    "smd blame -f live/ -R",
    "smd owners live.yaml --output json",
    "kubectl get pods -A -o json --show-managed-fields | smd blame --stream --jobs 4",
    "smd blame --stream --from audit audit.jsonl",
    "smd blame --stream --summary --jobs 2 fleet.ndjson",
  ],
  stream,
  async run({ args, input, terminal }) {
    const { output: form = "text" } = args
    if (args.summary) throw new UsageError("--summary needs --stream")
    const documents = await readLiveObjects(args, input, "LIVE")
    const types = await loadTypes(args, input, documents.filter(isDefinition))
    const blameOf = await blamer(types)
    const found = await forEach(documents, document => {
      const object = readLiveObject(document)
      return { document, object, blame: blameOf(object, document) }
    })
    for (const { document, blame } of found) reportFindings(document, blame.findings, terminal)
    if (form === "text") {
      terminal.write(
        found.map(({ object, blame }) => formatBlame(blame, input.secrets.hide(object), terminal)).join("\n"),
      )
    } else
      terminal.write(
        formatResults(
          found.map(({ blame }) => input.secrets.hide(dataOf(blame))),
          form,
        ),
      )
    return 0
  },
})

/** Returns a function that finds the owners of the fields of an object, which is the value of the document. */
async function blamer(types: Types): Promise<(object: MapValue, document: Document) => Blame> {
  const { blame } = await import("../../tools/ownership/blame.js")
  return (object, document) => {
    const type = typeIfKnown(document, types)
    const found = type && { schema: type.schema.schema, typeName: type.name }
    return requested(document, () => blame(object, { types: { find: () => found } }))
  }
}

/** Returns the type of the document; undefined without a type, because the owners' fields show nearly as much. */
function typeIfKnown(document: Document, types: Types) {
  try {
    return types.typeOf(document)
  } catch (error) {
    if (error instanceof InputError) return undefined
    throw error
  }
}

function dataOf(blame: Blame): Value {
  return { ...blame } as unknown as Value
}
