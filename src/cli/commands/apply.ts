import { fieldElement, type PathElement } from "../../fieldpath/element.js"
import { valueAt } from "../../fieldpath/lookup.js"
import { formatPath, pathOf } from "../../fieldpath/path.js"
import { parseManagerId } from "../../managedfields/entries/manager-id.js"
import { ApplyConflictError } from "../../managedfields/status.js"
import { ConflictError } from "../../merge/conflict.js"
import type { Type } from "../../typed/type.js"
import { formatUnionChange, type UnionChange } from "../../union/report.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { filesOptions, liveOption, loadApplication, namespaceOption } from "../input/application.js"
import { type Document, forEach, InputError, requested, typedDocument } from "../input/input.js"
import { decodeOwners, entriesOf, takeOffManagedFields } from "../input/managed-fields.js"
import { managerName } from "../input/manager-name.js"
import {
  type Arguments,
  acceptedOptions,
  managedFieldsOption,
  managerOption,
  objectOutputOption,
  schemaOptions,
  UsageError,
} from "../input/options.js"
import type { Types } from "../input/types.js"
import { chosenPolicy, unionOptions } from "../input/unions.js"
import {
  type ContestedField,
  conflictsByField,
  conflictsValue,
  formatConflict,
  formatConflicts,
} from "../output/conflicts.js"
import { formatDocument, formatObjects, resourceName } from "../output/document.js"
import { indent, printable } from "../output/layout.js"
import type { Style, Terminal } from "../terminal.js"
import { type Applied, type ApplyRequest, applyObject } from "./apply-object.js"
import type { Command, Context } from "./command.js"
import { endpointOf, subresourceOption } from "./endpoint.js"

export const apply: Command = {
  name: "apply",
  summary: "Apply a configuration to a live object, as a manager of its fields",
  operands: "CONFIG...",
  options: [
    managerOption("who applies (required)"),
    liveOption,
    ...filesOptions,
    namespaceOption,
    subresourceOption,
    { name: "force", alias: "force-conflicts", help: "take fields that others own, instead of a conflict" },
    ...acceptedOptions,
    ...unionOptions,
    ...schemaOptions,
    objectOutputOption,
    managedFieldsOption,
  ],
  notes: [
    "Prints the object as it is afterwards; metadata.managedFields say who owns which field. Where CONFIG would change a",
    "field that another manager owns, nothing is applied: the conflicts are printed, with --output json as JSON too, and",
    "smd exits with 1. Bad input: 2.",
    "",
    "CONFIG is a file, a folder or -, with any number of objects and Lists; definitions of custom resources among them give",
    "types to the others. Live objects are found by group, kind, namespace and name. Of several objects all are printed, as",
    "YAML documents or as a List, or where one of them conflicts none.",
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
    "smd apply --manager web-team --live live/ -f shop/ -R -n shop",
    "kubectl get deployment web -o yaml --show-managed-fields | smd apply --manager ci --live - deployment.yaml --force",
    "smd apply --manager web-team --live live.yaml deployment.yaml --unions extended",
    "smd apply --manager web-team --crd widgets-crd.yaml --live live.yaml widget.yaml",
    "smd apply --manager controller --subresource status --live live.yaml status.yaml",
    "smd apply --manager ops --schema schema.yaml --type cluster --live live.yaml cluster.yaml",
  ],
  async run(context) {
    const { args, input, terminal } = context
    const manager = managerName(args)
    const unions = chosenPolicy(args)
    const { types, objects } = await loadApplication(args, input, "CONFIG")
    const options = { manager, unions, force: args.has("force"), now: terminal.now() }
    const outcomes = await forEach(objects, async ({ config: document, live }) => {
      const request = await requestOf(document, live, types, args)
      const check = () => checkFit(document, live, request.type)
      return requested(document, () => attempt({ ...options, ...request }), check)
    })
    const conflicts = outcomes.flatMap(({ conflict }) => conflict ?? [])
    if (conflicts.length > 0) {
      showConflicts(context, conflicts, objects.length)
      return 1
    }
    const applied = outcomes.flatMap(({ applied }) => applied ?? [])
    terminal.write(
      formatObjects(
        applied.map(({ object }) => object),
        args,
      ),
    )
    for (const { unions } of applied) reportUnions(unions, terminal)
    return 0
  },
}

/** A configuration that would change what others own. */
interface ConflictingObject {
  readonly config: MapValue
  readonly error: ConflictError
}

/** The result for an object: either of the two. */
interface Outcome {
  readonly applied?: Applied
  readonly conflict?: ConflictingObject
}

