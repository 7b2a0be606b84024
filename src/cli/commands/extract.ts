import { parseManagerId } from "../../managedfields/entries/manager-id.js"
import { extract as extractApplied } from "../../managedfields/extract.js"
import { withName } from "../../tools/ownership/object-name.js"
import { listAnd } from "../../value/words.js"
import { filesOptions } from "../input/application.js"
import { liveObjectOptions, namesCluster } from "../input/cluster-options.js"
import { type Document, forEach, InputError, requested } from "../input/document.js"
import { isDefinition } from "../input/document-types.js"
import { readLiveObjects } from "../input/live-objects.js"
import { decodeOwners, entriesOf, readKubernetesObject, takeOffManagedFields } from "../input/managed-fields.js"
import { managerOption } from "../input/manager-name.js"
import { inPlaceOption, option, outOption, schemaOptions, UsageError } from "../input/options.js"
import { typedDocument } from "../input/problems.js"
import { loadTypes } from "../input/types.js"
import { policyFor, unionOptions } from "../input/unions.js"
import { formatObjects, objectOutputOption } from "../output/document.js"
import { onlyFile } from "../output/out.js"
import { command } from "./command.js"

export const extract = command({
  name: "extract",
  summary: "Print the configuration a manager has applied",
  operands: "LIVE...",
  isPrinter: true,
  options: {
    manager: managerOption("whose configuration to print"),
    ...filesOptions,
    ...liveObjectOptions,
    subresource: option("NAME", "print what the manager has applied to this subresource, such as status"),
    ...unionOptions,
    ...schemaOptions,
    output: objectOutputOption,
    out: outOption,
    inPlace: inPlaceOption("LIVE, which then holds only the configuration"),
  },
  notes: [
    "Prints the fields that the manager owns as an applier, with their current values, and the name of the object. Use the result",
    "as a configuration if the original is lost or never was a file. Discriminators that the engine writes itself are omitted, so",
    "that you can replace the member of a union. With several objects, objects without fields of the manager are skipped.",
  ],
  examples: [
    "smd extract --manager web-team deployment/web -n shop",
    "kubectl get deployment web -o yaml --show-managed-fields | smd extract --manager web-team -",
    "smd extract --manager operator --subresource status --crd widgets-crd.yaml widget.yaml",
  ],
  inPlaceFile(args) {
    if (namesCluster(args)) throw new UsageError("--in-place replaces a file, not objects of a cluster")
    return onlyFile([...args.operands, ...args.filename], "file of live objects")
  },
  async run({ args, input, terminal }) {
    const { manager, subresource = "" } = args
    const documents = await readLiveObjects(args, input, "LIVE")
    const types = await loadTypes(args, input, documents.filter(isDefinition))
    const policyOf = policyFor(args, input)
    const found = await forEach(documents, document => {
      const type = types.typeOf(document)
      const value = readKubernetesObject(document, "the live object")
      entriesOf(document)
      const unions = policyOf(document, type)
      const finder = { find: () => ({ schema: type.schema.schema, typeName: type.name }) }
      const request = () => extractApplied(value, { types: finder, manager, subresource, ...(unions && { unions }) })
      const extracted = requested(document, request, () => {
        decodeOwners(document)
        typedDocument({ ...document, value: takeOffManagedFields(value) }, type)
      })
      return extracted === undefined ? [] : [withName(extracted, value)]
    })
    const objects = found.flat()
    if (args.inPlace) requireAllExtracted(documents, found, manager)
    if (objects.length === 0) {
      const [{ file } = { file: "cluster" }] = documents
      throw new InputError(`${file}: ${manager} has applied nothing${to(subresource)}${others(documents)}`)
    }
    terminal.write(formatObjects(objects, args, input.secrets))
    return 0
  },
})

/** Throws an InputError if the file would lose an object that the manager has never applied. */
function requireAllExtracted(documents: readonly Document[], found: readonly object[][], manager: string): void {
  const lost = documents.filter((_, i) => found[i]?.length === 0)
  if (lost.length === 0) return
  throw new InputError(
    lost.map(
      document =>
        `${document.at([])}: --in-place would remove this object, of which ${manager} has applied nothing; use --out`,
    ),
  )
}

function to(subresource: string): string {
  return subresource === "" ? "" : ` to ${subresource}`
}

/** Formats the names of the managers that have applied something, because the given name may be misspelled. */
function others(documents: readonly Document[]): string {
  const appliers = new Set<string>()
  for (const document of documents) {
    for (const [id, { applied }] of decodeOwners(document).fields) {
      const { manager = "", subresource = "" } = (applied ? parseManagerId(id) : undefined) ?? {}
      if (applied) appliers.add(`${manager}${to(subresource)}`)
    }
  }
  return appliers.size === 0 ? "; nobody has" : `; ${listAnd([...appliers])} did`
}
