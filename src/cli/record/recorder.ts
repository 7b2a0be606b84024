// Makes a story of a log. Each write becomes a step, which is played at once, with the result in the log as its expectation. If the
// engine's result differs, further steps bring the object to the state in the log.

import { readManagedFields, withoutManagedFields } from "../../managedfields/entries/entry.js"
import { extract } from "../../managedfields/extract.js"
import { metadataOf } from "../../schema/metadata.js"
import { type FieldChange, fieldChanges, ownerChanges } from "../../tools/ownership/field-changes.js"
import type { ObjectName } from "../../tools/ownership/object-name.js"
import { keyOf } from "../../tools/simulator/simulation/objects.js"
import type { SimulationRequest } from "../../tools/simulator/simulation/request.js"
import type { Simulation } from "../../tools/simulator/simulation/simulation.js"
import type { Step } from "../../tools/simulator/simulation/step.js"
import type { StoryExpectation, StoryStep } from "../../tools/simulator/story/story.js"
import { textAt } from "../../value/fields.js"
import type { MapValue, Value } from "../../value/value.js"
import { mergePatchBetween } from "../../write/patches/merge-patch.js"
import type { LogEntry, LoggedState, LoggedWrite } from "./log.js"
import { conflictsOf, isGone, plain, refusedRequest, requestFor, withEntries, withIdentity } from "./requests.js"
import { writerOf } from "./writer.js"

/** The manager of steps for changes that the log does not explain. */
const unexplained = "(not in the log)"

const mostPaths = 3

/** The result of a write, for the summary. */
export interface RecordedWrite {
  readonly line: number
  readonly manager: string
  readonly user: string
  readonly outcome: "changed" | "unchanged" | "refused" | "deleted"
  /** The changes according to the log; empty if the log does not say. */
  readonly changes: readonly FieldChange[]
}

/** A fact about a line of the log that the story can't express. */
export interface Remark {
  readonly line: number
  readonly message: string
}

/** Turns the entries of a log, in their order, into a story. `begin` creates a simulation with these objects. */
export class Recorder {
  readonly steps: StoryStep[] = []
  readonly writes: RecordedWrite[] = []
  readonly remarks: Remark[] = []
  /** The objects at the start of the story. */
  objects: readonly MapValue[] = []
  private readonly target: ObjectName
  private readonly begin: (objects: readonly MapValue[]) => Simulation
  private simulation: Simulation | undefined
  /** The last state in the log. */
  private known: MapValue | undefined

  constructor(target: ObjectName, begin: (objects: readonly MapValue[]) => Simulation) {
    this.target = target
    this.begin = begin
  }

  /** The object after all entries so far. */
  get live(): MapValue | undefined {
    return this.simulation?.get(this.target)
  }

  add(entry: LogEntry): void {
    const simulation = this.simulation ?? this.start(entry)
    if (simulation === undefined) return
    if (entry.verb === "state") this.addState(entry, simulation)
    else if (entry.code >= 400) this.addRefusal(entry, simulation)
    else this.addWrite(entry, simulation)
  }

  /** Begins without objects if the entry creates the object. Otherwise begins with the state after the entry, which has no step. */
  private start(entry: LogEntry): Simulation | undefined {
    const creates = entry.verb !== "state" && (entry.verb === "create" || entry.code === 201)
    if (!creates && entry.state === undefined) return undefined
    this.objects = creates || entry.state === undefined ? [] : [withEntries(entry.state)]
    const simulation = this.begin(this.objects)
    this.simulation = simulation
    if (creates) return simulation
    this.known = entry.state
    this.remarks.push({ line: entry.line, message: "the story begins with the state after it" })
    return undefined
  }

  private addWrite(write: LoggedWrite, simulation: Simulation): void {
    const { line } = write
    const before = this.live
    if (write.verb === "delete") {
      if (!isGone(write)) return void this.remarks.push({ line, message: "the object waits for its finalizers" })
      this.play({ delete: keyOf(this.target), manager: write.manager }, write, simulation)
      this.known = undefined
      this.note(write, "deleted", [])
      return
    }
    const request = requestFor(write, before, this.target)
    if (request === undefined)
      return void this.remarks.push({ line, message: `${write.subresource || write.verb} can't become a step` })
    const step = this.play(request, write, simulation)
    this.follow(write, request, step, simulation)
  }

