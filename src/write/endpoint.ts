// An endpoint of a resource: reads, converts and validates its objects, and has the FieldManager that tracks their owners.

import { UnionError } from "../errors.js"
import type { Parity } from "../json/json.js"
import { withBuiltInDefaults } from "../kinds/defaults/with-defaults.js"
import { badRequest, type Problem, RequestFailure } from "../kinds/refusal/failure.js"
import { resetFieldsOf } from "../kinds/resource/reset-fields.js"
import type { CompilingCheck, Resource } from "../kinds/resource/resource.js"
import { goConversionProblem, goMisfits } from "../kinds/shape/go-decode.js"
import { goShape, type Shaped } from "../kinds/shape/go-shape.js"
import { type Shadow, withDeclaredProblems } from "../kinds/validation/declared.js"
import { problemsBy } from "../kinds/validation/validate.js"
import { kubernetesTypeName } from "../kubernetes/types.js"
import type { ObjectFacts } from "../managedfields/chain/object-facts.js"
import { InvalidError } from "../managedfields/chain/status.js"
import { objectLabel } from "../managedfields/chain/structured-merge.js"
import { FieldManager } from "../managedfields/field-manager.js"
import type { FieldManagerOptions, ResetFields } from "../managedfields/request.js"
import { typesUnder } from "../managedfields/types/object-types.js"
import { formatKind, kindOf } from "../schema/group-version-kind.js"
import { metadataOf, withMetadata } from "../schema/metadata.js"
import { compileSchema, type Type } from "../typed/type.js"
import { defaultUnionPolicy, type UnionPolicy, unionPolicy } from "../union/policy.js"
import { equalValues } from "../value/equal.js"
import { withKeys } from "../value/fields.js"
import { isEmptyMap, own, put } from "../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"
import { settledAgain, type UnionFindings, unionFindings } from "./unions.js"

export interface EndpointOptions
  extends Pick<FieldManagerOptions, "converter" | "hub" | "parity" | "prepare" | "resetFields" | "validateUnions"> {
  /** Facts about the objects of requests; absent if objects may change between requests. */
  readonly facts?: ObjectFacts | undefined
  /** Fills in further defaults, after those of the kind. */
  readonly defaults?: ((object: MapValue) => MapValue) | undefined
  /** The default policy if absent; the types then have only the unions that their schema declares. */
  readonly unions?: UnionPolicy | undefined
  readonly clock: () => Date
}

/** Turns the options of a FieldManager into those of an endpoint. */
export function endpointOptions(options: FieldManagerOptions, facts: ObjectFacts | undefined): EndpointOptions {
  const { unions, clock = () => new Date() } = options
  return { ...options, unions: unions === undefined ? undefined : unionPolicy(unions), clock, facts }
}

/** A resource at one version, or a subresource of it that has the same kind. */
export class Endpoint {
  readonly resource: Resource
  /** "" for the resource itself. */
  readonly subresource: string
  readonly manager: FieldManager
  private readonly options: EndpointOptions
  /** The results of `view` for stored custom resources. Undefined if objects may change between requests. */
  private readonly views: WeakMap<MapValue, MapValue> | undefined

  constructor(resource: Resource, subresource: string, options: EndpointOptions) {
    this.resource = resource
    this.subresource = subresource
    this.options = options
    const { apiVersion, kind, types, converter } = resource
    const { unions, clock, prepare, facts, parity } = options
    this.views = facts && new WeakMap()
    const resetFields = this.resetFields
    const managerOptions = {
      types,
      kind: { apiVersion, kind },
      converter: options.converter ?? converter,
      ...(resource.plain === undefined
        ? { hub: resource.storageVersion }
        : options.hub !== undefined && { hub: options.hub }),
      ...(resetFields !== undefined && { resetFields }),
      defaults: (object: MapValue, live?: MapValue) => this.withDefaults(object, live),
      ...(unions !== undefined && { unions }),
      ...(prepare !== undefined && { prepare }),
      validateUnions: false,
      clock,
      parity,
    }
    this.manager = FieldManager.ofEndpoint(managerOptions, facts)
  }

  get clock(): () => Date {
    return this.options.clock
  }

  /** The release of the Go module whose bytes fieldsV1 gets. */
  get parity(): Parity | undefined {
    return this.options.parity
  }

  /** The fields that the strategy of the endpoint resets, by version. */
  get resetFields(): ResetFields | undefined {
    const { resource, options, subresource } = this
    return resetFieldsOf(resource, resource.custom?.definition, options.resetFields)?.(subresource)
  }

