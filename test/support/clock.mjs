// The clock of the tests: a time that stands still, so that no test depends on the hour, or on where a second ends. It takes the place
// of the clock of the machine in the processes of vitest and in the bundles of `smd` that tests run. With TEST_CLOCK_STEP=900 it goes
// on by so many milliseconds each time it is read, so that seconds end everywhere.
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
