// The server of a load test. It has a process of its own, so that the heap contains nothing else. Needs node's --expose-gc.

import { collectGarbage } from "../../../bench/measure.js"
import { listen } from "../../../src/apiserver/node/listen.js"
import { history } from "./memory.js"

const { url } = await listen({ history })
process.on("message", () => {
  collectGarbage()
  process.send?.(process.memoryUsage())
})
process.on("disconnect", () => process.exit())
process.send?.(url)
