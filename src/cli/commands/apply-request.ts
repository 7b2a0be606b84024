// Turns a command line into requests that apply configurations to their live objects.
import { valueAt } from "../../fieldpath/lookup.js"
import { formatPath, pathOf } from "../../fieldpath/path.js"
import type { Kinds } from "../../kinds/kinds.js"
import { loadCel } from "../../kinds/rules/library.js"
import { type ApplierOrigin, readOrigin } from "../../tools/appliers/origin.js"
import type { ApplierProfile } from "../../tools/appliers/profile.js"
import { applierProfiles } from "../../tools/appliers/profiles.js"
import { applierProfile, readApplierProfile } from "../../tools/appliers/read-profile.js"
import type { Type } from "../../typed/type.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { listOr } from "../../value/words.js"
import { admissionOption, type FoundAdmission, readAdmission } from "../input/admission.js"
import {
  type ConfiguredObject,
  filesOptions,
  liveOption,
  loadApplication,
  namespaceOption,
  type Placement,
} from "../input/application.js"
import { loadKinds } from "../input/built-in-types.js"
import { connectionOptions } from "../input/cluster-options.js"
import { type Document, forEach, InputError, requested } from "../input/document.js"
import type { Context } from "../input/input.js"
import { decodeOwners, entriesOf, takeOffManagedFields } from "../input/managed-fields.js"
import { managerOption, parseManagerName } from "../input/manager-name.js"
import {
  acceptedOptions,
  flag,
  type Operands,
  option,
  schemaOptions,
  UsageError,
  type ValuesOf,
} from "../input/options.js"
import { typedDocument } from "../input/problems.js"
import { type Types, UnknownKindInputError } from "../input/types.js"
import { policyFor, unionOptions } from "../input/unions.js"
import { printable } from "../terminal/layout.js"
import type { ObjectApply, Tool } from "./apply-object.js"
import { loadEndpoints, subresourceOption } from "./endpoint.js"

/** The options that `forEachRequest` reads, except `--force`. */
export const requestOptions = {
  manager: managerOption("who applies"),
  live: liveOption,
  admission: admissionOption,
  ...connectionOptions,
  ...filesOptions,
  namespace: namespaceOption,
  subresource: subresourceOption,
  ...acceptedOptions,
  ...unionOptions,
  ...schemaOptions,
}

/** The tools that apply, not those that only write by updates. */
const namesOfAppliers = Object.values(applierProfiles).flatMap(({ name, writes }) =>
  writes === "update" ? [] : [name],
)

/** An option that names a tool. */
export function toolOption(help: string) {
  return option("TOOL|FILE", help)
}

/** The options of a command that can apply as a tool does. They replace `--manager` of `requestOptions`. */
export const toolRequestOptions = {
  ...requestOptions,
  manager: {
    ...option("NAME", "who applies (required without --as)", parseManagerName),
    alias: "field-manager",
  },
  as: toolOption(`apply as this tool does: ${listOr(namesOfAppliers)}; or by a profile in a file`),
  origin: option(
    "[NAMESPACE/]NAME|FILE",
    "with --as: the release, Application, Kustomization or HelmRelease of CONFIG",
    parseOrigin,
  ),
}

/** An origin: its name, or the file that has its document. */
type NamedOrigin = Pick<ApplierOrigin, "name" | "namespace"> | { readonly file: string }

function parseOrigin(text: string, name: string): NamedOrigin {
  if (text === "-" || /\.(ya?ml|json)$/.test(text)) return { file: text }
  const [first = "", second, ...rest] = text.split("/")
  if (first === "" || second === "" || rest.length > 0) throw new UsageError(`${name} must be NAMESPACE/NAME or NAME`)
  return second === undefined ? { name: first } : { namespace: first, name: second }
}

export const forceOption = { ...flag("take fields that others own, instead of a conflict"), alias: "force-conflicts" }

/** The operands and options of a command that makes requests to apply. */
export interface RequestArguments extends Operands, Omit<ValuesOf<typeof requestOptions>, "manager"> {
  readonly manager: string | undefined
  readonly as?: string | undefined
  readonly origin?: NamedOrigin | undefined
  readonly force?: boolean
}

/**
 * Returns the result of `visit` for each configuration on the command line, in order. `visitUnknown`, if present, takes the place of `visit`
 * for a configuration whose kind nothing defines. Throws one InputError with the problems of all configurations; `visit` need not look for
 * problems, because the engine reports them.
 */
