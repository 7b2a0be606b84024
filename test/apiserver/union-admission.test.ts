/** The server settles unions that mutating admission changed again, before validation. */
import { describe, expect, it } from "vitest"
import type { ApiServer } from "../../src/apiserver/server.js"
import type { UnionPolicyName } from "../../src/union/policy.js"
import type { MapValue } from "../../src/value/value.js"
import type { AdmissionRequest } from "../../src/write/admission.js"
import { mergePatch } from "../../src/write/patches/merge-patch.js"
import { type Sent, send } from "./requests.js"
import { choiceOf, deployments, dialects, textOf, widget, widgetServer, widgets } from "./union-server.js"

const one = `${widgets}/w`

/** Returns an admission hook that sets the union `spec.choice` in updates, or in new objects. */
function hook(choice: string, operation: AdmissionRequest["operation"] = "UPDATE") {
  return ({ operation: current, object, resource }: AdmissionRequest): MapValue =>
    resource === "widgets" && current === operation
      ? { ...object, spec: { ...(object.spec as MapValue), choice: choiceOf(choice) } }
      : object
}

/** Sends a request. Returns the stored union, or the fields for which the request is refused. */
function outcomeOf({ status, body }: Sent): string {
  if (status < 300) return textOf(body.spec.choice)
  return `${status} ${body.details.causes.map(({ field }: { field: string }) => field).join(" ")}`
}

const requests: Readonly<Record<string, (server: ApiServer) => Promise<Sent>>> = {
  "merge patch of a note": server => send(server, "PATCH", one, { spec: { note: "n" } }, "merge"),
  "apply of a note": server => {
    const { spec: _, ...rest } = widget("")
    return send(server, "PATCH", `${one}?fieldManager=q`, { ...rest, spec: { note: "n" } }, "apply")
  },
}

describe.each(Object.keys(dialects))(
  "a union in the form %s, in an object whose `A a` manager p has applied",
  dialect => {
    describe.each(Object.entries(requests))("%s", (_, request) => {
      const afterHook = async (policy: UnionPolicyName, choice: string) => {
        const server = widgetServer(policy, dialect, { admit: hook(choice) })
        await send(server, "PATCH", `${one}?fieldManager=p`, widget("A a"), "apply")
        const before = server.snapshot()
        const answer = await request(server)
        if (answer.status !== 200) expect(server.snapshot()).toEqual(before)
        return { answer, server }
      }

      it.each<[UnionPolicyName, string, string]>([
        ["off", "B a b", "B a b"],
        ["v4", "B a b", "B b"],
        ["kep-2019", "B a b", "B b"],
        ["kep-2022-draft", "B a b", "B b"],
        ["kep-2022", "B a b", "B b"],
        ["extended", "B a b", "B b"],
        ["kep-2022", "B a", "422 spec.choice.b"],
        ["v4", "A a b", "422 spec.choice"],
        ["kep-2019", "A a b", "B b"],
        ["kep-2022-draft", "A a b", "A a"],
        ["kep-2022", "A a b", "422 spec.choice.b"],
      ])("%s: admission makes `%s`, which is settled as %s", async (policy, choice, outcome) => {
        const { answer } = await afterHook(policy, choice)
        expect(outcomeOf(answer)).toBe(outcome)
      })

      it("removes a cleared member from its owners, and leaves them the discriminator", async () => {
        const { answer, server } = await afterHook("kep-2022", "B a b")
        const applied = answer.body.metadata.managedFields.find((entry: MapValue) => entry.manager === "p")
        expect(applied.fieldsV1).toEqual({ "f:spec": { "f:choice": { "f:type": {} } } })
        expect(answer.warnings).toContain('removed a (owned by \\"p\\")')
        const text = await (await server.fetch(new Request("http://test/metrics"))).text()
        expect(text).toMatch(/union_events_total\{.*event="cleared".*\} 1/)
      })
    })

    it.each<[UnionPolicyName, string]>([
      ["kep-2022", "422 spec.choice.b"],
      ["kep-2019", "A a"],
      ["extended", "422 spec.choice"],
    ])("%s: admission adds a member to a new object: %s", async (policy, outcome) => {
      const server = widgetServer(policy, dialect, { admit: hook("A a b", "CREATE") })
      expect(outcomeOf(await send(server, "POST", widgets, widget("A a")))).toBe(outcome)
    })
  },
)

it("does not settle unions that admission leaves unchanged", async () => {
  const admit = ({ object }: AdmissionRequest) => ({
    ...structuredClone(object),
    ...(object.kind === "Widget" && { spec: { ...structuredClone(object.spec as MapValue), note: "seen" } }),
  })
  const server = widgetServer("v4", "list", { admit })
  await send(server, "PATCH", `${one}?fieldManager=p`, widget("A a"), "apply")
  // v4 clears nothing if the discriminator alone is applied.
  const { body } = await send(server, "PATCH", `${one}?fieldManager=q&force=true`, widget("B"), "apply")
  expect([textOf(body.spec.choice), body.spec.note]).toEqual(["B a", "seen"])
})

it("settles unions of built-in kinds, and refuses unions that it can't settle", async () => {
  const made = [
    { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } },
    { template: { spec: { volumes: [{ name: "v", emptyDir: {}, nfs: { server: "s", path: "/" } }] } } },
  ]
  const admit = ({ object, operation }: AdmissionRequest) =>
    object.kind === "Deployment" && operation === "UPDATE"
      ? (mergePatch(object, { spec: made.shift() as MapValue }) as MapValue)
      : object
  const server = widgetServer("extended", "list", { admit })
  const labels = { app: "web" }
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx" }] } }
  const spec = { selector: { matchLabels: labels }, template }
  await send(server, "POST", deployments, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec,
  })
  const pause = (paused: boolean) => send(server, "PATCH", `${deployments}/web`, { spec: { paused } }, "merge")
  expect((await pause(true)).body.spec.strategy).toEqual({ type: "Recreate" })
  const { status, body } = await pause(false)
  expect([status, body.details.causes[0].field]).toEqual([422, 'spec.template.spec.volumes[name="v"]'])
})
