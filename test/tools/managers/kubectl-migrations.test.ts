/** Our patches are the ones that a real kubectl sent to migrate from client-side to server-side apply, byte for byte. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { kubernetesTypes } from "../../../src/kubernetes/index.js"
import { formatPatch, upgrade } from "../../../src/tools/managers/index.js"
import type { MapValue } from "../../../src/value/value.js"
import { smd } from "../../cli/cli.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { unversioned } from "./world.js"

interface Recorded {
  readonly name: string
  readonly live: MapValue
  readonly patch: string
  readonly status: number
  readonly answer: MapValue
}

const recorded: readonly Recorded[] = JSON.parse(
  readFileSync(new URL("../../vectors/kubectl-migrations.json", import.meta.url), "utf8"),
)

describe.each(recorded)("$name: $live.kind $live.metadata.name", ({ live, patch, status, answer }) => {
  it("has kubectl's patch, and the server's answer", () => {
    const made = upgrade(deepFreeze(live), { types: kubernetesTypes })
    expect(formatPatch(made.patch)).toBe(patch)
    expect(status).toBe(200)
    expect(unversioned(made.object)).toEqual(unversioned(answer))
  })

  it("is printed by smd managers upgrade", async () => {
    const files = { "live.json": JSON.stringify(live) }
    const { out } = await smd(["managers", "upgrade", "--output", "patch", "live.json"], { files })
    expect(out).toBe(`${patch}\n`)
  })
})

it("there are recorded patches", () => expect(recorded.length).toBeGreaterThan(1))
