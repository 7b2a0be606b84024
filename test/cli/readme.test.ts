/** Checks the commands in README.md. test/docs checks its programs. */
import { describe, expect, it } from "vitest"
import { codeBlocks, read } from "../support/documents.js"
import { readManifest } from "../support/entries.js"
import { deployment, smd } from "./cli.js"

const readme = read("README.md")

describe("README.md", () => {
  it("shows a plan as the command prints it", async () => {
    const [block = ""] = codeBlocks(readme, "console")
    const [command = "", ...shown] = block.split("\n")
    const { out: created } = await smd(["apply", "--manager", "web-team", "-"], { files: { "-": deployment(3) } })
    // The autoscaler's entry, as an API server writes it after an update.
    const entry =
      "- {manager: autoscaler, operation: Update, apiVersion: apps/v1, fieldsType: FieldsV1, fieldsV1: {f:spec: {f:replicas: {}}}}"
    const live = created.replace(/^( *)- manager: /m, `$1${entry}\n$&`).replace("replicas: 3", "replicas: 7")
    const files = { "live.yaml": live, "web.yaml": deployment(3, "web:1.1") }
    const { status, out, err } = await smd(command.replace("$ smd ", "").split(" "), { files })
    expect([status, err]).toEqual([1, ""])
    expect(out).toBe(shown.join("\n"))
  })

  it("names the scripts that package.json has", () => {
    expect(Object.keys(readManifest().scripts)).toEqual(expect.arrayContaining(["start", "test"]))
    expect(readme).toContain("    npm start ")
    expect(readme).toContain("    npm test ")
  })
})
