import { removedIn } from "../../kubernetes/removed-versions.js"
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { changeApiVersion, type ObjectConverter } from "../../managedfields/types/version-converter.js"
import { objectKindOf } from "../../schema/group-version-kind.js"
import type { ManagersChange, ManagersOperation, ManagersOptions } from "../../tools/managers/change.js"
import type { ManagerNames } from "../../tools/managers/select.js"
import { didYouMean } from "../../value/nearest.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { filesOptions } from "../input/application.js"
import { liveObjectOptions, namesCluster } from "../input/cluster-options.js"
import { type Document, forEach, InputError, requested } from "../input/document.js"
import { isDefinition } from "../input/document-types.js"
import { readLiveObjects } from "../input/live-objects.js"
import { readLiveObject } from "../input/managed-fields.js"
import { parseManagerName } from "../input/manager-name.js"
import {
  choice,
  firstGiven,
  flag,
  inPlaceOption,
  type Operands,
  option,
  outOption,
  outputOption,
  repeated,
  schemaOptions,
  UsageError,
  type ValuesOf,
} from "../input/options.js"
import { finderOf, loadTypes, type Types } from "../input/types.js"
import { formatObjects } from "../output/document.js"
import { absentManagers, formatManagers } from "../output/managers.js"
import { onlyFile } from "../output/out.js"
import { formatResults, reportFindings } from "../output/results.js"
import type { StreamedCommand } from "../stream/judge.js"
import { streamNotes, streamOptions } from "../stream/options.js"
import { printableJson } from "../terminal/layout.js"
import { command } from "./command.js"

const operations = ["transfer", "release", "drop-gone-versions", "drop-version", "to-version", "upgrade"] as const
const options = {
  from: repeated("NAME", "transfer, upgrade: who loses the fields", parseManagerName),
  to: option("NAME", "transfer, upgrade: who gets the fields; for upgrade, kubectl if absent", parseManagerName),
  path: repeated("PATH", "transfer, release: only this field or item, and everything inside"),
  manager: repeated(
    "NAME",
    "release, drop-gone-versions, drop-version: who may lose fields; to-version: whose entries change",
  ),
  allManagers: flag("like --manager, for every manager"),
  gone: repeated("VERSION", "drop-gone-versions: a version that is gone; if absent, all versions without a type"),
  operation: choice(["Apply", "Update"], "only entries with this operation"),
  subresource: option("NAME", 'only entries of this subresource; "" for the object itself'),
  apiVersion: option("VERSION", "transfer, release: only entries at this version"),
  toOperation: choice(
    ["Apply", "Update"],
    "transfer: the operation of the entry that gets the fields; Apply if absent",
  ),
  toVersion: option(
    "VERSION",
    "transfer: the version of the entry that gets the fields, in which they have the same names",
  ),
  guard: choice(["test", "replace"], "how the patch fails if the object has changed: 422, or 409 as with kubectl"),
  ...filesOptions,
  ...liveObjectOptions,
  ...schemaOptions,
  output: outputOption(
    ["text", "json", "yaml", "object", "patch", "kubectl"],
    "text for people, data for programs, or something to send",
  ),
  out: outOption,
  inPlace: inPlaceOption("the file of the live objects, which are then the result"),
  ...streamOptions,
}
type ManagersValues = ValuesOf<typeof options>
type ManagersArguments = Operands & ManagersValues

const stream: StreamedCommand<ManagersValues> = {
  result: "managers",
  streamsOf: args => operationOf(args).args.operands,
  async prepare(given, input) {
    const { operation, args } = operationOf(given)
    const change = await changer(operation, args, await loadTypes(args, input))
    return document => ({ result: change(document), status: 0 })
  },
}

