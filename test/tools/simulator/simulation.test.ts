import { describe, expect, it } from "vitest"
import { kubernetesResetFields } from "../../../src/kubernetes/reset-fields.js"
import { kubernetesTypes } from "../../../src/kubernetes/types.js"
import { deducedTypes } from "../../../src/managedfields/types/object-types.js"
import { changeApiVersion } from "../../../src/managedfields/types/version-converter.js"
import { blame } from "../../../src/tools/ownership/blame.js"
import { fromJSON, simulate } from "../../../src/tools/simulator/simulation/simulation.js"
import { withDefaults } from "../../../src/tools/simulator/story/defaults.js"
import type { MapValue } from "../../../src/value/value.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { wholeDeployment } from "../../support/deployment.js"

const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "default" } }
const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" } }

function deployments() {
  return simulate({ types: kubernetesTypes })
}

function settled(data: Record<string, string>) {
  return deepFreeze({ ...settings, data })
}

function ownersOf(object: MapValue | undefined, path: string): string[] {
  return blame(object as MapValue)
    .at(path)
    .owners.map(({ manager }) => manager)
}

describe("apply", () => {
  it("creates the object, and reports the new owners", () => {
    const step = deployments().apply("gitops", wholeDeployment({ replicas: 3 }))
    expect(step.outcome).toBe("created")
    const changes = step.changes.map(({ path, action, to }) => [action, path, to])
    expect(changes).toContainEqual(["add", ".spec.replicas", 3])
    expect(changes).toContainEqual(["add", ".spec.revisionHistoryLimit", 10])
    expect(step.ownership).toMatchObject([
      {
        owner: { manager: "gitops", operation: "Apply", apiVersion: "apps/v1", time: "2026-01-01T00:01:00Z" },
        lost: [],
        keeps: 6,
      },
    ])
    expect(step.ownership[0]?.gained).toContainEqual({ path: ".spec.replicas", steps: ["f:spec", "f:replicas"] })
    expect(step.ownership[0]?.gained.map(({ path }) => path)).not.toContain(".spec.revisionHistoryLimit")
    expect(step.target).toEqual({ apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "web" })
  })

  it("has a conflict with the fields of others, and then changes nothing", () => {
    const simulation = deployments()
    simulation.apply("gitops", wholeDeployment({ replicas: 3 }))
    simulation.patch("autoscaler", { spec: { replicas: 7 } }, { subresource: "scale" })
    const step = simulation.apply("gitops", wholeDeployment({ replicas: 4 }))
    expect(step.outcome).toBe("conflict")
    expect(step.refused).toBe(true)
    expect(step.after).toBe(step.before)
    expect([step.changes, step.ownership]).toEqual([[], []])
    expect(step.conflicts).toMatchObject([
      { path: ".spec.replicas", live: 7, configured: 4, owner: { manager: "autoscaler", subresource: "scale" } },
    ])
    expect(step.error).toMatchObject({ code: 409, reason: "Conflict" })
  })

  it("leaves replicas that nobody owned without an owner when they are scaled, as a server does", () => {
    const simulation = deployments()
    simulation.apply("gitops", wholeDeployment({ paused: true }))
    const { after } = simulation.patch("autoscaler", { spec: { replicas: 7 } }, { subresource: "scale" })
    expect(after?.spec).toMatchObject({ replicas: 7 })
    expect(ownersOf(after, ".spec.replicas")).toEqual([])
    expect(simulation.apply("gitops", wholeDeployment({ paused: true, replicas: 3 })).outcome).toBe("changed")
  })

  it("takes fields by force", () => {
    const simulation = deployments()
    simulation.create("autoscaler", wholeDeployment({ replicas: 7 }))
    const step = simulation.apply("gitops", wholeDeployment({ replicas: 4 }), { force: true })
    expect(step.changes).toMatchObject([{ path: ".spec.replicas", action: "change", from: 7, to: 4 }])
    expect(step.ownership.map(({ owner, gained, lost }) => [owner.manager, gained.length, lost.length])).toEqual([
      ["gitops", 6, 0],
      ["autoscaler", 0, 1],
    ])
  })

  it.each([
    ["relinquish", 7, ["autoscaler"]],
    ["share", 7, ["gitops", "autoscaler"]],
    ["overwrite", 4, ["gitops"]],
  ] as const)("decides conflicts before: %s", (onConflict, replicas, owners) => {
    const simulation = deployments()
    simulation.create("autoscaler", wholeDeployment({ replicas: 7 }))
    const step = simulation.apply("gitops", wholeDeployment({ replicas: 4, paused: true }), { onConflict })
    expect(step.outcome).toBe("changed")
    expect(step.after).toMatchObject({ spec: { replicas, paused: true } })
    expect(ownersOf(step.after, ".spec.replicas")).toEqual(owners)
    expect(step.resolution?.outcome).toBe("resolved")
  })

  it("records the result of a function as the applied configuration", () => {
    const simulation = deployments()
    simulation.create("autoscaler", wholeDeployment({ replicas: 7 }))
    const step = simulation.apply("gitops", wholeDeployment({ replicas: 4, paused: true }), {
      onConflict: () => "relinquish",
    })
    expect(step.request).toEqual({ manager: "gitops", apply: wholeDeployment({ paused: true }), force: false })
  })

  it("is refused if onConflict fails", () => {
    const simulation = deployments()
    simulation.create("autoscaler", wholeDeployment({ replicas: 7 }))
    expect(simulation.apply("gitops", wholeDeployment({ replicas: 4 }), { onConflict: "fail" }).outcome).toBe(
      "conflict",
    )
  })
})

