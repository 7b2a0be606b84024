import { UnionError, ValidationError } from "../../errors.js"
import type { Type } from "../../typed/type.js"
import { TypedValue } from "../../typed/typed-value.js"
import { normalizeUnions, normalizeUnionsApply } from "../../union/normalize.js"
import type { UnionPolicy } from "../../union/policy.js"
import { requireValidUnions } from "../../union/validate.js"
import { fieldErrorMessage, type ValidatorOptions } from "../../validation/rules/report.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { counted } from "../../value/words.js"
import { filesOptions, readFiles, readObjects, withLive } from "../input/application.js"
import { type Document, forEach, InputError } from "../input/document.js"
import { Places } from "../input/locate.js"
import { outOption, schemaOptions, UsageError, type ValuesOf } from "../input/options.js"
import { formatProblem, type Problem, problemsOf } from "../input/problems.js"
import { type Checks, loadChecks, ruleOptions, validationOptions } from "../input/rules.js"
import { chosenPolicy, unionOptions } from "../input/unions.js"
import { checkedLine } from "../output/checked.js"
import { checkedObject, isEnforced, type ObjectProblem, problemFinding } from "../output/ci/findings.js"
import type { CheckedObject } from "../output/ci/report.js"
import { formatDocument } from "../output/document.js"
import { markerOption } from "../output/markdown/markdown.js"
import type { StreamedCommand } from "../stream/judge.js"
import { auditOption, streamNotes, streamOptions } from "../stream/options.js"
import { printable } from "../terminal/layout.js"
import { requireSameObject } from "./apply-request.js"
import { command } from "./command.js"
import { formatReport, problemOutputOption } from "./report.js"

const options = {
  ...filesOptions,
  ...ruleOptions,
  ...unionOptions,
  ...schemaOptions,
  output: problemOutputOption,
  marker: markerOption,
  out: outOption,
  ...streamOptions,
  from: auditOption,
}

const stream: StreamedCommand<ValuesOf<typeof options>> = {
  result: "problems",
  readsAudit: true,
  async prepare(args, input) {
    if (args.old.length > 0)
      throw new UsageError("--old can't be used with --stream, which has one state of each object")
    const policy = chosenPolicy(args)
    const options = validationOptions(args)
    const checksOf = await loadChecks(args, input, undefined)
    return document => {
      const found = problemsIn(document, undefined, checksOf(document), policy, options)
      return { result: found.map(dataOf), status: found.some(counts) ? 2 : 0 }
    }
  },
}

export const validate = command({
  name: "validate",
  summary: "Check documents by their types, and as an API server does",
  operands: "FILE...",
  options,
  notes: [
    "Checks every object of every FILE: files, folders and -, and the items of Lists. Definitions of custom resources among them",
    "provide types for the others. Prints every problem with file, line, column and path, and the number of objects that were",
    "checked. Exits with 2 if there are problems.",
    "",
    "Built-in kinds and the kinds of CRDs are validated as by an API server, as new objects or with --old as updates: names,",
    "required fields, ranges, enums, oneOf, rules in CEL. The rules need the package @marcbachmann/cel-js. An object with a uid is",
    "checked in its stored form.",
    "",
    "Unions of a schema or a CRD are settled as if each document were applied to create an object, and the result is validated.",
    "The policy v4 reports only unions that it can't settle. With --unions, the built-in types have unions too.",
    "",
    "With --go or --rules, objects that fit their types are also checked by rules: the +k8s: markers of Kubernetes' declarative",
    "validation. Errors of rules with level alpha are shown but don't count, because an API server does not enforce these rules.",
    ...streamNotes("each gives a line of JSON, with its problems."),
  ],
  examples: [
    "smd validate deployment.yaml service.yaml",
    "cat deployment.yaml | smd validate -",
    "smd validate --crd crds.yaml --old live.yaml widget.yaml",
    "smd validate --unions extended pod.yaml",
    "smd validate --schema schema.yaml --type cluster cluster.yaml",
    "smd validate --go api/v1 --type Backup backup.yaml",
    "smd validate --go types.go --old stored.yaml --option Encryption=true backup.yaml",
    "smd validate --rules rules.yaml --output github deployment.yaml",
    "smd validate --stream --jobs 2 fleet.ndjson",
  ],
  stream,
  async run({ args, input, terminal }) {
    const { output: form = "text" } = args
    const policy = chosenPolicy(args)
    const options = validationOptions(args)
    const documents = await readObjects(args, input, "FILE")
    const old = await readFiles(args.old, args.recursive, input)
    const checksOf = await loadChecks(args, input, documents)
    const found: ObjectProblem[] = []
    const objects: CheckedObject[] = []
    const check = (document: Document, before: Document | undefined): void => {
      if (before !== undefined) requireSameObject(before, document, "that of the object before")
      const problems = problemsIn(document, before, checksOf(document), policy, options)
      if (form === "text") reportText(problems, line => input.remark(line))
      found.push(...problems)
      objects.push(checkedObject(document, problems.map(problemFinding)))
    }
    try {
      const pairs = withLive(documents, old, "say which in metadata")
      await forEach(pairs, ({ config, live }) => check(config, live))
      if (form === "text") terminal.report(`${checkedLine(documents, "no problems")}\n`)
    } catch (error) {
      if (form !== "text" || !(error instanceof InputError)) throw error
      const { problems } = error
      const found = problems.filter(line => !line.startsWith(" ")).length
      throw new InputError([...problems, checkedLine(documents, counted(found, "problem"))])
    } finally {
      if (form === "json") terminal.write(formatDocument(input.secrets.hide(found.map(recordOf)), form))
      else if (form !== "text")
        terminal.write(
          formatReport({ command: "validate", objects, failing: ["error"] }, form, args.marker, input.secrets),
        )
    }
    return found.some(counts) ? 2 : 0
  },
})

