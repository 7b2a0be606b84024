import { describe, expect, it } from "vitest"
import { runSourceAlone } from "../support/alone.js"

/** Runs a command in a process of its own, whose writes to a stream fail with this code. */
function runWithFailing(stream: "stdout" | "stderr", code: string, argv: readonly string[]) {
  return runSourceAlone(`
    import { run } from "../src/cli/run.js"
    import { processTerminal } from "../src/cli/terminal.js"
    process.${stream}._write = (chunk, encoding, done) => done(Object.assign(new Error("${code}: write"), { code: "${code}" }))
    run(${JSON.stringify(argv)}, processTerminal()).then(status => { process.exitCode = status })
  `)
}

describe("processTerminal", () => {
  it.each([
    ["ENOSPC", "no space left on device"],
    ["EIO", "EIO: write"],
  ])("ends with 2 and a line where standard output fails with %s", async (code, why) => {
    const ending = await runWithFailing("stdout", code, ["validate", "--help"])
    expect(ending).toEqual({ status: 2, output: "", errors: `smd: output can't be written: ${why}\n` })
  })

  it("ends with 2 where standard error fails", async () => {
    const { status } = await runWithFailing("stderr", "ENOSPC", ["validate", "/no/such/file"])
    expect(status).toBe(2)
  })

  it.each(["stdout", "stderr"] as const)("takes no notice where nobody reads %s any more", async stream => {
    const { status, errors } = await runWithFailing(stream, "EPIPE", ["list-types", "--help"])
    expect([status, errors]).toEqual([0, ""])
  })
})
