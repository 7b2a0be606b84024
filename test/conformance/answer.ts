import type { Parity } from "../../src/json/json.js"
import { apiServerOperations } from "./api-server.js"
import { kubernetesOperations } from "./kubernetes.js"
import { wouldChange } from "./matches.js"
import { type Operation, operations } from "./operations.js"
import { inParity } from "./parity.js"
import { type Answer, type Request, RequestError } from "./request.js"
import { tellStory } from "./story.js"

const all: Readonly<Record<string, Operation>> = {
  ...operations,
  ...kubernetesOperations,
  ...apiServerOperations,
  updater: tellStory,
  wouldChange,
}

/** Returns the answer to a request of the conformance protocol, in the bytes of a release. Throws if it can't be answered. */
export function answerRequest(request: Request, parity: Parity = "v6"): Answer {
  const op = request.text("op")
  const run = Object.hasOwn(all, op) ? all[op] : undefined
  if (run === undefined) throw new RequestError(`unknown op "${op}"`)
  return inParity(parity, () => run(request))
}
