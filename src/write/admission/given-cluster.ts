// A cluster whose objects the caller gives, as the plugins of admission read it.

import { kindsOf } from "../../kinds/kinds.js"
import { checkMutatingExpressions, checkValidatingExpressions } from "../../kinds/policy/problems.js"
import { RequestFailure } from "../../kinds/refusal/failure.js"
import { type Resource, storeKey } from "../../kinds/resource/resource.js"
import { celPackage, loadCel } from "../../kinds/rules/library.js"
import { kubernetesTypes } from "../../kubernetes/types.js"
import { lastingFacts } from "../../managedfields/chain/object-facts.js"
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { objectKindOf } from "../../schema/group-version-kind.js"
import { metaText } from "../../schema/metadata.js"
import { itemsOf } from "../../schema/object-list.js"
import { unionPolicy } from "../../union/policy.js"
import {
  aFunction,
  aListOfObjects,
  aListOfStrings,
  anObject,
  aString,
  optional,
  requireOptions,
} from "../../value/argument.js"
import { textAt } from "../../value/fields.js"
import { oncePer } from "../../value/once-per.js"
import type { MapValue } from "../../value/value.js"
import { type Admission, type AdmissionPlugins, type Attributes, adminInfo, type Cluster } from "../attributes.js"
import { Endpoint } from "../endpoint.js"
import { type AdmissionPlugin, createPlugins } from "./plugins.js"
import type { WebhookFunction } from "./webhook-client.js"

/** The options of `loadAdmission`. Only `objects` is required. */
export interface AdmissionOptions {
  /**
   * The objects of the cluster that admission reads: policies with their bindings and parameters, webhook configurations, namespaces,
   * LimitRanges, ResourceQuotas with the objects that they count, PriorityClasses and StorageClasses. Other objects do no harm, and Lists
   * count as their items. A namespace that is missing counts as one without labels of its own.
   */
  readonly objects: readonly object[]
  /**
   * The webhooks as functions, by their names in the configurations. A function must return at once: a request can't wait for a promise. A
   * webhook without a function is not called, and a warning says so.
   */
  readonly webhooks?: Readonly<Record<string, WebhookFunction>> | undefined
  /** The namespace of objects that name none; `default` if absent. */
  readonly namespace?: string | undefined
  /**
   * Called with each policy that can't be run, and the reason. The policy is then left out. Without this function, `loadAdmission` throws a
   * TypeError.
   */
  readonly onUnrunnable?: ((policy: object, reason: string) => void) | undefined
  /** The plugins to leave out: `["PodSecurity"]`. */
  readonly disable?: readonly AdmissionPlugin[] | undefined
  /** The sender of the requests, in the form of `userInfo` in an AdmissionReview. An administrator if absent. */
  readonly user?: object | undefined
}

/** Returns the admission of a cluster with these objects. Throws a TypeError for a policy that can't be run, unless the options skip it. */
export async function admissionOf(options: AdmissionOptions): Promise<Admission> {
  requireOptions("options", options, {
    objects: aListOfObjects,
    webhooks: optional(anObject),
    disable: optional(aListOfStrings),
    user: optional(anObject),
    namespace: optional(aString),
    onUnrunnable: optional(aFunction),
  })
  const given = options.objects.flatMap(each => itemsOf(each as MapValue))
  const canCompile = await loadCel()
  const checker = new GivenAdmission(options, () => [])
  const { onUnrunnable } = options
  const objects = given.filter(object => {
    if (!isPolicy(object)) return true
    const why = canCompile ? whyUnrunnable(object, checker) : `install ${celPackage}`
    if (why === undefined) return true
    if (onUnrunnable === undefined) {
      throw new TypeError(`${textAt(object, "kind")} ${metaText(object, "name")}: ${why}`)
    }
    onUnrunnable(object, why)
    return false
  })
  return new GivenAdmission(options, () => objects)
}

class GivenAdmission implements Admission {
  readonly userInfo: MapValue | undefined
  readonly namespace: string
  readonly pluginsFor: (types: TypeFinder) => AdmissionPlugins
  private readonly options: AdmissionOptions
  private readonly objects: () => readonly MapValue[]

