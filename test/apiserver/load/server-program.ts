// The server of a load test: its argument is the number of policies. It has a process of its own, so that the heap contains nothing else. Needs node's --expose-gc.

import { collectGarbage } from "../../../bench/measure.js"
import { listen } from "../../../src/apiserver/node/listen.js"
import { admission } from "./admission.js"
import { history } from "./memory.js"

const policies = Number(process.argv[2] ?? 0)
const { url } = await listen({ history, faults: [], ...(policies > 0 && admission(policies)) })
process.on("message", () => {
  collectGarbage()
  process.send?.(process.memoryUsage())
})
process.on("disconnect", () => process.exit())
process.send?.(url)
