import type { UnionMode } from "../../openapi/options.js"
import { openAPIv3FromSchema } from "../../openapi/write.js"
import type { UnionExtension } from "../../openapi/write-unions.js"
import { memberName } from "../../schema/item-member.js"
import type { Atom, MapAtom, TypeRef } from "../../schema/schema.js"
import type { UnionDef, UnionMember } from "../../schema/union.js"
import type { Value } from "../../value/value.js"
import { convertAll, describe, explained, loadTypeDocuments } from "../input/document-types.js"
import { outputOption, UsageError } from "../input/options.js"
import { formatDocument } from "../output/document.js"
import { printable } from "../output/layout.js"
import type { Command } from "./command.js"

const modes = ["off", "upstream", "drop", "repair", "from-validation"] as const satisfies readonly UnionMode[]
const forms = ["schema", "openapi-v3"] as const
const extensions = ["fieldMembers", "list"] as const satisfies readonly UnionExtension[]

export const schemaConvert: Command = {
  name: "schema convert",
  summary: "Convert OpenAPI documents and CRDs to a schema",
  operands: "FILE...",
  options: [
    { name: "unions", value: "MODE", help: `what becomes of unions: ${modes.join(", ")}` },
    { name: "to", value: forms.join("|"), help: "a schema (default), or an OpenAPI document" },
    { name: "union-extension", value: extensions.join("|"), help: "how an OpenAPI document spells unions" },
    outputOption,
  ],
  notes: [
    "Reads OpenAPI v2 and v3 documents and CustomResourceDefinitions, also several in a file or a List. Prints the schema of",
    "all their types, fit for --schema, and on standard error what a reader of it should know.",
    "",
    "Unions (x-kubernetes-unions) are converted not at all (off), as an API server does (upstream: those of OpenAPI v2, as",
    "published), without those that are known to be wrong (drop), or with these put right (repair). Without --unions CRDs are",
    "read with repair, all else with off. A schema has no room for optional members and values that select none. Unions of items of",
    "a list are left out of it, and told.",
    "",
    "With from-validation, what a schema states as oneOf, anyOf, not or a rule in CEL is a union too, where it means exactly that.",
    "Each of them is told, and each that looks like a union and is none, with the reason.",
    "",
    "--to openapi-v3 prints an OpenAPI v3 document with the types as a merge sees them, and unions as x-kubernetes-unions, with all",
    "that they say: at the discriminator (fieldMembers), or as a list at the object. Both are read again with --unions repair.",
  ],
  examples: [
    "kubectl get --raw /openapi/v3/apis/apps/v1 | smd schema convert - > apps.yaml",
    "kubectl get --raw /openapi/v2 | smd schema convert - --output json > cluster.json",
    "smd schema convert widgets-crd.yaml > widgets.yaml",
    "smd schema convert --unions from-validation widgets-crd.yaml > widgets.yaml",
    "smd schema convert --unions from-validation --to openapi-v3 widgets-crd.yaml > widgets.json -o json",
  ],
  async run({ args, input, terminal }) {
    if (args.operands.length === 0) throw new UsageError("FILE is missing")
    const choice = args.get("unions")
    const unions = modes.find(mode => mode === choice)
    if (unions === undefined && choice !== undefined)
      throw new UsageError(`--unions is one of ${modes.join(", ")}, not ${choice}`)
    const { output = "yaml" } = args
    const form = args.choice("to", forms) ?? "schema"
    const unionExtension = args.choice("union-extension", extensions)
    if (unionExtension !== undefined && form === "schema")
      throw new UsageError("--union-extension needs --to openapi-v3")
    const documents = await loadTypeDocuments(args.operands, input)
    const { schema, kinds, diagnostics } = explained(documents, () =>
      convertAll(documents, unions === undefined ? {} : { unions }),
    )
    const leftOut: UnionDef[] = []
    const result =
      form === "schema"
        ? ({ types: schema.types.map(type => spelled(type, leftOut)) } as unknown as Value)
        : openAPIv3FromSchema(schema, { kinds, ...(unionExtension && { unionExtension }) })
    terminal.write(formatDocument(result, output))
    for (const diagnostic of diagnostics) terminal.report(`${describe(documents, diagnostic)}\n`)
    for (const { fields = [] } of leftOut) {
      const names = printable(fields.map(memberName).join(", "))
      terminal.report(`a schema can't say that ${names} exclude each other; --to openapi-v3 can\n`)
    }
    return 0
  },
}

/** The type with its unions reduced to what a schema document can say. Those of items go to `leftOut`. */
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
