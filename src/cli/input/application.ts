// Reads whole applications: the objects of files, folders and standard input, including the items of lists, and the live object of
// each.

import { isObjectList, type Manifest, withTypeOfItem } from "../../io/manifests.js"
import { kindOf } from "../../schema/group-version-kind.js"
import { metaText } from "../../schema/metadata.js"
import { isPulumiProgram } from "../../tools/appliers/pulumi-program.js"
import type { Steps } from "../../value/change.js"
import { groupBy } from "../../value/groups.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { listAnd } from "../../value/words.js"
import type { ConnectionValues } from "./cluster-options.js"
import { type Document, forEach, InputError, partOf } from "./document.js"
import { isDefinition } from "./document-types.js"
import { type Input, noDocument } from "./input.js"
import { isKubernetes } from "./managed-fields.js"
import { grouped, type Operands, option, recursiveOption, repeated, UsageError, type ValuesOf } from "./options.js"
import { objectsOfProgram } from "./pulumi.js"
import { isClusterScoped } from "./scope.js"
import { loadTypes, type Types, type TypesValues, UnknownKindInputError } from "./types.js"

export const filesOptions = grouped("Input", {
  filename: { ...repeated("FILE|DIR|-", "objects to read, like operands"), short: "f" },
  recursive: recursiveOption,
})
export const liveOption = {
  ...repeated(
    "FILE|DIR|-|cluster",
    "the live objects, with their managedFields, or cluster to read them from there; an object that is not among them is new",
  ),
  group: "Input" as const,
}
export const namespaceOption = {
  ...option("NAME", "the namespace of objects without one"),
  short: "n",
  group: "Input" as const,
}

/** Operands and options that name files with objects. */
export type FilesArguments = Operands & ValuesOf<typeof filesOptions>
/** What `loadApplication` reads. */
export interface ApplicationArguments extends FilesArguments, TypesValues, ConnectionValues {
  readonly live: readonly string[]
  readonly namespace: string | undefined
  readonly inPlace?: boolean
  /** The namespace that a tool gives to objects. */
  readonly placement?: Placement | undefined
}

/** A namespace that a tool gives to objects without one, or to all of them. */
export interface Placement {
  readonly namespace: string
  readonly movesObjects: boolean
}

/** An object of an application, as a document. */
export interface ObjectDocument extends Document {
  /** Whether it comes from a list or a folder, which may hold other objects too. */
  readonly listed: boolean
}

/** A configuration and its live object. */
export interface ConfiguredObject {
  readonly config: Document
  /** Undefined if the object is new. */
  readonly live: Document | undefined
}

export interface Application {
  readonly types: Types
  /** In the order of the input. */
  readonly objects: readonly ConfiguredObject[]
}

/**
 * Reads the configurations that operands and `--filename` name, their live objects from `--live`, and their types. Definitions of
 * custom resources among the objects provide types too. `operand` is the word for a configuration in messages. A configuration whose
 * live object can't be read from a cluster is left out.
 */
export async function loadApplication(args: ApplicationArguments, input: Input, operand: string): Promise<Application> {
  const all = await readObjects(args, input, operand)
  const paths = args.live.filter(path => path !== "cluster")
  const files = await readFiles(paths, args.recursive, input)
  const found = await liveInCluster(all, args, input)
  const configs = all.filter((_, i) => !found[i]?.isUnknown)
  const live = [...files, ...found.flatMap(({ live }) => (live === undefined ? [] : { ...live, listed: true }))]
  const types = await loadTypes(args, input, [...configs, ...live].filter(isDefinition))
  requireDifferent(configs)
  const placed = configs.map(config => placedBy(inNamespace(config, args.namespace, types), args.placement, types))
  const objects = withLive(placed, live, "choose with --namespace")
  if (args.inPlace) requireAllWritten(live, objects)
  return { types, objects }
}

/** Throws an InputError unless all live objects have a configuration: the result would replace their file without the others. */
function requireAllWritten(live: readonly Document[], objects: readonly ConfiguredObject[]): void {
  const written = new Set(objects.map(({ live }) => live))
  const others = live.filter(document => !written.has(document))
  if (others.length === 0) return
  throw new InputError(
    others.map(document => {
      const name = objectName(document.value)
      const what = name === undefined ? "this object" : formatObjectName(name)
      return `${document.at([])}: --in-place would remove ${what}, which has no configuration; use --out`
    }),
  )
}

/** Reads the live object of each configuration if the arguments name a cluster; an empty list otherwise. */
async function liveInCluster(configs: readonly Document[], args: ApplicationArguments, input: Input) {
  const { live, context, kubeconfig, placement, namespace = placement?.namespace } = args
  if (!live.includes("cluster") && context === undefined && kubeconfig === undefined) return []
  const cluster = await input.openCluster(args)
  return await cluster.liveOf(configs, namespace)
}

/**
 * Pairs configurations with their live objects. A single configuration matches the only live object of a file, whatever its name.
 * Throws an InputError that ends with `remedy` if several live objects match a configuration.
 */
export function withLive(
  configs: readonly Document[],
  live: readonly ObjectDocument[],
  remedy: string,
): ConfiguredObject[] {
  requireDifferent(live)
  const lone = configs.length === 1 && live.length === 1 && !live[0]?.listed ? live[0] : undefined
  const liveByName = byName(live)
  return configs.map(config => ({ config, live: lone ?? liveOf(config, liveByName, remedy) }))
}

/** Reads the objects that operands and `--filename` name. */
export function readObjects(args: FilesArguments, input: Input, operand: string): Promise<ObjectDocument[]> {
  const paths = [...args.operands, ...args.filename]
  if (paths.length === 0) throw new UsageError(`${operand} is missing`)
  return readFiles(paths, args.recursive, input)
}

