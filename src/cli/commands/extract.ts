import type { Managed } from "../../managedfields/entries/managed.js"
import { parseManagerId } from "../../managedfields/entries/manager-id.js"
import { extract as extractApplied } from "../../managedfields/extract.js"
import { own, put } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { InputError, typedDocument } from "../input/input.js"
import { decodeOwners, isKubernetes, takeOffManagedFields } from "../input/managed-fields.js"
import { managerName } from "../input/manager-name.js"
import { outputOption, schemaOptions } from "../input/options.js"
import { loadTypes } from "../input/types.js"
import { chosenPolicy, unionsOption } from "../input/unions.js"
import { formatDocument } from "../output/document.js"
import { listWords } from "../output/layout.js"
import type { Command } from "./command.js"

export const extract: Command = {
  name: "extract",
  summary: "Print the configuration a manager has applied",
  operands: "LIVE",
  options: [
    { name: "manager", value: "NAME", help: "whose configuration (required)" },
    { name: "subresource", value: "NAME", help: "what it has applied there, such as status" },
    unionsOption,
    ...schemaOptions,
    outputOption,
  ],
  notes: [
    "Prints the fields the manager owns as an applier, with the values they have now, and which object it is: to be changed",
    "and applied again where the original is lost, or never was a file. Discriminators of unions that the engine writes by",
    "itself are left out, so that another member can be put in place of the one that is there.",
  ],
  examples: [
    "kubectl get deployment web -o yaml --show-managed-fields | smd extract --manager web-team -",
    "smd extract --manager operator --subresource status --crd widgets-crd.yaml widget.yaml",
  ],
  async run({ args, input, terminal }) {
    const [file] = args.expect("LIVE") as [string]
    const manager = managerName(args)
    const subresource = args.get("subresource") ?? ""
    const unions = chosenPolicy(args)
    const types = await loadTypes(args, input)
    const document = await input.document(file)
    const type = types.typeOf(document)
    const { value } = document
    if (!isMap(value) || !isKubernetes(value)) {
      throw new InputError(`${document.at([])}: the live object has to be a map with apiVersion, kind and metadata`)
    }
    const owners = decodeOwners(document)
    typedDocument({ ...document, value: takeOffManagedFields(value) }, type)
    const finder = { find: () => ({ schema: type.schema.schema, typeName: type.name }) }
    const extracted = extractApplied(value, { types: finder, manager, subresource, unions })
    if (extracted === undefined) {
      throw new InputError(`${document.file}: ${manager} has applied nothing${to(subresource)}${others(owners)}`)
    }
    terminal.write(formatDocument(withIdentity(extracted, value), args.output ?? "yaml"))
    return 0
  },
}

function to(subresource: string): string {
  return subresource === "" ? "" : ` to ${subresource}`
}

/** Who has applied something: the name given may be a slip. */
function others({ fields }: Managed): string {
  const appliers: string[] = []
  for (const [id, { applied }] of fields) {
    const { manager = "", subresource = "" } = (applied ? parseManagerId(id) : undefined) ?? {}
    if (applied) appliers.push(`${manager}${to(subresource)}`)
  }
  return appliers.length === 0 ? "; nobody has" : `; ${listWords(appliers)} did`
}

/** With name and namespace in front of the rest of metadata. Nobody owns them, and an apply needs them. */
function withIdentity(extracted: MapValue, live: MapValue): MapValue {
  const from = own(live, "metadata")
  const to = own(extracted, "metadata")
  const metadata: Record<string, Value> = {}
  for (const key of ["name", "namespace"]) {
    const value = isMap(from) ? own(from, key) : undefined
    if (value !== undefined) metadata[key] = value
  }
  if (isMap(to)) for (const key in to) put(metadata, key, to[key] as Value)
  const { apiVersion = null, kind = null, metadata: _, ...rest } = extracted
  return { apiVersion, kind, metadata, ...rest }
}
