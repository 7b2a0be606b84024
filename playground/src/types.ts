// The types of the page: the built-in kinds, and the kinds of a text that the user pasted. The code that reads texts is loaded on first use.
import type { Value } from "structured-merge-diff"
import { parseYamlDocuments } from "structured-merge-diff/io"
import { type Kinds, kubernetes } from "structured-merge-diff/kinds"
import {
  kubernetesKinds,
  kubernetesRelease,
  kubernetesSchema,
  kubernetesSchemaWithUnions,
} from "structured-merge-diff/kubernetes"
import type { ObjectKind, TypeFinder } from "structured-merge-diff/managedfields"
import { kindsWith } from "../../src/kinds/kubernetes.js"
import { isGo } from "./state.js"

/** The types of a story. */
export interface Types {
  /** A title for people: "Built-in kinds of Kubernetes 1.37". */
  readonly title: string
  /** The types of all kinds. */
  readonly finder: TypeFinder
  /** The kinds that a story does not define itself, with everything that an API server knows about them. */
  readonly builtIn: Kinds
  /** The kinds that the editor completes. */
  readonly kinds: readonly ObjectKind[]
  /** The documents with descriptions of fields. */
  readonly documents: readonly Value[]
  /** The problems of the documents. */
  readonly warnings: readonly string[]
}

/** The types of a story, and the problem of the pasted text if it has one. */
export interface LoadedTypes {
  readonly types: Types
  readonly problem?: string | undefined
}

/** Returns the types of a text. If the text has a problem, returns the problem and the built-in types. */
export async function loadTypes(text: string, withUnions: boolean): Promise<LoadedTypes> {
  if (text.trim() === "") return { types: builtInTypes(withUnions) }
  try {
    return { types: await typesOfText(text, withUnions) }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return { types: builtInTypes(withUnions), problem }
  }
}

/** Returns the built-in kinds, with or without unions. */
export function builtInTypes(withUnions: boolean): Types {
  const finder: TypeFinder = {
    find(apiVersion, kind) {
      const found = kubernetes.find(apiVersion, kind)
      return found && withUnions ? { ...found, schema: kubernetesSchemaWithUnions() } : found
    },
  }
  return {
    title: `Built-in kinds of Kubernetes ${kubernetesRelease}`,
    finder,
    builtIn: kubernetes,
    kinds: kubernetesKinds(),
    documents: [],
    warnings: [],
  }
}

/**
 * Reads the types of CustomResourceDefinitions, OpenAPI documents or Go source, and adds the built-in kinds. Rejects with an error that
 * describes the problem of the text.
 */
export async function typesOfText(text: string, withUnions: boolean): Promise<Types> {
  const builtIn = builtInTypes(withUnions)
  return isGo(text) ? await typesOfGo(text, builtIn) : await typesOfDocuments(text, builtIn)
}

async function typesOfDocuments(text: string, builtIn: Types): Promise<Types> {
  const { TypeConverter } = await import("structured-merge-diff/openapi")
  const documents = parseYamlDocuments(text)
  const converter = new TypeConverter(
    documents.map(document => ({ document })),
    { fallback: builtIn.finder.find },
  )
  const definitions = converter.kinds()
  if (definitions.length === 0)
    throw new Error("the text defines no kind: expected a CustomResourceDefinition or an OpenAPI document")
  const kinds = definitions.map(kindOf)
  // Convert every document now, so that problems are reported at once.
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
  const [{ formatGoTypesIssue, readGoTypes }, { applyUnionOverlay }] = await Promise.all([
    import("structured-merge-diff/gotypes"),
    import("structured-merge-diff/unions"),
  ])
  const read = await readGoTypes({ "types.go": text }, { types: kubernetesSchema() })
  if (read.kinds.length === 0) {
    throw new Error(
      "the source defines no kind: expected a struct with TypeMeta and ObjectMeta, in a package with +groupName",
    )
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
    builtIn: kindsWith(over(builtIn.builtIn), []),
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
