// Requests to the Kubernetes layer: stories of whole objects with metadata.managedFields, the fields that managers have applied,
// the migration from client-side apply, and documents that define types.
import { emptyMap, isMap, type Json, type JsonMap, mapOf } from "./json.js"
import { type DocumentKind, randomDocument } from "./kubernetes-documents.js"
import { fieldsWithin, randomEntries } from "./kubernetes-entries.js"
import { fieldManagerStory } from "./kubernetes-stories.js"
import { randomSubject } from "./kubernetes-subjects.js"
import { edited, partOf } from "./object-edits.js"
import type { Random } from "./random.js"
import type { Layer, Request } from "./requests.js"
import { ValueMaker } from "./values.js"

export const kubernetesRequests: Layer = {
  fieldManager: { weight: 60, make: fieldManagerStory },
  extract: { weight: 12, make: extractRequest },
  upgradeManagedFields: { weight: 8, make: upgradeRequest },
  openapiSchema: { weight: 20, make: schemaRequest },
}

function schemaRequest(random: Random): Request {
  const kind = random.pick<DocumentKind>(["v3", "v2", "crd"])
  const { document } = randomDocument(random, kind, { mistakes: random.chance(0.15) ? 0.04 : 0 })
  return {
    op: "openapiSchema",
    [kind === "crd" ? "crd" : "openapi"]: document,
    ...(random.chance(0.1) && { preserveUnknownFields: true }),
  }
}

function extractRequest(random: Random): Request {
  const subject = randomSubject(random)
  const maker = new ValueMaker(random, subject.schema, { mistakes: 0, duplicates: 0 })
  const then = edited(random, maker, subject.ref, subject.object, random.below(4))
  const managers = ["alice", "bob"]
  const entries = randomEntries(random, subject, subject.object, 3, {
    mistakes: random.chance(0.1) ? 0.2 : 0,
    managers,
    operations: ["Apply", "Apply", "Update"],
  })
  if (random.chance(0.5)) entries.push(applied(random, partOf(random, maker, subject.ref, subject.object, 0.5)))
  return {
    op: "extract",
    ...subject.source,
    object: withManagedFields(identified(then, subject.object), entries),
    manager: random.pick(managers),
    ...(random.chance(0.2) && { subresource: random.pick(["", "status", "scale"]) }),
  }

  function applied(random: Random, part: Json): JsonMap {
    const fieldsV1 = fieldsWithin(random, subject, identified(part, subject.object))
    const apiVersion = subject.object.apiVersion ?? null
    return mapOf({ manager: "alice", operation: "Apply", apiVersion, fieldsType: "FieldsV1", fieldsV1 })
  }
}

function upgradeRequest(random: Random): Request {
  const subject = randomSubject(random)
  const csa = random.sample(["kubectl-client-side-apply", "kubectl-edit", "before-first-apply"], random.between(1, 2))
  const entries = randomEntries(random, subject, subject.object, 6, {
    mistakes: random.chance(0.15) ? 0.1 : 0,
    managers: [...csa, ...csa, "kubectl", "alice"],
  })
  return {
    op: "upgradeManagedFields",
    object: random.chance(0.97) ? withManagedFields(subject.object, entries) : subject.object,
    csaManagers: csa,
    ssaManager: "kubectl",
    ...(random.chance(0.2) && { subresource: random.pick(["", "status", "scale"]) }),
  }
}

/** Makes the value an object of the kind, whatever edits have changed. */
function identified(value: Json, object: JsonMap): JsonMap {
  const content = isMap(value) ? value : emptyMap()
  return mapOf({ ...content, apiVersion: object.apiVersion as Json, kind: object.kind as Json })
}

function withManagedFields(object: JsonMap, entries: readonly Json[]): JsonMap {
  const metadata = isMap(object.metadata) ? object.metadata : emptyMap()
  return mapOf({ ...object, metadata: mapOf({ ...metadata, managedFields: entries }) })
}
