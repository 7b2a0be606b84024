/** The plugin NamespaceLifecycle: creates in namespaces that are missing or being deleted, and deletes of permanent namespaces. */
import { describe, expect, it } from "vitest"
import { kubernetes } from "../../../src/kinds/kubernetes.js"
import { loadAdmission, plan } from "../../../src/tools/ownership/index.js"
import { simulate } from "../../../src/tools/simulator/index.js"
import { configMap, serverWith } from "./policies.js"

const ending = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "ending", finalizers: ["example.org/hold"] },
}
const mapsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`

/** Returns the statuses of creates in namespaces that are missing and being deleted, and of deletes of permanent ones. */
async function statuses(options: Parameters<typeof serverWith>[1]) {
  const { call } = serverWith([ending], options)
  await call("DELETE", "/api/v1/namespaces/ending")
  const answers = [
    await call("POST", mapsIn("missing"), configMap()),
    await call("POST", mapsIn("ending"), configMap()),
    await call("DELETE", "/api/v1/namespaces/kube-public"),
  ]
  return answers.map(({ status }) => status)
}

describe("NamespaceLifecycle", () => {
  it("can be left out like other plugins", async () => {
    expect(await statuses({})).toEqual([404, 403, 403])
    expect(await statuses({ disableAdmissionPlugins: ["NamespaceLifecycle"] })).toEqual([201, 201, 200])
  })

  it("refuses a delete only after its preconditions", async () => {
    const { call } = serverWith([])
    const body = { preconditions: { uid: "other" } }
    expect((await call("DELETE", "/api/v1/namespaces/default", body)).status).toBe(409)
  })

  it("counts in plans for namespaces that are being deleted", async () => {
    const terminating = { ...ending, status: { phase: "Terminating" } }
    const outcomeIn = async (namespace: string, disable?: readonly "NamespaceLifecycle"[]) => {
      const admission = await loadAdmission({ objects: [terminating], disable })
      return plan(undefined, configMap({}, { namespace }), { types: kubernetes, manager: "me", admission })
    }
    expect((await outcomeIn("ending")).refusal?.message).toContain("because it is being terminated")
    expect((await outcomeIn("ending", ["NamespaceLifecycle"])).outcome).toBe("create")
    expect((await outcomeIn("missing")).outcome).toBe("create")
  })

  it("counts in simulations for deletes of permanent namespaces", async () => {
    const objects = [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } }]
    const simulation = simulate({ types: kubernetes, objects, admission: await loadAdmission({ objects: [] }) })
    expect(simulation.delete("Namespace/default").error?.message).toContain("may not be deleted")
  })
})
