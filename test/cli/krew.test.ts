/** The manifest of the kubectl plugin, by the rules of krew's validation (pkg/index/validation) and its naming guide. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { parseYaml } from "../../src/io/yaml.js"
import { projectRoot, readManifest } from "../support/entries.js"

interface Platform {
  readonly selector: { readonly matchLabels: { readonly os: string; readonly arch: string } }
  readonly uri: string
  readonly sha256: string
  readonly bin: string
}
interface Plugin {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly version: string
    readonly homepage: string
    readonly shortDescription: string
    readonly description: string
    readonly platforms: readonly Platform[]
  }
}
const plugin = parseYaml(readFileSync(join(projectRoot, "krew", "smd.yaml"), "utf8")) as unknown as Plugin

it("has krew's version, and the name of its file and program", () => {
  expect(plugin.apiVersion).toBe("krew.googlecontainertools.github.com/v1alpha2")
  expect(plugin.kind).toBe("Plugin")
  expect(plugin.metadata.name).toBe("smd")
  expect(Object.keys(readManifest().bin)).toContain(`kubectl-${plugin.metadata.name}`)
})

it("has a version, a short description on one line, and a longer one", () => {
  const { version, shortDescription, description, homepage } = plugin.spec
  expect(version).toBe(`v${readManifest().version}`)
  expect(shortDescription).toMatch(/^[A-Z][^\r\n]{10,48}[^.\r\n]$/)
  expect(description.split("\n").every(line => line.length <= 80)).toBe(true)
  expect(homepage).toMatch(/^https:\/\//)
})

it("has an archive, a checksum and a program for each platform", () => {
  const { platforms } = plugin.spec
  const names = platforms.map(({ selector: { matchLabels } }) => `${matchLabels.os}/${matchLabels.arch}`)
  expect(names).toEqual(["linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"])
  for (const { uri, sha256, bin, selector } of platforms) {
    expect(uri).toMatch(/^https:\/\/.*\.(?:tar\.gz|zip)$/)
    expect(sha256).toMatch(/^[a-f0-9]{64}$/)
    expect(bin).toBe(selector.matchLabels.os === "windows" ? "kubectl-smd.exe" : "kubectl-smd")
  }
})
