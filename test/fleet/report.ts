// What the fleet test prints, and whether all was well.
import type { Ran } from "./shell.js"

/** The most that an smd may hold, however much it reads. In MB. */
const mostMegabytes = 300

export class Report {
  #problems = 0

  /** Prints a line. */
  say(line: string): void {
    process.stdout.write(`${line}\n`)
  }

  /** Prints what a run took, for `objects` of `megabytes` altogether, and finds fault with what it held. */
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
