// The course of a simulation: its steps, and the objects and the schema after each of them.
//
// A step keeps the object as it was before and after, which share everything that did not change. So going forward or back puts the one or
// the other in its place. Every hundred steps all objects are noted, so no state is further away than that.
import type { MapValue } from "../../value/value.js"
import type { Objects } from "./objects.js"
import type { Step } from "./step.js"

const checkpointEvery = 100

export class History {
  /** The objects at the start. */
  readonly start: Objects
  /** The schema at the start. */
  private readonly startSchema: string
  /** All steps; those that were undone are at the end. */
  private readonly all: Step[]
  /** The schema after each step. */
  private readonly schemas: string[]
  /** The objects after every hundredth step. */
  private readonly checkpoints: Objects[]
  /** How many of the steps count. */
  private count: number
  private current: Map<string, MapValue>
  /** Whether somebody else has `current`, so it can't be changed any more. */
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

  /** How many steps count. */
  get length(): number {
    return this.count
  }

  /** The steps that count. */
  get steps(): readonly Step[] {
    return this.all.slice(0, this.count)
  }

  /** The objects as they are now. The next step may change this map. */
  get objects(): Objects {
    return this.current
  }

  /** The objects as they are now, in a map that stays as it is. */
  snapshot(): Objects {
    this.isShared = true
    return this.current
  }

  /** The schema as it is now. */
  get schema(): string {
    return this.schemaAt(this.count)
  }

  /** A course of its own that goes on from here. Steps that were undone are not in it. */
  fork(): History {
    return new History(this.start, this.startSchema, this)
  }

  /** Adds a step. Steps that were undone are forgotten. */
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
    if (this.count % checkpointEvery === 0) this.checkpoints.push(this.snapshot())
  }

  /** Goes to the moment after this step, also to one that was undone. Returns whether there is one. */
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
