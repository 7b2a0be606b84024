/** Uses the unions of the built-in types: each type alone, and types inside real objects. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { valueAt } from "../../src/fieldpath/lookup.js"
import { formatPath } from "../../src/fieldpath/path.js"
import { kubernetesSchema, kubernetesSchemaWithUnions, kubernetesUnions } from "../../src/kubernetes/index.js"
import { ConflictError } from "../../src/merge/conflict.js"
import { Updater } from "../../src/merge/updater.js"
import type { Atom, StructField, TypeRef } from "../../src/schema/schema.js"
import type { UnionMember } from "../../src/schema/union.js"
import { compileSchema } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { normalizeUnions } from "../../src/union/normalize.js"
import { applyUnionOverlay } from "../../src/union/overlay.js"
import { type UnionPolicyName, unionPolicies } from "../../src/union/policy.js"
import { formatUnionChange } from "../../src/union/report.js"
import { validateUnions } from "../../src/union/validate.js"
import { isList, type ListValue, type MapValue, type Value } from "../../src/value/value.js"
import { runs } from "../support/budget.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { Story, typed, unlessRefused, yaml } from "../union/story.js"

const core = "io.k8s.api."
const schema = deepFreeze(kubernetesSchema())
const types = new Map(schema.types.map(type => [type.name, type]))
const compiled = compileSchema(kubernetesSchemaWithUnions())

/** Returns the smallest value of this kind. */
function sample(ref: TypeRef): Value {
  const atom: Atom = ref.namedType === undefined ? ref : (types.get(ref.namedType) as Atom)
  if (atom.map !== undefined && atom.scalar === undefined) return {}
  if (atom.list !== undefined && atom.scalar === undefined) {
    const { keys } = atom.list
    return keys === undefined ? [] : [Object.fromEntries(keys.map(key => [key, "x"]))]
  }
  if (atom.scalar === "numeric") return 1
  return atom.scalar === "boolean" ? true : "x"
}

function memberOf(fields: readonly StructField[], { fieldName, item }: UnionMember): Record<string, Value> {
  if (item !== undefined) return { [fieldName]: [{ ...item }] }
  return { [fieldName]: sample(fields.find(field => field.name === fieldName)?.type ?? {}) }
}

/** Returns several members at once: their fields, or a list of their items. */
function membersOf(fields: readonly StructField[], members: readonly UnionMember[]): Record<string, Value> {
  const out: Record<string, Value> = {}
  for (const member of members) {
    const made = memberOf(fields, member)[member.fieldName] as Value
    const items = out[member.fieldName]
    out[member.fieldName] = member.item !== undefined && isList(items) ? [...items, ...(made as ListValue)] : made
  }
  return out
}

