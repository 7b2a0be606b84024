// The functions that stages call, by their names.

import { autoscale } from "./autoscaler.js"
import { cronJob } from "./cron-job.js"
import { deployment } from "./deployment.js"
import { endpointSlices } from "./endpoint-slice.js"
import { expire, job, untrack } from "./job.js"
import { firstNode, schedule } from "./nodes.js"
import { replicaSet } from "./replica-set.js"
import type { ControllerFunction } from "./request.js"
import { daemonSet, statefulSet } from "./stateful-set.js"
import { bindClaim, provision, unprotect } from "./volumes.js"

export const functions: Readonly<Record<string, ControllerFunction>> = {
  ...{ deployment, replicaSet, statefulSet, daemonSet, job, untrack, expire, cronJob },
  ...{ endpointSlices, bindClaim, provision, unprotect, autoscale, firstNode, schedule },
}
