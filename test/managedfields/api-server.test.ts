/** Replays recordings of a kube-apiserver: each call of its FieldManagers, and each request with the object stored before it. */
import { describe, expect, it } from "vitest"
import { pathOf } from "../../src/fieldpath/path.js"
import { parseYaml } from "../../src/io/index.js"
import { type ManagedFieldsEntry, withoutManagedFields } from "../../src/managedfields/entries/entry.js"
import { ScaleHandler, statusOf } from "../../src/managedfields/index.js"
import type { MapValue, Value } from "../../src/value/value.js"
import {
  isBeyond,
  mapAt,
  newTime,
  Server,
  type Stored,
  sorted,
  storedAfter,
  withEntries,
} from "../support/api-server-replay.js"
import { type Call, type Endpoint, readStories, type Step } from "../support/api-server-stories.js"
import { entriesOf } from "./notation.js"

/** The state before a request. */
interface Moment {
  readonly stored: Stored | undefined
  readonly time: string | undefined
}

describe.each(readStories())("$name", story => {
  it("calls of FieldManagers", () => {
    let server = new Server(story, story.crds)
    story.calls.forEach((calls, step) => {
      for (const call of calls) {
        if (call.op === "crd-update") server = new Server(story, [call.crd])
        else if (call.op === "apply") checkApply(server, call, `step ${step}`)
        else checkUpdate(server, call, `step ${step}`)
      }
    })
  })

  it("requests", () => {
    let server = new Server(story, story.crds)
    let live: Stored | undefined
    story.steps.forEach((step, index) => {
      const { verb, status } = step
      if (verb === "observe") live = { object: step.response }
      else if (verb === "crd-update") server = new Server(story, [step.body as MapValue])
      else {
        // Other refusals come from other parts of the server.
        const refused = verb === "apply" && story.calls[index]?.some(({ error }) => error !== undefined)
        const isOurs = status < 300 ? verb !== "delete" : refused && !isBeyond(step.response.message)
        const call = story.calls[index]?.find(({ result }) => result !== undefined)
        const time = newTime(call?.live, call?.result)
        if (isOurs) checkRequest(server, step, { stored: live, time }, `step ${index} ${verb}`)
        if (status < 300 && step.dryRun !== true) live = storedAfter(step)
      }
    })
  })
})

function checkApply(server: Server, call: Call, where: string): void {
  const { live, config, result, merged, error, status } = call
  if (isBeyond(error)) return
  let made: MapValue | undefined
  const defaults = (object: MapValue): MapValue => {
    made = object
    return result === undefined ? object : withoutManagedFields(result)
  }
  const options = { manager: call.manager, subresource: call.subresource, force: call.force ?? false }
  const before = isNothing(live) ? undefined : live
  const manager = server.manager(call, newTime(live, result), { defaults })
  const attempt = manager.tryApply(before, config, options)
  if (error !== undefined) {
    expect(attempt.ok, where).toBe(false)
    if (attempt.ok) return
    if (status === undefined) expect(attempt.error.message, where).toBe(error)
    else expect(sorted(statusOf(attempt.error)), where).toEqual(sorted({ kind: "Status", apiVersion: "v1", ...status }))
    return
  }
  expect(attempt.ok || attempt.error.message, where).toBe(true)
  if (!attempt.ok) return
  expect(attempt.object, where).toEqual(result)
  expect(made && withoutManagedFields(made), where).toEqual(merged && withoutManagedFields(merged))
  if (call.manager !== "kubectl" || merged === undefined) return
  // Our own apply must write the annotation that `result` has.
  const own = server.manager(call, undefined).apply(before, config, options).object
  expect(lastApplied(own), where).toBe(lastApplied(result))
}

function checkUpdate(server: Server, call: Call, where: string): void {
  const { live, result, error } = call
  const next = call.reset === true ? withEntries(call.next, []) : call.next
  const options = { manager: call.manager, subresource: call.subresource }
  const manager = server.manager(call, newTime(live, result))
  // The server passes the zero value to create something, and callers may do the same.
  for (const before of isNothing(live) ? [live, undefined] : [live]) {
    if (error !== undefined) expect(() => manager.update(before, next, options), where).toThrow(exactly(error))
    else expect(manager.update(before, next, options).object, where).toEqual(result)
  }
}

