/**
 * Returns a function that computes its result again only if one of its arguments is not the same as in the last call, or if the last result
 * was a promise that rejected.
 */
export function memo<Args extends readonly unknown[], Result>(
  compute: (...args: Args) => Result,
): (...args: Args) => Result {
  let last: { readonly args: Args; readonly result: Result } | undefined
  return (...args) => {
    if (last !== undefined && args.every((arg, i) => arg === last?.args[i])) return last.result
    const result = compute(...args)
    last = { args, result }
    if (result instanceof Promise) {
      result.catch(() => {
        last = undefined
      })
    }
    return result
  }
}
