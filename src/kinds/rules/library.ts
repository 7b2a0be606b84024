// The library that runs CEL: an optional peer, loaded when there is a definition of custom resources to read rules from.

/** What of the library is used. */
export type CelLibrary = typeof import("@marcbachmann/cel-js")

/** Where variables, types and functions of expressions are registered. */
export type Environment = InstanceType<CelLibrary["Environment"]>

/** The name under which the library is installed. */
export const celPackage = "@marcbachmann/cel-js"

let loading: Promise<boolean> | undefined
let library: CelLibrary | undefined

/**
 * Loads the optional peer `@marcbachmann/cel-js`, once: from then on, the rules in CEL of custom resources are run wherever objects are
 * validated. Returns whether it is installed; nothing is thrown if it is not.
 */
export function loadCel(): Promise<boolean> {
  return (loading ??= load())
}

async function load(): Promise<boolean> {
  try {
    library = await import("@marcbachmann/cel-js")
  } catch {
    library = undefined
  }
  return library !== undefined
}

/** The library; undefined before `loadCel` is done, and where it is not installed. */
export function celLibrary(): CelLibrary | undefined {
  return library
}
