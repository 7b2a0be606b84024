// Runs the stages of a server. Loaded with the first server that has controllers.
//
// A change of the store puts objects into a queue: the changed one, and those of stages that watch it. After each request of a client the engine
// empties the queue: it looks at each object, and sends the requests of the stages that select it through the same write path as a client's. Those
// change the store again, and so on until the queue is empty. Stages with a delay wait in timers.ts, by the clock of the server. Everything runs at
// once and in one order, except that a request waits for webhooks that answer later.

import { RequestFailure } from "../../kinds/refusal/failure.js"
import { formatTime } from "../../managedfields/entries/time.js"
import { metaText } from "../../schema/metadata.js"
import { textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"
import { PendingCall } from "../../write/calls.js"
import type { StoreEvent } from "../storage/store.js"
import type { ClusterView, ControllerRequest, Step } from "./functions/request.js"
import { type RunningStage, runningStage } from "./running-stage.js"
import { keyOfResource, type Stage } from "./stages.js"
import { StageTimers, type TimersState } from "./timers.js"
import { controllerOf, type SeenServer, variablesOf, viewOf } from "./view.js"

/** The parts of a server that controllers need. */
export interface ControlledServer extends SeenServer {
  /** Returns the attempt to carry out a request, which throws a RequestFailure, or a PendingCall if it has to be repeated later. */
  readonly attempt: (request: ControllerRequest, manager: string, user: string | undefined) => () => void
}

/** A request of a controller that was refused, or an expression without a value. */
export interface ControllerFailure {
  /** When it happened. */
  readonly time: string
  /** The name of the stage. */
  readonly stage: string
  /** The object of the stage: `pods default/web-1`. */
  readonly object: string
  /** The message of the Status, or what else went wrong. */
  readonly message: string
}

/** How often a stage may act on one object until the queue is empty. */
const mostTurns = 50
/** How many requests all stages may send until the queue is empty. */
const mostRequests = 10_000
const mostFailures = 1000

/** Objects to look at after a change of another one. */
interface Watcher {
  readonly resource: string
  readonly by: "owner" | "namespace" | "all"
}

/** The work that controllers have left. A fork takes it over. */
export interface EngineState extends TimersState {
  readonly queue: readonly string[]
}

/** The controllers of one server. */
export class ControllerEngine {
  private readonly server: ControlledServer
  private readonly view: ClusterView
  private readonly stages = new Map<string, RunningStage[]>()
  private readonly byName = new Map<string, RunningStage>()
  private readonly watchers = new Map<string, Watcher[]>()
  private readonly failures: ControllerFailure[]
  /** The addresses of objects to look at, in the order of their changes. */
  private readonly queue: Set<string>
  private readonly timers: StageTimers
  private turns = new Map<string, number>()
  private requests = 0
  private isBusy = false
  /** Whether nothing runs until the store changes, or the clock of a test advances. */
  isAsleep: boolean

  /** Looks at all objects if it has no state to continue with. Throws a StructuredMergeError for a stage whose expressions are not right. */
  constructor(
    stages: readonly Stage[],
    server: ControlledServer,
    failures: ControllerFailure[],
    isAsleep: boolean,
    given?: EngineState,
  ) {
    this.server = server
    this.view = viewOf(server)
    this.failures = failures
    this.isAsleep = isAsleep
    for (const stage of stages) this.add(stage)
    const state: EngineState = given ?? { queue: [...this.allObjects()], timers: [], waits: [] }
    this.queue = new Set(state.queue)
    this.timers = new StageTimers(server.time, () => this.wake(), state)
    server.store.listen(event => this.note(event))
    if (isAsleep) this.timers.waitForTest()
    else this.timers.wait()
  }

  get state(): EngineState {
    return { queue: [...this.queue], ...this.timers.state }
  }

  /** Runs until there is nothing to do at this time. Returns a promise if it has to wait for a webhook, unless somebody else waits already. */
  run(): Promise<void> | undefined {
    const isIdle = this.queue.size === 0 && !this.timers.isDue
    if (this.isBusy || this.isAsleep || isIdle) return undefined
    this.turns.clear()
    this.requests = 0
    return this.work()
  }

  /** Forgets what there is to do, and stops all timers. */
  close(): void {
    this.queue.clear()
    this.timers.close()
  }

  private wake(): void {
    this.isAsleep = false
    void this.run()
  }

  private add(stage: Stage): void {
    const running = runningStage(stage)
    const key = keyOfResource(stage.resource)
    this.byName.set(stage.name, running)
    this.stages.set(key, [...(this.stages.get(key) ?? []), running])
    for (const [watched, by] of Object.entries(stage.watches ?? {})) {
      const list = this.watchers.get(keyOfResource(watched)) ?? []
      if (list.some(each => each.resource === key && each.by === by)) continue
      this.watchers.set(keyOfResource(watched), [...list, { resource: key, by }])
    }
  }

  private *allObjects(): Generator<string> {
    for (const { resource, object } of this.server.store.all())
      if (this.stages.has(resource)) yield addressOf(resource, object)
  }

  private note({ resource, object, before }: StoreEvent): void {
    this.isAsleep = false
    if (this.stages.has(resource)) this.queue.add(addressOf(resource, object))
    for (const { resource: watching, by } of this.watchers.get(resource) ?? []) {
      const { store } = this.server
      const namespace = metaText(object, "namespace")
      if (by === "owner") {
        for (const state of before === undefined ? [object] : [object, before]) this.noteOwner(watching, state)
      } else if (watching === "/namespaces" && by === "namespace") this.queue.add(`${watching} /${namespace}`)
      else
        for (const other of store.list(watching, by === "all" ? "" : namespace))
          this.queue.add(addressOf(watching, other))
    }
  }

  private noteOwner(resource: string, object: MapValue): void {
    const reference = controllerOf(object)
    if (reference === undefined) return
    const { store } = this.server
    const name = textAt(reference, "name")
    const owner = store.get(resource, metaText(object, "namespace"), name) ?? store.get(resource, "", name)
    if (owner !== undefined && metaText(owner, "uid") === own(reference, "uid"))
      this.queue.add(addressOf(resource, owner))
  }

  private work(): Promise<void> | undefined {
    for (;;) {
      const pending = this.next()
      if (pending === undefined) {
        this.timers.wait()
        return undefined
      }
      if (pending !== true) {
        this.isBusy = true
        return pending.then(() => {
          this.isBusy = false
          return this.work()
        })
      }
    }
  }

  /** Takes one timer or one object. Returns undefined if nothing is left to do. */
  private next(): true | Promise<void> | undefined {
    const due = this.timers.takeDue()
    if (due !== undefined) {
      const [id, uid] = due
      const space = id.indexOf(" ")
      const [running, address] = [this.byName.get(id.slice(0, space)), id.slice(space + 1)]
      const object = this.objectAt(address)
      if (running === undefined || object === undefined || metaText(object, "uid") !== uid) return true
      return this.act(running, address, object) ?? true
    }
    for (const address of this.queue) {
      this.queue.delete(address)
      return this.look(address) ?? true
    }
    return undefined
  }

  /** Starts or ends the stages of an object. */
  private look(address: string): Promise<void> | undefined {
    for (const running of this.stages.get(address.slice(0, address.indexOf(" "))) ?? []) {
      const id = timerOf(running, address)
      const object = this.objectAt(address)
      if (object === undefined || !running.selects(object, variablesOf(object, this.server))) {
        this.timers.unset(id)
        this.timers.forgive(id)
      } else if (running.delay > 0) {
        if (!this.timers.isSet(id, object)) this.timers.set(id, running.delay, object)
      } else {
        const pending = this.act(running, address, object)
        if (pending !== undefined) {
          // The other stages have their turns after this one.
          this.queue.add(address)
          return pending
        }
      }
    }
    return undefined
  }

  /** Sends the requests of a stage about an object, if it still selects the object. */
  private act(running: RunningStage, address: string, object: MapValue): Promise<void> | undefined {
    const variables = variablesOf(object, this.server)
    if (!running.selects(object, variables)) return undefined
    const id = timerOf(running, address)
    const turn: Turn = { running, address, id, user: undefined, isRefused: false }
    let steps: readonly Step[]
    try {
      steps = running.steps(object, variables, this.view)
      turn.user = running.user(variables)
    } catch (error) {
      this.fail(turn, error)
      return undefined
    }
    const requests = steps.filter(isRequest)
    if (requests.length > 0) {
      const turns = (this.turns.get(id) ?? 0) + 1
      this.turns.set(id, turns)
      if (turns > mostTurns || this.requests > mostRequests) {
        const most = turns > mostTurns ? `${mostTurns} turns` : `${mostRequests} requests of all stages`
        this.fail(turn, new Error(`paused after ${most} at one time`))
        return undefined
      }
    }
    this.timers.unset(id)
    const again = steps.find(step => "again" in step)
    if (again !== undefined) this.timers.set(id, again.again, object)
    return this.send(turn, requests, 0)
  }

  /** Sends requests one after the other, until one is refused. */
  private send(turn: Turn, requests: readonly RequestStep[], first: number): Promise<void> | undefined {
    for (let i = first; i < requests.length; i++) {
      const request = requests[i] as RequestStep
      this.requests++
      const done = this.carryOut(turn, request, this.server.attempt(request, turn.running.manager, turn.user))
      if (done === false) return undefined
      if (done !== true) return done.then(isDone => (isDone ? this.send(turn, requests, i + 1) : undefined))
    }
    if (!turn.isRefused && requests.length > 0) this.timers.forgive(turn.id)
    return undefined
  }

  /** Carries out one request. Returns whether the next one may follow. */
  private carryOut(turn: Turn, request: RequestStep, attempt: () => void): boolean | Promise<boolean> {
    try {
      attempt()
      return true
    } catch (error) {
      if (error instanceof PendingCall) return error.arrival.then(() => this.carryOut(turn, request, attempt))
      const reason = error instanceof RequestFailure ? error.status.reason : undefined
      // Somebody else was faster.
      if (reason === "NotFound" && request.verb === "delete") return true
      if (reason === "Conflict") {
        this.queue.add(turn.address)
        return false
      }
      this.fail(turn, error)
      const rest = request.otherwise?.(messageOf(error)) ?? []
      return this.send(turn, rest.filter(isRequest), 0)?.then(() => false) ?? false
    }
  }

  /** Notes a refusal. The stage will act on the object again after a while. */
  private fail(turn: Turn, error: unknown): void {
    const { running, address, id } = turn
    turn.isRefused = true
    const [resource = "", name = ""] = address.split(" ")
    const time = formatTime(this.server.time.now())
    const object = `${resource.slice(resource.indexOf("/") + 1)} ${name.replace(/^\//, "")}`
    this.failures.push({ time, stage: running.stage.name, object, message: messageOf(error) })
    if (this.failures.length > mostFailures) this.failures.shift()
    this.timers.setAfterRefusal(id, this.objectAt(address))
  }

  private objectAt(address: string): MapValue | undefined {
    const [resource = "", name = ""] = address.split(" ")
    const slash = name.indexOf("/")
    return this.server.store.get(resource, name.slice(0, slash), name.slice(slash + 1))
  }
}

/** One stage acting on one object. */
interface Turn {
  readonly running: RunningStage
  readonly address: string
  readonly id: string
  user: string | undefined
  isRefused: boolean
}

type RequestStep = Extract<Step, ControllerRequest>

const isRequest = (step: Step): step is RequestStep => "verb" in step

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Returns the address of an object: `apps/deployments default/web`. */
function addressOf(resource: string, object: MapValue): string {
  return `${resource} ${metaText(object, "namespace")}/${metaText(object, "name")}`
}

const timerOf = ({ stage }: RunningStage, address: string): string => `${stage.name} ${address}`
