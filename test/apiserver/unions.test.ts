/** Unions in requests: each verb under each policy, changes of the policy with stored objects, and laws about stored unions. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type ApiServer, createApiServer } from "../../src/apiserver/server.js"
import { kubernetesSchemaWithUnions, kubernetesTypes } from "../../src/kubernetes/types.js"
import type { TypeFinder } from "../../src/managedfields/types/object-types.js"
import { TypeConverter } from "../../src/openapi/type-converter.js"
import type { Type } from "../../src/typed/type.js"
import { compileSchema } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { type UnionPolicyName, unionPolicies } from "../../src/union/policy.js"
import { validateUnions } from "../../src/union/validate.js"
import type { MapValue } from "../../src/value/value.js"
import { runs } from "../support/budget.js"
import { definitionOf } from "../support/definition.js"
import { type Sent, send } from "./requests.js"
import {
  choiceOf,
  deployments,
  dialects,
  textOf,
  unionDefinition,
  widget,
  widgetServer,
  widgets,
} from "./union-server.js"

const one = `${widgets}/w`
const spelt = Object.keys(dialects)
const selected = (member: string, value: string) =>
  `spec.choice.${member}: Invalid value: "": must be specified when \`type\` is "${value}"`
const unselected = (member: string, value: string) =>
  `spec.choice.${member}: Invalid value: "": may only be specified when \`type\` is "${value}"`
const settling = (why: string) => `spec.choice: Invalid value: "": ${why}`
const several = settling("multiple fields set without discriminator change: a, b")
const conflictOn = (...fields: string[]) => `conflict on ${fields.join(", ")}`

/** Requests to an object that manager p has applied as `A a`, each sent to a new server. */
const requests: Readonly<Record<string, (server: ApiServer) => Promise<Sent>>> = {
  "PUT B a b": server => put(server, "B a b"),
  "PUT A a b": server => put(server, "A a b"),
  "PUT A": server => put(server, "A"),
  "merge patch +b": server => send(server, "PATCH", one, { spec: { choice: { b: { x: 1 } } } }, "merge"),
  "JSON patch +b, B": server =>
    send(
      server,
      "PATCH",
      one,
      [
        { op: "replace", path: "/spec/choice/type", value: "B" },
        { op: "add", path: "/spec/choice/b", value: { x: 1 } },
      ],
      "jsonPatch",
    ),
  "apply B b": server => send(server, "PATCH", `${one}?fieldManager=q`, widget("B b"), "apply"),
  "apply B b by force": server => send(server, "PATCH", `${one}?fieldManager=q&force=true`, widget("B b"), "apply"),
  "apply B by force": server => send(server, "PATCH", `${one}?fieldManager=q&force=true`, widget("B"), "apply"),
}

async function put(server: ApiServer, choice: string): Promise<Sent> {
  const { body } = await send(server, "GET", one)
  return send(server, "PUT", one, { ...body, spec: { choice: choiceOf(choice) } })
}

/** The results of the requests above, in their order. */
const outcomes: Readonly<Record<UnionPolicyName, readonly string[]>> = {
  off: ["B a b", "A a b", "A", "A a b", "B a b", conflictOn("type"), "B a b", "B a"],
  v4: ["B b", several, "A", several, "B b", conflictOn("type"), "B b", "B a"],
  "kep-2019": ["B b", "B b", "A", "B b", "B b", conflictOn("type"), "B b", "B"],
  "kep-2022-draft": ["B b", "A a", "A a", "A a", "B b", conflictOn("type"), "B b", selected("b", "B")],
  "kep-2022": [
    "B b",
    unselected("b", "B"),
    selected("a", "A"),
    unselected("b", "B"),
    "B b",
    conflictOn("type"),
    "B b",
    selected("b", "B"),
  ],
  extended: ["B b", "B b", selected("a", "A"), "B b", "B b", conflictOn("type"), "B b", selected("b", "B")],
}

/** Sends a request. Returns the stored union, or the reason for the refusal. */
function outcomeOf({ status, body }: Sent): string {
  if (status === 200) return textOf(body.spec.choice)
  const causes: { field: string; message: string }[] = body.details.causes
  if (status === 409) return conflictOn(...causes.map(({ field }) => field.replace(".spec.choice.", "")).sort())
  return causes.map(({ field, message }) => `${field}: ${message}`).join()
}

