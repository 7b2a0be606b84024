// The examples of README.md in projects that have installed the package: each has to compile and print what its comments say.
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { root } from "./install.mjs"

/**
 * Tries the examples in `folder`, where the package is installed: under TypeScript as strict as it gets, as ES modules, with
 * `require`, and bundled by esbuild and vite. `tool` runs a development package's command there, `node` Node, `check` reports.
 */
export function checkConsumers(folder, { tool, node, check }) {
  const { buildSync, transformSync } = createRequire(import.meta.url)("esbuild")
  const write = (file, text) => writeFileSync(join(folder, file), text)
  const examples = readExamples()
  const entryPoints = examples.map((_, i) => `example${i}.ts`)
  examples.forEach(({ code }, i) => write(`example${i}.ts`, code))
  const run = (name, fileOf) =>
    examples.forEach(({ expected }, i) => check(`${name}, example ${i + 1}`, compared(node([fileOf(i)]), expected)))

  write("package.json", JSON.stringify({ type: "module" }))
  write("tsconfig.json", JSON.stringify({ compilerOptions: compilerOptions(), files: entryPoints }))
  check("TypeScript, strict, NodeNext", tool("typescript", ["-p", "tsconfig.json"], "tsc"))
  run("ES module", i => `typescript/example${i}.js`)

  examples.forEach(({ code }, i) => {
    write(
      `example${i}.cjs`,
      transformSync(code, { loader: "ts", format: "cjs", platform: "node", target: "node20" }).code,
    )
  })
  run("require", i => `example${i}.cjs`)

  for (const platform of ["neutral", "browser"]) {
    const outdir = join(folder, platform)
    const mainFields = ["browser", "module", "main"]
    buildSync({ absWorkingDir: folder, entryPoints, outdir, bundle: true, format: "esm", platform, mainFields })
    run(`esbuild, ${platform}`, i => `${platform}/example${i}.js`)
  }

  const build = { outDir: "vite", lib: { entry: entryPoints, formats: ["es"] } }
  write("vite.config.mjs", `export default ${JSON.stringify({ logLevel: "warn", build })}`)
  check("vite build", tool("vite", ["build"]))
  run("vite", i => `vite/example${i}.js`)
}

/** Each example of README.md, and the text it prints: the comments that are a line of their own. */
function readExamples() {
  const readme = readFileSync(join(root, "README.md"), "utf8")
  return Array.from(readme.matchAll(/^```ts\n([\s\S]*?)^```/gm), ([, code]) => {
    return { code, expected: Array.from(code.matchAll(/^\/\/ (.*\n)/gm), ([, line]) => line).join("") }
  })
}

function compilerOptions() {
  return {
    module: "nodenext",
    target: "es2023",
    lib: ["es2023", "dom"],
    types: [],
    rootDir: ".",
    outDir: "typescript",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    skipLibCheck: false,
  }
}

/** The ended process, as a failure where it printed anything else. */
function compared(result, expected) {
  if (result.status !== 0 || result.stdout === expected) return result
  return { ...result, status: 1, stderr: `${result.stderr}expected:\n${expected}` }
}
