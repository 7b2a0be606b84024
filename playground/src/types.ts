// Where types come from: the built-in kinds, or a text that somebody pasted. Each source is loaded when it is first needed.
import type { Value } from "structured-merge-diff"
import { parseYamlDocuments } from "structured-merge-diff/io"
import type { ObjectKind, TypeFinder } from "structured-merge-diff/managedfields"

/** The types that a story is played with. */
export interface Types {
  /** What they are, for people: "built-in kinds of Kubernetes 1.37". */
  readonly title: string
  /** All kinds. */
  readonly finder: TypeFinder
  /** Those that a story does not define itself, with or without unions. */
  readonly builtIn: (unions: boolean) => TypeFinder
  /** The kinds that can be completed. */
  readonly kinds: readonly ObjectKind[]
  /** The documents that describe fields; empty where nothing does. */
  readonly documents: readonly Value[]
  /** What the documents should have said otherwise. */
  readonly warnings: readonly string[]
}

/** Whether the text is Go, by its package clause. */
export function isGo(text: string): boolean {
  return /^package\s+\w+\s*$/m.test(text)
}

/** The built-in kinds, with unions where the policy gives them a meaning. */
export async function builtInTypes(withUnions: boolean): Promise<Types> {
  const { kubernetesKinds, kubernetesRelease, kubernetesSchemaWithUnions, kubernetesTypes } = await import(
    "structured-merge-diff/kubernetes"
  )
  const builtIn = (unions: boolean): TypeFinder => ({
    find(apiVersion, kind) {
      const found = kubernetesTypes.find(apiVersion, kind)
      return found && unions ? { ...found, schema: kubernetesSchemaWithUnions() } : found
    },
  })
  return {
    title: `Built-in kinds of Kubernetes ${kubernetesRelease}`,
    finder: builtIn(withUnions),
    builtIn,
    kinds: kubernetesKinds(),
    documents: [],
    warnings: [],
  }
}

/**
 * The types of CustomResourceDefinitions, of OpenAPI documents or of Go source; kinds that it does not have are built in. Rejects
 * with an error that says what is wrong with the text.
 */
export async function typesOfText(text: string, withUnions: boolean): Promise<Types> {
  const builtIn = await builtInTypes(withUnions)
  return isGo(text) ? await typesOfGo(text, builtIn) : await typesOfDocuments(text, builtIn)
}

async function typesOfDocuments(text: string, builtIn: Types): Promise<Types> {
  const [{ TypeConverter }, { loadCel }] = await Promise.all([
    import("structured-merge-diff/openapi"),
    import("structured-merge-diff/kinds"),
  ])
  await loadCel()
  const documents = parseYamlDocuments(text)
  const converter = new TypeConverter(
    documents.map(document => ({ document })),
    { fallback: builtIn.finder.find },
  )
  const found = converter.kinds()
  if (found.length === 0)
    throw new Error("the text has no kind: a CustomResourceDefinition or an OpenAPI document does")
  const kinds = found.map(kindOf)
  // Converts every document, so that what is wrong with one is said now.
  for (const { apiVersion, kind } of kinds) converter.find(apiVersion, kind)
  return {
    title: titleOf(kinds),
    finder: converter,
    builtIn: builtIn.builtIn,
    kinds: [...kinds, ...builtIn.kinds],
    documents,
    warnings: converter.diagnostics.map(({ path, message }) => `${path}: ${message}`),
  }
}

async function typesOfGo(text: string, builtIn: Types): Promise<Types> {
  const [{ formatGoTypesIssue, readGoTypes }, { applyUnionOverlay }, { kubernetesSchema }] = await Promise.all([
    import("structured-merge-diff/gotypes"),
    import("structured-merge-diff/unions"),
    import("structured-merge-diff/kubernetes"),
  ])
  const read = await readGoTypes({ "types.go": text }, { types: kubernetesSchema() })
  if (read.kinds.length === 0) {
    throw new Error("the source has no kind: a struct with TypeMeta and ObjectMeta, in a package with +groupName")
  }
  const schema = applyUnionOverlay(read.schema, read.unions)
  const kinds = read.kinds.map(kindOf)
  const typeNames = new Map(read.kinds.map(entry => [idOf(kindOf(entry)), entry.typeName]))
  const over = (others: TypeFinder): TypeFinder => ({
    find(apiVersion, kind) {
      const typeName = typeNames.get(idOf({ apiVersion, kind }))
      return typeName === undefined ? others.find(apiVersion, kind) : { schema, typeName }
    },
  })
  return {
    title: titleOf(kinds),
    finder: over(builtIn.finder),
    builtIn: unions => over(builtIn.builtIn(unions)),
    kinds: [...kinds, ...builtIn.kinds],
    documents: [read.openapi],
    warnings: read.warnings.map(formatGoTypesIssue),
  }
}

function kindOf({ group, version, kind }: { group: string; version: string; kind: string }): ObjectKind {
  return { apiVersion: group === "" ? version : `${group}/${version}`, kind }
}

function idOf({ apiVersion, kind }: ObjectKind): string {
  return `${apiVersion} ${kind}`
}

function titleOf(kinds: readonly ObjectKind[]): string {
  const names = [...new Set(kinds.map(({ kind }) => kind))]
  const shown = names.slice(0, 3).join(", ")
  const more = names.length > 3 ? ` and ${names.length - 3} more` : ""
  return `${shown}${more}, and built-in kinds`
}
