// Objects and types from a live cluster, read with GET requests only.
export { Cluster, type ClusterOptions, type LiveConfigurations, type LiveOptions, type NamedObject } from "./cluster.js"
export type { ClusterResource } from "./discovery.js"
export type { ClusterDocument, DocumentCache } from "./documents.js"
export { clusterKinds } from "./kinds.js"
export type { ObjectAddress, ObjectPage, ObjectSelection, ReadFailure, ReadObjects } from "./objects.js"
export { ClusterError, type ClusterFetch, type ClusterRequest, type RequestLimits } from "./requests.js"
