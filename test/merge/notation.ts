// Stories of one object, as tests write them: applies and updates by managers, and the state after them.
//
//   tell([apply("alice", {s: "a"}), update("bob", {s: "b"})])
//     -> {live: {s: "b"}, managers: {bob: "v1 s"}}            managers as in ../fieldpath/managers-notation.ts
//
// All inputs and results of operations are frozen, and each step checks that it did not change the given managers.

import type { Managers } from "../../src/fieldpath/managers.js"
import { ConflictError } from "../../src/merge/conflict.js"
import type { UpdateResult } from "../../src/merge/request.js"
import { Updater, type UpdaterOptions } from "../../src/merge/updater.js"
import type { Converter } from "../../src/merge/versions.js"
import type { Type } from "../../src/typed/type.js"
import { compileSchema } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import type { Value } from "../../src/value/value.js"
import { showManagers } from "../fieldpath/managers-notation.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { schemaOf, struct, text, thing, typed, withDuplicates } from "../typed/notation.js"

export interface Step {
  readonly op: "apply" | "force" | "update"
  readonly manager: string
  readonly object: Value
  readonly version: string
}

export function apply(manager: string, object: Value, version = "v1"): Step {
  return { op: "apply", manager, object, version }
}

export function force(manager: string, object: Value, version = "v1"): Step {
  return { op: "force", manager, object, version }
}

export function update(manager: string, object: Value, version = "v1"): Step {
  return { op: "update", manager, object, version }
}

/** An object with its managers, taken from step to step. */
export class Story {
  live: TypedValue
  managers: Managers = new Map()
  private readonly updater: Updater
  private readonly typeAt: (version: string) => Type
  private readonly converter: Converter | undefined

  constructor(options: UpdaterOptions = {}, typeAt: (version: string) => Type = () => thing) {
    this.updater = new Updater(options)
    this.typeAt = typeAt
    this.converter = options.converter
    this.live = typed(null, typeAt("v1"))
  }

  /** Runs the step. A step that throws changes nothing. */
  take({ op, manager, object, version }: Step): UpdateResult {
    const live = this.converter === undefined ? this.live : this.converter.convert(this.live, version)
    if (live === undefined) throw new Error(`no version ${version}`)
    const { managers } = this
    const request = { manager, apiVersion: version, managers, force: op === "force" }
    const type = this.typeAt(version)
    const run = () =>
      op === "update"
        ? this.updater.update(live, withDuplicates(object, type), request)
        : this.updater.apply(live, typed(object, type), request)
    const result = keeping(managers, run)
    deepFreeze(result.object.value)
    for (const { set } of result.managers.values()) deepFreeze(set)
    this.live = result.object
    this.managers = result.managers
    return result
  }

  /** The state: the object, and the managers in their notation. */
  get state(): { live: Value; managers: Record<string, string> } {
    return { live: this.live.value, managers: showManagers(this.managers) }
  }
}

/** Returns the result of `run`. Throws an error if `run` changed the managers, whether it returned or threw. */
function keeping(managers: Managers, run: () => UpdateResult): UpdateResult {
  const before = JSON.stringify(showManagers(managers))
  const check = () => {
    if (JSON.stringify(showManagers(managers)) !== before) throw new Error("changed the given managers")
  }
  try {
    const result = run()
    check()
    return result
  } catch (error) {
    check()
    throw error
  }
}

/** The state after these steps. */
export function tell(steps: readonly Step[], options: UpdaterOptions = {}): Story["state"] {
  const story = new Story(options)
  for (const step of steps) story.take(step)
  return story.state
}

/** Returns the message of the last step's conflict, or `none`. */
export function conflictOf(steps: readonly Step[], options: UpdaterOptions = {}): string {
  const story = new Story(options)
  for (const step of steps.slice(0, -1)) story.take(step)
  const before = story.state
  try {
    story.take(steps[steps.length - 1] as Step)
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error
    if (story.state.live !== before.live) throw new Error("changed the object")
    return error.message
  }
  return "none"
}

const versions = compileSchema(
  schemaOf({
    v1: struct({ s: text, old: text, gone: text }),
    v2: struct({ s: text, new: text, gone: text }),
    v3: struct({ s: text, new: text, extra: text }),
  }),
)

/** The types of an object whose field `old` was renamed to `new` in v2, and whose field `gone` was removed in v3. */
export function typeAt(version: string): Type {
  return versions.type(version)
}

/** Converts between v1, v2 and v3, and counts how often. */
export class Renaming implements Converter {
  conversions = 0

  convert(object: TypedValue, apiVersion: string): TypedValue | undefined {
    const from = object.type.name
    if (!["v1", "v2", "v3"].includes(apiVersion)) return undefined
    if (from === apiVersion) return object
    this.conversions++
    const out: Record<string, Value> = {}
    for (const [key, value] of Object.entries((object.value ?? {}) as Record<string, Value>)) {
      const renamed = key === "old" || key === "new" ? (apiVersion === "v1" ? "old" : "new") : key
      if (renamed === "gone" && apiVersion === "v3") continue
      out[renamed] = value
    }
    return TypedValue.of(object.value === null ? null : deepFreeze(out), typeAt(apiVersion))
  }
}
