/** Faults: each kind, the requests that rules choose, the log, and rules that are refused. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, it } from "vitest"
import {
  type ApiAnswer,
  type ApiServer,
  createApiServer,
  type FaultRule,
  TestClock,
} from "../../src/apiserver/index.js"
import { projectRoot } from "../support/entries.js"

const base = "/api/v1/namespaces/default/configmaps"
const configMap = (name: string, data: Record<string, string> = {}, metadata = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  data,
})

const send = (server: ApiServer, method: string, path: string, body?: object, type = "application/json") =>
  server.answer({
    method,
    path,
    headers: { "content-type": type, "user-agent": "tester/1.0" },
    body: body && JSON.stringify(body),
  })
const create = (server: ApiServer, name: string) => send(server, "POST", base, configMap(name, { size: "1" }))
const parsed = ({ body }: ApiAnswer) => JSON.parse(body as string)

/** Reads the events of a watch until it ends: type and name, or the code of an error. */
async function eventsOf({ body }: ApiAnswer): Promise<string[]> {
  const events: string[] = []
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    for (const line of new TextDecoder().decode(chunk).trim().split("\n")) {
      const { type, object } = JSON.parse(line)
      events.push(`${type} ${object.metadata.name ?? object.code}`)
    }
  }
  return events
}

describe("a status", () => {
  it("refuses the request, with Retry-After, and stores nothing", async () => {
    const server = createApiServer({
      faults: [{ name: "busy", match: { verb: "create", times: 1 }, inject: { status: 429, retryAfter: 2 } }],
    })
    const refused = await create(server, "a")
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "2"])
    expect(parsed(refused)).toMatchObject({
      reason: "TooManyRequests",
      message: "injected fault: busy",
      details: { retryAfterSeconds: 2 },
    })
    expect(server.snapshot().some(({ kind }) => kind === "ConfigMap")).toBe(false)
    expect((await create(server, "a")).status).toBe(201)
    expect(server.requests.map(({ status }) => status)).toEqual([429, 201])
  })

  it("has the given reason and message", async () => {
    const inject = { status: 500, reason: "Custom", message: "etcdserver: leader changed" }
    const server = createApiServer({ faults: [{ inject }] })
    expect(parsed(await create(server, "a"))).toMatchObject({
      code: 500,
      reason: inject.reason,
      message: inject.message,
    })
  })
})

describe("latency", () => {
  it("lasts as long as the clock of the server says", async () => {
    const server = createApiServer({ seed: 1, faults: [{ match: { verb: "get" }, inject: { latency: 500 } }] })
    await create(server, "a")
    let isAnswered = false
    const answer = send(server, "GET", `${base}/a`).then(({ status }) => {
      isAnswered = true
      return status
    })
    await new Promise(resolve => setImmediate(resolve))
    server.clock.advance(499)
    await new Promise(resolve => setImmediate(resolve))
    expect(isAnswered).toBe(false)
    server.clock.advance(1)
    expect(await answer).toBe(200)
  })

  it("comes from the seed where it is a range, and can precede another fault", async () => {
    const latencies = async (seed: number) => {
      const server = createApiServer({ seed, faults: [{ inject: { latency: [10, 1000], status: 503 } }] })
      for (const name of ["a", "b", "c"]) {
        const answer = create(server, name)
        await new Promise(resolve => setImmediate(resolve))
        server.clock.advance(1000)
        expect((await answer).status).toBe(503)
      }
      return server.injectedFaults.map(({ fault }) => fault)
    }
    const first = await latencies(1)
    expect(first).toEqual(await latencies(1))
    expect(first).not.toEqual(await latencies(2))
    expect(first.filter(fault => fault === "status 503")).toHaveLength(3)
  })
})

