// Reads Go types. program.ts loads packages, shape.ts follows types, definitions.ts writes OpenAPI, unions.ts reads unions, and
// openapi/v3.ts makes the schema of the OpenAPI document.
import type { DeduceOption, KindEntry } from "../openapi/conversion/options.js"
import type { UnionExtension } from "../openapi/unions/write-unions.js"
import { schemaFromOpenAPIv3 } from "../openapi/v3.js"
import { requireTypes } from "../schema/check.js"
import type { Atom, Schema, TypeDef, TypeRef } from "../schema/schema.js"
import type { UnionOverlay } from "../schema/union.js"
import { isUntypedName } from "../schema/untyped.js"
import type { RuleDocument } from "../validation/rules/rules.js"
import { aString, optional, requireOptions } from "../value/argument.js"
import { compareStrings } from "../value/compare.js"
import { put } from "../value/object.js"
import type { MapValue } from "../value/value.js"
import { Definitions } from "./definitions.js"
import { rulesOfPackage } from "./rules.js"
import { Findings, GoTypesError, type GoTypesIssue, type GoTypesPlace } from "./source/errors.js"
import { fieldsOf } from "./types/fields.js"
import { type Declared, type GoPackage, type GoResolver, type GoSources, Program } from "./types/program.js"
import { Shapes } from "./types/shape.js"
import type { UnionDialect } from "./unions/unions.js"

/** The options of `readGoTypes`. */
export interface GoTypesOptions {
  /**
   * The import path of the package. Names of types are derived from it (`com.example.api.v1.Backup` from `example.com/api/v1`),
   * unless its comments have `+k8s:openapi-model-package`. Without either, types are named as in Go: `v1.Backup`.
   */
  readonly path?: string | undefined
  /** Returns the sources of an imported package, which are not changed. Called once for each package that is used. */
  readonly resolve?: GoResolver | undefined
  /** Types of packages without source, such as `kubernetesSchema()`. The types that are used become part of the schema. */
  readonly types?: Schema | undefined
  /** The group of the kinds in the package; by default the `+groupName` of its comments. */
  readonly group?: string | undefined
  /**
   * The KEP text that defines the union markers of the source. Markers of another text are errors. If absent, `+union` and `+unionDeprecated`
   * are read as in 2019 and `+unionMember` as in 2022.
   */
  readonly dialect?: UnionDialect | undefined
  /** The unions that get `deduceInvalidDiscriminator`, which has no marker; `never` by default. */
  readonly deduce?: DeduceOption | undefined
  /**
   * The form of unions with a discriminator in the OpenAPI document: `fieldMembers` at the discriminator, as in KEP-1027 (default), or
   * a `list` at the object, as Kubernetes publishes them. Unions without a discriminator are always in a list.
   */
  readonly unionExtension?: UnionExtension | undefined
}

/** The result of reading Go types. */
export interface GoTypes {
  /** The exported structs of the package, and all types that they use. Unions are in `unions`. */
  readonly schema: Schema
  /** The unions of these types, for `applyUnionOverlay(schema, unions)`. */
  readonly unions: UnionOverlay
  /** The types as an OpenAPI v3 document, with the `x-kubernetes-` extensions of their markers. */
  readonly openapi: MapValue
  /**
   * The types as Go declares them, with the rules of their `+k8s:` markers, for `compileRules` of `./validation`. Types without source are
   * opaque in it.
   */
  readonly rules: RuleDocument
  /** The types that are kinds: those with TypeMeta and ObjectMeta, if the group is known. */
  readonly kinds: readonly KindEntry[]
  /**
   * Returns the name that a type of `rules` has in `schema`, `unions` and `openapi`: `com.example.api.v1.Backup` for `Backup`. Undefined unless the type
   * is a struct with a name and a source.
   */
  readonly definitionOf: (type: string) => string | undefined
  /**
   * Returns the file and line of a type of `openapi`, or of one of its fields: `at` has names of fields, and `*` for items and values.
   * Undefined for types without source.
   */
  readonly placeOf: (type: string, at?: readonly string[]) => GoTypesPlace | undefined
  /** Problems that authors should know about, but that are not errors: markers that no generator reads, values that look wrong. */
  readonly warnings: readonly GoTypesIssue[]
}