  /** The compiled type of the objects; undefined if the kind has no type. */
  get type(): Type | undefined {
    const { apiVersion, kind, types } = this.resource
    const found = typesUnder(types, this.options.unions).find(apiVersion, kind)
    return found && compileSchema(found.schema).type(found.typeName)
  }

  /**
   * Reads an object as a server does: drops unknown fields, whose paths are returned, and fills in defaults. Parts that are identical to
   * those of `done`, which was read before, are not visited. Throws `refusal` for a malformed quantity.
   */
  read(object: MapValue, done?: MapValue, refusal = this.undecodable): Shaped {
    const { custom, plain } = this.resource
    if (plain) return { object: this.withCallersDefaults(object), unknown: [] }
    if (custom !== undefined) {
      const read = custom.read(object)
      return { object: this.withCallersDefaults(asGoMetadata(read.object)), unknown: read.unknown }
    }
    const shaped = this.readBuiltIn(object, done, refusal)
    return { object: keepReset(this.withCallersDefaults(shaped.object), object), unknown: shaped.unknown }
  }

  private readBuiltIn(object: MapValue, done?: MapValue, refusal = this.undecodable): Shaped {
    const shaped = this.shape(object, done)
    const { apiVersion, kind, builtIn } = this.resource
    const typeName = kubernetesTypeName(apiVersion, kind)
    const written = builtIn?.read?.(shaped.object) ?? shaped.object
    const filled =
      typeName === undefined ? written : refusingQuantities(refusal, () => withBuiltInDefaults(written, typeName, done))
    return { object: filled, unknown: shaped.unknown }
  }