export async function forEachRequest<T>(
  { args, input, terminal }: Context<RequestArguments>,
  visit: (request: ObjectApply, documents: ConfiguredObject) => T,
  visitUnknown?: (request: UntypedRequest, documents: ConfiguredObject) => T,
): Promise<T[]> {
  const tool = await loadTool(args, input)
  const { types, objects } = await loadApplication({ ...args, placement: placementOf(tool) }, input, "CONFIG")
  const found = await readAdmission(
    args,
    input,
    objects.map(({ config }) => config.value),
  )
  const kinds = await loadKindsFor(types, objects, found)
  const visitRequest = await requester(args, input, types, kinds, terminal.now(), tool, found)
  return await forEach(objects, documents => visitRequest(documents, visit, visitUnknown))
}

/** A request for an object whose kind nothing defines. */
export type UntypedRequest = Pick<ObjectApply, "live" | "config" | "manager" | "force" | "tool">

/** Returns the tool that `--as` names: a built-in profile, or the profile in a file. Throws a UsageError without a manager. */
export async function loadTool(
  { as, origin, manager }: Pick<RequestArguments, "as" | "origin" | "manager">,
  input: Context["input"],
): Promise<Tool | undefined> {
  if (as === undefined && (manager === undefined || manager === "")) throw new UsageError("--manager is required")
  if (as === undefined && origin !== undefined) throw new UsageError("--origin needs --as")
  if (as === undefined) return undefined
  const profile = await loadProfile(as, "--as", input)
  return {
    profile,
    origin: origin !== undefined && "file" in origin ? await originIn(origin.file, profile, input) : origin,
  }
}

/** Reads the Application, Kustomization or HelmRelease in the file, and reports what the tool does beyond its profile. */
async function originIn(file: string, profile: ApplierProfile, input: Context["input"]): Promise<ApplierOrigin> {
  const document = await input.document(file)
  const read = requested(document, () => readOrigin((document.value ?? {}) as MapValue))
  const isOther = Object.hasOwn(applierProfiles, profile.name) && profile.name !== read.as
  if (isOther) throw new InputError(`${document.at(["kind"])}: belongs to the tool ${read.as}, not to ${profile.name}`)
  for (const note of read.notes) input.remark(`${printable(`${document.at([])}: note: ${note}`)}\n`)
  return read.origin
}

/** Returns the namespace that the tool gives to objects. */
function placementOf(tool: Tool | undefined): Placement | undefined {
  const { profile, origin } = tool ?? {}
  const release = profile?.namespace === "release" ? origin?.namespace : undefined
  const namespace = origin?.targetNamespace ?? release
  return namespace === undefined ? undefined : { namespace, movesObjects: origin?.movesObjects === true }
}

/** Returns the built-in profile with this name, or the profile in the file. `option` names it in messages. */
export async function loadProfile(as: string, option: string, input: Context["input"]): Promise<ApplierProfile> {
  const isFile = !Object.hasOwn(applierProfiles, as) && /[./]/.test(as)
  if (isFile) return profileIn(await input.document(as))
  try {
    return applierProfile(as)
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(`${option}: ${error.message}`) : error
  }
}

function profileIn(document: Document): ApplierProfile {
  return requested(document, () => readApplierProfile(document.value))
}

/** Loads the built-in kinds and those of admission, with the compiler of rules in CEL if these objects need it. */
export async function loadKindsFor(
  types: Types,
  objects: readonly ConfiguredObject[],
  admission?: FoundAdmission,
): Promise<Kinds> {
  const { compilesExpressions } = await import("../../kinds/families/registry.js")
  const needsCompiler = types.hasDefinitions || objects.some(({ config }) => compilesExpressions(config.value))
  if (needsCompiler) await loadCel()
  const { definitions = [] } = admission ?? {}
  const kinds = await loadKinds(needsCompiler || definitions.length > 0)
  return definitions.length === 0 ? kinds : kinds.with(definitions)
}

/**
 * Returns a function that builds the request for a configuration and returns the result of `visit`. The function throws an InputError with
 * the problems of the configuration; `visit` need not look for problems, because the engine reports them.
 */