function counts({ error }: ObjectProblem): boolean {
  return isEnforced(error)
}

/** Returns all problems of the document. The server and rules check it only if it fits its type. */
function problemsIn(
  document: Document,
  old: Document | undefined,
  { type, validator, refusals }: Checks,
  policy: UnionPolicy,
  options: ValidatorOptions,
): ObjectProblem[] {
  const found: ObjectProblem[] = []
  if (type !== undefined) {
    const { problems, settled } = checkType(document, old, type, policy)
    if (problems.length > 0) return [...problems]
    if (isMap(settled)) found.push(...(refusals?.(document, { object: settled, old: mapOf(old), type }) ?? []))
  }
  if (validator === undefined) return found
  const places = new Places(document.value)
  const broken = validator.validate(document.value, old?.value, options).map(error => {
    const path = error.field === "" || error.field.startsWith("[") ? error.field : `.${error.field}`
    return { place: document.placeOf(places.locate(path)), path, message: fieldErrorMessage(error), error }
  })
  return [...found, ...broken]
}

function mapOf(document: Document | undefined): MapValue | undefined {
  return document !== undefined && isMap(document.value) ? document.value : undefined
}

/**
 * Returns the places where the document does not fit the type, and the problems of its unions under the policy, as a new object or as an
 * update of `old`. `settled` is the value with settled unions.
 */
function checkType(
  document: Document,
  old: Document | undefined,
  type: Type,
  policy: UnionPolicy,
): { readonly problems: readonly Problem[]; readonly settled: Value } {
  try {
    const value = TypedValue.of(document.value, type)
    const before = old === undefined ? undefined : typedOrUndefined(old.value, type)
    const settled =
      before === undefined ? normalizeUnionsApply(value, value, { policy }) : normalizeUnions(before, value, { policy })
    requireValidUnions(policy, before, settled.object)
    return { problems: [], settled: settled.object.value }
  } catch (error) {
    if (!(error instanceof ValidationError || error instanceof UnionError)) throw error
    return { problems: problemsOf(document, error.issues, type), settled: document.value }
  }
}

/** Returns the typed old object; undefined if it does not fit the type, so that its unions are unknown. */
function typedOrUndefined(value: Value, type: Type): TypedValue | undefined {
  try {
    return TypedValue.of(value, type, { allowDuplicates: true })
  } catch (error) {
    if (error instanceof ValidationError) return undefined
    throw error
  }
}

/** Reports problems that don't count as remarks, and throws an InputError with the others. */
function reportText(problems: readonly ObjectProblem[], remark: (line: string) => void): void {
  for (const problem of problems) {
    if (!counts(problem)) remark(`${printable(`${formatProblem(problem)} (alpha: not enforced)`)}\n`)
  }
  const counting = problems.filter(counts)
  if (counting.length > 0) throw new InputError(counting.map(formatProblem))
}

/** Returns the problem as data, with its place. */
function recordOf(found: ObjectProblem): Value {
  const { file, position } = found.place
  return { file, ...position, ...dataOf(found) }
}

function dataOf({ path, message, reason, error }: ObjectProblem): MapValue {
  return { path, message, ...(reason !== undefined && { reason }), ...(error as unknown as MapValue | undefined) }
}
