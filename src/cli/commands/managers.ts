import { removedIn } from "../../kubernetes/removed-versions.js"
import { customResourceResetFields } from "../../managedfields/subresources/custom-resource.js"
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { changeApiVersion, type ObjectConverter } from "../../managedfields/types/version-converter.js"
import { objectKindOf } from "../../schema/group-version-kind.js"
import type { ManagersChange, ManagersOperation, ManagersOptions } from "../../tools/managers/change.js"
import type { ManagerNames } from "../../tools/managers/select.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { filesOptions, readObjects } from "../input/application.js"
import { type Document, forEach, InputError, requested } from "../input/document.js"
import { isDefinition } from "../input/document-types.js"
import { decodeOwners, isKubernetes } from "../input/managed-fields.js"
import { checkManagerName } from "../input/manager-name.js"
import { type Arguments, outOption, outputOption, schemaOptions, UsageError } from "../input/options.js"
import { finderOf, loadTypes, type Types } from "../input/types.js"
import { formatObjects } from "../output/document.js"
import { formatManagers } from "../output/managers.js"
import { formatResults, reportFindings } from "../output/results.js"
import type { StreamedCommand } from "../stream/judge.js"
import { streamNotes, streamOptions } from "../stream/options.js"
import { printableJson } from "../terminal/layout.js"
import type { Command } from "./command.js"

const operations = ["transfer", "release", "drop-gone-versions", "drop-version", "upgrade"] as const
const forms = ["text", "json", "yaml", "object", "patch", "kubectl"] as const

const stream: StreamedCommand = {
  result: "managers",
  streamsOf: args => operationOf(args).args.operands,
  async prepare(given, input) {
    const { operation, args } = operationOf(given)
    const change = await changer(operation, args, await loadTypes(args, input))
    return document => ({ result: change(document), status: 0 })
  },
}

export const managers: Command = {
  name: "managers",
  summary: "Clean up who owns what of live objects",
  operands: "OPERATION LIVE...",
  isPrinter: true,
  options: [
    { name: "from", value: "NAME", repeated: true, help: "transfer, upgrade: who loses what it owns" },
    { name: "to", value: "NAME", help: "transfer, upgrade: who gets it; for upgrade, kubectl if not given" },
    {
      name: "path",
      value: "PATH",
      repeated: true,
      help: "transfer, release: only this field or item, and what is in it",
    },
    {
      name: "manager",
      value: "NAME",
      repeated: true,
      help: "release, drop-gone-versions, drop-version: who may lose something",
    },
    { name: "all-managers", help: "the same, whoever it is" },
    {
      name: "gone",
      value: "VERSION",
      repeated: true,
      help: "drop-gone-versions: a version that is gone; else, those without a type",
    },
    { name: "operation", value: "Apply|Update", help: "only entries that came to be this way" },
    { name: "subresource", value: "NAME", help: 'only entries of this subresource; "" for the object itself' },
    { name: "api-version", value: "VERSION", help: "transfer, release: only entries at this version" },
    { name: "to-operation", value: "Apply|Update", help: "transfer: as what it is owned then; Apply if not given" },
    {
      name: "to-version",
      value: "VERSION",
      help: "transfer: the version that it is at then, where fields have the same names",
    },
    {
      name: "guard",
      value: "test|replace",
      help: "how the patch fails if the object has changed: 422, or 409 as kubectl's",
    },
    ...filesOptions,
    ...schemaOptions,
    { ...outputOption, value: forms.join("|"), help: "for people, for programs, or to be sent" },
    outOption,
    ...streamOptions,
  ],
  notes: [
    "transfer --from A --to B: B owns what A owned, as if it had applied it.",
    "",
    "release PATH... --manager A: A owns it no more. The object keeps it, and nobody removes it. Without PATH, all that A owns.",
    "",
    "drop-gone-versions: drops entries at versions that are gone, which block every apply to a custom resource. Its definition, given with",
    "--crd, says which versions there are. Of built-in kinds it is known which versions Kubernetes has removed.",
    "",
    "drop-version VERSION: drops entries at this version, before it goes.",
    "",
    "upgrade: what client-side apply owns becomes what --to has applied, with kubectl's own patch.",
    "",
    "Says what changes for whom, and what the next apply of each of these managers would do, if it applies what it had. Nothing is",
    "taken from a manager that is not named. Nothing is sent: --output kubectl prints commands that do that, patch the JSON Patch of one",
    "object, object the objects. The patch fails if the object has changed since.",
    ...streamNotes("each gives a line of JSON, with what --output json has."),
  ],
  examples: [
    "kubectl get deployment web -o yaml --show-managed-fields | smd managers transfer --from kustomize-controller --to helm-controller -",
    "smd managers release .spec.replicas --manager web-team live.yaml --output kubectl",
    "smd managers drop-gone-versions --crd widgets-crd.yaml --all-managers widgets.yaml",
    "smd managers drop-version v1beta1 --manager old-operator widgets.yaml --output kubectl",
    "smd managers upgrade --to gitops live.yaml --output patch",
    "kubectl get deployments -A -o json --show-managed-fields | smd managers upgrade --to gitops --stream",
  ],
  stream,
  async run({ args: given, input, terminal }) {
    const { operation, args } = operationOf(given)
    const form = args.choice("output", forms) ?? "text"
    const documents = await readObjects(args, input, "LIVE")
    const types = await loadTypes(args, input, documents.filter(isDefinition))
    const change = await changer(operation, args, types)
    const found = await forEach(documents, change)
    for (const [i, { findings }] of found.entries()) reportFindings(documents[i] as Document, findings, terminal)
    if (form === "text") terminal.write(formatManagers(found, terminal))
    else if (form === "object")
      terminal.write(
        formatObjects(
          found.map(({ object }) => object),
          args.withValue("output", "yaml"),
        ),
      )
    else if (form === "json" || form === "yaml") terminal.write(formatResults(found as unknown as Value[], form))
    else terminal.write(await toBeSent(found, form))
    return 0
  },
}