function attempt(request: ApplyRequest): Outcome {
  try {
    return { applied: applyObject(request) }
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error
    return { conflict: { config: request.config, error } }
  }
}

/** What a request needs to know about both documents. */
async function requestOf(document: Document, liveDocument: Document | undefined, types: Types, args: Arguments) {
  const type = types.typeOf(document)
  const config = configurationIn(document)
  const live = liveDocument === undefined ? undefined : liveObjectIn(liveDocument, document)
  const source = types.sourceOf(document)
  const endpoint = await endpointOf(args, document, source)
  if (endpoint.subresource !== "" && live === undefined) {
    throw new UsageError("--subresource needs --live: nothing can be created through a subresource")
  }
  return { live, config, type, emptyObject: source.emptyObject, endpoint }
}

/** Throws an InputError with the places of what does not fit its type or can't be decoded. */
function checkFit(document: Document, live: Document | undefined, type: Type): void {
  typedDocument(document, type)
  if (live !== undefined) checkStored(live, type)
}

/** The same for an object that is stored, or is about to be: it may hold duplicate items, since old clients wrote such objects. */
export function checkStored(document: Document, type: Type): void {
  decodeOwners(document)
  const value = isMap(document.value) ? takeOffManagedFields(document.value) : document.value
  typedDocument({ ...document, value }, type, { allowDuplicates: true })
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

function configurationIn(document: Document): MapValue {
  const { value } = document
  if (!isMap(value)) throw new InputError(`${document.at([])}: a configuration has to be a map`)
  if (valueAt(value, pathOf("metadata", "managedFields")) !== undefined) {
    const where = document.at(["metadata", "managedFields"])
    throw new InputError(
      `${where}: .metadata.managedFields: must not be in a configuration; only the live object has them`,
    )
  }
  return value
}

/** The live object. Throws an InputError unless it is the one that `config` is about, and has managedFields that are entries. */
export function liveObjectIn(live: Document, config: Document): MapValue {
  if (!isMap(live.value)) throw new InputError(`${live.at([])}: the live object has to be a map`)
  requireSameObject(live, config)
  entriesOf(live)
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

/** Shows all conflicts, below the name of each object if there are several, and at the end what can be done about them. */
function showConflicts({ args, terminal }: Context, conflicting: readonly ConflictingObject[], objects: number): void {
  const style = terminal.reportStyle
  const values: Value[] = []
  const texts: string[] = []
  for (const { config, error } of conflicting) {
    const conflicts = conflictsByField(error, id => parseManagerId(id) ?? { manager: id })
    const object = objects > 1 ? resourceName(config) : undefined
    values.push(...conflictsValue(conflicts, object))
    if (object !== undefined) texts.push(style.strong(printable(object)))
    texts.push(describe(error, conflicts, args.needed("manager"), style))
  }
  if (args.get("output") === "json") terminal.write(formatDocument({ conflicts: values }, "json"))
  terminal.report(`${[...texts, adviceOn((conflicting[0] as ConflictingObject).error)].join("\n\n")}\n`)
}

/** The message of kubectl, or ours for an object that no API server has, and then both values of each field. */
function describe(error: ConflictError, conflicts: readonly ContestedField[], manager: string, style: Style): string {
  if (!(error instanceof ApplyConflictError)) return formatConflicts(manager, conflicts, style)
  const lines = showable(error).message.split("\n").map(printable)
  const happened = lines.map((line, i) => (i === 0 ? `${style.bad("error")}: ${line}` : line)).join("\n")
  return [happened, ...conflicts.map(conflict => indent(formatConflict(conflict, style), 2))].join("\n\n")
}

/** What can be done about conflicts, in kubectl's words if they fit. */
function adviceOn(error: ConflictError): string {
  if (!(error instanceof ApplyConflictError)) return wayOut
  return error.toKubectlText().split("\n").slice(error.message.split("\n").length).join("\n")
}

/** The error with every name of a field on one line, since its message has many. All else in a path is in quotes. */
function showable({ conflicts }: ApplyConflictError): ApplyConflictError {
  const shown = (element: PathElement) => (element.kind === "field" ? fieldElement(printable(element.name)) : element)
  return new ApplyConflictError(conflicts.map(conflict => ({ ...conflict, path: conflict.path.map(shown) })))
}

const wayOut =
  "Nothing was applied. To take these fields, apply with --force; to leave them to their owners, leave them out of\n" +
  "the configuration; to own them together, configure the live values."
