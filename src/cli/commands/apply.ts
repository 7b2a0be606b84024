import { fieldElement, type PathElement } from "../../fieldpath/element.js"
import { valueAt } from "../../fieldpath/lookup.js"
import { formatPath, pathOf } from "../../fieldpath/path.js"
import { nobody } from "../../managedfields/entries/managed.js"
import { parseManagerId } from "../../managedfields/entries/manager-id.js"
import { ApplyConflictError } from "../../managedfields/status.js"
import { ConflictError } from "../../merge/conflict.js"
import type { Type } from "../../typed/type.js"
import { formatUnionChange, type UnionChange } from "../../union/report.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { type Document, InputError, typedDocument } from "../input/input.js"
import { decodeOwners, takeOffManagedFields } from "../input/managed-fields.js"
import { managerName } from "../input/manager-name.js"
import { outputOption, schemaOptions, UsageError } from "../input/options.js"
import { loadTypes } from "../input/types.js"
import { chosenPolicy, unionsOption } from "../input/unions.js"
import { conflictsByField, conflictsValue, formatConflict, formatConflicts } from "../output/conflicts.js"
import { formatDocument } from "../output/document.js"
import { indent, printable } from "../output/layout.js"
import type { Terminal } from "../terminal.js"
import { applyObject } from "./apply-object.js"
import type { Command, Context } from "./command.js"
import { endpointOf, subresourceOption } from "./endpoint.js"

export const apply: Command = {
  name: "apply",
  summary: "Apply a configuration to a live object, as a manager of its fields",
  operands: "CONFIG",
  options: [
    { name: "manager", value: "NAME", help: "who applies (required)" },
    {
      name: "live",
      value: "FILE",
      help: "the live object, with its managedFields; without it, CONFIG creates the object",
    },
    subresourceOption,
    { name: "force", help: "take fields that others own, instead of a conflict" },
    { name: "force-conflicts", help: "the same, as kubectl calls it" },
    unionsOption,
    ...schemaOptions,
    outputOption,
  ],
  notes: [
    "Prints the object as it is afterwards; metadata.managedFields say who owns which field. Where CONFIG would change a",
    "field that another manager owns, nothing is applied: the conflicts are printed, with --output json as JSON too, and",
    "smd exits with 1. Bad input: 2.",
    "",
    "What an API server does not let a request write stays as it is, and nobody owns it: .status, and with",
    "--subresource status what is not the status.",
    "",
    "Types are the built-in ones of Kubernetes; --openapi and --crd come before them. Both may be given several times.",
    "",
    "Unions that a schema or a CRD has are settled, and what is done to them is reported. The built-in types have none, as in",
    "an API server, unless --unions asks for a policy.",
  ],
  examples: [
    "smd apply --manager web-team deployment.yaml > live.yaml",
    "smd apply --manager web-team --live live.yaml deployment.yaml",
    "kubectl get deployment web -o yaml --show-managed-fields | smd apply --manager ci --live - deployment.yaml --force",
    "smd apply --manager web-team --live live.yaml deployment.yaml --unions extended",
    "smd apply --manager web-team --crd widgets-crd.yaml --live live.yaml widget.yaml",
    "smd apply --manager controller --subresource status --live live.yaml status.yaml",
    "smd apply --manager ops --schema schema.yaml --type cluster --live live.yaml cluster.yaml",
  ],
  async run(context) {
    const { args, input, terminal } = context
    const [file] = args.expect("CONFIG") as [string]
    const manager = managerName(args)
    const { output = "yaml" } = args
    const unions = chosenPolicy(args)
    const types = await loadTypes(args, input)
    const document = await input.document(file)
    const type = types.typeOf(document)
    const config = checkConfiguration(document, type)
    const liveFile = args.get("live")
    const liveDocument = liveFile === undefined ? undefined : await input.document(liveFile)
    const owners = liveDocument === undefined ? nobody : decodeOwners(liveDocument)
    const live = liveDocument === undefined ? undefined : checkLive(liveDocument, document, type)
    const source = types.sourceOf(document)
    const endpoint = await endpointOf(args, document, source)
    if (endpoint.subresource !== "" && live === undefined) {
      throw new UsageError("--subresource needs --live: nothing can be created through a subresource")
    }
    try {
      const request = {
        live,
        owners,
        config,
        type,
        emptyObject: source.emptyObject,
        endpoint,
        manager,
        force: args.has("force") || args.has("force-conflicts"),
        unions,
        now: terminal.now(),
      }
      const applied = applyObject(request)
      terminal.write(formatDocument(applied.object, output))
      reportUnions(applied.unions, terminal)
      return 0
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
      showConflicts(context, error)
      return 1
    }
  },
}

