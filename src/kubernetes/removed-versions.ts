// Versions of built-in kinds that Kubernetes has removed. The bundled types still have most of them, as the Go types do; an API server has no
// types for them.
import { removedVersionsData } from "./removed-versions-data.js"

/** By version: the kinds that it had, and the first minor release without them. */
type RemovedVersions = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Versions whose Go types were deleted too. */
const forgotten: RemovedVersions = {
  "autoscaling/v2beta1": { HorizontalPodAutoscaler: 25 },
  "autoscaling/v2beta2": { HorizontalPodAutoscaler: 26 },
}

let removed: RemovedVersions | undefined

/** Returns the first release without this version of this kind, such as `1.25`; undefined if Kubernetes has not removed it. */
export function removedIn(apiVersion: string, kind: string): string | undefined {
  removed ??= { ...(JSON.parse(removedVersionsData) as RemovedVersions), ...forgotten }
  const kinds = Object.hasOwn(removed, apiVersion) ? removed[apiVersion] : undefined
  return kinds !== undefined && Object.hasOwn(kinds, kind) ? `1.${kinds[kind]}` : undefined
}
