import { GoTypesError, type GoTypesIssue } from "../../gotypes/source/errors.js"
import { plainProblem } from "../../io/plain-message.js"
import { removedIn } from "../../kubernetes/removed-versions.js"
import { formatOf } from "../../openapi/document.js"
import { objectKindOf } from "../../schema/group-version-kind.js"
import { lintDefinition, lintTopology, lintUnions } from "../../tools/lint/definitions.js"
import { type LintCode, type LintFinding, type LintSeverity, lintSeverities } from "../../tools/lint/finding.js"
import type { ExpectedManagers } from "../../tools/lint/idle-managers.js"
import { isLive, lintObject } from "../../tools/lint/objects.js"
import { lintRepeatedKeys } from "../../tools/lint/repeated.js"
import type { SizeLimits } from "../../tools/lint/size.js"
import type { Steps } from "../../value/change.js"
import { parsePointer } from "../../value/pointer.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { counted } from "../../value/words.js"
import { filesOptions } from "../input/application.js"
import { liveObjectOptions, namesCluster } from "../input/cluster-options.js"
import { type Document, type FilePlace, formatPlace, InputError, requested } from "../input/document.js"
import { isDefinition } from "../input/document-types.js"
import type { Input } from "../input/input.js"
import { readLiveObjects } from "../input/live-objects.js"
import { Places, pointerSteps } from "../input/locate.js"
import { choice, type Operands, option, outOption, schemaOptions, UsageError, type ValuesOf } from "../input/options.js"
import { typedDocument } from "../input/problems.js"
import { goOption, readGo } from "../input/rules.js"
import { finderOf, loadTypes, type Types, type TypesValues } from "../input/types.js"
import { unionOverlayOption } from "../input/unions.js"
import { checkedLine } from "../output/checked.js"
import { checkedObject, lintFinding, lintSentence, type PlacedFinding } from "../output/ci/findings.js"
import type { CheckedObject } from "../output/ci/report.js"
import { formatDocument } from "../output/document.js"
import { markerOption } from "../output/markdown/markdown.js"
import type { StreamedCommand } from "../stream/judge.js"
import { auditOption, streamNotes, streamOptions } from "../stream/options.js"
import { foldLines, printable } from "../terminal/layout.js"
import { command } from "./command.js"
import { formatReport, problemOutputOption } from "./report.js"

const options = {
  ...filesOptions,
  ...liveObjectOptions,
  go: goOption("Go types to check"),
  unionOverlay: unionOverlayOption,
  ...schemaOptions,
  output: problemOutputOption,
  marker: markerOption,
  out: outOption,
  failOn: choice(["error", "warning", "never"], "the least severity that makes the exit status 1; error if absent"),
  maxEntries: option("N", "report managedFields with more entries than this as large; 20 if absent", parseCount),
  maxBytes: option("N", "report managedFields of more bytes than this as large; 16384 if absent", parseCount),
  maxShare: option(
    "PERCENT",
    "report managedFields as large that take more of the object than this, from 4096 bytes on; 75 if absent",
    parseCount,
  ),
  knownManagers: option("NAME,...", "report managers that are none of these; * stands for any characters", parseNames),
  olderThan: option("AGE|DATE", "report managers whose last change is older: 90d, 12h, or a date", parseAge),
  ...streamOptions,
  from: auditOption,
}
type LintValues = ValuesOf<typeof options>
type LintArguments = Operands & LintValues

function parseCount(text: string, name: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new UsageError(`${name} must be a whole number, not ${text}`)
}

function parseNames(text: string, name: string): readonly string[] {
  const names = text.split(",").map(each => each.trim())
  if (names.every(each => each !== "")) return names
  throw new UsageError(`${name} must be names with commas between them, not ${JSON.stringify(text)}`)
}

/** Returns the function that finds the time meant by an age such as `90d`, or by a date. */
function parseAge(text: string, name: string): (now: Date) => Date {
  const [, number, unit = ""] = /^(\d{1,4})([hdw])$/.exec(text) ?? []
  if (number !== undefined) return now => new Date(now.getTime() - Number(number) * (hoursOf[unit] ?? 0) * 3_600_000)
  const date = /^\d{4}-\d\d-\d\d/.test(text) ? new Date(text) : undefined
  if (date !== undefined && !Number.isNaN(date.getTime())) return () => date
  throw new UsageError(`${name} must be an age such as 90d, 12h or 4w, or a date such as 2026-01-31, not ${text}`)
}

