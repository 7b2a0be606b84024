// Requests to the Kubernetes layer: field managers on whole objects with metadata.managedFields.
import { emptyMap, isMap, type Json, type JsonMap, mapOf } from "./json.js"
import type { Random } from "./random.js"
import type { Layer, Request } from "./requests.js"
import { Schema, type TypeRef, UNTYPED } from "./schemas.js"
import { ValueMaker } from "./values.js"

/** Where the types of a request come from, as the request says it. */
type TypeSource =
  | { readonly kubernetes: true }
  | { readonly deduced: true }
  | { readonly openapi: Json; readonly preserveUnknownFields?: boolean }
  | { readonly crd: Json; readonly preserveUnknownFields?: boolean }

/** A source of types with a schema that objects of them can be made from. */
interface Subject {
  readonly source: TypeSource
  readonly gvk: { readonly group: string; readonly version: string; readonly kind: string }
  readonly schema: Schema
  readonly ref: TypeRef
}

export const kubernetesRequests: Layer = {
  fieldManager: { weight: 10, make: fieldManagerStory },
}

// A new source of types is one more entry here.
const SUBJECTS: readonly ((random: Random) => Subject)[] = [deducedSubject]

const STRING_MAP: TypeRef = { map: { elementType: { scalar: "string" } } }

function deducedSubject(): Subject {
  const metadata: TypeRef = {
    map: {
      fields: [
        { name: "labels", type: STRING_MAP },
        { name: "annotations", type: STRING_MAP },
        { name: "finalizers", type: { list: { elementType: { scalar: "string" }, elementRelationship: "atomic" } } },
      ],
    },
  }
  const fields = [
    { name: "metadata", type: metadata },
    { name: "spec", type: { namedType: "__untyped_deduced_" } },
    { name: "status", type: { namedType: "__untyped_deduced_" } },
  ]
  return {
    source: { deduced: true },
    gvk: { group: "example.com", version: "v1", kind: "Widget" },
    schema: new Schema([{ name: "object", map: { fields } }, ...UNTYPED]),
    ref: { namedType: "object" },
  }
}

function fieldManagerStory(random: Random): Request {
  const subject = random.pick(SUBJECTS)(random)
  const maker = new ValueMaker(random, subject.schema, { mistakes: 0, duplicates: 0 })
  const managers = random.sample(["kubectl", "alice", "bob", "kube-controller-manager", "ü"], random.between(1, 4))
  let last = maker.value(subject.ref)
  const steps = Array.from({ length: random.between(1, 7) }, () => {
    last = random.chance(0.15) ? maker.value(subject.ref) : maker.edit(subject.ref, last)
    return mapOf({
      op: random.pick(["apply", "apply", "forceApply", "update", "update"]),
      manager: random.pick(managers),
      object: withIdentity(random, subject, last),
      ...(random.chance(0.1) && { subresource: "status" }),
    })
  })
  return {
    op: "fieldManager",
    ...(subject.source as { readonly [field: string]: Json }),
    gvk: mapOf(subject.gvk),
    ...(random.chance(0.1) && { resetFields: mapOf({ v1: mapOf({ "f:status": emptyMap() }) }) }),
    steps,
  }
}

// The object with what every object of the API has; seldom of another version than the manager's.
function withIdentity(random: Random, subject: Subject, value: Json): JsonMap {
  const { group, version, kind } = subject.gvk
  const object = isMap(value) ? mapOf(value) : emptyMap()
  const metadata = isMap(object.metadata) ? mapOf(object.metadata) : emptyMap()
  metadata.name = "widget"
  metadata.namespace = "default"
  if (random.chance(0.05)) metadata.resourceVersion = "7"
  const shown = random.chance(0.03) ? "v2" : version
  return mapOf({ apiVersion: group === "" ? shown : `${group}/${shown}`, kind, ...object, metadata })
}