/** The operation, and the arguments without the operands that belong to it. */
function operationOf(args: Arguments): { readonly operation: ManagersOperation; readonly args: Arguments } {
  const [name, ...operands] = args.operands
  const operation = operations.find(known => known === name)
  if (operation === undefined) {
    throw new UsageError(
      `${name === undefined ? "OPERATION is missing" : `no operation ${name}`}: ${operations.join(", ")}`,
    )
  }
  requireOwnOptions(operation, args)
  if (operation === "drop-version") {
    const [version = "", ...live] = operands
    if (version === "") throw new UsageError("VERSION is missing")
    return { operation, args: args.withOperands(live).withValues("api-version", [version]) }
  }
  const takesPaths = operation === "release" || operation === "transfer"
  const paths = takesPaths ? operands.filter(isFieldPath) : []
  const rest = args.withOperands(operands.filter(operand => !paths.includes(operand)))
  return { operation, args: rest.withValues("path", [...args.all("path"), ...paths]) }
}

/** The options that mean something to one operation alone, or to some. */
const ownOptions: Readonly<Record<ManagersOperation, readonly string[]>> = {
  transfer: ["from", "to", "path", "operation", "subresource", "api-version", "to-operation", "to-version"],
  release: ["path", "manager", "all-managers", "operation", "subresource", "api-version"],
  "drop-gone-versions": ["gone", "manager", "all-managers", "operation", "subresource"],
  "drop-version": ["manager", "all-managers", "operation", "subresource"],
  upgrade: ["from", "to", "subresource"],
}

/** Throws a UsageError for an option of other operations: it would be passed over, and the operation do more than it was meant to. */
function requireOwnOptions(operation: ManagersOperation, args: Arguments): void {
  const mine = ownOptions[operation]
  const others = new Set(Object.values(ownOptions).flat())
  const wrong = [...others].find(option => args.get(option) !== undefined && !mine.includes(option))
  if (wrong !== undefined) throw new UsageError(`--${wrong} is not for ${operation}`)
}

/** Whether an operand is a path of a field, and not a file of the same or another folder. */
function isFieldPath(operand: string): boolean {
  return /^\.[^./]/.test(operand) || operand.startsWith(".[")
}

/**
 * What the operation makes of a document, whose type may be among `types`. It reads and writes nothing. Throws an InputError for a
 * document that is no object, or from which it would take more than it was asked to.
 */
export async function changer(
  operation: ManagersOperation,
  args: Arguments,
  types: Types,
): Promise<(document: Document) => ManagersChange> {
  const edits = await import("../../tools/managers/operations.js")
  const { kubernetesResetFields } = await import("../../kubernetes/reset-fields.js")
  const selection = selectionOf(args)
  const managers = managersOf(args)
  const names = (option: string) => args.all(option).map(name => checkManagerName(name, option))
  const [from, to, paths, gone] = [names("from"), args.get("to"), args.all("path"), args.all("gone")]
  if (to !== undefined) checkManagerName(to, "to")
  if (operation === "transfer") for (const option of ["from", "to"]) args.needed(option)
  const toOperation = args.choice("to-operation", ["Apply", "Update"])
  const toVersion = args.get("to-version")
  const common = { ...selection, ...managers, ...(paths.length > 0 && { paths }) }
  const run = (live: MapValue, options: ManagersOptions): ManagersChange => {
    const all = { ...options, ...common }
    switch (operation) {
      case "transfer":
        return edits.transfer(live, {
          ...{ ...all, from, to: to ?? "" },
          ...(toOperation && { toOperation }),
          ...(toVersion !== undefined && { toVersion }),
        })
      case "release":
        return edits.release(live, all)
      case "drop-gone-versions":
        return edits.dropGoneVersions(live, { ...all, ...(gone.length > 0 && { gone }) })
      case "drop-version":
        return edits.dropVersion(live, { ...all, apiVersion: args.needed("api-version") })
      case "upgrade":
        return edits.upgrade(live, {
          ...all,
          ...(from.length > 0 && { csaManagers: from }),
          ...(to && { ssaManager: to }),
        })
    }
  }
  const finder = finderOf(types)
  return document => {
    const live = liveObjectIn(document)
    return permitted(document, operation, () => run(live, knownOf(document, types, finder, kubernetesResetFields)))
  }
}

