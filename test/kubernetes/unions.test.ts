/** Checks the unions of the built-in types as data: they fit the schema, and agree with Kubernetes' validation. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import {
  kubernetesKinds,
  kubernetesSchema,
  kubernetesSchemaWithUnions,
  kubernetesUnions,
} from "../../src/kubernetes/index.js"
import { memberName } from "../../src/schema/item-member.js"
import type { Atom, Schema, TypeRef } from "../../src/schema/schema.js"
import type { UnionOverlay } from "../../src/schema/union.js"
import { fieldsOf as namesIn } from "../../src/schema/union-problems.js"
import { compileSchema } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { applyUnionOverlay } from "../../src/union/overlay.js"
import { validateUnions } from "../../src/union/validate.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { projectRoot } from "../support/entries.js"

const schema = deepFreeze(kubernetesSchema())
const types = new Map(schema.types.map(type => [type.name, type]))
const overlay = deepFreeze(kubernetesUnions())

const core = "io.k8s.api."

function unionsOf(name: string): UnionOverlay["types"][number]["unions"] {
  return overlay.types.find(type => type.name === core + name)?.unions ?? []
}

function fieldsOf(name: string): readonly string[] {
  return (types.get(name)?.map?.fields ?? []).map(field => field.name)
}

/** Returns the field of a member: `conditions` of `conditions[type="Denied"]`. */
function listOf(member: string): string {
  return member.replace(/\[.*$/, "")
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1)
}

/** Writes a union as a line: `type: RollingUpdate=rollingUpdate? Recreate` or `a b`, with `!` if a member is required. */
function show(name: string): string[] {
  return unionsOf(name).map(({ discriminator, fields = [], emptyValues = [], cardinality }) => {
    const members = fields.map(member => {
      const { discriminatorValue, optional, zeroIsUnset } = member
      const value = discriminatorValue === undefined ? "" : `${discriminatorValue}=`
      return `${value}${memberName(member)}${optional === true ? "?" : ""}${zeroIsUnset === true ? "=0" : ""}`
    })
    const head = discriminator === undefined ? [] : [`${discriminator}:`]
    return [...head, ...members, ...emptyValues, ...(cardinality === "exactlyOne" ? ["!"] : [])].join(" ")
  })
}