/** A line for each union that was settled. */
export function reportUnions(changes: readonly UnionChange[], terminal: Terminal): void {
  for (const change of changes) terminal.report(`union ${printable(formatUnionChange(named(change)))}\n`)
}

/** The change with the names of managers in place of their identifiers. */
function named(change: UnionChange): UnionChange {
  const cleared = change.cleared.map(({ field, owners }) => {
    return { field, owners: owners.map(id => parseManagerId(id)?.manager ?? id) }
  })
  return { ...change, cleared }
}

function checkConfiguration(document: Document, type: Type): MapValue {
  const { value } = document
  if (!isMap(value)) throw new InputError(`${document.at([])}: a configuration has to be a map`)
  if (valueAt(value, pathOf("metadata", "managedFields")) !== undefined) {
    const where = document.at(["metadata", "managedFields"])
    throw new InputError(
      `${where}: .metadata.managedFields: must not be in a configuration; only the live object has them`,
    )
  }
  typedDocument(document, type)
  return value
}

/** The live object, once it is clear that it is the one that `config` is about, and fits the type. Throws an InputError. */
export function checkLive(live: Document, config: Document, type: Type): MapValue {
  if (!isMap(live.value)) throw new InputError(`${live.at([])}: the live object has to be a map`)
  requireSameObject(live, config)
  // What is live may hold duplicate items: old clients wrote such objects.
  typedDocument({ ...live, value: takeOffManagedFields(live.value) }, type, { allowDuplicates: true })
  return live.value
}

function requireSameObject(live: Document, config: Document): void {
  for (const parts of [["apiVersion"], ["kind"], ["metadata", "namespace"], ["metadata", "name"]]) {
    const there = textAt(live.value, ...parts)
    const here = textAt(config.value, ...parts)
    if (there === undefined || here === undefined || there === here) continue
    const path = formatPath(pathOf(...parts))
    throw new InputError(
      `${config.at(parts)}: ${path}: is ${here}, but the live object's is ${there} (${live.at(parts)})`,
    )
  }
}

function textAt(value: Value, ...parts: string[]): string | undefined {
  const found = valueAt(value, pathOf(...parts))
  return typeof found === "string" ? found : undefined
}

function showConflicts({ args, terminal }: Context, error: ConflictError): void {
  const conflicts = conflictsByField(error, id => parseManagerId(id) ?? { manager: id })
  if (args.output === "json") terminal.write(formatDocument(conflictsValue(conflicts), "json"))
  const style = terminal.reportStyle
  if (!(error instanceof ApplyConflictError)) {
    terminal.report(`${formatConflicts(args.needed("manager"), conflicts, style)}\n\n${wayOut}\n`)
    return
  }
  // kubectl's text, with the values between what it says happened and what it says to do.
  const shown = showable(error)
  const text = shown.toKubectlText().split("\n").map(printable)
  const happened = text
    .slice(0, shown.message.split("\n").length)
    .join("\n")
    .replace(/^error/, style.bad)
  const advice = text.slice(shown.message.split("\n").length).join("\n")
  const fields = conflicts.map(conflict => indent(formatConflict(conflict, style), 2))
  terminal.report(`${[happened, ...fields, advice].join("\n\n")}\n`)
}

/** The error with names of fields on one line each: its text has many. What else is in a path stands in quotes there. */
function showable({ conflicts }: ApplyConflictError): ApplyConflictError {
  const shown = (element: PathElement) => (element.kind === "field" ? fieldElement(printable(element.name)) : element)
  return new ApplyConflictError(conflicts.map(conflict => ({ ...conflict, path: conflict.path.map(shown) })))
}

const wayOut =
  "Nothing was applied. To take these fields, apply with --force; to leave them to their owners, leave them out of\n" +
  "the configuration; to own them together, configure the live values."
