// Versions of built-in kinds that Kubernetes had and does not have any more. The bundled types still have most of them, as the Go
// types do; an API server has no type for them.
import { removedVersionsData } from "./removed-versions-data.js"

/** By version: the kinds that it had, and the minor release that had them no more. */
type RemovedVersions = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Versions that Go has no types for any more. */
const forgotten: RemovedVersions = {
  "autoscaling/v2beta1": { HorizontalPodAutoscaler: 25 },
  "autoscaling/v2beta2": { HorizontalPodAutoscaler: 26 },
}

let removed: RemovedVersions | undefined

/** The release since which Kubernetes does not have this kind in this version any more, such as `1.25`; undefined where it has. */
export function removedIn(apiVersion: string, kind: string): string | undefined {
  removed ??= { ...(JSON.parse(removedVersionsData) as RemovedVersions), ...forgotten }
  const kinds = Object.hasOwn(removed, apiVersion) ? removed[apiVersion] : undefined
  return kinds !== undefined && Object.hasOwn(kinds, kind) ? `1.${kinds[kind]}` : undefined
}
