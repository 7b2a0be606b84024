// Conversion of built-in kinds between their versions. A server serves two kinds at two versions: Event, which is in two groups, and
// HorizontalPodAutoscaler.

import type { ObjectConverter } from "../../managedfields/types/version-converter.js"
import { builtInKindOf } from "../families/registry.js"

/** Returns undefined for versions that are not served: their managers are dropped, as a server drops them. */
export const builtInConverter: ObjectConverter = {
  convert(object, apiVersion) {
    return object.apiVersion === apiVersion ? object : builtInKindOf(object)?.convert?.(object, apiVersion)
  },
}
