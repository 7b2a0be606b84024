// The engine and the types in components: undefined until they are loaded.
import { useEffect, useState } from "preact/hooks"
import type { State } from "./store.js"
import type { Types } from "./types.js"

export type Engine = typeof import("./engine.js")

/** The engine, as soon as it is there. */
export function useEngine(): Engine | undefined {
  const [engine, setEngine] = useState<Engine>()
  useEffect(() => {
    import("./engine.js").then(setEngine)
  }, [])
  return engine
}

/** The types of the state, and what is wrong with the text that they come from. */
export interface LoadedTypes {
  readonly types?: Types
  readonly problem?: string
}

/** Loads the types of the state, anew where the text or the meaning of unions changes. */
export function useTypes(engine: Engine | undefined, { types: text, unions }: State): LoadedTypes {
  const [loaded, setLoaded] = useState<LoadedTypes>({})
  const withUnions = unions !== "off" && unions !== ""
  useEffect(() => {
    if (engine === undefined) return
    let isGone = false
    loadTypes(engine, text, withUnions).then(found => {
      if (!isGone) setLoaded(found)
    })
    return () => {
      isGone = true
    }
  }, [engine, text, withUnions])
  return loaded
}

/** The types of a text, or what is wrong with it together with the built-in types. */
export async function loadTypes(engine: Engine, text: string, withUnions: boolean): Promise<LoadedTypes> {
  if (text.trim() === "") return { types: await engine.builtInTypes(withUnions) }
  try {
    return { types: await engine.typesOfText(text, withUnions) }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return { types: await engine.builtInTypes(withUnions), problem }
  }
}