describe.each(spelt)("unions of a definition in the form %s", dialect => {
  const rows = Object.entries(outcomes).flatMap(([policy, expected]) =>
    Object.entries(requests).map(([name, request], i) => ({ policy, name, request, outcome: expected[i] as string })),
  )
  it.each(rows)("$policy: $name", async ({ policy, request, outcome }) => {
    const server = widgetServer(policy as UnionPolicyName, dialect)
    const created = await send(server, "PATCH", `${one}?fieldManager=p`, widget("A a"), "apply")
    expect(created.status).toBe(201)
    const before = server.snapshot()
    const answer = await request(server)
    expect(outcomeOf(answer)).toBe(outcome)
    if (answer.status !== 200) expect(server.snapshot()).toEqual(before)
  })

  it.each([
    ["off", "A b", "A b"],
    ["v4", "A b", settling("discriminator (A) and field changed (b) don't match")],
    ["kep-2019", "A a b", "A a"],
    ["kep-2022", "A a b", unselected("b", "B")],
    ["kep-2022", "B a b", unselected("a", "A")],
    ["kep-2022", "B b", "B b"],
    ["kep-2022", "A", selected("a", "A")],
    ["extended", "A a b", settling("multiple new fields added: a, b")],
    ["extended", "A", selected("a", "A")],
  ] as const)("%s: POST %s", async (policy, choice, outcome) => {
    const { status, body } = await send(widgetServer(policy, dialect), "POST", widgets, widget(choice))
    expect(outcomeOf({ status: status === 201 ? 200 : status, body, warnings: "" })).toBe(outcome)
  })
})

describe("an update that switches another manager's member", () => {
  it.each(["PUT A a b", "merge patch +b", "apply B b by force"])(
    "warns of what went and whose it was: %s",
    async name => {
      const server = widgetServer("extended")
      await send(server, "PATCH", `${one}?fieldManager=p`, widget("A a"), "apply")
      const { warnings } = await (requests[name] as (typeof requests)[string])(server)
      expect(warnings).toMatch(/union \.spec\.choice: type \\"A\\" -> \\"B\\".*; removed a \(owned by \\"p\\"\)/)
      expect((await put(server, "B b")).warnings).toBe("")
    },
  )
})

describe("a refusal", () => {
  it("has a cause for each problem, together with those of other checks, and a warning with the remedy", async () => {
    const server = widgetServer("kep-2022", "fieldMembers")
    await send(server, "POST", widgets, widget("A a"))
    const wrong = { spec: { note: 5, choice: { a: null, b: { x: 1 } } } }
    const { status, body, warnings } = await send(server, "PATCH", one, wrong, "merge")
    expect(status).toBe(422)
    expect(body).toMatchObject({ kind: "Status", status: "Failure", reason: "Invalid", code: 422 })
    expect(body.details).toMatchObject({ name: "w", group: "example.com", kind: "Widget" })
    const causes: { field: string; reason: string }[] = body.details.causes
    expect(causes.map(({ field, reason }) => `${field} ${reason}`)).toEqual([
      "spec.note FieldValueTypeInvalid",
      "spec.choice.a FieldValueInvalid",
      "spec.choice.b FieldValueInvalid",
    ])
    expect(warnings).toBe('299 - "spec.choice.b: change type to \\"B\\" to select b"')
  })

  it("knows the values of a discriminator", async () => {
    const { body } = await send(widgetServer("extended", "fieldMembers"), "POST", widgets, widget("C"))
    expect(body.details.causes).toEqual([
      {
        reason: "FieldValueNotSupported",
        field: "spec.choice.type",
        message: 'Unsupported value: "C": supported values: "A", "B"',
      },
    ])
  })

  it("happens in dry runs, and after admission", async () => {
    const admit = ({ object }: { readonly object: MapValue }) => ({ ...object, spec: { choice: choiceOf("A b") } })
    const server = widgetServer("extended", "list", { admit })
    const { status, body } = await send(server, "POST", `${widgets}?dryRun=All`, widget("A a"))
    expect([status, body.details.causes[0].field]).toEqual([422, "spec.choice"])
  })

  it("covers unions of built-in kinds whose discriminator the engine writes", async () => {
    const server = widgetServer("extended")
    const applied = await apply(server, "gitops", { rollingUpdate: { maxSurge: 1 } })
    expect(applied.body.spec.strategy).toMatchObject({ type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } })
    const recreate = { spec: { strategy: { type: "Recreate" } } }
    const patched = await send(server, "PATCH", `${deployments}/web`, recreate, "strategic")
    expect(patched.body.spec.strategy).toEqual({ type: "Recreate" })
    const volumes = {
      spec: { template: { spec: { volumes: [{ name: "v", emptyDir: {}, nfs: { server: "s", path: "/" } }] } } },
    }
    const refused = await send(server, "PATCH", `${deployments}/web`, volumes, "strategic")
    expect(refused.status).toBe(422)
    expect(refused.body.details.causes[0].field).toBe('spec.template.spec.volumes[name="v"]')
  })
})

