// The API reference, as HTML, from the doc comments in the declarations of the package:
//
//   npm run reference          writes reference/index.html
//
// Fails where a link leads nowhere, something public has no comment, or a signature speaks of a type that no entry exports.
// TypeDoc needs a TypeScript older than the one the package is compiled with; it has both in a package of its own, installed on
// the first run.
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "../../scripts/build.mjs"
import { ensureInstalled, npm, root } from "../../scripts/install.mjs"

const here = dirname(fileURLToPath(import.meta.url))
const output = join(root, "reference")

ensureInstalled()
build("dist")
installTypeDoc()
const { Application, TSConfigReader } = await import("typedoc")
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const entries = Object.values(exports).flatMap(entry => (typeof entry === "string" ? [] : [join(root, entry.types)]))
const app = await Application.bootstrap(
  {
    name: "structured-merge-diff",
    entryPoints: entries,
    tsconfig: join(here, "tsconfig.json"),
    readme: "none",
    disableSources: true,
    githubPages: false,
    excludeExternals: true,
    excludePrivate: true,
    excludeProtected: true,
    validation: { notExported: true, invalidLink: true, rewrittenLink: true, notDocumented: true },
    logLevel: "Warn",
  },
  [new TSConfigReader()],
)
const project = await app.convert()
if (project === undefined) process.exit(1)
app.validate(project)
if (!app.logger.hasErrors() && !app.logger.hasWarnings()) {
  await app.generateDocs(project, output)
  console.log(`${join(output, "index.html")} has ${entries.length} entries`)
}
process.exitCode = app.logger.hasErrors() || app.logger.hasWarnings() ? 1 : 0

function installTypeDoc() {
  if (existsSync(join(here, "node_modules", "typedoc"))) return
  process.stderr.write("Installing TypeDoc ...\n")
  const result = npm(["ci", "--prefix", here, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
  if (result.status !== 0) throw new Error(`npm ci failed in ${here}\n${result.stderr}`)
}
