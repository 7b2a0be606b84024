import { describe, expect, it } from "vitest"
import { smd } from "../cli.js"

describe("smd story", () => {
  it("fits a terminal", async () => {
    const { status, out, err } = await smd(["story"])
    const lines = out.trimEnd().split("\n")
    expect([status, err]).toEqual([0, ""])
    expect(lines.length).toBeLessThan(90)
    expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(80)
    expect(out).not.toContain("\x1b")
  })

  it("shows a conflict, the plan, the ways out, the chosen one, and the owners at the end", async () => {
    const { out } = await smd(["story"])
    expect(out).toMatch(/^ +~ \.spec\.replicas +7 -> 3 +! autoscaler owns it$/m)
    expect(out).toMatch(/^ +\| {13}\^ you set 3, the object has 7$/m)
    expect(out).toMatch(/delete line 6; autoscaler alone would decide \(safe\)$/m)
    expect(out).toContain("\n  web.yaml:6:3: .spec.replicas: left to autoscaler: 7, not 3\n")
    expect(out).toMatch(/^ +\.replicas +7 +autoscaler$/m)
    expect(out).toMatch(/^ +\.image +web:1\.1 +web-team$/m)
  })

  it("has colours and the same text on a terminal", async () => {
    const { out } = await smd(["story"], { isTTY: true })
    expect(out).toContain("\x1b[31m! autoscaler owns it\x1b[39m")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    expect(out.replaceAll(/\x1b\[\d+m/g, "")).toBe((await smd(["story"])).out)
  })
})
