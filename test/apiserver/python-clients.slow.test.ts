/** The official client for Python and an operator of kopf, if they are installed: `pip install kopf kubernetes`. */
import { execFile, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { listen } from "../../src/apiserver/node/listen.js"

const program = fileURLToPath(new URL("clients/session.py", import.meta.url))
const python = process.env.PYTHON ?? "python3"
const { status } = spawnSync(python, ["-c", "import kopf, kubernetes"])

if (status === 0) {
  it("lets the client for Python and an operator of kopf work as in a cluster", async () => {
    const folder = mkdtempSync(join(tmpdir(), "python-clients-"))
    const { kubeconfig, close } = await listen()
    try {
      const file = join(folder, "kubeconfig")
      writeFileSync(file, kubeconfig)
      const env = { ...process.env, KUBECONFIG: file }
      const { stdout } = await promisify(execFile)(python, [program, file], { env, timeout: 110_000 }).catch(
        ({ stdout = "", stderr = "" }: { stdout?: string; stderr?: string }) => ({ stdout: stdout + stderr }),
      )
      expect(stdout.trim().split("\n").at(-1), stdout).toBe("passed")
    } finally {
      await close()
      rmSync(folder, { recursive: true })
    }
  })
} else {
  it("is not tried, because kopf and kubernetes are not installed for Python", () => expect(status).not.toBe(0))
}