describe("update and patch", () => {
  it("make the object by a recipe, and record it as a JSON patch", () => {
    const simulation = deployments()
    simulation.apply("gitops", wholeDeployment({ replicas: 3, paused: true }))
    const before = simulation.get()
    const step = simulation.update("hpa", (live: { spec: { replicas: number; paused?: boolean } }) => {
      live.spec.replicas = 9
      delete live.spec.paused
    })
    expect(step.after).toMatchObject({ spec: { replicas: 9 } })
    expect(before).toMatchObject({ spec: { replicas: 3, paused: true } })
    expect(step.request).toEqual({
      manager: "hpa",
      object: "Deployment.apps/default/web",
      patch: [
        { op: "replace", path: "/spec/replicas", value: 9 },
        { op: "remove", path: "/spec/paused" },
      ],
    })
  })

  it("take a merge patch, a JSON patch, and a whole object", () => {
    const simulation = simulate({ types: kubernetesTypes })
    simulation.create("w", settled({ a: "1" }))
    simulation.patch("x", { data: { b: "2" } })
    simulation.patch("y", [{ op: "replace", path: "/data/b", value: "3" }])
    expect(simulation.get()).toMatchObject({ data: { a: "1", b: "3" } })
    const step = simulation.update("z", settled({ a: "1" }))
    expect(step.changes).toMatchObject([{ action: "remove", path: ".data.b", from: "3" }])
    expect(step.ownership).toMatchObject([{ owner: { manager: "y" }, lost: [{ path: ".data.b" }] }])
  })

  it("change only times if nothing else changes", () => {
    const simulation = simulate({ types: kubernetesTypes, objects: [settled({ a: "1" })] })
    const step = simulation.patch("x", { data: { a: "1" } })
    expect(step.outcome).toBe("unchanged")
    expect(step.after).toBe(step.before)
  })

  it("keep the fields that the request can't write", () => {
    const simulation = simulate({
      types: kubernetesTypes,
      resetFields: (subresource, { apiVersion, kind }) => kubernetesResetFields(apiVersion, kind)?.(subresource),
    })
    simulation.create("web-team", wholeDeployment({ replicas: 1 }))
    const both = { spec: { replicas: 2 }, status: { replicas: 2 } }
    expect(simulation.patch("kcm", both, { subresource: "status" }).after).toMatchObject({
      spec: { replicas: 1 },
      status: { replicas: 2 },
    })
    expect(simulation.patch("web-team", { status: { replicas: 5 } }).outcome).toBe("unchanged")
  })

  it("need to know which object they are for", () => {
    const simulation = simulate({ types: kubernetesTypes, objects: [settings, web] })
    expect(() => simulation.patch("x", {})).toThrow(
      new TypeError("no object named: it may be ConfigMap/default/settings or Deployment.apps/default/web"),
    )
    expect(simulation.patch("x", { data: { a: "1" } }, { object: "ConfigMap/settings" }).outcome).toBe("changed")
    expect(simulation.patch("x", { spec: { replicas: 2 } }, { object: { kind: "Deployment" } }).outcome).toBe("changed")
    expect(() => simulation.patch("x", {}, { object: "settings" })).toThrow("expected KIND/NAME or KIND/NAMESPACE/NAME")
    expect(simulation.length).toBe(2)
  })

  it("are for the object of the last request, if they name none", () => {
    const simulation = deployments()
    expect(() => simulation.patch("x", {})).toThrow(new TypeError("no object named: there is no such object"))
    expect(simulation.apply("x", wholeDeployment({ replica: 3 })).outcome).toBe("error")
    const refused = { code: 404, message: 'deployments.apps "web" not found' }
    expect(simulation.patch("x", { spec: { replicas: 1 } }).error).toMatchObject(refused)
    expect(simulation.update("x", () => undefined).error).toMatchObject(refused)
    expect(simulation.delete({ kind: "Deployment" }).error).toMatchObject(refused)
    expect(simulation.patch("x", {}, { object: "Deployment/web" }).error).toMatchObject(refused)
    simulation.create("x", settings)
    expect(simulation.patch("x", { data: { a: "1" } }).outcome).toBe("changed")
    simulation.delete("ConfigMap/settings")
    expect(() => simulation.patch("x", {})).toThrow(
      new TypeError("no object named: it may be ConfigMap/default/settings or Deployment.apps/default/web"),
    )
    expect(simulation.patch("x", {}, { object: { kind: "ConfigMap" } }).error).toMatchObject({ code: 404 })
  })

  it("are recorded as data when they are refused, so that they are refused again", () => {
    const simulation = deployments()
    simulation.update("x", () => undefined, { object: "Deployment/web" })
    simulation.apply("x", wholeDeployment({ replicas: 3, paused: true }))
    simulation.update("y", (live: { spec: object }) => void (live.spec = { replica: 3 }))
    simulation.update("y", (live: { metadata: object }) => void (live.metadata = { ...live.metadata, name: "other" }))
    simulation.apply("y", wholeDeployment({ replicas: 4, paused: false }), {
      onConflict: ({ path }) => (path === ".spec.paused" ? "relinquish" : "fail"),
    })
    expect(simulation.steps.map(({ outcome }) => outcome)).toEqual(["error", "created", "error", "error", "conflict"])
    expect(simulation.steps[4]?.request).toEqual({
      manager: "y",
      apply: wholeDeployment({ replicas: 4 }),
      force: false,
    })
    const again = fromJSON(JSON.parse(JSON.stringify(simulation)), { types: kubernetesTypes })
    expect(again.steps.map(({ outcome, error, conflicts }) => [outcome, error, conflicts])).toEqual(
      simulation.steps.map(({ outcome, error, conflicts }) => [outcome, error, conflicts]),
    )
    expect(JSON.stringify(again)).toBe(JSON.stringify(simulation))
  })

  it("pass on the exceptions of a recipe, without a step", () => {
    const simulation = simulate({ types: kubernetesTypes, objects: [settings] })
    expect(() =>
      simulation.update("x", () => {
        throw new Error("no")
      }),
    ).toThrow("no")
    expect(simulation.length).toBe(0)
  })
})

