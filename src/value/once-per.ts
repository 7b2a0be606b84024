// Facts about objects that are computed once. Objects must not change while facts about them are in use.

/** Returns a function that calls `compute` once for each object and keeps the result as long as the object is in memory. */
export function oncePer<K extends object, V extends NonNullable<unknown>>(compute: (object: K) => V): (object: K) => V {
  const known = new WeakMap<K, V>()
  return object => {
    let result = known.get(object)
    if (result === undefined) known.set(object, (result = compute(object)))
    return result
  }
}
