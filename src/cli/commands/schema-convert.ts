import { formatGoTypesIssue } from "../../gotypes/source/errors.js"
import type { UnionMode } from "../../openapi/conversion/options.js"
import type { UnionExtension } from "../../openapi/unions/write-unions.js"
import { type OpenAPIWriterOptions, openAPIv3FromSchema } from "../../openapi/write.js"
import { memberName } from "../../schema/item-member.js"
import type { Atom, MapAtom, Schema, TypeRef } from "../../schema/schema.js"
import type { UnionDef, UnionMember } from "../../schema/union.js"
import { applyUnionOverlay } from "../../union/overlay.js"
import type { MapValue, Value } from "../../value/value.js"
import { convertAll } from "../input/convert-documents.js"
import { explained, formatDiagnostic, loadTypeDocuments } from "../input/document-types.js"
import type { Input } from "../input/input.js"
import { choice, dataOutputOption, inPlaceOption, type Operands, outOption, UsageError } from "../input/options.js"
import { asGoInput, goOption, readGo } from "../input/rules.js"
import { unionModeOption } from "../input/unions.js"
import { formatDocument } from "../output/document.js"
import { onlyFile } from "../output/out.js"
import { printable } from "../terminal/layout.js"
import { command } from "./command.js"

const extensions = ["fieldMembers", "list"] as const satisfies readonly UnionExtension[]

/** The input in both forms, with remarks for the reader. */
interface ConvertedTypes {
  readonly schema: Schema
  readonly openapi: () => MapValue
  readonly remarks: readonly string[]
}

export const schemaConvert = command({
  name: "schema convert",
  summary: "Convert OpenAPI documents, CRDs and Go types to a schema",
  operands: "FILE...",
  isPrinter: true,
  options: {
    go: goOption("Go types to convert, with their unions, in place of FILE"),
    unionMode: unionModeOption,
    to: choice(["schema", "openapi-v3"], "a schema, or an OpenAPI document; schema if absent"),
    unionExtension: choice(extensions, "how an OpenAPI document spells unions"),
    output: dataOutputOption,
    out: outOption,
    inPlace: inPlaceOption("FILE"),
  },
  notes: [
    "Reads OpenAPI v2 and v3 documents and CustomResourceDefinitions, also several in a file or a List. Prints the schema of all",
    "their types, for use with --schema, and remarks about it on standard error.",
    "",
    "Unions (x-kubernetes-unions) are ignored (off), converted as by an API server (upstream: unions of OpenAPI v2, as published),",
    "converted without unions that are known to be wrong (drop), or with those corrected (repair). Without --union-mode, CRDs are",
    "read with repair, and other documents with off. A schema can't express optional members, or values that select no member. It",
    "omits unions of list items, and smd reports them.",
    "",
    "With from-validation, validation in a schema (oneOf, anyOf, not, rules in CEL) becomes a union too if it means exactly that.",
    "smd reports each such union, and each rule that resembles a union, with the reason why it is not one.",
    "",
    "--to openapi-v3 prints an OpenAPI v3 document with the types as a merge sees them, and complete unions as x-kubernetes-unions:",
    "at the discriminator (fieldMembers), or as a list at the object. --union-mode repair reads both forms.",
  ],
  examples: [
    "kubectl get --raw /openapi/v3/apis/apps/v1 | smd schema convert - > apps.yaml",
    "kubectl get --raw /openapi/v2 | smd schema convert - --output json > cluster.json",
    "smd schema convert widgets-crd.yaml > widgets.yaml",
    "smd schema convert --go api/v1 --to openapi-v3 > backups.yaml",
    "smd schema convert --union-mode from-validation widgets-crd.yaml > widgets.yaml",
    "smd schema convert --union-mode from-validation --to openapi-v3 widgets-crd.yaml > widgets.json -o json",
  ],
  inPlaceFile: ({ operands }) => onlyFile(operands, "FILE"),
  async run({ args, input, terminal }) {
    const { output = "yaml", to: form = "schema", unionExtension } = args
    if (unionExtension !== undefined && form === "schema")
      throw new UsageError("--union-extension needs --to openapi-v3")
    const spelling = unionExtension === undefined ? {} : { unionExtension }
    const read = args.go.length > 0 ? readTypes : readDocuments
    const { schema, openapi, remarks } = await read(args, input, spelling)
    const leftOut: UnionDef[] = []
    const result =
      form === "schema" ? ({ types: schema.types.map(type => spelled(type, leftOut)) } as unknown as Value) : openapi()
    terminal.write(formatDocument(result, output))
    for (const remark of remarks) terminal.report(`${remark}\n`)
    for (const { fields = [] } of leftOut) {
      const names = printable(fields.map(memberName).join(", "))
      terminal.report(`a schema can't express that ${names} exclude each other; --to openapi-v3 can\n`)
    }
    return 0
  },
})

