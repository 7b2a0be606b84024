// Hooks that load the engine and the types. They return undefined until the parts are loaded.
import { useEffect, useState } from "preact/hooks"
import type { State } from "./store.js"
import type { Types } from "./types.js"

export type Engine = typeof import("./engine.js")

/** A part of the page that could not be loaded, for example because the network is gone. */
export interface Failure {
  /** The part, for people. */
  readonly what: string
  readonly retry: () => void
}

/** Returns the engine; undefined until it is loaded. */
export function useEngine(onFailure: (failure: Failure) => void): Engine | undefined {
  const [engine, setEngine] = useState<Engine>()
  useEffect(() => {
    const load = (): void => {
      import("./engine.js").then(setEngine, () => onFailure({ what: "The engine", retry: load }))
    }
    load()
  }, [])
  return engine
}

/** The types of the state, and the problem of the pasted text if it has one. */
export interface LoadedTypes {
  readonly types?: Types
  readonly problem?: string
}

/** Loads the types of the state, and loads them again when the text or the policy changes. */
export function useTypes(engine: Engine | undefined, { types: text, unions }: State): LoadedTypes {
  const [loaded, setLoaded] = useState<LoadedTypes>({})
  const withUnions = unions !== "off" && unions !== ""
  useEffect(() => {
    if (engine === undefined) return
    let isGone = false
    loadTypes(engine, text, withUnions).then(result => {
      if (!isGone) setLoaded(result)
    })
    return () => {
      isGone = true
    }
  }, [engine, text, withUnions])
  return loaded
}

/** Returns the types of a text. If the text has a problem, returns the problem and the built-in types. */
export async function loadTypes(engine: Engine, text: string, withUnions: boolean): Promise<LoadedTypes> {
  if (text.trim() === "") return { types: await engine.builtInTypes(withUnions) }
  try {
    return { types: await engine.typesOfText(text, withUnions) }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return { types: await engine.builtInTypes(withUnions), problem }
  }
}