function selectionOf(args: Arguments): ManagersOptions & object {
  const [operation, guard] = [args.choice("operation", ["Apply", "Update"]), args.choice("guard", ["test", "replace"])]
  const [subresource, apiVersion] = [args.get("subresource"), args.get("api-version")]
  return {
    ...(operation && { operation }),
    ...(guard && { guard }),
    ...(subresource !== undefined && { subresource }),
    ...(apiVersion !== undefined && { apiVersion }),
  }
}

function managersOf(args: Arguments): { readonly managers?: ManagerNames } {
  if (args.has("all-managers")) return { managers: { all: true } }
  const names = args.all("manager")
  return names.length === 0 ? {} : { managers: names }
}

function liveObjectIn(document: Document): MapValue {
  const { value } = document
  if (!isMap(value) || !isKubernetes(value)) {
    throw new InputError(`${document.at([])}: the live object has to be a map with apiVersion, kind and metadata`)
  }
  decodeOwners(document)
  return value
}

type ResetFieldsFinder = typeof import("../../kubernetes/reset-fields.js").kubernetesResetFields

/** What is known of the document's kind: its types in all versions, and what requests may write. Nothing where its type is not known. */
function knownOf(
  document: Document,
  types: Types,
  finder: TypeFinder,
  resetFieldsOf: ResetFieldsFinder,
): ManagersOptions {
  const { apiVersion, kind } = objectKindOf(document.value)
  if (finder.find(apiVersion, kind) === undefined) return {}
  const { definition, builtIn } = types.sourceOf(document)
  if (isMap(definition)) {
    const resetFields = customResourceResetFields(definition, apiVersion)
    return { types: finder, converter: changeApiVersion(finder), resetFields }
  }
  if (!builtIn) return { types: finder }
  const resetFields = resetFieldsOf(apiVersion, kind)
  return { types: finder, converter: dropping(finder), ...(resetFields && { resetFields }) }
}

/** A built-in kind is taken to be the same in every version that there is; entries at others are dropped, as by a server. */
function dropping(types: TypeFinder): ObjectConverter {
  return {
    convert(object, apiVersion) {
      const { kind } = objectKindOf(object)
      const isGone = removedIn(apiVersion, kind) !== undefined || types.find(apiVersion, kind) === undefined
      return isGone ? undefined : object
    },
  }
}

/** What `run` returns. Where it would do more than it was asked to, the InputError says by which options that can be asked for. */
function permitted(document: Document, operation: ManagersOperation, run: () => ManagersChange): ManagersChange {
  return requested(document, () => {
    try {
      return run()
    } catch (error) {
      if (!(error instanceof Error)) throw error
      const remedy = remedies[error.name]?.(operation)
      if (remedy === undefined) throw error
      throw new InputError(`${document.at([])}: ${error.message.replace(/: name the managers.*$/s, "")}; ${remedy}`)
    }
  })
}

const remedies: Readonly<Record<string, ((operation: ManagersOperation) => string) | undefined>> = {
  StillOwnedError: operation =>
    operation === "upgrade"
      ? "--from NAME drops what it owns at other versions"
      : "--manager NAME or --all-managers lets go of it",
  VersionsDifferError: () =>
    "--api-version VERSION takes one of them, --to-version VERSION all, where the fields have the same names",
}

/** The patch of one object, or commands for all of them. */
async function toBeSent(changes: readonly ManagersChange[], form: "patch" | "kubectl"): Promise<string> {
  const { formatPatch, kubectlPatch } = await import("../../tools/managers/patch.js")
  if (form === "patch") {
    const [only, ...others] = changes
    if (others.length > 0) throw new UsageError(`--output patch is for one object, not ${changes.length}`)
    return `${printableJson(formatPatch(only?.patch ?? []))}\n`
  }
  const commands = changes.map(change => kubectlPatch(change)).filter(command => command !== "")
  return commands.map(command => `${printableJson(command)}\n`).join("")
}
