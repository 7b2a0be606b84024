import { describe, expect, it } from "vitest"
import { smd } from "../cli.js"

describe("smd story", () => {
  it("fits a terminal", async () => {
    const { status, out, err } = await smd(["story"])
    const lines = out.trimEnd().split("\n")
    expect([status, err]).toEqual([0, ""])
    expect(lines.length).toBeLessThan(60)
    expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(100)
    expect(out).not.toContain("\x1b")
  })

  it("tells of the update, the conflict, the force, and who owns what in the end", async () => {
    const { out } = await smd(["story"])
    expect(out).toMatch(/^ *\.spec\.replicas +3 -> 7 +web-team -> autoscaler$/m)
    expect(out).toMatch(/conflict: web-team would change 1 field that others own/)
    expect(out).toMatch(/owned by +autoscaler \(Update, apps\/v1\)\n +live +7\n +configured +3\n/)
    expect(out).toMatch(/^ *\.spec\.replicas +7 -> 3 +autoscaler -> web-team$/m)
    const [, ownership = ""] = out.split("Who owns what in the end")
    expect(ownership).toMatch(/^ *\.replicas +3 +web-team$/m)
    expect(ownership).toMatch(/^ *\[name="proxy"\] +mesh$/m)
    expect(ownership).toMatch(/^ *\.app +"shop" +web-team, mesh$/m)
    expect(ownership).not.toContain("autoscaler")
  })

  it("marks headings and conflicts on a terminal, and says the same", async () => {
    const { out } = await smd(["story"], { isTTY: true })
    expect(out).toContain("\x1b[31mconflict\x1b[39m")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    expect(out.replaceAll(/\x1b\[\d+m/g, "")).toBe((await smd(["story"])).out)
  })
})