describe("dropWatch", () => {
  it("ends a watch after some events, and the next one goes on", async () => {
    const server = createApiServer({ faults: [{ match: { times: 1 }, inject: { dropWatch: 2 } }] })
    for (const name of ["a", "b", "c"]) await create(server, name)
    const watch = `${base}?watch=true&timeoutSeconds=1`
    expect(await eventsOf(await send(server, "GET", watch))).toEqual(["ADDED a", "ADDED b"])
    expect(await eventsOf(await send(server, "GET", watch))).toEqual(["ADDED a", "ADDED b", "ADDED c"])
  })

  it("ends a watch at once after 0 events", async () => {
    const server = createApiServer({ faults: [{ inject: { dropWatch: 0 } }] })
    expect(await eventsOf(await send(server, "GET", `${base}?watch=true`))).toEqual([])
  })
})

describe("expired", () => {
  const faults: FaultRule[] = [{ inject: { expired: 1 } }]

  it("ends a watch from a resourceVersion with 410", async () => {
    const server = createApiServer({ faults })
    const from = server.resourceVersion
    for (const name of ["a", "b"]) await create(server, name)
    const events = await eventsOf(await send(server, "GET", `${base}?watch=true&resourceVersion=${from}`))
    expect(events).toEqual(["ADDED a", "ERROR 410"])
  })

  it("spares a watch and a list that no server answers with 410", async () => {
    const server = createApiServer({ faults })
    await create(server, "a")
    expect(await eventsOf(await send(server, "GET", `${base}?watch=true&timeoutSeconds=1`))).toEqual(["ADDED a"])
    expect((await send(server, "GET", base)).status).toBe(200)
    expect(server.injectedFaults).toEqual([])
  })

  it("refuses the next page of a list", async () => {
    const server = createApiServer({ faults })
    for (const name of ["a", "b"]) await create(server, name)
    const { metadata } = parsed(await send(server, "GET", `${base}?limit=1`))
    const next = await send(server, "GET", `${base}?limit=1&continue=${metadata.continue}`)
    expect([next.status, parsed(next).reason]).toEqual([410, "Expired"])
  })
})

describe("conflictStorm", () => {
  it("lets another writer come first, so that an update of an older state gets 409", async () => {
    const server = createApiServer({
      faults: [{ match: { verb: "update", times: 2 }, inject: { conflictStorm: true } }],
    })
    await create(server, "a")
    const statuses: number[] = []
    for (let i = 0; i < 3; i++) {
      const live = parsed(await send(server, "GET", `${base}/a`))
      statuses.push((await send(server, "PUT", `${base}/a`, { ...live, data: { color: "red" } })).status)
    }
    expect(statuses).toEqual([409, 409, 200])
    const { metadata, data } = parsed(await send(server, "GET", `${base}/a`))
    expect(data).toEqual({ color: "red" })
    expect(metadata.managedFields).toContainEqual(expect.objectContaining({ manager: "fault-injection" }))
  })

  it("does not refuse a patch, which has no resourceVersion", async () => {
    const server = createApiServer({ faults: [{ inject: { conflictStorm: true } }] })
    await create(server, "a")
    const patch = await send(server, "PATCH", `${base}/a`, { data: { a: "1" } }, "application/merge-patch+json")
    expect([patch.status, parsed(patch).metadata.annotations]).toEqual([200, { "fault-injection/touched": "1" }])
  })

  it("changes the object of a request for its status", async () => {
    const match = { resource: "pods/status" }
    const server = createApiServer({ faults: [{ match, inject: { conflictStorm: true } }] })
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { containers: [{ name: "c", image: "i" }] },
    }
    const live = await server.create(pod)
    const path = "/api/v1/namespaces/default/pods/p/status"
    expect((await send(server, "PUT", path, live)).status).toBe(409)
  })
})