/**
 * Reads the API types of a Go package. `sources` has its files by name. Test files, and files that are not Go, are ignored.
 *
 * Throws a GoTypesError with the file, line, type and field of every problem: invalid syntax, unknown names, and markers
 * that contradict each other or their type.
 *
 * @example
 * ```ts
 * import { readGoTypes } from "structured-merge-diff/gotypes"
 *
 * const source = [
 *   "package v1",
 *   "type Backup struct {",
 *   "  // +listType=set",
 *   '  Volumes []string `json:"volumes,omitempty"`',
 *   "}",
 * ].join("\n")
 * const { schema } = await readGoTypes({ "types.go": source })
 * console.log(JSON.stringify(schema.types[0]?.map?.fields?.[0]?.type.list?.elementRelationship))
 * // "associative"
 * ```
 */
export async function readGoTypes(sources: GoSources, options: GoTypesOptions = {}): Promise<GoTypes> {
  if (options?.types !== undefined) requireTypes(options.types)
  requireOptions("sources", sources, Object.fromEntries(Object.keys(sources ?? {}).map(file => [file, aString])))
  requireOptions("options", options, { path: optional(aString) })
  const findings = new Findings()
  const program = new Program(findings)
  const root = program.add(options.path ?? "", sources, false)
  if (root.files.length === 0)
    throw new TypeError(`expected Go files, found ${Object.keys(sources).join(", ") || "none"}`)
  // Types in a file that could not be parsed would be missing below.
  if (findings.errors.length > 0) throw new GoTypesError(findings.errors)
  await program.load(root, options.resolve ?? (() => undefined))
  const shapes = new Shapes(program)
  const { dialect, unionExtension: spelling = "fieldMembers" } = options
  const given = new Map(options.types?.types.map(type => [type.name, type]))
  const definitions = new Definitions(shapes, { dialect, spelling, given: new Set(given.keys()) })
  const exported = [...root.types.values()].filter(isExported)
  const structs = exported.filter(declared => definitions.add(declared))
  const used = outsideTypes(shapes, definitions, given)
  if (findings.errors.length > 0) throw new GoTypesError(findings.errors)
  const openapi = documentOf(root, definitions, kindsIn(shapes, root, structs, options.group))
  const { schema, kinds } = schemaFromOpenAPIv3(openapi)
  const types = schema.types.filter(({ name }) => !used.has(name)).map(type => ofKnownForm(type, definitions))
  const { rules, declared } = rulesOfPackage(shapes, root)
  if (findings.errors.length > 0) throw new GoTypesError(findings.errors)
  return {
    schema: { types: sorted([...types, ...used.values()]) },
    unions: overlayOf(definitions, options.deduce ?? "never"),
    openapi,
    rules,
    kinds,
    definitionOf: type => {
      const found = declared.get(type)
      const name = found && program.modelName(found)
      return name !== undefined && definitions.schemas.has(name) ? name : undefined
    },
    placeOf: (type, at = []) => definitions.places.get([type, ...at].join("/")),
    warnings: findings.warnings,
  }
}

function isExported({ decl, markers }: Declared): boolean {
  if (!/^\p{Lu}/u.test(decl.name) || decl.alias || decl.params.length > 0) return false
  return !markers.named("k8s:openapi-gen").some(({ value }) => value === false)
}

