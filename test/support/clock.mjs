// The clock of the tests: it stands still, so that no test depends on the hour or on the end of a second. It replaces the clock of the
// machine in the processes of vitest and in the bundles of `smd` that tests run. With TEST_CLOCK_STEP=900, it advances by this many
// milliseconds at each reading, so that a second can end anywhere.
const step = Number(process.env.TEST_CLOCK_STEP ?? 0)

if (globalThis.testClock === undefined) {
  globalThis.testClock = Date.UTC(2026, 0, 1)
  const read = () => {
    const time = globalThis.testClock
    globalThis.testClock += step
    return time
  }
  const text = () => new Date().toString()
  Date.now = read
  globalThis.Date = new Proxy(Date, {
    apply: text,
    construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [read()] : args, made),
  })
  Date.prototype.constructor = Date
}
