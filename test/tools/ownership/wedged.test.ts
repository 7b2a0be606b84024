// Applies that a server refuses because co-owners keep a member of a one-of. The test API server refuses them, and accepts them after the patch.
import { beforeAll, describe, expect, it } from "vitest"
import { kubernetes } from "../../../src/kinds/kubernetes.js"
import { loadCel } from "../../../src/kinds/rules/library.js"
import { explain, plan } from "../../../src/tools/ownership/index.js"
import type { MapValue } from "../../../src/value/value.js"
import { jsonPatch } from "../../../src/write/patches/json-patch.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { wholeDeployment } from "../../support/deployment.js"
import { deploymentPath, gauge, gaugePath, gauges, handlers, serverOf } from "../../support/reported.js"
import { schemaErrors } from "./schema.js"

beforeAll(loadCel)

const request = {
  types: kubernetes.with([gauges]),
  unions: "off",
  clock: () => new Date("2026-01-01T00:00:00Z"),
} as const
const { exec, httpGet } = handlers
const preStop = '.spec.template.spec.containers[name="web"].lifecycle.preStop'

/** A Pod template whose volumes have these sources. */
function withVolumes(...sources: readonly MapValue[]): MapValue {
  const volumes = sources.map((source, i) => ({ name: `v${i}`, ...source }))
  const template = {
    metadata: { labels: { app: "web" } },
    spec: { containers: [{ name: "web", image: "web:1" }], volumes },
  }
  return wholeDeployment({ template })
}
const emptyDir = { emptyDir: { medium: "Memory" } }
const secret = { secret: { secretName: "s" } }

type Server = ReturnType<typeof serverOf>

describe("an apply that co-owners wedge", () => {
  it.each<
    [string, string, (server: Server) => Promise<unknown>, MapValue, { owners: string; field: string; command: string }]
  >([
    [
      "another handler (kustomize-controller#1722, kubernetes#108081)",
      deploymentPath,
      async ({ apply }) => [await apply("flux", exec), await apply("kubectl", exec)],
      httpGet,
      {
        owners: "kubectl owns",
        field: `${preStop}.exec`,
        command: `release --manager kubectl --path '${preStop}.exec'`,
      },
    ],
    [
      "a handler that only the other owns",
      deploymentPath,
      async ({ apply }) => [await apply("kubectl", exec)],
      httpGet,
      {
        owners: "kubectl owns",
        field: `${preStop}.exec`,
        command: `transfer --from kubectl --to flux --path '${preStop}.exec'`,
      },
    ],
    [
      "a handler of several owners, one of them by an update",
      deploymentPath,
      async ({ apply, send }) => [
        await send("POST", exec, "helm"),
        await apply("kubectl", exec),
        await apply("flux", exec),
      ],
      httpGet,
      {
        owners: "kubectl and helm own",
        field: `${preStop}.exec`,
        command: `transfer --from kubectl --from helm --to flux --path '${preStop}.exec'`,
      },
    ],
    [
      "two volumes, but not one that stays",
      deploymentPath,
      async ({ apply }) => {
        const config = withVolumes(emptyDir, emptyDir, emptyDir)
        return [await apply("flux", config), await apply("kubectl", config)]
      },
      withVolumes(secret, emptyDir, secret),
      {
        owners: "kubectl owns",
        field: '.spec.template.spec.volumes[name="v0"].emptyDir and .spec.template.spec.volumes[name="v2"].emptyDir',
        command: "release --manager kubectl --path '.spec.template.spec.volumes[name=\"v0\"].emptyDir' --path ",
      },
    ],
    [
      "a custom resource with oneOf",
      gaugePath,
      async ({ apply }) => [await apply("flux", gauge({})), await apply("kubectl", gauge({}))],
      (() => {
        const { wired: _, ...spec } = gauge({ radio: "b" }).spec as MapValue
        return { ...gauge({}), spec }
      })(),
      { owners: "kubectl owns", field: ".spec.wired", command: "release --manager kubectl --path '.spec.wired'" },
    ],
  ])("by %s", async (_, path, history, config, { owners, field, command }) => {
    const server = serverOf(path, [gauges])
    await history(server)
    const live = deepFreeze(await server.get())
    const made = plan(live, deepFreeze(config), { ...request, manager: "flux" })
    expect([made.outcome, schemaErrors(made)]).toEqual(["refused", ""])
    const found = made.findings.filter(({ code }) => code === "wedged-by-co-owner")
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringContaining(`${owners} ${field}, which flux omits, so the object keeps`),
    ])
    expect(found[0]?.message).toContain(`smd managers ${command}`)
    expect(explain(live, config, { ...request, manager: "flux" }).findings).toEqual(expect.arrayContaining(found))
    expect((await server.apply("flux", config)).code).toBe(422)
    const patched = jsonPatch(live, (found[0]?.patch ?? []) as unknown as MapValue[]) as MapValue
    expect((await server.send("PUT", patched, "admin")).code).toBeUndefined()
    const stored = await server.apply("flux", config)
    expect(stored.code).toBeUndefined()
    expect(plan(stored, config, { ...request, manager: "flux" }).outcome).toBe("unchanged")
  })

  it.each<[string, MapValue | undefined, MapValue]>([
    ["there is no object yet", undefined, wholeDeployment({ replicas: -1 })],
    [
      "the fault is the applier's own",
      exec,
      wholeDeployment({ replicas: -1 }, { lifecycle: { preStop: { exec: { command: ["a"] } } } }),
    ],
    [
      "the applier sets both members itself",
      exec,
      wholeDeployment({}, { lifecycle: { preStop: { exec: { command: ["a"] }, httpGet: { port: 80 } } } }),
    ],
  ])("is not reported if %s", async (_, shared, config) => {
    const server = serverOf(deploymentPath)
    if (shared !== undefined) await server.apply("kubectl", shared)
    const live = shared === undefined ? undefined : await server.get()
    const made = plan(live, config, { ...request, manager: "flux", force: true })
    expect([made.outcome, made.findings]).toEqual(["refused", []])
  })
})