/** Applies a Deployment with this strategy. */
function apply(server: ApiServer, manager: string, strategy: MapValue, force = ""): Promise<Sent> {
  const labels = { app: "web" }
  const spec = {
    strategy,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx" }] } },
  }
  const object = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec }
  return send(server, "PATCH", `${deployments}/web?fieldManager=${manager}${force}`, object, "apply")
}

describe("subresources", () => {
  it("status is settled and validated", async () => {
    const server = widgetServer("extended")
    await send(server, "POST", widgets, widget("A a"))
    const status = (choice: string) =>
      send(server, "PATCH", `${one}/status`, { status: { choice: choiceOf(choice) } }, "merge")
    expect((await status("A a")).status).toBe(200)
    expect((await status("B b")).body.status.choice).toEqual(choiceOf("B b"))
    expect((await status("A")).body.details.causes).toMatchObject([{ field: "status.choice.a" }])
  })

  const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "w" }, spec: { replicas: 3 } }
  const scales: Readonly<Record<string, (server: ApiServer) => Promise<Sent>>> = {
    PUT: server => send(server, "PUT", `${one}/scale`, scale),
    merge: server => send(server, "PATCH", `${one}/scale`, { spec: { replicas: 3 } }, "merge"),
    apply: server => send(server, "PATCH", `${one}/scale?fieldManager=q`, scale, "apply"),
    force: server => send(server, "PATCH", `${one}/scale?fieldManager=q&force=true`, scale, "apply"),
  }
  const both = 'spec.scaling: Invalid value: "": multiple fields set without discriminator change: auto, replicas'
  // A server, with or without unions, does not take an apply of replicas that nobody owns.
  const unowned = "request to convert CR to an invalid group/version: autoscaling/v1"
  it.each([
    ["off", "PUT", { auto: { x: 1 }, replicas: 3 }],
    ["off", "apply", unowned],
    ["v4", "PUT", both],
    ["v4", "merge", both],
    ["extended", "PUT", { replicas: 3 }],
    ["extended", "merge", { replicas: 3 }],
    ["extended", "force", unowned],
    ["kep-2019", "PUT", { replicas: 3 }],
    ["kep-2019", "merge", { replicas: 3 }],
  ] as const)("%s: scale by %s, whose replicas are a member", async (policy, verb, outcome) => {
    const server = widgetServer(policy)
    await send(server, "PATCH", `${one}?fieldManager=p`, widget("A a", { scaling: { auto: { x: 1 } } }), "apply")
    const { status, body } = await (scales[verb] as (typeof scales)[string])(server)
    const stored = (await send(server, "GET", one)).body.spec.scaling
    if (typeof outcome === "string") {
      expect(body.message.endsWith(outcome)).toBe(true)
      expect(stored).toEqual({ auto: { x: 1 } })
    } else expect([status, stored]).toEqual([200, outcome])
  })

  it.each(Object.keys(scales))(
    "scale by %s has the same owners with unions as without, where none is concerned",
    async verb => {
      const clock = () => new Date(0)
      const [on, off] = await Promise.all(
        (["extended", "off"] as const).map(async policy => {
          const server = widgetServer(policy, "list", { clock })
          await send(server, "POST", widgets, widget("A a", { scaling: { replicas: 1 } }))
          const { status } = await (scales[verb] as (typeof scales)[string])(server)
          return [status, (await send(server, "GET", one)).body.metadata.managedFields]
        }),
      )
      expect(on).toEqual(off)
    },
  )
})

