// The pages of the site and the links between them. Documents link to files of the repository. Links to documents become links to pages,
// and links to other files lead to copies in files/, with .txt at the end of the name so that browsers show them.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, posix, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"

export const root = join(dirname(fileURLToPath(import.meta.url)), "..")

/** The page of each document whose page has another path. */
export const rewrites = {
  "site/index.md": "index.md",
  "site/names.md": "names.md",
  "docs/README.md": "docs/index.md",
  "bench/README.md": "bench/index.md",
  "oracle/README.md": "oracle/index.md",
  "conformance/README.md": "conformance/index.md",
  "examples/README.md": "examples/index.md",
  "examples/clients/README.md": "examples/clients/index.md",
  "examples/stories/README.md": "examples/stories/index.md",
  "test/vectors/README.md": "test/vectors/index.md",
}

/** The path of the site, before that of a page. */
const base = process.env.SITE_BASE ?? "/"

/** The copies to make, from a file of the repository to a file of the site. */
const copies = new Map()

/** Copies the files to which the documents link. */
export function copyLinkedFiles(site) {
  for (const [from, to] of copies) {
    mkdirSync(dirname(join(site, to)), { recursive: true })
    copyFileSync(join(root, from), join(site, to))
  }
}

/**
 * A plugin of markdown-it that changes the links of a document to links between pages, lets the keyboard scroll indented code, and keeps Vue from
 * reading braces in documents as expressions.
 */
export function rewriteDocument(md) {
  md.renderer.rules.code_block = (tokens, i) =>
    `<pre tabindex="0"><code>${md.utils.escapeHtml(tokens[i].content)}</code></pre>\n`
  for (const rule of ["text", "code_inline"]) {
    const render = md.renderer.rules[rule]
    md.renderer.rules[rule] = (tokens, i, options, env, self) => {
      const html = render(tokens, i, options, env, self)
      return env.path?.endsWith("site/index.md") ? html : html.replaceAll("{{", "&#123;&#123;")
    }
  }
  md.core.ruler.push("repository-links", ({ tokens, env }) => {
    if (env.path === undefined) return
    const folder = posix.dirname(relative(root, env.path).replaceAll("\\", "/"))
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type !== "link_open") continue
      const href = token.attrGet("href")
      if (href.startsWith("/api/")) {
        token.attrSet("href", `${base}${href.slice(1)}`)
        token.attrSet("target", "_self")
        continue
      }
      if (/^([a-z]+:|#|\/)/.test(href)) continue
      const [path, hash] = decodeURI(href).split("#")
      const { link, isFile } = linkTo(posix.normalize(posix.join(folder, path)))
      token.attrSet("href", `${link}${hash === undefined ? "" : `#${hash}`}`)
      // VitePress would look for a page of this name, and leaves links with a target alone.
      if (isFile) token.attrSet("target", "_self")
    }
  })
}

function linkTo(path) {
  const found = join(root, path)
  if (!existsSync(found)) throw new Error(`a document links to ${path}, which does not exist`)
  if (statSync(found).isDirectory()) {
    const main = ["README.md", "story.yaml"].find(name => existsSync(join(found, name)))
    // A folder without a page is described on the page of the folder above.
    return linkTo(main === undefined ? posix.dirname(path) : posix.join(path, main))
  }
  if (path.endsWith(".md")) return { link: `/${rewrites[path] ?? path}`, isFile: false }
  const copy = `files/${path}${/\.(json|svg|png)$/.test(path) ? "" : ".txt"}`
  copies.set(path, copy)
  return { link: `${base}${copy}`, isFile: true }
}

/** Returns the numbers of recorded answers that `npm test` compares, for the first page. */
export function checked() {
  const vectors = join(root, "test", "vectors")
  const read = name =>
    name.endsWith(".gz") ? gunzipSync(readFileSync(join(vectors, name))) : readFileSync(join(vectors, name))
  const lines = name => read(name).toString("utf8").trimEnd().split("\n").length
  const answers = readdirSync(vectors)
    .filter(name => /\.jsonl(\.gz)?$/.test(name))
    .reduce((sum, name) => sum + lines(name), 0)
  const requests = JSON.parse(read("api-server.json.gz")).reduce((sum, { steps = [] }) => sum + steps.length, 0)
  const rules = Object.keys(JSON.parse(readFileSync(join(root, "conformance", "rules.json"), "utf8"))).length
  return { answers, requests, rules }
}
