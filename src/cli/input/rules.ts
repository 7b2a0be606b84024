// Loads the types and rules that validate objects. Rules come from Go source (`--go`) or from a file (`--rules`).
import { SchemaError } from "../../errors.js"
import type { GoTypes, GoTypesOptions } from "../../gotypes/read.js"
import { formatGoTypesIssue, GoTypesError } from "../../gotypes/source/errors.js"
import type { GoSources } from "../../gotypes/types/program.js"
import type { Schema } from "../../schema/schema.js"
import { compileSchema, type Type } from "../../typed/type.js"
import { applyUnionOverlay } from "../../union/overlay.js"
import { compileRules } from "../../validation/compile.js"
import type { Validator, ValidatorOptions } from "../../validation/rules/report.js"
import type { Rule, RuleDocument, RuleType } from "../../validation/rules/rules.js"
import { type RuleOverlay, rulesForSchema } from "../../validation/schema-rules.js"
import { didYouMean } from "../../value/nearest.js"
import { own, put } from "../../value/object.js"
import { isMap } from "../../value/value.js"
import { printable } from "../terminal/layout.js"
import { loadBuiltInTypes } from "./built-in-types.js"
import { type Document, InputError, requested } from "./document.js"
import { isDefinition } from "./document-types.js"
import type { Input } from "./input.js"
import { firstGiven, option, repeated, UsageError, type ValuesOf } from "./options.js"
import type { FindRefusals } from "./refusals.js"
import { requireRules } from "./rule-file.js"
import { loadTypes, type Types, type TypesValues } from "./types.js"
import { asksForUnions, type UnionValues } from "./unions.js"

export const ruleOptions = {
  go: goOption("Go source of a package, which has the type of --type or of the kind"),
  rules: option("FILE", "rules for the types, or with --type for a type that the file declares"),
  old: repeated("FILE|DIR|-", "the old objects, which these replace; an object that is not among them is new"),
  option: repeated("NAME[=false]", "an option that rules depend on, true or false", parseRuleOption),
  subresource: option("NAME", "the subresource that the objects are written to"),
}

/** The options that `loadChecks` reads. */
export type RuleValues = ValuesOf<typeof ruleOptions> & TypesValues

/** `--go`; `help` says which Go source it names. */
export function goOption(help: string) {
  return repeated("FILE|DIR|PATH=DIR", `${help}; PATH=DIR is a package that the source imports`)
}

function parseRuleOption(text: string, name: string): readonly [name: string, isOn: boolean] {
  const [, option = text, value = "true"] = /^([^=]*)=(.*)$/.exec(text) ?? []
  if (value === "true" || value === "false") return [option, value === "true"]
  throw new UsageError(`${name} ${option} must be true or false, not ${value}`)
}

/** The checks that validate an object. */
export interface Checks {
  /** Undefined if an object has rules but no type. */
  readonly type: Type | undefined
  /** Undefined without rules. */
  readonly validator: Validator | undefined
  /** Finds the reasons for which an API server refuses an object; undefined if only types and rules are checked. */
  readonly refusals: FindRefusals | undefined
}

/**
 * Returns a function that finds the checks of a document, and throws an InputError if it has no type. `documents` are the
 * documents to validate; undefined for a stream, where they are not known yet.
 */
export async function loadChecks(
  args: RuleValues,
  input: Input,
  documents: readonly Document[] | undefined,
): Promise<(document: Document) => Checks> {
  if (args.go.length > 0) {
    const other = firstGiven(args, ["rules", "schema", "openapi", "crd", "unionOverlay"])
    if (other !== undefined) throw new UsageError(`${other} can't be used with --go, which provides types and rules`)
    return goChecks(args, input)
  }
  if (args.rules !== undefined) return fileChecks(args, input, args.rules, documents)
  const other = firstGiven(args, ["option", "subresource"])
  if (other !== undefined) throw new UsageError(`${other} needs rules, from --go or --rules`)
  const types = await loadTypes(args, input, documents?.filter(isDefinition))
  const refusals = await loadRefusals(args, input, types, documents)
  return document => ({ type: types.typeOf(document), validator: undefined, refusals })
}