const hoursOf: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24 }

/** An object, or all Go types, with findings. */
interface Linted {
  /** Absent for Go types. */
  readonly document?: Document
  readonly findings: readonly PlacedFinding[]
  /** Whether the object is a configuration with values that don't fit its type, or of a removed version, which smd validate reports. */
  readonly isMisfit?: boolean
  /** The reason why the object was not checked. */
  readonly unread?: InputError
  /** Returns the object with its findings for a report. */
  checked(): CheckedObject
}

const stream: StreamedCommand<LintValues> = {
  result: "findings",
  readsAudit: true,
  async prepare(args, input, now) {
    if (args.go.length > 0) throw new UsageError("--go can't be used with --stream, which reads objects")
    const failing = failingSeverities(args.failOn)
    const findingsOf = await objectLinter(args, await loadTypes(withUnions(args), input), now)
    return document => {
      const found = isDefinitions(document) ? lintDefinition(document.value) : findingsOf(document)
      return { result: found, status: statusOf(found, failing) }
    }
  },
}

export const lint = command({
  name: "lint",
  summary: "Find problems in definitions, configurations and live objects",
  operands: "FILE...",
  options,
  notes: [
    "Checks the unions and the merging of lists in CustomResourceDefinitions, OpenAPI documents and Go types. Unions that are",
    "written as oneOf or as rules in CEL count too. Objects with managedFields are live objects; smd reports the owners that stand",
    "in an applier's way: owners at versions that are gone, leftovers of client-side apply, updates that keep fields that an",
    "applier has dropped, and more. All other objects are configurations. smd reports members of a union that exclude each other,",
    "and a discriminator that does not name the member that is set, in configurations and live objects. Objects have the unions of",
    "Kubernetes' types and of the definitions on the command line.",
    "",
    "Configurations with values that don't fit their types, such as unknown fields, or at a removed version are only counted: smd",
    "validate reports these problems.",
    "",
    "Each finding has a severity (error, warning, info), a code, a place, a message and a remedy. docs/lint.md explains the codes.",
    "Exits with 1 if there are errors, with --fail-on warning also for warnings, and with 2 for bad input. An object of an unknown",
    "kind is bad input; the others are checked.",
    ...streamNotes("each gives a line of JSON, with its findings."),
  ],
  examples: [
    "smd lint widgets-crd.yaml widget.yaml",
    "smd lint --go api/v1",
    "smd lint -R manifests --output github --fail-on warning",
    "smd lint deployments -A",
    "kubectl get deployments -A -o yaml --show-managed-fields | smd lint -",
    "smd lint deployments -A --known-managers helm,argocd-controller --older-than 90d",
    "smd lint live --crd widgets-crd.yaml --max-entries 30 --fail-on never",
    "kubectl get all -A -o json --show-managed-fields | smd lint --stream --shard 0/4",
  ],
  stream,
  async run({ args, input, terminal }) {
    const { output: form = "text", go } = args
    const readsObjects = args.operands.length + args.filename.length > 0 || namesCluster(args)
    if (go.length === 0 && !readsObjects) {
      const hint = args.crd.length > 0 ? "; to check definitions, name them without --crd" : ""
      throw new UsageError(`FILE is missing${hint}`)
    }
    const all = go.length === 0 ? [] : [await lintGo(input, go)]
    if (readsObjects) all.push(...(await lintFiles(args, input, terminal.now())))
    const unread = all.flatMap(each => each.unread?.problems ?? [])
    const linted = all.filter(each => each.unread === undefined)
    if (linted.length === 0) throw new InputError(unread)
    const found = linted.flatMap(({ findings }) => findings)
    const failing = failingSeverities(args.failOn)
    if (form === "text") {
      const text = input.secrets.guard(found.map(formatFinding).join(""))
      terminal.write(foldLines(text, terminal.messageColumns))
      for (const line of summaryOf(linted)) terminal.report(`${line}\n`)
    } else if (form === "json") terminal.write(formatDocument(input.secrets.hide(found.map(recordOf)), form))
    else {
      const objects = linted.map(each => each.checked())
      terminal.write(formatReport({ command: "lint", objects, failing }, form, args.marker, input.secrets))
    }
    for (const problem of unread) terminal.report(`${problem}\n`)
    return unread.length > 0 ? 2 : statusOf(found, failing)
  },
})

