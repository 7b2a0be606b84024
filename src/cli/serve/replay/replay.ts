// Plays the changes of a log on a server, at a speed or step by step.
//
// The clock of the server shows the times of the log. Timeouts of watches are the machine's, so that clients see nothing of the speed.

import type { ServerTime } from "../../../apiserver/reproducible/clock.js"
import type { ApiServer } from "../../../apiserver/server.js"
import { ParseError, StructuredMergeError } from "../../../errors.js"
import { parseYaml } from "../../../io/yaml.js"
import { methodNotAllowed, RequestFailure } from "../../../kinds/refusal/failure.js"
import { objectName } from "../../../tools/ownership/object-name.js"
import { isMap, type MapValue, type Value } from "../../../value/value.js"
import { objectTitle } from "../../output/object-title.js"
import type { Gap } from "./observe.js"
import type { Change, Log } from "./timeline.js"

/** How many times faster than the log the replay runs. With `step`, only requests and keys advance it. */
export type ReplaySpeed = number | "step"

/** The address at which clients read the position of the replay and advance it. No path of Kubernetes begins like this. */
export const replayPath = "/structured-merge-diff/replay"

/** The longest wait for the next change, in milliseconds of the machine. The clock of the server jumps over the rest of a pause. */
const longestWait = 60_000

/** The replay of a log. `time` is the time of the machine, and `onChange` is called after each change that follows the beginning. */
export class Replay {
  private readonly log: Log
  private readonly speed: ReplaySpeed
  private readonly time: ServerTime
  private readonly onChange: (change: Change) => void
  private server: ApiServer | undefined
  private changes: readonly Change[] = []
  private gaps: readonly Gap[] = []
  /** The changes that the server can't store, such as those of kinds that it does not serve. */
  private readonly skipped = new Set<Change>()
  private position = 0
  /** A time of the log, and the time of the machine at which the clock shows it; undefined while the clock stands still. */
  private shown: { readonly log: number; readonly machine: number | undefined }
  private cancel = (): void => undefined

  constructor(log: Log, speed: ReplaySpeed, time: ServerTime, onChange: (change: Change) => void = () => undefined) {
    this.log = log
    this.speed = speed
    this.time = time
    this.onChange = onChange
    this.shown = { log: log.start ?? time.now().getTime(), machine: undefined }
  }

  /** The clock of the server. */
  readonly now = (): Date => {
    const { log, machine } = this.shown
    const next = this.changes[this.position]
    if (machine === undefined || next === undefined) return new Date(log)
    const passed = (this.time.now().getTime() - machine) * Number(this.speed)
    return new Date(Math.min(log + passed, next.time))
  }

  /**
   * Returns a copy of a new server without its own namespaces, if the log has these, or has resourceVersions that are not higher than those of the server.
   */
  emptied(server: ApiServer): ApiServer {
    const empty = server.at(1)
    const { lowestVersion } = this.log
    if (lowestVersion === undefined || lowestVersion > Number(server.resourceVersion)) {
      empty.load(server.snapshot().filter(object => !this.log.has(object)))
    }
    return empty
  }

  /** Brings the server, whose objects existed before, to the beginning of the log. Returns what the log does not have. */
  begin(server: ApiServer): readonly Gap[] {
    const { changes, initial, gaps } = this.log.timeline(server.snapshot(), {
      loaded: Number(server.resourceVersion),
      now: this.time.now(),
    })
    this.server = server
    this.changes = changes
    this.gaps = [...gaps, ...this.tryOut(server.fork(), initial)].sort((a, b) => a.line - b.line)
    for (const change of changes.slice(0, initial)) this.make(change)
    this.position = initial
    const first = changes[Math.max(0, initial - 1)]
    if (first !== undefined) this.shown = { log: first.time, machine: undefined }
    return this.gaps
  }

  /** Starts the clock, unless the replay goes step by step. */
  play(): void {
    if (this.speed === "step") return
    this.show(this.now().getTime())
    this.wait()
  }

  stop(): void {
    this.cancel()
  }