describe("the overlay", () => {
  const reviews = ["SubjectAccessReviewSpec", "SelfSubjectAccessReviewSpec"].flatMap(type =>
    ["v1", "v1beta1"].map(version => `${core}authorization.${version}.${type}`),
  )

  /** Types of Kubernetes' module that other APIs embed, but Kubernetes itself does not. */
  const embedded = ["SchedulingPolicy", "DisruptionMode"].map(
    type => `${core}scheduling.v1alpha3.WorkloadCompositePodGroup${type}`,
  )

  it("names types and fields that the schema has, but for reviews and what other APIs embed", () => {
    const missing = overlay.types.flatMap(({ name, unions }) => {
      if (!types.has(name)) return [name]
      const fields = unions.flatMap(namesIn)
      return fields.filter(field => !fieldsOf(name).includes(listOf(field))).map(field => `${name}.${field}`)
    })
    expect(missing.sort()).toEqual([...reviews, ...embedded].sort())
  })

  it("fits the schema in the eyes of the strict reader, and gives what comes ready-made", () => {
    const fitting = kubernetesUnions(schema)
    expect(fitting.types.length).toBe(overlay.types.length - reviews.length - embedded.length)
    expect(applyUnionOverlay(schema, fitting)).toEqual(kubernetesSchemaWithUnions())
    expect(applyUnionOverlay(schema, overlay, { missingTypes: "ignore" })).toEqual(kubernetesSchemaWithUnions())
    expect(kubernetesSchemaWithUnions()).toBe(kubernetesSchemaWithUnions())
  })

  it("fits reviews where a schema has them", () => {
    const string: TypeRef = { scalar: "string" }
    const fields = ["user", "resourceAttributes", "nonResourceAttributes"].map(name => ({ name, type: string }))
    const served: Schema = { types: reviews.map(name => ({ name, map: { fields } })) }
    const fitting = kubernetesUnions(served)
    expect(fitting.types.map(type => type.name).sort()).toEqual(reviews.sort())
    const type = compileSchema(applyUnionOverlay(served, fitting)).type(
      `${core}authorization.v1.SubjectAccessReviewSpec`,
    )
    const problems = validateUnions(undefined, TypedValue.of({ user: "u" }, type))
    expect(problems.map(({ message }) => message)).toEqual([
      'Invalid value: "": must specify one of: `resourceAttributes`, `nonResourceAttributes`',
    ])
  })

  it("leaves out what an older schema lacks", () => {
    const without = (name: string, lacking: readonly string[]): Schema => ({
      types: [
        { name, map: { fields: (types.get(name)?.map?.fields ?? []).filter(({ name }) => !lacking.includes(name)) } },
      ],
    })
    const [volume] = kubernetesUnions(without(`${core}core.v1.Volume`, ["image", "ephemeral"])).types
    const members = volume?.unions.flatMap(namesIn) ?? []
    expect(members.length).toBe((unionsOf("core.v1.Volume")[0]?.fields?.length ?? 0) - 2)
    expect(members).not.toContain("image")
    expect(kubernetesUnions(without(`${core}apps.v1.DeploymentStrategy`, ["type"])).types).toEqual([])
    expect(kubernetesUnions(without(`${core}networking.v1.IngressBackend`, ["service", "resource"])).types).toEqual([])
  })

  it("leaves out items of a list that is atomic in an older schema, or has other keys", () => {
    const name = `${core}certificates.v1beta1.CertificateSigningRequestStatus`
    const served = (list: TypeRef["list"]): Schema => ({
      types: [{ name, map: { fields: [{ name: "conditions", type: { list: { ...list, elementType: condition } } }] } }],
    })
    const condition: TypeRef = {
      map: { fields: ["type", "name"].map(field => ({ name: field, type: { scalar: "string" } })) },
    }
    const fitting = (list: TypeRef["list"]) => kubernetesUnions(served(list)).types.map(type => type.name)
    expect(fitting({ elementRelationship: "associative", keys: ["type"] })).toEqual([name])
    expect(fitting({ elementRelationship: "atomic" })).toEqual([])
    expect(fitting({ elementRelationship: "associative", keys: ["name"] })).toEqual([])
  })

  it("covers every version of a type that has the union's fields", () => {
    const uncovered = overlay.types.flatMap(({ name, unions }) => {
      const names = unions.flatMap(namesIn)
      return schema.types.filter(
        type =>
          lastPart(type.name) === lastPart(name) &&
          names.every(field => fieldsOf(type.name).includes(listOf(field))) &&
          !overlay.types.some(covered => covered.name === type.name),
      )
    })
    expect(uncovered.map(type => type.name)).toEqual([])
  })

  it.each([
    [
      "core.v1.VolumeProjection",
      "secret downwardAPI configMap serviceAccountToken clusterTrustBundle podCertificate !",
    ],
    ["core.v1.EnvVar", "value=0 valueFrom"],
    ["core.v1.EnvVarSource", "fieldRef resourceFieldRef configMapKeyRef secretKeyRef fileKeyRef !"],
    ["core.v1.Probe", "exec httpGet tcpSocket grpc !"],
    ["core.v1.LifecycleHandler", "exec httpGet tcpSocket sleep !"],
    ["core.v1.ContainerState", "waiting running terminated"],
    ["core.v1.SeccompProfile", "type: Localhost=localhostProfile RuntimeDefault Unconfined !"],
    ["core.v1.AppArmorProfile", "type: Localhost=localhostProfile RuntimeDefault Unconfined !"],
    ["core.v1.PodSchedulingGroup", "podGroupName !"],
    ["lifecycle.v1alpha1.EvictionTarget", "pod !"],
    ["lifecycle.v1alpha1.EvictionRequestTarget", "pod !"],
    ["core.v1.VolumeMount", "subPath=0 subPathExpr=0"],
    ["core.v1.FlockerVolumeSource", "datasetName=0 datasetUUID=0 !"],
    ["core.v1.ServiceSpec", "sessionAffinity: ClientIP=sessionAffinityConfig? None"],
    ["networking.v1.IngressClassParametersReference", "scope: Namespace=namespace Cluster"],
    ["resource.v1beta1.DeviceRequest", "allocationMode: ExactCount=count?=0 All"],
    ["apps.v1.DeploymentStrategy", "type: RollingUpdate=rollingUpdate? Recreate"],
    ["extensions.v1beta1.DeploymentStrategy", "type: RollingUpdate=rollingUpdate? Recreate"],
    ["apps.v1.DaemonSetUpdateStrategy", "type: RollingUpdate=rollingUpdate? OnDelete"],
    ["apps.v1.StatefulSetUpdateStrategy", "type: RollingUpdate=rollingUpdate? OnDelete"],
    [
      "autoscaling.v2.MetricSpec",
      "type: Object=object Pods=pods Resource=resource ContainerResource=containerResource External=external !",
    ],
    ["networking.v1.IngressBackend", "service resource !"],
    ["networking.v1.ServiceBackendPort", "name=0 number=0 !"],
    ["flowcontrol.v1.PriorityLevelConfigurationSpec", "type: Limited=limited Exempt=exempt? !"],
    ["flowcontrol.v1beta3.LimitResponse", "type: Queue=queuing Reject !"],
    ["flowcontrol.v1.Subject", "kind: User=user Group=group ServiceAccount=serviceAccount !"],
    ["resource.v1.DeviceAttribute", "int bool string version ints bools strings versions !"],
    ["resource.v1.NodeAllocatableMapping", "capacityKey deviceMultiplier !"],
    ["scheduling.v1beta1.WorkloadSpec", "podGroupTemplates compositePodGroupTemplates !"],
    ["certificates.v1.CertificateSigningRequestStatus", 'conditions[type="Approved"] conditions[type="Denied"]'],
    ["admissionregistration.v1.Mutation", "patchType: ApplyConfiguration=applyConfiguration JSONPatch=jsonPatch !"],
  ])("says of %s: %s", (name, line) => expect(show(name)).toEqual([line]))

  it("says of volumes that their sources exclude each other, but not their names", () => {
    const siblings = (name: string) => {
      const members = unionsOf(name)[0]?.fields?.map(member => member.fieldName) ?? []
      return fieldsOf(core + name).filter(field => !members.includes(field))
    }
    expect(siblings("core.v1.Volume")).toEqual(["name"])
    expect(siblings("core.v1.PersistentVolumeSpec")).toEqual([
      ...["accessModes", "capacity", "claimRef", "mountOptions", "nodeAffinity", "persistentVolumeReclaimPolicy"],
      ...["storageClassName", "volumeAttributesClassName", "volumeMode"],
    ])
  })

  it.each([
    "networking.v1.NetworkPolicyPeer",
    "extensions.v1beta1.NetworkPolicyPeer",
    "autoscaling.v2.MetricTarget",
    "networking.v1beta1.IngressBackend",
    "extensions.v1beta1.IngressBackend",
    "rbac.v1.Subject",
    "certificates.v1.CertificateSigningRequestCondition",
  ])("says nothing of %s, which only looks like a union", name => {
    expect(types.has(core + name)).toBe(true)
    expect(show(name)).toEqual([])
  })
})

