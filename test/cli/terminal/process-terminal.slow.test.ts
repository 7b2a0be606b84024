import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { columnsOf, processTerminal, progressOn } from "../../../src/cli/terminal/process-terminal.js"
import { runSourceAlone } from "../../support/alone.js"

/** Runs a command in a process of its own, whose writes to a stream fail with this code. */
function runWithFailing(stream: "stdout" | "stderr", code: string, argv: readonly string[]) {
  return runSourceAlone(`
    import { run } from "../src/cli/run.js"
    import { processTerminal } from "../src/cli/terminal/process-terminal.js"
    process.${stream}._write = (chunk, encoding, done) => done(Object.assign(new Error("${code}: write"), { code: "${code}" }))
    run(${JSON.stringify(argv)}, processTerminal()).then(status => { process.exitCode = status })
  `)
}

describe("processTerminal", () => {
  it.each([
    ["ENOSPC", "no space left on device"],
    ["EIO", "EIO: write"],
  ])("ends with 2 and a message if standard output fails with %s", async (code, why) => {
    const ending = await runWithFailing("stdout", code, ["validate", "--help"])
    expect(ending).toEqual({ status: 2, output: "", errors: `smd: output can't be written: ${why}\n` })
  })

  it("ends with 2 if standard error fails", async () => {
    const { status } = await runWithFailing("stderr", "ENOSPC", ["validate", "/no/such/file"])
    expect(status).toBe(2)
  })

  it.each(["stdout", "stderr"] as const)("ignores that nobody reads %s any more", async stream => {
    const { status, errors } = await runWithFailing(stream, "EPIPE", ["list-types", "--help"])
    expect([status, errors]).toEqual([0, ""])
  })

  it("lists folders, and nothing else", async () => {
    const folder = mkdtempSync(join(tmpdir(), "smd-"))
    mkdirSync(join(folder, "inner"))
    writeFileSync(join(folder, "a.yaml"), "")
    const { list } = processTerminal()
    const entries = (await list(folder)) ?? []
    expect([...entries].sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: "a.yaml", type: "file" },
      { name: "inner", type: "folder" },
    ])
    expect([await list(join(folder, "a.yaml")), await list(join(folder, "none"))]).toEqual([undefined, undefined])
    rmSync(folder, { recursive: true })
  })
})

describe("columnsOf", () => {
  it.each([
    [{ columns: 100 }, {}, 100],
    [{ columns: 100 }, { COLUMNS: "132" }, 132],
    [{ columns: 0 }, { COLUMNS: "wide" }, 80],
    [{}, {}, 80],
  ])("takes the width of %j in %j for %d", (stream, env, columns) => expect(columnsOf(stream, env)).toBe(columns))
})

describe("progressOn", () => {
  /** Returns the output for lines of progress at these times, in milliseconds. */
  function written(lines: readonly (readonly [time: number, line: string | undefined])[], env = {}, isTTY = true) {
    let now = 0
    const shown: string[] = []
    const progress = progressOn({ isTTY, columns: 10, write: text => shown.push(text) }, env, () => now)
    for (const [time, line] of lines) {
      now = time
      progress(line)
    }
    return shown
  }

  it("begins after a second, writes at most ten lines a second, and removes the last one", () => {
    const clear = "\r\x1b[K"
    expect(
      written([
        [0, "a"],
        [999, "b"],
        [1000, "c"],
        [1099, "d"],
        [1100, "0123456789"],
        [1101, undefined],
        [1102, undefined],
      ]),
    ).toEqual([`${clear}c`, `${clear}0123…6789`, clear])
    expect(
      written([
        [999, "a"],
        [1000, undefined],
      ]),
    ).toEqual([])
  })

  it("is silent without a terminal that can rewrite a line", () => {
    expect(
      written(
        [
          [2000, "a"],
          [2001, undefined],
        ],
        {},
        false,
      ),
    ).toEqual([])
    expect(
      written(
        [
          [2000, "a"],
          [2001, undefined],
        ],
        { TERM: "dumb" },
      ),
    ).toEqual([])
  })
})