export const managers = command({
  name: "managers",
  summary: "Clean up the owners of live objects",
  operands: "OPERATION LIVE...",
  firstOperands: operations,
  isPrinter: true,
  options,
  notes: [
    "transfer --from A --to B: B owns the fields of A, as if it had applied them.",
    "",
    "release PATH... --manager A: A no longer owns the fields. They stay in the object, and nobody removes them. Without PATH,",
    "A releases all of its fields.",
    "",
    "drop-gone-versions: drops entries at versions that are gone, which block every apply to a custom resource. The definition of",
    "the resource, from --crd, says which versions exist. For built-in kinds smd knows the versions that Kubernetes has removed.",
    "",
    "drop-version VERSION: drops entries at this version, before it is removed.",
    "",
    "to-version VERSION: entries get this version, and their managers keep their fields. Use it before a version is removed, and",
    "if an apply fails because the live object has a field that an older version lacks.",
    "",
    "upgrade: turns the fields of client-side apply into fields that --to has applied, with kubectl's own patch.",
    "",
    "Reports the changes for each manager, and the effect of its next apply, if it applies its last configuration. smd takes",
    "nothing from managers that you don't name. It sends nothing: --output kubectl prints commands that do, patch the JSON Patch",
    "of one object, and object the objects. The patch fails if the object has changed in the meantime.",
    ...streamNotes("each gives a line of JSON, with the data of --output json."),
  ],
  examples: [
    "kubectl get deployment web -o yaml --show-managed-fields | smd managers transfer --from kustomize-controller --to helm-controller -",
    "smd managers release .spec.replicas --manager web-team live.yaml --output kubectl",
    "smd managers drop-gone-versions --crd widgets-crd.yaml --all-managers widgets.yaml",
    "smd managers drop-version v1beta1 --manager old-operator widgets.yaml --output kubectl",
    "smd managers to-version v1 --all-managers --crd widgets-crd.yaml widgets.yaml --output kubectl",
    "smd managers upgrade --to gitops live.yaml --output patch",
    "smd managers upgrade --to gitops deployment/web -n shop --output kubectl",
    "kubectl get deployments -A -o json --show-managed-fields | smd managers upgrade --to gitops --stream",
  ],
  stream,
  inPlaceFile(given) {
    const { args } = operationOf(given)
    if (args.output !== undefined && args.output !== "object") {
      throw new UsageError("--in-place writes objects: --output must be object")
    }
    if (namesCluster(args)) throw new UsageError("--in-place replaces a file, not objects of a cluster")
    return onlyFile([...args.operands, ...args.filename], "file of live objects")
  },
  async run({ args: given, input, terminal }) {
    const { operation, args } = operationOf(given)
    const form = args.inPlace ? "object" : (args.output ?? "text")
    const documents = await readLiveObjects(args, input, "LIVE")
    const types = await loadTypes(args, input, documents.filter(isDefinition))
    const change = await changer(operation, args, types)
    const changes = await forEach(documents, change)
    const { secrets } = input
    for (const [i, { findings }] of changes.entries()) reportFindings(documents[i] as Document, findings, terminal)
    const live = documents.map(({ value }) => value as MapValue)
    for (const note of absentManagers([...args.from, ...args.manager], live)) terminal.report(`note: ${note}\n`)
    if (form === "text")
      terminal.write(
        formatManagers(
          changes.map(change => secrets.hide(change)),
          terminal,
        ),
      )
    else if (form === "object")
      terminal.write(
        formatObjects(
          changes.map(({ object }) => object),
          { output: args.inPlace && args.out?.endsWith(".json") ? "json" : "yaml" },
          secrets,
        ),
      )
    else if (form === "json" || form === "yaml")
      terminal.write(formatResults(secrets.hide(changes as unknown as Value[]), form))
    else {
      const shown = changes.map(change => ({ ...change, patch: secrets.hide(change.patch) }))
      terminal.write(await formatPatches(shown, form))
    }
    return 0
  },
})

/** Returns the operation, and the arguments without the operands of the operation. */
function operationOf(args: ManagersArguments): {
  readonly operation: ManagersOperation
  readonly args: ManagersArguments
} {
  const [name, ...operands] = args.operands
  const operation = operations.find(known => known === name)
  if (operation === undefined) {
    throw new UsageError(
      name === undefined
        ? `OPERATION is missing: ${operations.join(", ")}`
        : `no operation ${name}${didYouMean(name, operations) || `: ${operations.join(", ")}`}`,
    )
  }
  requireOwnOptions(operation, args)
  if (operation === "drop-version" || operation === "to-version") {
    const [version = "", ...live] = operands
    if (version === "") throw new UsageError("VERSION is missing")
    const isNamed = args.allManagers || args.manager.length > 0
    if (operation === "to-version" && !isNamed) throw new UsageError("--manager or --all-managers is required")
    return { operation, args: { ...args, operands: live, apiVersion: version } }
  }
  const takesPaths = operation === "release" || operation === "transfer"
  const paths = takesPaths ? operands.filter(isFieldPath) : []
  const live = operands.filter(operand => !paths.includes(operand))
  return { operation, args: { ...args, operands: live, path: [...args.path, ...paths] } }
}

/** The options that not all operations have. */
const ownOptions: Readonly<Record<ManagersOperation, readonly (keyof ManagersValues)[]>> = {
  transfer: ["from", "to", "path", "operation", "subresource", "apiVersion", "toOperation", "toVersion"],
  release: ["path", "manager", "allManagers", "operation", "subresource", "apiVersion"],
  "drop-gone-versions": ["gone", "manager", "allManagers", "operation", "subresource"],
  "drop-version": ["manager", "allManagers", "operation", "subresource"],
  "to-version": ["manager", "allManagers", "operation", "subresource"],
  upgrade: ["from", "to", "subresource"],
}

