import { kubernetesTypes } from "structured-merge-diff/kubernetes"
import type { TypeFinder } from "structured-merge-diff/managedfields"
import { TypeConverter } from "structured-merge-diff/openapi"

/** Sends a GET request to the cluster of the page. */
export type Get = (path: string) => Promise<object>

/** Returns the types of the object's kind: the built-in ones, or those that the cluster publishes for custom resources. */
export async function typesOf(object: { apiVersion?: string; kind?: string }, get: Get): Promise<TypeFinder> {
  const { apiVersion = "", kind = "" } = object
  if (kubernetesTypes.find(apiVersion, kind) !== undefined) return kubernetesTypes
  const document = await get(`/openapi/v3/${apiVersion.includes("/") ? "apis" : "api"}/${apiVersion}`)
  return new TypeConverter([{ document: document as never }], { fallback: kubernetesTypes.find })
}
