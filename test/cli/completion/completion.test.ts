/** The scripts of `smd completion` in the shells that are installed. */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { commands } from "../../../src/cli/commands/list.js"
import { optionName } from "../../../src/cli/input/options.js"
import { smd } from "../cli.js"

const folder = mkdtempSync(join(tmpdir(), "smd-completion-"))
const shells = ["bash", "zsh", "fish"] as const
const isInstalled = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0

beforeAll(async () => {
  for (const shell of shells) writeFileSync(join(folder, shell), (await smd(["completion", shell])).out)
  writeFileSync(join(folder, "config.yaml"), "")
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Returns what bash offers for the last of these words. */
function bashOffers(words: readonly string[]): string[] {
  const script = `source ./bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _smd; printf '%s\\n' "\${COMPREPLY[@]}"`
  return offered(execFileSync("bash", ["-c", script, "bash", ...words], { cwd: folder, encoding: "utf8" }))
}

/** Returns what fish offers for the last word of the line, without descriptions. */
function fishOffers(line: string): string[] {
  const script = `source ./fish; complete -C '${line}'`
  return offered(execFileSync("fish", ["--no-config", "-c", script], { cwd: folder, encoding: "utf8" }))
}

function offered(lines: string): string[] {
  const words = lines.split("\n").filter(line => line !== "")
  return words.map(line => line.split("\t")[0] as string).sort()
}

describe("smd completion", () => {
  const cases: readonly (readonly [line: string, offers: readonly string[]])[] = [
    ["smd pl", ["plan"]],
    ["smd schema ", ["convert", "diff"]],
    ["smd schema diff --ob", ["--objects"]],
    ["smd owners --ou", ["--out", "--output"]],
    ["smd apply -o ", ["json", "name", "yaml"]],
    ["smd apply --live con", ["config.yaml"]],
    ["smd apply con", ["config.yaml"]],
    ["smd apply --manager con", []],
    ["smd managers re", ["release"]],
    ["smd managers release con", ["config.yaml"]],
    ["smd completion ", [...shells].sort()],
    ["smd help for", ["formats"]],
  ]

  const offersOf = { bash: (line: string) => bashOffers(line.split(" ")), fish: fishOffers }

  describe.each((["bash", "fish"] as const).filter(isInstalled))("in %s", shell => {
    it("completes the last word", () => {
      for (const [line, offers] of cases) expect([line, offersOf[shell](line)]).toEqual([line, offers])
    })
  })

  it("completes values after an equals sign in bash", () => {
    expect(bashOffers(["smd", "plan", "--output", "=", "t"])).toEqual(["text"])
    expect(bashOffers(["smd", "plan", "--dry-run", "="])).toEqual(["client", "none", "server"])
    expect(bashOffers(["smd", "plan", "--dry-run", "con"])).toEqual(["config.yaml"])
  })

  it.each(shells)("is a script without errors for %s, with every long option", async shell => {
    const { status, out, err } = await smd(["completion", shell])
    expect([status, err]).toEqual([0, ""])
    if (isInstalled(shell)) execFileSync(shell, ["-n", join(folder, shell)])
    for (const { load } of commands) {
      for (const key of Object.keys((await load()).options)) {
        const name = optionName(key)
        expect(out).toContain(shell === "fish" ? ` -l ${name.slice(2)}` : name)
      }
    }
  })

  it("names the supported shells", async () => {
    expect(await smd(["completion", "tcsh"])).toMatchObject({
      status: 2,
      err: "smd completion: SHELL must be bash, zsh or fish, not tcsh\nsmd completion --help shows how to use it.\n",
    })
    expect((await smd(["completion"])).err).toMatch(/^smd completion: SHELL is missing\n/)
  })
})