/** Undefined for subresources: a server's answer depends on the whole object. */
async function loadRefusals(
  args: RuleValues,
  input: Input,
  types: Types,
  documents: readonly Document[] | undefined,
): Promise<FindRefusals | undefined> {
  if (args.subresource !== undefined) return undefined
  const { refusalsBy } = await import("./refusals.js")
  return await refusalsBy(types, {
    documents: args.crd.length > 0 ? undefined : documents,
    otherReleases: args.openapi.length > 0,
    remark: line => input.remark(line),
  })
}

/** Returns the values of `--option` and `--subresource`. */
export function validationOptions({ option, subresource }: RuleValues): ValidatorOptions {
  return { options: Object.fromEntries(option), ...(subresource !== undefined && { subresource }) }
}

async function goChecks(args: RuleValues, input: Input): Promise<(of: Document) => Checks> {
  const paths = args.go.filter(path => !path.includes("="))
  const { rules, schema, unions, definitionOf, warnings } = await asGoInput(readGo(args, input, args.go))
  for (const issue of warnings) input.remark(`${printable(`warning: ${formatGoTypesIssue(issue)}`)}\n`)
  const ruled = new Set(typesAboutUnions(rules).map(definitionOf))
  const unruled = unions.types.filter(({ name }) => !ruled.has(name)) // the rules check the others
  const compiled = compileSchema(applyUnionOverlay(schema, { types: unruled }))
  const known = new Map<string, Checks>()
  return document => {
    const name = args.type ?? kindOf(document)
    const found = known.get(name)
    if (found !== undefined) return found
    const names = Object.keys(rules.types)
    if (!names.includes(name)) throw new InputError(`${paths.join(", ")}: no type ${name}${didYouMean(name, names)}`)
    const definition = definitionOf(name)
    const type = definition === undefined ? undefined : compiled.type(definition)
    const validator = asInput(paths[0] as string, () => compileRules(rules, name))
    const result = { type, validator, refusals: undefined }
    known.set(name, result)
    return result
  }
}

/** The types whose rules declare unions, also in an embedded struct. */
function typesAboutUnions({ types }: RuleDocument): string[] {
  const isOne = (name: string, around: readonly string[]): boolean => {
    const { rules = [], fields = [] } = Object.hasOwn(types, name) ? (types[name] as RuleType) : {}
    if ([...rules, ...fields.flatMap(field => field.rules ?? [])].some(isAboutUnions)) return true
    const embedded = fields.filter(field => field.embedded).map(({ type }) => type.replace(/^\*/, ""))
    return embedded.some(inner => !around.includes(inner) && isOne(inner, [...around, inner]))
  }
  return Object.keys(types).filter(name => isOne(name, [name]))
}

function isAboutUnions({ tag, payload }: Rule): boolean {
  if (tag === "unionMember" || tag === "zeroOrOneOfMember") return true
  return payload !== undefined && isAboutUnions(payload)
}

/** Reads the Go source that `--go` names. Throws a GoTypesError for invalid source. */
export async function readGo(
  args: UnionValues,
  input: Input,
  given: readonly string[],
  options: Pick<GoTypesOptions, "unionExtension"> = {},
): Promise<GoTypes> {
  const paths = given.filter(path => !path.includes("="))
  if (paths.length === 0) throw new UsageError("--go names only imports")
  const sources = await readSources(paths, input)
  const imported = new Map<string, GoSources>()
  for (const text of given.filter(path => path.includes("="))) {
    const [, path = "", folder = ""] = /^([^=]*)=(.*)$/.exec(text) ?? []
    imported.set(path, await readSources([folder], input))
  }
  const { readGoTypes } = await import("../../gotypes/read.js")
  const { schema } = await loadBuiltInTypes(asksForUnions(args))
  return readGoTypes(sources, { ...options, types: schema, resolve: path => imported.get(path) })
}