  /** Adds a refused write as a step if the engine refuses it too. */
  private addRefusal(write: LoggedWrite, simulation: Simulation): void {
    const { line, code, manager, status = {} } = write
    this.note(write, "refused", [])
    const request = refusedRequest(write, this.target)
    const step = request === undefined ? undefined : simulation.play({ ...request, ...timeOf(write) })
    if (request !== undefined && step?.refused === true && step.error?.code === code) {
      const conflicts = conflictsOf(status)
      const expect: StoryExpectation = conflicts.length > 0 ? { conflicts } : { error: code }
      this.steps.push(storyStep(request, write, expect))
      return
    }
    if (step !== undefined) simulation.undo()
    const why = textAt(status, "message")
    this.remarks.push({
      line,
      message: `${manager} was refused with ${code}, but not by the engine alone${why === "" ? "" : `: ${why}`}`,
    })
  }

  /** Adds a state. The manager whose managedFields entry is new or has another time has written it. */
  private addState(entry: LoggedState, simulation: Simulation): void {
    const { state, line } = entry
    const before = this.live
    if (state === undefined) {
      if (before === undefined) return
      const deleted = { delete: keyOf(this.target) }
      this.play(deleted, { line }, simulation)
      this.known = undefined
      this.writes.push({ line, manager: "", user: "", outcome: "deleted", changes: [] })
      return
    }
    if (this.known !== undefined && versionOf(state) === versionOf(this.known)) return
    const writer = writerOf(simulation.types, this.known, state)
    const { manager = unexplained, subresource = "", time } = writer ?? {}
    const write: LoggedWrite = {
      line,
      ...(time !== undefined && { time }),
      verb: writer?.operation === "Apply" ? "apply" : before === undefined ? "create" : "update",
      manager,
      user: "",
      subresource,
      force: false,
      state,
      code: 200,
    }
    const request =
      write.verb === "apply" ? this.inferredApply(write, state, simulation) : requestFor(write, before, this.target)
    if (request === undefined) return void this.remarks.push({ line, message: "its writer is unknown" })
    const step = this.play(request, write, simulation)
    this.follow(write, request, step, simulation)
  }

  /** The apply that leads to this state: all fields that the manager owns afterwards, with force if it took fields from others. */
  private inferredApply(write: LoggedWrite, state: MapValue, simulation: Simulation): SimulationRequest | undefined {
    const { manager, subresource } = write
    const config = extract<MapValue>(state, { types: simulation.types, manager, subresource, unions: "off" })
    if (config === undefined) return undefined
    const named = withIdentity(config, this.target)
    const request = { manager, apply: named, ...(subresource !== "" && { subresource }) }
    const trial = simulation.play(request)
    simulation.undo()
    return trial.outcome === "conflict" ? { ...request, force: true } : request
  }

  private play(
    request: SimulationRequest,
    write: Pick<LoggedWrite, "line" | "time"> & Partial<LoggedWrite>,
    simulation: Simulation,
  ): Step {
    const step = simulation.play({ ...request, ...timeOf(write) })
    this.steps.push(storyStep(request, write, { outcome: step.outcome }))
    return step
  }

