/** The metrics at /metrics. */
import { describe, expect, it } from "vitest"
import { Metrics } from "../../src/apiserver/metrics.js"
import { type ApiServer, createApiServer } from "../../src/apiserver/server.js"
import { Store } from "../../src/apiserver/storage/store.js"
import { UnionEvents } from "../../src/write/unions.js"
import { send } from "./requests.js"
import { choiceOf, widget, widgetServer, widgets } from "./union-server.js"

/** Returns the samples of a metric by their labels. */
async function samples(server: ApiServer, name: string): Promise<Record<string, number>> {
  const response = await server.fetch(new Request("http://test/metrics"))
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
  const lines = (await response.text()).split("\n").filter(line => line.startsWith(`${name}{`))
  return Object.fromEntries(
    lines.map(line => {
      const at = line.lastIndexOf(" ")
      return [line.slice(name.length, at), Number(line.slice(at + 1))]
    }),
  )
}

const labels = (
  verb: string,
  code: number,
  scope: string,
  rest: { readonly dryRun?: string; readonly sub?: string } = {},
) =>
  `{code="${code}",component="apiserver",dry_run="${rest.dryRun ?? ""}",group="example.com",resource="widgets",scope="${scope}",subresource="${rest.sub ?? ""}",verb="${verb}",version="v1"}`

