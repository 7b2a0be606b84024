// Builds the site in site/dist: the documents, the playground in playground/, and the API reference in api/.
//   npm run site                  builds it
//   npm run site -- --serve       builds it and serves it on loopback
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { buildPlayground, site as playground } from "../playground/build.mjs"
import { serveFolder } from "../playground/server.mjs"
import { npm, root } from "../scripts/install.mjs"
import { problemsOfLinks } from "./links.mjs"
import { makeRelative, placeholder } from "./relative.mjs"

const here = dirname(fileURLToPath(import.meta.url))
export const output = join(here, "dist")

/** Builds the site. Throws an error that lists its dead links if it has any. */
export async function buildSite() {
  installVitePress()
  run(process.execPath, [join(root, "test", "reference", "build.mjs"), "--in-site"])
  run(process.execPath, [join(here, "node_modules", "vitepress", "bin", "vitepress.js"), "build", here], {
    SITE_BASE: placeholder,
  })
  makeRelative(output)
  await buildPlayground({ siteOnly: true })
  cpSync(playground, join(output, "playground"), { recursive: true })
  cpSync(join(root, "reference"), join(output, "api"), { recursive: true })
  const problems = problemsOfLinks(output)
  if (problems.length > 0) throw new Error(`the site has dead links:\n${problems.join("\n")}`)
}

function installVitePress() {
  const { version } = JSON.parse(readFileSync(join(here, "package-lock.json"), "utf8")).packages[
    "node_modules/vitepress"
  ]
  const installed = join(here, "node_modules", "vitepress", "package.json")
  if (existsSync(installed) && JSON.parse(readFileSync(installed, "utf8")).version === version) return
  process.stderr.write("Installing VitePress ...\n")
  const { status, stderr } = npm([
    "ci",
    "--prefix",
    here,
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ])
  if (status !== 0) throw new Error(`npm ci failed in ${here}\n${stderr}`)
}

function run(program, args, env = {}) {
  const { status } = spawnSync(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "inherit"],
  })
  if (status !== 0) throw new Error(`${args.join(" ")} ended with status ${status}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildSite()
  if (process.argv.includes("--serve")) {
    const { url } = await serveFolder(output, 8087)
    console.log(`The site is at ${url} until Ctrl+C`)
  } else console.log(`${join(output, "index.html")} and the files around it can be served from any folder`)
}
