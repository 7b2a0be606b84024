import { fieldElement } from "../../fieldpath/create-element.js"
import type { PathElement } from "../../fieldpath/element.js"
import { ApplyConflictError } from "../../managedfields/chain/status.js"
import { parseManagerId } from "../../managedfields/entries/manager-id.js"
import { ConflictError } from "../../merge/conflict.js"
import { formatUnionChange } from "../../union/report.js"
import type { MapValue, Value } from "../../value/value.js"
import type { ConfiguredObject } from "../input/application.js"
import type { Context } from "../input/input.js"
import {
  choice,
  inPlaceOption,
  managedFieldsOption,
  type Operands,
  outOption,
  UsageError,
  type ValuesOf,
} from "../input/options.js"
import { formatProblem } from "../input/problems.js"
import type { Refusal } from "../input/refused-write.js"
import {
  type ContestedField,
  conflictsByField,
  conflictsValue,
  formatConflict,
  formatConflicts,
} from "../output/conflicts.js"
import { formatDocument, formatObjects, objectOutputOption, resourceName } from "../output/document.js"
import { onlyFile } from "../output/out.js"
import { reportFindings, reportWarnings } from "../output/results.js"
import type { Secrets } from "../secrets/secrets.js"
import { indent, printable } from "../terminal/layout.js"
import type { Style } from "../terminal/style.js"
import type { Terminal } from "../terminal/terminal.js"
import { type Applied, applyObject } from "./apply-object.js"
import { forceOption, forEachRequest, toolRequestOptions } from "./apply-request.js"
import { command } from "./command.js"
import { type DecidedRequest, decider, onConflict } from "./on-conflict.js"

const options = {
  ...toolRequestOptions,
  force: forceOption,
  onConflict: choice(onConflict, "what to do about conflicts; fail if absent"),
  output: objectOutputOption,
  out: outOption,
  inPlace: inPlaceOption("the file of --live"),
  showManagedFields: managedFieldsOption,
}
type ApplyArguments = Operands & ValuesOf<typeof options>

export const apply = command({
  name: "apply",
  summary: "Apply a configuration to a live object, as a manager of its fields",
  operands: "CONFIG...",
  isPrinter: true,
  options,
  notes: [
    "Prints the object after the apply, with metadata.managedFields, which say who owns which field. If CONFIG would change a field",
    "that another manager owns, nothing is applied: smd prints the conflicts, with --output json as JSON too, and exits with 1. It",
    "does the same for an object that a server would refuse, and prints each reason with its place. Exits with 2 for bad input.",
    "",
    "--as applies as a tool does, with its own steps, as in smd plan.",
    "",
    "CONFIG is a file, a folder or -, with any number of objects and Lists. Definitions of custom resources among the objects",
    "provide types for the others. Live objects are matched by group, kind, namespace and name. With several objects, smd prints",
    "all of them, as YAML documents or as a List, or none if one of them conflicts or is refused.",
    "",
    "Fields that an API server does not let a request write keep their values, and nobody owns them: .status, or with",
    "--subresource status everything else.",
    "",
    "--on-conflict decides conflicts in advance, in the ways that smd explain shows. relinquish leaves the fields out, so that",
    "their owners decide; share writes the live values, so that they have two owners; overwrite takes them. smd reports each field.",
    "",
    "Types are the built-in ones of Kubernetes. Types from --openapi and --crd, which may be repeated, take precedence.",
    "",
    "Unions of a schema or a CRD are settled, and the changes are reported. Unless --unions names a policy, the built-in types have",
    "no unions, and with --live cluster all unions are ignored, both as in an API server.",
  ],
  examples: [
    "smd apply --manager web-team deployment.yaml --out live.yaml",
    "smd apply --manager web-team --live live.yaml deployment.yaml --out live.yaml",
    "smd apply --manager web-team --live live.yaml deployment.yaml --in-place",
    "smd apply --manager web-team --live live/ -f shop/ -R -n shop",
    "kubectl get deployment web -o yaml --show-managed-fields | smd apply --manager ci --live - deployment.yaml --force",
    "smd apply --manager web-team --live live.yaml deployment.yaml --on-conflict relinquish",
    "smd apply --manager web-team --live live.yaml deployment.yaml --unions extended",
    "smd apply --manager web-team --crd widgets-crd.yaml --live live.yaml widget.yaml",
    "smd apply --manager controller --subresource status --live live.yaml status.yaml",
    "smd apply --manager ops --schema schema.yaml --type cluster --live live.yaml cluster.yaml",
  ],
  inPlaceFile: args => onlyFile(args.live, "file of live objects"),
  async run(context) {
    const { args, input, terminal } = context
    if (args.as !== undefined && args.onConflict !== undefined)
      throw new UsageError(
        "--on-conflict can't be used with --as: edit the configuration, or use the ways out of the tool",
      )
    const decided = await decider(args.onConflict, input.secrets)
    const outcomes = await forEachRequest(context, (request, documents) => {
      return attempt(decided(request, documents.config), documents)
    })
    const refusals = outcomes.flatMap(({ refusals = [] }) => refusals)
    const conflicts = outcomes.flatMap(({ conflict }) => conflict ?? [])
    if (refusals.length > 0 || conflicts.length > 0) {
      showFailures(context, refusals, conflicts, outcomes.length)
      return 1
    }
    const applied = outcomes.flatMap(({ applied }) => applied ?? [])
    terminal.write(
      formatObjects(
        applied.map(({ object }) => object),
        args,
        input.secrets,
      ),
    )
    for (const { documents, report, applied } of outcomes) {
      for (const line of report) terminal.report(`${line}\n`)
      if (applied !== undefined) reportApplied(documents, applied, terminal)
    }
    return 0
  },
})