  /** Makes the next changes: so many, or all up to a time of the log. */
  advance({ steps = Number.POSITIVE_INFINITY, until = Number.POSITIVE_INFINITY }): void {
    let shown = this.now().getTime()
    for (let made = 0; made < steps; made++) {
      const change = this.changes[this.position]
      if (change === undefined || change.time > until) break
      this.position++
      shown = Math.max(shown, change.time)
      this.show(shown)
      this.make(change)
      this.onChange(change)
    }
    if (Number.isFinite(until)) this.show(Math.max(shown, until))
    if (this.shown.machine !== undefined) this.wait()
  }

  /** The position of the replay. */
  get status(): MapValue {
    const { speed, position, changes, gaps } = this
    const next = changes[position]
    return {
      speed: speed === "step" ? speed : `${speed}x`,
      time: this.now().toISOString(),
      position,
      changes: changes.length,
      ...(next !== undefined && { next: describeChange(next) }),
      gaps: gaps.map(({ line, reason, about }) => ({ line, reason, about })),
    }
  }

  /** Answers a request for the address of the replay: GET returns the position, and POST advances the replay first. */
  async answer(request: Request): Promise<Response> {
    try {
      if (request.method === "POST") this.advance(readAdvance(await request.text()))
      else if (request.method !== "GET") throw methodNotAllowed()
      return Response.json(this.status)
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error
      return Response.json(error.status, { status: error.code })
    }
  }

  /** Makes all changes in a fork of the server. Returns the gaps for those that it can't store as they are in the log. */
  private tryOut(fork: ApiServer, initial: number): Gap[] {
    const gaps: Gap[] = []
    for (const [i, change] of this.changes.entries()) {
      const { line, version, object } = change
      const add = (reason: string) => gaps.push({ is: "gap", line, reason, about: objectTitle(objectName(object)) })
      try {
        makeOn(fork, change)
        const isOther = i >= initial && version !== undefined && fork.resourceVersion !== String(version)
        if (isOther) add("another resourceVersion takes the place of the one in the log")
      } catch (error) {
        if (!(error instanceof StructuredMergeError || error instanceof RequestFailure)) throw error
        this.skipped.add(change)
        add(error.message)
      }
    }
    fork.close()
    return gaps
  }

  private make(change: Change): void {
    if (this.server !== undefined && !this.skipped.has(change)) makeOn(this.server, change)
  }

  /** Waits for the time of the next change, and goes on from there. */
  private wait(): void {
    this.cancel()
    const next = this.changes[this.position]
    if (next === undefined) return
    const left = (next.time - this.now().getTime()) / Number(this.speed)
    this.cancel = this.time.schedule(Math.min(left, longestWait), () => this.advance({ until: next.time }))
  }

  /** Makes the clock show a time of the log, from which it goes on unless the replay goes step by step. */
  private show(log: number): void {
    this.shown = { log, machine: this.speed === "step" ? undefined : this.time.now().getTime() }
  }
}

/** Returns a change as data. */
export function describeChange({ type, line, time, object }: Change): MapValue {
  return { type, object: objectTitle(objectName(object)), line, time: new Date(time).toISOString() }
}

function makeOn(server: ApiServer, { type, object, version }: Change): void {
  if (type === "DELETED") server.unload(object, version)
  else server.load([object])
}

/** Reads the body of a request to advance: `{steps: 5}`, `{until: "2026-03-01T10:00:00Z"}`, or nothing for one step. */
function readAdvance(text: string): { readonly steps?: number; readonly until?: number } {
  const value = parsed(text)
  const [[key, wanted] = ["steps", 1], other] = Object.entries(value)
  const until = key === "until" ? Date.parse(String(wanted)) : Number.NaN
  if (other === undefined && key === "steps" && Number.isSafeInteger(wanted) && Number(wanted) > 0) {
    return { steps: Number(wanted) }
  }
  if (other === undefined && !Number.isNaN(until)) return { until }
  throw new RequestFailure(
    400,
    'expected {"steps": 5}, {"until": "2026-03-01T10:00:00Z"}, or no body for one step',
    "BadRequest",
  )
}

function parsed(text: string): MapValue {
  let value: Value
  try {
    value = text.trim() === "" ? {} : parseYaml(text)
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    value = null
  }
  return isMap(value) ? value : { text: null }
}