describe("the gate", () => {
  it("refuses a policy that does not exist", () => {
    expect(() => widgetServer("on" as "off")).toThrow('unknown union policy "on"')
    const server = widgetServer("off")
    expect(() => server.setUnions("on" as "off")).toThrow(RangeError)
  })

  it("allows reads and other changes of objects that became invalid while it was off, and refuses to make them worse", async () => {
    const server = widgetServer("extended")
    await send(server, "POST", widgets, widget("A a"))
    server.setUnions("off")
    expect((await put(server, "A a b")).status).toBe(200)
    server.setUnions("extended")
    expect(textOf((await send(server, "GET", one)).body.spec.choice)).toBe("A a b")

    const noted = await send(server, "PATCH", one, { spec: { note: "n" } }, "merge")
    expect([noted.status, textOf(noted.body.spec.choice)]).toEqual([200, "A a b"])
    const inside = await send(server, "PATCH", one, { spec: { choice: { b: { x: 2 } } } }, "merge")
    expect(inside.status).toBe(200)
    const flipped = await send(server, "PATCH", one, { spec: { choice: { type: "B" } } }, "merge")
    expect(textOf(flipped.body.spec.choice)).toBe("B b")
    const switched = await put(server, "B a b")
    expect(outcomeOf(switched)).toBe("A a")

    server.setUnions("off")
    expect((await put(server, "B a b")).status).toBe(200)
  })

  it("makes kep-2022 refuse every change until the object is valid", async () => {
    const server = widgetServer("off")
    await send(server, "POST", widgets, widget("A a b"))
    server.setUnions("kep-2022")
    const note = { spec: { note: "n" } }
    expect(outcomeOf(await send(server, "PATCH", one, note, "merge"))).toBe(unselected("b", "B"))
    const { status } = await send(server, "PATCH", one, { spec: { note: "n", choice: { b: null } } }, "merge")
    expect(status).toBe(200)
  })

  it("leaves an implied discriminator with its applier, whether it is on or off", async () => {
    const server = widgetServer("extended")
    const owns = (body: { metadata: { managedFields: MapValue[] } }, manager: string) =>
      JSON.stringify(body.metadata.managedFields.find(entry => entry.manager === manager)).includes('"f:type"')
    const surge = { rollingUpdate: { maxSurge: 1 } }
    expect(owns((await apply(server, "gitops", surge)).body, "gitops")).toBe(true)
    const refused = await apply(server, "ops", { type: "Recreate" })
    expect(refused.body.details.causes).toContainEqual({
      reason: "FieldManagerConflict",
      message: 'conflict with "gitops"',
      field: ".spec.strategy.type",
    })

    server.setUnions("off")
    expect((await apply(server, "ops", { type: "Recreate" })).status).toBe(409)
    // With unions off, the second apply does not imply the discriminator and gives it up. Defaulting still sets it.
    const again = await apply(server, "gitops", surge)
    expect([owns(again.body, "gitops"), again.body.spec.strategy.type]).toEqual([false, "RollingUpdate"])

    server.setUnions("extended")
    expect(owns((await apply(server, "gitops", surge)).body, "gitops")).toBe(true)
    const forced = await apply(server, "ops", { type: "Recreate" }, "&force=true")
    expect(forced.body.spec.strategy).toEqual({ type: "Recreate" })
    expect([owns(forced.body, "ops"), owns(forced.body, "gitops")]).toEqual([true, false])
  })

  it("keeps unions of definitions only once a policy is set", async () => {
    const hasUnions = (server: ApiServer) => JSON.stringify(server.snapshot()).includes("x-kubernetes-unions")
    expect(hasUnions(widgetServer("off"))).toBe(true)
    const server = widgetServer(undefined)
    expect(hasUnions(server)).toBe(false)
    server.setUnions("extended")
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    const definition = unionDefinition("list")
    await send(server, "PATCH", `${definitions}/widgets.example.com`, { spec: definition.spec as MapValue }, "merge")
    expect((await send(server, "POST", widgets, widget("A b"))).status).toBe(422)
    server.setUnions("off")
    await send(server, "PATCH", `${definitions}/widgets.example.com`, { metadata: { labels: { a: "b" } } }, "merge")
    expect(hasUnions(server)).toBe(true)
  })
})

