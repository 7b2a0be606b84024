// Loads the objects with which a server begins: those of `--save`, `--crd` and `--load`, in an order in which they can be stored.

import type { ApiServer } from "../../apiserver/server.js"
import { StructuredMergeError, ValidationError } from "../../errors.js"
import { formatJson } from "../../json/json.js"
import { RequestFailure } from "../../kinds/refusal/failure.js"
import { kindOf } from "../../schema/group-version-kind.js"
import { metadataOf, metaText } from "../../schema/metadata.js"
import { compareStrings } from "../../value/compare.js"

import { own } from "../../value/object.js"
import { isMap, type MapValue } from "../../value/value.js"
import { counted, listAnd } from "../../value/words.js"
import { formatObjectName, objectName, readFiles, requireDifferent } from "../input/application.js"
import { type Document, forEach, InputError } from "../input/document.js"
import { definitionOf, isDefinition } from "../input/document-types.js"
import type { Context, Input } from "../input/input.js"
import { isKubernetes } from "../input/managed-fields.js"
import { isClusterScoped } from "../input/scope.js"
import { printable } from "../terminal/layout.js"
import type { ServeArguments } from "./options.js"

/** Loads the objects that the options name. Throws an InputError with the place of every object that can't be stored. */
export async function loadObjects(server: ApiServer, context: Context<ServeArguments>): Promise<void> {
  const documents = await readAll(context)
  await forEach(documents, requireObject)
  const definitions = documents.filter(isDefinition)
  const store = (wanted: (document: Document) => boolean) => {
    return forEach(documents.filter(wanted), document => loadDocument(server, document))
  }
  // Objects with a uid can be stored without their namespace. The resourceVersions of the others continue after theirs.
  await store(document => rankOf(document) === 0)
  await store(document => rankOf(document) === 1)
  await store(document => rankOf(document) === 2)
  const missing = missingNamespaces(server, documents, definitions)
  server.load(missing.map(name => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })))
  await store(document => rankOf(document) === 3)
  remark(context, documents, missing)
  remarkWarnings(context, server.loadWarnings)
}

/** Reads the documents in the order of the options. A saved object replaces the same object of `--load` and `--crd`. */
async function readAll({ args, input }: Context<ServeArguments>): Promise<Document[]> {
  const saved = await readSaved(args.save, input)
  const crds = await readFiles(args.crd, true, input)
  await forEach(crds, document => {
    if (!isDefinition(document)) throw new InputError(`${document.at(["kind"])}: expected a CustomResourceDefinition`)
  })
  const given = [...crds, ...(await readFiles(args.load, true, input))]
  requireDifferent(given)
  const known = new Set(saved.map(document => objectKey(document)))
  const others = given.filter(document => !known.has(objectKey(document)))
  const left = given.length - others.length
  if (left > 0) {
    input.remark(`${printable(args.save ?? "")}: already has ${counted(left, "object")} of --load and --crd\n`)
  }
  return [...saved, ...others]
}

/** Reads the saved state; empty without a file. Throws an InputError for a file that `--save` has not written. */
async function readSaved(file: string | undefined, input: Input): Promise<Document[]> {
  if (file === undefined || !(await input.exists(file))) return []
  const documents = await input.documents(file)
  const [first] = documents
  if (first !== undefined && !/^\{.*\}\n/.test(first.source.text)) {
    throw new InputError(
      `${file}: was not written by --save, which writes NDJSON with one object on each line; --load can read it`,
    )
  }
  return documents
}

/** A key that identifies an object. Objects without a namespace may go to `default`. */
function objectKey({ value }: Document): string {
  const name = objectName(value)
  return name === undefined ? "" : formatObjectName({ ...name, namespace: name.namespace || "default" }) + name.group
}

function requireObject({ value, at }: Document): void {
  if (!isMap(value) || !isKubernetes(value)) {
    throw new InputError(`${at([])}: expected an object, a map with apiVersion, kind and metadata`)
  }
  if (metaText(value, "uid") !== "" && metaText(value, "name") === "") {
    throw new InputError(`${at(["metadata"])}: .metadata.name: is missing`)
  }
}

/** The order of loading: definitions, objects that were stored before, namespaces, and new objects. */
function rankOf(document: Document): number {
  if (isDefinition(document)) return 0
  const value = document.value as MapValue
  if (metaText(value, "uid") !== "") return 1
  return value.kind === "Namespace" && value.apiVersion === "v1" ? 2 : 3
}

function loadDocument(server: ApiServer, document: Document): void {
  try {
    server.load([document.value as MapValue])
  } catch (error) {
    if (!(error instanceof RequestFailure || error instanceof StructuredMergeError)) throw error
    // Only messages of ValidationErrors have several lines; in others, a line break would be part of a name.
    const [first = "", ...others] = error instanceof ValidationError ? error.message.split("\n") : [error.message]
    throw new InputError([`${document.at([])}: ${first}`, ...others.map(line => `  ${line}`)])
  }
}

/** The namespaces of these objects that the server does not have. */
function missingNamespaces(
  server: ApiServer,
  documents: readonly Document[],
  definitions: readonly Document[],
): string[] {
  const known = new Set(
    server.snapshot().flatMap(object => (object.kind === "Namespace" ? [metaText(object, "name")] : [])),
  )
  const needed = documents.flatMap(({ value }) => {
    const namespace = metaText(value as MapValue, "namespace")
    const definition = definitionOf(value, definitions)?.value
    return isClusterScoped(kindOf(value as MapValue), definition) || known.has(namespace) ? [] : [namespace]
  })
  return [...new Set(needed)].filter(name => name !== "").sort(compareStrings)
}

function remark(
  { args, input }: Context<ServeArguments>,
  documents: readonly Document[],
  created: readonly string[],
): void {
  if (created.length > 0) {
    const names = printable(listAnd(created))
    input.remark(
      created.length === 1
        ? `namespace ${names} was created, because no file defines it\n`
        : `namespaces ${names} were created, because no file defines them\n`,
    )
  }
  const withUnions = documents.filter(document => isDefinition(document) && declaresUnions(document))
  if (withUnions.length > 0 && args.unions === undefined) {
    const names = printable(listAnd(withUnions.map(({ value }) => metaText(value as MapValue, "name"))))
    input.remark(
      `unions of ${names} have no effect, as in a cluster: --unions POLICY settles them, --unions off keeps them\n`,
    )
  }
  const stored = documents.filter(({ value }) => metaText(value as MapValue, "uid") !== "")
  const isOwned = ({ value }: Document) => own(metadataOf(value as MapValue), "managedFields") !== undefined
  if (stored.length > 0 && !stored.some(isOwned)) {
    input.remark("no object has managedFields, so nobody owns anything: kubectl get needs --show-managed-fields\n")
  }
}

/** How many warnings are shown, so that they don't bury the rest. */
const mostWarnings = 10

function remarkWarnings({ input }: Context<ServeArguments>, warnings: readonly string[]): void {
  for (const warning of warnings.slice(0, mostWarnings)) input.remark(`${printable(warning)}\n`)
  const more = warnings.length - mostWarnings
  if (more > 0) input.remark(`${counted(more, "warning")} more\n`)
}

function declaresUnions({ value }: Document): boolean {
  return formatJson(value).includes('"x-kubernetes-unions"')
}
