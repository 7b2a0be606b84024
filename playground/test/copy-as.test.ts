/** Copies of stories: each test for vitest runs on the test API server, and a shell runs each script with a fake kubectl. */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { MapValue } from "structured-merge-diff"
import { formatYaml } from "structured-merge-diff/io"
import { kubernetesTypes } from "structured-merge-diff/kubernetes"
import { readStory, runStory, type Story } from "structured-merge-diff/simulator"
import { expect, test } from "structured-merge-diff/vitest"
import { afterAll, beforeAll, describe, it } from "vitest"
import type { PlayedStory } from "../src/copied-steps.js"
import { kubectlText } from "../src/copy-kubectl.js"
import { testText } from "../src/copy-test.js"
import { builtInTypes } from "../src/types.js"

const { builtIn } = await builtInTypes(false)
const folder = new URL("../../examples/stories/", import.meta.url)
const stories = readdirSync(folder, { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(({ name }) => readStory(readFileSync(new URL(`${name}/story.yaml`, folder), "utf8")).story)

function played(story: Story): PlayedStory {
  const { simulation, steps } = runStory(story, { types: builtIn })
  return { story, results: steps, simulation }
}

/** Names and texts that a shell or a program would take for something else. */
const hostile = `it's "x" $(touch injected) \`touch injected\` \${HOME} \\ ; touch injected & !! EOF`
const entry = { manager: hostile, operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1" }
const hostileStory: Story = {
  title: `${hostile}\nSTORY\ntouch injected`,
  about: "*/ injected()",
  objects: [
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "given", managedFields: [{ ...entry, fieldsV1: { "f:data": { "f:text": {} } } }] },
      data: { text: `EOF\nSTORY\ntouch injected\nEOF2\n${hostile}` },
    },
  ],
  steps: [
    {
      manager: hostile,
      about: `${hostile}\r\u2028\n$(touch injected)\u001b[201~\u009b`,
      apply: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "a", annotations: { ["__proto__"]: "own", [hostile]: "key" } },
        data: { end: "EOF\nEOF2\nSTORY\nSTORY2\ntouch injected\n", quoted: hostile, escape: "\u001b[201~\n" },
      },
    },
    { manager: "--dry-run=client", patch: { data: { a: hostile, b: "\u009b\n'" } }, object: "ConfigMap/given" },
    { manager: "me", create: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b", namespace: "shop" } } },
    { manager: "me", patch: {}, object: { kind: "--kubeconfig=x", name: hostile } },
    { manager: "a\ntouch injected", patch: {}, object: "ConfigMap/given" },
    { delete: { kind: "ConfigMap", namespace: hostile, name: hostile } },
  ],
}

/** Declares the test in a text. */
function declare(text: string): void {
  const body = text.replaceAll(/^import .*\n/gm, "")
  const name = body.includes("const test =") ? "base" : "test"
  new Function(name, "expect", "kubernetesTypes", body)(test, expect, kubernetesTypes)
}

describe("as a test for vitest", () => {
  for (const story of [...stories, hostileStory]) declare(testText(played(story), story.steps.length))
})

describe("as commands of kubectl", () => {
  let cwd: string
  beforeAll(() => {
    cwd = mkdtempSync(join(tmpdir(), "copy-as-"))
    // Writes its arguments and its input as lines, with marks before and after.
    const fake = `#!/bin/sh\nprintf '<%s>\\n' "$@"\ncase " $* " in *" -f - "*) cat ;; esac\n`
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

  it("are commands of a shell", () => {
    const output = run(stories.map(story => kubectlText(played(story), story.steps.length)).join(""))
    expect(output.match(/^<(apply|replace|create|patch|delete|wait)>$/gm)?.length).toBeGreaterThan(100)
  })

  it("pass texts on as they are", () => {
    const text = kubectlText(played(hostileStory), hostileStory.steps.length)
    expect(text).not.toMatch(/[^\P{Cc}\n]/u)
    const output = run(text)
    for (const argument of [`--field-manager=${hostile}`, `ConfigMap/${hostile}`, `--namespace=${hostile}`]) {
      expect(output).toContain(`<${argument}>\n`)
    }
    expect(output).toContain(`<{"data":{"a":${JSON.stringify(hostile)},"b":"\\u009b\\n'"}}>\n`)
    const input = formatYaml((hostileStory.steps[0] as { readonly apply: MapValue }).apply)
    expect(output).toContain(`<-f>\n<->\n${input}<`)
  })
})
