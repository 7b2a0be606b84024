/** The built-in profiles, and profiles that users write. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, it } from "vitest"
import { applierProfiles } from "../../../src/tools/appliers/profiles.js"
import { applierProfile, readApplierProfile } from "../../../src/tools/appliers/read-profile.js"
import { projectRoot } from "../../support/entries.js"

const schema: object = JSON.parse(readFileSync(join(projectRoot, "applier.schema.json"), "utf8"))
const validate = new Ajv2020({ strict: true, strictRequired: false }).compile(schema)
const mine = { name: "mine", tool: "My tool", force: "never", manager: "my-tool" } as const

describe("built-in profiles", () => {
  it.each(Object.entries(applierProfiles))("%s is a valid profile", (name, profile) => {
    const document: unknown = JSON.parse(JSON.stringify(profile))
    expect(profile.name).toBe(name)
    expect(readApplierProfile(document)).toEqual(document)
    expect([validate(document), validate.errors]).toEqual([true, null])
  })

  it.each(Object.values(applierProfiles))("$name names its sources, its versions and its ways out", profile => {
    expect(profile.sources).not.toEqual([])
    expect(profile.sources?.every(source => /^https:\/\/github\.com\/.*\/blob\/.*\.go$/.test(source))).toBe(true)
    expect(profile.versions).toMatch(/\d/)
    expect(profile.ways?.some(({ way }) => way === "relinquish")).toBe(true)
    const overwrites = profile.ways?.some(({ way }) => way === "overwrite")
    expect(overwrites).toBe(profile.force === "on-request")
  })

  it("are found by name", () => {
    expect(applierProfile("helm").manager).toBe("helm")
    expect(() => applierProfile("hlem")).toThrow('no applier is called "hlem": did you mean helm?')
    expect(() => applierProfile("constructor")).toThrow("no applier is called")
  })
})

describe("a profile of a user", () => {
  const upgrade = { step: "upgrade-managers", managers: ["old"] }
  it.each([
    { profile: mine },
    { profile: { ...mine, before: [upgrade], after: [{ ...upgrade, managers: "owners-of-last-applied" }] } },
    { profile: { ...mine, skips: [{ marked: { "my/skip": "true" } }], sends: "drift" } },
  ])("may be $profile", ({ profile }) => {
    expect(readApplierProfile(profile)).toBe(profile)
    expect(validate(profile)).toBe(true)
  })

  it.each([
    [null, "the document must be a map"],
    [{ ...mine, commands: [{ force: "--force" }] }, ".commands[0].text is missing"],
    [{ ...mine, name: undefined }, ".name is missing"],
    [{ ...mine, force: true }, ".force must be always, never or on-request"],
    [{ ...mine, mananger: "x" }, ".mananger: unknown key; did you mean manager?"],
    [
      { ...mine, before: [{ step: "upgrade" }] },
      ".before[0].step must be upgrade-managers, replace-managers, migrate-versions, clear-managers or keep-last-applied",
    ],
    [
      { ...mine, before: [{ step: "upgrade-managers", managers: "old" }] },
      ".before[0].managers must be a list or owners-of-last-applied",
    ],
    [
      { ...mine, before: [{ step: "upgrade-managers", managers: [5] }] },
      ".before[0].managers[0] must be text that is not empty",
    ],
    [{ ...mine, configuration: { labels: { a: 1 } } }, ".configuration.labels.a must be text that is not empty"],
    [{ ...mine, managerPrefix: "my-" }, ".managerPrefix must not stand next to .manager"],
    [{ ...mine, writes: "update", after: [upgrade] }, ".writes must not be update if there are steps"],
  ])("must not be %j", (profile, message) => {
    expect(() => readApplierProfile(profile)).toThrow(`applier profile: ${message}`)
  })
})
