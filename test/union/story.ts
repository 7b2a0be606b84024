// Changes one object step by step, in a notation with one line per step:
//
//   "ctl = {kind: PX, px: 1}"   ctl updates the object to this
//   "A < {py: 1}"               A applies this
//   "A ! {py: 1}"               A applies this by force

import { UnionError } from "../../src/errors.js"
import type { Managers } from "../../src/fieldpath/managers.js"
import { formatPath } from "../../src/fieldpath/path.js"
import { parseYaml } from "../../src/io/index.js"
import { ConflictError } from "../../src/merge/conflict.js"
import type { UpdateResult } from "../../src/merge/request.js"
import { Updater, type UpdaterOptions } from "../../src/merge/updater.js"
import { parseTypes } from "../../src/typed/parser.js"
import type { Type } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import type { UnionPolicy, UnionPolicyName } from "../../src/union/policy.js"
import { formatUnionChange } from "../../src/union/report.js"
import type { Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"

export type PolicyChoice = UnionPolicyName | UnionPolicy

export function yaml(text: string): Value {
  return deepFreeze(parseYaml(text))
}

/** Returns the type `root`, or another type, of a schema. */
export function typeOf(schema: string, name = "root"): Type {
  return parseTypes(yaml(schema)).type(name)
}

export function typed(type: Type, text: string): TypedValue {
  return TypedValue.of(yaml(text), type)
}

export class Story {
  live: TypedValue
  managers: Managers = new Map()
  /** The report of the last step, or the reason why it failed. */
  last: string[] = []
  error: unknown
  private readonly updater: Updater
  private readonly apiVersion: string

  constructor(type: Type, options: UpdaterOptions = {}, apiVersion = "v1") {
    this.live = TypedValue.of(null, type)
    this.updater = new Updater(options)
    this.apiVersion = apiVersion
  }

  /** Runs steps. A policy in front of a step (`off: ctl = {…}`) holds for that step alone. */
  tell(...steps: readonly string[]): this {
    for (const step of steps) this.take(step)
    return this
  }

  private take(step: string): void {
    const [, policy, manager = "", verb, object = ""] = /^(?:([\w-]+): )?(\w+) ([=<!]) (.*)$/s.exec(step) ?? []
    if (verb === undefined) throw new RangeError(`not a step: ${step}`)
    const value = typed(this.live.type, object)
    const request = {
      manager,
      apiVersion: this.apiVersion,
      managers: this.managers,
      ...(policy !== undefined && { unions: policy as UnionPolicyName }),
    }
    this.error = undefined
    try {
      const result =
        verb === "="
          ? this.updater.update(this.live, value, request)
          : this.updater.apply(this.live, value, { ...request, force: verb === "!" })
      this.keep(result)
    } catch (error) {
      this.error = error
      this.last = [error instanceof Error ? error.message : String(error)]
    }
  }

  private keep(result: UpdateResult): void {
    this.live = result.object
    this.managers = result.managers
    this.last = result.unions.map(formatUnionChange)
  }

  get conflict(): ConflictError {
    if (!(this.error instanceof ConflictError)) throw new TypeError("the last step had no conflict")
    return this.error
  }

  /** The owners and their fields: `A: .numeric .type`. */
  get owners(): string[] {
    return Array.from(this.managers, ([manager, { set }]) => `${manager}: ${[...set].map(formatPath).join(" ")}`).sort()
  }
}

/** Returns the result of `run`, or null if the policy refuses. */
export function unlessRefused<T>(run: () => T): T | null {
  try {
    return run()
  } catch (error) {
    if (error instanceof UnionError) return null
    throw error
  }
}
