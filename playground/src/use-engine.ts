// Hooks that load the engine and the types. They return undefined until the parts are loaded.
import { useEffect, useMemo, useState } from "preact/hooks"
import type { Admission } from "structured-merge-diff/ownership"
import type { ServerPart } from "./play.js"
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

/** The parts of a server that were loaded for a story. */
export interface LoadedServer {
  readonly admission?: Admission | undefined
}

const bare: LoadedServer = {}

/** Loads the parts of a server that the story needs. While it loads more, returns those of before; undefined if there are none. */
export function useServer(
  engine: Engine | undefined,
  state: State,
  onFailure: (failure: Failure) => void,
): LoadedServer | undefined {
  const [loaded, setLoaded] = useState<LoadedServer>()
  const needed = useMemo(() => engine?.serverParts(state).join(" "), [engine, state])
  useEffect(() => {
    if (engine === undefined || needed === undefined || needed === "") return setLoaded(bare)
    let isGone = false
    const load = (): void => {
      engine.loadServer(needed.split(" ") as ServerPart[]).then(
        admission => {
          if (!isGone) setLoaded({ admission })
        },
        () => onFailure({ what: "The admission of the server", retry: load }),
      )
    }
    load()
    return () => {
      isGone = true
    }
  }, [engine, needed])
  return needed === "" ? bare : loaded
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
