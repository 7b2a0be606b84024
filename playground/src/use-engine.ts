// The page's side of the engine: starts the worker, sends it the state, and receives the contents of the panes.
import { proxy, type Remote, wrap } from "comlink"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { Engine, Progress } from "./engine.js"
import startWorker from "./engine-worker.js?start"
import { changeOf, sceneOf } from "./scene.js"
import { emptyState, type State } from "./state.js"
import type { Question, View } from "./view.js"

/** The engine in its worker. */
export class PageEngine {
  /** The methods of `Engine` that are not about the state of the page, or only about the state of the last `with`. */
  readonly remote: Remote<Engine>
  private scene = sceneOf(emptyState)

  constructor(remote: Remote<Engine>) {
    this.remote = remote
  }

  /** Sends the changes of the state. The methods of the result are about this state. */
  with(state: State): Remote<Engine> {
    const scene = sceneOf(state)
    const change = changeOf(this.scene, scene)
    this.scene = scene
    if (Object.keys(change).length > 0) void this.remote.sync(change)
    return this.remote
  }
}

let started: Promise<PageEngine> | undefined

/** Starts the engine, or returns the engine that was started before. Rejects if it can't be loaded; the next call tries again. */
export function startEngine(): Promise<PageEngine> {
  started ??= new Promise<PageEngine>((resolve, reject) => {
    const worker = startWorker()
    const fail = (): void => {
      started = undefined
      worker.terminate()
      reject(new Error("The engine can't be loaded."))
    }
    worker.onerror = fail
    const remote = wrap<Engine>(worker)
    remote.sync({}).then(() => {
      worker.onerror = null
      resolve(new PageEngine(remote))
    }, fail)
  })
  return started
}

/** A part of the page that could not be loaded, for example because the network is gone. */
export interface Failure {
  /** The part, for people. */
  readonly what: string
  readonly retry: () => void
}

/** Returns the engine; undefined until it is loaded. */
export function useEngine(onFailure: (failure: Failure) => void): PageEngine | undefined {
  const [engine, setEngine] = useState<PageEngine>()
  useEffect(() => {
    const load = (): void => {
      startEngine().then(setEngine, () => onFailure({ what: "The engine", retry: load }))
    }
    load()
  }, [])
  return engine
}

/** The last answer of the engine. Parts are absent until the first one. */
export interface ShownView extends Partial<View> {
  /** The state that the answer is about. */
  readonly state?: State
  /** Set while the engine has been computing the next answer for a while: the progress of a long story, or nothing. */
  readonly busy?: Partial<Progress>
}

/** The time after which the page says that it waits for the engine, in milliseconds. */
const patience = 300

/** Asks for the contents of the panes whenever the state or the question changes. */
export function useView(
  engine: PageEngine | undefined,
  state: State,
  { object, compared }: Question,
  onFailure: (failure: Failure) => void,
): ShownView {
  const [view, setView] = useState<ShownView>({})
  const [isSlow, setSlow] = useState(false)
  const [progress, setProgress] = useState<Progress>()
  const asked = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => void engine?.remote.onProgress(proxy(setProgress)), [engine])
  useLayoutEffect(() => {
    if (engine === undefined) return
    const question = ++asked.current
    const isNewest = () => question === asked.current
    const ask = async (): Promise<void> => {
      timer.current ??= setTimeout(() => setSlow(true), patience)
      try {
        const parts = await engine.with(state).look({ object, compared })
        if (parts !== undefined) setView(before => ({ ...before, ...parts, state }))
      } catch (error) {
        if (isNewest()) onFailure({ what: "A part of the engine", retry: () => void (isNewest() && ask()) })
        reportError(error)
      }
      if (!isNewest()) return
      clearTimeout(timer.current)
      timer.current = undefined
      setSlow(false)
      setProgress(undefined)
    }
    void ask()
  }, [engine, state, object, compared])
  return isSlow ? { ...view, busy: progress ?? {} } : view
}