describe("refusals are an API server's", () => {
  const rows: readonly (readonly [
    string,
    (simulation: ReturnType<typeof deployments>) => { error: unknown },
    number,
    string,
  ])[] = [
    ["create what is there", s => s.create("x", wholeDeployment({})), 409, 'deployments.apps "web" already exists'],
    ["delete what is not", s => s.delete("Deployment.apps/other"), 404, 'deployments.apps "other" not found'],
    [
      "update what is not",
      s => s.update("x", { ...web, metadata: { name: "other" } }),
      404,
      'deployments.apps "other" not found',
    ],
    ["patch what is not", s => s.patch("x", {}, { object: "ConfigMap/other" }), 404, 'configmaps "other" not found'],
    [
      "apply without a manager",
      s => s.apply("", web),
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ],
    [
      "create without a name",
      s => s.create("x", { apiVersion: "v1", kind: "Secret" }),
      422,
      'Secret "" is invalid: metadata.name: Required value: name or generateName is required',
    ],
    [
      "create with a resourceVersion",
      s => s.create("x", { ...settings, metadata: { name: "a", resourceVersion: "1" } }),
      500,
      "resourceVersion should not be set on objects to be created",
    ],
    [
      "update an old state",
      s => s.update("x", { ...web, metadata: { ...web.metadata, resourceVersion: "99" } }),
      409,
      'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
    ],
    [
      "rename",
      s => s.patch("x", { metadata: { name: "other" } }),
      400,
      "the name of the object (other) does not match the name on the URL (web)",
    ],
    [
      "move",
      s => s.patch("x", { metadata: { namespace: "other" } }),
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ],
    [
      "patch what does not apply",
      s => s.patch("x", [{ op: "remove", path: "/spec/none" }]),
      422,
      "the server rejected our request due to an error in our request",
    ],
    [
      "apply what the type has not",
      s => s.apply("x", wholeDeployment({ replica: 1 })),
      500,
      "failed to create typed patch object (default/web; apps/v1, Kind=Deployment): .spec.replica: field not declared in schema",
    ],
    [
      "apply to a subresource of nothing",
      s => s.apply("x", { ...web, metadata: { name: "other" } }, { subresource: "status" }),
      404,
      'deployments.apps "other" not found',
    ],
    [
      "write to a subresource that the kind does not have",
      s => s.apply("x", { ...settings }, { subresource: "status" }),
      404,
      "the server could not find the requested resource",
    ],
    [
      "create what is not complete",
      s =>
        s.create("x", {
          ...wholeDeployment({}),
          metadata: { name: "b" },
          spec: { selector: { matchLabels: { app: "b" } } },
        }),
      422,
      'Deployment.apps "b" is invalid: [spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`, spec.template.spec.containers: Required value]',
    ],
    [
      "update with a field that the kind does not have",
      s => s.update("x", wholeDeployment({ replica: 1 })),
      400,
      'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.replica"',
    ],
  ]
  it.each(rows)("%s", (_, request, code, message) => {
    const simulation = simulate({ types: kubernetesTypes, objects: [deepFreeze(wholeDeployment({ replicas: 1 }))] })
    const { error } = request(simulation)
    expect(error).toMatchObject({ kind: "Status", code, message })
    expect(simulation.at(0).objects).toEqual(simulation.objects)
  })
})