/** Throws a UsageError for an option of another operation. Ignoring it could make the operation do more than the user wants. */
function requireOwnOptions(operation: ManagersOperation, args: ManagersArguments): void {
  const others = Object.values(ownOptions).flat()
  const wrong = firstGiven(
    args,
    others.filter(option => !ownOptions[operation].includes(option)),
  )
  if (wrong !== undefined) throw new UsageError(`${wrong} is not an option of ${operation}`)
}

/** Whether an operand is a field path and not the path of a file. */
function isFieldPath(operand: string): boolean {
  return /^\.[^./]/.test(operand) || operand.startsWith(".[")
}

/**
 * Returns a function that computes the change to a document, whose type may be in `types`. The function throws an InputError if the
 * document is not an object, or if the change would take fields from managers that the user did not name.
 */
export async function changer(
  operation: ManagersOperation,
  args: ManagersValues,
  types: Types,
): Promise<(document: Document) => ManagersChange> {
  const edits = await import("../../tools/managers/operations.js")
  const versions = await import("../../tools/managers/to-version.js")
  const { resetFieldsOf } = await import("../../kinds/resource/reset-fields.js")
  const { from, to, path: paths, gone, toOperation, toVersion } = args
  if (operation === "transfer" && from.length === 0) throw new UsageError("--from is required")
  if (operation === "transfer" && to === undefined) throw new UsageError("--to is required")
  const common = { ...selectionOf(args), ...managersOf(args), ...(paths.length > 0 && { paths }) }
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
        return edits.dropVersion(live, { ...all, apiVersion: args.apiVersion ?? "" })
      case "to-version":
        return versions.toVersion(live, { managers: [], ...all, apiVersion: args.apiVersion ?? "" })
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
    const live = readLiveObject(document)
    return permitted(document, operation, () => run(live, optionsFor(document, types, finder, resetFieldsOf)))
  }
}

function selectionOf({ operation, guard, subresource, apiVersion }: ManagersValues): ManagersOptions & object {
  return {
    ...(operation && { operation }),
    ...(guard && { guard }),
    ...(subresource !== undefined && { subresource }),
    ...(apiVersion !== undefined && { apiVersion }),
  }
}

function managersOf({ allManagers, manager }: ManagersValues): { readonly managers?: ManagerNames } {
  if (allManagers) return { managers: { all: true } }
  return manager.length === 0 ? {} : { managers: manager }
}

/** Returns the types of the document's kind in all versions, and the fields that requests reset. Empty if the type is unknown. */
function optionsFor(
  document: Document,
  types: Types,
  finder: TypeFinder,
  resetFieldsOf: typeof import("../../kinds/resource/reset-fields.js").resetFieldsOf,
): ManagersOptions {
  const kind = objectKindOf(document.value)
  if (finder.find(kind.apiVersion, kind.kind) === undefined) return {}
  const { definition, builtIn } = types.sourceOf(document)
  const isDefined = isMap(definition)
  if (!isDefined && !builtIn) return { types: finder }
  const resetFields = resetFieldsOf(kind, isDefined ? definition : undefined)
  const converter = isDefined ? changeApiVersion(finder) : dropping(finder)
  return { types: finder, converter, ...(resetFields && { resetFields }) }
}

/** Assumes that a built-in kind is the same in all of its versions. Entries at other versions are dropped, as by a server. */
function dropping(types: TypeFinder): ObjectConverter {
  return {
    convert(object, apiVersion) {
      const { kind } = objectKindOf(object)
      const isGone = removedIn(apiVersion, kind) !== undefined || types.find(apiVersion, kind) === undefined
      return isGone ? undefined : object
    },
  }
}

/** Returns the result of `run`. If `run` would do more than the user asked for, the InputError names the options that allow it. */
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

/** Formats the patch of one object, or the commands for all objects. */
async function formatPatches(changes: readonly ManagersChange[], form: "patch" | "kubectl"): Promise<string> {
  const { formatPatch, kubectlPatch } = await import("../../tools/managers/patch.js")
  if (form === "patch") {
    const [only, ...others] = changes
    if (others.length > 0) throw new UsageError(`--output patch is for one object, not ${changes.length}`)
    return `${printableJson(formatPatch(only?.patch ?? []))}\n`
  }
  const commands = changes.map(change => kubectlPatch(change)).filter(command => command !== "")
  return commands.map(command => `${printableJson(command)}\n`).join("")
}