describe("truncateBody", () => {
  it("stores the object, and breaks the response", async () => {
    const server = createApiServer({ faults: [{ match: { verb: "create" }, inject: { truncateBody: 10 } }] })
    const { status, headers, body } = await create(server, "a")
    expect(status).toBe(201)
    let received = 0
    const reading = (async () => {
      for await (const chunk of body as AsyncIterable<Uint8Array>) received += chunk.byteLength
    })()
    await expect(reading).rejects.toThrow("fetch failed: the response was cut off, by the fault rule 1")
    expect(received).toBe(10)
    expect(Number(headers["content-length"])).toBeGreaterThan(10)
    expect((await server.get(configMap("a"))).metadata.name).toBe("a")
  })

  it("always leaves something out, and breaks a watch inside of an event", async () => {
    const server = createApiServer({ faults: [{ inject: { truncateBody: 1_000 } }] })
    const { body } = await create(server, "a")
    await expect(eventsOf({ body } as ApiAnswer)).rejects.toThrow()
    const response = await server.fetch(new Request(`http://test${base}?watch=true&timeoutSeconds=1`))
    server.setFaults([{ inject: { truncateBody: 20 } }])
    await response.body?.cancel()
    const broken = await server.fetch(new Request(`http://test${base}?watch=true`))
    await expect(broken.text()).rejects.toThrow("cut off")
  })
})

describe("restart", () => {
  it("ends all watches, and answers nobody until it is over; the objects stay", async () => {
    const clock = new TestClock()
    const server = createApiServer({ clock, faults: [{ match: { name: "b" }, inject: { restart: 1000 } }] })
    await create(server, "a")
    const watch = eventsOf(await send(server, "GET", `${base}?watch=true`))
    const update = () => send(server, "PUT", `${base}/b`, configMap("b"))
    await expect(update()).rejects.toThrow(TypeError)
    expect(await watch).toEqual(["ADDED a"])
    await expect(send(server, "GET", "/readyz")).rejects.toThrow("the server restarts")
    expect((await server.get(configMap("a"))).metadata.name).toBe("a")
    clock.advance(1000)
    expect((await send(server, "GET", `${base}/a`)).status).toBe(200)
    expect(server.requests.map(({ status }) => status)).toEqual([201, 200, 0, 0, 200, 200])
  })
})

describe("the end of a server", () => {
  it("ends latencies and restarts, which would keep a process running", async () => {
    const faults: FaultRule[] = [
      { match: { verb: "list" }, inject: { latency: 3_600_000 } },
      { match: { verb: "create" }, inject: { restart: 3_600_000 } },
    ]
    const server = createApiServer({ faults })
    const late = send(server, "GET", base)
    await new Promise(resolve => setImmediate(resolve))
    server.close()
    expect((await late).status).toBe(200)
    await expect(create(server, "a")).rejects.toThrow("the server restarts")
    server.close()
    expect((await send(server, "GET", "/readyz")).status).toBe(200)
  })
})

describe("requests for the health of the server", () => {
  it.each(["livez", "readyz", "healthz"])("are spared: /%s", async path => {
    const server = createApiServer({ faults: [{ inject: { status: 500 } }] })
    expect((await send(server, "GET", base)).status).toBe(500)
    expect(await send(server, "GET", `/${path}`)).toMatchObject({ status: 200, body: "ok" })
  })
})

describe("staleList", () => {
  it("answers from an earlier state, but only a request for any state", async () => {
    const server = createApiServer({ faults: [{ inject: { staleList: 1 } }] })
    await create(server, "a")
    await create(server, "b")
    const names = async (path: string) =>
      parsed(await send(server, "GET", path)).items.map((item: { metadata: { name: string } }) => item.metadata.name)
    expect(await names(`${base}?resourceVersion=0`)).toEqual(["a"])
    expect(await names(base)).toEqual(["a", "b"])
    expect((await send(server, "GET", `${base}/b?resourceVersion=0`)).status).toBe(404)
    expect((await send(server, "GET", `${base}/b`)).status).toBe(200)
  })
})

