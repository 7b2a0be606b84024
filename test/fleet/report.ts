// Prints the results of the fleet test, and counts the problems.
import type { Ran } from "./shell.js"

/** The most memory that an smd may hold, however much it reads, in MB. */
const mostMegabytes = 300

export class Report {
  #problems = 0

  /** Prints a line. */
  say(line: string): void {
    process.stdout.write(`${line}\n`)
  }

  /** Prints the speed of a run on `objects` of `megabytes` in total, and reports a problem if it held too much memory. */
  ran(name: string, { seconds, megabytes: held }: Ran, objects: number, megabytes: number): void {
    const speed = `${Math.round(objects / seconds)} objects and ${(megabytes / seconds).toFixed(1)} MB a second`
    this.say(`${name}: ${seconds.toFixed(1)} s, ${speed}, at most ${held.toFixed(0)} MB held`)
    this.check(held > 0 && held < mostMegabytes, `${name}: an smd held ${held.toFixed(0)} MB`)
  }

  /** Prints the problem unless `isTrue`. */
  check(isTrue: boolean, problem: string): void {
    if (isTrue) return
    this.#problems++
    this.say(`FAILED ${problem}`)
  }

  /** Prints the result, and returns the exit status. */
  end(): number {
    this.say(this.#problems === 0 ? "all recipes agree, and none hides a failure" : `${this.#problems} problems`)
    return this.#problems === 0 ? 0 : 1
  }
}