describe("every type of the overlay, as the root of an object", () => {
  const rows = kubernetesUnions(schema).types.flatMap(({ name, unions }) =>
    unions
      .filter(({ fields = [], emptyValues = [] }) => fields.length + emptyValues.length > 1)
      .map(union => ({
        name,
        union,
        members: union.fields ?? [],
        type: compiled.type(name),
        fields: types.get(name)?.map?.fields ?? [],
      })),
  )

  it.each(rows)("$name: applies one member in place of another", ({ union, members, type, fields }) => {
    for (const first of members) {
      for (const second of members) {
        const { discriminatorValue } = second
        if (first === second) continue
        // The smallest members lack members of their own.
        const updater = new Updater({ unions: "extended", validateUnions: false })
        const apply = (live: TypedValue, config: Value, manager: string, managers = new Map(), force = false) =>
          updater.apply(live, TypedValue.of(config, type), { manager, apiVersion: "v1", managers, force })
        const created = apply(TypedValue.of(null, type), memberOf(fields, first), "one")
        const switched = apply(created.object, memberOf(fields, second), "two", new Map(created.managers), true)
        const { discriminator } = union
        const expected = discriminator === undefined ? {} : { [discriminator]: discriminatorValue }
        expect(switched.object.value).toEqual({ ...memberOf(fields, second), ...expected })
        // A struct that is one leaf has a path, and owners, only as a field.
        expect([...switched.managers.keys()]).toEqual(type.map?.atomic === true ? [] : ["two"])
      }
    }
  })

  /** Changes of an object of any of the types, with any members and discriminator. */
  const changes = fc.constantFrom(...rows).chain(({ union, members, type, fields }) => {
    const { discriminator, emptyValues = [] } = union
    const values = ["", "Unknown", ...emptyValues, ...members.map(member => member.discriminatorValue ?? "")]
    const selection = fc.option(fc.constantFrom(...values), { nil: undefined })
    const object = fc.tuple(fc.subarray([...members]), selection).map(([members, value]) => {
      const selected = discriminator === undefined || value === undefined ? {} : { [discriminator]: value }
      return deepFreeze({ ...selected, ...membersOf(fields, members) } as MapValue)
    })
    return fc.record({ type: fc.constant(type), before: object, after: object })
  })

  it.each(Object.keys(unionPolicies) as UnionPolicyName[])(
    "%s: an update is settled once and for all, and every edit told",
    policy => {
      const law = fc.property(changes, ({ type, before, after }) => {
        const old = TypedValue.of(before, type)
        const settled = unlessRefused(() => normalizeUnions(old, TypedValue.of(after, type), { policy }))
        if (settled === null) return
        const { object, unions } = settled
        expect(normalizeUnions(old, object, { policy })).toEqual({ object, unions: [] })
        const told: Record<string, Value> = { ...after }
        for (const { cleared, discriminator, carried } of unions) {
          for (const { field, item } of cleared) {
            if (item === undefined) delete told[field]
            else told.conditions = (told.conditions as ListValue).filter(condition => condition !== valueAt(told, item))
          }
          if (discriminator?.implied === true) told[discriminator.field] = discriminator.to as Value
          if (carried !== undefined) told[carried] = before[carried] as Value
        }
        expect(object.value).toEqual(told)
      })
      fc.assert(law, runs(500))
    },
  )
})

