// The history of a simulation: its steps, and the objects and the schema after each step.
//
// A step holds its object before and after, which share unchanged parts. The objects after any step are computed from the last checkpoint,
// a map of all objects that is kept every hundred steps.
import type { MapValue } from "../../../value/value.js"
import type { Objects } from "./objects.js"
import { type OnRead, Snapshot } from "./snapshot.js"
import type { Step } from "./step.js"

const checkpointEvery = 100

export class History {
  readonly start: Objects
  private readonly startSchema: string
  /** All steps. Steps that were undone are at the end. */
  private readonly all: Step[]
  /** The schema after each step. */
  private readonly schemas: string[]
  /** The objects after every hundredth step. */
  private readonly checkpoints: Objects[]
  /** The number of steps that were not undone. */
  private count: number
  private current: Map<string, MapValue>
  /** Whether `current` was handed out, so that it must be copied before the next change. */
  private isShared = false

  constructor(start: Objects, schema: string, from?: History) {
    this.start = start
    this.startSchema = schema
    this.count = from?.count ?? 0
    this.all = from?.all.slice(0, this.count) ?? []
    this.schemas = from?.schemas.slice(0, this.count) ?? []
    this.checkpoints = from?.checkpoints.slice(0, Math.floor(this.count / checkpointEvery) + 1) ?? [start]
    this.current = new Map(from?.current ?? start)
  }

  /** The number of steps that were not undone. */
  get length(): number {
    return this.count
  }

  /** The steps that were not undone. */
  get steps(): readonly Step[] {
    return this.all.slice(0, this.count)
  }

  /** The current objects. The next step may change this map. */
  get objects(): Objects {
    return this.current
  }

  /** Returns the current objects, in a map that later steps do not change. */
  sharedObjects(): Objects {
    this.isShared = true
    return this.current
  }

  /** Returns the current state. `onRead` receives the key of each object that is read. */
  now(onRead?: OnRead): Snapshot {
    return new Snapshot(this.count, this.schema, this.sharedObjects(), onRead)
  }

  /** Returns the current state, valid until the next step. It need not copy the objects. */
  peek(): Snapshot {
    return new Snapshot(this.count, this.schema, this.current)
  }

  /** Returns the state after the step. */
  at(step: number): Snapshot {
    return new Snapshot(step, this.schemaAt(step), this.objectsAt(step))
  }

  /** The name of the current schema. */
  get schema(): string {
    return this.schemaAt(this.count)
  }

  /** Returns an independent copy without the steps that were undone. */
  fork(): History {
    return new History(this.start, this.startSchema, this)
  }

  /** Adds a step. Discards steps that were undone. */
  push(step: Step, schema: string): void {
    this.all.length = this.count
    this.schemas.length = this.count
    this.checkpoints.length = Math.floor(this.count / checkpointEvery) + 1
    this.all.push(step)
    this.schemas.push(schema)
    this.count++
    if (step.key !== undefined && step.before !== step.after) {
      if (this.isShared) this.current = new Map(this.current)
      this.isShared = false
      put(this.current, step)
    }
    if (this.count % checkpointEvery === 0) this.checkpoints.push(this.sharedObjects())
  }

  /** Goes to the state after this step, which may be one that was undone. Returns false if the step does not exist. */
  move(step: number): boolean {
    if (!(Number.isInteger(step) && step >= 0 && step <= this.all.length)) return false
    this.current = this.objectsAt(step)
    this.isShared = false
    this.count = step
    return true
  }

  schemaAt(step: number): string {
    return this.schemas[step - 1] ?? this.startSchema
  }

  objectsAt(step: number): Map<string, MapValue> {
    const checkpoint = Math.min(Math.floor(step / checkpointEvery), this.checkpoints.length - 1)
    const objects = new Map(this.checkpoints[checkpoint])
    for (let i = checkpoint * checkpointEvery; i < step; i++) put(objects, this.all[i] as Step)
    return objects
  }
}

function put(objects: Map<string, MapValue>, { key, after }: Step): void {
  if (key === undefined) return
  if (after === undefined) objects.delete(key)
  else objects.set(key, after)
}
