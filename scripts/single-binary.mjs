// Builds smd as one file that needs no Node, for the machine that it is built on:
//   node scripts/single-binary.mjs [OUTPUT]
// The file is this Node with the files of the program as an asset (Node's single executable applications). Its first run unpacks them into a
// folder of the user's cache, since worker threads load their code from files.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "./build.mjs"
import { ensureInstalled, root } from "./install.mjs"

ensureInstalled()
build("dist")
const output = resolve(process.argv[2] ?? "smd")
const folder = mkdtempSync(join(tmpdir(), "single-binary-"))
try {
  const files = JSON.stringify(Object.fromEntries(packed().map(name => [name, readFileSync(join(root, name), "utf8")])))
  const hash = createHash("sha256").update(files).digest("hex").slice(0, 16)
  writeFileSync(join(folder, "files"), gzipSync(files))
  const { bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  writeFileSync(join(folder, "main.cjs"), `(${start})(${JSON.stringify(hash)}, ${JSON.stringify(bin.smd)})`)
  const config = { main: "main.cjs", output: "blob", disableExperimentalSEAWarning: true, assets: { files: "files" } }
  writeFileSync(join(folder, "config.json"), JSON.stringify(config))
  const options = { cwd: folder, stdio: ["ignore", "ignore", "inherit"] }
  execFileSync(process.execPath, ["--experimental-sea-config", "config.json"], options)
  copyFileSync(process.execPath, output)
  const fuse = ["--sentinel-fuse", "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"]
  execFileSync("npx", ["--yes", "postject@1.0.0-alpha.6", output, "NODE_SEA_BLOB", "blob", ...fuse], options)
} finally {
  rmSync(folder, { recursive: true })
}

/** The files of the program, its data, and the packages that it loads at run time. */
function packed() {
  const places = [
    "dist/cli",
    "node_modules/tinypool",
    "node_modules/@bufbuild/protobuf",
    "node_modules/@marcbachmann/cel-js",
  ]
  const found = places.flatMap(place =>
    readdirSync(join(root, place), { recursive: true }).map(name => `${place}/${name.replaceAll("\\", "/")}`),
  )
  const used = found.filter(name => /\.[cm]?js$|package\.json$|LICEN[CS]E[^/]*$/.test(name) && !name.includes("/cjs/"))
  return ["package.json", ...used]
}

/** The program in the file. It only has what is written here: not the imports of this module. */
function start(hash, program) {
  const { mkdirSync, mkdtempSync, existsSync, renameSync, writeFileSync } = require("node:fs")
  const { dirname, join } = require("node:path")
  const cache = process.env.XDG_CACHE_HOME || join(require("node:os").homedir(), ".cache")
  const home = join(cache, "structured-merge-diff", hash)
  if (!existsSync(home)) {
    mkdirSync(dirname(home), { recursive: true, mode: 0o700 })
    // In one step, since another process may do the same.
    const fresh = mkdtempSync(join(dirname(home), "new-"))
    const text = require("node:zlib").gunzipSync(require("node:sea").getAsset("files")).toString()
    for (const [name, content] of Object.entries(JSON.parse(text))) {
      mkdirSync(dirname(join(fresh, name)), { recursive: true })
      writeFileSync(join(fresh, name), content)
    }
    writeFileSync(join(fresh, "start.cjs"), `import("${program}")`)
    try {
      renameSync(fresh, home)
    } catch (error) {
      if (!existsSync(home)) throw error
    }
  }
  require("node:module").createRequire(join(home, "start.cjs"))("./start.cjs")
}
