const kept: object[] = []

/**
 * Keeps `instance` for good, and so the layout of its class.
 *
 * V8 holds on to the layout of a class by its instances. A full collection while none is alive drops the layout, and with it all
 * code compiled for it, which then runs in the interpreter until it is hot again. Each class whose instances live only as long as a
 * call keeps one this way; docs/internals.md, "Layouts", has the figures.
 */
export function keepLayout(instance: object): void {
  kept.push(instance)
}