describe("real objects", () => {
  const story = (name: string, unions: "v4" | "extended" = "extended") =>
    new Story(compiled.type(core + name), { unions })

  it("a Deployment that is applied as Recreate has no rolling update any more", () => {
    const deployment = story("apps.v1.Deployment").tell(
      "kcm = {spec: {strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%}}}}",
      "me < {spec: {strategy: {type: Recreate}}}",
    )
    expect(deployment.conflict.conflicts.map(({ path }) => formatPath(path))).toEqual([".spec.strategy.type"])
    deployment.tell("me ! {spec: {strategy: {type: Recreate}}}")
    expect(deployment.last).toEqual([
      '.spec.strategy: type "RollingUpdate" -> "Recreate"; removed rollingUpdate (owned by "kcm")',
    ])
    expect(deployment.live.value).toEqual({ spec: { strategy: { type: "Recreate" } } })
  })

  it("a request for a certificate is approved or denied, and a manager who denies what another approved is told", () => {
    const request = story("certificates.v1.CertificateSigningRequest").tell(
      "approver < {status: {conditions: [{type: Approved, status: 'True', reason: Checked}]}}",
      "signer < {status: {conditions: [{type: Failed, status: 'False'}]}}",
      "denier < {status: {conditions: [{type: Denied, status: 'True'}]}}",
    )
    expect(request.conflict.explain()).toBe(
      'conflict with "approver": .status.conditions[type="Approved"]\n' +
        '.status.conditions[type="Approved"] goes: cleared by .status.conditions[type="Denied"] (union policy extended)',
    )
    request.tell("denier ! {status: {conditions: [{type: Denied, status: 'True'}]}}")
    expect(request.last).toEqual(['.status: removed conditions[type="Approved"] (owned by "approver")'])
    expect(request.live.value).toEqual({
      status: {
        conditions: [
          { type: "Failed", status: "False" },
          { type: "Denied", status: "True" },
        ],
      },
    })
    expect(request.owners.map(line => line.split(" ", 2).join(" "))).toEqual([
      'denier: .status.conditions[type="Denied"]',
      'signer: .status.conditions[type="Failed"]',
    ])
  })

  it("a volume has one source", () => {
    const pod = story("core.v1.Pod").tell(
      "a < {spec: {volumes: [{name: data, emptyDir: {}}, {name: tmp, emptyDir: {}}]}}",
      "b < {spec: {volumes: [{name: data, persistentVolumeClaim: {claimName: c}}]}}",
    )
    expect(pod.error).toBeInstanceOf(ConflictError)
    expect(pod.conflict.explain()).toBe(
      'conflict with "a": .spec.volumes[name="data"].emptyDir\n' +
        '.spec.volumes[name="data"].emptyDir goes: cleared by .spec.volumes[name="data"].persistentVolumeClaim (union policy extended)',
    )
    pod.tell("b ! {spec: {volumes: [{name: data, persistentVolumeClaim: {claimName: c}}]}}")
    expect(pod.live.value).toMatchObject({
      spec: {
        volumes: [
          { name: "data", persistentVolumeClaim: { claimName: "c" } },
          { name: "tmp", emptyDir: {} },
        ],
      },
    })
  })

  it("an environment variable may have an empty value beside valueFrom", () => {
    const env = (variable: string) => `{spec: {containers: [{name: c, env: [${variable}]}]}}`
    const pod = story("core.v1.Pod").tell(`a < ${env("{name: X, value: '', valueFrom: {fieldRef: {fieldPath: p}}}")}`)
    expect(pod.live.value).toEqual(yaml(env("{name: X, valueFrom: {fieldRef: {fieldPath: p}}}")))
    pod.tell(`a < ${env("{name: X, value: v}")}`)
    expect(pod.live.value).toEqual({ spec: { containers: [{ name: "c", env: [{ name: "X", value: "v" }] }] } })
  })

  it("a probe has one handler", () => {
    const probe = (handler: string) =>
      `{spec: {containers: [{name: c, livenessProbe: {periodSeconds: 5, ${handler}}}]}}`
    const pod = story("core.v1.Pod", "v4").tell(
      `a < ${probe("httpGet: {port: 80}")}`,
      `b ! ${probe("tcpSocket: {port: 80}")}`,
    )
    expect(pod.last).toEqual(['.spec.containers[name="c"].livenessProbe: removed httpGet (owned by "a")'])
  })

  it("a seccomp profile on the node is Localhost, whatever the published schema says", () => {
    const config = "{spec: {securityContext: {seccompProfile: {type: Localhost, localhostProfile: p.json}}}}"
    const fields = [{ fieldName: "localhostProfile", discriminatorValue: "LocalhostProfile" }]
    const asPublished = {
      types: [{ name: `${core}core.v1.SeccompProfile`, unions: [{ discriminator: "type", fields }] }],
    }
    const pods = compileSchema(applyUnionOverlay(schema, asPublished)).type(`${core}core.v1.Pod`)
    const published = new Story(pods).tell(`a < ${config}`)
    expect(published.last).toEqual(["applied discriminator (Localhost) doesn't match applied field (localhostProfile)"])
    const pod = story("core.v1.Pod", "v4").tell(`a < ${config}`)
    expect([pod.error, pod.last]).toEqual([undefined, []])
  })

  it("a subject of a flow schema goes by its kind", () => {
    const subject = compiled.type(`${core}flowcontrol.v1.Subject`)
    const problems = validateUnions(undefined, typed(subject, "{kind: User, group: {name: g}}"))
    expect(problems.map(({ message }) => message)).toEqual([
      'user: Invalid value: "": must be specified when `kind` is "User"',
      'group: Invalid value: "": may only be specified when `kind` is "Group"',
    ])
  })

  it("a metric is validated in its list, which is one leaf to a merge", () => {
    const autoscaler = compiled.type(`${core}autoscaling.v2.HorizontalPodAutoscaler`)
    const next = typed(autoscaler, "{spec: {metrics: [{type: Pods, resource: {name: cpu}}]}}")
    expect(normalizeUnions(typed(autoscaler, "{}"), next).unions).toEqual([])
    expect(validateUnions(undefined, next).map(({ message }) => message)).toEqual([
      'spec.metrics[0].pods: Invalid value: "": must be specified when `type` is "Pods"',
      'spec.metrics[0].resource: Invalid value: "": may only be specified when `type` is "Resource"',
    ])
    const metric = compiled.type(`${core}autoscaling.v2.MetricSpec`)
    const { unions } = normalizeUnions(
      typed(metric, "{type: Pods, pods: {}}"),
      typed(metric, "{type: Resource, pods: {}, resource: {}}"),
    )
    expect(unions.map(formatUnionChange)).toEqual(['.: type "Pods" -> "Resource"; removed pods'])
  })
})