/** Returns the same types, but throws an InputError instead of a GoTypesError. */
export async function asGoInput(types: Promise<GoTypes>): Promise<GoTypes> {
  try {
    return await types
  } catch (error) {
    if (error instanceof GoTypesError) throw new InputError(error.issues.map(formatGoTypesIssue))
    throw error
  }
}

/** Reads the Go files among these paths and in these folders, by their names. */
async function readSources(paths: readonly string[], input: Input): Promise<GoSources> {
  const sources: Record<string, string> = {}
  for (const path of paths) {
    const files = await input.filesOf(path, false, [".go"])
    if (files === undefined && !path.endsWith(".go")) {
      if (path !== "-") await input.text(path) // throws if the file does not exist
      throw new InputError(`${path}: is not a Go file: its name does not end in .go`)
    }
    for (const file of files ?? [path]) put(sources, file, await input.text(file))
  }
  return sources
}

function kindOf(document: Document): string {
  const kind = isMap(document.value) ? own(document.value, "kind") : undefined
  if (typeof kind === "string") return kind
  throw new InputError(`${document.at([])}: kind is missing: give --type NAME, a type of --go`)
}

/** Returns the result of `compile`. A SchemaError becomes an InputError about the file. */
function asInput<T>(file: string, compile: () => T): T {
  try {
    return compile()
  } catch (error) {
    if (error instanceof SchemaError) throw new InputError(`${file}: ${error.message}`)
    throw error
  }
}

async function fileChecks(
  args: RuleValues,
  input: Input,
  file: string,
  documents: readonly Document[] | undefined,
): Promise<(document: Document) => Checks> {
  const rules = await input.document(file)
  const declared = await declaredType(args, rules)
  if (declared !== undefined) {
    requireRules(rules, "types")
    const ownTypes = rules.value as unknown as RuleDocument
    const validator = requested(rules, () => compileRules(ownTypes, declared))
    const checks = { type: undefined, validator, refusals: undefined }
    return () => checks
  }
  requireRules(rules, "overlay")
  const types = await loadTypes(args, input, documents?.filter(isDefinition))
  return overlayChecks(rules, types, await loadRefusals(args, input, types, documents))
}

/** Returns the type of `--type` if the rules declare it themselves and no schema has it. */
async function declaredType(args: RuleValues, { value }: Document): Promise<string | undefined> {
  const name = args.type
  const types = isMap(value) ? own(value, "types") : undefined
  if (name === undefined || !isMap(types) || own(types, name) === undefined) return undefined
  if (firstGiven(args, ["schema", "openapi", "crd"]) !== undefined) return undefined
  const { schema } = await loadBuiltInTypes(false)
  return schema.types.some(type => type.name === name) ? undefined : name
}

function overlayChecks(
  rules: Document,
  types: Types,
  refusals: FindRefusals | undefined,
): (document: Document) => Checks {
  const overlay = rules.value as unknown as RuleOverlay
  const names = types.allTypeNames()
  const known = new Set(names)
  for (const name of Object.keys(overlay.types)) {
    if (known.has(name)) continue
    throw new InputError(`${rules.at(["types", name])}: there is no type ${name}${didYouMean(name, names)}`)
  }
  const bySchema = new Map<Schema, RuleDocument>()
  const byType = new Map<Type, Validator>()
  const documentOf = (schema: Schema): RuleDocument => {
    const found = bySchema.get(schema)
    if (found !== undefined) return found
    // Each document may have its own schema, with only the types that it uses.
    const used = new Set(schema.types.map(({ name }) => name))
    const part = Object.fromEntries(Object.entries(overlay.types).filter(([name]) => used.has(name)))
    const result = rulesForSchema(schema, { types: part })
    bySchema.set(schema, result)
    return result
  }
  return document => {
    const type = types.typeOf(document)
    const found = byType.get(type)
    if (found !== undefined) return { type, validator: found, refusals }
    const validator = requested(rules, () => compileRules(documentOf(type.schema.schema), type.name))
    byType.set(type, validator)
    return { type, validator, refusals }
  }
}
