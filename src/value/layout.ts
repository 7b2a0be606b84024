const kept: object[] = []

/**
 * Keeps `instance` for good, and so the layout of its class.
 *
 * V8 keeps the layout of a class only while the class has instances. A full collection at a moment when it has none drops the
 * layout and all code compiled for it, and that code then runs in the interpreter until it is hot again. So each class whose
 * instances live only as long as a call keeps one for good; docs/internals/engine.md, "Layouts", has the figures.
 */
export function keepLayout(instance: object): void {
  kept.push(instance)
}