describe("a server that was never told about unions", () => {
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
  const warning = /unions of Widget\.example\.com have no effect, as in a cluster/

  it("warns once about unions that a definition loses", async () => {
    const server = createApiServer()
    const created = await send(server, "POST", definitions, unionDefinition("list"))
    expect([created.status, created.warnings]).toEqual([201, expect.stringMatching(warning)])
    const spec = unionDefinition("fieldMembers").spec as MapValue
    const changed = await send(server, "PATCH", `${definitions}/widgets.example.com`, { spec }, "merge")
    expect([changed.status, changed.warnings]).toEqual([200, expect.not.stringMatching(warning)])
    expect((await send(server, "POST", widgets, widget("A a b"))).warnings).toBe("")
  })

  it("warns with the first object, if the definition was there from the beginning", async () => {
    const server = widgetServer(undefined)
    expect((await send(server, "GET", widgets)).warnings).toBe("")
    expect((await send(server, "POST", widgets, widget("A a b"))).warnings).toMatch(warning)
    expect((await send(server, "PATCH", one, { spec: { note: "n" } }, "merge")).warnings).toBe("")
  })

  it("warns about supplied types with unions, and never about built-in ones", async () => {
    const typed = (types?: TypeFinder) => createApiServer(types && { types })
    const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: {} }
    const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } }
    const withUnions: TypeFinder = {
      find(apiVersion, kind) {
        const found = kubernetesTypes.find(apiVersion, kind)
        return found && { ...found, schema: kubernetesSchemaWithUnions() }
      },
    }
    const given = typed(withUnions)
    expect((await send(given, "POST", "/api/v1/namespaces/default/configmaps", settings)).warnings).toBe("")
    expect((await send(given, "POST", deployments, deployment)).warnings).toMatch(
      /unions of Deployment\.apps have no effect/,
    )
    expect((await send(given, "POST", deployments, deployment)).warnings).toBe("")
    for (const types of [undefined, kubernetesTypes]) {
      expect((await send(typed(types), "POST", deployments, deployment)).warnings).toBe("")
    }
  })

  it.each(["off", "v4", "extended"] as const)("does not warn once it was told %s", async policy => {
    expect((await send(widgetServer(policy), "POST", widgets, widget("A a"))).warnings).toBe("")
    const server = widgetServer(undefined)
    server.setUnions(policy)
    expect((await send(server, "POST", widgets, widget("A a"))).warnings).toBe("")
  })
})

describe("a union that can't be read", () => {
  const members = { "fields-to-discriminateBy": { a: "A" } }
  it.each([
    [
      "extended",
      { discriminator: "kind", ...members },
      /^299 - "\/spec\/versions\/0\/.*there is no field kind; left out"$/,
    ],
    [
      "extended",
      { ...members, cardinality: "exactlyOne" },
      /\/0\/cardinality: x-kubernetes-unions\[0\]: unknown key cardi/,
    ],
    [
      "extended",
      { fields: [{ fieldName: "a" }] },
      /unknown key fields; .*x-kubernetes-unions\[0\]: no members; left out"$/,
    ],
    ["off", { discriminator: "kind", ...members }, /^$/],
  ] as const)("%s: is reported to the author of the definition", async (policy, declared, warnings) => {
    const wrong = [declared] as unknown as MapValue[]
    const spec = { type: "object", "x-kubernetes-unions": wrong, properties: { a: { type: "integer" } } }
    const version = { name: "v1", served: true, storage: true }
    const schema = { openAPIV3Schema: { type: "object", properties: { spec } } }
    const definition = unionDefinition("list")
    const bad = { ...definition, spec: { ...(definition.spec as MapValue), versions: [{ ...version, schema }] } }
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    const created = await send(createApiServer({ unions: policy }), "POST", definitions, bad)
    expect(created.status).toBe(201)
    expect(created.warnings).toMatch(warnings)
  })

  it("is among the warnings of a server that was created with it, and of its forks", () => {
    const spec = { type: "object", "x-kubernetes-unions": [{ fields: [] }] } as unknown as MapValue
    const definition = (kind: string) => definitionOf(kind, { schema: { properties: { spec } } })
    const server = createApiServer({ unions: "extended", crds: [definition("Gadget")] })
    const warnings = [
      expect.stringMatching(/^CustomResourceDefinition gadgets\.example\.com: \/spec.*unknown key fields; /),
      expect.stringMatching(/: no members; left out$/),
    ]
    expect(server.loadWarnings).toEqual(warnings)
    const fork = server.fork()
    server.load([definition("Gizmo")])
    expect([server.loadWarnings.length, fork.loadWarnings.length]).toEqual([4, 2])
    server.reset()
    expect(server.loadWarnings).toEqual(warnings)
    expect(createApiServer({ crds: [definition("Gadget")] }).loadWarnings).toEqual([])
  })
})