describe("history", () => {
  const data = (n: number) => ({ ...settings, data: { n: `${n}` } })

  function counted(steps: number) {
    const simulation = simulate({ types: kubernetesTypes })
    for (let i = 1; i <= steps; i++) simulation.apply("counter", data(i))
    return simulation
  }

  it("goes back and forward, over checkpoints too", () => {
    const simulation = counted(250)
    expect(simulation.at(0).objects).toEqual([])
    for (const step of [1, 99, 100, 101, 200, 250])
      expect(simulation.at(step).get()).toMatchObject({ data: { n: `${step}` } })
    expect(simulation.undo(151)).toBe(true)
    expect(simulation.get()).toMatchObject({ data: { n: "99" } })
    expect(simulation.redo()).toBe(true)
    expect(simulation.redo(151)).toBe(false)
    expect([simulation.length, simulation.steps.length]).toEqual([100, 100])
    expect([simulation.undo(0.5), simulation.undo(Number.NaN), simulation.redo(-101)]).toEqual([false, false, false])
    expect(() => simulation.at(101)).toThrow(new RangeError("there is no step 101: there are 100"))
  })

  it("forgets undone steps at the next request", () => {
    const simulation = counted(205)
    simulation.undo(105)
    simulation.apply("counter", data(1000))
    expect(simulation.redo()).toBe(false)
    for (let i = 102; i <= 210; i++) simulation.apply("counter", data(-i))
    expect(simulation.at(101).get()).toMatchObject({ data: { n: "1000" } })
    expect(simulation.at(203).get()).toMatchObject({ data: { n: "-203" } })
    expect(simulation.undo(300)).toBe(false)
  })

  it("shows the differences between two moments", () => {
    const simulation = counted(3)
    simulation.create("x", wholeDeployment({}))
    simulation.delete("ConfigMap/settings")
    expect(simulation.diff(1, 3)).toMatchObject([
      { outcome: "changed", changes: [{ path: ".data.n", from: "1", to: "3" }], ownership: [] },
    ])
    expect(simulation.diff(3, 5).map(({ outcome, target }) => [outcome, target.kind])).toEqual([
      ["deleted", "ConfigMap"],
      ["created", "Deployment"],
    ])
    expect(simulation.diff(5, 3).map(({ outcome }) => outcome)).toEqual(["created", "deleted"])
    expect(simulation.diff(2, 2)).toEqual([])
  })

  it("shows no difference if only times, versions or the order of keys differ", () => {
    const simulation = simulate({ types: kubernetesTypes })
    simulation.create("x", settled({ a: "1", b: "2" }))
    simulation.delete("ConfigMap/settings")
    simulation.create("x", settled({ b: "2", a: "1" }))
    expect([1, 3].map(step => JSON.stringify(simulation.at(step).get()?.data))).toEqual([
      '{"a":"1","b":"2"}',
      '{"b":"2","a":"1"}',
    ])
    expect(simulation.diff(1, 3)).toEqual([])
  })

  it("continues independently in a fork", () => {
    const simulation = counted(150)
    const fork = simulation.fork()
    fork.apply("counter", data(-1))
    fork.delete("ConfigMap/settings")
    simulation.apply("counter", data(151))
    expect([simulation.length, fork.length]).toEqual([151, 152])
    expect(simulation.get()).toMatchObject({ data: { n: "151" } })
    expect(fork.at(151).get()).toMatchObject({ data: { n: "-1" } })
    expect(fork.at(100).get()).toBe(simulation.at(100).get())
  })
})

