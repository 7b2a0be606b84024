// The library that runs CEL: an optional peer dependency, loaded when a definition may have rules. Exports that have its types are internal,
// because a project without the library could not compile their declarations.

/** @internal The module of the library. */
export type CelLibrary = typeof import("@marcbachmann/cel-js")

/** @internal Holds the variables, types and functions of expressions. */
export type Environment = InstanceType<CelLibrary["Environment"]>

/** The name under which the library is installed. */
export const celPackage = "@marcbachmann/cel-js"

let loading: Promise<boolean> | undefined
let library: CelLibrary | undefined

/**
 * Loads the optional peer `@marcbachmann/cel-js`, once. From then on, validation runs the CEL rules of custom resources. Returns whether the
 * package is installed; throws nothing if it is not.
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

/** @internal Returns the library; undefined if it is not installed, or not loaded yet. */
export function celLibrary(): CelLibrary | undefined {
  return library
}