/** A configuration that would change fields of other managers. */
interface ConflictingObject {
  readonly config: MapValue
  readonly error: ConflictError
}

/** The result for an object: one of the last three properties is set. */
interface ApplyOutcome {
  readonly documents: ConfiguredObject
  /** Lines about the conflicts that `--on-conflict` decided. */
  readonly report: readonly string[]
  readonly applied?: Applied
  readonly conflict?: ConflictingObject
  readonly refusals?: readonly Refusal[]
}

function attempt({ request, report }: DecidedRequest, documents: ConfiguredObject): ApplyOutcome {
  try {
    const written = applyObject(request, documents.config)
    return { documents, report, ...("refusals" in written ? written : { applied: written }) }
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error
    return { documents, report, conflict: { config: request.config, error } }
  }
}

/** Reports each settled union, each warning of a server, and each finding that makes the result doubtful, on a line. */
export function reportApplied(documents: ConfiguredObject, applied: Applied, terminal: Terminal): void {
  const { unions, warnings, findings } = applied
  const settled = unions.map(change => `union ${formatUnionChange(change)}`)
  for (const line of settled) terminal.report(`${printable(line)}\n`)
  const others = warnings.filter(warning => !settled.includes(warning))
  reportWarnings(documents.config, others, terminal)
  reportFindings(documents, findings, terminal)
}

/** Shows the refusals at their places, then all conflicts. */
function showFailures(
  context: Context<ApplyArguments>,
  refusals: readonly Refusal[],
  conflicts: readonly ConflictingObject[],
  objects: number,
): void {
  const { args, input, terminal, print } = context
  reportRefusals(refusals, terminal)
  const values = conflicts.length > 0 ? showConflicts(context, conflicts, objects) : []
  if (args.output !== "json") return
  const result = {
    ...(refusals.length > 0 && { refusals: refusals.map(refusalValue) }),
    ...(conflicts.length > 0 && { conflicts: values }),
  }
  print(formatDocument(input.secrets.hide(result), "json"))
}

/** Reports each reason of a refusal at its place, on a line. */
export function reportRefusals(refusals: readonly Refusal[], terminal: Terminal): void {
  for (const refusal of refusals) terminal.report(`${printable(formatProblem(refusal))}\n`)
}

function refusalValue({ place: { file, position }, path, message, reason }: Refusal): MapValue {
  return { file, ...position, path, message, reason }
}

/**
 * Shows all conflicts, under the names of their objects if there are several, and then advice. Returns the conflicts as data for
 * programs.
 */
function showConflicts(
  { args, input, terminal }: Context<ApplyArguments>,
  conflicting: readonly ConflictingObject[],
  objects: number,
): readonly Value[] {
  const style = terminal.reportStyle
  const values: Value[] = []
  const texts: string[] = []
  for (const { config, error } of conflicting) {
    const conflicts = conflictsByField(error, id => parseManagerId(id) ?? { manager: id }).map(conflict =>
      hiddenIn(config, conflict, input.secrets),
    )
    const object = objects > 1 ? resourceName(config) : undefined
    values.push(...conflictsValue(conflicts, object))
    if (object !== undefined) texts.push(style.strong(printable(object)))
    texts.push(formatConflictError(error, conflicts, args.manager ?? "", style))
  }
  terminal.report(`${[...texts, formatAdvice((conflicting[0] as ConflictingObject).error)].join("\n\n")}\n`)
  return values
}

/** Returns the conflict over a field of the object without secrets. */
function hiddenIn(object: MapValue, conflict: ContestedField, secrets: Secrets): ContestedField {
  const { path, live, next } = conflict
  return { ...conflict, live: secrets.hideAt(object, path, live), next: secrets.hideAt(object, path, next) }
}

/** Formats kubectl's message, or ours for an object without apiVersion and kind, and then both values of each field. */
function formatConflictError(
  error: ConflictError,
  conflicts: readonly ContestedField[],
  manager: string,
  style: Style,
): string {
  if (!(error instanceof ApplyConflictError)) return formatConflicts(manager, conflicts, style)
  const lines = showable(error).message.split("\n").map(printable)
  const message = lines.map((line, i) => (i === 0 ? `${style.bad("error")}: ${line}` : line)).join("\n")
  return [message, ...conflicts.map(conflict => indent(formatConflict(conflict, style), 2))].join("\n\n")
}

/** Formats the advice about conflicts, in kubectl's words if they fit. */
function formatAdvice(error: ConflictError): string {
  if (!(error instanceof ApplyConflictError)) return advice
  return error.toKubectlText().split("\n").slice(error.message.split("\n").length).join("\n")
}

/** Returns the error with printable field names, so that each path stays on one line. Other parts of a path are in quotes. */
function showable({ conflicts }: ApplyConflictError): ApplyConflictError {
  const shown = (element: PathElement) => (element.kind === "field" ? fieldElement(printable(element.name)) : element)
  return new ApplyConflictError(conflicts.map(conflict => ({ ...conflict, path: conflict.path.map(shown) })))
}

const advice =
  "Nothing was applied. To take these fields, apply with --force; to leave them to their owners, leave them out of\n" +
  "the configuration; to own them together, configure the live values."
