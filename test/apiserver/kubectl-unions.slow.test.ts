// kubectl edits objects with unions under `extended` and `kep-2022`. test/vectors/kubectl-unions.json has its recorded requests, which are
// sent again without Go. If kubectl can be built, it plays the whole session and must send the same requests. `npm run unit --
// test/apiserver/kubectl-unions.slow.test.ts -u` records them again.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, test } from "vitest"
import { projectRoot } from "../fuzz/programs.js"
import { buildKubectl } from "./kubectl/build.js"
import { outcomeOf, type PlayedSession, type Policy, play, policies, replay, session } from "./kubectl/union-session.js"

const file = join(projectRoot(), "test/vectors/kubectl-unions.json")
const recorded = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<Policy, PlayedSession>>

describe.each(policies)("%s", policy => {
  const answers = replay(policy, recorded[policy])

  describe.each(Object.entries(session))("%s", (topic, steps) => {
    const played = recorded[policy][topic] ?? []

    it("is recorded", () => {
      expect(played.map(({ command }) => command)).toEqual(steps.map(({ command }) => command))
    })

    it.each(steps.map((step, i) => ({ ...step, outcome: step.expect[policy], i })))(
      "$command: $outcome",
      ({ outcome, i }) => {
        const { requests = [], exit } = played[i] ?? {}
        expect(outcomeOf(requests)).toBe(outcome)
        expect(exit === 0).toBe(!/^4\d\d/.test(outcome))
      },
    )

    it("is answered as recorded", async () => {
      const given = (await answers)[topic]
      expect(given).toEqual(played.map(({ requests }) => requests.map(({ answer }) => answer)))
    })
  })
})

const kubectl = buildKubectl(projectRoot())
if ("missing" in kubectl) {
  test("there is no kubectl to play the session", () => {
    console.log(`kubectl does not edit unions: ${kubectl.missing}`)
    expect(kubectl.missing).not.toBe("")
  })
} else {
  test("kubectl sends the requests that were recorded, and prints the same", { timeout: 300_000 }, async () => {
    const all = Object.fromEntries(
      await Promise.all(policies.map(async policy => [policy, await play(kubectl.path, policy)])),
    )
    await expect(`${JSON.stringify(all, null, 1)}\n`).toMatchFileSnapshot(file)
  })
}
