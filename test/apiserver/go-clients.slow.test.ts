/** Runs the Go programs of `oracle/clients`, which use client-go and controller-runtime, against the server on a port. */
import { execFile, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { listen } from "../../src/apiserver/node/listen.js"

const folder = fileURLToPath(new URL("../../oracle/clients/", import.meta.url))
const program = fileURLToPath(new URL("../../oracle/bin/clients", import.meta.url))

/** Builds the program; Go compiles only changed packages. Returns the reason why it can't be built; undefined if it was. */
function build(): string | undefined {
  const go = (...args: string[]) => spawnSync("go", args, { cwd: folder, encoding: "utf8" })
  if (go("version").error !== undefined) return "Go is not installed"
  const modules = go("mod", "download")
  if (modules.status !== 0) return `its modules can't be had: ${modules.stderr}`
  const built = go("build", "-o", program, ".")
  if (built.status !== 0) throw new Error(`oracle/clients does not compile: ${built.stderr}`)
  return undefined
}

const missing = build()
if (missing === undefined) {
  const names = spawnSync(program, [], { encoding: "utf8" }).stdout.trim().split("\n")

  describe("a program in Go", () => {
    it.each(names)("completes %s", async name => {
      // The history is short, so that a watch can fall behind.
      const { url, close } = await listen({ history: 200 })
      try {
        const { stdout } = await promisify(execFile)(program, ["--server", url, name], { timeout: 90_000 }).catch(
          ({ stdout = "", stderr = "" }: { stdout?: string; stderr?: string }) => ({ stdout: stdout + stderr }),
        )
        expect(stdout.trim().split("\n").at(-1), stdout).toBe(`${name}: passed`)
      } finally {
        await close()
      }
    })
  })
} else {
  it("is not tried, because there are no programs in Go", () => {
    console.log(`programs in Go are not tried: ${missing}`)
    expect(missing).not.toBe("")
  })
}