  /** Adds the expectations in the log to the last step, and further steps for changes that it does not explain. */
  private follow(write: LoggedWrite, request: SimulationRequest, step: Step, simulation: Simulation): void {
    const { state, line } = write
    const { types } = simulation
    const [before, after] = [this.known, state ?? step.after]
    this.known = after
    const changes = before === undefined ? [] : fieldChanges(types, withEntries(before), after && withEntries(after))
    const isSame = before !== undefined && versionOf(before) === versionOf(after)
    const isIdle = isSame || (changes.length === 0 && step.outcome === "unchanged")
    this.note(write, isIdle ? "unchanged" : "changed", changes)
    if (state === undefined) return
    const logged = withEntries(state)
    const missed = fieldChanges(types, step.after, logged)
    const owners = readManagedFields(state) === undefined ? [] : ownerChanges(step.after, logged)
    if (!step.refused && missed.length + owners.length === 0) {
      this.steps[this.steps.length - 1] = storyStep(request, write, expectationOf(step))
      return
    }
    if (step.refused) {
      simulation.undo()
      this.steps.pop()
    }
    this.catchUp(logged, line, simulation)
    const places = [...missed, ...owners.flatMap(({ gained, lost }) => [...gained, ...lost])]
    const paths = [...new Set(places.map(({ path }) => path))]
    const more = paths.length > mostPaths ? ` and ${paths.length - mostPaths} more` : ""
    this.remarks.push({
      line,
      message: `the request does not explain ${paths.slice(0, mostPaths).join(", ")}${more}`,
    })
  }

  /** Adds steps that bring the object to a state: first its values, then its owners, which only a write without other changes can set. */
  private catchUp(logged: MapValue, line: number, simulation: Simulation): void {
    const values = withoutManagedFields(logged)
    if (this.live === undefined) this.explain({ manager: unexplained, create: values }, line, simulation)
    // For most kinds, the status can be written only through its subresource, and nothing else through that.
    for (const subresource of ["", "status"]) {
      const now = this.live
      if (now === undefined || fieldChanges(simulation.types, now, logged).length === 0) break
      const common = { manager: unexplained, ...(subresource !== "" && { subresource }) }
      const patch = mergePatchBetween(plain(now), values)
      const change = patch === undefined ? { update: values } : { object: keyOf(this.target), patch }
      this.explain({ ...common, ...change }, line, simulation)
    }
    const entries = readManagedFields(logged)
    if (entries === undefined || ownerChanges(this.live, logged).length === 0) return
    const patch = { metadata: { managedFields: entries as unknown as Value } }
    this.explain({ manager: unexplained, object: keyOf(this.target), patch }, line, simulation)
  }

  /** Adds a step for a change that the log does not explain, unless it changes nothing. */
  private explain(request: SimulationRequest, line: number, simulation: Simulation): void {
    const step = simulation.play(request)
    if (step.after === step.before) simulation.undo()
    else this.steps.push({ ...storyStep(request, { line }, { outcome: step.outcome }), about: afterwards(line) })
  }

  private note(
    { line, manager, user }: LoggedWrite,
    outcome: RecordedWrite["outcome"],
    changes: readonly FieldChange[],
  ): void {
    this.writes.push({ line, manager, user, outcome, changes })
  }
}

function afterwards(line: number): string {
  return `other changes up to line ${line}, by admission or by writes that are not in the log`
}

function versionOf(object: MapValue | undefined): string {
  return object === undefined ? "" : textAt(metadataOf(object), "resourceVersion")
}

function timeOf({ time }: Pick<LoggedWrite, "time">): { readonly time?: string } {
  return time === undefined ? {} : { time }
}

/** The step in the form of a story: the manager, the request, and the expectation. */
function storyStep(
  request: SimulationRequest,
  write: Pick<LoggedWrite, "line" | "time"> & Partial<LoggedWrite>,
  expect: StoryExpectation,
): StoryStep {
  const { line, user = "" } = write
  const { manager, subresource, ...rest } = { manager: undefined, subresource: undefined, ...request }
  const about = `line ${line}${user === "" ? "" : `, ${user}`}`
  return {
    ...(manager !== undefined && { manager }),
    ...rest,
    about,
    ...timeOf(write),
    ...(subresource !== undefined && { subresource }),
    expect,
  } as unknown as StoryStep
}

/** The expectation for a step whose result is the same in the log. */
function expectationOf(step: Step): StoryExpectation {
  const { outcome, changes, ownership } = step
  const lost = ownership.filter(change => change.lost.length > 0)
  return {
    outcome,
    ...(outcome === "changed" && { changes: changes.map(({ path }) => path) }),
    ...(lost.length > 0 && {
      lost: Object.fromEntries(lost.map(change => [change.owner.manager, change.lost.map(({ path }) => path)])),
    }),
  }
}
