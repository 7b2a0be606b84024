// A real kubectl asks a server with roles what users may do.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Listening, listen } from "../../src/apiserver/node/listen.js"
import { projectRoot } from "../fuzz/programs.js"
import { buildKubectl, run } from "./kubectl/build.js"

const kubectl = buildKubectl(projectRoot())
const tokens = "ann-token,ann,2,dev\n"

if ("path" in kubectl) {
  const { path } = kubectl
  const folder = mkdtempSync(join(tmpdir(), "kubectl-access-"))
  let server: Listening
  beforeAll(async () => {
    server = await listen({ authorization: "rbac", tokens })
    writeFileSync(join(folder, "kubeconfig"), server.kubeconfig)
  })
  afterAll(async () => {
    await server.close()
    rmSync(folder, { recursive: true })
  })

  /** Runs a command. Returns its output, with runs of blanks as one. */
  async function ask(command: string): Promise<string> {
    const env = {
      KUBECONFIG: join(folder, "kubeconfig"),
      HOME: folder,
      KUBECACHEDIR: join(folder, "cache"),
      LC_ALL: "C",
    }
    const { stdout, stderr } = await run(path, command.split(" "), { cwd: folder, env, seconds: 60 })
    return (stdout + stderr).replace(/ +/g, " ").trim()
  }

  describe("kubectl with a server that has roles", () => {
    it("says what a user may do before and after a role is bound", async () => {
      expect(await ask("auth whoami --user=ann")).toContain("Groups [dev system:authenticated]")
      expect(await ask("auth can-i create pods --user=ann")).toMatch(/^no/)
      expect(await ask("create role maker --verb=create,get --resource=pods,deployments.apps")).toContain("created")
      expect(await ask("create rolebinding maker --role=maker --group=dev")).toContain("created")
      expect(await ask("auth can-i create pods --user=ann")).toBe("yes")
      expect(await ask("auth can-i delete pods --as=ann --as-group=dev")).toMatch(/^no/)
      expect(await ask("auth can-i get /version --user=ann")).toBe("yes")
    })

    it("lists what a user may do", async () => {
      const list = await ask("auth can-i --list --user=ann")
      expect(list).toContain("pods [] [] [create get]")
      expect(list).toContain("deployments.apps [] [] [create get]")
      expect(list).toContain("selfsubjectrulesreviews.authorization.k8s.io [] [] [create]")
      expect(list).toContain(" [/api/*] [] [get]")
      expect(await ask("auth can-i --list")).toContain("*.* [] [] [*]")
    })

    it("shows refusals", async () => {
      expect(await ask("get secrets --user=ann")).toBe(
        'Error from server (Forbidden): secrets is forbidden: User "ann" cannot list resource "secrets" in API group "" in the namespace "default"',
      )
      expect(await ask("describe clusterrole view")).toContain("configmaps [] [] [get list watch]")
    })
  })
} else {
  it("is not tried, because there is no kubectl", () => expect(kubectl.missing).not.toBe(""))
}
