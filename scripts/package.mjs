// Packs the package as for publishing and checks the result: with publint and attw, with a program that imports every entry and
// starts every command from the unpacked files, and with the examples of README.md and examples/ in several kinds of projects.
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, posix } from "node:path"
import { build } from "./build.mjs"
import { checkConsumers } from "./consumers.mjs"
import { ensureInstalled, npm, root } from "./install.mjs"
import { unusedFiles } from "./used-files.mjs"

ensureInstalled()
build("dist")
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const folder = mkdtempSync(join(tmpdir(), "package-"))
const cache = join(folder, "cache")
try {
  const { tarball, files } = pack()
  check("publint", tool("publint", ["run", tarball, "--strict"]))
  // The CommonJS files have the types of the ES modules, which they equal.
  const accepted = ["--profile", "esm-only", "--ignore-rules", "false-esm"]
  check("attw", tool("@arethetypeswrong/cli", [tarball, ...accepted, "--no-color", "--no-emoji"]))
  checkInstalled(files)
  link(Object.keys(manifest.peerDependencies))
  checkOptional(join(folder, "node_modules", manifest.name, manifest.bin.smd))
  checkConsumers(folder, { tool, node, check })
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Returns the packed file, and the names of the files in it. */
function pack() {
  const result = npm(["pack", "--ignore-scripts", "--json", "--pack-destination", folder])
  if (result.status !== 0) fail("npm pack", result)
  const [packed] = Object.values(JSON.parse(result.stdout))
  const files = packed.files.map(file => file.path)
  const schemas = Object.values(manifest.exports).filter(target => /\.schema\.json$/.test(target))
  const around = ["LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "package.json", ...schemas.map(posix.normalize)]
  for (const file of [...around, "dist/index.js", "dist/index.d.ts"]) {
    if (!files.includes(file)) throw new Error(`the package lacks ${file}`)
  }
  const documents = /^(docs|examples)\/|^bench\/results\/.*\.svg$|\.md$/
  const others = files.filter(file => !around.includes(file) && !file.startsWith("dist/") && !documents.test(file))
  const dead = files.filter(file => file.endsWith(".md")).flatMap(file => deadLinks(file, files))
  if (dead.length > 0) throw new Error(`the package lacks what its documents link to:\n${dead.join("\n")}`)
  const unused = [...others, ...unusedFiles(manifest, join(root, "dist"), files)]
  if (unused.length > 0) throw new Error(`the package has files that nothing uses:\n${unused.join("\n")}`)
  return { tarball: join(folder, basename(packed.filename)), files }
}

/** Returns the relative links of a packed document that lead to no packed file or folder. */
function deadLinks(document, files) {
  const text = readFileSync(join(root, document), "utf8").replace(/^```[\s\S]*?^```/gm, "")
  const links = Array.from(text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g), ([, link]) => link)
  return links
    .filter(link => !/^[a-z]+:/.test(link))
    .filter(link => {
      const target = posix.normalize(posix.join(posix.dirname(document), link)).replace(/\/$/, "")
      return !files.some(file => file === target || file.startsWith(`${target}/`))
    })
    .map(link => `${document}: ${link}`)
}

/** Copies the packed files to where `import` finds them, with the dependencies but without optional packages. */
function checkInstalled(files) {
  const place = join(folder, "node_modules", manifest.name)
  for (const file of files) cpSync(join(root, file), join(place, file))
  link(Object.keys(manifest.dependencies))
  // JSON, or a module that only vitest can import
  const isModule = ([key, target]) => typeof target !== "string" && key !== "./vitest"
  const names = Object.entries(manifest.exports)
    .filter(isModule)
    .map(([key]) => manifest.name + key.slice(1))
  checkTypes(names)
  for (const name of names) {
    const code = `if (Object.keys(await import("${name}")).length === 0) throw new Error("exports nothing")`
    check(`import ${name}`, node(["--input-type=module", "--eval", code]))
  }
  for (const [name, file] of Object.entries(manifest.bin)) {
    check(`${name} --help`, node([join(place, file), "--help"]))
    // This run uses threads, which load their own file.
    writeFileSync(join(folder, "objects.ndjson"), '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}')
    check(`${name} --jobs`, node([join(place, file), "lint", "--stream", "--jobs", "2", "objects.ndjson"]))
  }
  checkCompiled(join(place, manifest.bin.smd))
}

/** Checks that the declarations compile in a project that checks those of its packages, and has no optional ones. */
function checkTypes(names) {
  const code = names.map((name, i) => `export * as entry${i} from "${name}"\n`).join("")
  writeFileSync(join(folder, "entries.mts"), code)
  const options = ["--ignoreConfig", "--strict", "--noEmit", "--skipLibCheck", "false", "--module", "nodenext"]
  check("types without optional packages", tool("typescript", [...options, "--target", "es2023", "entries.mts"], "tsc"))
}

/** Checks that a command keeps its compiled code, and runs without it and with a damaged file too. */
function checkCompiled(program) {
  const kept = join(cache, "structured-merge-diff", "compiled")
  rmSync(kept, { recursive: true, force: true })
  const run = () => node([program, "help"])
  const first = run()
  const [name] = readdirSync(kept)
  const compiled = readFileSync(join(kept, name))
  const outputs = [run().stdout]
  for (const damaged of [
    compiled.subarray(0, 1000),
    Buffer.from(compiled).fill(7, compiled.length >> 1),
    Buffer.alloc(0),
  ]) {
    writeFileSync(join(kept, name), damaged)
    outputs.push(run().stdout)
    if (readFileSync(join(kept, name)).length < 10_000) fail("damaged compiled code was not replaced", first)
  }
  outputs.push(node([otherVersion(program), "help"]).stdout)
  node([program, "no-such-command"])
  if (readdirSync(kept).length !== 1) fail("an unknown command left a file with compiled code", first)
  if (outputs.some(output => output !== first.stdout)) fail("compiled code changed the output of smd", first)
  console.log("compiled code: ok")
}

/** Returns the program of another version: a chunk has another name, and all texts have the same lengths. */
function otherVersion(program) {
  const [from, to] = [dirname(program), join(folder, "other")]
  const chunk = readdirSync(from).find(name => name.startsWith("start-"))
  const renamed = chunk.replace(/(.)\.cjs$/, (_, last) => `${last === "0" ? "1" : "0"}.cjs`)
  mkdirSync(to)
  for (const name of readdirSync(from)) {
    const text = readFileSync(join(from, name), "latin1").replaceAll(chunk, renamed)
    writeFileSync(join(to, name === chunk ? renamed : name), text, "latin1")
  }
  return join(to, basename(program))
}

/** Checks that a command finds an optional package, also when its code was compiled by an earlier run. */
function checkOptional(program) {
  const args = [program, "serve", "--controllers", "--", process.execPath, "--version"]
  for (const run of ["first", "second"]) check(`serve --controllers, ${run} run`, node(args))
}

/** Links packages that are installed here. */
function link(names) {
  for (const name of names) {
    const place = join(folder, "node_modules", name)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(join(root, "node_modules", name), place, "junction")
  }
}

/** Runs the command of an installed development package. */
function tool(name, args, command = undefined) {
  const home = join(root, "node_modules", name)
  const { bin } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"))
  return node([join(home, typeof bin === "string" ? bin : (bin[command] ?? Object.values(bin)[0])), ...args])
}

function node(args) {
  const env = { ...process.env, XDG_CACHE_HOME: cache, NODE_DISABLE_COMPILE_CACHE: "" }
  return spawnSync(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" })
}

function check(name, result) {
  if (result.status !== 0) fail(name, result)
  console.log(`${name}: ok`)
}

function fail(name, result) {
  throw new Error(`${name} failed\n${result.stdout}${result.stderr}`)
}