  /** Returns the refusal of a body with a malformed quantity. */
  private readonly undecodable = (why: string): RequestFailure => {
    const { kind, version } = this.resource
    return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`)
  }

  /** Returns the result of the FieldManager with defaults. Throws a RequestFailure with 500 for a value that its Go type can't have. */
  private withDefaults(object: MapValue, live: MapValue | undefined): MapValue {
    const { apiVersion, kind, custom, plain, types } = this.resource
    const refusal = (why: string) => {
      const conversion = `unable to convert unstructured object to ${formatKind(kindOf(object))}`
      const start = `failed to convert new object (${objectLabel(object)}) to proper version`
      return new RequestFailure(500, `${start}: ${conversion}: ${why}`)
    }
    if (custom === undefined) {
      const found = plain ? undefined : types.find(apiVersion, kind)
      const problem = goConversionProblem(object, found, live)
      if (problem !== undefined) {
        const failure = refusal(problem)
        failure.fields = goMisfits(object, found, { converts: true })
        throw failure
      }
      return this.read(object, live, refusal).object
    }
    return this.withCallersDefaults(asGoMetadata(custom.defaults(object)))
  }

  private withCallersDefaults(object: MapValue): MapValue {
    return this.options.defaults?.(object) ?? object
  }

  /**
   * Reads a built-in object as `read` does, but fills in no defaults. Custom resources stay unchanged. Parts that are identical to those of
   * `done`, which was read before, are not visited. `stored` says that the object is about to be stored.
   */
  shape(object: MapValue, done?: MapValue, stored = false): Shaped {
    const { apiVersion, kind, custom, plain, types } = this.resource
    const found = custom === undefined && plain === undefined ? types.find(apiVersion, kind) : undefined
    return found === undefined ? { object, unknown: [] } : goShape(object, found, done, stored)
  }

  /**
   * Returns the problems of the values of an object that replaces `old`. `others` are problems that were found before. `warn` is called with
   * each warning about the object. `shadow` compares the handwritten checks of a built-in kind with declared rules.
   */
  problems(
    object: MapValue,
    old: MapValue | undefined,
    others: readonly Problem[],
    warn: (message: string) => void,
    shadow?: Shadow,
  ): readonly Problem[] {
    const { custom, plain, builtIn, compilingCheck } = this.resource
    const { subresource, parity } = this
    if (plain) return []
    if (custom !== undefined) return custom.validate(object, { old, parity, subresource, others })
    const handwritten = problemsBy(builtIn?.validate ?? {}, subresource, object, old)
    const found = withDeclaredProblems(handwritten, this.resource, subresource, object, old, shadow)
    const { errors, warnings } = (subresource === "" && compilingCheck?.(object, old)) || noFindings
    warnings.forEach(warn)
    return [...found, ...errors]
  }

  /** The warnings that a server sends when it stores the object. A subresource has none. */
  warningsAbout(object: MapValue, live: MapValue | undefined): readonly string[] {
    return this.subresource === "" ? (this.resource.builtIn?.warnings?.(object, live) ?? []) : []
  }

  /** Returns the admitted object, with the unions settled that admission changed. Throws an InvalidError if one can't be settled. */
  settledAgain(request: Parameters<typeof settledAgain>[2]): ReturnType<typeof settledAgain> {
    try {
      return settledAgain(this.policy, this.type, request, this)
    } catch (error) {
      throw error instanceof UnionError ? new InvalidError(request.admitted, error) : error
    }
  }

  /** Returns the problems of the unions of an object that replaces `live`; `live` is undefined for a new object. */
  unionFindings(object: MapValue, live: MapValue | undefined): UnionFindings {
    return this.options.validateUnions === false
      ? { refused: [], ratcheted: 0 }
      : unionFindings(this.policy, this.type, object, live)
  }

  /** Whether unions are settled. */
  get settles(): boolean {
    return this.policy.enabled
  }

  private get policy(): UnionPolicy {
    return this.options.unions ?? unionPolicy(defaultUnionPolicy)
  }

  /** Returns a stored object at the version of the endpoint. */
  view(stored: MapValue): MapValue {
    const { apiVersion, custom } = this.resource
    if (custom === undefined) return this.convert(stored, apiVersion)
    const known = this.views?.get(stored)
    if (known !== undefined) return known
    const object = this.convert(asGoMetadata(custom.readStored(stored)), apiVersion)
    this.views?.set(stored, object)
    return object
  }

  /**
   * Returns a live object from any source at the version of the endpoint. Reading from storage fills in defaults, so a live object that was
   * written by hand gets them too. Returns the object itself if nothing is missing, as in a server's response.
   */
  viewAnew(live: MapValue): MapValue {
    // If only the types of the kind are known, the FieldManager converts live objects.
    if (this.resource.plain) return live
    // A server has answered with a custom resource at this version, after reading it at the storage version.
    if (this.resource.custom !== undefined) return this.view(this.toStorage(live))
    const viewed = this.view(live)
    const { object } = this.readBuiltIn(viewed)
    return equalValues(object, live) ? live : object
  }

  /** Converts an object of the endpoint to the storage version. */
  toStorage(object: MapValue): MapValue {
    return this.convert(object, this.resource.storageVersion)
  }

  /** Returns the object in the server's response: written to storage and read again. */
  throughStorage(object: MapValue): MapValue {
    return this.resource.plain ? object : this.view(this.toStorage(object))
  }

  private convert(object: MapValue, apiVersion: string): MapValue {
    if (own(object, "apiVersion") === apiVersion) return object
    const { converter = this.resource.converter } = this.options
    const converted = converter.convert(object, apiVersion) ?? withKeys(object, { apiVersion })
    const { custom } = this.resource
    if (custom === undefined) return converted
    if (apiVersion !== this.resource.apiVersion) return custom.readStored(converted)
    return this.withCallersDefaults(asGoMetadata(custom.readConverted(converted)))
  }
}

const noFindings: ReturnType<CompilingCheck> = { errors: [], warnings: [] }

/** Puts back an empty list of managedFields, which is a request to forget all owners. Reading drops it like any other empty list. */
function keepReset(object: MapValue, given: MapValue): MapValue {
  const managedFields = own(metadataOf(given), "managedFields")
  return isList(managedFields) && managedFields.length === 0 ? withMetadata(object, { managedFields }) : object
}

/** Returns the result of `read`. Throws `refusal` for a malformed quantity. */
function refusingQuantities(refusal: (why: string) => RequestFailure, read: () => MapValue): MapValue {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw refusal(error.message)
  }
}

/** Returns the object with its metadata as Go writes it: without empty maps and lists, and with "" for a text that is null. */
function asGoMetadata(object: MapValue): MapValue {
  const metadata = metadataOf(object)
  const changes: Record<string, Value | undefined> = {}
  for (const key of Object.keys(metadata)) {
    const value = own(metadata, key) ?? null
    const isMapOfTexts = (key === "labels" || key === "annotations") && isMap(value)
    if (isNullOrEmpty(value)) changes[key] = undefined
    else if (isMapOfTexts && Object.values(value).includes(null)) changes[key] = mapValues(value, text => text ?? "")
  }
  return Object.keys(changes).length === 0 ? object : withMetadata(object, changes)
}

function mapValues(map: MapValue, change: (value: Value) => Value): MapValue {
  const out: Record<string, Value> = {}
  for (const key in map) put(out, key, change(own(map, key) as Value))
  return out
}

function isNullOrEmpty(value: Value): boolean {
  return value === null || (isList(value) ? value.length === 0 : isMap(value) && isEmptyMap(value))
}
