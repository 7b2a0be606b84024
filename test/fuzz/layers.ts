import { customResourceRequest } from "./custom-resource-requests.js"
import { kubernetesRequests } from "./kubernetes-requests.js"
import { jsonPatchRequest, mergePatchRequest, strategicMergeRequest } from "./patch-requests.js"
import type { Layer } from "./requests.js"
import { setRequests } from "./set-requests.js"
import { randomStory } from "./stories.js"
import { typedRequests } from "./typed-requests.js"
import { unionRequests } from "./union-requests.js"
import { anyYaml } from "./yaml.js"

/** The parts that can be fuzzed, by their names in `--layer`. */
export const layers: Readonly<Record<string, Layer>> = {
  core: { ...setRequests, ...typedRequests, updater: { weight: 250, make: randomStory } },
  unions: unionRequests,
  kubernetes: kubernetesRequests,
  apiserver: {
    strategicMerge: { weight: 4, make: strategicMergeRequest },
    mergePatch: { weight: 1, make: mergePatchRequest },
    jsonPatch: { weight: 2, make: jsonPatchRequest },
    customResource: { weight: 5, make: customResourceRequest },
  },
  yaml: { readYAML: { weight: 1, make: random => ({ op: "readYAML", text: anyYaml(random) }) } },
}