function checkRequest(server: Server, step: Step, { stored, time }: Moment, where: string): void {
  const { subresource = "", apiVersion } = step
  const { object } = server.story
  if (subresource === "scale") {
    checkScale(server, step, { stored, time }, where)
    return
  }
  const view = stored?.views?.[apiVersion]
  const live = view?.kind === object.kind ? view : stored?.object
  const kept = step.dryRun === true ? undefined : step.views?.[apiVersion]
  const response = kept ?? step.response
  const endpoint = { apiVersion, kind: object.kind, subresource }
  const made = request(server, step, { endpoint, live, response, time }, where)
  if (made !== undefined) expect(made, where).toEqual(entriesOf(response))
}

/** Like `checkRequest`, for the replicas and their owners in the main resource. */
function checkScale(server: Server, step: Step, { stored, time }: Moment, where: string): void {
  const after = step.status < 300 ? step.live : step.response
  if (stored === undefined || after === undefined) return
  const { object: main } = stored
  const { apiVersion } = server.story.object
  const handler = new ScaleHandler(entriesOf(main), apiVersion, new Map([[apiVersion, pathOf("spec", "replicas")]]))
  const { managedFields: _, ...metadata } = mapAt(main, "metadata")
  const scale = {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata,
    status: { replicas: mapAt(main, "status").replicas ?? 0 },
  }
  const live = {
    ...scale,
    spec: replicasOf(main),
    metadata: { ...metadata, managedFields: handler.toSubresource() as unknown as Value },
  }
  const endpoint = { apiVersion: "autoscaling/v1", kind: "Scale", subresource: "scale" }
  const response = step.status < 300 ? { ...scale, spec: replicasOf(after) } : after
  const made = request(server, step, { endpoint, live, response, time }, where)
  if (made !== undefined) expect(handler.toParent(made), where).toEqual(entriesOf(after))
}

/** One object of an endpoint, before and after a request. */
interface Exchange {
  readonly endpoint: Endpoint
  readonly live: MapValue | undefined
  readonly response: MapValue
  readonly time: string | undefined
}

/** Returns the entries after the request; undefined if it was refused for the recorded reason. */
function request(
  server: Server,
  step: Step,
  { endpoint, live, response, time }: Exchange,
  where: string,
): readonly ManagedFieldsEntry[] | undefined {
  // Changes that the server made to the object before it was stored.
  const prepare = (made: MapValue): MapValue => withEntries(response, entriesOf(made))
  const fieldManager = server.manager(endpoint, time, { prepare, keepTimes: true })
  const manager = step.manager ?? (step.userAgent ?? "recorder").split("/")[0] ?? ""
  const { subresource } = endpoint
  if (step.verb !== "apply") {
    const next = step.next ?? withoutManagedFields(response)
    return entriesOf(fieldManager.updateLeniently(live, next, { manager, subresource }).object)
  }
  const config = typeof step.body === "string" ? parseYaml(step.body, { lenient: true }) : step.body
  const attempt = fieldManager.tryApply(live, config as MapValue, { manager, subresource, force: step.force === true })
  if (attempt.ok) {
    expect(step.status, where).toBeLessThan(300)
    return entriesOf(attempt.object)
  }
  expect(sorted(statusOf(attempt.error)), where).toEqual(sorted(step.response))
  return undefined
}

/** Whether there was no object yet. */
function isNothing(live: MapValue): boolean {
  return mapAt(live, "metadata").name === undefined && entriesOf(live).length === 0
}

function replicasOf(object: MapValue): MapValue {
  const { replicas } = mapAt(object, "spec")
  return replicas === undefined || replicas === 0 ? {} : { replicas }
}

function lastApplied(object: MapValue | object | undefined): Value | undefined {
  const metadata = mapAt(object as MapValue, "metadata")
  return mapAt(metadata, "annotations")["kubectl.kubernetes.io/last-applied-configuration"]
}

function exactly(message: string): RegExp {
  return new RegExp(`^${message.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`)
}
