import { fieldElement, type PathElement } from "../../fieldpath/element.js"
import { ApplyConflictError } from "../../managedfields/chain/status.js"
import { parseManagerId, withManagerNames } from "../../managedfields/entries/manager-id.js"
import { ConflictError } from "../../merge/conflict.js"
import { formatUnionChange } from "../../union/report.js"
import type { MapValue, Value } from "../../value/value.js"
import type { ConfiguredObject } from "../input/application.js"
import type { Context } from "../input/input.js"
import { choice, managedFieldsOption, type Operands, outOption, type ValuesOf } from "../input/options.js"
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
import { reportFindings, reportWarnings } from "../output/results.js"
import { indent, printable } from "../terminal/layout.js"
import type { Style, Terminal } from "../terminal/terminal.js"
import { type Applied, applyObject } from "./apply-object.js"
import { forceOption, forEachRequest, requestOptions } from "./apply-request.js"
import { command } from "./command.js"
import { type DecidedRequest, decider, onConflict } from "./on-conflict.js"

const options = {
  ...requestOptions,
  force: forceOption,
  onConflict: choice(onConflict, "what to do about conflicts; fail if absent"),
  output: objectOutputOption,
  out: outOption,
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
    "Prints the object as it is afterwards; metadata.managedFields say who owns which field. Where CONFIG would change a",
    "field that another manager owns, nothing is applied: the conflicts are printed, with --output json as JSON too, and",
    "smd exits with 1. The same goes for an object that a server would refuse: each reason is printed with its place. Bad",
    "input: 2.",
    "",
    "CONFIG is a file, a folder or -, with any number of objects and Lists; definitions of custom resources among them give",
    "types to the others. Live objects are found by group, kind, namespace and name. Of several objects all are printed, as",
    "YAML documents or as a List, or where one of them conflicts or is refused none.",
    "",
    "What an API server does not let a request write stays as it is, and nobody owns it: .status, and with",
    "--subresource status what is not the status.",
    "",
    "--on-conflict decides about conflicts before, as smd explain shows the ways: relinquish leaves the fields out, so that",
    "their owners decide; share configures what is there; overwrite takes them. What was done is reported.",
    "",
    "Types are the built-in ones of Kubernetes; --openapi and --crd come before them. Both may be given several times.",
    "",
    "Unions that a schema or a CRD has are settled, and what is done to them is reported. The built-in types have none, as in",
    "an API server, unless --unions asks for a policy.",
  ],
  examples: [
    "smd apply --manager web-team deployment.yaml --out live.yaml",
    "smd apply --manager web-team --live live.yaml deployment.yaml --out live.yaml",
    "smd apply --manager web-team --live live/ -f shop/ -R -n shop",
    "kubectl get deployment web -o yaml --show-managed-fields | smd apply --manager ci --live - deployment.yaml --force",
    "smd apply --manager web-team --live live.yaml deployment.yaml --on-conflict relinquish",
    "smd apply --manager web-team --live live.yaml deployment.yaml --unions extended",
    "smd apply --manager web-team --crd widgets-crd.yaml --live live.yaml widget.yaml",
    "smd apply --manager controller --subresource status --live live.yaml status.yaml",
    "smd apply --manager ops --schema schema.yaml --type cluster --live live.yaml cluster.yaml",
  ],
  async run(context) {
    const { args, terminal } = context
    const decided = await decider(args.onConflict)
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
      ),
    )
    for (const { documents, report, applied } of outcomes) {
      for (const line of report) terminal.report(`${line}\n`)
      if (applied !== undefined) reportApplied(documents, applied, terminal)
    }
    return 0
  },
})

/** A configuration that would change what others own. */
interface ConflictingObject {
  readonly config: MapValue
  readonly error: ConflictError
}

/** The result for an object: one of the last three. */
interface Outcome {
  readonly documents: ConfiguredObject
  /** What was done about conflicts. */
  readonly report: readonly string[]
  readonly applied?: Applied
  readonly conflict?: ConflictingObject
  readonly refusals?: readonly Refusal[]
}

function attempt({ request, report }: DecidedRequest, documents: ConfiguredObject): Outcome {
  try {
    const made = applyObject(request, documents.config)
    return { documents, report, ...("refusals" in made ? made : { applied: made }) }
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error
    return { documents, report, conflict: { config: request.config, error } }
  }
}

/** A line for each union that was settled, for what a server would warn of, and for what makes the result doubtful. */
export function reportApplied(documents: ConfiguredObject, applied: Applied, terminal: Terminal): void {
  const { unions, warnings, findings } = applied
  const settled = unions.map(change => `union ${formatUnionChange(withManagerNames(change))}`)
  for (const line of settled) terminal.report(`${printable(line)}\n`)
  const others = warnings.filter(warning => !settled.includes(warning))
  reportWarnings(documents.config, others, terminal)
  reportFindings(documents, findings, terminal)
}

/** Shows what a server refuses at its places, then all conflicts. */
function showFailures(
  context: Context<ApplyArguments>,
  refusals: readonly Refusal[],
  conflicts: readonly ConflictingObject[],
  objects: number,
): void {
  const { args, terminal, print } = context
  reportRefusals(refusals, terminal)
  const values = conflicts.length > 0 ? showConflicts(context, conflicts, objects) : []
  if (args.output !== "json") return
  const result = {
    ...(refusals.length > 0 && { refusals: refusals.map(refusalValue) }),
    ...(conflicts.length > 0 && { conflicts: values }),
  }
  print(formatDocument(result, "json"))
}

/** A line for each reason of a refusal, at its place. */
export function reportRefusals(refusals: readonly Refusal[], terminal: Terminal): void {
  for (const refusal of refusals) terminal.report(`${printable(formatProblem(refusal))}\n`)
}

function refusalValue({ place: { file, position }, path, message, reason }: Refusal): MapValue {
  return { file, ...position, path, message, reason }
}

/**
 * Shows all conflicts, below the name of each object if there are several, and at the end what can be done about them. Returns them for
 * programs.
 */
function showConflicts(
  { args, terminal }: Context<ApplyArguments>,
  conflicting: readonly ConflictingObject[],
  objects: number,
): readonly Value[] {
  const style = terminal.reportStyle
  const values: Value[] = []
  const texts: string[] = []
  for (const { config, error } of conflicting) {
    const conflicts = conflictsByField(error, id => parseManagerId(id) ?? { manager: id })
    const object = objects > 1 ? resourceName(config) : undefined
    values.push(...conflictsValue(conflicts, object))
    if (object !== undefined) texts.push(style.strong(printable(object)))
    texts.push(describe(error, conflicts, args.manager, style))
  }
  terminal.report(`${[...texts, adviceOn((conflicting[0] as ConflictingObject).error)].join("\n\n")}\n`)
  return values
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
