// NODE_OPTIONS loads this file into every smd of the fleet test. It writes the peak memory of the process to the file FLEET_PEAKS. If
// FLEET_KILL names a folder, the first process that finds the folder removes it and dies at work. With FLEET_KILL_ALL, every process dies.
import { appendFileSync, readFileSync, rmdirSync } from "node:fs"
import { isMainThread } from "node:worker_threads"

const { FLEET_PEAKS: peaks, FLEET_KILL: folder, FLEET_KILL_ALL: all, FLEET_KILL_WHAT: what } = process.env
/** In milliseconds: less than any run of the test takes, and more than a process takes to start. */
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

/** Whether this process removed the folder. */
function removed(path) {
  try {
    rmdirSync(path)
    return true
  } catch {
    return false
  }
}