describe("the clock", () => {
  it("advances by a minute at each step, and follows a clock of the caller or the time of a request", () => {
    expect(deployments().apply("a", web).time).toBe("2026-01-01T00:01:00Z")
    const clock = (step: number) => new Date(Date.UTC(2030, 0, step))
    const simulation = simulate({ types: kubernetesTypes, clock })
    const times = [undefined, "2031-05-05T10:00:00+02:00"].map(
      time => simulation.apply("a", web, time === undefined ? {} : { time }).time,
    )
    expect(times).toEqual(["2030-01-01T00:00:00Z", "2031-05-05T08:00:00Z"])
    expect(() => simulation.apply("a", web, { time: "soon" })).toThrow(new RangeError("soon is not a time"))
  })
})

describe("schemas", () => {
  it("change for all later requests", () => {
    const v1 = { apiVersion: "example.org/v1", kind: "Thing", metadata: { name: "a" } }
    const none = { find: () => undefined }
    const simulation = simulate({ types: none, schemas: { later: { types: deducedTypes } } })
    expect(simulation.apply("x", v1).error?.message).toBe("the server could not find the requested resource")
    expect(simulation.changeSchema("later")).toMatchObject({ outcome: "changed", target: undefined })
    expect(simulation.apply("x", v1).outcome).toBe("created")
    expect(simulation.at(1).schema).toBe("")
    expect(simulation.now().schema).toBe("later")
    simulation.undo(2)
    expect(simulation.apply("x", v1).outcome).toBe("error")
    expect(() => simulation.changeSchema("never")).toThrow(new RangeError('there is no schema "never"'))
    simulation.changeSchema("now", { types: deducedTypes })
    expect(simulation.apply("x", v1).outcome).toBe("created")
  })

  it("keep the version in which an object was created", () => {
    const types = deducedTypes
    const simulation = simulate({ types, converter: changeApiVersion(types) })
    const at = (version: string, spec: object) => ({
      apiVersion: `example.org/${version}`,
      kind: "Thing",
      metadata: { name: "a" },
      spec,
    })
    simulation.apply("old", at("v1", { a: 1 }))
    const step = simulation.apply("new", at("v2", { b: 2 }))
    expect(step.after).toMatchObject(at("v1", { a: 1, b: 2 }))
    expect(step.ownership.map(({ owner }) => owner.apiVersion)).toEqual(["example.org/v2"])
    expect(simulation.apply("new", at("v2", { b: 2 })).outcome).toBe("unchanged")
  })
})

