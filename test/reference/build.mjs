// The API reference, as HTML, from the doc comments in the declarations of the package:
//
//   npm run reference          writes reference/index.html
//
// With --in-site, each page has a link to the documentation around it, and site/names.md lists functions and classes, so that the search of
// the site finds them.
// Fails where a link leads nowhere, something public has no comment, or a signature speaks of a type that no entry exports.
// TypeDoc needs a TypeScript older than the one the package is compiled with; it has both in a package of its own, installed on
// the first run.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "../../scripts/build.mjs"
import { ensureInstalled, npm, root } from "../../scripts/install.mjs"

const here = dirname(fileURLToPath(import.meta.url))
const output = join(root, "reference")

ensureInstalled()
build("dist")
installTypeDoc()
const { Application, JSX, ReflectionKind, TSConfigReader } = await import("typedoc")
const { exports, name } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
/** The declarations of each entry, by the path that programs import. */
const declarations = new Map(
  Object.entries(exports).flatMap(([entry, { types }]) =>
    types === undefined ? [] : [[posix.join(name, entry), types]],
  ),
)
const entries = [...declarations.values()].map(types => join(root, types))
const app = await Application.bootstrap(
  {
    name,
    entryPoints: entries,
    tsconfig: join(here, "tsconfig.json"),
    readme: "none",
    disableSources: true,
    githubPages: false,
    excludeExternals: true,
    excludePrivate: true,
    excludeProtected: true,
    validation: { notExported: true, invalidLink: true, rewrittenLink: true, notDocumented: true },
    // The page of an entry has the first paragraph about each of its functions.
    useFirstParagraphOfCommentAsSummary: true,
    logLevel: "Warn",
  },
  [new TSConfigReader()],
)
// Without an icon of its own, a browser would ask the server for one.
app.renderer.hooks.on("head.end", () => JSX.createElement("link", { rel: "icon", href: "data:," }))
if (process.argv.includes("--in-site")) {
  app.renderer.hooks.on("sidebar.begin", ({ relativeURL }) =>
    JSX.createElement("p", null, JSX.createElement("a", { href: relativeURL("../docs/index.html") }, "Documentation")),
  )
}
const project = await app.convert()
if (project === undefined) process.exit(1)
app.validate(project)
nameEntries(project)
if (!app.logger.hasErrors() && !app.logger.hasWarnings()) {
  await app.generateDocs(project, output)
  if (process.argv.includes("--in-site")) writeFileSync(join(root, "site", "names.md"), namesOf(project))
  console.log(`${join(output, "index.html")} has ${entries.length} entries`)
}
process.exitCode = app.logger.hasErrors() || app.logger.hasWarnings() ? 1 : 0

/** Names the entries by the paths that programs import; TypeDoc names them by their folders in dist. */
function nameEntries(project) {
  const paths = new Map([...declarations].map(([path, types]) => [folderOf(types), path]))
  for (const entry of project.children) {
    const path = paths.get(entry.name)
    if (path === undefined) throw new Error(`no entry has declarations in ${entry.name}`)
    entry.name = path
  }
  for (const { children } of project.groups ?? []) children.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns a page with a heading for each function and class of each entry, the first paragraph about it, and a link to its page. */
function namesOf(project) {
  const about = (entry, each) => {
    const { comment } = each.signatures?.[0] ?? each
    const summary = (comment?.summary ?? [])
      .map(({ text }) => text)
      .join("")
      .split("\n\n")[0]
    const folder = each.kind === ReflectionKind.Class ? "classes" : "functions"
    const link = `[Parameters and example](/api/${folder}/${entry.name.replaceAll("/", "_")}.${each.name}.html)`
    const methods = (each.children ?? [])
      .filter(({ kind }) => kind === ReflectionKind.Method)
      .map(({ name }) => `\`${name}\``)
    const listed = methods.length === 0 ? "" : ` Methods: ${methods.join(", ")}.`
    return `### ${each.name}\n\n\`import { ${each.name} } from "${entry.name}"\`. ${summary}${listed} ${link}\n`
  }
  const entries = project.children.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const parts = entries.map(entry => {
    const named = entry.children.filter(({ kind }) => kind === ReflectionKind.Function || kind === ReflectionKind.Class)
    return `## ${entry.name}\n\n${named.map(each => about(entry, each)).join("\n")}`
  })
  return `# Functions and classes\n\nThe [API reference](/api/index.html) has types and options too.\n\n${parts.join("\n")}`
}

function folderOf(types) {
  return types.replace("./dist/", "").replace(/(\/index)?\.d\.ts$/, "")
}

function installTypeDoc() {
  if (existsSync(join(here, "node_modules", "typedoc"))) return
  process.stderr.write("Installing TypeDoc ...\n")
  const result = npm(["ci", "--prefix", here, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
  if (result.status !== 0) throw new Error(`npm ci failed in ${here}\n${result.stderr}`)
}
