import type { MapValue } from "../../src/value/value.js"

/** Returns a new ConfigMap with this name and data, and with more metadata if it is passed. */
export function configMap(name: string, data: MapValue = {}, metadata: MapValue = {}): MapValue {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data }
}