describe("an old client among new ones", () => {
  it("does not lose or mix up fields that it does not know", async () => {
    const server = widgetServer("kep-2022-draft")
    await send(server, "POST", widgets, widget("B b"))
    // The old client knows neither b nor the union, and writes back the object that it has read.
    const { body } = await send(server, "GET", one)
    const { status, body: stored } = await send(server, "PUT", one, { ...body, spec: { choice: { type: "B" } } })
    expect([status, textOf(stored.spec.choice)]).toEqual([200, "B b"])
  })
})

const types: Readonly<Record<string, Type>> = Object.fromEntries(
  spelt.map(dialect => {
    const found = new TypeConverter([{ document: unionDefinition(dialect) }]).find("example.com/v1", "Widget")
    if (found === undefined) throw new Error("the definition has no type")
    return [dialect, compileSchema(found.schema).type(found.typeName)]
  }),
)

/** Any union, in any state. */
const anyChoice = fc
  .tuple(fc.constantFrom("", "A ", "B ", "C "), fc.constantFrom("", "a", "b", "a b"))
  .map(parts => parts.join(""))
const anyRequest = fc.record({
  verb: fc.constantFrom("POST", "PUT", "merge", "jsonPatch", "apply", "status", "scale", "delete"),
  choice: anyChoice,
  scaling: fc.constantFrom<MapValue>({}, { auto: { x: 1 } }, { replicas: 2 }, { auto: {}, replicas: 2 }),
  manager: fc.constantFrom("p", "q"),
  force: fc.boolean(),
  off: fc.boolean(),
})
type AnyRequest = typeof anyRequest extends fc.Arbitrary<infer T> ? T : never

function sendAny(server: ApiServer, { verb, choice, scaling, manager, force }: AnyRequest): Promise<Sent> {
  const by = `?fieldManager=${manager}`
  const spec = { choice: choiceOf(choice), scaling }
  switch (verb) {
    case "POST":
      return send(server, "POST", `${widgets}${by}`, widget(choice, { scaling }))
    case "PUT":
      return send(server, "PUT", `${one}${by}`, {
        ...widget(choice, { scaling }),
        metadata: { name: "w", resourceVersion: "" },
      })
    case "merge":
      return send(server, "PATCH", `${one}${by}`, { spec }, "merge")
    case "jsonPatch":
      return send(server, "PATCH", `${one}${by}`, [{ op: "add", path: "/spec", value: spec }], "jsonPatch")
    case "apply":
      return send(server, "PATCH", `${one}${by}&force=${force}`, widget(choice, { scaling }), "apply")
    case "status":
      return send(server, "PATCH", `${one}/status${by}`, { status: { choice: choiceOf(choice) } }, "merge")
    case "scale":
      return send(server, "PATCH", `${one}/scale${by}`, { spec: { replicas: 4 } }, "merge")
    default:
      return send(server, "DELETE", one)
  }
}

describe("whatever is requested", () => {
  const strict = Object.values(unionPolicies).filter(({ invalidResult }) => invalidResult === "error")
  it.each(strict.map(({ name }) => name as UnionPolicyName))(
    "%s stores no union that is invalid in a new way",
    async policy => {
      const run = async (requests: readonly AnyRequest[], dialect: string): Promise<void> => {
        const server = widgetServer(policy, dialect)
        const type = types[dialect] as Type
        const stored = () => server.snapshot().find(({ kind }) => kind === "Widget")
        for (const request of requests) {
          const before = stored()
          server.setUnions(request.off ? "off" : policy)
          await sendAny(server, request)
          const after = stored()
          if (request.off || after === undefined || after === before) continue
          const old = before === undefined ? undefined : TypedValue.of(before, type)
          // An invalid union may only stay if it was invalid before, and never under a policy without ratcheting.
          expect(validateUnions(old, TypedValue.of(after, type), { policy })).toEqual([])
        }
        expect(server.requests.some(({ status }) => status >= 500)).toBe(false)
      }
      await fc.assert(
        fc.asyncProperty(fc.array(anyRequest, { minLength: 2, maxLength: 12 }), fc.constantFrom(...spelt), run),
        runs(30),
      )
    },
  )
})