  constructor(options: AdmissionOptions, objects: () => readonly MapValue[]) {
    const { webhooks = {}, disable = [], user, namespace = "default" } = options
    this.options = options
    this.objects = objects
    this.userInfo = user as MapValue | undefined
    this.namespace = namespace
    // The plugins keep compiled policies.
    this.pluginsFor = oncePer(types =>
      inNamespace(
        namespace,
        createPlugins(clusterOf(types, objects, namespace), { functions: webhooks, onlyFunctions: true }, disable),
      ),
    )
  }

  with(current: () => Iterable<MapValue>): Admission {
    return new GivenAdmission(this.options, () => [...this.objects(), ...current()])
  }
}

/** Returns the plugins for requests that may name no namespace. */
function inNamespace(namespace: string, { mutate, check, validate }: AdmissionPlugins): AdmissionPlugins {
  const placed = (request: Attributes): Attributes => {
    const { namespaced, plain } = request.resource
    return request.namespace !== "" || !namespaced || plain ? request : { ...request, namespace }
  }
  return {
    mutate: (request, notes) => mutate(placed(request), notes),
    check: (request, notes) => check(placed(request), notes),
    validate: (request, notes) => validate(placed(request), notes),
  }
}

/**
 * Returns the cluster with the objects, which are in the namespace `home` if they name none. The last of several objects with the same name
 * counts.
 */
function clusterOf(types: TypeFinder, objects: () => readonly MapValue[], home: string): Cluster {
  const kinds = kindsOf(types)
  const table = kinds.table()
  const options = { clock: () => new Date(), unions: unionPolicy("off"), facts: lastingFacts }
  const endpointOf = oncePer((resource: Resource) => new Endpoint(resource, "", options))
  const resourceOf = oncePer((object: MapValue) => ({ found: kinds.resource(objectKindOf(object)) }))
  const stored = oncePer((object: MapValue) => {
    const { found } = resourceOf(object)
    if (found === undefined) return object
    const endpoint = endpointOf(found)
    return endpoint.toStorage(endpoint.viewAnew(object))
  })
  /** Returns the objects of a kind by namespace and name. */
  const named = (key: string, namespace: string): ReadonlyMap<string, MapValue> => {
    const byName = new Map<string, MapValue>()
    for (const object of objects()) {
      const { found } = resourceOf(object)
      if (found === undefined || storeKey(found) !== key) continue
      const inside = found.namespaced ? metaText(object, "namespace") || home : ""
      if (namespace === "" || inside === namespace) byName.set(`${inside}/${metaText(object, "name")}`, object)
    }
    return byName
  }
  return {
    list: (key, namespace = "") => [...named(key, namespace).values()].map(stored),
    get: (key, namespace, name) => {
      const object = named(key, namespace).get(`${namespace}/${name}`)
      return object === undefined ? (key === "/namespaces" ? namespaceCalled(name) : undefined) : stored(object)
    },
    findKind: (apiVersion, kind) => table.findKind(apiVersion, kind),
    endpointOf,
  }
}

/** Returns a Namespace with the label that every Namespace has. */
function namespaceCalled(name: string): MapValue {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: { "kubernetes.io/metadata.name": name } } }
}

function isPolicy(object: MapValue): boolean {
  return /^(Validat|Mutat)ingAdmissionPolicy$/.test(textAt(object, "kind"))
}

/** Returns why the policy can't be run; undefined if it can. */
function whyUnrunnable(policy: MapValue, admission: Admission): string | undefined {
  const resource = kindsOf(kubernetesTypes).resource(objectKindOf(policy))
  if (resource === undefined) return `${textAt(policy, "apiVersion")} is not served`
  const name = metaText(policy, "name")
  const endpoint = new Endpoint(resource, "", { clock: () => new Date(), unions: unionPolicy("off") })
  const object = endpoint.viewAnew(policy)
  const attributes = { resource, subresource: "", namespace: "", name, object, oldObject: undefined } as const
  const request = { ...attributes, operation: "CREATE", dryRun: true, options: {}, userInfo: adminInfo } as const
  const check = resource.kind === "ValidatingAdmissionPolicy" ? checkValidatingExpressions : checkMutatingExpressions
  const problems = [...endpoint.problems(object, undefined, [], () => {}), ...check(object, undefined).errors]
  if (problems.length > 0) return problems.map(({ field, message }) => `${field}: ${message}`).join("; ")
  try {
    admission.pluginsFor(kubernetesTypes).check(request, { warn: () => {} })
    return undefined
  } catch (error) {
    if (error instanceof RequestFailure) return error.message
    throw error
  }
}