/** Says how much was checked and found, and how many objects need another check. */
function summaryOf(linted: readonly Linted[]): string[] {
  const findings = linted.flatMap(({ findings }) => findings)
  const nouns = { error: "error", warning: "warning", info: "remark" } as const
  const counts = (["error", "warning", "info"] as const).flatMap(severity => {
    const found = findings.filter(finding => finding.severity === severity).length
    return found === 0 ? [] : [counted(found, nouns[severity])]
  })
  const misfits = linted.filter(({ isMisfit }) => isMisfit).length
  const documents = linted.flatMap(({ document }) => document ?? [])
  const result = counts.length === 0 ? "no findings" : counts.join(", ")
  const others = `${misfits === 1 ? "has" : "have"} other problems, such as unknown fields or a removed version`
  return [
    documents.length === 0 ? `checked Go types: ${result}` : checkedLine(documents, result),
    ...(misfits > 0 ? [`${counted(misfits, "object")} ${others}: smd validate reports them`] : []),
  ]
}

function failingSeverities(limit: LintValues["failOn"] = "error"): readonly LintSeverity[] {
  return limit === "never" ? [] : limit === "warning" ? ["error", "warning"] : ["error"]
}

function statusOf(found: readonly LintFinding[], failing: readonly LintSeverity[]): number {
  return found.some(({ severity }) => failing.includes(severity)) ? 1 : 0
}

/** The options with all unions on. */
function withUnions(args: LintValues): TypesValues {
  return { ...args, unions: "extended", unionsFromValidation: true }
}

/** Whether the document defines types. */
function isDefinitions({ value }: Document): boolean {
  return formatOf(value) !== undefined
}

async function lintFiles(args: LintArguments, input: Input, now: Date): Promise<Linted[]> {
  input.acceptRepeatedKeys()
  const documents = await readLiveObjects(args, input, "FILE")
  const objects = documents.filter(document => !isDefinitions(document))
  const linted = documents.filter(isDefinitions).map(document =>
    lintedDocument(
      document,
      requested(document, () => lintDefinition(document.value)),
      path => pointerSteps(document.value, path),
    ),
  )
  if (objects.length === 0) return linted
  const types = await loadTypes(withUnions(args), input, documents.filter(isDefinition))
  const findingsOf = await objectLinter(args, types, now)
  const inObjects = objects.map(document => {
    const places = new Places(document.value)
    try {
      const found = lintedDocument(document, findingsOf(document), path => places.locate(path))
      return { ...found, isMisfit: !isLive(document.value) && !fitsType(document, types) }
    } catch (error) {
      if (error instanceof InputError) return { ...lintedDocument(document, [], () => []), unread: error }
      throw error
    }
  })
  return [...linted, ...inObjects]
}

function lintedDocument(document: Document, found: readonly LintFinding[], stepsTo: (path: string) => Steps): Linted {
  const repeated = (document.repeatedKeys ?? []).map((key): PlacedFinding => {
    const { steps } = key
    const [finding] = lintRepeatedKeys([key]) as readonly [LintFinding]
    const plain = plainProblem(finding, steps.at(-1), undefined, document.writtenAt?.(steps))
    return { ...finding, place: document.placeOf(steps), ...(plain.path !== finding.path && { plain }) }
  })
  const findings = [
    ...repeated,
    ...found.map(finding => ({ ...finding, place: document.placeOf(stepsTo(finding.path)) })),
  ]
  return { document, findings, checked: () => checkedObject(document, findings.map(lintFinding)) }
}

/** Whether the object fits its type, at a version that Kubernetes has not removed. */
function fitsType(document: Document, types: Types): boolean {
  const { apiVersion, kind } = objectKindOf(document.value)
  if (removedIn(apiVersion, kind) !== undefined) return false
  try {
    typedDocument(document, types.typeOf(document), { allowDuplicates: true })
    return true
  } catch (error) {
    if (error instanceof InputError) return false
    throw error
  }
}

