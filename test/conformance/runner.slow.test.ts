/** The runner of the conformance suite, with small programs as adapters. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { projectRoot } from "../support/entries.js"

const folder = join(projectRoot, "conformance")
const cases = casesOf("sets")

function casesOf(level: string) {
  const lines = readFileSync(join(folder, `cases/${level}.jsonl`), "utf8")
    .trim()
    .split("\n")
  return lines.map(line => JSON.parse(line) as { id: string; request: { op: string }; expect: { changes?: string } })
}

/** An adapter that knows the answers. `change` is an expression that changes an `answer` to a request with this `op`. */
function knowing(change: string): string {
  return `
    const lines = require("fs").readFileSync(${JSON.stringify(join(folder, "cases/sets.jsonl"))}, "utf8").trim().split("\\n")
    const known = new Map(lines.map(line => JSON.parse(line)).map(({ id, expect }) => [id, expect]))
    require("readline").createInterface({ input: process.stdin }).on("line", line => {
      const { id, op } = JSON.parse(line)
      const answer = { ...known.get(id), id }
      console.log(JSON.stringify(${change}))
    })`
}

function run(program: string, ...options: string[]): { status: number | null; stdout: string; stderr: string } {
  const args = [join(folder, "run.mjs"), "--level", "sets", ...options, "--", process.execPath, "-e", program]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" })
  return { status, stdout, stderr }
}

describe("the runner", () => {
  it("passes right answers", () => {
    const { status, stdout } = run(knowing("answer"), "--json")
    expect(JSON.parse(stdout)).toMatchObject({ levels: { sets: { pass: cases.length, fail: 0, unsupported: 0 } } })
    expect(status).toBe(0)
  })

  it("counts unsupported answers apart", () => {
    const filters = cases.filter(({ request }) => request.op === "filter").length
    const { status, stdout } = run(knowing(`op === "filter" ? { id, unsupported: true } : answer`), "--json")
    expect(JSON.parse(stdout).levels.sets).toEqual({ pass: cases.length - filters, fail: 0, unsupported: filters })
    expect(status).toBe(0)
  })

  it("accepts the answers of matchers that know only yes or no", () => {
    const words = casesOf("matches").map(({ expect: { changes } }) => changes)
    const count = (...changes: string[]) => words.filter(word => changes.includes(word ?? "")).length
    const args = [
      join(folder, "run.mjs"),
      "--json",
      "--level",
      "matches",
      "--",
      process.execPath,
      "-e",
      knowing("{ id, differs: true }"),
    ]
    const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8" })
    expect(JSON.parse(stdout).levels.matches).toEqual({
      pass: count("object", "owners"),
      fail: count("nothing"),
      unsupported: count("conflict", "refused"),
    })
  })

  it("reports the smallest failures first, with their rules", () => {
    const { status, stdout } = run(knowing(`op === "filter" || op === "leaves" ? { ...answer, set: "?" } : answer`))
    expect(stdout).toContain('sets/leaves of nothing (sets; rules S5)\n  set is "?", not "{}"\n')
    expect(stdout.indexOf("sets/leaves of nothing")).toBeLessThan(stdout.indexOf("sets/every member"))
    expect(status).toBe(1)
  })

  it("fails errors, panics, other ids and texts that are no JSON", () => {
    for (const change of [`{ id, error: "no" }`, `{ id, panic: "no" }`, `{ ...answer, id: 1 }`]) {
      const right = change.includes("error") ? cases.filter(({ expect: wanted }) => "error" in wanted).length : 0
      expect(JSON.parse(run(knowing(change), "--json").stdout).levels.sets.pass).toBe(right)
    }
  })

  it("gives up on a program that hangs or ends", () => {
    expect(run("setInterval(() => {}, 1000)", "--timeout", "0").stdout).toContain("no answer in 0 s")
    expect(run("process.exit()").stdout).toContain("the program ended")
  })

  it("refuses unknown levels and a missing command", () => {
    const refused = spawnSync(process.execPath, [join(folder, "run.mjs"), "--level", "none"], { encoding: "utf8" })
    expect(refused.stderr).toContain("the levels are paths, sets, typed")
    expect(refused.status).toBe(2)
    expect(spawnSync(process.execPath, [join(folder, "run.mjs")]).status).toBe(2)
  })
})
