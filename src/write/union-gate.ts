// The gate that decides whether unions have an effect on a server, and tells users what its policy ignores.
import { builtInKindOf } from "../kinds/families/registry.js"
import type { Resource } from "../kinds/resource/resource.js"
import { kubernetesTypes } from "../kubernetes/types.js"
import type { TypeFinder } from "../managedfields/types/object-types.js"
import { unionProblems } from "../openapi/conversion/options.js"
import { schemaFromCRD } from "../openapi/crd.js"
import { nameInGroup } from "../schema/group-version-kind.js"
import type { Schema, TypeDef } from "../schema/schema.js"
import { offerUnions, withOfferedUnions } from "../schema/unions-on-request.js"
import { untypedName } from "../schema/untyped.js"
import type { Type } from "../typed/type.js"
import { type UnionPolicy, type UnionPolicyName, unionPolicies, unionPolicy } from "../union/policy.js"
import { seesUnions } from "../union/validate.js"
import { mapAt, textAt } from "../value/fields.js"
import { oncePer } from "../value/once-per.js"
import type { MapValue } from "../value/value.js"

/** Decides how a server handles unions. The policy can change while the server runs. */
export class UnionGate {
  private chosen: UnionPolicy
  /** The kinds whose definitions lost unions when they were read. */
  private readonly stripped = new Set<string>()
  /** The kinds with a warning already. Each kind gets only one. */
  private readonly warned = new Set<string>()
  /** Whether a policy was ever named. If not, the server handles unions as today's clusters do. */
  private hasPolicy: boolean

  /** Throws a RangeError for the name of a policy that does not exist. */
  constructor(choice: UnionPolicyName | UnionPolicy | undefined) {
    this.chosen = unionPolicy(choice ?? "off")
    this.hasPolicy = choice !== undefined
  }

  get policy(): UnionPolicy {
    return this.chosen
  }

  /** Returns a gate with the same policy, which has given the same warnings. */
  fork(): UnionGate {
    const fork = new UnionGate(this.chosen)
    fork.hasPolicy = this.hasPolicy
    for (const kind of this.stripped) fork.stripped.add(kind)
    for (const kind of this.warned) fork.warned.add(kind)
    return fork
  }

  /** Throws a RangeError for the name of a policy that does not exist. */
  set(choice: UnionPolicyName | UnionPolicy): void {
    this.chosen = unionPolicy(choice)
    this.hasPolicy = true
  }

  /** Returns `given`, except that definitions may have `x-kubernetes-unions` once a policy was named. A cluster does not know that field. */
  types(given: TypeFinder = kubernetesTypes): TypeFinder {
    return {
      find: (apiVersion, kind) => {
        const found = given.find(apiVersion, kind)
        const defines = this.hasPolicy && builtInKindOf({ apiVersion, kind })?.definesKinds === true
        return found !== undefined && defines ? { ...found, schema: withExtension(found.schema) } : found
      },
    }
  }

  /** Records whether a definition lost unions when it was read. `unknown` lists the paths of the fields that were dropped. */
  noteRead(definition: MapValue, unknown: readonly string[]): void {
    if (unknown.some(path => path.endsWith(`.${unionsField}`))) this.stripped.add(definedKind(definition))
  }

  /**
   * Returns a warning if the unions of the object's kind are ignored because no policy was ever named, not even `off`. Each kind gets one
   * warning: with its definition, or with the first object that is written. Otherwise undefined.
   */
  ignoredUnions({ resource, type }: EndpointKind, object: MapValue): string | undefined {
    if (this.hasPolicy) return undefined
    const defines = resource.builtIn?.definesKinds === true
    const kind = defines ? definedKind(object) : nameInGroup(resource.kind, resource.group)
    if (this.warned.has(kind)) return undefined
    const hasUnions = !defines && type !== undefined && seesUnions(unionPolicies.extended, type, true)
    if (!this.stripped.has(kind) && !hasUnions) return undefined
    this.warned.add(kind)
    return `unions of ${kind} have no effect, as in a cluster; to settle them, name a union policy when the server is made`
  }

  /** Returns the reasons why unions of a definition have no effect, for its author. Empty while the policy is `off`. */
  problemsOf(definition: MapValue): string[] {
    if (!this.policy.enabled) return []
    return unionProblems(schemaFromCRD(definition).diagnostics)
  }
}

interface EndpointKind {
  readonly resource: Pick<Resource, "group" | "kind" | "builtIn">
  readonly type: Type | undefined
}

const unionsField = "x-kubernetes-unions"

/** Returns the kind that a definition defines: `Widget.example.com`. */
function definedKind(definition: MapValue): string {
  const spec = mapAt(definition, "spec")
  return nameInGroup(textAt(mapAt(spec, "names"), "kind"), textAt(spec, "group"))
}

/** Returns the schema with the field `x-kubernetes-unions` in the types that describe the schemas of definitions. */
const withExtension = oncePer((schema: Schema): Schema => {
  const types = schema.types.map(type => (type.name.endsWith(".JSONSchemaProps") ? withUnionsField(type) : type))
  const extended = { ...schema, types }
  offerUnions(extended, () => withExtension(withOfferedUnions(schema)))
  return extended
})

function withUnionsField(type: TypeDef): TypeDef {
  const field = { name: unionsField, type: { namedType: untypedName } }
  return { ...type, map: { ...type.map, fields: [...(type.map?.fields ?? []), field] } }
}
