// Runs the examples in projects that have installed the package: each has to compile and print the text of its comments.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { root } from "./install.mjs"

/**
 * Runs the examples in `folder`, where the package is installed: under the strictest TypeScript, as ES modules, with `require`, and
 * bundled by esbuild and vite. `tool` runs the command of a development package there, `node` runs Node, and `check` reports.
 */
export function checkConsumers(folder, { tool, node, check }) {
  const { buildSync, transformSync } = createRequire(import.meta.url)("esbuild")
  const write = (file, text) => writeFileSync(join(folder, file), text)
  const examples = readExamples()
  const entryPoints = examples.map(({ file }) => `${file}.ts`)
  for (const { file, code } of examples) write(`${file}.ts`, code)
  write("run-all.cjs", runAll)
  const run = (way, fileOf, tried = examples) => {
    const ended = node(["run-all.cjs", ...tried.map(({ file }) => `./${fileOf(file)}`)])
    if (ended.status !== 0) return check(way, ended)
    const texts = JSON.parse(ended.stdout)
    tried.forEach(({ file, expected }, i) =>
      check(`${way}, ${file}`, compared({ ...ended, stdout: texts[i] }, expected)),
    )
  }

  write("package.json", JSON.stringify({ type: "module" }))
  write("tsconfig.json", JSON.stringify({ compilerOptions: compilerOptions(), files: entryPoints }))
  check("TypeScript, strict, NodeNext", tool("typescript", ["-p", "tsconfig.json"], "tsc"))
  run("ES module", file => `typescript/${file}.js`)

  // CommonJS has no top-level await.
  const synchronous = examples.filter(({ code }) => !/\bawait\b/.test(code))
  for (const { file, code } of synchronous) {
    write(`${file}.cjs`, transformSync(code, { loader: "ts", format: "cjs", platform: "node", target: "node20" }).code)
  }
  run("require", file => `${file}.cjs`, synchronous)

  for (const platform of ["neutral", "browser"]) {
    const outdir = join(folder, platform)
    const mainFields = ["browser", "module", "main"]
    const external = ["node:*"]
    buildSync({
      absWorkingDir: folder,
      entryPoints,
      outdir,
      bundle: true,
      format: "esm",
      platform,
      mainFields,
      external,
    })
    run(`esbuild, ${platform}`, file => `${platform}/${file}.js`)
  }

  runTestFrameworks(folder, { tool, check })

  const lib = { entry: entryPoints, formats: ["es"] }
  const build = { outDir: "vite", lib, rollupOptions: { external: ["node:assert/strict"] } }
  write("vite.config.mjs", `export default ${JSON.stringify({ logLevel: "warn", build })}`)
  check("vite build", tool("vite", ["build"]))
  run("vite", file => `vite/${file}.js`)
}

/** Loads the given files one after the other, and prints a list with what each of them wrote. Starting Node takes longer than most of them. */
const runAll = `
const { write } = process.stdout
async function main() {
  const texts = []
  for (const file of process.argv.slice(2)) {
    const at = texts.push("") - 1
    process.stdout.write = text => (texts[at] += text, true)
    if (file.endsWith(".cjs")) require(file)
    else await import(file)
    await new Promise(setImmediate)
  }
  write.call(process.stdout, JSON.stringify(texts))
}
main()
`

/** Runs a test of vitest and one of Jest, which has CommonJS modules by default. */
function runTestFrameworks(folder, { tool, check }) {
  const write = (file, text) => writeFileSync(join(folder, file), text)
  write("operator.test.ts", readFileSync(join(root, "examples/test-operator.ts"), "utf8"))
  check("vitest", tool("vitest", ["run", "--root", ".", "operator.test.ts"]))
  write("operator.jest.cjs", jestTest)
  const options = ["--testMatch", "**/*.jest.cjs", "--transform", "{}", "--watchman", "false"]
  check("Jest, CommonJS", tool("jest", ["--rootDir", ".", ...options]))
}

const jestTest = `
const { createApiServer, RefusedError } = require("structured-merge-diff/apiserver")
const { listen } = require("structured-merge-diff/apiserver/node")
const { ownershipMatchers } = require("structured-merge-diff/matchers")

expect.extend(ownershipMatchers)
const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { color: "blue" } }

test("a conflict", async () => {
  const server = createApiServer({ seed: 1 })
  const live = await server.apply(config, { manager: "gitops" })
  expect(live).toBeOwnedBy("gitops", ".data.color")
  const refused = server.apply({ ...config, data: { color: "red" } }, { manager: "operator" })
  await expect(refused).rejects.toThrow(RefusedError)
  await expect(refused).toConflictWith("gitops", ".data.color")
  expect(await server.fork().list(config)).toHaveLength(1)
})

test("a server that listens", async () => {
  const { url, server, close } = await listen()
  await server.create(config)
  const response = await fetch(url + "/api/v1/namespaces/default/configmaps/settings")
  expect((await response.json()).data.color).toBe("blue")
  await close()
})
`

/** Returns the examples of README.md and examples/, each with the text it prints: the comments on separate lines. */
function readExamples() {
  const read = file => readFileSync(join(root, file), "utf8")
  const shown = Array.from(read("README.md").matchAll(/^```ts\n([\s\S]*?)^```/gm), ([, code], i) => {
    return { file: `readme-${i + 1}`, code }
  })
  const whole = readdirSync(join(root, "examples"))
    .filter(file => file.endsWith(".ts"))
    .map(file => ({ file: file.slice(0, -3), code: read(`examples/${file}`) }))
  // The folder has no other packages. A test for vitest runs below.
  const imported = code => Array.from(code.matchAll(/ from "([^"]+)"/g), ([, name]) => name)
  const isOurs = name => /^(structured-merge-diff|node:)/.test(name) && !name.endsWith("/vitest")
  const programs = [...shown, ...whole].filter(({ code }) => imported(code).every(isOurs))
  return programs.map(example => {
    // Comments in Go source, which an example may contain as a text, are not expected output.
    const code = example.code.replaceAll(/`\n[\s\S]*?^`/gm, "``")
    const printed = Array.from(code.matchAll(/^\/\/ ?(.*\n)/gm), ([, line]) => line)
    return { ...example, expected: printed.join("") }
  })
}

function compilerOptions() {
  return {
    module: "nodenext",
    target: "es2023",
    lib: ["es2023", "dom"],
    // For the examples that use node:assert. The entries need no types of Node, which `npm run types` checks.
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
    rootDir: ".",
    outDir: "typescript",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    skipLibCheck: false,
  }
}

/** Returns the ended process, as a failure if it printed another text. */
function compared(result, expected) {
  if (result.status !== 0 || result.stdout === expected) return result
  return { ...result, status: 1, stderr: `${result.stderr}expected:\n${expected}` }
}
