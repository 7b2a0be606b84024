// Loaded into every smd of the fleet test, by NODE_OPTIONS. Notes the peak memory of the process in the file FLEET_PEAKS; where FLEET_KILL
// names a folder, the first to find it there removes it and dies while it works, and with FLEET_KILL_ALL every one does.
import { appendFileSync, readFileSync, rmdirSync } from "node:fs"
import { isMainThread } from "node:worker_threads"

const { FLEET_PEAKS: peaks, FLEET_KILL: folder, FLEET_KILL_ALL: all, FLEET_KILL_WHAT: what } = process.env
/** Milliseconds: less than any run of the test takes, and more than it takes to start. */
const later = 400

if (isMainThread && peaks !== undefined) {
  process.on("exit", () => {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? []
    appendFileSync(peaks, `${kilobytes}\n`)
  })
}

if (folder !== undefined && isMainThread === (what === "process")) {
  setTimeout(() => {
    if (all === undefined && !removed(folder)) return
    // In a worker this ends the thread, without an error.
    if (!isMainThread) process.exit(0)
    process.kill(process.pid, "SIGKILL")
  }, later).unref()
}

/** Whether it was this process that removed it. */
function removed(path) {
  try {
    rmdirSync(path)
    return true
  } catch {
    return false
  }
}