/** Returns the names of all types that a merge of some kind of object reaches. */
function reachable(): ReadonlySet<string> {
  const reached = new Set<string>()
  const enter = (atom: Atom): void => {
    const { map, list } = atom
    if (map !== undefined && map.elementRelationship !== "atomic") {
      for (const { type } of map.fields ?? []) follow(type)
      if (map.elementType !== undefined) follow(map.elementType)
    }
    if (list?.elementRelationship === "associative" && list.elementType !== undefined) follow(list.elementType)
  }
  const follow = (ref: TypeRef): void => {
    if (ref.elementRelationship === "atomic") return
    const { namedType: name } = ref
    const atom = name === undefined ? ref : (types.get(name) as Atom)
    if (name !== undefined) {
      if (atom.map?.elementRelationship === "atomic" || reached.has(name)) return
      reached.add(name)
    }
    enter(atom)
  }
  for (const { type } of kubernetesKinds()) follow({ namedType: type })
  return reached
}

describe("out of a merge's reach", () => {
  it("are unions in atomic lists and maps", () => {
    const reached = reachable()
    const names = kubernetesUnions(schema).types.map(type => type.name)
    const beyond = names.filter(name => !reached.has(name)).map(name => name.replace(core, ""))
    const docs = readFileSync(join(projectRoot, "docs/unions.md"), "utf8")
    expect(beyond.filter(name => !docs.includes(`\`${lastPart(name)}\``))).toEqual([])
    expect(beyond.sort()).toMatchInlineSnapshot(`
      [
        "admissionregistration.v1.Mutation",
        "admissionregistration.v1.ParamRef",
        "admissionregistration.v1alpha1.Mutation",
        "admissionregistration.v1alpha1.ParamRef",
        "admissionregistration.v1beta1.Mutation",
        "admissionregistration.v1beta1.ParamRef",
        "autoscaling.v2.MetricSpec",
        "autoscaling.v2.MetricStatus",
        "batch.v1.PodFailurePolicyRule",
        "core.v1.ClusterTrustBundleProjection",
        "core.v1.ContainerState",
        "core.v1.DownwardAPIVolumeFile",
        "core.v1.EnvFromSource",
        "core.v1.VolumeProjection",
        "flowcontrol.v1.Subject",
        "flowcontrol.v1beta1.Subject",
        "flowcontrol.v1beta2.Subject",
        "flowcontrol.v1beta3.Subject",
        "networking.v1.ServiceBackendPort",
        "resource.v1.CapacityRequestPolicy",
        "resource.v1.Device",
        "resource.v1.DeviceAttribute",
        "resource.v1.DeviceConstraint",
        "resource.v1.DeviceRequest",
        "resource.v1.DeviceSubRequest",
        "resource.v1.ExactDeviceRequest",
        "resource.v1.NodeAllocatableMapping",
        "resource.v1beta1.BasicDevice",
        "resource.v1beta1.CapacityRequestPolicy",
        "resource.v1beta1.DeviceAttribute",
        "resource.v1beta1.DeviceConstraint",
        "resource.v1beta1.DeviceRequest",
        "resource.v1beta1.DeviceSubRequest",
        "resource.v1beta1.NodeAllocatableMapping",
        "resource.v1beta2.CapacityRequestPolicy",
        "resource.v1beta2.Device",
        "resource.v1beta2.DeviceAttribute",
        "resource.v1beta2.DeviceConstraint",
        "resource.v1beta2.DeviceRequest",
        "resource.v1beta2.DeviceSubRequest",
        "resource.v1beta2.ExactDeviceRequest",
        "resource.v1beta2.NodeAllocatableMapping",
      ]
    `)
  })
})