interface ConvertArguments extends Operands {
  readonly go: readonly string[]
  readonly unionMode: UnionMode | undefined
}

async function readDocuments(
  args: ConvertArguments,
  input: Input,
  spelling: OpenAPIWriterOptions,
): Promise<ConvertedTypes> {
  if (args.operands.length === 0) throw new UsageError("FILE is missing")
  const { unionMode } = args
  const documents = await loadTypeDocuments(args.operands, input)
  const { schema, kinds, diagnostics } = explained(documents, () =>
    convertAll(documents, unionMode === undefined ? {} : { unionMode }),
  )
  return {
    schema,
    openapi: () => openAPIv3FromSchema(schema, { kinds, ...spelling }),
    remarks: diagnostics.map(diagnostic => formatDiagnostic(documents, diagnostic)),
  }
}

async function readTypes(
  args: ConvertArguments,
  input: Input,
  spelling: OpenAPIWriterOptions,
): Promise<ConvertedTypes> {
  if (args.operands.length > 0) throw new UsageError("--go replaces the operand FILE")
  if (args.unionMode !== undefined) throw new UsageError("--union-mode is about documents, not Go types")
  const { schema, unions, openapi, warnings } = await asGoInput(readGo({}, input, args.go, spelling))
  return {
    schema: applyUnionOverlay(schema, unions),
    openapi: () => openapi,
    remarks: warnings.map(formatGoTypesIssue),
  }
}

/** Returns the type with the parts of its unions that a schema document can express. Unions of items go to `leftOut`. */
function spelled<A extends Atom>(atom: A, leftOut: UnionDef[]): A {
  const { list, map } = atom
  return {
    ...atom,
    ...(list !== undefined && { list: withElements(list, leftOut) }),
    ...(map !== undefined && { map: withElements(spelledMap(map, leftOut), leftOut) }),
  }
}

function spelledMap(map: MapAtom, leftOut: UnionDef[]): MapAtom {
  const { fields, unions } = map
  const ofItems = (unions ?? []).filter(union => union.fields?.some(({ item }) => item !== undefined))
  leftOut.push(...ofItems)
  return {
    ...map,
    ...(fields !== undefined && { fields: fields.map(field => ({ ...field, type: spelled(field.type, leftOut) })) }),
    ...(unions !== undefined && { unions: unions.filter(union => !ofItems.includes(union)).map(spelledUnion) }),
  }
}

function withElements<A extends { readonly elementType?: TypeRef }>(atom: A, leftOut: UnionDef[]): A {
  return atom.elementType === undefined ? atom : { ...atom, elementType: spelled(atom.elementType, leftOut) }
}

function spelledUnion({ discriminator, fields }: UnionDef): UnionDef {
  return {
    ...(discriminator !== undefined && { discriminator }),
    ...(fields !== undefined && { fields: fields.map(spelledMember) }),
  }
}

function spelledMember({ fieldName, discriminatorValue }: UnionMember): UnionMember {
  return { fieldName, ...(discriminatorValue !== undefined && { discriminatorValue }) }
}