describe("rules", () => {
  const tried = async (match: FaultRule["match"], requests: (server: ApiServer) => Promise<ApiAnswer>[]) => {
    const server = createApiServer({ seed: 7, faults: [{ match, inject: { status: 503 } }] })
    await server.create(configMap("a"))
    return (await Promise.all(requests(server))).map(({ status }) => status === 503)
  }
  const gets = (count: number) => (server: ApiServer) =>
    Array.from({ length: count }, () => send(server, "GET", `${base}/a`))

  it("count the requests that they match", async () => {
    const hits = await tried({ after: 2, every: 3, times: 2 }, gets(12))
    expect(hits.flatMap((hit, i) => (hit ? [i + 1] : []))).toEqual([5, 8])
  })

  it("hit by chance, as the seed says", async () => {
    const hits = await tried({ chance: 0.5 }, gets(40))
    expect(hits).toEqual(await tried({ chance: 0.5 }, gets(40)))
    expect(hits.filter(hit => hit).length).toBeGreaterThan(8)
    expect(hits.filter(hit => hit).length).toBeLessThan(32)
  })

  it.each<[FaultRule["match"], boolean]>([
    [{ verb: ["list", "get"] }, true],
    [{ verb: "list" }, false],
    [{ resource: "configmaps" }, true],
    [{ resource: "configmaps/status" }, false],
    [{ resource: ["secrets", "deployments.apps"] }, false],
    [{ namespace: "default", name: "a" }, true],
    [{ namespace: "shop" }, false],
    [{ name: "b" }, false],
    [{ user: "admin" }, true],
    [{ user: "ann" }, false],
    [{ userAgent: "tester/" }, true],
    [{ userAgent: "kubectl" }, false],
  ])("match %j: %s", async (match, isHit) => {
    expect(await tried(match, gets(1))).toEqual([isHit])
  })

  it("tell applies from other patches, and users by their names", async () => {
    const apply = (server: ApiServer, type: string) =>
      send(server, "PATCH", `${base}/a?fieldManager=me`, configMap("a"), `application/${type}`)
    const both = (server: ApiServer) => [apply(server, "apply-patch+yaml"), apply(server, "merge-patch+json")]
    expect(await tried({ verb: "apply" }, both)).toEqual([true, false])
    expect(await tried({ verb: "patch" }, both)).toEqual([true, true])
    const headers = { "impersonate-user": "ann" }
    expect(await tried({ user: "ann" }, server => [server.answer({ method: "GET", path: base, headers })])).toEqual([
      true,
    ])
  })

  it("spare the requests of the test, and are in the log of injected faults", async () => {
    const server = createApiServer({ seed: 1, faults: [{ inject: { status: 500 } }] })
    await server.create(configMap("a"))
    await send(server, "GET", `${base}/a`)
    const time = "2026-01-01T00:00:00.000Z"
    expect(server.injectedFaults).toEqual([{ rule: "rule 1", fault: "status 500", request: `GET ${base}/a`, time }])
    server.setFaults([])
    expect((await send(server, "GET", `${base}/a`)).status).toBe(200)
  })

  it("go on in a fork where they were, and begin again after a reset", async () => {
    const server = createApiServer({
      objects: [configMap("a")],
      faults: [{ match: { after: 1 }, inject: { status: 500 } }],
    })
    const get = async (from: ApiServer) => (await send(from, "GET", `${base}/a`)).status
    expect(await get(server)).toBe(200)
    const fork = server.fork()
    expect([await get(server), await get(fork)]).toEqual([500, 500])
    server.reset()
    expect([await get(server), await get(server)]).toEqual([200, 500])
  })
})

describe("the address of the rules", () => {
  const path = "/structured-merge-diff/faults"

  it("reads, replaces and removes rules", async () => {
    const server = createApiServer({ seed: 1, faults: [] })
    const faults = [{ match: { verb: "list" }, inject: { status: 503 } }]
    expect((await send(server, "PUT", path, { faults })).status).toBe(200)
    expect((await send(server, "GET", base)).status).toBe(503)
    const { injected, ...rest } = parsed(await send(server, "GET", path))
    expect([rest, injected.length]).toEqual([{ faults }, 1])
    const wrong = await send(server, "PUT", path, { faults: [{ inject: { status: 200 } }] })
    expect([wrong.status, parsed(wrong).message]).toEqual([
      400,
      ".faults[0].inject.status must be an integer from 400 to 599",
    ])
    expect((await send(server, "POST", path, { faults })).status).toBe(405)
    await send(server, "DELETE", path)
    expect((await send(server, "GET", base)).status).toBe(200)
  })

  it("is not there without the option", async () => {
    expect((await send(createApiServer(), "GET", path)).status).toBe(404)
  })
})