it("report the changes to unions", () => {
  const simulation = simulate({ types: kubernetesTypes, unions: "extended" })
  const level = {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "PriorityLevelConfiguration",
    metadata: { name: "a" },
  }
  const first = simulation.apply("ops", {
    ...level,
    spec: { limited: { lendablePercent: 50, limitResponse: { queuing: { handSize: 2 } } } },
  })
  expect(first.unions).toMatchObject([
    { path: ".spec.limited.limitResponse", member: { field: "queuing" } },
    { path: ".spec", policy: "extended", text: '.spec: type "" -> "Limited" (implied by limited)' },
  ])
  const step = simulation.apply(
    "ui",
    { ...level, spec: { limited: { limitResponse: { type: "Reject" } } } },
    { force: true },
  )
  expect(step.unions).toMatchObject([{ path: ".spec.limited.limitResponse", cleared: [{ field: "queuing" }] }])
  expect(step.after).toMatchObject({ spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } })
  const paths = (changes: readonly { readonly path: string }[]) => changes.map(({ path }) => path)
  expect(step.ownership.map(({ owner, gained, lost }) => [owner.manager, paths(gained), paths(lost)])).toEqual([
    ["ops", [], [".spec.limited.limitResponse.queuing.handSize", ".spec.limited.limitResponse.type"]],
    ["ui", [".spec.limited.limitResponse.type", ".spec.type"], []],
  ])
})

describe("an object is named", () => {
  const ingress = (namespace: string) => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: "web", namespace },
  })

  it("by its namespace if another object has the same name", () => {
    const simulation = simulate({ types: kubernetesTypes, objects: [ingress("a"), ingress("b")] })
    const seen = ["Ingress/b/web", { kind: "Ingress", namespace: "b", name: "web" }].map(ref => simulation.get(ref))
    expect(seen).toMatchObject([ingress("b"), ingress("b")])
    expect(simulation.delete({ namespace: "a", name: "web" }).target).toMatchObject({ namespace: "a" })
    expect(simulation.objects).toHaveLength(1)
  })

  it("in refusals by its resource, and in results by its kind, name and namespace", () => {
    const simulation = simulate({ types: deducedTypes, objects: [settings] })
    const lost = (kind: string) => simulation.delete({ apiVersion: "example.org/v1", kind, name: "a" })
    expect(["Ingress", "Policy", "Endpoints", "Thing"].map(kind => lost(kind).error?.message)).toEqual([
      'ingresses.example.org "a" not found',
      'policies.example.org "a" not found',
      'endpoints.example.org "a" not found',
      'things.example.org "a" not found',
    ])
    expect(lost("Thing").target).toStrictEqual({ apiVersion: "example.org/v1", kind: "Thing", name: "a" })
    expect(() => simulation.patch("x", {}, { object: { name: "other" } })).toThrow(
      new TypeError('{"name":"other"}: there is no such object'),
    )
  })
})

describe("defaults of a story", () => {
  const thing = (fields: MapValue) => ({ apiVersion: "example.org/v1", kind: "Thing", ...fields })

  it("fill in absent fields, except lists and maps that hold only lists", () => {
    const defaults = [
      thing({ spec: { paused: false, ports: [{ protocol: "TCP" }], inner: { list: [{ a: 1 }] }, empty: {} } }),
    ]
    expect(withDefaults(thing({}), defaults)).toStrictEqual(thing({ spec: { paused: false, empty: {} } }))
    expect(withDefaults(thing({ spec: { ports: [{ port: 1 }], paused: true } }), defaults)).toStrictEqual(
      thing({ spec: { ports: [{ port: 1, protocol: "TCP" }], paused: true, empty: {} } }),
    )
    const other = { ...thing({}), kind: "Other" }
    expect(withDefaults(other, defaults)).toBe(other)
  })
})
