// The controllers of a server. Their code is loaded with the first server that has any, and begins to run when it is there.

import type { ShapeProblem } from "../value/shape.js"
import type { Value } from "../value/value.js"
import { builtInStages } from "./controllers/built-in.js"
import type { ControlledServer, ControllerEngine, ControllerFailure, EngineState } from "./controllers/engine.js"
import { actionsOf, readStages, type Stage, type StageItem, stageProblems } from "./controllers/stages.js"

const functions = builtInStages.flatMap(stage => actionsOf(stage).flatMap(({ call }) => call ?? []))

/** Returns the stages of the option `controllers`. Throws a StructuredMergeError with all problems. */
export function stagesOf(given: boolean | readonly StageItem[] | undefined): readonly Stage[] {
  if (given === undefined || given === false) return []
  return readStages(given === true ? ["*"] : given, builtInStages, functions)
}

/** Returns the problems of a document `{ stages: [...] }`, each with its path. */
export function controllerProblems(document: Value): readonly ShapeProblem[] {
  return stageProblems(document, { stages: builtInStages.map(({ name }) => name), functions })
}

type Engine = new (...parameters: ConstructorParameters<typeof ControllerEngine>) => ControllerEngine
/** The code, once it is loaded. */
let code: Engine | undefined

/** What controllers need. */
interface ControllersParts {
  readonly stages: readonly Stage[]
  readonly server: ControlledServer
  /** Loads what the requests of controllers need besides the engine. */
  readonly prepare: () => Promise<void>
  /** The controllers of the same state, which these continue. */
  readonly from?: Controllers | undefined
  /** Whether they do nothing until the state or the time changes. */
  readonly isAsleep?: boolean | undefined
}

/** The controllers of one state of a server. */
export class Controllers {
  readonly failures: ControllerFailure[] = []
  readonly stages: readonly Stage[]
  private readonly server: ControlledServer
  private readonly prepare: () => Promise<void>
  private readonly state: EngineState | undefined
  private readonly isAsleep: boolean
  private engine: ControllerEngine | undefined
  private starting: Promise<void> | undefined

  constructor({ stages, server, prepare, from, isAsleep = false }: ControllersParts) {
    this.stages = stages
    this.server = server
    this.prepare = prepare
    this.state = isAsleep ? undefined : from?.current
    this.isAsleep = isAsleep || (from?.engine?.isAsleep ?? from?.isAsleep ?? false)
  }

  /** The work that is left now; undefined if nothing is known. */
  private get current(): EngineState | undefined {
    return this.engine?.state ?? this.state
  }

  /** Begins to run. Returns a promise if the code has to be loaded first. Rejects with a StructuredMergeError for stages whose expressions are not right. */
  start(): Promise<void> | undefined {
    if (this.engine !== undefined) return undefined
    if (this.starting !== undefined) return this.starting
    if (code === undefined) return (this.starting = this.load())
    try {
      return this.begin(code)
    } catch (error) {
      return (this.starting = Promise.reject(error))
    }
  }

  private async load(): Promise<void> {
    const [{ ControllerEngine }] = await Promise.all([import("./controllers/engine.js"), this.prepare()])
    code = ControllerEngine
    await this.begin(code)
  }

  private begin(Code: Engine): Promise<void> | undefined {
    const { stages, server, failures, isAsleep, state } = this
    this.engine = new Code(stages, server, failures, isAsleep, state)
    return this.engine.run()
  }

  /** Reacts to the changes of the store. Returns a promise if a request of a controller waits for a webhook. */
  run(): Promise<void> | undefined {
    return this.engine?.run()
  }

  close(): void {
    this.engine?.close()
  }
}
