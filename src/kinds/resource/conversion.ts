// Conversion of built-in kinds between their versions. The server serves two kinds in two versions: Event, which
// is in two groups, and HorizontalPodAutoscaler.

import type { ObjectConverter } from "../../managedfields/types/version-converter.js"
import { builtInKindOf } from "../families/registry.js"

/** Returns undefined for versions that are not served: managers of those are dropped, as by a server. */
export const builtInConverter: ObjectConverter = {
  convert(object, apiVersion) {
    return object.apiVersion === apiVersion ? object : builtInKindOf(object)?.convert?.(object, apiVersion)
  },
}