describe("/metrics", () => {
  it("counts requests with the labels of kube-apiserver", async () => {
    const server = widgetServer("extended")
    await send(server, "POST", widgets, widget("A a"))
    await send(server, "POST", widgets, widget("A a"))
    await send(server, "POST", `${widgets}?dryRun=All`, { ...widget("A a"), metadata: { name: "x" } })
    await send(server, "PATCH", `${widgets}/w?fieldManager=p`, widget("A a"), "apply")
    await send(server, "PATCH", `${widgets}/w/status`, { status: {} }, "merge")
    await send(server, "GET", widgets)
    await send(server, "GET", "/apis/example.com/v1/widgets")
    await send(server, "GET", `${widgets}/w/scale`)
    await send(server, "BREW" as "GET", `${widgets}/w`)
    await send(server, "GET", "/apis/nothing.here/v1/nothings")
    const found = await samples(server, "apiserver_request_total")
    expect(found).toEqual({
      [labels("POST", 201, "resource")]: 1,
      [labels("POST", 409, "resource")]: 1,
      [labels("POST", 201, "resource", { dryRun: "All" })]: 1,
      [labels("APPLY", 200, "resource")]: 1,
      [labels("PATCH", 200, "resource", { sub: "status" })]: 1,
      [labels("LIST", 200, "namespace")]: 1,
      [labels("LIST", 200, "cluster")]: 1,
      [labels("GET", 500, "resource", { sub: "scale" })]: 1, // the custom resource has no replicas
      [labels("other", 405, "resource")]: 1,
      '{code="404",component="apiserver",dry_run="",group="",resource="",scope="",subresource="",verb="GET",version=""}': 1,
    })
  })

  it("shows open watches and stored objects", async () => {
    const server = widgetServer(undefined)
    await send(server, "POST", widgets, widget("A a"))
    const open =
      '{component="apiserver",group="example.com",resource="widgets",scope="namespace",subresource="",verb="WATCH",version="v1"}'
    const watch = await server.fetch(new Request(`http://test${widgets}?watch=true`))
    expect(await samples(server, "apiserver_longrunning_requests")).toEqual({ [open]: 1 })
    expect(await samples(server, "apiserver_storage_objects")).toMatchObject({
      '{resource="namespaces"}': 4,
      '{resource="widgets.example.com"}': 1,
    })
    await send(server, "DELETE", `${widgets}/w`)
    expect(await samples(server, "apiserver_resource_objects")).toMatchObject({
      '{group="",resource="namespaces"}': 4,
      '{group="example.com",resource="widgets"}': 0,
    })
    await watch.body?.cancel()
    expect(await samples(server, "apiserver_longrunning_requests")).toEqual({})
  })

  it("measures durations by the clock of the options, in kube-apiserver's buckets", async () => {
    let now = 0
    const server = createApiServer({
      clock: () => new Date(now),
      admit: ({ object }) => {
        now += object.kind === "ConfigMap" ? 250 : 70_000
        return object
      },
    })
    const object = (kind: string) => ({ apiVersion: "v1", kind, metadata: { name: "x" } })
    await send(server, "POST", "/api/v1/namespaces/default/configmaps", object("ConfigMap"))
    await send(server, "POST", "/api/v1/namespaces/default/configmaps", object("ConfigMap"))
    await send(server, "POST", "/api/v1/namespaces/default/secrets", object("Secret"))
    const watch = await server.fetch(new Request("http://test/api/v1/nodes?watch=true"))
    now += 3000
    await watch.body?.cancel()
    const name = "apiserver_request_duration_seconds"
    const labelsOf = (resource: string, verb: string, scope: string) =>
      `{component="apiserver",dry_run="",group="",resource="${resource}",scope="${scope}",subresource="",verb="${verb}",version="v1"}`
    expect(await samples(server, `${name}_count`)).toEqual({
      [labelsOf("configmaps", "POST", "resource")]: 2,
      [labelsOf("secrets", "POST", "resource")]: 1,
      [labelsOf("nodes", "WATCH", "cluster")]: 1,
    })
    const sums = await samples(server, `${name}_sum`)
    expect(sums[labelsOf("configmaps", "POST", "resource")]).toBe(0.5)
    expect(sums[labelsOf("nodes", "WATCH", "cluster")]).toBe(3)
    const buckets = Object.entries(await samples(server, `${name}_bucket`))
    const bucketsOf = (resource: string) =>
      buckets
        .filter(([text]) => text.includes(`resource="${resource}"`))
        .map(([text, count]) => [/le="([^"]*)"/.exec(text)?.[1], count])
    expect(bucketsOf("configmaps").slice(3, 7)).toEqual([
      ["0.1", 0],
      ["0.2", 0],
      ["0.4", 2],
      ["0.6", 2],
    ])
    expect(bucketsOf("secrets").slice(-2)).toEqual([
      ["60", 0],
      ["+Inf", 1],
    ])
    expect(
      bucketsOf("secrets")
        .map(([bound]) => bound)
        .join(" "),
    ).toBe("0.005 0.025 0.05 0.1 0.2 0.4 0.6 0.8 1 1.25 1.5 2 3 4 5 6 8 10 15 20 30 45 60 +Inf")
  })

  it("counts changes to unions, and for refused requests only the reason", async () => {
    const server = widgetServer("kep-2019")
    const events = async () => {
      const found = await samples(server, "structured_merge_diff_union_events_total")
      const pairs = Object.entries(found).map(([text, count]) => [/event="(\w+)"/.exec(text)?.[1], count])
      return Object.fromEntries(pairs)
    }
    const patch = (choice: object) => send(server, "PATCH", `${widgets}/w`, { spec: { choice } }, "merge")
    await send(server, "POST", widgets, widget("a"))
    expect(await events()).toEqual({ settled: 1, implied: 1 })
    await patch({ b: { x: 1 } })
    expect(await events()).toEqual({ settled: 2, implied: 2, cleared: 1 })

    server.setUnions("extended")
    expect((await patch({ b: null })).status).toBe(422)
    expect(await events()).toEqual({ settled: 2, implied: 2, cleared: 1, refused: 1 })
    server.setUnions("off")
    await patch(choiceOf("B a b"))
    server.setUnions("extended")
    await send(server, "PATCH", `${widgets}/w`, { spec: { note: "n" } }, "merge")
    expect(await events()).toEqual({ settled: 2, implied: 2, cleared: 1, refused: 1, ratcheted: 1 })
    const found = await samples(server, "structured_merge_diff_union_events_total")
    expect(found['{event="ratcheted",group="example.com",policy="extended",resource="widgets"}']).toBe(1)
  })

  it("is in the text format of Prometheus", () => {
    const metrics = new Metrics()
    const events = new UnionEvents('mine "\\\n')
    events.add("refused", 2)
    metrics.count({ verb: "PUT", group: "", resource: "pods" }, 422, events)
    const lines = metrics.format(new Store(), []).split("\n")
    expect(lines.filter(line => !line.startsWith("# HELP"))).toEqual([
      "# TYPE apiserver_request_total counter",
      'apiserver_request_total{code="422",group="",resource="pods",verb="PUT"} 1',
      "# TYPE apiserver_request_duration_seconds histogram",
      "# TYPE apiserver_longrunning_requests gauge",
      "# TYPE apiserver_storage_objects gauge",
      "# TYPE apiserver_resource_objects gauge",
      "# TYPE apiserver_validation_declarative_validation_mismatch_total counter",
      "apiserver_validation_declarative_validation_mismatch_total 0",
      "# TYPE apiserver_validation_declarative_validation_panic_total counter",
      "apiserver_validation_declarative_validation_panic_total 0",
      "# TYPE apiserver_validation_declarative_validation_parity_discrepancies_total counter",
      "# TYPE apiserver_validation_declarative_validation_panics_total counter",
      "# TYPE structured_merge_diff_union_events_total counter",
      'structured_merge_diff_union_events_total{event="refused",group="",policy="mine \\"\\\\\\n",resource="pods"} 2',
      "",
    ])
    expect(lines.filter(line => line.startsWith("# HELP")).map(line => line.split(" ")[2])).toEqual(
      lines.filter(line => line.startsWith("# TYPE")).map(line => line.split(" ")[2]),
    )
  })
})