export async function requester(
  args: RequestArguments,
  input: Context["input"],
  types: Types,
  kinds: Kinds,
  now: Date,
  tool: Tool | undefined,
  found?: FoundAdmission,
) {
  const { manager = "" } = args
  const options = {
    manager,
    ...(tool && { tool }),
    force: args.force === true,
    kinds,
    now,
    admission: found?.admission,
  }
  const policyOf = policyFor(args, input)
  const endpointOf = await loadEndpoints(args.subresource)
  return <T>(
    documents: ConfiguredObject,
    visit: (request: ObjectApply, documents: ConfiguredObject) => T,
    visitUnknown?: (request: UntypedRequest, documents: ConfiguredObject) => T,
  ): T => {
    const { config, live } = documents
    if (visitUnknown !== undefined && isUnknown(config, types)) {
      const request = { ...options, ...objectsIn(config, live) }
      return requested(config, () => visitUnknown(request, documents))
    }
    const about = requestOf(config, live, types, endpointOf)
    const request = { ...options, ...about, unions: policyOf(config, about.type) }
    return requested(
      config,
      () => visit(request, documents),
      () => checkFit(config, live, request.type),
    )
  }
}

function isUnknown(document: Document, types: Types): boolean {
  try {
    types.typeOf(document)
    return false
  } catch (error) {
    if (error instanceof UnknownKindInputError) return true
    throw error
  }
}

/** Returns the objects of both documents. */
function objectsIn(document: Document, live: Document | undefined): Pick<ObjectApply, "live" | "config"> {
  const config = configurationIn(document)
  return { config, live: live === undefined ? undefined : liveObjectIn(live, document) }
}

/** Returns the part of a request that depends on the documents. */
function requestOf(
  document: Document,
  liveDocument: Document | undefined,
  types: Types,
  endpointOf: Awaited<ReturnType<typeof loadEndpoints>>,
) {
  const type = types.typeOf(document)
  const source = types.sourceOf(document)
  const endpoint = endpointOf(document, source)
  const { config, live } = objectsIn(document, liveDocument)
  if (endpoint.subresource !== "" && live === undefined) {
    throw new UsageError("--subresource needs --live: nothing can be created through a subresource")
  }
  return { live, config, type, emptyObject: source.emptyObject, definition: source.definition, endpoint }
}

/** Throws an InputError with the places of values that don't fit their types or can't be decoded. */
export function checkFit(document: Document, live: Document | undefined, type: Type): void {
  typedDocument(document, type)
  if (live !== undefined) checkStored(live, type)
}

/** Does the same for an object that is stored or about to be stored. It may have duplicate items, because old clients wrote such objects. */
export function checkStored(document: Document, type: Type): void {
  decodeOwners(document)
  const value = isMap(document.value) ? takeOffManagedFields(document.value) : document.value
  typedDocument({ ...document, value }, type, { allowDuplicates: true })
}

function configurationIn(document: Document): MapValue {
  const { value } = document
  if (!isMap(value)) throw new InputError(`${document.at([])}: a configuration must be a map`)
  if (valueAt(value, pathOf("metadata", "managedFields")) !== undefined) {
    const where = document.at(["metadata", "managedFields"])
    throw new InputError(
      `${where}: .metadata.managedFields: must not be in a configuration: only live objects have them`,
    )
  }
  return value
}

/** Returns the live object. Throws an InputError unless it is the object of `config`, and its managedFields are entries. */
export function liveObjectIn(live: Document, config: Document): MapValue {
  if (!isMap(live.value)) throw new InputError(`${live.at([])}: the live object must be a map`)
  requireSameObject(live, config, "the live object's")
  entriesOf(live)
  return live.value
}

/** Throws an InputError if the two documents name different objects. `whose` introduces the live object's name in messages. */
export function requireSameObject(live: Document, config: Document, whose: string): void {
  for (const parts of [["apiVersion"], ["kind"], ["metadata", "namespace"], ["metadata", "name"]]) {
    const there = textAt(live.value, ...parts)
    const here = textAt(config.value, ...parts)
    if (there === undefined || here === undefined || there === here) continue
    const path = formatPath(pathOf(...parts))
    throw new InputError(`${config.at(parts)}: ${path}: is ${here}, but ${whose} is ${there} (${live.at(parts)})`)
  }
}

function textAt(value: Value, ...parts: string[]): string | undefined {
  const found = valueAt(value, pathOf(...parts))
  return typeof found === "string" ? found : undefined
}