/** Reads the objects of files and folders, including inner folders if `recursive` is set. */
export async function readFiles(paths: readonly string[], recursive: boolean, input: Input): Promise<ObjectDocument[]> {
  const found = await forEach(paths, async path => {
    const files = await input.filesOf(path, recursive)
    return await forEach(files ?? [path], async file => {
      const documents = await input.documents(file)
      if (documents.length === 0 && files === undefined) throw noDocument(file)
      return documents.flatMap(document => {
        if (!isPulumiProgram(document.value)) return objectsOf(document, [], files !== undefined)
        return objectsOfProgram(document, input).flatMap(object => objectsOf(object, [], true))
      })
    })
  })
  return found.flat(2)
}

/** The object of a document, or the items of a list. `steps` lead from the document to `document.value`. */
function objectsOf(document: Document, steps: Steps, listed: boolean): ObjectDocument[] {
  const { value } = document
  if (value === null) return []
  const items = isMap(value) && isKubernetes(value) && isObjectList(value as Manifest) ? own(value, "items") : undefined
  if (!isList(items)) {
    return [{ ...partOf(document, steps, value), listed }]
  }
  return items.flatMap((item, i) => {
    const typed = isMap(item) ? withTypeOfItem(item, value as Manifest) : item
    return objectsOf({ ...document, value: typed }, [...steps, "items", i], true)
  })
}

/** Throws an InputError if two documents hold the same object. */
export function requireDifferent(documents: readonly Document[]): void {
  const first = new Map<string, Document>()
  const problems: string[] = []
  for (const document of documents) {
    const name = objectName(document.value)
    if (name === undefined) continue
    const key = JSON.stringify(name)
    const other = first.get(key)
    if (other === undefined) first.set(key, document)
    else problems.push(`${document.at([])}: ${formatObjectName(name)} occurs twice, first at ${other.at([])}`)
  }
  if (problems.length > 0) throw new InputError(problems)
}

/** Identifies an object. The version of its kind is left out, because an object has several. */
export interface ObjectName {
  readonly group: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/** Returns the name of an object; undefined for a value that is not an object, and for an object that has no name yet. */
export function objectName(object: Value): ObjectName | undefined {
  if (!isMap(object) || !isKubernetes(object)) return undefined
  const { group, kind } = kindOf(object)
  const name = metaText(object, "name")
  return name === "" ? undefined : { group, kind, namespace: metaText(object, "namespace"), name }
}

/** Groups the documents by their names without namespaces. */
function byName(documents: readonly Document[]): ReadonlyMap<string, readonly Document[]> {
  return groupBy(documents, ({ value }) => keyWithoutNamespace(objectName(value)))
}

/** A key for the name without the namespace; "" for undefined. */
function keyWithoutNamespace(name: ObjectName | undefined): string {
  return name === undefined ? "" : JSON.stringify([name.group, name.kind, name.name])
}

/** `Deployment shop/web`: kind, namespace if there is one, and name. */
export function formatObjectName({ kind, namespace, name }: Omit<ObjectName, "group">): string {
  return `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`
}

/** Finds the live object with the same group, kind, namespace and name. If only one of the two has a namespace, it counts for both. */
function liveOf(
  config: Document,
  live: ReadonlyMap<string, readonly Document[]>,
  remedy: string,
): Document | undefined {
  const name = objectName(config.value)
  if (name === undefined) return undefined
  const candidates = (live.get(keyWithoutNamespace(name)) ?? []).filter(({ value }) => {
    const other = objectName(value)
    return other?.namespace === name.namespace || other?.namespace === "" || name.namespace === ""
  })
  if (candidates.length < 2) return candidates[0]
  const exact = candidates.find(({ value }) => objectName(value)?.namespace === name.namespace)
  if (exact !== undefined) return exact
  const namespaces = listAnd(candidates.map(({ value }) => objectName(value)?.namespace ?? ""))
  const why = `has no namespace, but live objects are in ${namespaces}; ${remedy}`
  throw new InputError(`${config.at(["metadata"])}: ${formatObjectName(name)} ${why}`)
}

function definitionOf(document: Document, types: Types): Value | undefined {
  try {
    return types.sourceOf(document).definition
  } catch (error) {
    if (error instanceof UnknownKindInputError) return undefined
    throw error
  }
}

/** Puts the object into this namespace, unless its kind has no namespaces. Throws an InputError if the object is in another one. */
export function inNamespace(document: Document, namespace: string | undefined, types: Types): Document {
  const { value } = document
  const name = objectName(value)
  if (namespace === undefined || name === undefined || !isMap(value)) return document
  if (isClusterScoped(name, definitionOf(document, types))) return document
  if (name.namespace === namespace) return document
  if (name.namespace !== "") {
    const where = document.at(["metadata", "namespace"])
    throw new InputError(`${where}: .metadata.namespace: is ${name.namespace}, but --namespace is ${namespace}`)
  }
  return withNamespace(document, value, namespace)
}

/** Puts the object into the namespace that a tool gives to it, unless its kind has no namespaces. */
function placedBy(document: Document, placement: Placement | undefined, types: Types): Document {
  const { value } = document
  const name = objectName(value)
  if (placement === undefined || name === undefined || !isMap(value)) return document
  if (name.namespace !== "" && !placement.movesObjects) return document
  if (isClusterScoped(name, definitionOf(document, types))) return document
  return withNamespace(document, value, placement.namespace)
}

function withNamespace(document: Document, object: MapValue, namespace: string): Document {
  const metadata = { ...(own(object, "metadata") as MapValue), namespace }
  return { ...document, value: { ...object, metadata } }
}