/** Returns a function that checks an object. The function throws an InputError for a configuration whose kind has no type. */
async function objectLinter(
  args: LintValues,
  types: Types,
  now: Date,
): Promise<(document: Document) => readonly LintFinding[]> {
  const [{ DefinedKinds }, { lintStoredForm }] = await Promise.all([
    import("../input/defined-kinds.js"),
    import("../../tools/lint/stored-form.js"),
  ])
  const defined = new DefinedKinds(types)
  const finder = finderOf(types)
  const options = { ...sizeLimits(args), ...expectedManagers(args, now), types: finder }
  const isKnown = ({ value }: Document) => {
    const { apiVersion, kind } = objectKindOf(value)
    return finder.find(apiVersion, kind) !== undefined
  }
  return document => {
    const isConfig = !isLive(document.value)
    if (isConfig) types.typeOf(document)
    const definition = types.hasDefinitions && isKnown(document) ? types.sourceOf(document).definition : undefined
    const found = lintObject(document.value as object, {
      ...options,
      ...(isMap(definition) && { definition: definition as MapValue }),
    })
    const kinds = isConfig ? defined.of(document) : undefined
    return kinds === undefined ? found : [...found, ...lintStoredForm(document.value as object, { types: kinds })]
  }
}

function sizeLimits({ maxEntries, maxBytes, maxShare }: LintValues): SizeLimits {
  return {
    ...(maxEntries !== undefined && { maxEntries }),
    ...(maxBytes !== undefined && { maxBytes }),
    ...(maxShare !== undefined && { maxShare: maxShare / 100 }),
  }
}

function expectedManagers({ knownManagers, olderThan }: LintValues, now: Date): ExpectedManagers {
  return { knownManagers, changedSince: olderThan?.(now) }
}

async function lintGo(input: Input, given: readonly string[]): Promise<Linted> {
  const findings = await findingsInGo(input, given)
  const place: FilePlace = { file: given.join(" "), position: undefined }
  return { findings, checked: () => ({ title: "Go types", place, findings: findings.map(lintFinding) }) }
}

async function findingsInGo(input: Input, given: readonly string[]): Promise<PlacedFinding[]> {
  try {
    const { unions, openapi, placeOf, warnings } = await readGo({}, input, given)
    const inTypes = [...lintUnions(unions, openapi), ...lintTopology(openapi)].map((finding): PlacedFinding => {
      const { type, at } = typeAt(finding.path)
      const place = placeOf(type, at) ?? placeOf(type)
      return { ...finding, path: [type, ...at].join("."), place: goPlace(place) }
    })
    return [...warnings.map(issue => ofIssue("go-types-suspect", issue)), ...inTypes]
  } catch (error) {
    if (!(error instanceof GoTypesError)) throw error
    return error.issues.map(issue => ofIssue("go-types-invalid", issue))
  }
}

/** Returns the type, and the path inside it, of a pointer below `/components/schemas`. */
function typeAt(pointer: string): { readonly type: string; readonly at: readonly string[] } {
  const [, , type = "", ...steps] = parsePointer(pointer)
  const at: string[] = []
  for (let i = 0; i < steps.length; i++) at.push(steps[i] === "properties" ? (steps[++i] ?? "") : "*")
  return { type, at }
}

function ofIssue(code: LintCode, issue: GoTypesIssue): PlacedFinding {
  const path = [issue.type, issue.field].filter(name => name !== "").join(".")
  const remedy =
    code === "go-types-invalid" ? "fix the source: no generator accepts it" : "check whether this is intended"
  return { code, severity: lintSeverities[code], path, message: issue.message, remedy, place: goPlace(issue) }
}

function goPlace(place: Pick<GoTypesIssue, "file" | "line"> | undefined): FilePlace {
  return { file: place?.file ?? "", position: place && { line: place.line, column: 1 } }
}

function formatFinding(found: PlacedFinding): string {
  return `${printable(`${formatPlace(found.place)}: ${found.severity}: ${lintSentence(found)} (${found.code})`)}\n`
}

function recordOf({ place: { file, position }, plain: _, ...finding }: PlacedFinding): Value {
  const record = { ...finding, file, ...(position && { line: position.line, column: position.column }) }
  return record as unknown as Value
}
