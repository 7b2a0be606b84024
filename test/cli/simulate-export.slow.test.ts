/** `smd simulate --output` with all examples: each test runs on the test API server, and a shell runs the scripts with a fake kubectl. */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { formatYaml } from "../../src/io/yaml-format.js"
import type { MapValue } from "../../src/value/value.js"
import { read } from "../support/documents.js"
import { declareTest, hostileObject, hostileStory, hostileText } from "../support/exported-stories.js"
import { allStories, storiesFolder } from "../support/stories.js"
import { smd } from "./cli.js"

const examples = allStories.map(name => read(`${storiesFolder}/${name}/story.yaml`))

async function exported(story: string, form: "kubectl" | "vitest"): Promise<string> {
  return (await smd(["simulate", "-", "--output", form], { files: { "-": story } })).out
}

for (const [i, story] of examples.entries()) {
  const text = await exported(story, "vitest")
  describe(`the test of ${allStories[i]}`, () => declareTest(text))
}

describe("scripts of stories", () => {
  let cwd: string
  beforeAll(() => {
    cwd = mkdtempSync(join(tmpdir(), "scripts-"))
    // Writes its arguments and its input as lines, with marks before and after.
    const fake = `#!/bin/sh\nprintf '<%s>\\n' "$@"\ncase " $* " in *" -f - "* | *" --patch-file=/dev/stdin "*) cat ;; esac\n`
    writeFileSync(join(cwd, "kubectl"), fake)
    chmodSync(join(cwd, "kubectl"), 0o755)
  })
  afterAll(() => rmSync(cwd, { recursive: true }))

  /** Runs the text in a shell. */
  function run(text: string): string {
    const { stdout, stderr } = spawnSync("sh", {
      cwd,
      input: text,
      encoding: "utf8",
      env: { PATH: `${cwd}:${process.env.PATH}` },
    })
    expect(stderr).toBe("")
    expect(readdirSync(cwd)).toEqual(["kubectl"])
    return stdout
  }

  it("are commands of a shell", async () => {
    const scripts = await Promise.all(examples.map(story => exported(story, "kubectl")))
    const output = run(scripts.join(""))
    expect(output.match(/^<(apply|replace|create|patch|delete|wait)>$/gm)?.length).toBeGreaterThan(100)
    expect(output).toMatch(/^\{"metadata":\{"annotations":\{"kubectl.kubernetes.io\/last-applied-configuration":"/m)
  })

  it("pass texts on as they are", async () => {
    const output = run(await exported(formatYaml(hostileStory as unknown as MapValue), "kubectl"))
    for (const argument of [
      `--field-manager=${hostileText}`,
      `ConfigMap/${hostileText}`,
      `--namespace=${hostileText}`,
    ]) {
      expect(output).toContain(`<${argument}>\n`)
    }
    expect(output).toContain(`\n{"data":{"a":${JSON.stringify(hostileText)},"b":"\\u009b\\n'"}}\n`)
    expect(output).toContain(`<-f>\n<->\n${formatYaml(hostileObject)}<`)
  })
})
