// A custom resource like Cluster of cluster-api, whose versions change, on a test API server.
import { createApiServer } from "../../../../src/apiserver/index.js"
import { formatJson } from "../../../../src/json/json.js"
import { changeApiVersion } from "../../../../src/managedfields/index.js"
import { TypeConverter } from "../../../../src/openapi/index.js"
import type { ManagersOptions } from "../../../../src/tools/managers/index.js"
import type { MapValue } from "../../../../src/value/value.js"
import { collectionOf, Subject } from "../world.js"

const group = "cluster.x-k8s.io"
const text = { type: "string" }
const openAPIV3Schema = {
  type: "object",
  properties: {
    spec: { type: "object", properties: { paused: { type: "boolean" }, version: text, region: text } },
    status: { type: "object", properties: { phase: text } },
  },
}

/** The definition with these versions. The last one is stored. */
export function definitionOf(
  versions: readonly string[],
  conversion: MapValue = { strategy: "None", webhook: null },
): MapValue {
  const row = (name: string, i: number): MapValue => ({
    ...{
      name,
      served: true,
      storage: i === versions.length - 1,
      subresources: { status: {} },
      schema: { openAPIV3Schema },
    },
  })
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `clusters.${group}` },
    spec: {
      ...{ group, scope: "Namespaced", names: { plural: "clusters", kind: "Cluster" }, conversion },
      versions: versions.map(row),
    },
  }
}

/** A webhook that never answers. */
export const webhook: MapValue = {
  strategy: "Webhook",
  webhook: { clientConfig: { url: "https://gone.example.com" }, conversionReviewVersions: ["v1"] },
}

/** A server with the definition in these versions, and one Cluster, which is read and written at the last of them. */
export function clusterOn(versions: readonly string[]): Subject {
  let now = Date.parse("2026-02-10T00:00:00Z")
  const server = createApiServer({ crds: [definitionOf(versions)], clock: () => new Date((now += 1000)) })
  return new Subject(server, collectionOf("clusters"), `${group}/${versions.at(-1)}`, "prod")
}

/** The same Cluster, after this definition has replaced its own. */
export async function redefined({ server, collection, name }: Subject, definition: MapValue): Promise<Subject> {
  const url = `http://test/apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusters.${group}`
  const headers = { "content-type": "application/merge-patch+json" }
  const body = formatJson({ spec: definition.spec as MapValue })
  const { status } = await server.fetch(new Request(url, { method: "PATCH", headers, body }))
  if (status !== 200) throw new Error(`the definition is refused with ${status}`)
  const { versions } = definition.spec as { versions: { name: string }[] }
  return new Subject(server, collection, `${group}/${versions.at(-1)?.name}`, name)
}

export function cluster(version: string, parts: MapValue): MapValue {
  return { apiVersion: `${group}/${version}`, kind: "Cluster", metadata: { name: "prod" }, ...parts }
}

/** The facts from the definition that operations need. */
export function knownBy(definition: MapValue): ManagersOptions {
  const types = new TypeConverter([{ document: definition }])
  return { types, converter: changeApiVersion(types) }
}

/** The managers with their versions: `a Apply v1`. */
export function entriesOf(object: MapValue): string[] {
  const { managedFields = [] } = object.metadata as { managedFields?: Record<string, string>[] }
  return managedFields.map(({ manager, operation, apiVersion = "", subresource }) => {
    return `${manager} ${operation}${subresource === undefined ? "" : `/${subresource}`} ${apiVersion.split("/")[1]}`
  })
}
