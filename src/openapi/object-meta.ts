// The types of `metadata`, which every custom resource uses, as in API servers since Kubernetes 1.26.
import type { StructField, TypeDef, TypeRef } from "../schema/schema.js"
import { deducedName } from "../schema/untyped.js"

const package_ = "io.k8s.apimachinery.pkg.apis.meta.v1"
export const objectMetaName = `${package_}.ObjectMeta`

const text: TypeRef = { scalar: "string" }
const number: TypeRef = { scalar: "numeric" }
const flag: TypeRef = { scalar: "boolean" }
const textMap: TypeRef = { map: { elementType: text } }
const named = (name: string): TypeRef => ({ namedType: `${package_}.${name}` })

function fields(types: Readonly<Record<string, TypeRef>>): StructField[] {
  return Object.entries(types).map(([name, type]) => ({ name, type }))
}

/** ObjectMeta and all types that it refers to. */
export const objectMetaTypes: readonly TypeDef[] = [
  { name: `${package_}.FieldsV1`, map: { elementType: { namedType: deducedName } } },
  {
    name: `${package_}.ManagedFieldsEntry`,
    map: {
      fields: fields({
        apiVersion: text,
        fieldsType: text,
        fieldsV1: named("FieldsV1"),
        manager: text,
        operation: text,
        subresource: text,
        time: named("Time"),
      }),
    },
  },
  {
    name: objectMetaName,
    map: {
      fields: fields({
        annotations: textMap,
        creationTimestamp: named("Time"),
        deletionGracePeriodSeconds: number,
        deletionTimestamp: named("Time"),
        finalizers: { list: { elementType: text, elementRelationship: "associative" } },
        generateName: text,
        generation: number,
        labels: textMap,
        managedFields: { list: { elementType: named("ManagedFieldsEntry"), elementRelationship: "atomic" } },
        name: text,
        namespace: text,
        ownerReferences: {
          list: { elementType: named("OwnerReference"), elementRelationship: "associative", keys: ["uid"] },
        },
        resourceVersion: text,
        selfLink: text,
        uid: text,
      }),
    },
  },
  {
    name: `${package_}.OwnerReference`,
    map: {
      fields: [
        { name: "apiVersion", type: text, default: "" },
        { name: "blockOwnerDeletion", type: flag },
        { name: "controller", type: flag },
        { name: "kind", type: text, default: "" },
        { name: "name", type: text, default: "" },
        { name: "uid", type: text, default: "" },
      ],
      elementRelationship: "atomic",
    },
  },
  { name: `${package_}.Time`, scalar: "untyped" },
]