const schema: object = JSON.parse(readFileSync(join(projectRoot, "faults.schema.json"), "utf8"))
const isValid = new Ajv2020({ strict: true, strictTypes: false, allErrors: true }).compile(schema)

describe("a document of rules", () => {
  const refused: [unknown, string, boolean?][] = [
    [{ match: {} }, ".faults[0].inject is missing"],
    [{ inject: { statsu: 500 } }, ".faults[0].inject.statsu: unknown key; did you mean status?"],
    [
      { inject: {} },
      ".faults[0].inject says nothing: add latency or one of status, dropWatch, expired, conflictStorm, truncateBody, restart, staleList",
      true,
    ],
    [{ inject: { status: 500, restart: 1 } }, ".faults[0].inject has status and restart: make a rule of each", true],
    [{ inject: { status: 200 } }, ".faults[0].inject.status must be an integer from 400 to 599"],
    [{ inject: { dropWatch: -1 } }, ".faults[0].inject.dropWatch must be an integer of at least 0"],
    [
      { inject: { retryAfter: 1 } },
      ".faults[0].inject.retryAfter has an effect only with status: add one, such as 429",
    ],
    [
      { inject: { latency: [5, 1] } },
      ".faults[0].inject.latency must be milliseconds of at least 0, or a list of the least and the most: [10, 50]",
      true,
    ],
    [
      { match: { verb: "post" }, inject: { status: 500 } },
      ".faults[0].match.verb must be get, list, watch, create, update, patch, apply, delete or deletecollection",
    ],
    [
      { match: { verb: "list" }, inject: { dropWatch: 1 } },
      ".faults[0].match.verb can't be list, since dropWatch happens only to watch: leave it out",
      true,
    ],
    [
      { match: { resource: "Deployment" }, inject: { status: 500 } },
      '.faults[0].match.resource must be the plural, such as "deployments", "deployments.apps" or "deployments/status"',
    ],
    [{ match: { chance: 2 }, inject: { status: 500 } }, ".faults[0].match.chance must be from 0 to 1"],
    [{ match: { every: 0 }, inject: { status: 500 } }, ".faults[0].match.every must be an integer of at least 1"],
    [{ inject: { conflictStorm: false } }, ".faults[0].inject.conflictStorm must be true; leave it out for none"],
  ]

  it.each(refused)("is refused with the path and the remedy: %j", (rule, message, fitsSchema = false) => {
    expect(() => createApiServer({ faults: [rule as FaultRule] })).toThrow(
      expect.objectContaining({ code: "bad-request", message }),
    )
    expect(isValid({ faults: [rule] })).toBe(fitsSchema)
  })

  it("fits the JSON Schema if it is accepted", () => {
    const faults: FaultRule[] = [
      {
        name: "busy",
        match: { verb: "apply", resource: "deployments.apps", user: "ann" },
        inject: { status: 429, retryAfter: 1 },
      },
      {
        match: { after: 1, every: 2, times: 3, chance: 0.5, userAgent: "kopf" },
        inject: { latency: [1, 5], truncateBody: 0 },
      },
      { match: { verb: ["list", "get"], resource: ["pods", "pods/status"] }, inject: { staleList: 2 } },
      { inject: { dropWatch: 0 } },
      { inject: { expired: 0 } },
      { inject: { restart: 100 } },
      { match: { namespace: "shop", name: "web" }, inject: { conflictStorm: true } },
    ]
    expect(() => createApiServer({ faults })).not.toThrow()
    expect([isValid({ faults }), isValid.errors]).toEqual([true, null])
  })
})
