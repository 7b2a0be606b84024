import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { measureBundle } from "./support/bundle.js"
import { isForBrowsers, projectRoot, readEntries, readManifest } from "./support/entries.js"

const manifest = readManifest()
const entries = readEntries()

/** Returns the reason why a package with this manifest can't be published, or "". */
function publishable(manifest: object): string {
  const folder = mkdtempSync(join(tmpdir(), "publishable-"))
  try {
    const file = join(folder, "package.json")
    writeFileSync(file, JSON.stringify(manifest))
    const script = join(projectRoot, "scripts/publishable.mjs")
    const { status, stderr } = spawnSync(process.execPath, [script, file], { encoding: "utf8" })
    expect(status).toBe(stderr === "" ? 0 : 1)
    return stderr
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe("package.json", () => {
  it("declares an ES module package without side effects for Node 20.19 and newer", () => {
    expect(manifest.type).toBe("module")
    expect(manifest.sideEffects).toBe(false)
    expect(manifest.engines.node).toBe(">=20.19")
  })

  // npm runs prepare for packages from git, which must be built, but not for packages from the registry.
  it("runs nothing when it is installed from the registry", () => {
    expect(Object.keys(manifest.scripts)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(pre|post)?install$/)]),
    )
  })

  it("is not published before it says where the project lives", () => {
    const filled = {
      repository: { type: "git", url: "git+https://example.com/a/b.git" },
      homepage: "https://b.example.com",
      bugs: "https://b.example.com/issues",
    }
    expect(publishable(filled)).toBe("")
    expect(publishable({})).toMatch(/fill in repository, homepage, bugs\n$/)
    expect(publishable({ ...filled, bugs: "https://example.com/OWNER/b/issues" })).toMatch(/fill in bugs\n$/)
    expect(manifest.scripts.prepublishOnly).toBe("node scripts/publishable.mjs package.json")
  })

  it("depends on the packages the code uses, and no other", () => {
    expect(Object.keys(manifest.dependencies).sort()).toEqual(["fast-deep-equal", "immer", "re2js", "tinypool", "yaml"])
  })

  it("keeps download addresses out of the lock file", () => {
    // The link to the workspace has no address.
    const resolved = readFileSync(join(projectRoot, "package-lock.json"), "utf8").match(/"resolved": .*/g)
    expect(resolved).toEqual(['"resolved": "playground",'])
  })

  it("has the version of the lock file and the change log", () => {
    const lock = JSON.parse(readFileSync(join(projectRoot, "package-lock.json"), "utf8"))
    expect(lock.version).toBe(manifest.version)
    expect(readFileSync(join(projectRoot, "CHANGELOG.md"), "utf8")).toContain(`## ${manifest.version}`)
  })

  it("points every command at a program that starts with its interpreter", () => {
    for (const target of Object.values(manifest.bin)) {
      const source = target.replace("./dist/", "src/").replace(/\.c?js$/, ".ts")
      expect(readFileSync(join(projectRoot, source), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/)
    }
  })
})

/** The entries for tests with Jest. */
const commonJS = ["./apiserver", "./apiserver/node", "./matchers"]

describe.each(entries)("$name", entry => {
  it("has types beside its code", () => {
    const target = manifest.exports[entry.key]
    expect(target).toEqual({
      types: expect.stringMatching(/^\.\/dist\/.*\.d\.ts$/),
      ...(commonJS.includes(entry.key) && {
        "module-sync": Reflect.get(target as object, "default"),
        require: expect.stringMatching(/^\.\/dist\/commonjs\/.*\.cjs$/),
      }),
      default: expect.stringMatching(/^\.\/dist\/.*\.js$/),
    })
    expect(existsSync(join(projectRoot, entry.source))).toBe(true)
  })
})

it.each(entries.filter(isForBrowsers))("$name can be bundled for a browser", async entry => {
  const size = await measureBundle(entry)
  expect(size.gzip).toBeGreaterThan(0)
})
