// The library that runs CEL: an optional peer, loaded when there is a definition of custom resources to read rules from.

/** What of the library is used. */
export type CelLibrary = typeof import("@marcbachmann/cel-js")

/** Where variables, types and functions of expressions are registered. */
export type Environment = InstanceType<CelLibrary["Environment"]>

/** The name under which the library is installed. */
export const celPackage = "@marcbachmann/cel-js"

let loading: Promise<void> | undefined
let library: CelLibrary | undefined

/** Loads the library, once. Fulfilled where it is not installed, too: then `celLibrary` returns undefined. */
export function loadCel(): Promise<void> {
  return (loading ??= load())
}

async function load(): Promise<void> {
  try {
    library = await import("@marcbachmann/cel-js")
  } catch {
    library = undefined
  }
}

/** The library; undefined before `loadCel` is done, and where it is not installed. */
export function celLibrary(): CelLibrary | undefined {
  return library
}