function documentOf(
  { path, name }: GoPackage,
  { schemas }: Definitions,
  kinds: ReadonlyMap<string, MapValue>,
): MapValue {
  const named: Record<string, MapValue> = {}
  for (const type of [...schemas.keys()].sort(compareStrings)) {
    put(named, type, { ...(schemas.get(type) as MapValue), ...kinds.get(type) }) // a key of it
  }
  return { openapi: "3.0.0", info: { title: path || name, version: name }, paths: {}, components: { schemas: named } }
}

/** The extensions that make types kinds, by the names of their definitions. */
function kindsIn(
  shapes: Shapes,
  { name: version, markers }: GoPackage,
  structs: readonly Declared[],
  given: string | undefined,
): ReadonlyMap<string, MapValue> {
  const group = given ?? markers.text("groupName")
  const kinds = new Map<string, MapValue>()
  if (group === undefined) return kinds
  for (const declared of structs) {
    const { decl, place } = declared
    const own = { kind: "named", package: "", name: decl.name } as const
    const { shape } = shapes.follow(own, declared, place)
    if (shape.kind !== "struct") continue
    const { own: fields, inlined } = fieldsOf(shapes, shape)
    const isObject =
      inlined.some(({ field }) => field.go.name === "TypeMeta") && fields.some(({ name }) => name === "metadata")
    if (!isObject) continue
    const entry = { group, version, kind: decl.name }
    kinds.set(shapes.program.modelName(declared), { "x-kubernetes-group-version-kind": [entry] })
  }
  return kinds
}

/** Returns the type, or its known form in a schema, which has more details than its definition. */
function ofKnownForm(type: TypeDef, { known }: Definitions): TypeDef {
  const atom = known.get(type.name)?.atom
  return atom === undefined ? type : { name: type.name, ...atom }
}

function overlayOf({ unions }: Definitions, deduce: DeduceOption): UnionOverlay {
  const types = unions.map(({ name, at, unions: found }) => ({
    name,
    ...(at.length > 0 && { at }),
    unions: found.map(union => {
      const deduced = typeof deduce === "function" ? deduce(name, union) : deduce === "always"
      return deduced && union.discriminator !== undefined ? { ...union, deduceInvalidDiscriminator: true } : union
    }),
  }))
  return { types: types.sort((a, b) => compareStrings(a.name, b.name)) }
}

/** Returns the types of `types` that replace types without a source, and all types that they use. Reports types that are missing. */
function outsideTypes(
  { findings }: Shapes,
  { outside }: Definitions,
  given: ReadonlyMap<string, TypeDef>,
): Map<string, TypeDef> {
  const used = new Map<string, TypeDef>()
  for (const [name, { path, place, prefix }] of outside) {
    if (given.has(name)) include(name, given, used)
    else
      findings.error(
        place,
        `the source of ${path} is missing: pass it with \`resolve\` (smd: --go ${path}=DIR), or a schema that has ${name} as \`types\`, or mark the field as ${prefix}+k8s:opaqueType`,
      )
  }
  return used
}

/** Adds a type, and all types that it uses, to the used types. */
function include(first: string, have: ReadonlyMap<string, TypeDef>, used: Map<string, TypeDef>): void {
  const open = [first]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const type = have.get(name)
    if (type === undefined || used.has(name) || isUntypedName(name)) continue
    used.set(name, type)
    open.push(...namesIn(type))
  }
}

function namesIn({ list, map }: Atom): string[] {
  const parts: (TypeRef | undefined)[] = [
    list?.elementType,
    map?.elementType,
    ...(map?.fields ?? []).map(({ type }) => type),
  ]
  return parts.flatMap(part =>
    part === undefined ? [] : part.namedType === undefined ? namesIn(part) : [part.namedType],
  )
}

/** Returns the types in the order of every schema: by name, with the untyped ones last. */
function sorted(types: readonly TypeDef[]): TypeDef[] {
  const named = types.filter(({ name }) => !isUntypedName(name)).sort((a, b) => compareStrings(a.name, b.name))
  return [...named, ...types.filter(({ name }) => isUntypedName(name))]
}
