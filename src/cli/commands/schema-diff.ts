import { SchemaError } from "../../errors.js"
import type { SchemaDiff } from "../../tools/ownership/schema-diff.js"
import type { Value } from "../../value/value.js"
import { isMap } from "../../value/value.js"
import { readFiles } from "../input/application.js"
import { readSide, type SchemaSide, type SideValues } from "../input/compared-schema.js"
import { InputError } from "../input/document.js"
import type { Context } from "../input/input.js"
import { decodeOwners } from "../input/managed-fields.js"
import { type Operands, option, outOption, recursiveOption, repeated, UsageError } from "../input/options.js"
import { goOption } from "../input/rules.js"
import { unionModeOption } from "../input/unions.js"
import { schemaFindings } from "../output/ci/findings.js"
import { formatAnnotations } from "../output/ci/github.js"
import { markerOption } from "../output/markdown/markdown.js"
import { formatSchemaDiffAsMarkdown } from "../output/markdown/schema-diff.js"
import { formatResults } from "../output/results.js"
import { formatSchemaDiff } from "../output/schema-diff.js"
import { command } from "./command.js"
import { reportOption } from "./report.js"

export const schemaDiff = command({
  name: "schema diff",
  summary: "Show the effect of a change of types on the owners of objects",
  operands: "OLD NEW",
  options: {
    go: goOption("Go types, as OLD and NEW are"),
    objects: repeated("FILE|DIR|-", "live objects with managedFields, to count the affected owners"),
    recursive: recursiveOption,
    type: option("NAME", "the only type to compare, and the type of the objects; for types that are not kinds"),
    unionMode: unionModeOption,
    output: reportOption,
    marker: markerOption,
    out: outOption,
  },
  notes: [
    "OLD and NEW are files or folders with CustomResourceDefinitions, OpenAPI v2 and v3 documents, a schema document, or Go types.",
    "Kinds are compared version by version, including versions that are not served. If one side has no kinds, types of the same",
    "name are compared.",
    "",
    "Reports each change that affects a merge: lists and maps that become atomic or granular, sets, keys of items and their",
    "defaults, fields, unions. ! changes ownership, ? depends on the object, = does not change it. docs/schema-diff.md describes",
    "the effects on owners.",
    "",
    "With --objects it also counts the objects and owners that each change affects, by reconciling each entry of managedFields.",
    "",
    "Exits with 1 if the ownership of these objects changes, or without --objects if the ownership of some object may change;",
    "otherwise with 0, and with 2 for bad input.",
  ],
  examples: [
    "smd schema diff old/widgets-crd.yaml widgets-crd.yaml",
    "kubectl get crd widgets.example.com -o yaml | smd schema diff - widgets-crd.yaml",
    "smd schema diff old/widgets-crd.yaml widgets-crd.yaml --objects live -R --output json",
    "smd schema diff --go old/api/v1 --go api/v1 --output github",
  ],
  async run(context) {
    const { args, input, terminal } = context
    const { output: form = "text", unionMode } = args
    const [old, now] = pathsOf(args)
    const options = unionMode === undefined ? {} : { unionMode }
    const before = await readSide(old, args, input, options)
    const after = await readSide(now, args, input, options)
    const diff = input.secrets.hide(await compare(context, before, after))
    if (form === "text") terminal.write(formatSchemaDiff(diff, terminal))
    else if (form === "markdown") terminal.write(formatSchemaDiffAsMarkdown(diff, args.marker))
    else if (form === "github") {
      const findings = schemaFindings(diff.changes, place => after.placeOf(place))
      terminal.write(formatAnnotations("schema diff", findings))
    } else terminal.write(formatResults([diff as unknown as Value], form))
    return diff.ownership === "no" ? 0 : 1
  },
})

interface DiffArguments extends Operands, SideValues {
  readonly objects: readonly string[]
  readonly type: string | undefined
}

function pathsOf(args: Operands & SideValues): [old: string, now: string] {
  const go = args.go.filter(given => !given.includes("="))
  if (go.length > 0 && args.operands.length > 0) throw new UsageError("--go replaces the operands OLD and NEW")
  const [old, now, surplus] = [...args.operands, ...go]
  if (old === undefined || now === undefined) throw new UsageError(`${old === undefined ? "OLD" : "NEW"} is missing`)
  if (surplus !== undefined) throw new UsageError(`unexpected ${surplus}`)
  return [old, now]
}

async function compare(
  { args, input }: Context<DiffArguments>,
  before: SchemaSide,
  after: SchemaSide,
): Promise<SchemaDiff> {
  const { schemaDiff } = await import("../../tools/ownership/schema-diff.js")
  const { objects: files, type } = args
  const objects = files.length === 0 ? undefined : await readFiles(files, args.recursive, input)
  for (const document of objects ?? []) {
    if (!isMap(document.value)) throw new InputError(`${document.at([])}: a live object must be a map`)
    decodeOwners(document)
  }
  try {
    return schemaDiff(before, after, {
      ...(objects !== undefined && { objects: objects.map(({ value }) => value as object) }),
      ...(type !== undefined && { type }),
    })
  } catch (error) {
    if (error instanceof SchemaError) throw new InputError(error.message)
    throw error
  }
}
